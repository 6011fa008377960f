/**
 * What a producer sees of the requests it received: what was asked, what it answered, byte for byte, what became of it
 * and why it lost. Only its own part: how many quoted is told, who and for how much is not.
 */

import type { ProductSlug } from '../catalog/relationships.schema.ts'
import { findProduct } from '../catalog/relationships.service.ts'
import type { Db } from '../db/database.ts'
import { withinTime } from '../db/within-time.ts'
import { AppError } from '../lib/errors.ts'
import { isUuid } from '../lib/ids.ts'
import { type Deed, requireProducer } from '../orgs/producer.ts'
import {
  findAttempts,
  findReceivedPage,
  findReceivedRfqs,
  type Outcome,
  type OwnAttemptRow,
  type ReceivedRfqRow,
} from './inspector.queries.ts'

export { OUTCOMES } from './inspector.queries.ts'
export type { Outcome, OwnAttemptRow, ReceivedRfqRow }

/** Nobody needs to know how many more there are, and each costs. */
export const COUNTED_TO = 1_000
/** For those that ended in one way; as far as pages go. */
export const LOOKED_AT = 10_000
const TOO_LONG = { message: 'this takes too long; ask for those since a later day', field: 'since' }

export type ListReceived = {
  since?: Date
  productSlug?: ProductSlug
  outcome?: Outcome
  limit: number
  beforeId?: string
}

export async function listReceivedRfqs(
  ctx: { db: Db },
  deed: Pick<Deed, 'caller'>,
  input: ListReceived,
): Promise<ReceivedRfqRow[]> {
  const { org } = await requireProducer(ctx, deed.caller, 'read')
  const product = input.productSlug && (await findProduct(ctx, input.productSlug))
  if (input.productSlug && !product) return []
  const filter = {
    productId: product?.id ?? null,
    since: input.since ?? null,
    outcome: input.outcome ?? null,
    beforeId: input.beforeId !== undefined && isUuid(input.beforeId) ? input.beforeId : null,
  }
  return withinTime(ctx.db, TOO_LONG, async (tx) => {
    const { ids } = await findReceivedPage(tx, org.id, filter, { limit: input.limit })
    return findReceivedRfqs(tx, org.id, ids)
  })
}

export type ReceivedPage = {
  rfqs: ReceivedRfqRow[]
  /** At most COUNTED_TO. */
  total: number
  /** There are more than `total`, or may be, because not all were looked at. */
  capped: boolean
  /** More follow these. */
  more: boolean
}

/** By page, with how many there are. A product that does not exist is a slip, and said so. */
export async function pageReceivedRfqs(
  ctx: { db: Db },
  deed: Pick<Deed, 'caller'>,
  input: Omit<ListReceived, 'beforeId'> & { offset: number },
): Promise<ReceivedPage> {
  const { org } = await requireProducer(ctx, deed.caller, 'read')
  const product = input.productSlug ? await findProduct(ctx, input.productSlug) : null
  if (input.productSlug && !product)
    throw new AppError('not_found', 'there is no such product', { code: 'not_found', field: 'product_slug' })
  const filter = {
    productId: product?.id ?? null,
    since: input.since ?? null,
    outcome: input.outcome ?? null,
    beforeId: null,
  }
  const { limit, offset } = input
  return withinTime(ctx.db, TOO_LONG, async (tx) => {
    // One more of each, to know whether there are more.
    const span = { limit: limit + 1, offset, countTo: COUNTED_TO + 1, lookAt: LOOKED_AT }
    const { ids, counted, looked } = await findReceivedPage(tx, org.id, filter, span)
    return {
      rfqs: await findReceivedRfqs(tx, org.id, ids.slice(0, limit)),
      total: Math.min(counted, COUNTED_TO),
      capped: counted > COUNTED_TO || (filter.outcome !== null && looked >= LOOKED_AT),
      more: ids.length > limit,
    }
  })
}

/** By its session; a request this organization was not asked is not there. */
export async function getReceivedRfq(
  ctx: { db: Db },
  deed: Pick<Deed, 'caller'>,
  id: string,
): Promise<ReceivedRfqRow & { attempts: OwnAttemptRow[] }> {
  const { org } = await requireProducer(ctx, deed.caller, 'read')
  const [rfq] = isUuid(id) ? await findReceivedRfqs(ctx.db, org.id, [id]) : []
  if (!rfq) throw new AppError('not_found', 'there is no such request for quote', { code: 'not_found' })
  return { ...rfq, attempts: await findAttempts(ctx.db, id, org.id) }
}
