/**
 * Numbers and dates of a request for quote that no reader took: "the Skein 2: twenty-five", "by yesterday". They
 * mean something, so Souk asks about them; a quote for one piece, or without a date, would be wrong. Money, measures,
 * codes, addresses and times of day are not quantities and are skipped.
 */
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
import { MONTHS, UNITS } from './date-words.ts'
import type { Message } from './message.ts'
import { isCounted, readQuantity } from './quantities.ts'

export type Strays = {
  /** As they were written, with what they would count; null for "a few". */
  numbers: Array<{ said: string; value: number | null }>
  /** The first phrase that is like a date. */
  date: string | null
}
type Stray = { kind: 'number' | 'date' | 'innocent'; to: number; value?: number | null }

const VAGUE = wordSet(
  'couple few several dozens hundreds thousands millions bunch handful pallet pallets truckload',
)
const DATE_WORDS = wordSet('yesterday ago eod eow eom eoy easter')
const SEASONS = wordSet('spring summer autumn fall winter quarter')
const DATE_LEADS = wordSet('by before until till deadline due on than')
/** A unit of time behind these is a time to wait for. */
const SPAN_LEADS = wordSet('within next this last few couple of in')
/** What these number is no quantity. */
const NUMBERED = wordSet(
  `# po ref reference no nr model part item sku version v gen generation mk zip postcode floor suite apt
  apartment room box page option building net phone tel fax invoice id`,
)
const CURRENCIES = wordSet('dollar dollars usd eur euro euros gbp bucks cents cad aud')
const PRICE_LEADS = wordSet('under below budget spend exceed')
const STREETS = wordSet('street st road rd avenue ave lane ln drive dr blvd boulevard square sq court ct way')
/** "A 2 year warranty" describes the product. */
const LASTING = wordSet('warranty guarantee battery return returns trial old payment runtime')
const STREET_WITHIN = 4

export function findStrays({ text, tokens, taken }: Message): Strays {
  const numbers: Strays['numbers'] = []
  let date: string | null = null
  for (let at = 0; at < tokens.length; at++) {
    if (taken[at]) continue
    const stray = strayAt({ text, tokens, taken }, at)
    if (!stray) continue
    const said = sliceRange(text, tokens, { from: at, to: stray.to })
    if (stray.kind === 'date') date ??= withLead(text, tokens, { from: at, to: stray.to })
    if (stray.kind === 'number') numbers.push({ said, value: stray.value ?? null })
    at = Math.max(at, stray.to - 1)
  }
  return { numbers, date }
}

function strayAt(message: Message, at: number): Stray | null {
  const { tokens } = message
  const word = foldAt(tokens, at)
  if (tokens[at]?.kind === 'number') return ofDigits(message, at)
  if (tokens[at]?.kind !== 'word') return null
  if (DATE_WORDS.has(word)) return { kind: 'date', to: at + 1 }
  const before = foldAt(tokens, at - 1)
  const led = DATE_LEADS.has(before) || (before === 'the' && DATE_LEADS.has(foldAt(tokens, at - 2)))
  if (SEASONS.has(word) && (led || SPAN_LEADS.has(before))) return { kind: 'date', to: at + 1 }
  if (MONTHS.has(word) && led && word.length > 3) return { kind: 'date', to: at + 1 }
  if (UNITS.has(word) && SPAN_LEADS.has(before) && !LASTING.has(foldAt(tokens, at + 1)))
    return { kind: 'date', to: at + 1 }
  const read = readQuantity(tokens, at)
  if (!read) return VAGUE.has(word) ? ofVague(tokens, at) : null
  // "This one", "zero problems".
  if (read.quantity <= 1) return null
  return ofNumber(tokens, at, read.to, read.quantity)
}

/** "A few weeks" is a date, "a few tents" a number. */
function ofVague(tokens: readonly Token[], at: number): Stray {
  const next = foldAt(tokens, at + 1) === 'of' ? at + 2 : at + 1
  return UNITS.has(foldAt(tokens, next)) ? { kind: 'date', to: next + 1 } : { kind: 'number', to: at + 1 }
}

