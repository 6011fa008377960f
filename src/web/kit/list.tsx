/**
 * Lists that people search, filter, sort, page through and take away as CSV. A list says what its address may ask for;
 * the kit reads the address, writes it again, draws the filters, the table and the pages, and answers `?format=csv`.
 * What an address asks for that means nothing is left out.
 */
import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import { z } from 'zod'
import type { HttpEnv } from '../../http/env.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { writeCsv } from '../../lib/csv.ts'
import { Ago } from '../components/moment.tsx'
import { capital, countOf, formatCount, humanized, many } from '../format.ts'
import { sendCsv } from '../page.http.ts'
import type { Page, Seen } from './console.tsx'
import { Carried, Field, Hidden, Select, UNTOUCHED } from './fields.tsx'
import { Paging, pageNumber } from './paging.tsx'
import { type Column, DataTable, Empty, LinkLine, Submit, stateOf, type Word } from './parts.tsx'

/** What a filter may be set to, with its words where they are always the same; `text` takes whatever is typed. */
type Choices = readonly string[] | 'text' | Choice<string> | Typed
type Filters = Record<string, Choices>

export type ListSpec<F extends Filters = Filters> = {
  path: string
  /** "offer": what is counted, and the name of the CSV file. */
  noun: string
  /** The label of the search box; without one there is none. */
  search?: string
  filters: F
  /** Value and words; the first is the default. */
  sorts?: ReadonlyArray<readonly [value: string, words: string]>
  /** Rows of a page: 50 without. */
  pageSize?: number
  /** Where the list tells an open page that it has changed (live.ts). */
  live?: string
}

export type Asked<F extends Filters = Filters> = {
  q: string
  /** Empty where not set. */
  filters: {
    [Name in keyof F]: F[Name] extends
      | readonly (infer Value extends string)[]
      | { values: readonly (infer Value extends string)[] }
      ? Value | ''
      : string
  }
  sort: string
  page: number
  /** Rows of a page, where the address says how many; else the list's own. */
  rows: number | null
  /** For lists that go on from the last row instead of by page. */
  before: string | null
  limit: number
  offset: number
}

export function defineList<const F extends Filters>(
  path: string,
  noun: string,
  more: Omit<ListSpec<F>, 'path' | 'noun'>,
): ListSpec<F> {
  return { path, noun, ...more }
}

/** Undefined where anything may be typed. */
function valuesOf(choices: Choices): readonly string[] | undefined {
  if (choices === 'text') return undefined
  return 'label' in choices ? choices.values : choices
}
const USUAL_ROWS = 50
const LONGEST = 300
const MOST_ROWS = 100
/** More rows than this are not written into one file. */
const MOST_CSV_ROWS = 10_000

export function readAsked<F extends Filters>(list: ListSpec<F>, params: URLSearchParams): Asked<F> {
  const text = (name: string) => (params.get(name) ?? '').trim().slice(0, LONGEST)
  const page = pageNumber(params.get('page') ?? undefined)
  const before = text('before')
  const rows = /^[1-9]\d?$|^100$/.test(text('rows')) ? Math.min(Number(text('rows')), MOST_ROWS) : null
  const limit = rows ?? list.pageSize ?? USUAL_ROWS
  return {
    q: list.search === undefined ? '' : text('q'),
    filters: Object.fromEntries(
      Object.entries(list.filters).map(([name, choices]) => [
        name,
        valuesOf(choices)?.includes(text(name)) === false ? '' : text(name),
      ]),
    ) as Asked<F>['filters'],
    sort: (list.sorts?.find(([value]) => value === text('sort')) ?? list.sorts?.[0])?.[0] ?? '',
    page,
    rows,
    before: before || null,
    limit,
    offset: /^\d{1,6}$/.test(before) ? Number(before) : (page - 1) * limit,
  }
}

