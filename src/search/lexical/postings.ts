/** What is asked of the postings of one term or phrase, whatever segments they lie in. */
import type { Combinations } from './combinations.ts'
import { leastOf } from './fields.ts'
import type { Postings } from './segment.ts'

/** The combination a slot has in one of these pieces (ascending by base), or -1. */
export function combinationOf(pieces: Postings[], slot: number): number {
  let i = pieces.length - 1
  while (i >= 0 && (pieces[i] as Postings).base > slot) i--
  const piece = pieces[i]
  if (!piece) return -1
  // A slot of a segment that lacks the term lies behind this piece's last one and is not found.
  const local = slot - piece.base
  let low = piece.from
  let high = piece.to
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((piece.slots[middle] as number) < local) low = middle + 1
    else high = middle
  }
  return low < piece.to && piece.slots[low] === local ? (piece.combinations[low] as number) : -1
}

/** Documents that hold both, with the lesser frequency in each field; those without a field in common are left out. */
export function intersect(a: Postings[], b: Postings[], combinations: Combinations): Postings[] {
  return a.flatMap((left) => {
    const right = b.find((piece) => piece.base === left.base)
    const both = right && intersectPiece(left, right, combinations)
    return both && both.to > 0 ? [both] : []
  })
}

function intersectPiece(a: Postings, b: Postings, combinations: Combinations): Postings {
  const room = Math.min(a.to - a.from, b.to - b.from)
  const slots = new Uint16Array(room)
  const common = new Uint16Array(room)
  let count = 0
  let i = a.from
  let j = b.from
  while (i < a.to && j < b.to) {
    const left = a.slots[i] as number
    const right = b.slots[j] as number
    if (left === right) {
      const id = commonCombination(a.combinations[i] as number, b.combinations[j] as number, combinations)
      if (id >= 0) {
        slots[count] = left
        common[count++] = id
      }
    }
    if (left <= right) i++
    if (right <= left) j++
  }
  return { base: a.base, slots, combinations: common, from: 0, to: count }
}

function commonCombination(a: number, b: number, combinations: Combinations): number {
  if (a === b) return a
  const least = leastOf(combinations.packed[a] as number, combinations.packed[b] as number)
  if (least === 0) return -1
  if (least === combinations.packed[a]) return a
  return least === combinations.packed[b] ? b : combinations.idOf(least)
}
