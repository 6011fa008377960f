/**
 * How near the candidates are to the query in meaning: as a whole, in what they are for, and sentence by sentence. Each
 * cosine counts against the mean of the candidates, because how similar everything is depends on the query.
 */
import type { IndexedProduct } from '../catalog-index.ts'
import type { Cosines } from '../vectors/meaning-index.ts'
import { NOTHING } from './columns.ts'

/** Brings centred cosines to the size of the other features. */
const STRETCH = 4

type Meaning = Record<
  'full' | 'short' | 'plain' | 'description' | 'verdict' | 'uses' | 'praise' | 'passage',
  Float32Array
>

type MeaningRead = { features: Meaning; raw: Float32Array; similarity: Float32Array; passage: Float32Array }
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
  passage: NOTHING,
}

export function readMeaning(cosines: Cosines | null, products: IndexedProduct[]): MeaningRead {
  if (!cosines) return NO_MEANING
  const { full, short, plain, passages } = cosines
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
      plain: centre(plain ? known(plain) : knownFull),
      passage: centre(passage),
      description: centre(passages.description),
      verdict: centre(passages.verdict),
      uses: centre(passages.uses),
      praise: centre(passages.praise),
    },
    passage: passage.map((cosine) => (Number.isNaN(cosine) ? 0 : cosine)),
    raw: full.map((cosine, at) => cosine + (short[at] ?? 0)),
    similarity: full.map((cosine, at) => Math.min(1, Math.max(0, cosine, short[at] ?? 0))),
  }
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
