/**
 * Money is integer cents inside and decimal dollars at the edge. All sums are USD.
 * Parsing goes through the decimal text, because 1.15 * 100 is 114.99999999999999.
 */
export const MAX_CENTS = 100_000_000_00

/** Null when the amount is negative, not finite, too large, or has more than two decimals. */
export function dollarsToCents(dollars: number): number | null {
  if (!Number.isFinite(dollars) || dollars < 0) return null
  const match = /^(\d+)(?:\.(\d{1,2}))?$/.exec(String(dollars))
  if (!match) return null
  const cents = Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'))
  return cents <= MAX_CENTS ? cents : null
}

/** Dollars as people type them ("1,200", "$80", "80.50 USD") in cents; null for anything else. */
export function readDollars(typed: string): number | null {
  const bare = typed
    .trim()
    .replace(/^(?:usd|us)?\s*\$?\s*/i, '')
    .replace(/(?:usd|us dollars|dollars?|\$)$/i, '')
    .trimEnd()
  if (!/^(?:\d{1,9}|\d{1,3}(?:,\d{3}){1,2})(?:\.\d{1,2})?$/.test(bare)) return null
  return dollarsToCents(Number(bare.replaceAll(',', '')))
}

/** As a field has it, to be typed over and read again: no sign, and cents only where there are any. */
export function typedDollars(cents: number): string {
  return cents % 100 === 0 ? String(cents / 100) : (cents / 100).toFixed(2)
}

/** Null where no amount is known. */
export function centsToDollars(cents: number): number
export function centsToDollars(cents: number | null | undefined): number | null
export function centsToDollars(cents: number | null | undefined): number | null {
  return typeof cents === 'number' ? cents / 100 : null
}

/** Null where there is no amount. */
export function dollarsOf(cents: number | null | undefined): number | null {
  return cents == null ? null : centsToDollars(cents)
}

/** "$1,299" or "$12.50": cents are shown only where there are any. */
export function formatUsd(cents: number): string {
  const whole = Math.trunc(cents / 100)
  const rest = cents % 100
  const dollars = whole.toString().replace(/\B(?=(\d{3})+$)/g, ',')
  return rest === 0 ? `$${dollars}` : `$${dollars}.${rest.toString().padStart(2, '0')}`
}

/** "$429 – $479", one price when both are equal, null when neither is known. */
export function formatPriceRange(lowCents: number | null, highCents: number | null): string | null {
  const low = lowCents ?? highCents
  const high = highCents ?? lowCents
  if (low === null || high === null) return null
  return low === high ? formatUsd(low) : `${formatUsd(low)} – ${formatUsd(high)}`
}
