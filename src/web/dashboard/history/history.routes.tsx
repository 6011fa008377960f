/**
 * /dashboard/history: who did what for the organization, newest first, as a page and as a file, with the filters of the
 * API. The address is the filter; a filter that means nothing is refused beside its field.
 */
import type { Context } from 'hono'
import { writeCsv } from '../../../lib/csv.ts'
import {
  AuditQuery,
  HISTORY_KINDS,
  type HistoryActors,
  type HistoryEntry,
  isByOperator,
  kindOf,
  listHistory,
  listHistoryActors,
} from '../../../orgs/history.service.ts'
import { Moment } from '../../components/moment.tsx'
import { humanized, isoDay } from '../../format.ts'
import { Field, type FormState, Select } from '../../kit/fields.tsx'
import { asSentences, DataTable, Empty, Facts } from '../../kit/parts.tsx'
import { sendCsv } from '../../page.http.ts'
import type { DashboardDeps } from '../deps.ts'
import type { Dashboard } from '../guard.ts'
import { HISTORY_PATH } from '../paths.ts'
import { type NameOf, sentenceFor } from './sentences.ts'

const CSV_PATH = `${HISTORY_PATH}.csv`
const CSV_MAX = 10_000
const CSV_COLUMNS = ['at', 'who', 'who_kind', 'who_id', 'kind', 'action', 'what', 'details']
const FILTERS = ['actor', 'kind', 'from', 'to'] as const

type Words = ReturnType<ReturnType<typeof wordsOf>>

export function mountHistory(dashboard: Dashboard, { ctx }: DashboardDeps): void {
  dashboard.page(HISTORY_PATH, 'oversee', async ({ c, visitor }) => {
    const { query, state } = readFilter(c)
    const actors = await listHistoryActors(ctx, visitor.caller)
    const { entries, next } = query
      ? await listHistory(ctx, visitor.caller, query)
      : { entries: [], next: null }
    const isLater = c.req.query('before') !== undefined
    return {
      title: 'History',
      lead: `Who did what for ${visitor.org.name}, newest first.`,
      at: HISTORY_PATH,
      errors: state.errors,
      status: query ? 200 : 400,
      actions: entries.length > 0 && (
        <a class="button plain" href={addressOf(CSV_PATH, state.values)} download>
          Download CSV
        </a>
      ),
      body: (
        <>
          <Filters actors={actors} state={state} />
          {entries.length > 0 ? (
            <DataTable
              caption="History"
              columns={[{ label: 'What' }, { label: 'Who' }, { label: 'When' }]}
              rows={entries
                .map(wordsOf(actors))
                .map((words) => [
                  <What words={words} values={state.values} />,
                  words.who,
                  <Moment at={words.at} />,
                ])}
            />
          ) : (
            query && <Nothing isLater={isLater} isFiltered={Object.keys(state.values).length > 0} />
          )}
          {(next !== null || isLater) && (
            <nav class="line" aria-label="Pages">
              {isLater && <a href={addressOf(HISTORY_PATH, state.values)}>Newest</a>}
              {next !== null && (
                <a href={addressOf(HISTORY_PATH, { ...state.values, before: next })} rel="next">
                  Show older
                </a>
              )}
            </nav>
          )}
        </>
      ),
    }
  })

  dashboard.page(CSV_PATH, 'oversee', async ({ c, visitor }) => {
    const { query } = readFilter(c)
    // The page says what is wrong with the filter.
    if (!query) return c.redirect(`${HISTORY_PATH}${new URL(c.req.url).search}`, 303)
    const actors = await listHistoryActors(ctx, visitor.caller)
    const { before: _all, ...filter } = query
    const { entries } = await listHistory(ctx, visitor.caller, { ...filter, limit: CSV_MAX })
    const rows = entries
      .map(wordsOf(actors))
      .map(({ at, who, actor, action, what, facts }) => [
        ...[at.toISOString(), who, actor.kind, actor.id ?? '', kindOf(action) ?? '', action, what],
        facts.map(({ name, value }) => `${name}: ${value}`).join('; '),
      ])
    return sendCsv(c, `souk-history-${isoDay(ctx.clock.now())}.csv`, writeCsv([CSV_COLUMNS, ...rows]))
  })
}

/** An empty field is no filter. `query` is null when something is wrong with it. */
function readFilter(c: Context): { query: AuditQuery | null; state: FormState } {
  const values: Record<string, string> = {}
  for (const name of FILTERS) {
    const value = c.req.query(name)
    if (value) values[name] = value
  }
  const read = AuditQuery.safeParse({ ...values, before: c.req.query('before') || undefined })
  if (read.success) return { query: read.data, state: { values, errors: {} } }
  const errors: Record<string, string> = {}
  for (const { path, code, message } of read.error.issues) {
    const name = FILTERS.find((filter) => filter === path[0]) ?? ''
    errors[name] ??= code === 'invalid_value' ? 'choose an option from the list' : message
  }
  return { query: null, state: { values, errors: asSentences(errors) } }
}

