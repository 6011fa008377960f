/**
 * What a producer sees of the requests it received: what was asked, what it answered, byte for byte, what became of it
 * and why it lost. Only its own part: how many quoted is told, who and for how much is not.
 */

import type { ProductSlug } from '../catalog/relationships.schema.ts'
import { findProduct } from '../catalog/relationships.service.ts'
import type { Db } from '../db/database.ts'
import { AppError } from '../lib/errors.ts'
import { isUuid } from '../lib/ids.ts'
import { type Deed, requireProducer } from '../orgs/producer.ts'
import type { AttemptRow } from './attempts.queries.ts'
import { findAttempts, findReceivedRfqs, type Outcome, type ReceivedRfqRow } from './inspector.queries.ts'

export { OUTCOMES } from './inspector.queries.ts'
export type { Outcome, ReceivedRfqRow }

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
  return findReceivedRfqs(ctx.db, org.id, {
    id: null,
    productId: product?.id ?? null,
    since: input.since ?? null,
    outcome: input.outcome ?? null,
    beforeId: input.beforeId !== undefined && isUuid(input.beforeId) ? input.beforeId : null,
    limit: input.limit,
  })
}

/** A request this organization was not asked is not there. */
export async function getReceivedRfq(
  ctx: { db: Db },
  deed: Pick<Deed, 'caller'>,
  id: string,
): Promise<ReceivedRfqRow & { attempts: AttemptRow[] }> {
  const { org } = await requireProducer(ctx, deed.caller, 'read')
  const all = { productId: null, since: null, outcome: null, beforeId: null, limit: 1 }
  const [rfq] = isUuid(id) ? await findReceivedRfqs(ctx.db, org.id, { ...all, id }) : []
  if (!rfq) throw new AppError('not_found', 'there is no such request for quote', { code: 'not_found' })
  return { ...rfq, attempts: await findAttempts(ctx.db, id, org.id) }
}
