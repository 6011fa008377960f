/** SQL of requests for quote and their state; what producers were asked and answered is in attempts.queries. */
import { sql } from 'kysely'
import { given, named, type RowOf, selected } from '../db/columns.ts'
import type { Db, Tx } from '../db/database.ts'
import { holds } from '../db/like.ts'
import { all, changed, count, hasChanged, one, run, value } from '../db/rows.ts'
import type { ChosenVariant, RfqState, RfqsTable } from '../db/tables.ts'
import { batchOf, type SweepBatch } from '../jobs/sweep.ts'
import type { StoredOutcome } from './outcome.ts'

const NEW = [
  'id',
  'contextId',
  'productId',
  'quantity',
  'deliveryRegion',
  'deadlineIso',
  'variant',
  'face',
  'userId',
  'clientId',
  'messageId',
  'askerKey',
  'createdAt',
  'anonymous',
] as const
const STORED = [
  ...NEW,
  'sessionId',
  'state',
  'failure',
  'finishedAt',
  'outcome',
  'chosenQuoteId',
  'chosenAt',
] as const

type NewRfq = Pick<RowOf<RfqsTable>, (typeof NEW)[number]>
type StoredRfq = Omit<Pick<RowOf<RfqsTable>, (typeof STORED)[number]>, 'outcome'> & {
  outcome: StoredOutcome | null
}
/** With its product's `<category>/<slug>` and title. */
export type Rfq = StoredRfq & { productSlug: string; productTitle: string }

const RFQ = sql`
  select ${selected(STORED, 'r')}, c.slug || '/' || p.slug as "productSlug", p.title as "productTitle"
  from rfqs r join products p on p.id = r.product_id join categories c on c.id = p.category_id`

/** Null when this asker's message made a request before. */
export function insertRfq(db: Db, rfq: NewRfq) {
  return one<StoredRfq>(db)`
    insert into rfqs as r (${named(NEW)}) values (${given(NEW, rfq)})
    on conflict (asker_key, message_id) where message_id is not null do nothing
    returning ${selected(STORED, 'r')}`
}

/** From then on the same message makes a new request. */
export function forgetMessage(
  db: Db,
  { askerKey, messageId, before }: { askerKey: string; messageId: string; before: Date },
) {
  return run(db)`
    update rfqs set asker_key = null, message_id = null
    where asker_key = ${askerKey} and message_id = ${messageId} and created_at < ${before}`
}

/** Of requests that nobody owns: a stranger's, or of an account that is gone. */
export function forgetOldMessages(db: Db, before: Date) {
  return changed(db)`
    update rfqs set asker_key = null, message_id = null
    where user_id is null and asker_key is not null and created_at < ${before}`
}

export function findRfq(db: Db, id: string) {
  return one<Rfq>(db)`${RFQ} where r.id = ${id}`
}

export function findRfqState(db: Db, id: string) {
  return value<RfqState>(db)`select state from rfqs where id = ${id}`
}

export function findRfqByMessage(db: Db, askerKey: string, messageId: string) {
  return one<Rfq>(db)`
    ${RFQ} where r.asker_key = ${askerKey} and r.message_id = ${messageId}`
}

/** Held until the transaction ends, so that completing and cancelling do not both happen. */
export function lockSubmitted(db: Db, id: string) {
  return one<Rfq>(db)`
    ${RFQ} where r.id = ${id} and r.state = 'submitted' for no key update of r`
}

/** Held until the transaction ends, so that of two choices one stands. */
export function lockRfq(tx: Tx, id: string) {
  return one<Rfq>(tx)`${RFQ} where r.id = ${id} for no key update of r`
}

type Choosable = { orgId: string; totalCents: number; expiresAt: Date; inStock: boolean; active: boolean }

/** A ranked quote of this request. */
export function findChoosable(tx: Tx, rfqId: string, quoteId: string) {
  return one<Choosable>(tx)`
    select q.org_id as "orgId", ${TOTAL_CENTS} as "totalCents",
      (q.answer ->> 'offer_expires_at')::timestamptz as "expiresAt", (q.answer ->> 'in_stock')::boolean as "inStock",
      o.deactivated_at is null as active
    from rfq_quotes q join rfqs r on r.id = q.rfq_id join orgs o on o.id = q.org_id
    where q.rfq_id = ${rfqId} and q.id = ${quoteId} and q.rank is not null`
}

const TOTAL_CENTS = sql`(round(((q.quote ->> 'total_usd')::numeric) * 100))::float8`

export function saveChoice(tx: Tx, { id, quoteId, at }: { id: string; quoteId: string; at: Date }) {
  return run(tx)`update rfqs set chosen_quote_id = ${quoteId}, chosen_at = ${at} where id = ${id}`
}

export type ChosenQuote = {
  /** As sellers know the request. */
  rfqId: string
  quoteId: string
  orgId: string
  productSlug: string
  quantity: number
  variant: ChosenVariant | null
  totalCents: number
  answer: Record<string, unknown>
  chosenAt: Date
}

/** Null unless its buyer chose it. */
export function findChosenQuote(db: Db, quoteId: string) {
  return one<ChosenQuote>(db)`
    select r.session_id as "rfqId", q.id as "quoteId", q.org_id as "orgId", c.slug || '/' || p.slug as "productSlug",
      r.quantity, r.variant, ${TOTAL_CENTS} as "totalCents", q.answer, r.chosen_at as "chosenAt"
    from rfq_quotes q join rfqs r on r.id = q.rfq_id and r.chosen_quote_id = q.id
      join products p on p.id = r.product_id join categories c on c.id = p.category_id
    where q.id = ${quoteId}`
}

export type RfqEnd = {
  id: string
  state: Exclude<RfqState, 'submitted'>
  at: Date
  failure?: string
  outcome?: StoredOutcome
}

