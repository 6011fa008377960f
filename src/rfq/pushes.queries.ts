/** SQL of who wants to be told when a request for quote has ended. */
import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { all, changed, count, hasChanged, one, run, value } from '../db/rows.ts'
import type { RfqPushesTable, RfqState } from '../db/tables.ts'

type StoredPush = Selectable<RfqPushesTable>
/** `made` is when it was set, in microseconds: no two of one name have the same. */
export type PushRow = StoredPush & { made: number }

const PUSH = sql`*, (extract(epoch from created_at) * 1000000)::bigint as made`

/** Held until the transaction ends: the request does not end meanwhile, and no other push is added to it. */
export function lockRfqState(tx: Tx, rfqId: string) {
  return value<RfqState>(tx)`
    select state from rfqs where id = ${rfqId} for no key update`
}

/** Counts one more that is sent; false when that would be more than `max`. */
export function countSent(tx: Tx, { rfqId, max }: { rfqId: string; max: number }) {
  return hasChanged(tx)`
    update rfqs set pushes_sent = pushes_sent + 1 where id = ${rfqId} and pushes_sent < ${max}`
}

export function countOtherPushes(tx: Tx, { rfqId, id }: { rfqId: string; id: string }) {
  return count(tx)`
    select count(*)::int as count from rfq_pushes where rfq_id = ${rfqId} and id <> ${id}`
}

/** In place of the one of the same name. */
export async function savePush(tx: Tx, push: Omit<StoredPush, 'created_at'>): Promise<PushRow> {
  const rows = await all<PushRow>(tx)`
    insert into rfq_pushes (rfq_id, id, url, protocol, auth_scheme, secrets_box, created_at)
    values (${push.rfq_id}, ${push.id}, ${push.url}, ${push.protocol}, ${push.auth_scheme}, ${push.secrets_box},
      clock_timestamp())
    on conflict (rfq_id, id) do update set url = excluded.url, protocol = excluded.protocol,
      auth_scheme = excluded.auth_scheme, secrets_box = excluded.secrets_box, created_at = excluded.created_at
    returning ${PUSH}`
  const [saved] = rows
  if (!saved) throw new Error('a push notification was not stored')
  return saved
}

/** The oldest first. */
export function findPushes(db: Db, rfqId: string) {
  return all<PushRow>(db)`
    select ${PUSH} from rfq_pushes where rfq_id = ${rfqId} order by created_at, id`
}

export function findPush(db: Db, { rfqId, id }: { rfqId: string; id: string }) {
  return one<PushRow>(db)`
    select ${PUSH} from rfq_pushes where rfq_id = ${rfqId} and id = ${id}`
}

export function removePush(db: Db, { rfqId, id }: { rfqId: string; id: string }) {
  return run(db)`delete from rfq_pushes where rfq_id = ${rfqId} and id = ${id}`
}

/** All there is to know of where to send and with what, of requests that ended before. */
export function deletePushesOfEnded(db: Db, before: Date) {
  return changed(db)`
    delete from rfq_pushes p using rfqs r where r.id = p.rfq_id and r.finished_at < ${before}`
}
