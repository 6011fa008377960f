/**
 * Catalogs of any size in memory, with vectors, in the likeness of the demo catalog. The first edition is the demo
 * catalog itself, so its queries have their answers; every later product has words of its own in title, brand and
 * text, and vectors that were shaken (cosine about .9 with the one they come from). Made one by one and kept by nobody, so
 * that the memory of an engine is its own: vectors are only good until the next product is asked for, and an engine
 * copies them. The same at every run.
 */
import { readDemoSet } from '../../eval/judged.ts'
import type { ProductProfile } from '../../src/catalog/profile.ts'
import { MINILM_DIMS, minilmId } from '../../src/search/embed/minilm.ts'
import { textHash } from '../../src/search/product-text.ts'
import { readShippedVectors } from '../../src/search/shipped-vectors.ts'
import type { ProductVectors } from '../../src/search/vectors/meaning-index.ts'
import { NO_PASSAGES, type Passages } from '../../src/search/vectors/passages.ts'

/** Which vectors an engine is given: those of the whole text, or also those of the short text and the sentences. */
export type VectorNeeds = 'none' | 'full' | 'all'
export type SyntheticProduct = { profile: ProductProfile; vectors: ProductVectors }

const SYLLABLES = ['ba', 'ke', 'li', 'mo', 'nu', 'ra', 'se', 'ti', 'vo', 'zu', 'fen', 'gol', 'har', 'jin']
const NOISE_FLOATS = 2 ** 18
/** In 384 dimensions a vector of such numbers is .48 long. */
const LARGEST_NOISE = 0.0425
/** What a step of an int8 row is worth in most passages. */
const USUAL_SCALE = 0.0013
const NOTHING = new Float32Array(0)
const MAX_PASSAGES = 16
/** Used again for every product: a gigabyte of garbage would be collected at the engine's expense. */
const SCRATCH = {
  full: new Float32Array(MINILM_DIMS),
  short: new Float32Array(MINILM_DIMS),
  scales: new Float32Array(MAX_PASSAGES),
  rows: new Int8Array(MAX_PASSAGES * MINILM_DIMS),
}

type Noise = { floats: Float32Array; levels: Int8Array }

/** The same products in the same order whatever the count: a smaller catalog is the start of a larger one. */
export function* makeProducts(count: number, needs: VectorNeeds): Generator<SyntheticProduct> {
  const models = readDemoProducts()
  const noise = makeNoise()
  for (let n = 0; n < count; n++) {
    const model = models[n % models.length]
    if (!model) return
    const edition = Math.floor(n / models.length)
    if (edition === 0) yield model
    else
      yield {
        profile: editionOf(model.profile, n, edition),
        vectors: shakeAll(model.vectors, n, noise, needs),
      }
  }
}

function readDemoProducts(): SyntheticProduct[] {
  const shipped = readShippedVectors(minilmId())
  return readDemoSet().products.map((profile) => {
    const vectors = shipped?.find(textHash(profile))
    if (!vectors)
      throw new Error(`no vectors come with the project for ${profile.slug}: run npm run ship-vectors`)
    return { profile, vectors }
  })
}

function editionOf(profile: ProductProfile, n: number, edition: number): ProductProfile {
  const name = coin(n)
  const maker = coin(edition)
  return {
    ...profile,
    id: `${profile.id}-${n}`,
    slug: `${profile.slug}-${n}`,
    title: `${profile.title} ${name}`,
    brand: profile.brand && { ...profile.brand, name: `${profile.brand.name} ${maker}` },
    model: profile.model && `${profile.model} ${name}`,
    mpn: profile.mpn && `${profile.mpn}-${edition}`,
    description: `${profile.description ?? ''} The ${name} is from the ${maker} series.`,
  }
}

/** A word no other number has. */
function coin(n: number): string {
  let word = ''
  for (let rest = n + SYLLABLES.length ** 2; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    word += SYLLABLES[rest % SYLLABLES.length]
  return word
}

function shakeAll(
  { full, short, passages }: ProductVectors,
  n: number,
  noise: Noise,
  needs: VectorNeeds,
): ProductVectors {
  const from = (row: number) => (n * 7_919 + row * 104_729) % (NOISE_FLOATS - MINILM_DIMS)
  return {
    full: needs === 'none' ? NOTHING : shake(full, noise.floats, from(0), SCRATCH.full),
    short: needs === 'all' ? shake(short, noise.floats, from(1), SCRATCH.short) : NOTHING,
    passages: needs === 'all' ? shakePassages(passages, noise.levels, from) : NO_PASSAGES,
  }
}

function shake(vector: Float32Array, noise: Float32Array, from: number, shaken: Float32Array): Float32Array {
  let squares = 0
  for (let dim = 0; dim < shaken.length; dim++) {
    const value = (vector[dim] as number) + (noise[from + dim] as number)
    shaken[dim] = value
    squares += value * value
  }
  const perLength = 1 / Math.sqrt(squares)
  for (let dim = 0; dim < shaken.length; dim++) shaken[dim] = (shaken[dim] as number) * perLength
  return shaken
}

/** As they are stored, in int8: made from floats, ten a product, they would take longer than any engine's building. */
function shakePassages(
  { kinds, scales, rows }: Passages,
  noise: Int8Array,
  from: (row: number) => number,
): Passages {
  const shaken = SCRATCH.rows.subarray(0, rows.length)
  const shakenScales = SCRATCH.scales.subarray(0, scales.length)
  for (let row = 0; row < kinds.length; row++) {
    const first = from(row + 2)
    let squares = 0
    for (let dim = 0; dim < MINILM_DIMS; dim++) {
      const level = (rows[row * MINILM_DIMS + dim] as number) + (noise[first + dim] as number)
      const kept = Math.max(-127, Math.min(127, level))
      shaken[row * MINILM_DIMS + dim] = kept
      squares += kept * kept
    }
    shakenScales[row] = 1 / Math.sqrt(squares)
  }
  return { kinds, scales: shakenScales, rows: shaken }
}

/** A linear congruential generator: any numbers without a pattern do, if they are the same every time. */
function makeNoise(): Noise {
  let state = 1
  const floats = new Float32Array(NOISE_FLOATS).map(() => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state / 2 ** 31 - 1) * LARGEST_NOISE
  })
  return { floats, levels: Int8Array.from(floats, (value) => value / USUAL_SCALE) }
}
