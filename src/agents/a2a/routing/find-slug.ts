/** Products called by their slug or their address, which no other reading may touch. */
import type { CatalogIndex, IndexedProduct } from '../../../search/catalog-index.ts'
import { type Range, sliceRange } from '../../../search/understand/tokens.ts'
import type { Message } from './message.ts'

export type Named = {
  product: IndexedProduct
  /** From the first to the last word that names it. */
  span: Range
  score: number
  /** The brand with a word of the model, a slug, a part number: nothing else can be meant. */
  sure: boolean
}
/** Of one message; more is not a conversation about one purchase. */
export const MOST_NAMED = 12

/** Runs of characters that could be a slug, an address or a part number. */
export function findExact(index: CatalogIndex, { text, tokens, taken }: Message): Named[] {
  const named: Named[] = []
  for (let from = 0; from < tokens.length && named.length < MOST_NAMED; from++) {
    if (taken[from]) continue
    let to = from + 1
    while (to < tokens.length && tokens[to]?.glued) to++
    const run = sliceRange(text, tokens, { from, to })
    const slot = slotOfSlug(index, run)
    const product = slot === undefined ? null : index.at(slot)
    if (product && !named.some((known) => known.product.id === product.id))
      named.push({ product, span: { from, to }, score: 100, sure: true })
    from = to - 1
  }
  return named
}

/** "tents/tarnhollow-skein-2", "https://…/p/tents/tarnhollow-skein-2.json?x=1", "slug=tarnhollow-skein-2," */
function slotOfSlug(index: CatalogIndex, run: string): number | undefined {
  for (const part of run.toLowerCase().split(/[^a-z0-9/_.-]+/)) {
    const path = part.replace(/[.,]+$/, '').replace(/\.(json|md|html|jsonld)$/, '')
    const [category, slug] = path.split('/').filter(Boolean).slice(-2)
    const slot = index.findBySlug(slug ?? category ?? '')
    if (slot !== undefined) return slot
  }
  return undefined
}
