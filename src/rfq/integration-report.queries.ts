/** SQL of what a producer is told about its own agent: its last answers, and a product to try it with. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { AttemptVerdict } from './rfq.schema.ts'

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
export async function findLastAttempts(db: Db, orgId: string, limit: number): Promise<LastAttempt[]> {
  const { rows } = await sql<LastAttempt>`
    select r.session_id as "rfqId", c.slug || '/' || p.slug as "productSlug", a.started_at as "askedAt", a.verdict,
      a.response_ms as ms, a.response_status as status, a.reason
    from rfq_attempts a join rfqs r on r.id = a.rfq_id join products p on p.id = r.product_id
      join categories c on c.id = p.category_id
    where a.org_id = ${orgId} and a.verdict is not null
    order by a.started_at desc, a.rfq_id desc, a.try desc limit ${limit}`.execute(db)
  return rows
}

/** One that it sells or makes, rather one that can still be bought; the newest, which its people have in mind. */
export async function findProductToTry(db: Db, orgId: string): Promise<string | null> {
  const { rows } = await sql<{ slug: string }>`
    select c.slug || '/' || p.slug as slug
    from product_relationships r join shown_products p on p.id = r.product_id join categories c on c.id = p.category_id
    where r.org_id = ${orgId} and r.status = 'verified'
    order by p.discontinued, r.verified_at desc, r.id desc limit 1`.execute(db)
  return rows[0]?.slug ?? null
}

/** Tests of one organization are let in one after another, or two at once would both be the last allowed. */
export async function lockTests(tx: Db, orgId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`tests of the agent of ${orgId}`}, 0))`.execute(
    tx,
  )
}
