/**
 * Reads a number as people write it: "1,200", "2 1/2", "two hundred and fifty", "a couple hundred". A lone "a" is
 * one only before hundred, thousand or dozen, and "and" joins only after a hundred or a thousand, so that
 * "between a hundred and two hundred" stays two numbers.
 */
import { foldAt, isHyphen, type Token } from './tokens.ts'

export type NumberRead = {
  value: number
  to: number
  /** 100 or 1000 when the number ended in that word, so that "2 to 3 hundred" can share it. */
  scale: number
  /** "a couple hundred", "a few thousand" */
  vague: boolean
  spelled: boolean
}

const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
const UNITS = new Map(SMALL.split(' ').map((word, value) => [word, value]))
const TENS = new Map(
  'twenty thirty forty fifty sixty seventy eighty ninety'
    .split(' ')
    .map((word, index) => [word, (index + 2) * 10]),
)
const SCALES = new Map([
  ['hundred', 100],
  ['thousand', 1000],
])
/** A few hundred is taken as four hundred: read as a cap, less would shut out what was meant. */
const VAGUE = new Map([
  ['couple', 2],
  ['few', 4],
  ['several', 5],
])

/** `joinAnd` false reads "a hundred and fifty" as a hundred. */
export function readNumber(tokens: readonly Token[], index: number, joinAnd = true): NumberRead | null {
  return tokens[index]?.kind === 'number' ? readDigits(tokens, index) : readSpelled(tokens, index, joinAnd)
}

function readDigits(tokens: readonly Token[], index: number): NumberRead | null {
  const first = tokens[index]?.value ?? null
  if (first === null) return null
  const plain = { vague: false, spelled: false, scale: 1 }
  const fraction = readFraction(tokens, index)
  if (fraction) return { ...plain, ...fraction }
  const mixed = Number.isInteger(first) ? readFraction(tokens, index + 1) : null
  if (mixed && !tokens[index + 1]?.glued) return { ...plain, value: first + mixed.value, to: mixed.to }
  const scale = SCALES.get(foldAt(tokens, index + 1))
  if (scale) return { ...plain, value: first * scale, to: index + 2, scale }
  return { ...plain, value: first, to: index + 1 }
}

function readFraction(tokens: readonly Token[], index: number): { value: number; to: number } | null {
  const top = tokens[index]?.value ?? null
  const bottom = tokens[index + 2]?.value ?? null
  if (top === null || !bottom || top >= bottom || foldAt(tokens, index + 1) !== '/') return null
  return tokens[index + 1]?.glued && tokens[index + 2]?.glued ? { value: top / bottom, to: index + 3 } : null
}

function readSpelled(tokens: readonly Token[], index: number, joinAnd: boolean): NumberRead | null {
  let at = index
  if (foldAt(tokens, at) === 'a' && /^(grand|dollar|buck)$/.test(foldAt(tokens, at + 1)))
    return { value: 1, to: at + 1, scale: 1, vague: false, spelled: true }
  if (['a', 'an', 'one'].includes(foldAt(tokens, at)) && opensCount(tokens, at + 1)) at++
  const vague = VAGUE.get(foldAt(tokens, at))
  if (vague !== undefined) {
    const next = foldAt(tokens, at + 1) === 'of' ? at + 2 : at + 1
    const scale = SCALES.get(foldAt(tokens, next))
    return scale ? { value: vague * scale, to: next + 1, scale, vague: true, spelled: true } : null
  }
  if (foldAt(tokens, at) === 'dozen') return { value: 12, to: at + 1, scale: 1, vague: false, spelled: true }
  const head = SCALES.has(foldAt(tokens, at)) ? { value: 1, to: at } : readBelowHundred(tokens, at)
  if (!head) return null
  let { value, to } = head
  let scale = 1
  // At most "hundred thousand".
  for (let times = 0; times < 2; times++) {
    const step = SCALES.get(foldAt(tokens, to))
    if (!step) break
    value *= step
    scale = step
    to++
  }
  const rest = scale > 1 ? readRest(tokens, to, joinAnd) : null
  return rest
    ? { value: value + rest.value, to: rest.to, scale: 1, vague: false, spelled: true }
    : { value, to, scale, vague: false, spelled: true }
}

function opensCount(tokens: readonly Token[], index: number): boolean {
  const word = foldAt(tokens, index)
  return SCALES.has(word) || VAGUE.has(word) || word === 'dozen'
}

function readBelowHundred(tokens: readonly Token[], index: number): { value: number; to: number } | null {
  const unit = UNITS.get(foldAt(tokens, index))
  if (unit !== undefined) return { value: unit, to: index + 1 }
  const tens = TENS.get(foldAt(tokens, index))
  if (tens === undefined) return null
  const next = isHyphen(tokens, index + 1) ? index + 2 : index + 1
  const more = UNITS.get(foldAt(tokens, next))
  return more !== undefined && more > 0 && more < 10
    ? { value: tens + more, to: next + 1 }
    : { value: tens, to: index + 1 }
}

/** "and fifty", "fifty": what follows a hundred, unless it is a number of its own ("and two hundred"). */
function readRest(
  tokens: readonly Token[],
  index: number,
  joinAnd: boolean,
): { value: number; to: number } | null {
  const and = foldAt(tokens, index) === 'and'
  if (and && !joinAnd) return null
  const rest = readBelowHundred(tokens, and ? index + 1 : index)
  if (!rest || rest.value === 0 || SCALES.has(foldAt(tokens, rest.to))) return null
  return foldAt(tokens, rest.to) === 'grand' ? null : rest
}