/** The address of the list with what is asked, changed by `change`: an empty text takes a part away. */
export function listHref<F extends Filters>(
  { path, sorts }: ListSpec<F>,
  { q, filters, sort, page, rows }: Asked<F>,
  change: Record<string, string> = {},
): string {
  const parts: Record<string, string> = {
    ...{ q, ...(filters as Record<string, string>), sort: sort === sorts?.[0]?.[0] ? '' : sort },
    ...(rows !== null && { rows: String(rows) }),
    ...(page > 1 && { page: String(page) }),
    ...change,
  }
  const query = new URLSearchParams(Object.entries(parts).filter(([, value]) => value !== '')).toString()
  return query === '' ? path : `${path}?${query}`
}

export type ListColumn<Row> = Column & {
  /** A column without it is only in the file. */
  cell?: (row: Row) => Child
  /** What the file says; a column without it is not in the file. */
  csv?: (row: Row) => string | number | Date | null
}

/** A value of a row: the name of one, or what finds it. */
type Of<Row, Value> =
  | ((row: Row) => Value)
  | { [Name in keyof Row]: Row[Name] extends Value ? Name : never }[keyof Row]

function readerOf<Row, Value>(of: Of<Row, Value>): (row: Row) => Value {
  return typeof of === 'function' ? (of as (row: Row) => Value) : (row) => row[of] as Value
}

/** The kinds of columns that most lists have. */
export const column = {
  /** `shown` draws the texts on the page. */
  text<Row>(label: string, of: Of<Row, string | null>, shown?: (row: Row) => Child): ListColumn<Row> {
    const text = readerOf<Row, string | null>(of)
    return { label, cell: shown ?? ((row) => text(row) || <span class="soft">Not stated</span>), csv: text }
  },
  link<Row>(label: string, of: Of<Row, string>, href: (row: Row) => string): ListColumn<Row> {
    const text = readerOf<Row, string>(of)
    return { label, cell: (row) => <a href={href(row)}>{text(row)}</a>, csv: text }
  },
  count<Row>(label: string, of: Of<Row, number>): ListColumn<Row> {
    const count = readerOf<Row, number>(of)
    return { label, kind: 'number', cell: (row) => formatCount(count(row)), csv: count }
  },
  ago<Row>(label: string, of: Of<Row, Date>, now: Date): ListColumn<Row> {
    const at = readerOf<Row, Date>(of)
    return { label, cell: (row) => <Ago at={at(row)} now={now} />, csv: at }
  },
  state<Row>(label: string, of: (row: Row) => Word): ListColumn<Row> {
    return { label, cell: (row) => stateOf(of(row)), csv: (row) => of(row).words }
  },
  /** Buttons. */
  actions<Row>(label: string, cell: (row: Row) => Child): ListColumn<Row> {
    return { label, kind: 'actions', cell }
  },
}

/** The choices of a filter, from the words for each value. */
export function optionsOf(
  words: Readonly<Record<string, string | { words: string }>>,
): Array<[value: string, words: string]> {
  return Object.entries(words).map(([value, said]) => [value, typeof said === 'string' ? said : said.words])
}

type FilterWords = {
  label: string
  options?: ReadonlyArray<readonly [value: string, words: string]>
  any?: string
  /** For what is typed: a day, or a product, of which `options` are some to choose from. */
  kind?: 'date' | 'product'
}

type Choice<Value extends string> = FilterWords & { values: readonly Value[] }

type Typed = FilterWords & { values?: undefined }

/** A filter that takes what is typed. */
export function typed(label: string, kind?: FilterWords['kind']): Typed {
  return { label, kind }
}

export const FROM_TO = { from: typed('From (UTC)', 'date'), to: typed('To (UTC)', 'date') } as const

/** What a queue is filtered by: what waits longer than so many days. */
export const WAITING = choice(
  'Waiting',
  { '1': 'Over a day', '7': 'Over 7 days', '30': 'Over 30 days' },
  'Any time',
)

/** Which of the days of WAITING have passed since. */
export function daysSince(at: Date, now: Date): string[] {
  return WAITING.values.map(String).filter((days) => now.getTime() - at.getTime() > Number(days) * DAY_MS)
}

