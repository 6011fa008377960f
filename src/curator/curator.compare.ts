/**
 * Which of some products to take, by rules that can be told. First who is out: discontinued, over the budget, not
 * made for this by its own profile, or in denial of something that must be had. Of the rest those that say most of what must be had, then those nearest to the query,
 * then the best rated, then the cheapest; every rule that left somebody behind is a reason. None is named when all are
 * out. Pure; nothing here is an opinion of ours beyond the order of the rules.
 */

import type { ProductProfile } from '../catalog/profile.ts'
import { formatUsd } from '../lib/money.ts'
import { counted } from '../lib/words.ts'
import { stemsOf } from '../search/lexical/tokenize.ts'
import type { MustHaveCheck } from './curator.must-have.ts'
import type { Comparison } from './curator.schema.ts'

export type Compared = {
  profile: ProductProfile
  checks: MustHaveCheck[]
  /** How near it is to the query, the greater the nearer; null when the search does not know. */
  fit: number | null
  /** What its profile says it is not for, where that is what was asked for. */
  unsuited: string[]
}

/** `clearly`: nearer by less than this is no reason, both are as near. */
export type Limits = { budgetCents: number | null; clearly: number }

const CLEARLY_BETTER_RATED = 0.05
/** A rating counts as if so many more had given the usual one: three fives are no 5.0. */
const USUAL = { rating: 4, reviews: 50 }
const MAX_SPECS = 15

export function recommend(
  compared: readonly Compared[],
  limits: Limits,
): { chosen: Compared | null; reasons: string[] } {
  const standing = compared.filter((one) => objections(one, limits).length === 0)
  if (standing.length === 0) return { chosen: null, reasons: ['None of them meets every requirement.'] }
  const reasons: string[] = []
  if (standing.length < compared.length)
    reasons.push(
      standing.length === 1
        ? 'It is the only one that meets every requirement.'
        : `Ruled out: ${compared.length - standing.length}.`,
    )
  let left = standing
  for (const rule of RULES) {
    const kept = rule.keep(left, limits)
    const [best] = kept
    if (kept.length < left.length && best) reasons.push(rule.reason(best))
    left = kept
  }
  if (reasons.length === 0) reasons.push('They are equally good; this one was listed first.')
  return { chosen: left[0] ?? null, reasons }
}

/** What rules a product out, in words. */
export function objections(
  { profile, checks, unsuited }: Compared,
  { budgetCents }: Pick<Limits, 'budgetCents'>,
): string[] {
  const denied = checks.filter(({ met }) => met === 'contradicts').map(({ wish }) => wish)
  const over = budgetCents !== null && profile.priceLowCents !== null && profile.priceLowCents > budgetCents
  return [
    ...(profile.discontinued ? ['discontinued'] : []),
    ...(over ? [`over the budget of ${formatUsd(budgetCents)}`] : []),
    ...(unsuited.length > 0 ? [`not for ${unsuited.join(', ')}, by its own profile`] : []),
    ...(denied.length > 0 ? [`contradicts: ${denied.join(', ')}`] : []),
  ]
}

type Rule = {
  keep(products: readonly Compared[], limits: Limits): Compared[]
  reason(best: Compared): string
}

const RULES: Rule[] = [
  {
    keep: (products) => withMost(products, said, 0),
    reason: (best) => `It states the most requirements: ${said(best)} of ${best.checks.length}.`,
  },
  {
    keep: (products, { clearly }) => withMost(products, ({ fit }) => fit, clearly),
    reason: () => 'It is the closest match to the query.',
  },
  {
    keep: (products) => withMost(products, standingRating, CLEARLY_BETTER_RATED),
    reason: ({ profile: { rating, reviewCount } }) =>
      `It is the best rated: ${rating} of 5${reviewCount === null ? '' : ` from ${counted(reviewCount, 'review')}`}.`,
  },
  {
    keep: (products) => withMost(products, ({ profile: { priceLowCents: low } }) => low && -low, 0),
    reason: ({ profile }) => `It is the cheapest: from ${formatUsd(profile.priceLowCents ?? 0)}.`,
  },
]

/** What is not known is behind what is; where nothing is known, all stay. */
function withMost(
  products: readonly Compared[],
  value: (product: Compared) => number | null,
  margin: number,
): Compared[] {
  const known = products.map(value).filter((one) => one !== null)
  const least = Math.max(...known) - margin
  return known.length === 0
    ? [...products]
    : products.filter((one) => (value(one) ?? Number.NEGATIVE_INFINITY) >= least)
}

function said({ checks }: Compared): number {
  return checks.filter(({ met }) => met === 'says_so').length
}

function standingRating({ profile: { rating, reviewCount } }: Compared): number | null {
  if (rating === null) return null
  const reviews = reviewCount ?? 0
  return (rating * reviews + USUAL.rating * USUAL.reviews) / (reviews + USUAL.reviews)
}

/** The uses that a profile warns of and the query asks for, all words of it. */
export function unsuitedFor({ notFor }: ProductProfile, query: string): string[] {
  const asked = stemsOf(query)
  return notFor.filter((use) => {
    const stems = stemsOf(use)
    return stems.length > 0 && stems.every((stem) => asked.includes(stem))
  })
}

/** Those that at least two products state, the most shared first. */
export function sharedSpecs(profiles: readonly ProductProfile[]): Comparison['specs'] {
  const fold = (name: string) => name.trim().toLowerCase()
  const names = new Map<string, string>()
  for (const { specs } of profiles)
    for (const { name } of specs) if (!names.has(fold(name))) names.set(fold(name), name)
  return [...names]
    .map(([key, name]) => ({
      name,
      values: profiles.map(({ specs }) => specs.find((spec) => fold(spec.name) === key)?.value ?? null),
    }))
    .map((spec) => ({ ...spec, stated: spec.values.filter((value) => value !== null).length }))
    .filter(({ stated }) => stated >= 2)
    .sort((a, b) => b.stated - a.stated)
    .slice(0, MAX_SPECS)
    .map(({ name, values }) => ({ name, values }))
}
