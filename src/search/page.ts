/** Cutting a page from the order of results, however deep. */
import type { CatalogIndex } from './catalog-index.ts'
import type { RankQuery } from './rank/query.ts'
import { andThen, type MaybePromise } from './vectors/meaning-index.ts'

/**
 * A page of the ranked candidates, and after the last of them the other products by meaning: taken from the whole list
 * in one order, so that pages neither repeat nor skip.
 */
export function pageOf(
  index: CatalogIndex,
  query: RankQuery,
  cut: {
    order: Uint32Array
    allowed: Uint8Array | undefined
    offset: number
    limit: number
    /** Nothing comes after the order. */
    whole: boolean
  },
): MaybePromise<number[]> {
  const { order, allowed, offset, limit, whole } = cut
  if (whole || offset + limit <= order.length) return [...order.subarray(offset, offset + limit)]
  // Of the nearest, as many as are listed already may fall away.
  const enough = Math.min(index.slots, offset + limit + order.length)
  const others = query.vector
    ? index.meaning.inOrder(query.vector, enough, allowed)
    : liveSlots(index, allowed)
  return andThen<Iterable<number>, number[]>(others, (nearest) => {
    const listed = new Set(order)
    const tail: number[] = []
    for (const slot of nearest) if (!listed.has(slot)) tail.push(slot)
    return [...order, ...tail].slice(offset, offset + limit)
  })
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

/** 0 to 1, of those that come behind the candidates. */
export function tailSimilarity(
  index: CatalogIndex,
  { vector }: RankQuery,
  slots: readonly number[],
): MaybePromise<Map<number, number>> {
  if (!vector || slots.length === 0) return new Map()
  return andThen(
    index.meaning.cosines(vector, Uint32Array.from(slots)),
    ({ full, short }) =>
      new Map(slots.map((slot, at) => [slot, Math.min(1, Math.max(0, full[at] ?? 0, short[at] ?? 0))])),
  )
}
