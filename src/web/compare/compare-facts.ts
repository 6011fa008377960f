/**
 * Computes the rows of a comparison and what stands out. A product leads only where the displayed figures differ, and a
 * discontinued one is never called the cheapest. Pure.
 */
import type { ReviewTheme } from '../../catalog/catalog.schema.ts'
import { priceNow } from '../../catalog/profile.buying.ts'
import type { ProductProfile } from '../../catalog/profile.ts'
import { formatUsd } from '../../lib/money.ts'
import { shorten } from '../../lib/text.ts'
import { formatCount, formatDate } from '../format.ts'

/** One value per product; null where unknown. */
export type Row<Value> = { name: string; values: Array<Value | null>; differs: boolean }

const MAX_NAME = 60

/** Brand and model if they tell the products apart, because titles are often long; otherwise titles. */
export function shortNames(profiles: ProductProfile[]): string[] {
  const short = profiles.map(({ brand, model, title }) => {
    if (brand === null || model === null) return title
    return same(model).startsWith(same(brand.name)) ? model : `${brand.name} ${model}`
  })
  const areDistinct = new Set(short.map(same)).size === profiles.length
  return profiles.map(({ title }, at) => shorten((areDistinct ? short[at] : title) ?? title, MAX_NAME))
}

/** The specs of all products: the first product's, then those only later ones have. */
export function specRows(profiles: ProductProfile[]): Array<Row<string>> {
  const rows = new Map<string, { name: string; values: Array<string | null> }>()
  for (const [at, { specs }] of profiles.entries())
    for (const { name, value } of specs) {
      const row = rows.get(same(name)) ?? { name, values: profiles.map(() => null) }
      const before = row.values[at]
      row.values[at] = before ? `${before}; ${value}` : value
      rows.set(same(name), row)
    }
  return [...rows.values()].map((row) => ({ ...row, differs: differ(row.values) }))
}

/** Themes shared by two or more products, and the rest of each product's themes. */
export function themeRows(profiles: ProductProfile[]): {
  shared: Array<Row<ReviewTheme>>
  own: ReviewTheme[][]
} {
  const rows = new Map<string, { name: string; values: Array<ReviewTheme | null> }>()
  for (const [at, { themes }] of profiles.entries())
    for (const theme of themes) {
      const row = rows.get(same(theme.theme)) ?? { name: theme.theme, values: profiles.map(() => null) }
      row.values[at] ??= theme
      rows.set(same(theme.theme), row)
    }
  const shared = [...rows.values()].filter(
    ({ values }) => values.filter((value) => value !== null).length > 1,
  )
  const taken = new Set(shared.map(({ name }) => same(name)))
  return {
    shared: shared.map((row) => ({
      ...row,
      differs: differ(row.values.map((theme) => theme && `${theme.sentiment} ${theme.share}`)),
    })),
    own: profiles.map(({ themes }) => themes.filter(({ theme }) => !taken.has(same(theme)))),
  }
}

/** An unknown value differs from a known one. */
export function differ(values: Array<string | null>): boolean {
  return new Set(values.map((value) => (value === null ? null : same(value)))).size > 1
}

export function lowestPrice(profile: ProductProfile): number | null {
  return priceNow(profile)?.cents ?? null
}

/** The products with the lowest price, if another one in production costs more. */
export function cheapest(profiles: ProductProfile[]): Set<ProductProfile> {
  const priced = profiles.filter((profile) => !profile.discontinued && lowestPrice(profile) !== null)
  return leaders(priced, (profile) => -(lowestPrice(profile) ?? 0))
}

/** One sentence; null for fewer than two products. */
export function whatStandsOut(profiles: ProductProfile[]): string | null {
  if (profiles.length < 2) return null
  const names = shortNames(profiles)
  const parts = profiles.flatMap((profile, at) => {
    const claims = claimsOf(profile, profiles)
    return claims.length === 0 ? [] : [`${names[at]} ${inWords(claims)}`]
  })
  return parts.length === 0
    ? 'No clear winner on price, rating, reviews or release date.'
    : `${parts.join('; ')}.`
}

function claimsOf(profile: ProductProfile, all: ProductProfile[]): string[] {
  const { reviewCount, released, discontinued } = profile
  const [price, rating] = [lowestPrice(profile), shownRating(profile)]
  const leads = (value: (one: ProductProfile) => number | null) => {
    const first = leaders(
      all.filter((one) => value(one) !== null),
      (one) => value(one) ?? 0,
    )
    return first.size === 1 && first.has(profile)
  }
  const least = cheapest(all)
  return [
    ...(price !== null && least.size === 1 && least.has(profile)
      ? [`has the lowest price${ofThosePriced(price, all)} (${formatUsd(price)})`]
      : []),
    ...(rating !== null && leads(shownRating)
      ? [`has the best rating${ofThose('rated', all.map(shownRating))} (${rating.toFixed(1)} of 5)`]
      : []),
    ...(reviewCount !== null && leads((one) => one.reviewCount)
      ? [
          `has the most reviews${ofThose(
            'reviewed',
            all.map((one) => one.reviewCount),
          )} (${formatCount(reviewCount)})`,
        ]
      : []),
    ...(released !== null && isNewest(released, profile, all)
      ? [
          `is the newest${ofThose(
            'dated',
            all.map((one) => one.released),
          )} (${formatDate(released)})`,
        ]
      : []),
    ...(discontinued ? ['is discontinued'] : []),
  ]
}

/** Names the group a product leads when a figure is unknown for others. */
function ofThose(known: string, values: unknown[]): string {
  return values.includes(null) ? ` of those ${known}` : ''
}

function ofThosePriced(price: number, all: ProductProfile[]): string {
  const prices = all.map(lowestPrice)
  const isUndercut = prices.some((other) => other !== null && other < price)
  return isUndercut ? ' of those in production' : ofThose('priced', prices)
}

/** Rounded as displayed. Null without reviews. */
function shownRating({ rating, reviewCount }: ProductProfile): number | null {
  return rating === null || reviewCount === 0 ? null : Number(rating.toFixed(1))
}

/** Compares dates at the precision both have: 2024 is not before 2024-03. */
function isNewest(released: string, profile: ProductProfile, all: ProductProfile[]): boolean {
  const others = all.flatMap((one) => (one === profile || one.released === null ? [] : [one.released]))
  return (
    others.length > 0 &&
    others.every((other) => {
      const length = Math.min(other.length, released.length)
      return other.slice(0, length) < released.slice(0, length)
    })
  )
}

/** All with the highest value, or none if all share it. */
function leaders(profiles: ProductProfile[], value: (one: ProductProfile) => number): Set<ProductProfile> {
  const best = Math.max(...profiles.map(value))
  const first = profiles.filter((one) => value(one) === best)
  return new Set(first.length < profiles.length ? first : [])
}

/** "a", "a and b", "a, b, and c" */
export function inWords(parts: string[]): string {
  return new Intl.ListFormat('en-US').format(parts)
}

/** Names and values are compared in this form. */
function same(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()
}
