/** Whether a candidate is the thing that the query names, a part of it, or something for it. */
import type { CatalogIndex, IndexedProduct } from '../catalog-index.ts'
import { standingOf } from '../kinds.ts'
import type { RankQuery } from './query.ts'

/** A variant that counts less is hardly the same thing. */
const SAME_THING = 0.5

type Kind = Record<'is' | 'part' | 'isFor' | 'dear', Float32Array>

export function readKind(index: CatalogIndex, query: RankQuery, products: IndexedProduct[]): Kind {
  const kind: Kind = {
    is: new Float32Array(products.length),
    part: new Float32Array(products.length),
    isFor: new Float32Array(products.length),
    dear: new Float32Array(products.length),
  }
  const asked = askedThing(index, query)
  if (asked.size === 0) return kind
  const prices: number[] = []
  for (const [at, { titleWords, priceLowCents }] of products.entries()) {
    const standing = standingOf(index.kinds, titleWords, asked)
    if (!standing) continue
    kind.is[at] = standing.is
    kind.part[at] = standing.part
    kind.isFor[at] = standing.isFor
    if (priceLowCents) prices.push(priceLowCents)
  }
  const usual = prices.sort((a, b) => a - b)[prices.length >> 1]
  if (usual)
    for (const [at, { priceLowCents }] of products.entries())
      if (priceLowCents) kind.dear[at] = Math.max(-1, Math.min(1, Math.log2(priceLowCents / usual) / 4))
  return kind
}

/** The last word of the query that titles know as a name, before it says what the thing is for. */
function askedThing(index: CatalogIndex, { terms, head }: RankQuery): Set<number> {
  const asked = new Set<number>()
  for (const { term, weight, group } of terms) {
    if (group !== head || weight < SAME_THING) continue
    const number = index.kinds.numberOf(term)
    if (number !== undefined) asked.add(number)
  }
  return asked
}
