/**
 * SQL of what producers were asked and what they answered. A request may go to a thousand producers, so all writes
 * take lists: one statement for however many answers have arrived.
 */
import { type Selectable, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { all, column, one, run } from '../db/rows.ts'
import type { RfqAttemptsTable } from '../db/tables.ts'
import type { FoundLink } from '../offers/links.service.ts'
import { demoMark } from '../orgs/shown-org.ts'
import type { AskedRow } from './outcome.ts'
import {
  type Loss,
  type Quote,
  type ReceivedQuote,
  restoreAnswer,
  type WireAnswer,
  writeAnswer,
} from './quote.schema.ts'
import type { AttemptVerdict } from './verdicts.ts'

export type AttemptRow = Selectable<RfqAttemptsTable>

/** `word` is a text of our own. */
type ColumnType = 'uuid' | 'int' | 'boolean' | 'timestamptz' | 'word' | 'text' | 'jsonb' | 'json'

const KEY = { rfq_id: 'uuid', org_id: 'uuid', try: 'int' } as const
const BEGUN = {
  kind: 'word',
  endpoint: 'text',
  auth_type: 'word',
  request_headers: 'jsonb',
  started_at: 'timestamptz',
} as const
const FINISHED = {
  request_headers: 'jsonb',
  finished_at: 'timestamptz',
  response_status: 'int',
  response_headers: 'jsonb',
  response_body: 'text',
  response_ms: 'int',
  verdict: 'word',
  reason: 'text',
  limited: 'boolean',
} as const

export type NewAttempt = Pick<AttemptRow, keyof typeof KEY | keyof typeof BEGUN | 'request_body'>
export type FinishedAttempt = Pick<AttemptRow, keyof typeof KEY | keyof typeof FINISHED>

/** A node that takes over counts on from the tries of the one that died. */
export async function insertAttempts(db: Db, attempts: NewAttempt[]): Promise<void> {
  // Everybody gets the same bytes, so they cross to the database once.
  const bodies = [...new Set(attempts.flatMap(({ request_body }) => request_body ?? []))]
  const indexOf = new Map(bodies.map((body, index) => [body, index + 1]))
  const rows = attempts.map(({ request_body, ...attempt }) => ({
    ...attempt,
    body: request_body === null ? null : (indexOf.get(request_body) ?? null),
  }))
  const columns = { ...KEY, ...BEGUN }
  await run(db)`
    insert into rfq_attempts (${names(columns)}, request_body)
    select ${names(columns)}, (${bodies}::text[])[body] from ${unnested(rows, { ...columns, body: 'int' })}
    on conflict do nothing`
}

export function finishAttempts(db: Db, attempts: FinishedAttempt[]) {
  return run(db)`
    update rfq_attempts t set ${assigned(FINISHED)} from ${unnested(attempts, { ...KEY, ...FINISHED })}
    where t.rfq_id = a.rfq_id and t.org_id = a.org_id and t.try = a.try`
}

/** What is known of each producer's tries so far: the highest number, and whether one of them came to an end. */
export function findTries(db: Db, rfqId: string) {
  return all<{ orgId: string; tries: number; settled: boolean }>(db)`
    select org_id as "orgId", max(try) as tries, bool_or(finished_at is not null and verdict <> 'retry') as settled
    from rfq_attempts where rfq_id = ${rfqId} group by org_id`
}

/** Everyone who was asked, by what became of the last try; those who quoted first, then by name. */
export function findAskedRows(db: Db, rfqId: string) {
  return all<AskedRow>(db)`
    select o.id as "orgId", o.name, o.org_type as "orgType", o.verification_status = 'verified' as verified,
      case when o.verification_status = 'verified' then o.domain end as domain, o.demo, a.verdict
    from (
      select distinct on (org_id) org_id, verdict from rfq_attempts where rfq_id = ${rfqId} order by org_id, try desc) a
      join orgs o on o.id = a.org_id left join rfq_quotes q on q.rfq_id = ${rfqId} and q.org_id = a.org_id
    order by q.rank nulls last, o.name, o.id`
}

const ANSWERED: AttemptVerdict[] = ['quoted', 'out_of_stock', 'declined', 'not_delivered']

export type Progress = { asked: number; answered: number }

/** Of a request that is under way. */
export async function countProgress(db: Db, rfqId: string): Promise<Progress> {
  const rows = await all<Progress>(db)`
    select count(distinct org_id)::int as asked,
      count(distinct org_id) filter (where verdict = any(${ANSWERED}))::int as answered
    from rfq_attempts where rfq_id = ${rfqId}`
  return rows[0] ?? { asked: 0, answered: 0 }
}

export type NewQuote = ReceivedQuote & { rfqId: string; receivedAt: Date }

const QUOTE = {
  id: 'uuid',
  rfq_id: 'uuid',
  org_id: 'uuid',
  answer: 'jsonb',
  health: 'jsonb',
  received_at: 'timestamptz',
  response_ms: 'int',
} as const

export async function insertQuotes(db: Db, quotes: NewQuote[]): Promise<void> {
  const rows = quotes.map(({ id, rfqId, org, answer, health, receivedAt, responseMs }) => ({
    id,
    rfq_id: rfqId,
    org_id: org.id,
    answer: writeAnswer(answer),
    health,
    received_at: receivedAt,
    response_ms: responseMs,
  }))
  await run(db)`
    insert into rfq_quotes (${names(QUOTE)}) select ${names(QUOTE)} from ${unnested(rows, QUOTE)}
    on conflict (rfq_id, org_id) do nothing`
}

const RANKING = { rank: 'int', loss_reason: 'text', loss: 'jsonb', quote: 'json' } as const

export type RankedRow = {
  id: string
  rank: number
  loss_reason: string | null
  loss: Loss | null
  quote: Quote
}

export function saveRanking(db: Db, rfqId: string, quotes: RankedRow[]) {
  return run(db)`
    update rfq_quotes t set ${assigned(RANKING)} from ${unnested(quotes, { id: 'uuid', ...RANKING })}
    where t.rfq_id = ${rfqId} and t.id = a.id`
}

function names(columns: object) {
  return sql.join(Object.keys(columns).map((name) => sql.id(name)))
}

function assigned(columns: object) {
  return sql.join(Object.keys(columns).map((name) => sql`${sql.id(name)} = ${sql.ref(`a.${name}`)}`))
}

/**
 * `unnest(…) as a(…)`: rows as one array a column. As one JSON document, reading it would be most of what a statement
 * costs the database; and as arrays of the driver, looking for what to escape in each value most of what it costs here,
 * so only free text is left to it.
 */
function unnested<Name extends string>(
  rows: ReadonlyArray<Record<Name, unknown>>,
  columns: Record<Name, ColumnType>,
) {
  const arrays = Object.entries<ColumnType>(columns).map(([name, type]) => {
    const values = rows.map((row) => row[name as Name])
    if (type === 'text') return sql`${values}::text[]`
    // JSON has no line breaks but between its tokens, and is written without those here.
    if (type === 'json' || type === 'jsonb')
      return sql`string_to_array(${values.map((value) => JSON.stringify(value)).join('\n')}, e'\\n', 'null')::${sql.raw(type)}[]`
    // Ids, numbers, times and words of our own: nothing in them needs escaping.
    return sql`${`{${values.map(plainText).join(',')}}`}::${sql.raw(type === 'word' ? 'text' : type)}[]`
  })
  return sql`unnest(${sql.join(arrays)}) as a(${names(columns)})`
}

function plainText(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value ?? null)
}