/** The words of values that need no others: their names. */
export function named<Value extends string>(values: readonly Value[]): Record<Value, string> {
  return Object.fromEntries(values.map((value) => [value, humanized(value)])) as Record<Value, string>
}

/** A filter with the choices that `words` has; `any` names what no choice means. */
export function choice<Value extends string>(
  label: string,
  words: Readonly<Record<Value, string | { words: string }>>,
  any?: string,
): Choice<Value> {
  return { label, any, options: optionsOf(words), values: Object.keys(words) as Value[] }
}

/** What a list found, and what is particular about showing it. */
export type Listed<Row, F extends Filters = Filters> = Omit<Page, 'body'> & {
  rows: readonly Row[]
  /** Of all pages. */
  total?: number
  /** Where the next part goes on, for lists without page numbers. */
  next?: string | null
  /** Null and false are left out. */
  columns: ReadonlyArray<ListColumn<Row> | null | false>
  filters?: { [Name in keyof F]?: FilterWords }
  /** "newest first": said beside the count. */
  order?: string
  /** Shown when there is nothing at all: why, and what to do. */
  empty: Child
  /** What can be done to several rows at once. */
  bulk?: { action: string; key: (row: Row) => string; name: (row: Row) => string; buttons: Child }
  /** Draws the rows where they are more than a table. */
  draw?: (rows: readonly Row[]) => Child
  above?: Child
  below?: Child
}

/**
 * For lists that are read whole: what the address asks for of them. `words` is what a search goes through, and each of
 * `by` what a filter compares, of which a row may have several.
 */
export function within<Row, F extends Filters>(
  all: readonly Row[],
  { q, filters, limit, offset }: Asked<F>,
  {
    words,
    by,
  }: { words: (row: Row) => string; by: { [Name in keyof F]: (row: Row) => string | readonly string[] } },
): { rows: Row[]; total: number } {
  const wanted = q.toLowerCase()
  const set = Object.entries(filters as Record<string, string>).filter(([, value]) => value !== '')
  const found = all.filter(
    (row) =>
      words(row).toLowerCase().includes(wanted) &&
      set.every(([name, value]) => [by[name]?.(row) ?? []].flat().includes(value)),
  )
  return { rows: found.slice(offset, offset + limit), total: found.length }
}

/** For lists that nobody counts: `found` is read one row further than a page, which tells whether there is a next one. */
export function uncounted<Row>(found: readonly Row[], { limit, offset }: Pick<Asked, 'limit' | 'offset'>) {
  return { rows: found.slice(0, limit), next: found.length > limit ? String(offset + limit) : null }
}

export type ListShow<Who> = (
  seen: Seen<Who>,
  params?: URLSearchParams,
  as?: 'csv',
) => Promise<Page | Response>

/** The page of a list, or its CSV file. `params` are for a form that was refused: its address is not the list's. */
export function listPage<Who, Row, F extends Filters>(
  list: ListSpec<F>,
  find: (seen: Seen<Who> & { asked: Asked<F> }) => Promise<Listed<Row, F> | Response>,
): ListShow<Who> {
  return async (seen, params, as) => {
    const { c } = seen
    const asked = readAsked(list, params ?? new URL(c.req.url).searchParams)
    // A form that was refused is shown its list again, never a file or another address.
    const isRead = c.req.method !== 'POST'
    if (isRead && (as === 'csv' || c.req.query('format') === 'csv'))
      return sendListCsv(c, list, asked, (part) => find({ ...seen, asked: part }))
    const found = await find({ ...seen, asked })
    if (found instanceof Response) return found
    const last = Math.max(1, Math.ceil((found.total ?? 0) / asked.limit))
    if (isRead && found.total !== undefined && asked.page > last)
      return c.redirect(listHref(list, asked, { page: last === 1 ? '' : String(last) }), 303)
    const { at, title, lead, actions, said, errors, status, stream, above, below } = found
    const shown = [above && <div id="above">{above}</div>, <List {...{ list, asked, found }} />]
    const live = (
      <div id="live" data-changes={list.live}>
        {shown}
      </div>
    )
    const body = [list.live === undefined ? shown : live, below]
    return { at, title, lead, actions, said, errors, status, stream, body }
  }
}

