/**
 * What each category is about, drawn from its products: the mean of their short vectors, also with what all categories have in
 * common taken away, since that part says nothing of any. Made once for a state of the index. A sample is enough for a mean,
 * so a large catalog costs no more than its number of categories.
 */
import type { CatalogIndex } from '../search/catalog-index.ts'
import { termOf } from '../search/understand/names.ts'
import { andThen, type MaybePromise } from '../search/vectors/meaning-index.ts'
import { meanOf } from '../search/vectors/memory-meaning.ts'
import { EMPTY_HEADS, wordsOf } from './wish-words.ts'

export type CategoryPicture = {
  slug: string
  label: string
  /** The number by which the index's columns name it. */
  number: number
  /** Stem of the last word of its label; categories that share it stand in for each other. */
  head: string
  mean: Float32Array
  /** Of length 1: what sets it apart. */
  own: Float32Array
  /** By a category's number: the share of its products whose texts speak of this one. Looked up when first asked for. */
  spokenOfBy(): ReadonlyMap<number, number>
}

const SAMPLE = 64

const known = new WeakMap<CatalogIndex, { version: number; pictures: MaybePromise<CategoryPicture[]> }>()

/** At once when the vectors are in this process. */
export function categoryPictures(index: CatalogIndex): MaybePromise<CategoryPicture[]> {
  const last = known.get(index)
  if (last?.version === index.version) return last.pictures
  const { version } = index
  const pictures = drawPictures(index)
  known.set(index, { version, pictures })
  // A failure is no picture: the next asker tries again.
  if (pictures instanceof Promise) pictures.catch(() => known.delete(index))
  return pictures
}

/** Without what only vectors tell. */
export function plainPictures(index: CatalogIndex): CategoryPicture[] {
  return picturesOf(index, index.categories(), [])
}

function drawPictures(index: CatalogIndex): MaybePromise<CategoryPicture[]> {
  const categories = index.categories()
  const samples = sampleSlots(index)
  const groups = categories.map(({ slug }) => samples.get(index.categoryNumber(slug) ?? -1) ?? [])
  return andThen(index.meaning.means(groups), (means) => picturesOf(index, categories, means))
}

function picturesOf(
  index: CatalogIndex,
  categories: ReadonlyArray<{ slug: string; label: string }>,
  means: readonly Float32Array[],
): CategoryPicture[] {
  const { dims } = index.meaning
  const heads = categories.map(({ label }) => headOf(label))
  const common = meanOf(means, dims)
  const sizes = productsByCategory(index)
  return categories.map(({ slug, label }, at) => {
    const stems = stemsOfLabel(label)
    const head = heads[at] ?? ''
    const shared = heads.filter((other) => other === head).length > 1
    const mean = means[at] ?? new Float32Array(dims)
    const terms = EMPTY_HEADS.has(head) || (shared && stems.length > 1) ? stems : [head]
    let spoken: ReadonlyMap<number, number> | null = null
    return {
      slug,
      label,
      number: index.categoryNumber(slug) ?? -1,
      spokenOfBy: () => (spoken ??= sharesSpeakingOf(index, terms, sizes)),
      head,
      mean,
      own: unit(mean.map((value, dim) => value - (common[dim] ?? 0))),
    }
  })
}

/** Texts speak of it by the word for what it is, or by the whole label where that word is not enough. */
function sharesSpeakingOf(
  { words, columns, size }: CatalogIndex,
  terms: readonly string[],
  sizes: ReadonlyMap<number, number>,
): ReadonlyMap<number, number> {
  const found = terms.map((term) => new Set(words.search([{ term, weight: 1, group: 0 }], size).slots))
  const [first = new Set<number>(), ...rest] = found
  const shares = new Map<number, number>()
  for (const slot of first) {
    const category = columns.category[slot] ?? -1
    const share = 1 / (sizes.get(category) ?? 1)
    if (rest.every((set) => set.has(slot))) shares.set(category, (shares.get(category) ?? 0) + share)
  }
  return shares
}

function productsByCategory({ columns, slots }: CatalogIndex): Map<number, number> {
  const sizes = new Map<number, number>()
  for (let slot = 0; slot < slots; slot++) {
    const category = columns.category[slot] ?? -1
    if (columns.alive[slot]) sizes.set(category, (sizes.get(category) ?? 0) + 1)
  }
  return sizes
}

function sampleSlots({ columns, slots, at }: CatalogIndex): Map<number, number[]> {
  const samples = new Map<number, number[]>()
  for (let slot = 0; slot < slots; slot++) {
    const category = columns.category[slot] ?? 0
    const sample = samples.get(category) ?? []
    if (!columns.alive[slot] || sample.length >= SAMPLE || !at(slot)?.embedded) continue
    sample.push(slot)
    samples.set(category, sample)
  }
  return samples
}

/** The word for what it is: the last one of the label. */
export function headOf(label: string): string {
  return stemsOfLabel(label).at(-1) ?? ''
}

function stemsOfLabel(label: string): string[] {
  return wordsOf(label).map(termOf)
}

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let dim = 0; dim < a.length; dim++) sum += (a[dim] ?? 0) * (b[dim] ?? 0)
  return sum
}

export function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector))
  return length > 0 ? vector.map((value) => value / length) : vector
}
