/**
 * US dollars from amounts in any currency. A row says its currency or has that of its file; a rate that somebody gave
 * makes dollars of it, and what it was is kept beside. Without a rate there is no price: an amount is never relabelled.
 */
import type { OriginalPrice } from '../catalog.schema.ts'
import type { InputProblem } from '../product-input.ts'
import { currencyMeant, type PriceRange } from './money.ts'

/** US dollars for one unit, and when somebody said so. */
export type Rates = Readonly<Record<string, { rate: number; at: string }>>

export type CurrencyRule = {
  /** What an amount is in where neither it nor its file says more. */
  currency: string
  rates: Rates
}

type InDollars = {
  product: Record<string, unknown>
  /** What the row's amounts were in; null where it has none. */
  currency: string | null
  original: OriginalPrice | null
  note: InputProblem | null
}

const DOLLARS = 'USD'

/** `raw.currency` is what the row itself says: a code, or a sign such as "kr". */
export function inDollars(
  raw: Record<string, unknown>,
  { currency: ofFile, rates }: CurrencyRule,
): InDollars {
  const { currency: said, ...product } = raw
  if (!hasMoney(product)) return { product, currency: null, original: null, note: null }
  const text = typeof said === 'string' && said !== '' ? said : null
  const currency = currencyMeant(text, ofFile)
  // A file may have tenths of cents: "45.0000", or what was left of a division.
  if (currency === DOLLARS)
    return { product: withMoney(product, toCents), currency, original: null, note: null }
  const known = currency === null ? undefined : rates[currency]
  return {
    product: withMoney(product, (amount) => (known ? toCents(amount * known.rate) : undefined)),
    currency: currency ?? text,
    original: originalOf(product, currency ?? text ?? '?', known),
    note: known ? null : withoutRate(currency, text),
  }
}

function withoutRate(currency: string | null, said: string | null): InputProblem {
  return currency === null
    ? {
        field: 'price',
        problem: `is in "${said}", which can mean several currencies, so it was left out`,
        fix: 'choose one with --currency, such as --currency SEK',
      }
    : {
        field: 'price',
        problem: `is in ${currency}, which has no exchange rate, so it was left out`,
        fix: `set a rate with --rate ${currency}=DOLLARS and import the file again`,
      }
}

function toCents(dollars: number): number {
  return Math.round(dollars * 100) / 100
}

function originalOf(
  product: Record<string, unknown>,
  currency: string,
  known: Rates[string] | undefined,
): OriginalPrice | null {
  const range = rangeOf(product)
  if (!range) return null
  const list = product.list_price
  return {
    currency,
    ...range,
    ...(typeof list === 'number' && { list }),
    rate: known?.rate ?? null,
    ratedAt: known?.at ?? null,
  }
}

function rangeOf({ price, variants }: Record<string, unknown>): PriceRange | null {
  if (typeof price === 'number') return { low: price, high: price }
  if (isRange(price)) return { low: price.low, high: price.high }
  const amounts = entriesOf(variants).flatMap((variant) =>
    typeof variant.price === 'number' ? [variant.price] : [],
  )
  return amounts.length === 0 ? null : { low: Math.min(...amounts), high: Math.max(...amounts) }
}

function isRange(value: unknown): value is PriceRange {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as PriceRange).low === 'number' &&
    typeof (value as PriceRange).high === 'number'
  )
}

function entriesOf(list: unknown): Array<Record<string, unknown>> {
  if (!Array.isArray(list)) return []
  return list.filter((entry): entry is Record<string, unknown> => typeof entry === 'object' && entry !== null)
}

function hasMoney({ price, list_price, variants, where_to_buy }: Record<string, unknown>): boolean {
  const priced = [...entriesOf(variants), ...entriesOf(where_to_buy)]
  return price != null || list_price != null || priced.some((entry) => entry.price != null)
}

/** Amounts that are text stay: the check of the row refuses them. */
function withMoney(
  product: Record<string, unknown>,
  convert: (amount: number) => number | undefined,
): Record<string, unknown> {
  const amountOf = (value: unknown) => (typeof value === 'number' ? convert(value) : value)
  const inside = (list: unknown) =>
    Array.isArray(list)
      ? list.map((entry: unknown) =>
          typeof entry === 'object' && entry !== null
            ? convertFields(entry as Record<string, unknown>)
            : entry,
        )
      : list
  const convertFields = (entry: Record<string, unknown>) => ({
    ...entry,
    ...('price' in entry && { price: amountOf(entry.price) }),
    ...('list_price' in entry && { list_price: amountOf(entry.list_price) }),
  })
  const { price } = product
  const low = isRange(price) ? convert(price.low) : undefined
  const high = isRange(price) ? convert(price.high) : undefined
  return {
    ...convertFields(product),
    ...(isRange(price) && { price: low === undefined || high === undefined ? undefined : { low, high } }),
    ...('variants' in product && { variants: inside(product.variants) }),
    ...('where_to_buy' in product && { where_to_buy: inside(product.where_to_buy) }),
  }
}
