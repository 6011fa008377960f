/**
 * One node's picture of the catalog for searching: the vectors, the words and the columns of every product under one
 * slot number. A changed product gets a new slot and its old one is never found again, so a search under way is never
 * disturbed. Kept in memory, rebuilt from the database at start, and fed from the log of changes.
 */
import type { ProductProfile } from '../catalog/profile.ts'
import { createLexicalIndex, type LexicalDoc, type LexicalIndex } from './lexical/lexical-index.ts'
import { createVectorIndex, type VectorIndex } from './vectors/vector-index.ts'

/** What ranking, filtering and showing a result need of a product. */
export type IndexedProduct = {
  id: string
  slug: string
  title: string
  category: { slug: string; label: string }
  brand: string | null
  model: string | null
  verdict: string | null
  bestFor: string[]
  notFor: string[]
  priceLowCents: number | null
  priceHighCents: number | null
  rating: number | null
  reviewCount: number | null
  released: string | null
  discontinued: boolean
}

export type ProductVectors = { full: Float32Array; short: Float32Array }

export type CatalogIndex = {
  /** Products that can be found. */
  readonly size: number
  /** Slots in use, those of replaced products included. */
  readonly slots: number
  readonly full: VectorIndex
  readonly short: VectorIndex
  readonly words: LexicalIndex
  put(profile: ProductProfile, vectors: ProductVectors | null): void
  remove(productId: string): void
  at(slot: number): IndexedProduct | null
  slotOf(productId: string): number | undefined
  findBySlug(slug: string): number | undefined
  /** Has this product been embedded? */
  hasVectors(slot: number): boolean
}

export function createCatalogIndex(dims: number): CatalogIndex {
  const full = createVectorIndex({ dims })
  const short = createVectorIndex({ dims })
  const words = createLexicalIndex()
  const products: Array<IndexedProduct | null> = []
  const embedded: boolean[] = []
  const byId = new Map<string, number>()
  const bySlug = new Map<string, number>()
  const nothing = new Float32Array(dims)

  function remove(productId: string): void {
    const slot = byId.get(productId)
    if (slot === undefined) return
    const product = products[slot]
    if (product && bySlug.get(product.slug) === slot) bySlug.delete(product.slug)
    byId.delete(productId)
    products[slot] = null
    full.remove(slot)
    short.remove(slot)
    words.remove(slot)
  }

  return {
    full,
    short,
    words,
    get size() {
      return byId.size
    },
    get slots() {
      return products.length
    },
    put(profile, vectors) {
      remove(profile.id)
      const slot = products.length
      full.add(vectors?.full ?? nothing)
      short.add(vectors?.short ?? nothing)
      words.add(lexicalDoc(profile))
      products.push(indexedProduct(profile))
      embedded.push(vectors !== null)
      byId.set(profile.id, slot)
      bySlug.set(profile.slug, slot)
    },
    remove,
    at: (slot) => products[slot] ?? null,
    slotOf: (productId) => byId.get(productId),
    findBySlug: (slug) => bySlug.get(slug),
    hasVectors: (slot) => embedded[slot] ?? false,
  }
}

function indexedProduct(profile: ProductProfile): IndexedProduct {
  return {
    id: profile.id,
    slug: profile.slug,
    title: profile.title,
    category: profile.category,
    brand: profile.brand?.name ?? null,
    model: profile.model,
    verdict: profile.verdict,
    bestFor: profile.bestFor,
    notFor: profile.notFor,
    priceLowCents: profile.priceLowCents,
    priceHighCents: profile.priceHighCents,
    rating: profile.rating,
    reviewCount: profile.reviewCount,
    released: profile.released,
    discontinued: profile.discontinued,
  }
}

function lexicalDoc(profile: ProductProfile): LexicalDoc {
  return {
    title: profile.title,
    brand: profile.brand?.name,
    model: [profile.model, profile.mpn, profile.gtin, profile.sku].filter(Boolean).join(' '),
    category: profile.category.label,
    specs: profile.specs.map(({ name, value }) => `${name} ${value}`).join('. '),
    themes: profile.themes.map(({ theme, summary }) => `${theme} ${summary ?? ''}`).join('. '),
    text: [profile.description, profile.verdict, profile.bestFor.join(', ')].filter(Boolean).join(' '),
  }
}