/** All that is asked for, in one file. */
export async function sendListCsv<Row, F extends Filters>(
  c: Context<HttpEnv>,
  list: ListSpec<F>,
  asked: Asked<F>,
  find: (part: Asked<F>) => Promise<Pick<Listed<Row, F>, 'rows' | 'total' | 'next' | 'columns'> | Response>,
): Promise<Response> {
  const rows: Row[] = []
  let columns: Listed<Row, F>['columns'] = []
  let isCut = true
  let part: Asked<F> = { ...asked, limit: list.pageSize ?? USUAL_ROWS, before: null, offset: 0 }
  while (rows.length < MOST_CSV_ROWS) {
    const found = await find(part)
    if (found instanceof Response) return found
    columns = found.columns
    rows.push(...found.rows)
    const more = found.total === undefined ? found.next != null : rows.length < found.total
    isCut = more && found.rows.length > 0
    if (!isCut) break
    part = { ...part, before: found.next ?? null, offset: rows.length }
  }
  const name = `souk-${many(list.noun).replaceAll(' ', '-')}`
  // A file that leaves rows out says so in its name.
  return sendCsv(c, `${name}${isCut ? `-first-${rows.length}` : ''}.csv`, csvOf(columns, rows))
}

function shownOf<Row>(columns: Listed<Row>['columns']): ListColumn<Row>[] {
  return columns.filter((column) => column !== null && column !== false)
}

function csvOf<Row>(columns: Listed<Row>['columns'], rows: readonly Row[]): string {
  const written = shownOf(columns).flatMap(({ label, csv }) => (csv ? [{ label, csv }] : []))
  return writeCsv([
    written.map(({ label }) => label),
    ...rows.map((row) =>
      written.map(({ csv }) => {
        const value = csv(row)
        return value instanceof Date ? value.toISOString() : value
      }),
    ),
  ])
}

type ListProps<Row, F extends Filters> = { list: ListSpec<F>; asked: Asked<F>; found: Listed<Row, F> }

/** The filters, the table and the way through it; `#list` is what the script replaces while somebody types. */
function List<Row, F extends Filters>({ list, asked, found }: ListProps<Row, F>) {
  const { rows, total = rows.length, next = null } = found
  // Those that name a filter are shown beside it.
  const errors = found.errors ?? {}
  const set =
    asked.q !== '' || [...Object.values(asked.filters), ...Object.keys(errors)].some((value) => value !== '')
  if (rows.length === 0 && total === 0 && !set && asked.before === null) return <Empty>{found.empty}</Empty>
  const pages = Math.ceil(total / asked.limit)
  return (
    <>
      <FilterForm list={list} asked={asked} words={wordsFor(list, found.filters)} errors={errors} />
      <div id="list">
        {rows.length === 0 ? (
          <Empty>
            <p>No {many(list.noun)} match.</p>
            <LinkLine to={list.path}>Show all {many(list.noun)}</LinkLine>
          </Empty>
        ) : (
          <>
            <p class="soft list-count" role="status">
              {found.total === undefined ? '' : countOf(total, list.noun)}
              {found.order !== undefined && `${found.total === undefined ? '' : ', '}${found.order}`}
              {shownOf(found.columns).some(({ csv }) => csv) && (
                <>
                  {' '}
                  <a href={listHref(list, { ...asked, page: 1, rows: null }, { format: 'csv' })} download>
                    Download CSV
                  </a>
                </>
              )}
            </p>
            {found.draw ? found.draw(rows) : <Rows list={list} found={found} />}
            <Paging page={asked.page} pages={pages} href={(page) => listHref(list, { ...asked, page })} />
            {(next !== null || asked.before !== null) && (
              <p class="line">
                {asked.before !== null && <a href={listHref(list, asked)}>First page</a>}
                {next !== null && (
                  <a class="button plain" href={listHref(list, asked, { before: next })} rel="next">
                    Show more
                  </a>
                )}
              </p>
            )}
          </>
        )}
      </div>
    </>
  )
}

