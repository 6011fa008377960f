/**
 * /dashboard/history: who did what for the organization, newest first, as a page and as a file, with the filters of the
 * API. The address is the filter; a filter that means nothing is refused beside its field.
 */
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
import { humanized } from '../../format.ts'
import { type FormState, UNTOUCHED } from '../../kit/fields.tsx'
import { type Asked, defineList, FROM_TO, listHref } from '../../kit/list.tsx'
import { asSentences, Facts, LinkLine } from '../../kit/parts.tsx'
import type { Dashboard, DashboardDeps } from '../guard.tsx'
import { HISTORY_PATH } from '../paths.ts'
import { factWords, type NameOf, sentenceFor } from './sentences.ts'

const CSV_PATH = `${HISTORY_PATH}.csv`
const FILTERS = ['actor', 'kind', 'from', 'to'] as const
const LIST = defineList(HISTORY_PATH, 'history entry', {
  search: 'What it says',
  filters: { actor: 'text', kind: 'text', ...FROM_TO },
})

type Words = ReturnType<ReturnType<typeof wordsOf>>

export function mountHistory(dashboard: Dashboard, { ctx }: DashboardDeps): void {
  const list = dashboard.list<Words, typeof LIST.filters>(LIST, 'oversee', async ({ c, visitor, asked }) => {
    const { query, state } = readFilter(asked)
    // The page says what is wrong with the filter, not a file.
    if (!query && (c.req.path === CSV_PATH || c.req.query('format') === 'csv'))
      return c.redirect(listHref(LIST, asked), 303)
    const actors = await listHistoryActors(ctx, visitor.caller)
    const { entries, next } = query
      ? await listHistory(ctx, visitor.caller, query)
      : { entries: [], next: null }
    return {
      title: 'History',
      lead: `Who did what for ${visitor.org.name}.`,
      errors: state.errors,
      status: query ? 200 : 400,
      ...{ rows: entries.map(wordsOf(actors)), next, order: 'Newest first' },
      filters: {
        actor: { label: 'By', any: 'Everyone', options: actorChoices(actors, asked.filters.actor) },
        kind: { label: 'Kind', any: 'Everything', options: KIND_CHOICES },
      },
      columns: [
        { label: 'What', cell: (words) => <What {...{ words, asked }} /> },
        { label: 'Who', cell: ({ who }) => who },
        { label: 'When', cell: ({ at }) => <Moment at={at} /> },
        { label: 'at', csv: ({ at }) => at },
        { label: 'who', csv: ({ who }) => who },
        { label: 'who_kind', csv: ({ actor }) => actor.kind },
        { label: 'who_id', csv: ({ actor }) => actor.id },
        { label: 'kind', csv: ({ action }) => kindOf(action) },
        { label: 'action', csv: ({ action }) => action },
        { label: 'what', csv: ({ what }) => what },
        {
          label: 'details',
          csv: ({ facts }) => facts.map(({ name, value }) => `${name}: ${value}`).join('; '),
        },
      ],
      empty: <p>Nothing here yet. You'll see what members, link tokens and the operator do.</p>,
    }
  })
  dashboard.page(CSV_PATH, 'oversee', (seen) => list(seen, undefined, 'csv'))
}

/** `query` is null when something is wrong with what is asked for. */
function readFilter({ q, filters, before, limit }: Asked<typeof LIST.filters>): {
  query: (AuditQuery & { search?: string }) | null
  state: FormState
} {
  const values = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''))
  const read = AuditQuery.safeParse({ ...values, limit, before: before ?? undefined })
  if (read.success) return { query: { ...read.data, ...(q !== '' && { search: q }) }, state: UNTOUCHED }
  const errors: Record<string, string> = {}
  for (const { path, code, message } of read.error.issues) {
    const name = FILTERS.find((filter) => filter === path[0]) ?? ''
    errors[name] ??= code === 'invalid_value' ? 'choose an option from the list' : message
  }
  return { query: null, state: { values, errors: asSentences(errors) } }
}

const KIND_CHOICES = HISTORY_KINDS.map(
  (kind) => [kind, kind === 'organization' ? 'Organization and tokens' : humanized(kind)] as const,
)

function actorChoices({ people, tokens }: HistoryActors, asked: string) {
  const by: Array<readonly [string, string]> = [
    ...people.map(({ id, name }) => [id, name] as const),
    ...tokens.map(({ id, name }) => [id, `Link token “${name}”`] as const),
    ['operator', 'The operator'],
    ['system', 'Souk'],
  ]
  return asked === '' || by.some(([value]) => value === asked)
    ? by
    : [...by, [asked, 'A former member'] as const]
}

function What({ words, asked }: { words: Words; asked: Asked<typeof LIST.filters> }) {
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
        {asked.filters.actor !== actorFilter && (
          <LinkLine to={listHref(LIST, { ...asked, page: 1 }, { actor: actorFilter })}>
            Show only {who}
          </LinkLine>
        )}
      </details>
    </>
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
