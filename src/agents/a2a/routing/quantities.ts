/**
 * How many are asked for: "25 units", "qty: 25", "a dozen", "2x", or a number right before the product's name. A
 * number anywhere else in the sentence is not believed to be one.
 */
import { MAX_QUANTITY } from '../../../rfq/rfq.schema.ts'
import { readNumber } from '../../../search/understand/numbers.ts'
import { foldAt, isGlued, type Range, type Token, wordSet } from '../../../search/understand/tokens.ts'

export type QuantityFound = Range & { quantity: number }

const PIECES = wordSet('units unit pieces piece pcs pc items copies each ea pieces. of')
const LABELS = wordSet('qty quantity quantities count amount units pieces')
/** What may stand between a number and the product it counts. */
const BETWEEN = wordSet('of the your those these x new × *')

/** One that says of itself that it is a quantity, wherever it stands. */
export function findSaidQuantity(tokens: readonly Token[], taken: Uint8Array): QuantityFound | null {
  for (let from = 0; from < tokens.length; from++) {
    if (taken[from]) continue
    const said = readLabelled(tokens, from) ?? readTimes(tokens, taken, from) ?? readPieces(tokens, from)
    if (said) return said
  }
  return null
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
  const read = at > from + 1 || tokens[at]?.kind === 'number' ? readQuantity(tokens, at) : null
  return read && { ...read, from }
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

function readQuantity(tokens: readonly Token[], from: number): QuantityFound | null {
  const half = /^half a$/.test(`${foldAt(tokens, from)} ${foldAt(tokens, from + 1)}`)
  if (half && foldAt(tokens, from + 2) === 'dozen') return quantity(6, from, from + 3)
  const read = readNumber(tokens, from)
  if (!read) return null
  const dozen = /^dozens?$/.test(foldAt(tokens, read.to)) && foldAt(tokens, from) !== 'dozen'
  return dozen ? quantity(read.value * 12, from, read.to + 1) : quantity(read.value, from, read.to)
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
