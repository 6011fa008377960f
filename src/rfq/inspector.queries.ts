/**
 * SQL of what one producer may see of requests: its own attempts and its own quote, never a competitor's. First the page
 * is found, by when the request reached the producer (its first try, rfq_attempts_by_org), so that a page costs what is
 * on it and before it however many there are; then what is told of each is read for the page alone. Ids that come in and
 * go out are those of sessions: the id of a buyer's task stays in here.
 */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { holds } from '../db/like.ts'
import { all, one, run, value } from '../db/rows.ts'
import type { ChosenVariant, RfqState } from '../db/tables.ts'
import type { AttemptRow } from './attempts.queries.ts'
import type { Loss } from './quote.schema.ts'
import type { AttemptVerdict } from './verdicts.ts'

/** `won`: the buyer chose it. `first`: ranked first, and nothing is chosen yet. */
export const OUTCOMES = ['won', 'first', 'lost', 'declined', 'failed', 'waiting', 'canceled'] as const
export type Outcome = (typeof OUTCOMES)[number]

export type ReceivedRfqRow = {
  /** Of its session. */
  id: string
  productSlug: string
  productTitle: string
  quantity: number
  deliveryRegion: string | null
  deadlineIso: string | null
  /** The one that was asked for, as it was then; null for any. */
  variant: ChosenVariant | null
  state: RfqState
  askedAt: Date
  kind: AttemptRow['kind']
  tries: number
  verdict: string | null
  reason: string | null
  responseMs: number | null
  answer: Record<string, unknown> | null
  rank: number | null
  quotes: number
  lossReason: string | null
  loss: Loss | null
  /** Whose quote the buyer chose; null while nothing is chosen. */
  choice: 'yours' | 'another' | null
  clicks: number
  outcome: Outcome
}

type RfqFilter = {
  productId: string | null
  since: Date | null
  outcome: Outcome | null
  beforeId: string | null
  /** What the product's name holds, or the id of a request. */
  search: string | null
}

type ReceivedPage = {
  ids: string[]
  /** Of all that match, but no more than was asked to be counted. */
  counted: number
  /** Among how many they were looked for. */
  looked: number
}

type Span = {
  limit: number
  offset?: number
  countTo?: number
  /** What became of a request is known only when it is looked at; null: however many there are. */
  lookAt?: number | null
}

/** Newest first. */
export async function findReceivedPage(
  db: Db,
  orgId: string,
  filter: RfqFilter,
  { limit, offset = 0, countTo = 0, lookAt = null }: Span,
): Promise<ReceivedPage> {
  const { outcome } = filter
  const most = Math.max(countTo, offset + limit)
  const rows = await all<ReceivedPage>(db)`
    with looked as materialized (${reached(orgId, filter)} limit ${outcome === null ? most : lookAt}),
      matching as materialized (${outcome === null ? sql`select id, session_id, at from looked` : endedAs(orgId, outcome, most)})
    select array(select session_id from matching order by at desc, id desc limit ${limit} offset ${offset}) as ids,
      (select count(*)::int from matching) as counted, (select count(*)::int from looked) as looked`
  return rows[0] ?? { ids: [], counted: 0, looked: 0 }
}

/** A request is recorded by one node and sent by another, whose clock may be behind. */
const CLOCKS_APART = '1 hour'

/** Every producer that is asked has a first try, whatever follows it. */
function reached(orgId: string, { productId, since, beforeId, search }: RfqFilter) {
  return sql`
    select f.rfq_id as id, r.session_id, f.started_at as at, r.state, r.chosen_quote_id
    from rfq_attempts f join rfqs r on r.id = f.rfq_id
    where f.org_id = ${orgId} and f.try = 1
      and (${productId}::uuid is null or r.product_id = ${productId})
      and (${search}::text is null or r.session_id::text = lower(${search})
        or exists (select 1 from products p where p.id = r.product_id and ${holds(sql`p.title || ' ' || p.slug`, search)}))
      and (${since}::timestamptz is null
        or (r.created_at >= ${since} and f.started_at >= ${since}::timestamptz - ${CLOCKS_APART}::interval))
      and (${beforeId}::uuid is null or (f.started_at, f.rfq_id) < (
        select b.started_at, b.rfq_id from rfq_attempts b join rfqs s on s.id = b.rfq_id
        where s.session_id = ${beforeId} and b.org_id = ${orgId} and b.try = 1))
    order by f.started_at desc, f.rfq_id desc`
}

function endedAs(orgId: string, outcome: Outcome, most: number) {
  return sql`
    select r.id, r.session_id, r.at from looked r ${ownPart(orgId)}
    where ${OUTCOME} = ${outcome} order by r.at desc, r.id desc limit ${most}`
}

/** The last try is the one that counts. */
function ownPart(orgId: string) {
  return sql`
    join rfq_attempts a on a.rfq_id = r.id and a.org_id = ${orgId} and not exists (
      select 1 from rfq_attempts later
      where later.rfq_id = a.rfq_id and later.org_id = ${orgId} and later.try > a.try)
    left join rfq_quotes q on q.rfq_id = r.id and q.org_id = ${orgId}`
}

