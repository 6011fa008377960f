/**
 * Damerau-Levenshtein distance (optimal string alignment: a swap of neighbours is one edit), given up as soon as it
 * must pass `max`. Rows are kept between calls: it runs a few thousand times for one misspelled word.
 */

const LONGEST = 64
let before = new Uint8Array(LONGEST + 1)
let above = new Uint8Array(LONGEST + 1)
let row = new Uint8Array(LONGEST + 1)

/** The distance, or `max + 1` when it is larger than `max`. */
export function editDistance(a: string, b: string, max: number): number {
  if (a === b) return 0
  if (Math.abs(a.length - b.length) > max || a.length > LONGEST || b.length > LONGEST) return max + 1
  const far = max + 1
  for (let j = 0; j <= b.length; j++) above[j] = Math.min(j, far)
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - max)
    const to = Math.min(b.length, i + max)
    row[from - 1] = from === 1 ? Math.min(i, far) : far
    let least = row[from - 1] as number
    for (let j = from; j <= to; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1)
      const deleted = j === i + max ? far : (above[j] as number) + 1
      let cost = Math.min((above[j - 1] as number) + (same ? 0 : 1), deleted, (row[j - 1] as number) + 1, far)
      if (
        i > 1 &&
        j > 1 &&
        a.charCodeAt(i - 1) === b.charCodeAt(j - 2) &&
        a.charCodeAt(i - 2) === b.charCodeAt(j - 1)
      )
        cost = Math.min(cost, (before[j - 2] as number) + 1)
      row[j] = cost
      if (cost < least) least = cost
    }
    // A swap reaches two rows back, so the row above must be hopeless as well before giving up.
    if (least >= far && isHopeless(above, from, to, max)) return far
    const spare = before
    before = above
    above = row
    row = spare
  }
  return Math.min(above[b.length] as number, far)
}

function isHopeless(cells: Uint8Array, from: number, to: number, max: number): boolean {
  for (let j = from - 1; j <= to; j++) if ((cells[j] as number) < max) return false
  return true
}
