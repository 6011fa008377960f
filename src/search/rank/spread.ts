/**
 * Keeps near-duplicates apart: the same thing in five colours would fill a page and hide every alternative. A product
 * of the same brand that is nearly the same text as one placed just before waits behind its next neighbours.
 */
import type { CatalogIndex } from '../catalog-index.ts'

/** Only the first pages are looked at closely. */
const LOOKED_AT = 50
/** How many places a near-duplicate keeps its distance. */
const DISTANCE = 3
const NEARLY_THE_SAME = 0.97

/** `order` holds positions in `slots`; the same positions come back, each once. */
export function spreadOut(index: CatalogIndex, slots: Uint32Array, order: number[]): number[] {
  const vectors = new Map<number, Float32Array>()
  const vectorAt = (at: number) => {
    const known = vectors.get(at) ?? index.short.vector(slots[at] ?? 0)
    vectors.set(at, known)
    return known
  }
  const productAt = (at: number) => index.at(slots[at] ?? 0)
  const isDuplicate = (a: number, b: number) => {
    const brand = productAt(a)?.brand
    return (
      brand !== null && brand === productAt(b)?.brand && cosine(vectorAt(a), vectorAt(b)) > NEARLY_THE_SAME
    )
  }
  const waiting = order.slice(0, LOOKED_AT)
  const placed: number[] = []
  while (waiting.length > 0) {
    const recent = placed.slice(-DISTANCE)
    const next = waiting.findIndex((at) => !recent.some((before) => isDuplicate(at, before)))
    placed.push(...waiting.splice(Math.max(0, next), 1))
  }
  return [...placed, ...order.slice(LOOKED_AT)]
}

function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let dim = 0; dim < a.length; dim++) sum += (a[dim] ?? 0) * (b[dim] ?? 0)
  return sum
}
