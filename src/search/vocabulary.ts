/**
 * What a catalog is called by, for understanding queries: names of brands and models, kept as products come and go, and
 * categories that hold products. Looking words up takes tables made of the categories, so that part is replaced,
 * and only when a category comes, goes or gets another label.
 */
import type { LexicalIndex } from './lexical/lexical-index.ts'
import {
  createKindTable,
  createNameTable,
  type ReadKind,
  readKind,
  type SavedKindTable,
  type SavedNames,
} from './understand/names.ts'
import type { Vocabulary } from './understand/understand.ts'

type Named = {
  title: string
  brand: string | null
  model: string | null
  mpn: string | null
  category: { slug: string }
}
type Categories = ReadonlyMap<string, { label: string; products: number }>

export type VocabularyKeeper = {
  current(): Vocabulary
  /** `kind` is what its title says. */
  add(product: Named, kind: ReadKind): void
  drop(product: Named): void
  categoriesChanged(): void
  setRates(rates: Readonly<Record<string, number>>): void
  save(): SavedVocabulary
}

export type SavedVocabulary = { brands: SavedNames; models: SavedNames; kinds: SavedKindTable }

export function createVocabularyKeeper(
  categories: Categories,
  words: LexicalIndex,
  saved?: SavedVocabulary,
): VocabularyKeeper {
  const brands = createNameTable([], saved?.brands)
  const models = createNameTable([], saved?.models)
  const kinds = createKindTable(saved?.kinds)
  let vocabulary: Vocabulary | null = null
  let rates: Vocabulary['rates']
  const documentShare = (word: string) => words.documents(word) / Math.max(1, words.size)
  const brandShare = (key: string) => brands.uses(key) / Math.max(1, words.size)
  return {
    current() {
      vocabulary ??= {
        brands,
        models,
        kinds,
        categories: labelled(categories),
        documentShare,
        brandShare,
        rates,
      }
      return vocabulary
    },
    add(product, kind) {
      const { brand, model, mpn } = product
      kinds.add(kind, product.category)
      if (brand) brands.add(brand)
      for (const name of [model, mpn]) if (name) models.add(name.toLowerCase())
    },
    drop(product) {
      const { title, brand, model, mpn, category } = product
      kinds.drop(readKind(title, [brand ?? '', model ?? '']), category)
      if (brand) brands.drop(brand)
      for (const name of [model, mpn]) if (name) models.drop(name.toLowerCase())
    },
    categoriesChanged() {
      vocabulary = null
    },
    setRates(given) {
      rates = given
      vocabulary = null
    },
    save: () => ({ brands: brands.save(), models: models.save(), kinds: kinds.save() }),
  }
}

function labelled(categories: Categories): Vocabulary['categories'] {
  return [...categories].flatMap(([slug, { label, products }]) =>
    products > 0 ? [{ slug, label, words: label.toLowerCase().split(/[^\p{L}\p{N}]+/u) }] : [],
  )
}
