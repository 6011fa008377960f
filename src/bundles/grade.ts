/**
 * How much a candidate is worth to a plan, in whole points, so that sums are exact in whatever order they are made.
 * Fit is relevance times standing. Relevance is mostly how likely it is meant beside the category's first (the ranking was
 * learned so that a difference of scores tells that), a little its place. Standing is its rating (drawn towards 4.0 while
 * reviews are few) and, when there is a budget to spend, the share of the others that cost less: of two that suit as well,
 * a shopper who gives a budget wants the better class it pays for. The fit is
 * divided by the category's best, so that categories compare, and bent by f·(2 − f): the step from poor to decent counts
 * more than the one from good to best. The best product of a category of average weight is worth 1,000 points. Nothing
 * here depends on the sum of the budget or on the order of the input.
 */
import { byText } from '../lib/text.ts'
import type { Candidate } from '../search/candidates.ts'

export type Option = {
  product: Candidate['product']
  points: number
  /** For all pieces; null when no price is known. */
  costCents: number | null
  /** In its category's ranking, from 1. */
  place: number
}

const RELEVANCE = { score: 0.85, place: 0.15 }
const STANDING = { everybody: 0.55, rating: 0.2, class: 0.25 }
/** So much less score makes it e times less likely to be meant; the learned scale, taken with some doubt. */
const SCALE = 1.5
const POINTS = 1000
/** The product with so many above it has half of what the first has for its place. */
const HALF_AT = 10
const USUAL_RATING = 4
const USUAL_RATING_REVIEWS = 25
/** A category that hardly matters is still told apart in a hundred steps. */
const LEAST_WEIGHT = 0.1

/**
 * The ranking of one category, best first: by points, then by cost, then by slug. So whatever ranks above a choice
 * was not taken because of its price, or because none is known.
 */
export function gradeCandidates(
  candidates: Candidate[],
  { quantity, relativeWeight, spending }: { quantity: number; relativeWeight: number; spending: boolean },
): Option[] {
  const sold = candidates.filter(({ product }) => !product.discontinued)
  const scores = sold.map(({ score }) => score)
  const top = Math.max(...scores)
  const fits = sold.map(({ product, score }) => {
    const above = scores.filter((other) => other > score).length
    const relevance =
      RELEVANCE.score * Math.exp((score - top) / SCALE) + RELEVANCE.place * (HALF_AT / (HALF_AT + above))
    const standing =
      STANDING.everybody +
      STANDING.rating * esteem(product) +
      STANDING.class * (spending ? shareCheaper(product, sold) : 0)
    return relevance * standing
  })
  const best = Math.max(...fits)
  const worth = POINTS * Math.max(LEAST_WEIGHT, relativeWeight)
  return sold
    .map(({ product }, at) => {
      const fit = (fits[at] ?? 0) / best
      const points = Math.round(worth * fit * (2 - fit))
      return { product, points, costCents: costOf(product, quantity), place: 0 }
    })
    .sort(byRank)
    .map((option, at) => ({ ...option, place: at + 1 }))
}

/** The highest shop price, so the shopper never pays more than the total. */
export function costOf(
  { priceHighCents, priceLowCents }: Pick<Candidate['product'], 'priceHighCents' | 'priceLowCents'>,
  quantity: number,
): number | null {
  const each = priceHighCents ?? priceLowCents
  return each === null ? null : each * quantity
}

function byRank(a: Option, b: Option): number {
  const cost = (option: Option) => option.costCents ?? Number.MAX_VALUE
  return b.points - a.points || cost(a) - cost(b) || byText(a.product.slug, b.product.slug)
}

/** 0 for the cheapest, and for one without a price. */
function shareCheaper(product: Candidate['product'], among: Candidate[]): number {
  const cost = costOf(product, 1)
  if (cost === null) return 0
  const cheaper = among.filter(({ product: other }) => (costOf(other, 1) ?? cost) < cost)
  return cheaper.length / Math.max(1, among.length - 1)
}

/** 0 for three stars or fewer, 1 for five. */
function esteem({ rating, reviewCount }: Candidate['product']): number {
  const reviews = rating === null ? 0 : (reviewCount ?? 0)
  const drawn =
    ((rating ?? 0) * reviews + USUAL_RATING * USUAL_RATING_REVIEWS) / (reviews + USUAL_RATING_REVIEWS)
  return Math.min(1, Math.max(0, (drawn - 3) / 2))
}
