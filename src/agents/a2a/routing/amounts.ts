/**
 * How many are asked for: "25 units", "qty: 25", "a dozen", "2x", or a number right before the product's name or kind. Any
 * other number of a request for quote means something too, unless it is money, a measure or a code: it is asked about,
 * because a quote for one piece would be wrong.
 */
import { MAX_QUANTITY } from '../../../rfq/rfq.schema.ts'
import { readNumber } from '../../../search/understand/budget.ts'
import {
  foldAt,
  isGlued,
  isHyphen,
  isWord,
  type Range,
  sliceRange,
  type Token,
  wordSet,
} from '../../../search/understand/tokens.ts'
import { unitAt } from '../../../search/understand/units.ts'
import type { Message } from './message.ts'

/** `value` is null for "a few". */
type Amount = Range & { value: number | null }
export type Amounts = { sure: Amount[]; strays: Amount[] }

const PIECES = wordSet('units unit pieces piece pcs pc items copies each ea')
const LABELS = wordSet('qty quantity quantities count amount units pieces')
const BETWEEN = wordSet('of the your those these x new × *')
const VAGUE = wordSet('couple few several dozens hundreds thousands bunch handful pallet pallets truckload')
/** What these number is no quantity. */
const NUMBERED = wordSet(
  '# po ref reference no nr model part item sku version v gen mk zip postcode floor suite room box page phone tel invoice id under below budget spend exceed',
)
const BEHIND = wordSet(
  '% am pm dollar dollars usd eur euro euros gbp bucks cents day days week weeks month months year years hour hours',
)
const STREETS = wordSet('street st road rd avenue ave lane ln drive dr blvd square court way')

/** `names` are the products and kinds of things that a number may count. */
export function findAmounts({ tokens, taken }: Message, names: readonly Range[]): Amounts {
  const found: Amounts = { sure: [], strays: [] }
  for (let from = 0; from < tokens.length; from++) {
    if (taken[from]) continue
    const read = readAmount(tokens, from)
    if (!read) {
      if (VAGUE.has(foldAt(tokens, from))) found.strays.push({ value: null, from, to: from + 1 })
      continue
    }
    let label = from - 1
    while (/^(?:[:=."]|of|is|to)$/.test(foldAt(tokens, label))) label--
    const minus = isHyphen(tokens, from - 1) && isGlued(tokens, from) && !isGlued(tokens, from - 1)
    const labelled = LABELS.has(foldAt(tokens, minus ? from - 2 : label))
    const next = foldAt(tokens, read.to)
    const times = isTimes(tokens, read.to) && tokens[read.to + 1]?.kind !== 'number' && !isGlued(tokens, from)
    const counted = PIECES.has(next) && (!/^(?:piece|unit)$/.test(next) || read.value === 1)
    const behindX = isTimes(tokens, from - 1) && (taken[from - 2] || tokens[from - 2]?.kind !== 'number')
    const ofThem = next === 'of' && /^(?:the|these|those|them|your)$/.test(foldAt(tokens, read.to + 1))
    let name = read.to
    while (BETWEEN.has(foldAt(tokens, name))) name++
    const before = names.some((range) => range.from === name)
    const loose =
      tokens[from - 1]?.kind !== 'sign' &&
      (!isGlued(tokens, from) || /^[("':=,x×-]$/.test(foldAt(tokens, from - 1)))
    const amount = { ...read, value: minus ? -read.value : read.value }
    if (labelled || (loose && (times || counted || behindX || ofThem || before))) found.sure.push(amount)
    else if (meansSomething(tokens, read, label)) found.strays.push(amount)
    from = read.to - 1
  }
  return found
}

const isTimes = (tokens: readonly Token[], at: number) => /^[x×*]$/.test(foldAt(tokens, at))

function readAmount(tokens: readonly Token[], from: number): (Range & { value: number }) | null {
  const half = ['half', 'a', 'dozen'].every((word, step) => foldAt(tokens, from + step) === word)
  if (half) return { value: 6, from, to: from + 3 }
  const read = readNumber(tokens, from)
  if (!read) return null
  const { to, value } = read
  const times = { dozen: 12, dozens: 12, million: 1_000_000, billion: 1_000_000_000 }[foldAt(tokens, to)]
  if (times !== undefined && foldAt(tokens, from) !== 'dozen')
    return { value: value * times, from, to: to + 1 }
  // "2k units", but not the 4K of a monitor.
  const thousands = foldAt(tokens, to) === 'k' && isGlued(tokens, to)
  const isCount = thousands && (PIECES.has(foldAt(tokens, to + 1)) || !tokens[to]?.upper)
  return isCount ? { value: value * 1000, from, to: to + 1 } : { value, from, to }
}

function meansSomething(
  tokens: readonly Token[],
  { from, to, value }: Range & { value: number },
  label: number,
): boolean {
  const digits = tokens[from]?.kind === 'number'
  // "This one", "zero problems".
  if (!digits && value <= 1) return false
  if (tokens[from - 1]?.kind === 'sign' || tokens[to]?.kind === 'sign' || BEHIND.has(foldAt(tokens, to)))
    return false
  if (NUMBERED.has(foldAt(tokens, label)) || NUMBERED.has(foldAt(tokens, from - 1))) return false
  // "4K", "usb3" and "1080p" describe; "1e9 units" does not.
  if (
    digits &&
    ((isGlued(tokens, from) && isWord(tokens, from - 1)) || (isGlued(tokens, to) && isWord(tokens, to)))
  )
    return PIECES.has(foldAt(tokens, to + 2))
  const unit = unitAt(tokens, to)
  if (unit && (unit.unit !== 'piece' || isWord(tokens, unit.to)))
    return unit.unit === 'piece' && /s$/.test(foldAt(tokens, unit.to - 1))
  return ![1, 2, 3].some((step) => isWord(tokens, to) && STREETS.has(foldAt(tokens, to + step)))
}

export type Doubt = { said: string; values: number[] }

/** One number that can be quoted, or what is to be asked about those that were said. `bare`: it may be one by itself. */
export function settleAmounts(
  { text, tokens }: Message,
  { sure, strays }: Amounts,
  bare: boolean,
): number | Doubt | null {
  const all = [...sure, ...strays]
  const values = [...new Set(all.flatMap(({ value }) => value ?? []))]
  const [only, ...more] = values
  const alone = strays.length === 0 || (bare && all.length === 1)
  if (all.length === 0) return null
  if (alone && more.length === 0 && only !== undefined && isQuantity(only)) return only
  return { said: all.map((range) => `"${sliceRange(text, tokens, range)}"`).join(' and '), values }
}

function isQuantity(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= MAX_QUANTITY
}

/** Whole numbers near what was said, that can be quoted. */
export function quotable(values: readonly number[]): number[] {
  const near = values.flatMap((value) => [Math.floor(Math.abs(value)), Math.ceil(Math.abs(value))])
  return [
    ...new Set([...near.map((value) => Math.min(Math.max(value, 1), MAX_QUANTITY)).filter(isQuantity), 1]),
  ]
}
