/** SQL of requests for quote and their state; what producers were asked and answered is in attempts.queries. */
import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import type { RfqState, RfqsTable } from '../db/tables.rfq.ts'

type StoredRfq = Selectable<RfqsTable>
/** With its product's `<category>/<slug>` and title. */
export type RfqRow = StoredRfq & { product_slug: string; product_title: string }

const COLUMNS = sql`r.id, r.session_id, r.context_id, r.product_id, r.quantity, r.delivery_region, r.deadline_iso, r.face, r.user_id,
  r.client_id, r.message_id, r.asker_key, r.state, r.failure, r.created_at, r.finished_at, r.anonymous, r.pushes_sent,
  r.attempts_deleted`
const RFQ = sql`
  select ${COLUMNS}, c.slug || '/' || p.slug as product_slug, p.title as product_title
  from rfqs r join products p on p.id = r.product_id join categories c on c.id = p.category_id`

export type NewRfq = Omit<
  StoredRfq,
  'session_id' | 'state' | 'failure' | 'finished_at' | 'pushes_sent' | 'attempts_deleted'
>

/** Null when this asker's message made a request before. */
export async function insertRfq(db: Db, rfq: NewRfq): Promise<StoredRfq | null> {
  const { rows } = await sql<StoredRfq>`
    insert into rfqs as r (id, context_id, product_id, quantity, delivery_region, deadline_iso, face, user_id, client_id,
      message_id, asker_key, created_at, anonymous)
    values (${rfq.id}, ${rfq.context_id}, ${rfq.product_id}, ${rfq.quantity}, ${rfq.delivery_region}, ${rfq.deadline_iso},
      ${rfq.face}, ${rfq.user_id}, ${rfq.client_id}, ${rfq.message_id}, ${rfq.asker_key}, ${rfq.created_at},
      ${rfq.anonymous})
    on conflict (asker_key, message_id) where message_id is not null do nothing
    returning ${COLUMNS}`.execute(db)
  return rows[0] ?? null
}

/** From then on the same message makes a new request. */
export async function forgetMessage(
  db: Db,
  { askerKey, messageId, before }: { askerKey: string; messageId: string; before: Date },
): Promise<void> {
  await sql`
    update rfqs set asker_key = null, message_id = null
    where asker_key = ${askerKey} and message_id = ${messageId} and created_at < ${before}`.execute(db)
}

/** Of requests that nobody owns: a stranger's, or of an account that is gone. */
export async function forgetOldMessages(db: Db, before: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    update rfqs set asker_key = null, message_id = null
    where user_id is null and asker_key is not null and created_at < ${before}`.execute(db)
  return Number(numAffectedRows ?? 0)
}

export async function findRfq(db: Db, id: string): Promise<RfqRow | null> {
  const { rows } = await sql<RfqRow>`${RFQ} where r.id = ${id}`.execute(db)
  return rows[0] ?? null
}

export async function findRfqState(db: Db, id: string): Promise<RfqState | null> {
  const { rows } = await sql<{ state: RfqState }>`select state from rfqs where id = ${id}`.execute(db)
  return rows[0]?.state ?? null
}

export async function findRfqByMessage(db: Db, askerKey: string, messageId: string): Promise<RfqRow | null> {
  const { rows } = await sql<RfqRow>`
    ${RFQ} where r.asker_key = ${askerKey} and r.message_id = ${messageId}`.execute(db)
  return rows[0] ?? null
}

/** Held until the transaction ends, so that completing and cancelling do not both happen. */
export async function lockSubmitted(db: Db, id: string): Promise<RfqRow | null> {
  const { rows } = await sql<RfqRow>`
    ${RFQ} where r.id = ${id} and r.state = 'submitted' for no key update of r`.execute(db)
  return rows[0] ?? null
}

export type RfqEnd = { id: string; state: Exclude<RfqState, 'submitted'>; at: Date; failure?: string }

/** The state alone; see end.ts for all that belongs to it. False when it had ended already. */
export async function saveEnd(tx: Tx, { id, state, at, failure }: RfqEnd): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update rfqs set state = ${state}, finished_at = ${at}, failure = ${failure ?? null}
    where id = ${id} and state = 'submitted'`.execute(tx)
  return numAffectedRows === 1n
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
  input: OwnRfqs & { before: { changedAt: Date; id: string } | null; limit: number },
): Promise<RfqRow[]> {
  const { before, limit } = input
  const { rows } = await sql<RfqRow>`
    ${RFQ}
    where ${own(input)}
      and (${before?.id ?? null}::uuid is null or (${CHANGED_AT}, r.id) < (${before?.changedAt ?? null}::timestamptz, ${before?.id ?? null}::uuid))
    order by ${CHANGED_AT} desc, r.id desc limit ${limit}`.execute(db)
  return rows
}

export async function countOwnRfqs(db: Db, input: OwnRfqs): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from rfqs r where ${own(input)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Tells every node that something about this request is new. */
export async function notifyRfq(db: Db, id: string): Promise<void> {
  await notifyRfqs(db, [id])
}

export async function notifyRfqs(db: Db, ids: string[]): Promise<void> {
  await sql`select pg_notify('rfqs', id) from unnest(${ids}::text[]) as id`.execute(db)
}