/** The state alone; see end.ts for all that belongs to it. False when it had ended already. */
export function saveEnd(tx: Tx, { id, state, at, failure, outcome }: RfqEnd) {
  return hasChanged(tx)`
    update rfqs set state = ${state}, finished_at = ${at}, failure = ${failure ?? null},
      outcome = ${outcome ? JSON.stringify(outcome) : null}::json
    where id = ${id} and state = 'submitted'`
}

export type OwnRfqs = {
  userId: string
  state: RfqState | null
  contextId: string | null
  changedSince: Date | null
}

const CHANGED_AT = sql`coalesce(r.finished_at, r.created_at)`

function own({ userId, state, contextId, changedSince }: OwnRfqs) {
  return sql`r.user_id = ${userId}
      and (${state}::text is null or r.state = ${state})
      and (${contextId}::text is null or r.context_id = ${contextId})
      and (${changedSince}::timestamptz is null or ${CHANGED_AT} >= ${changedSince})`
}

/** An owner's own, last changed first, after the given one. */
export async function findOwnRfqs(
  db: Db,
  input: OwnRfqs & {
    before: { changedAt: Date; id: string } | null
    limit: number
    offset?: number
    search?: string | null
  },
): Promise<Rfq[]> {
  const { before, limit, offset = 0, search = null } = input
  return all<Rfq>(db)`
    ${RFQ}
    where ${own(input)}
      and ${holds(sql`(select p.title || ' ' || p.slug from products p where p.id = r.product_id)`, search)}
      and (${before?.id ?? null}::uuid is null or (${CHANGED_AT}, r.id) < (${before?.changedAt ?? null}::timestamptz, ${before?.id ?? null}::uuid))
    order by ${CHANGED_AT} desc, r.id desc limit ${limit} offset ${offset}`
}

export function countOwnRfqs(db: Db, input: OwnRfqs) {
  return count(db)`
    select count(*)::int as count from rfqs r where ${own(input)}`
}

/** Tells every node that something about these requests is new. */
export function notifyRfqs(db: Db, ids: string[]) {
  return run(db)`select pg_notify('rfqs', id) from unnest(${ids}::text[]) as id`
}

/** How requests are doing: what is under way, and which of the agents they go to do not answer. */
export type RfqFacts = {
  inFlight: number
  oldestAt: Date | null
  agents: number
  unreachable: number
  /** Of the key that signs quotes; null before the first quote. */
  keySince: Date | null
}

/** Served by rfqs_in_flight; there is one integration an organization. */
export async function findRfqFacts(db: Db): Promise<RfqFacts> {
  const rows = await all<RfqFacts>(db)`
    select flight.count as "inFlight", flight.oldest as "oldestAt", agents.count as agents, agents.unreachable,
      (select created_at from signing_keys where retired_at is null) as "keySince"
    from (select count(*) as count, min(created_at) as oldest from rfqs where state = 'submitted') flight,
      (select count(*) as count, count(*) filter (where i.status = 'unreachable') as unreachable
       from agent_integrations i join orgs o on o.id = i.org_id
       where not i.is_managed and i.agent_card_url is not null and o.deactivated_at is null) agents`
  return rows[0] ?? { inFlight: 0, oldestAt: null, agents: 0, unreachable: 0, keySince: null }
}

/** What one request leaves may be a thousand rows and more, so a batch is of few requests. */
const ROWS_A_REQUEST = 50

/**
 * What producers were sent and answered, of the requests that ended first, along rfqs_with_attempts. A request is marked in
 * the statement that takes its attempts, so none is ever without both; one that another node is at is left to it.
 */
export async function deleteAttemptsOfEnded(db: Db, before: Date, rows: number): Promise<SweepBatch> {
  const most = Math.max(1, Math.floor(rows / ROWS_A_REQUEST))
  const counted = await all<{ requests: number; attempts: number }>(db)`
    with old as (
      select id from rfqs where finished_at < ${before} and not attempts_deleted
      order by finished_at limit ${most} for no key update skip locked),
    gone as (delete from rfq_attempts a using old where a.rfq_id = old.id returning 1),
    marked as (update rfqs r set attempts_deleted = true from old where r.id = old.id returning 1)
    select (select count(*)::int from marked) as requests, (select count(*)::int from gone) as attempts`
  const [{ requests, attempts } = { requests: 0, attempts: 0 }] = counted
  return { removed: attempts, more: requests >= most }
}

/** Requests that ended, with their choices, quotes and shares. */
export async function deleteEnded(db: Db, before: Date, rows: number): Promise<SweepBatch> {
  const most = Math.max(1, Math.floor(rows / ROWS_A_REQUEST))
  const { numAffectedRows } = await sql`
    delete from rfqs where id in (
      select id from rfqs where finished_at < ${before} order by finished_at limit ${most} for update skip locked)`.execute(
    db,
  )
  return batchOf(numAffectedRows, most)
}

/** With what sellers answered: a person's requests go with the account. */
export function deleteOwnRfqs(db: Db, userId: string) {
  return run(db)`delete from rfqs where user_id = ${userId}`
}

/** Strangers' requests that nobody quoted for, along rfqs_of_strangers. A quote is a promise, and keeps its request. */
export async function deleteUnquoted(db: Db, before: Date, rows: number): Promise<SweepBatch> {
  const { numAffectedRows } = await sql`
    delete from rfqs where id in (
      select r.id from rfqs r
      where r.anonymous and r.finished_at < ${before} and not exists (select 1 from rfq_quotes q where q.rfq_id = r.id)
      limit ${rows} for update skip locked)`.execute(db)
  return batchOf(numAffectedRows, rows)
}
