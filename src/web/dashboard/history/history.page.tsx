/** Who did what for the organization, newest first, narrowed by whom, by kind and by day. The address is the filter. */

import type { HistoryActors } from '../../../orgs/history.service.ts'
import { HISTORY_KINDS, type HistoryKind } from '../../../orgs/history.service.ts'
import { Moment } from '../../components/moment.tsx'
import { formatCount } from '../../format.ts'
import { Field, type FormState, Select } from '../../kit/fields.tsx'
import { DataTable, Empty } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import { DashboardPage, type Visitor } from '../page.tsx'
import { HISTORY_PATH } from '../paths.ts'
import type { ToldEntry } from './entry.ts'

export const CSV_PATH = `${HISTORY_PATH}.csv`
export const CSV_MAX = 10_000

export const FILTERS = ['actor', 'kind', 'from', 'to'] as const

const KIND_WORDS: Record<HistoryKind, string> = {
  offers: 'Offers',
  products: 'Products',
  pricing: 'Pricing',
  agent: 'Agent',
  team: 'Team',
  organization: 'Organization and tokens',
}

type HistoryPage = {
  site: Site
  visitor: Visitor
  actors: HistoryActors
  entries: ToldEntry[]
  next: string | null
  /** An older page is shown, not the newest. */
  isLater: boolean
  /** The filter as it was asked for, and what is wrong with it. */
  state: FormState
}

export function renderHistory(page: HistoryPage): string {
  const { site, visitor, entries, next, isLater, state } = page
  const isNarrowed = Object.keys(state.values).length > 0
  return String(
    <DashboardPage
      site={site}
      visitor={visitor}
      title="History"
      lead={`Who did what for ${visitor.org.name}, newest first.`}
      at={HISTORY_PATH}
      errors={state.errors}
      actions={
        entries.length > 0 && (
          <a class="button plain" href={addressOf(CSV_PATH, state.values)} download>
            Download CSV
          </a>
        )
      }
    >
      <Filters {...page} />
      {entries.length > 0 && <Entries entries={entries} values={state.values} />}
      {entries.length === 0 && Object.keys(state.errors).length === 0 && (
        <Nothing {...{ isNarrowed, isLater }} />
      )}
      {(next !== null || isLater) && (
        <nav class="line" aria-label="Pages">
          {isLater && <a href={addressOf(HISTORY_PATH, state.values)}>Newest entries</a>}
          {next !== null && (
            <a href={addressOf(HISTORY_PATH, { ...state.values, before: next })} rel="next">
              Older entries
            </a>
          )}
        </nav>
      )}
      {entries.length > 0 && (
        <p class="soft">
          The file has the newest {formatCount(CSV_MAX)} entries that the filter lets through.
        </p>
      )}
    </DashboardPage>,
  )
}

function addressOf(path: string, values: Record<string, string>): string {
  const query = new URLSearchParams(values).toString()
  return query === '' ? path : `${path}?${query}`
}

function Filters({ actors, state }: HistoryPage) {
  return (
    <form class="filters" method="get" action={HISTORY_PATH} aria-label="Narrow the history">
      <Select state={state} name="actor" label="By" options={actorOptions(actors, state.values.actor)} />
      <Select
        state={state}
        name="kind"
        label="Kind"
        options={[['', 'Everything'], ...HISTORY_KINDS.map((kind) => [kind, KIND_WORDS[kind]] as const)]}
      />
      <Field state={state} name="from" label="From (UTC day)" type="date" autocomplete="off" />
      <Field state={state} name="to" label="To (UTC day)" type="date" autocomplete="off" />
      <p class="line">
        <button class="button plain" type="submit">
          Filter
        </button>
        {Object.keys(state.values).length > 0 && <a href={HISTORY_PATH}>Clear the filter</a>}
      </p>
    </form>
  )
}

function actorOptions({ people, tokens }: HistoryActors, chosen: string | undefined) {
  const options: Array<readonly [string, string]> = [
    ['', 'Everybody'],
    ...people.map(({ id, name }) => [id, name] as const),
    ...tokens.map(({ id, name }) => [id, `Link token “${name}”`] as const),
    ['operator', 'The operator of this service'],
    ['system', 'Souk'],
  ]
  const isListed = chosen === undefined || options.some(([value]) => value === chosen)
  return isListed ? options : [...options, [chosen, 'Somebody not in the team now'] as const]
}

function Entries({ entries, values }: { entries: ToldEntry[]; values: Record<string, string> }) {
  return (
    <DataTable
      caption="What was done"
      columns={[{ label: 'What' }, { label: 'Who' }, { label: 'When' }]}
      rows={entries.map((entry) => [
        <What entry={entry} values={values} />,
        entry.who,
        <Moment at={entry.at} />,
      ])}
    />
  )
}

function What({ entry, values }: { entry: ToldEntry; values: Record<string, string> }) {
  const { what, who, facts, action, actorFilter } = entry
  return (
    <>
      {what}
      <details class="act-facts">
        <summary>
          Details<span class="hidden"> of: {what}</span>
        </summary>
        <dl>
          {facts.map(({ label, name, value }) => (
            <div>
              <dt>{label}</dt>
              <dd>{name === 'product_slug' ? <a href={`/p/${encodeURI(value)}`}>{value}</a> : value}</dd>
            </div>
          ))}
          <div>
            <dt>Action</dt>
            <dd>
              <code>{action}</code>
            </dd>
          </div>
        </dl>
        {values.actor !== actorFilter && (
          <p>
            <a href={addressOf(HISTORY_PATH, { ...values, actor: actorFilter })}>
              Show only what was done by {who}
            </a>
          </p>
        )}
      </details>
    </>
  )
}

function Nothing({ isNarrowed, isLater }: { isNarrowed: boolean; isLater: boolean }) {
  return (
    <Empty>
      {isLater ? (
        <p>There is nothing older.</p>
      ) : isNarrowed ? (
        <p>
          Nothing was done that this filter lets through. <a href={HISTORY_PATH}>See everything</a>
        </p>
      ) : (
        <p>Nothing was done yet. What members, link tokens and the operator do is written down here.</p>
      )}
    </Empty>
  )
}
