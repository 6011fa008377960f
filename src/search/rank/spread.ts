/**
 * Keeps near-duplicates apart: the same thing in five colours would fill a page and hide every alternative. A product
 * of the same brand that is nearly the same text as one placed just before waits behind its next neighbours.
 */
import type { CatalogIndex } from '../catalog-index.ts'
import { andThen, type MaybePromise } from '../vectors/meaning-index.ts'

/** Only the first pages are looked at closely. */
const LOOKED_AT = 50
/** How many places a near-duplicate keeps its distance. */
const DISTANCE = 3
const NEARLY_THE_SAME = 0.97

/** `order` holds positions in `slots`; the same positions come back, each once. */
export function spreadOut(index: CatalogIndex, slots: Uint32Array, order: number[]): MaybePromise<number[]> {
  const waiting = order.slice(0, LOOKED_AT)
  const slotAt = (at: number) => slots[at] as number
  const brandOf = (slot: number) => index.at(slot)?.brand ?? null
  return andThen(index.meaning.likeness(waiting.map(slotAt), brandOf, NEARLY_THE_SAME), (isLike) => {
    const isDuplicate = (a: number, b: number) => {
      const brand = brandOf(slotAt(a))
      return brand !== null && brand === brandOf(slotAt(b)) && isLike(slotAt(a), slotAt(b))
    }
    const placed: number[] = []
    while (waiting.length > 0) {
      const recent = placed.slice(-DISTANCE)
      const next = waiting.findIndex((at) => !recent.some((before) => isDuplicate(at, before)))
      placed.push(...waiting.splice(Math.max(0, next), 1))
    }
    return [...placed, ...order.slice(LOOKED_AT)]
  })
}
