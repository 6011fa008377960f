/**
 * What an index needs of a product, read from its texts once: the words of its fields, its facts, what its title says and
 * what it measures. An index in memory numbers it, the tables of SOUK_SEARCH=postgres keep it as it is, and a thread
 * that fills an index sends it, so it is plain data.
 */
import type { IndexedTexts } from '../catalog/profile.ts'
import { lacksOf } from './absence.ts'
import { type ReadTitle, readTitle } from './kinds.ts'
import { type CountedWords, createWordCounter, type LexicalDoc } from './lexical/document.ts'
import { stemsOf } from './lexical/tokenize.ts'
import { type ReadMeasures, readSource } from './measures/measure-table.ts'
import type { Facts } from './product-store.ts'
import { shortSpecsOf } from './short-specs.ts'
import { type ReadKind, readKind } from './understand/names.ts'
import { numbersOf, optionWords, type ReadVariants, readVariants } from './variant-match.ts'

export type ReadProduct = {
  facts: PlainFacts
  category: { slug: string; label: string }
  listed: boolean
  /** In milliseconds. */
  updated: number
  words: CountedWords
  title: ReadTitle
  kind: ReadKind
  measures: ReadMeasures
  variants: ReadVariants | null
}

/** What is the same whatever numbers an index gives to words. */
export type PlainFacts = Omit<Facts, 'titleWords' | 'measures' | 'variants'>

/** Products of one reader share a list of words: one for each page of the catalog. */
export function createProductReader(): (product: IndexedTexts) => ReadProduct {
  const countWords = createWordCounter()
  return (product) => {
    const brand = product.brand?.name ?? null
    return {
      facts: factsOf(product),
      category: product.category,
      listed: product.whereToBuy.length > 0,
      updated: product.updatedAt.getTime(),
      words: countWords(lexicalDoc(product)),
      title: readTitle(product.title, brand),
      kind: readKind(product.title, [brand ?? '', product.model ?? '']),
      measures: readSource(product),
      variants: readVariants(product),
    }
  }
}

function factsOf(product: IndexedTexts): PlainFacts {
  return {
    id: product.id,
    slug: product.slug,
    title: product.title,
    brand: product.brand?.name ?? null,
    model: product.model,
    mpn: product.mpn,
    verdict: product.verdict,
    bestFor: product.bestFor,
    priceLowCents: product.priceLowCents,
    priceHighCents: product.priceHighCents,
    rating: product.rating,
    reviewCount: product.reviewCount,
    released: product.released,
    discontinued: product.discontinued,
    lacks: lacksOf(product),
    notFor: stemsOf(product.notFor.join(' ')),
    shortSpecs: shortSpecsOf(product.specs),
  }
}

export function lexicalDoc(product: IndexedTexts): LexicalDoc {
  const { variants, gtin, sku } = product
  const options = optionWords(product)
  const names = new Set(options.map(({ name }) => name))
  const specs = [...product.specs.filter(({ name }) => !names.has(name)), ...options]
  return {
    title: product.title,
    brand: product.brand?.name,
    model: [product.model, product.mpn, gtin, sku, ...numbersOf(variants)].filter(Boolean).join(' '),
    category: [product.category.label],
    specs: specs.map(({ name, value }) => `${name} ${value}`),
    themes: product.themes.map(({ theme, summary }) => `${theme} ${summary ?? ''}`).join('. '),
    text: [product.description, product.verdict, product.bestFor.join(', ')].filter(Boolean).join(' '),
  }
}
