/** Cutting a page from the order of results, however deep. */
import type { CatalogIndex } from './catalog-index.ts'
import type { RankQuery } from './rank/query.ts'

/**
 * A page of the ranked candidates, and after the last of them the other products by meaning: taken from the whole list
 * in one order, so that pages neither repeat nor skip.
 */
export function pageOf(
  index: CatalogIndex,
  query: RankQuery,
  cut: { order: Uint32Array; allowed: Uint8Array | undefined; offset: number; limit: number },
): number[] {
  const { order, allowed, offset, limit } = cut
  if (offset + limit <= order.length) return [...order.subarray(offset, offset + limit)]
  const listed = new Set(order)
  const tail: number[] = []
  const others = query.vector
    ? index.full.search(query.vector, index.slots, allowed).slots
    : liveSlots(index, allowed)
  for (const slot of others) if (!listed.has(slot)) tail.push(slot)
  return [...order, ...tail].slice(offset, offset + limit)
}

function liveSlots(index: CatalogIndex, allowed: Uint8Array | undefined): number[] {
  const slots: number[] = []
  for (let slot = 0; slot < index.slots; slot++)
    if (index.columns.alive[slot] === 1 && (!allowed || allowed[slot] === 1)) slots.push(slot)
  const reviews = (slot: number) => index.at(slot)?.reviewCount ?? 0
  const id = (slot: number) => index.at(slot)?.id ?? ''
  // Not by slot, which differs from node to node: the next page may come from another.
  return slots.sort((a, b) => reviews(b) - reviews(a) || (id(a) < id(b) ? -1 : 1))
}

export function tailSimilarity(index: CatalogIndex, { vector }: RankQuery, slot: number): number {
  if (!vector) return 0
  return Math.min(1, Math.max(0, index.full.score(vector, slot), index.short.score(vector, slot)))
}
