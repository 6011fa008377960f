/**
 * How likely a candidate answers the query, by what it shares with it and not by how it compares with the others: the
 * best of a hundred wrong products is still wrong. A logistic model, learned from judged queries and from queries for
 * things that a catalog does not hold (fit.json). Without vectors a second one decides by words alone.
 */
import fs from 'node:fs'
import { projectFile } from '../../lib/paths.ts'
import { type Features, NOTHING } from './features.ts'

export const FIT_FEATURES = [
  'one',
  'full',
  'short',
  'passage',
  'coverage',
  'titleCoverage',
  'is',
  'part',
  'isFor',
  'category',
  'categoryMissed',
  'brandMissed',
  'model',
  'vote',
  'known',
  'titled',
  'nearest',
  'named',
  'brief',
  'short × brief',
  'passage × brief',
  'coverage × brief',
  'titleCoverage × brief',
  'short × coverage',
  'unnamed',
  'share',
  'titleShare',
  'share × brief',
  'short × share',
  'is × category',
  'titled × brief',
  'known × brief',
  'nearest × brief',
  'vote × brief',
  'full × brief',
] as const
export type FitFeature = (typeof FIT_FEATURES)[number]
export type FitWeights = Record<'semantic' | 'keyword', Float32Array>
/** What only vectors tell. */
export const BY_MEANING: ReadonlySet<FitFeature> = new Set([
  'full',
  'short',
  'passage',
  'nearest',
  'short × brief',
  'passage × brief',
  'short × coverage',
  'short × share',
  'nearest × brief',
  'full × brief',
])

export function loadFit(file = projectFile('src', 'search', 'rank', 'fit.json')): FitWeights {
  const read = JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, Record<string, number>>
  const row = (mode: string) => Float32Array.from(FIT_FEATURES, (name) => read[mode]?.[name] ?? 0)
  return { semantic: row('semantic'), keyword: row('keyword') }
}

/** In the order of FIT_FEATURES. */
export function fitRow({ absolute }: Features, at: number): Float32Array {
  return Float32Array.from(FIT_FEATURES, (name) => {
    const value = absolute[name]
    return typeof value === 'number' ? value : (value[at] ?? 0)
  })
}

/**
 * The fit that makes an answer good. A long query describes a need in the shopper's own words, of which a product shares
 * few; an imported product says less of itself than a written profile. Of both less is asked.
 */
export function goodFrom({ gates, profiled }: Features): number {
  return (0.1 + 0.42 * gates.brief) * (0.6 + 0.4 * profiled)
}

/** 0 to 1, for each candidate. One that is not embedded is judged by its words. */
export function fitOf(
  features: Features,
  { semantic, keyword }: FitWeights,
  isEmbedded: (at: number) => boolean,
  /** The query is a name with a number, as models are: who has all its words is meant. Of a code alone, a near one is. */
  model: 'name' | 'code' | null,
  count: number,
): Float32Array {
  const { absolute } = features
  const embedded = new Uint8Array(count)
  for (let at = 0; at < count; at++) if (isEmbedded(at)) embedded[at] = 1
  const byMeaning = embedded.includes(1) ? sumOf(absolute, semantic, count) : null
  const byWords = embedded.includes(0) ? sumOf(absolute, keyword, count) : null
  const [titleShare, part, isFor] = [absolute.titleShare, absolute.part, absolute.isFor]
  const valueAt = (column: Float32Array | number, at: number) =>
    typeof column === 'number' ? column : (column[at] ?? 0)
  const fits = new Float32Array(count)
  for (let at = 0; at < count; at++) {
    const sum = (embedded[at] ? byMeaning : byWords)?.[at] ?? 0
    // Its title says every word, and not of something that it is for.
    const isNamed = valueAt(titleShare, at) > 0.999 && valueAt(part, at) < 0.5 && valueAt(isFor, at) === 0
    const isMeant =
      isNamed ||
      (model !== null && valueAt(absolute.share, at) > 0.999) ||
      (model === 'code' && valueAt(absolute.titleCoverage, at) > 0)
    fits[at] = isMeant ? Math.max(NAMED_FIT, logistic(sum)) : logistic(sum)
  }
  return fits
}

const NAMED_FIT = 0.6

function logistic(sum: number): number {
  return 1 / (1 + Math.exp(-sum))
}

function sumOf(absolute: Features['absolute'], weights: Float32Array, count: number): Float32Array {
  const sums = new Float32Array(count)
  for (let feature = 0; feature < FIT_FEATURES.length; feature++) {
    const weight = weights[feature] as number
    if (weight === 0) continue
    const value = absolute[FIT_FEATURES[feature] as FitFeature]
    if (value === NOTHING || value === 0) continue
    if (typeof value === 'number')
      for (let at = 0; at < count; at++) sums[at] = (sums[at] as number) + weight * value
    else for (let at = 0; at < count; at++) sums[at] = (sums[at] as number) + weight * (value[at] as number)
  }
  return sums
}
