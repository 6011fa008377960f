/** A product's rules as people say them: all of them for its own page, those that are set for a list. */
import { formatUsd } from '../../../lib/money.ts'
import type { ShownRules } from '../../../pricing/pricing.schema.ts'
import { capital, countOf } from '../../format.ts'

const MOST_REGIONS = 4

/** Every rule with what holds when it is not set. */
export function rulesInFull(rules: ShownRules): Array<[label: string, words: string]> {
  const { max_discount_pct: cap, lead_time_days: lead, return_policy_days: returns } = rules
  return [
    ['Largest discount', cap == null ? 'No limit' : `${cap}%`],
    ['Delivery time', lead == null ? 'Not stated' : countOf(lead, 'business day')],
    ['Returns', returns == null ? 'Not stated' : returnWords(returns)],
    ['Stock', stockWords(rules.in_stock)],
    ['Delivered to', rules.delivery_regions?.length ? rules.delivery_regions.join(', ') : 'Everywhere'],
    ['Shipping', shippingWords(rules.shipping_cost_usd)],
  ]
}

/** One line; null when nothing is set. */
export function rulesInShort(rules: ShownRules): string | null {
  const { max_discount_pct: cap, lead_time_days: lead, return_policy_days: returns } = rules
  const regions = rules.delivery_regions ?? []
  const more = regions.length - MOST_REGIONS
  const said = [
    cap != null && `at most ${cap}% off`,
    lead != null && countOf(lead, 'business day'),
    returns != null && returnWords(returns).toLowerCase(),
    rules.shipping_cost_usd != null && `${shippingWords(rules.shipping_cost_usd).toLowerCase()} shipping`,
    regions.length > 0 &&
      `only ${regions.slice(0, MOST_REGIONS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    rules.in_stock === false && 'out of stock',
  ].filter((words) => words !== false)
  const line = said.join(' · ')
  return line === '' ? null : capital(line)
}

function returnWords(days: number): string {
  return days === 0 ? 'No returns' : `Returns within ${countOf(days, 'day')}`
}

function stockWords(inStock: boolean | null | undefined): string {
  if (inStock == null) return 'Not stated: counts as in stock'
  return inStock ? 'In stock' : 'Out of stock'
}

function shippingWords(dollars: number | null | undefined): string {
  if (dollars == null) return 'Not stated'
  return dollars === 0 ? 'Free' : formatUsd(Math.round(dollars * 100))
}
