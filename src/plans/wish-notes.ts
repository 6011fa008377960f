/** What the overview of a plan says of how the wish was read. */
import type { Wish } from '../bundles/bundles.schema.ts'
import { formatUsd } from '../lib/money.ts'

const LONGEST_CURRENCY = 10

/** What became of a budget in another currency. No rate is known here, so its amount counts as dollars. */
export function currencyNote({ foreignCurrency, budget }: Wish): string {
  if (foreignCurrency === null || budget === null) return ''
  const named = foreignCurrency.length > LONGEST_CURRENCY ? 'this currency' : foreignCurrency
  return ` Prices are in US dollars and there is no exchange rate for ${named}, so we read your budget as ${formatUsd(budget.cents)}.`
}
