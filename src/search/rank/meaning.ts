/**
 * How near the candidates are to the query in meaning: as a whole, in what they are for, and sentence by sentence. Each
 * cosine counts against the mean of the candidates, because how similar everything is depends on the query.
 */
import type { CatalogIndex, IndexedProduct } from '../catalog-index.ts'
import { PASSAGE_KINDS, type PassageKind } from '../product-text.ts'
import { NOTHING } from './columns.ts'
import type { RankQuery } from './query.ts'

/** Brings centred cosines to the size of the other features. */
const STRETCH = 4

type Meaning = Record<
  'full' | 'short' | 'plain' | 'description' | 'verdict' | 'uses' | 'praise' | 'passage',
  Float32Array
>

type MeaningRead = { features: Meaning; raw: Float32Array; similarity: Float32Array }
const NO_MEANING: MeaningRead = {
  features: {
    full: NOTHING,
    short: NOTHING,
    plain: NOTHING,
    passage: NOTHING,
    description: NOTHING,
    verdict: NOTHING,
    uses: NOTHING,
    praise: NOTHING,
  },
  raw: NOTHING,
  similarity: NOTHING,
}

export function readMeaning(
  index: CatalogIndex,
  { vector, plainVector }: RankQuery,
  slots: Uint32Array,
  products: IndexedProduct[],
): MeaningRead {
  if (!vector) return NO_MEANING
  const full = index.full.scores(vector, slots)
  const short = index.short.scores(vector, slots)
  const passages = bestPassages(index, vector, products)
  // A product that is not embedded yet is neither near nor far: centring leaves out what is not known.
  const known = (cosines: Float32Array) =>
    cosines.map((cosine, at) => (products[at]?.embedded ? cosine : Number.NaN))
  const knownFull = known(full)
  // One that is not described in sentences is judged by the whole.
  const passage = knownFull.map((cosine, at) => {
    const best = passages.any[at] as number
    return Number.isNaN(best) ? cosine : best
  })
  return {
    features: {
      full: centre(knownFull),
      short: centre(known(short)),
      plain: centre(plainVector ? known(index.full.scores(plainVector, slots)) : knownFull),
      passage: centre(passage),
      description: centre(passages.description),
      verdict: centre(passages.verdict),
      uses: centre(passages.uses),
      praise: centre(passages.praise),
    },
    raw: full.map((cosine, at) => cosine + (short[at] ?? 0)),
    similarity: full.map((cosine, at) => Math.min(1, Math.max(0, cosine, short[at] ?? 0))),
  }
}

/** For each kind of passage, and over all kinds, the best cosine of every candidate; NaN where it has none. */
function bestPassages(
  index: CatalogIndex,
  vector: Float32Array,
  products: IndexedProduct[],
): Record<PassageKind | 'any', Float32Array> {
  const unknown = () => new Float32Array(products.length).fill(Number.NaN)
  const best = {
    description: unknown(),
    verdict: unknown(),
    uses: unknown(),
    praise: unknown(),
    any: unknown(),
  }
  const byKind = PASSAGE_KINDS.map((kind) => best[kind])
  const count = products.reduce((sum, { passageKinds }) => sum + passageKinds.length, 0)
  const rows = new Uint32Array(count)
  let filled = 0
  for (const { passagesAt, passageKinds } of products)
    for (let row = 0; row < passageKinds.length; row++) rows[filled++] = passagesAt + row
  const scores = index.passages.scores(vector, rows)
  let next = 0
  for (let at = 0; at < products.length; at++) {
    const kinds = (products[at] as IndexedProduct).passageKinds
    for (let row = 0; row < kinds.length; row++) {
      const score = scores[next++] as number
      raise(byKind[kinds[row] as number] as Float32Array, at, score)
      raise(best.any, at, score)
    }
  }
  return best
}

function raise(best: Float32Array, at: number, score: number): void {
  if (!((best[at] as number) >= score)) best[at] = score
}

/** Against the mean of those that are known; the others are taken to be the mean. */
function centre(cosines: Float32Array): Float32Array {
  let sum = 0
  let known = 0
  for (let at = 0; at < cosines.length; at++) {
    const cosine = cosines[at] as number
    if (Number.isNaN(cosine)) continue
    sum += cosine
    known++
  }
  const mean = known === 0 ? 0 : sum / known
  return cosines.map((cosine) => (Number.isNaN(cosine) ? 0 : (cosine - mean) * STRETCH))
}
