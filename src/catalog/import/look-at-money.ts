/** What the first rows of a file say of their currency, so that it can be asked for where they do not. */
import type { ByteStream } from './bytes.ts'
import { readRows } from './read-rows.ts'
import type { ImportFormat, ReadingRules } from './rows.ts'

export type MoneySaid = {
  hasAmounts: boolean
  /** As the file writes them, the first first. */
  currencies: string[]
  someSayNone: boolean
  /** A file of our own form, in which amounts are US dollars. */
  isContract: boolean
}

const ROWS = 200

export async function lookAtMoney(
  content: () => ByteStream,
  {
    format,
    mapping,
    reading,
  }: { format: ImportFormat; mapping: Record<string, string>; reading: ReadingRules },
): Promise<MoneySaid> {
  const currencies = new Set<string>()
  let hasAmounts = false
  let someSayNone = false
  let rows = 0
  for await (const row of readRows(content(), { format, mapping, ...reading })) {
    if (++rows > ROWS) break
    if ('problem' in row || !isPriced(row.product)) continue
    hasAmounts = true
    const { currency } = row.product
    if (typeof currency === 'string') currencies.add(currency)
    else someSayNone = true
  }
  return {
    hasAmounts,
    currencies: [...currencies],
    someSayNone,
    isContract: format === 'jsonl' && currencies.size === 0,
  }
}

function isPriced({ price, list_price, variants }: Record<string, unknown>): boolean {
  const all: unknown[] = Array.isArray(variants) ? variants : []
  return price != null || list_price != null || all.some((one) => (one as { price?: unknown })?.price != null)
}
