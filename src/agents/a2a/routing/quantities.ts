/**
 * How many are asked for: "25 units", "qty: 25", "a dozen", "2x", or a number right before the product's name. A
 * number anywhere else in the sentence is not believed to be one.
 */
import { MAX_QUANTITY } from '../../../rfq/rfq.schema.ts'
import { readNumber } from '../../../search/understand/budget.ts'
import {
  foldAt,
  isGlued,
  isHyphen,
  type Range,
  type Token,
  wordSet,
} from '../../../search/understand/tokens.ts'

export type QuantityFound = Range & { quantity: number }

const PIECES = wordSet('units unit pieces piece pcs pc items copies each ea of')
const LABELS = wordSet('qty quantity quantities count amount units pieces')
const MULTIPLES: ReadonlyMap<string, number> = new Map([
  ['dozen', 12],
  ['dozens', 12],
  ['million', 1_000_000],
  ['billion', 1_000_000_000],
])
/** What may stand between a number and the product it counts. */
const BETWEEN = wordSet('of the your those these x new × *')

/** Those that say of themselves that they are one, wherever they stand. */
export function findSaidQuantities(tokens: readonly Token[], taken: Uint8Array): QuantityFound[] {
  const found: QuantityFound[] = []
  for (let from = 0; from < tokens.length; from++) {
    if (taken[from]) continue
    const said = readLabelled(tokens, from) ?? readTimes(tokens, taken, from) ?? readPieces(tokens, from)
    if (!said) continue
    found.push(said)
    from = said.to - 1
  }
  return found
}

/** A number directly before the name: "25 Tallow 2 chairs", "40 of the Sheaf 6". */
export function findQuantityBefore(
  tokens: readonly Token[],
  taken: Uint8Array,
  name: Range,
): QuantityFound | null {
  let to = name.from
  while (to > 0 && BETWEEN.has(foldAt(tokens, to - 1))) to--
  for (let from = Math.max(0, to - 5); from < to; from++) {
    if (taken[from]) continue
    const read = readQuantity(tokens, from)
    if (read?.to === to && isLoose(tokens, from)) return read
  }
  return null
}

/** "qty=12", "quantity of 12" */
function readLabelled(tokens: readonly Token[], from: number): QuantityFound | null {
  if (!LABELS.has(foldAt(tokens, from))) return null
  let at = from + 1
  while (/^([:=".]|of|is|to)$/.test(foldAt(tokens, at))) at++
  // "qty -5" is given as it was said; "qty - 5" and "qty-5" have a dash between.
  const minus = isHyphen(tokens, at) && isGlued(tokens, at + 1) && !isGlued(tokens, at)
  if (isHyphen(tokens, at)) at++
  const read = at > from + 1 || tokens[at]?.kind === 'number' ? readQuantity(tokens, at) : null
  if (!read || read.quantity === 0) return read && { ...read, from }
  const to = PIECES.has(foldAt(tokens, read.to)) && foldAt(tokens, read.to) !== 'of' ? read.to + 1 : read.to
  return { quantity: minus ? -read.quantity : read.quantity, from, to }
}

/** "3x", "3 x", "x3" */
function readTimes(tokens: readonly Token[], taken: Uint8Array, from: number): QuantityFound | null {
  const value = tokens[from]?.value ?? null
  const times = /^[x×*]$/
  if (value !== null && times.test(foldAt(tokens, from + 1)) && !isGlued(tokens, from)) {
    // "55 x 40 cm" is a size.
    const size = tokens[from + 2]?.kind === 'number' || /^[x×*]$/.test(foldAt(tokens, from - 1))
    return size ? null : quantity(value, from, from + 2)
  }
  const after = tokens[from + 1]?.value ?? null
  const dimension = tokens[from - 1]?.kind === 'number' && !taken[from - 1]
  const behind = times.test(foldAt(tokens, from)) && !isGlued(tokens, from) && !dimension
  return behind && after !== null && !taken[from + 1] ? quantity(after, from, from + 2) : null
}

/** "50 units", "a dozen of", "25 pcs" */
function readPieces(tokens: readonly Token[], from: number): QuantityFound | null {
  const read = isLoose(tokens, from) ? readQuantity(tokens, from) : null
  if (!read || !PIECES.has(foldAt(tokens, read.to))) return null
  // "A 2 piece set" describes; "1 of 3" and "12 of December" count something else.
  if (
    foldAt(tokens, read.to) === 'of' &&
    !/^(the|these|those|them|your|it)$/.test(foldAt(tokens, read.to + 1))
  )
    return null
  if (/^(piece|unit)$/.test(foldAt(tokens, read.to)) && read.quantity !== 1) return null
  return { ...read, to: read.to + 1 }
}

export function readQuantity(tokens: readonly Token[], from: number): QuantityFound | null {
  const half = /^half a$/.test(`${foldAt(tokens, from)} ${foldAt(tokens, from + 1)}`)
  if (half && foldAt(tokens, from + 2) === 'dozen') return quantity(6, from, from + 3)
  const read = readNumber(tokens, from)
  if (!read) return null
  const times = foldAt(tokens, from) === 'dozen' ? undefined : MULTIPLES.get(foldAt(tokens, read.to))
  if (times) return quantity(read.value * times, from, read.to + 1)
  // "2k units", but not the 4K of a monitor.
  const thousands = foldAt(tokens, read.to) === 'k' && isGlued(tokens, read.to)
  if (thousands && (isCounted(tokens, read.to + 1) || !tokens[read.to]?.upper))
    return quantity(read.value * 1000, from, read.to + 1)
  return quantity(read.value, from, read.to)
}

/** What is counted in pieces: "2K units". */
export function isCounted(tokens: readonly Token[], at: number): boolean {
  return PIECES.has(foldAt(tokens, at)) && foldAt(tokens, at) !== 'of'
}

function quantity(value: number, from: number, to: number): QuantityFound {
  return { quantity: value, from, to }
}

/** What is said is given as it was said, so that nobody who asks for half a million gets a quote for one. */
export function isQuantity(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= MAX_QUANTITY
}

/** Neither money nor the tail of a word or a code. */
function isLoose(tokens: readonly Token[], from: number): boolean {
  if (tokens[from - 1]?.kind === 'sign') return false
  return !isGlued(tokens, from) || /^[("':=,]$/.test(foldAt(tokens, from - 1))
}