function addressOf(path: string, values: Record<string, string>): string {
  const query = new URLSearchParams(values).toString()
  return query === '' ? path : `${path}?${query}`
}

function Filters({ actors: { people, tokens }, state }: { actors: HistoryActors; state: FormState }) {
  const by: Array<readonly [string, string]> = [
    ['', 'Everyone'],
    ...people.map(({ id, name }) => [id, name] as const),
    ...tokens.map(({ id, name }) => [id, `Link token “${name}”`] as const),
    ['operator', 'The operator'],
    ['system', 'Souk'],
  ]
  const { actor } = state.values
  if (actor !== undefined && !by.some(([value]) => value === actor)) by.push([actor, 'A former member'])
  const kinds = HISTORY_KINDS.map(
    (kind) => [kind, kind === 'organization' ? 'Organization and tokens' : humanized(kind)] as const,
  )
  return (
    <form class="filters" method="get" action={HISTORY_PATH} aria-label="Filter history">
      <Select state={state} name="actor" label="By" options={by} />
      <Select state={state} name="kind" label="Kind" options={[['', 'Everything'], ...kinds]} />
      <Field state={state} name="from" label="From (UTC)" type="date" autocomplete="off" />
      <Field state={state} name="to" label="To (UTC)" type="date" autocomplete="off" />
      <p class="line">
        <button class="button plain" type="submit">
          Apply
        </button>
        {Object.keys(state.values).length > 0 && <a href={HISTORY_PATH}>Clear filters</a>}
      </p>
    </form>
  )
}

function What({ words, values }: { words: Words; values: Record<string, string> }) {
  const { what, who, facts, action, actorFilter } = words
  return (
    <>
      {what}
      <details class="act-facts">
        <summary>
          Details<span class="hidden"> of: {what}</span>
        </summary>
        <Facts
          facts={[
            ...facts.map(
              ({ label, name, value }) =>
                [
                  label,
                  name === 'product_slug' ? <a href={`/p/${encodeURI(value)}`}>{value}</a> : value,
                ] as const,
            ),
            ['Action', <code>{action}</code>],
          ]}
        />
        {values.actor !== actorFilter && (
          <p>
            <a href={addressOf(HISTORY_PATH, { ...values, actor: actorFilter })}>Show only {who}</a>
          </p>
        )}
      </details>
    </>
  )
}

function Nothing({ isFiltered, isLater }: { isFiltered: boolean; isLater: boolean }) {
  return (
    <Empty>
      {isLater ? (
        <p>Nothing older.</p>
      ) : isFiltered ? (
        <p>
          No results. <a href={HISTORY_PATH}>Show everything</a>
        </p>
      ) : (
        <p>Nothing here yet. You'll see what members, link tokens and the operator do.</p>
      )}
    </Empty>
  )
}

const FORMER_MEMBER = 'a former member'

/** Says an entry in words, for the page and for the file alike. */
function wordsOf({ people }: HistoryActors) {
  const names = new Map(people.map(({ id, name }) => [id, name]))
  const nameOf: NameOf = (id) => names.get(String(id)) ?? FORMER_MEMBER
  return (entry: HistoryEntry) => {
    const { at, actor, action, detail } = entry
    return {
      ...{ at, actor, action, what: sentenceFor(action, detail, nameOf), who: whoDid(entry, nameOf) },
      /** The filter for what they did. */
      actorFilter: isByOperator(entry) ? 'operator' : (actor.id ?? 'system'),
      facts: Object.entries(detail).map(([name, value]) => ({
        label: humanized(name),
        name,
        value: name === 'user_id' && names.has(String(value)) ? nameOf(value) : factWords(value),
      })),
    }
  }
}

function whoDid(entry: HistoryEntry, nameOf: NameOf): string {
  const { actor, name } = entry
  if (isByOperator(entry)) return 'The operator'
  if (actor.kind === 'system') return 'Souk'
  if (actor.kind === 'link_token') return `Link token “${name ?? 'deleted'}”`
  const who = name ?? nameOf(actor.id)
  return who === FORMER_MEMBER ? humanized(who) : who
}

function factWords(value: unknown): string {
  if (value === null || value === '') return 'None'
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (Array.isArray(value)) return value.map(factWords).join(', ') || 'None'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