/** By rank, and before there is one in the order of their arrival; all, or those with the ids given. */
export async function findQuotes(db: Db, rfqId: string, ids?: string[]): Promise<ReceivedQuote[]> {
  const rows = await all<Omit<ReceivedQuote, 'answer'> & { answer: WireAnswer }>(db)`
    select q.id, q.answer, q.health, q.response_ms as "responseMs", json_build_object('id', o.id, 'name', o.name,
      'orgType', o.org_type, 'verified', o.verification_status = 'verified',
      'domain', case when o.verification_status = 'verified' then o.domain end, 'demo', o.demo) as org
    from rfq_quotes q join orgs o on o.id = q.org_id
    where q.rfq_id = ${rfqId} ${ids ? sql`and q.id = any(${ids}::uuid[])` : sql``}
    order by q.rank nulls last, q.received_at, q.id`
  return rows.map(({ org: { demo, ...org }, ...row }) => ({
    ...row,
    org: { ...org, ...demoMark({ demo }) },
    answer: restoreAnswer(row.answer),
  }))
}

export function findQuoteIds(db: Db, rfqId: string) {
  return column<string>(db)`select id from rfq_quotes where rfq_id = ${rfqId}`
}

/** As the buyers of these requests get them, by request and rank. */
export async function findRanked(db: Db, rfqIds: readonly string[]) {
  const rows = await all<{ id: string; rfqId: string; quote: Quote }>(db)`
    select id, rfq_id as "rfqId", quote from rfq_quotes
    where rfq_id = any(${rfqIds}::uuid[]) and quote is not null order by rfq_id, rank`
  // Quotes from before they had an id in them.
  return rows.map(({ id, rfqId, quote }) => ({ rfqId, quote: { ...quote, quote_id: id } }))
}

/** The stored destination of a quote's attributed link: the producer's claim_url while the offer stands. */
export function findQuoteLinkRow(db: Db, quoteId: string, now: Date) {
  return one<FoundLink>(db)`
    select 'quote' as kind, q.org_id as "orgId", p.id as "productId", p.slug as "productSlug", c.slug as "categorySlug",
      case when (q.answer ->> 'offer_expires_at')::timestamptz > ${now} then q.answer ->> 'claim_url' end as destination
    from rfq_quotes q join rfqs r on r.id = q.rfq_id join products p on p.id = r.product_id
      join categories c on c.id = p.category_id
    where q.id = ${quoteId}`
}