const OUTCOME = sql`
  case when q.id = r.chosen_quote_id then 'won'
    when q.rank is not null and q.loss_reason is null and r.chosen_quote_id is null then 'first'
    when q.rank is not null then 'lost'
    when r.state = 'canceled' or a.verdict = 'canceled' then 'canceled'
    when a.verdict in ('declined', 'not_delivered') then 'declined'
    when a.verdict is null or r.state = 'submitted' then 'waiting' else 'failed' end`

/** In the order of the ids; what the organization was not asked is left out. */
export async function findReceivedRfqs(
  db: Db,
  orgId: string,
  ids: readonly string[],
): Promise<ReceivedRfqRow[]> {
  if (ids.length === 0) return []
  return all<ReceivedRfqRow>(db)`
    select r.session_id as id, c.slug || '/' || p.slug as "productSlug", p.title as "productTitle", r.quantity,
      r.delivery_region as "deliveryRegion", r.deadline_iso as "deadlineIso", r.variant, r.state, r.created_at as "askedAt",
      a.kind, a.try as tries, a.verdict, a.reason, a.response_ms as "responseMs", q.answer, q.rank,
      (select count(*)::int from rfq_quotes every where every.rfq_id = r.id) as quotes, q.loss_reason as "lossReason", q.loss,
      case when q.id = r.chosen_quote_id then 'yours' when r.chosen_quote_id is not null then 'another' end as choice,
      (select count(*)::int from link_clicks l where l.link_id = q.id) as clicks, ${OUTCOME} as outcome
    from unnest(${ids}::uuid[]) with ordinality as page (id, place) join rfqs r on r.session_id = page.id
      join products p on p.id = r.product_id join categories c on c.id = p.category_id ${ownPart(orgId)}
    order by page.place`
}

/** Without `limited`, which is not for every member. */
export type OwnAttemptRow = Omit<AttemptRow, 'rfq_id' | 'org_id' | 'limited'>

export function findAttempts(db: Db, sessionId: string, orgId: string) {
  return all<OwnAttemptRow>(db)`
    select a.try, a.kind, a.endpoint, a.auth_type, a.request_headers, a.request_body, a.started_at, a.finished_at,
      a.response_status, a.response_headers, a.response_body, a.response_ms, a.verdict, a.reason
    from rfq_attempts a join rfqs r on r.id = a.rfq_id
    where r.session_id = ${sessionId} and a.org_id = ${orgId} order by a.try`
}

/** Whether a limit of managed pricing raised the quote or stopped it: for owners and admins alone. */
export async function findLimited(db: Db, sessionId: string, orgId: string): Promise<boolean> {
  const rows = await all<{ limited: boolean | null }>(db)`
    select bool_or(a.limited) as limited from rfq_attempts a join rfqs r on r.id = a.rfq_id
    where r.session_id = ${sessionId} and a.org_id = ${orgId}`
  return rows[0]?.limited ?? false
}

/** The task behind a session, for waiting on it; not to be told to its sellers. */
export function findTaskId(db: Db, sessionId: string) {
  return value<string>(db)`
    select id from rfqs where session_id = ${sessionId}`
}

type OwnQuoteRow = {
  /** As the buyer has it; null until the request is complete. */
  quote: Record<string, unknown> | null
  health: Record<string, unknown>
  verified: boolean
}

export function findOwnQuote(db: Db, sessionId: string, orgId: string) {
  return one<OwnQuoteRow>(db)`
    select q.quote, q.health, o.verification_status = 'verified' as verified
    from rfq_quotes q join rfqs r on r.id = q.rfq_id join orgs o on o.id = q.org_id
    where r.session_id = ${sessionId} and q.org_id = ${orgId}`
}

export type LastAttempt = {
  rfqId: string
  productSlug: string
  askedAt: Date
  verdict: AttemptVerdict
  ms: number | null
  status: number | null
  reason: string | null
}

/** Newest first, by rfq_attempts_by_org; those still under way are left out. */
export function findLastAttempts(db: Db, orgId: string, limit: number) {
  return all<LastAttempt>(db)`
    select r.session_id as "rfqId", c.slug || '/' || p.slug as "productSlug", a.started_at as "askedAt", a.verdict,
      a.response_ms as ms, a.response_status as status, a.reason
    from rfq_attempts a join rfqs r on r.id = a.rfq_id join products p on p.id = r.product_id
      join categories c on c.id = p.category_id
    where a.org_id = ${orgId} and a.verdict is not null
    order by a.started_at desc, a.rfq_id desc, a.try desc limit ${limit}`
}

/** One that it sells or makes, rather one that can still be bought; the newest, which its people have in mind. */
export function findProductToTry(db: Db, orgId: string) {
  return value<string>(db)`
    select c.slug || '/' || p.slug as slug
    from product_relationships r join shown_products p on p.id = r.product_id join categories c on c.id = p.category_id
    where r.org_id = ${orgId} and r.status = 'verified'
    order by p.discontinued, r.verified_at desc, r.id desc limit 1`
}

/** Tests of one organization are let in one after another, or two at once would both be the last allowed. */
export function lockTests(tx: Db, orgId: string) {
  return run(tx)`select pg_advisory_xact_lock(hashtextextended(${`tests of the agent of ${orgId}`}, 0))`
}
