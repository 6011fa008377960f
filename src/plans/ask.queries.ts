/** SQL of the requests for quote that were made for plans. */
import type { Db, Tx } from '../db/database.ts'
import { all, run } from '../db/rows.ts'
import type { RfqState } from '../db/tables.ts'

export type PlanRequest = {
  rfqId: string
  line: string
  productId: string
  quantity: number
  createdAt: Date
  state: RfqState
  deliveryRegion: string | null
}

export function insertPlanRequest(
  tx: Tx,
  {
    planId,
    rfqId,
    line,
    productId,
    quantity,
    at,
  }: Omit<PlanRequest, 'state' | 'deliveryRegion' | 'createdAt'> & {
    planId: string
    at: Date
  },
): Promise<void> {
  return run(tx)`
    insert into plan_requests (plan_id, rfq_id, line, product_id, quantity, created_at)
    values (${planId}, ${rfqId}, ${line}, ${productId}, ${quantity}, ${at})`
}

/** The last one of each line, product, quantity and place. */
export function findPlanRequests(db: Db, planId: string): Promise<PlanRequest[]> {
  return all<PlanRequest>(db)`
    select distinct on (p.line, p.product_id, p.quantity, r.delivery_region)
      p.rfq_id as "rfqId", p.line, p.product_id as "productId", p.quantity, p.created_at as "createdAt", r.state,
      r.delivery_region as "deliveryRegion"
    from plan_requests p join rfqs r on r.id = p.rfq_id where p.plan_id = ${planId}
    order by p.line, p.product_id, p.quantity, r.delivery_region, p.created_at desc, p.rfq_id desc`
}