function ofDigits(message: Message, at: number): Stray {
  const { text, tokens, taken } = message
  const before = foldAt(tokens, at - 1)
  const quarter = before === 'q' && isGlued(tokens, at)
  const inCode =
    isGlued(tokens, at) &&
    (isWord(tokens, at - 1) ||
      (isHyphen(tokens, at - 1) && isGlued(tokens, at - 1) && isWord(tokens, at - 2)))
  let to = at + 1
  while (isGlued(tokens, to) && !taken[to] && /^[\p{L}\d./-]+$/u.test(foldAt(tokens, to))) to++
  const run = sliceRange(text, tokens, { from: at, to }).replace(/[./-]+$/, '')
  if (quarter) return { kind: 'date', to }
  if (/^\d+(?:[/.-]\d+){2}/.test(run)) return { kind: 'date', to }
  if (/^\d+\/\d+$/.test(run)) return { kind: DATE_LEADS.has(before) ? 'date' : 'number', to, value: null }
  const read = readQuantity(tokens, at)
  if (inCode || (read && isGlued(tokens, read.to) && isWord(tokens, read.to) && !isUnit(tokens, read.to)))
    return codeOf(tokens, at, to, run)
  return read ? ofNumber(tokens, at, read.to, read.quantity) : { kind: 'number', to, value: null }
}

/** "4K", "usb3" and "1080p" describe; "1e9 units" and "the 10th" do not. */
function codeOf(tokens: readonly Token[], at: number, to: number, run: string): Stray {
  if (isCounted(tokens, to)) return { kind: 'number', to, value: null }
  const before = foldAt(tokens, at - 1)
  const led = DATE_LEADS.has(before) || (before === 'the' && DATE_LEADS.has(foldAt(tokens, at - 2)))
  return { kind: /^\d+(st|nd|rd|th)$/i.test(run) && led ? 'date' : 'innocent', to }
}

function ofNumber(tokens: readonly Token[], at: number, to: number, value: number): Stray {
  const before = foldAt(tokens, at - 1)
  const next = foldAt(tokens, to)
  const innocent = { kind: 'innocent', to } as const
  if (tokens[at - 1]?.kind === 'sign' || tokens[to]?.kind === 'sign' || CURRENCIES.has(next)) return innocent
  if (/^(am|pm|o'clock)$/.test(next) || next === '%' || (next === ':' && isGlued(tokens, to + 1)))
    return innocent
  if (PRICE_LEADS.has(before === 'of' ? foldAt(tokens, at - 2) : before)) return innocent
  const label = /^[:.]$/.test(before) ? foldAt(tokens, at - 2) : before
  if (NUMBERED.has(label)) return innocent
  if (isHyphen(tokens, to) && tokens[to + 1]?.kind === 'number') {
    const range = unitAt(tokens, to + 2)
    if (range && UNITS.has(foldAt(tokens, to + 2))) return { kind: 'date', to: range.to }
    if (range && range.unit !== 'piece') return { kind: 'innocent', to: range.to }
  }
  if (UNITS.has(next) || /^(business|working)$/.test(next))
    return LASTING.has(foldAt(tokens, to + 1)) ? innocent : { kind: 'date', to: to + 1 }
  if (MONTHS.has(next) || MONTHS.has(before) || DATE_LEADS.has(before)) return { kind: 'date', to }
  const unit = unitAt(tokens, to)
  if (unit && unit.unit !== 'piece') return { kind: 'innocent', to: unit.to }
  // "A 12 piece set" describes.
  if (unit && !/s$/.test(foldAt(tokens, unit.to - 1)) && isWord(tokens, unit.to))
    return { kind: 'innocent', to: unit.to }
  if (isAddress(tokens, to)) return innocent
  // "-5" is given as it was said.
  const minus = isHyphen(tokens, at - 1) && isGlued(tokens, at) && !isGlued(tokens, at - 1)
  return { kind: 'number', to, value: minus ? -value : value }
}

function isUnit(tokens: readonly Token[], at: number): boolean {
  return unitAt(tokens, at) !== null || isCounted(tokens, at) || UNITS.has(foldAt(tokens, at))
}

/** "12 Main Street" */
function isAddress(tokens: readonly Token[], from: number): boolean {
  for (let at = from; at < from + STREET_WITHIN && isWord(tokens, at); at++)
    if (at > from && STREETS.has(foldAt(tokens, at))) return true
  return false
}

function withLead(text: string, tokens: readonly Token[], { from, to }: Range): string {
  let start = from
  while (
    start > 0 &&
    from - start < 3 &&
    /^(by|before|until|till|on|the|within|in|next|due|q)$/.test(foldAt(tokens, start - 1))
  )
    start--
  return sliceRange(text, tokens, { from: start, to })
}
