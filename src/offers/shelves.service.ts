/**
 * A product's shelf: the offers the public sees now or will see when their time comes. Every write that alters a shelf
 * appends to the log of changes in its own transaction, so that each node and "what changed" learn of it; a write that
 * alters none, such as an edit of a draft, appends nothing. Time itself writes nothing: nodes know the windows.
 */
import { isDeepStrictEqual } from 'node:util'
import { recordChanges } from '../catalog/changes.service.ts'
import type { RelationshipHooks } from '../catalog/relationships.service.ts'
import { relatedProducts, takeTurn } from '../catalog/relationships.service.ts'
import type { Db } from '../db/database.ts'
import { centsToDollars } from '../lib/money.ts'
import { pauseActive } from './offers.queries.ts'
import {
  findLastRecorded,
  findProductCategories,
  findPromotedProducts,
  findShelved,
  type ShelvedOffer,
} from './shelves.queries.ts'

type ShelfView = { offers: number; upcoming: number; best_price_usd: number | null }

/** Runs a write that may alter the shelves of these products, and records it if it did. */
export async function alteringShelves<T>(
  tx: Db,
  { productIds, at }: { productIds: string[]; at: Date },
  write: () => Promise<T>,
): Promise<T> {
  const before = byProduct(await findShelved(tx, productIds, at))
  const result = await write()
  const after = byProduct(await findShelved(tx, productIds, at))
  const altered = productIds.filter((id) => !isDeepStrictEqual(before(id), after(id)))
  await record(tx, altered, at, {
    before: (id) => viewOf(before(id), at),
    after: (id) => viewOf(after(id), at),
  })
  return result
}

/**
 * The organization's name, verification or being active changed: every product with an offer of it is told of. What was
 * shown before is what the log said last, because the change has happened already.
 */
export async function recordSellerChange(tx: Db, { orgId, at }: { orgId: string; at: Date }): Promise<void> {
  await takeTurn(tx, orgId)
  const productIds = await findPromotedProducts(tx, orgId, at)
  if (productIds.length === 0) return
  const shelf = byProduct(await findShelved(tx, productIds, at))
  const recorded = await findLastRecorded(tx, productIds)
  await record(tx, productIds, at, {
    before: (id) => recorded.get(id) ?? viewOf([], at),
    after: (id) => viewOf(shelf(id), at),
  })
}

/** A relationship begins or ends: with the last verified one, the organization's offers of the product are paused. */
export const OFFER_RELATIONSHIP_HOOKS: RelationshipHooks = {
  changing: (tx, { orgId, productIds, at }, write) =>
    alteringShelves(tx, { productIds, at }, async () => {
      const before = await relatedProducts({ db: tx }, { orgId, productIds })
      const result = await write()
      const after = await relatedProducts({ db: tx }, { orgId, productIds })
      const ended = [...before].filter((id) => !after.has(id))
      if (ended.length > 0) await pauseActive(tx, { orgId, productIds: ended, at })
      return result
    }),
}

async function record(
  tx: Db,
  productIds: string[],
  at: Date,
  view: { before(id: string): unknown; after(id: string): unknown },
): Promise<void> {
  if (productIds.length === 0) return
  const categories = await findProductCategories(tx, productIds)
  const changes = productIds.map((productId) => ({
    productId,
    categoryId: categories.get(productId) ?? null,
    aspect: 'offers' as const,
    before: view.before(productId),
    after: view.after(productId),
  }))
  await recordChanges(tx, changes, at)
}

function byProduct(offers: ShelvedOffer[]): (productId: string) => ShelvedOffer[] {
  const shelves = Map.groupBy(offers, ({ productId }) => productId)
  return (productId) => shelves.get(productId) ?? []
}

/** Money in the log of changes is in dollars, because the log is read at the edge. */
function viewOf(shelf: ShelvedOffer[], at: Date): ShelfView {
  const live = shelf.filter(({ startsAt }) => startsAt === null || startsAt <= at)
  const prices = live.flatMap(({ priceCents }) => (priceCents === null ? [] : [priceCents]))
  return {
    offers: live.length,
    upcoming: shelf.length - live.length,
    best_price_usd: prices.length === 0 ? null : centsToDollars(Math.min(...prices)),
  }
}
