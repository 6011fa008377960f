/**
 * A category's buying guide, made of its products' facts alone: what they cost, what they differ in, and which stand out.
 * Discontinued products are not counted, and nothing is said that fewer than five products support. Pure.
 */
import { formatUsd } from '../lib/money.ts'
import { counted } from '../lib/words.ts'
import { betterWhen } from './spec-direction.ts'
import { numberWords, type ShelfItem, type SpecFacet, type SpecTable } from './spec-table.ts'
import { withUnit } from './spec-values.ts'

export type Guide = {
  prices: string | null
  /** What products differ in, each with its ends or its commonest choices. */
  differences: Array<{ key: string; name: string; words: string }>
  picks: Pick[]
}
/** `row` is of the table. */
type Pick = { row: number; title: string; reason: string }

const FEWEST = 5
const MOST_DIFFERENCES = 5
const MOST_CHOICES = 3
const MOST_BY_SPEC = 2
/** So many reviews of an average product are weighed against a product's own, so that few reviews lead nowhere. */
const PRIOR_REVIEWS = 50
/** A product below this share of the prices may be good value. */
const CHEAP = 0.5
/** Of products that state the spec. */
const FEWEST_STATING = 5

export function buildGuide(table: SpecTable): Guide | null {
  const { items } = table
  const rows = Array.from(items.keys()).filter((row) => items[row]?.discontinued === false)
  if (rows.length < FEWEST) return null
  const facets = table.facets()
  const guide = {
    prices: priceWords(rows.flatMap((row) => items[row]?.priceLowCents ?? [])),
    differences: facets.slice(0, MOST_DIFFERENCES).flatMap((facet) => difference(facet, rows)),
    picks: distinct([
      ...bestRated(items, rows),
      ...bestValue(items, rows),
      ...facets.flatMap((facet) => bestBy(facet, rows)).slice(0, MOST_BY_SPEC),
    ]),
  }
  const isEmpty = guide.prices === null && guide.differences.length + guide.picks.length === 0
  return isEmpty ? null : guide
}

function priceWords(cents: number[]): string | null {
  if (cents.length < FEWEST) return null
  const sorted = cents.toSorted((a, b) => a - b)
  const [low, first, third, high] = [0, 0.25, 0.75, 1].map((share) => at(sorted, share))
  if (low === undefined || high === undefined || low === high) return null
  const run = `Listed prices run from ${formatUsd(low)} to ${formatUsd(high)}`
  if (first === undefined || third === undefined || first === third) return `${run}.`
  return `${run}; half are between ${formatUsd(first)} and ${formatUsd(third)}.`
}

function at(sorted: readonly number[], share: number): number | undefined {
  return sorted[Math.round(share * (sorted.length - 1))]
}

function difference(facet: SpecFacet, rows: readonly number[]): Guide['differences'] {
  const { key, name, unit } = facet
  if (unit) {
    const ends = rows.flatMap((row) => {
      const quantity = facet.quantityAt(row)
      return quantity ? [quantity.low / unit.factor, quantity.high / unit.factor] : []
    })
    const [low, high] = [
      ends.reduce((least, end) => Math.min(least, end), Number.POSITIVE_INFINITY),
      ends.reduce((most, end) => Math.max(most, end), Number.NEGATIVE_INFINITY),
    ]
    if (!(low < high)) return []
    return [{ key, name, words: `${numberWords(low)} to ${withUnit(numberWords(high), unit.unit)}` }]
  }
  const counts = facet.options.map((option, at) => ({
    label: option.label,
    count: rows.filter((row) => ((facet.bits[row] as number) >>> at) & 1).length,
  }))
  const labels = counts
    .filter(({ count }) => count > 1)
    .sort((a, b) => b.count - a.count)
    .slice(0, MOST_CHOICES)
    .map(({ label, count }) => `${label} (${count})`)
  return labels.length < 2 ? [] : [{ key, name, words: labels.join(', ') }]
}

/** Between the average of all and a product's own rating, closer to its own with every review. */
function weighed(
  items: readonly ShelfItem[],
  rows: readonly number[],
): Array<{ row: number; stars: number }> {
  const rated = rows.filter((row) => items[row]?.rating !== null && (items[row]?.reviewCount ?? 0) > 0)
  const average = rated.reduce((sum, row) => sum + (items[row]?.rating ?? 0), 0) / Math.max(1, rated.length)
  return rated
    .map((row) => {
      const { rating = 0, reviewCount = 0 } = items[row] ?? {}
      const reviews = reviewCount ?? 0
      return { row, stars: ((rating ?? 0) * reviews + average * PRIOR_REVIEWS) / (reviews + PRIOR_REVIEWS) }
    })
    .sort((a, b) => b.stars - a.stars || a.row - b.row)
}

function bestRated(items: readonly ShelfItem[], rows: readonly number[]): Pick[] {
  const rated = weighed(items, rows)
  const [best] = rated
  if (!best || rated.length < FEWEST) return []
  return [{ row: best.row, title: 'Best rated', reason: ratingWords(items[best.row]) }]
}

function ratingWords({ rating = null, reviewCount = null }: Partial<ShelfItem> = {}): string {
  return `${rating?.toFixed(1)} of 5 from ${counted(reviewCount ?? 0, 'review')}`
}

/** The best rated of the cheaper half. */
function bestValue(items: readonly ShelfItem[], rows: readonly number[]): Pick[] {
  const priceOf = (row: number) => items[row]?.priceLowCents ?? null
  const priced = rows.filter((row) => priceOf(row) !== null)
  const limit = at(
    priced.map((row) => priceOf(row) ?? 0).sort((a, b) => a - b),
    CHEAP,
  )
  if (priced.length < FEWEST || limit === undefined) return []
  const [best] = weighed(
    items,
    priced.filter((row) => (priceOf(row) ?? 0) <= limit),
  )
  const price = best && priceOf(best.row)
  if (!best || price === null || price === undefined) return []
  const dearer = priced.filter((row) => (priceOf(row) ?? 0) > price).length
  const reason = `${ratingWords(items[best.row])}; ${dearer} of ${priced.length} are listed for more`
  return [{ row: best.row, title: 'Best value', reason }]
}

/** Only where everybody agrees which way is better, and one product is ahead of all others. */
function bestBy(facet: SpecFacet, rows: readonly number[]): Pick[] {
  const { unit } = facet
  const better = unit && betterWhen(facet.key, unit.dimension)
  if (!unit || !better) return []
  const stating = rows.flatMap((row) => {
    const quantity = facet.quantityAt(row)
    return quantity ? [{ row, value: better.way === 'less' ? quantity.high : quantity.low }] : []
  })
  if (stating.length < FEWEST_STATING) return []
  const sign = better.way === 'less' ? 1 : -1
  const [best, next] = stating.sort((a, b) => sign * (a.value - b.value))
  if (!best || best.value === next?.value) return []
  const value = withUnit(numberWords(best.value / unit.factor), unit.unit)
  const reason = `${facet.name} ${value}, of ${stating.length} that state it`
  return [{ row: best.row, title: better.words, reason }]
}

/** A product is picked once, for all that it leads in. */
function distinct(picks: readonly Pick[]): Pick[] {
  const byRow = new Map<number, Pick>()
  for (const pick of picks) {
    const known = byRow.get(pick.row)
    if (known) {
      known.title += `, ${pick.title.charAt(0).toLowerCase()}${pick.title.slice(1)}`
      known.reason = pick.reason.startsWith(known.reason) ? pick.reason : `${known.reason}. ${pick.reason}`
    } else byRow.set(pick.row, { ...pick })
  }
  return [...byRow.values()]
}
