/** Why a product is among the results, in a few words: the strongest one or two facts that speak for it. */
import { formatUsd } from '../../lib/money.ts'
import { type IndexedProduct, stemsOf } from '../catalog-index.ts'
import type { Understood } from '../understand/understand.ts'
import { FEATURES, type FeatureName } from './features.ts'

const MAX_REASONS = 2
const MAX_WORDS = 3
/** A centred and stretched cosine above this is well above the other candidates. */
const CLEARLY_NEAR = 0.6
const MOST_OF_THE_WORDS = 0.6

export function reasonFor(product: IndexedProduct, understood: Understood, row: Float32Array): string {
  const value = (name: FeatureName) => row[FEATURES.indexOf(name)] ?? 0
  const asked = askedStems(understood)
  const reasons: string[] = []
  if (value('model') > 0) reasons.push(`is the ${product.model ?? 'model'} you named`)
  else if (value('brand') > 0) reasons.push(`made by ${product.brand}`)
  const lacked = deniedWords(understood, product)
  if (lacked.length > 0) reasons.push(`says it has no ${lacked.join(', no ')}`)
  const uses = statedUses(product, asked)
  if (uses.length > 0) reasons.push(`says it suits ${uses.join(', ')}`)
  else if (value('uses') > CLEARLY_NEAR) reasons.push('its stated uses are near what you asked for')
  if (value('titleCoverage') >= MOST_OF_THE_WORDS) reasons.push('its name says what you asked for')
  if (value('praise') > CLEARLY_NEAR) reasons.push('what reviewers praise is near what you asked for')
  if (value('specs') >= MOST_OF_THE_WORDS) reasons.push('its specs match')
  const limit = understood.budget?.maxCents
  if (limit != null && product.priceLowCents !== null && product.priceLowCents <= limit)
    reasons.push(`within ${formatUsd(limit)}`)
  if (reasons.length === 0)
    reasons.push(`${nearness(value('full'), value('words'))}, among ${product.category.label.toLowerCase()}`)
  return reasons.slice(0, MAX_REASONS).join('; ')
}

/** Without an embedder, or before a product is embedded, nothing is known of its meaning. */
function nearness(full: number, words: number): string {
  if (full !== 0) return 'near in meaning'
  return words > 0 ? 'shares words with what you asked' : 'further from what you asked'
}

function deniedWords({ negated }: Understood, { lacks }: IndexedProduct): string[] {
  return negated
    .filter(({ words }) => words.length > 0 && stemsOf(words.join(' ')).every((stem) => lacks.includes(stem)))
    .map(({ words }) => words.join(' '))
}

/** Those of the asker's own words that a stated use shares: never the product's, which speak to whoever reads the reason. */
function statedUses(product: IndexedProduct, asked: Map<string, string>): string[] {
  const telling = tellingStems(product)
  const use = telling.find((stems) => stems.some((stem) => asked.has(stem))) ?? []
  return use.flatMap((stem) => asked.get(stem) ?? []).slice(0, MAX_WORDS)
}

// Taking a text apart is slow: a query's is read once for all results, a product's once for all queries that show it.
const askedByQuery = new WeakMap<Understood, Map<string, string>>()
const tellingByProduct = new WeakMap<IndexedProduct, string[][]>()

/** By its stem, each word as it was written. */
function askedStems(understood: Understood): Map<string, string> {
  const known = askedByQuery.get(understood)
  if (known) return known
  const words = understood.text.split(/[^\p{L}\p{N}'-]+/u).filter(Boolean)
  const asked = new Map(
    words.flatMap((word) => stemsOf(word).map((stem) => [stem, word.toLowerCase()] as const)),
  )
  askedByQuery.set(understood, asked)
  return asked
}

/** Of each use, without the product's own name: "Spare stroller" says nothing to someone who asks for a stroller. */
function tellingStems(product: IndexedProduct): string[][] {
  const known = tellingByProduct.get(product)
  if (known) return known
  const plain = new Set(stemsOf(`${product.title} ${product.category.label}`))
  const telling = product.bestFor.map((use) => stemsOf(use).filter((stem) => !plain.has(stem)))
  tellingByProduct.set(product, telling)
  return telling
}
