/**
 * The names a catalog knows, for understanding queries. Looking them up needs prepared tables of all of them, so they are
 * made from the index when a query asks and something has changed; at most once in a while, because a large catalog
 * has many names and a new brand may wait some seconds to be recognised as one (its words are found at once).
 */
import type { LexicalIndex } from './lexical/lexical-index.ts'
import type { Vocabulary } from './understand/understand.ts'

type Named = { brand: string | null; model: string | null; mpn: string | null } | null
type Source = {
  products: readonly Named[]
  categories: ReadonlyMap<string, { label: string; products: number }>
  words: LexicalIndex
}

const AT_MOST_EVERY_MS = 5_000

export function createVocabularyKeeper(source: () => Source): { current(): Vocabulary; changed(): void } {
  let vocabulary: Vocabulary | null = null
  let stale = true
  let madeAt = 0
  return {
    current() {
      if (vocabulary && (!stale || performance.now() - madeAt < AT_MOST_EVERY_MS)) return vocabulary
      vocabulary = makeVocabulary(source())
      stale = false
      madeAt = performance.now()
      return vocabulary
    },
    changed() {
      stale = true
    },
  }
}

function makeVocabulary({ products, categories, words }: Source): Vocabulary {
  const brands = new Map<string, string>()
  const models = new Set<string>()
  for (const product of products) {
    if (product?.brand) brands.set(product.brand.toLowerCase(), product.brand)
    for (const name of [product?.model, product?.mpn]) if (name) models.add(name.toLowerCase())
  }
  return {
    brands,
    models,
    categories: [...categories].flatMap(([slug, { label, products }]) =>
      products > 0 ? [{ slug, label, words: label.toLowerCase().split(/[^\p{L}\p{N}]+/u) }] : [],
    ),
    documentShare: (word) => words.documents(word) / Math.max(1, words.size),
  }
}