const BULK_FORM = 'bulk'

function Rows<Row, F extends Filters>({
  list,
  found: { rows, columns, bulk },
}: Omit<ListProps<Row, F>, 'asked'>) {
  const shown = shownOf(columns).flatMap(({ cell, ...column }) => (cell ? [{ ...column, cell }] : []))
  const table = (
    <DataTable
      caption={capital(many(list.noun))}
      columns={shown}
      rows={rows.map((row) => shown.map(({ cell }) => cell(row)))}
      pick={
        bulk && {
          form: BULK_FORM,
          picks: rows.map((row) => ({ name: `pick_${bulk.key(row)}`, label: bulk.name(row) })),
        }
      }
    />
  )
  if (!bulk) return table
  return (
    <>
      <form id={BULK_FORM} class="bulk console-actions" method="post" action={bulk.action}>
        <Carried />
        {bulk.buttons}
      </form>
      {table}
    </>
  )
}

/** The keys of the rows that were picked in a bulk form. */
export function pickedIn(form: Record<string, string>): string[] {
  return Object.keys(form).flatMap((name) => (name.startsWith('pick_') ? [name.slice('pick_'.length)] : []))
}

/** The schema of a bulk form that takes the keys alone. */
export const Picked = z
  .record(z.string(), z.string())
  .transform(pickedIn)
  .pipe(z.array(z.string()).min(1, 'Select at least one row.'))

/** Those of the list, and those that only its page knows. */
function wordsFor<F extends Filters>(
  { filters }: ListSpec<F>,
  found: { [Name in keyof F]?: FilterWords } = {},
): { [Name in keyof F]?: FilterWords } {
  const own = Object.entries(filters).filter(([, choices]) => choices !== 'text' && 'label' in choices)
  return { ...Object.fromEntries(own), ...found }
}

type FilterFormProps<F extends Filters> = {
  list: ListSpec<F>
  asked: Asked<F>
  words: { [Name in keyof F]?: FilterWords }
  errors: NonNullable<Page['errors']>
}

function FilterForm<F extends Filters>({ list, asked, words, errors }: FilterFormProps<F>) {
  const { search, sorts = [], noun } = list
  const names = Object.keys(list.filters).filter((name) => words[name] !== undefined)
  if (search === undefined && names.length === 0 && sorts.length === 0) return null
  return (
    <form
      class="filters"
      method="get"
      action={list.path}
      aria-label={`Filter ${many(noun)}`}
      data-live="list"
    >
      <Hidden name="rows" value={asked.rows === null ? null : String(asked.rows)} />
      {search !== undefined && (
        <Field state={UNTOUCHED} name="q" label={search} type="search" autocomplete="off" value={asked.q} />
      )}
      {names.map((name) => {
        const { label = name, options, any = 'Any', kind } = words[name] ?? {}
        const value = String(asked.filters[name] ?? '')
        const field = { state: { values: {}, errors }, name, label, value }
        if (kind === 'product')
          return (
            <>
              <Field {...field} autocomplete="off" list={`${name}-found`} suggest="products" />
              <datalist id={`${name}-found`}>
                {options?.map(([slug, title]) => (
                  <option value={slug}>{title}</option>
                ))}
              </datalist>
            </>
          )
        return options === undefined ? (
          <Field {...field} type={kind} autocomplete="off" />
        ) : (
          <Select {...field} options={[['', any], ...options]} />
        )
      })}
      {sorts.length > 0 && (
        <Select state={UNTOUCHED} name="sort" label="Sort by" options={sorts} value={asked.sort} />
      )}
      <Submit line kind="plain">
        Apply
      </Submit>
    </form>
  )
}
