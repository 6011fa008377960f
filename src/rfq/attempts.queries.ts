/**
 * SQL of what producers were asked and what they answered. A request may go to a thousand producers, so all writes
 * take lists: one statement for however many answers have arrived.
 */
import { type Selectable, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { OrgType } from '../db/tables.producers.ts'
import type { RfqAttemptsTable, RfqQuotesTable } from '../db/tables.rfq.ts'

export type AttemptRow = Selectable<RfqAttemptsTable>
export type QuoteRow = Selectable<RfqQuotesTable>

export type NewAttempt = Pick<
  AttemptRow,
  'org_id' | 'try' | 'kind' | 'endpoint' | 'auth_type' | 'request_headers' | 'request_body' | 'started_at'
>

/** A statement may write what belongs to several requests. */
export type OfRfq = { rfq_id: string }

/** A node that takes over counts on from the tries of the one that died. */
export async function insertAttempts(db: Db, attempts: Array<NewAttempt & OfRfq>): Promise<void> {
  // Everybody gets the same bytes, so they cross to the database once.
  const bodies = [...new Set(attempts.flatMap(({ request_body }) => request_body ?? []))]
  const indexOf = new Map(bodies.map((body, index) => [body, index + 1]))
  const rows = attempts.map(({ request_body, ...attempt }) => ({
    ...attempt,
    body: request_body === null ? null : (indexOf.get(request_body) ?? null),
  }))
  const { plain, text, json } = columnsOf(rows)
  await sql`
    insert into rfq_attempts (rfq_id, org_id, try, kind, endpoint, auth_type, request_headers, request_body, started_at)
    select a.rfq_id, a.org_id, a.try, a.kind, a.endpoint, a.auth_type, a.request_headers,
      (${bodies}::text[])[a.body], a.started_at
    from unnest(${plain('rfq_id')}::uuid[], ${plain('org_id')}::uuid[], ${plain('try')}::int[], ${plain('kind')}::text[],
      ${text('endpoint')}::text[], ${plain('auth_type')}::text[], ${json('request_headers')}::jsonb[], ${plain('body')}::int[],
      ${plain('started_at')}::timestamptz[])
      as a(rfq_id, org_id, try, kind, endpoint, auth_type, request_headers, body, started_at)
    on conflict do nothing`.execute(db)
}

export type FinishedAttempt = Pick<
  AttemptRow,
  | 'org_id'
  | 'try'
  | 'request_headers'
  | 'finished_at'
  | 'response_status'
  | 'response_headers'
  | 'response_body'
  | 'response_ms'
  | 'verdict'
  | 'reason'
>

export async function finishAttempts(db: Db, attempts: Array<FinishedAttempt & OfRfq>): Promise<void> {
  const { plain, text, json } = columnsOf(attempts)
  await sql`
    update rfq_attempts t set request_headers = a.request_headers, finished_at = a.finished_at,
      response_status = a.response_status, response_headers = a.response_headers, response_body = a.response_body,
      response_ms = a.response_ms, verdict = a.verdict, reason = a.reason
    from unnest(${plain('rfq_id')}::uuid[], ${plain('org_id')}::uuid[], ${plain('try')}::int[],
      ${json('request_headers')}::jsonb[], ${plain('finished_at')}::timestamptz[], ${plain('response_status')}::int[],
      ${json('response_headers')}::jsonb[], ${text('response_body')}::text[], ${plain('response_ms')}::int[],
      ${plain('verdict')}::text[], ${text('reason')}::text[])
      as a(rfq_id, org_id, try, request_headers, finished_at, response_status, response_headers, response_body,
        response_ms, verdict, reason)
    where t.rfq_id = a.rfq_id and t.org_id = a.org_id and t.try = a.try`.execute(db)
}

/** What is known of each producer's tries so far: the highest number, and whether one of them came to an end. */
export async function findTries(
  db: Db,
  rfqId: string,
): Promise<Array<{ orgId: string; tries: number; settled: boolean }>> {
  const { rows } = await sql<{ orgId: string; tries: number; settled: boolean }>`
    select org_id as "orgId", max(try) as tries, bool_or(finished_at is not null and verdict <> 'retry') as settled
    from rfq_attempts where rfq_id = ${rfqId} group by org_id`.execute(db)
  return rows
}

/** How many producers were asked, by what became of the last try of each. */
export async function countVerdicts(
  db: Db,
  rfqId: string,
): Promise<Array<{ verdict: AttemptRow['verdict']; count: number }>> {
  const { rows } = await sql<{ verdict: AttemptRow['verdict']; count: number }>`
    select verdict, count(*)::int as count
    from (select distinct on (org_id) verdict from rfq_attempts where rfq_id = ${rfqId} order by org_id, try desc) a
    group by verdict`.execute(db)
  return rows
}

export type NewQuote = Pick<QuoteRow, 'id' | 'org_id' | 'answer' | 'health' | 'received_at' | 'response_ms'>

export async function insertQuotes(db: Db, quotes: Array<NewQuote & OfRfq>): Promise<void> {
  const { plain, json } = columnsOf(quotes)
  await sql`
    insert into rfq_quotes (id, rfq_id, org_id, answer, health, received_at, response_ms)
    select * from unnest(${plain('id')}::uuid[], ${plain('rfq_id')}::uuid[], ${plain('org_id')}::uuid[],
      ${json('answer')}::jsonb[], ${json('health')}::jsonb[], ${plain('received_at')}::timestamptz[],
      ${plain('response_ms')}::int[])
    on conflict (rfq_id, org_id) do nothing`.execute(db)
}

export type RankedRow = Pick<QuoteRow, 'id' | 'rank' | 'loss_reason' | 'quote'>

export async function saveRanking(db: Db, rfqId: string, quotes: RankedRow[]): Promise<void> {
  const { plain, text, json } = columnsOf(quotes)
  await sql`
    update rfq_quotes t set rank = q.rank, loss_reason = q.loss_reason, quote = q.quote
    from unnest(${plain('id')}::uuid[], ${plain('rank')}::int[], ${text('loss_reason')}::text[], ${json('quote')}::json[])
      as q(id, rank, loss_reason, quote)
    where t.rfq_id = ${rfqId} and t.id = q.id`.execute(db)
}

/**
 * Rows as one array a column. As one JSON document, reading it would be most of what a statement costs the database; and
 * as arrays of the driver, looking for what to escape in each value most of what it costs here, so only free text is
 * left to it.
 */
function columnsOf<Row extends object>(rows: readonly Row[]) {
  type Names<Value> = { [Name in keyof Row]: Row[Name] extends Value ? Name : never }[keyof Row]
  return {
    /** Ids, numbers, times and words of our own: nothing in them needs escaping. */
    plain: (name: Names<string | number | Date | null>) =>
      `{${rows.map((row) => plainText(row[name] as string | number | Date | null)).join(',')}}`,
    text: (name: Names<string | null>) => rows.map((row) => row[name]),
    /** JSON has no line breaks but between its tokens, and is written without those here. */
    json: (name: Names<object | null>) =>
      sql`string_to_array(${rows.map((row) => JSON.stringify(row[name])).join('\n')}, e'\\n', 'null')`,
  }
}

function plainText(value: string | number | Date | null): string | number {
  return value instanceof Date ? value.toISOString() : (value ?? 'null')
}

export type QuoteWithOrg = QuoteRow & {
  org_name: string
  org_type: OrgType
  org_verified: boolean
  org_domain: string | null
}

/** By rank, and before there is one in the order of their arrival; all, or those with the ids given. */
export async function findQuotes(db: Db, rfqId: string, ids?: string[]): Promise<QuoteWithOrg[]> {
  const { rows } = await sql<QuoteWithOrg>`
    select q.*, o.name as org_name, o.org_type, o.verification_status = 'verified' as org_verified,
      case when o.verification_status = 'verified' then o.domain end as org_domain
    from rfq_quotes q join orgs o on o.id = q.org_id
    where q.rfq_id = ${rfqId} ${ids ? sql`and q.id = any(${ids}::uuid[])` : sql``}
    order by q.rank nulls last, q.received_at, q.id`.execute(db)
  return rows
}

export async function findQuoteIds(db: Db, rfqId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from rfq_quotes where rfq_id = ${rfqId}`.execute(db)
  return rows.map(({ id }) => id)
}

/** As the buyer gets them, by rank. */
export async function findRanked(db: Db, rfqId: string): Promise<Array<NonNullable<QuoteRow['quote']>>> {
  const { rows } = await sql<{ quote: NonNullable<QuoteRow['quote']> }>`
    select quote from rfq_quotes where rfq_id = ${rfqId} and quote is not null order by rank`.execute(db)
  return rows.map(({ quote }) => quote)
}

/** Of many requests at once, by request and rank. */
export async function findRankedOf(
  db: Db,
  rfqIds: string[],
): Promise<Array<{ rfqId: string; quote: NonNullable<QuoteRow['quote']> }>> {
  const { rows } = await sql<{ rfqId: string; quote: NonNullable<QuoteRow['quote']> }>`
    select rfq_id as "rfqId", quote from rfq_quotes
    where rfq_id = any(${rfqIds}::uuid[]) and quote is not null order by rfq_id, rank`.execute(db)
  return rows
}

export type QuoteLinkRow = {
  orgId: string
  productId: string
  productSlug: string
  categorySlug: string
  claimUrl: string
  expiresAt: string
}

/** The stored destination of a quote's attributed link. */
export async function findQuoteLinkRow(db: Db, quoteId: string): Promise<QuoteLinkRow | null> {
  const { rows } = await sql<QuoteLinkRow>`
    select q.org_id as "orgId", p.id as "productId", p.slug as "productSlug", c.slug as "categorySlug",
      q.answer ->> 'claim_url' as "claimUrl", q.answer ->> 'offer_expires_at' as "expiresAt"
    from rfq_quotes q join rfqs r on r.id = q.rfq_id join products p on p.id = r.product_id
      join categories c on c.id = p.category_id
    where q.id = ${quoteId}`.execute(db)
  return rows[0] ?? null
}
