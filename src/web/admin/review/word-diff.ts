/**
 * Which words of a text went and which came; pure. Words are compared with the space after them, so both texts can be
 * put together again from the pieces. The last word has one too: it is the same word when the text goes on behind it.
 */

export type Piece = { kind: 'same' | 'gone' | 'new'; text: string }

/** The table of common words grows with the product of both; texts beyond this are shown whole, unmarked. */
const MOST_WORDS = 1_200
/** A text that was written anew shares small words with the old one: marking around them would only be harder to read. */
const LEAST_SHARED = 0.4
const LONG_ENOUGH = 8

export function diffWords(before: string, after: string): Piece[] {
  const [a, b] = [words(before), words(after)]
  const whole: Piece[] = [
    { kind: 'gone', text: before },
    { kind: 'new', text: after },
  ]
  if (a.length > MOST_WORDS || b.length > MOST_WORDS) return whole
  const common = commonAhead(a, b)
  // Of the shorter one: a text that was only added to shares all of it.
  const shorter = Math.min(a.length, b.length)
  if (shorter >= LONG_ENOUGH && at(common, 0, 0) < LEAST_SHARED * shorter) return whole
  const pieces: Piece[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      add(pieces, 'same', a[i])
      i += 1
      j += 1
    } else if (j < b.length && (i === a.length || at(common, i, j + 1) >= at(common, i + 1, j))) {
      add(pieces, 'new', b[j])
      j += 1
    } else {
      add(pieces, 'gone', a[i])
      i += 1
    }
  }
  return pieces
}

function words(text: string): string[] {
  return `${text.trimEnd()} `.match(/\S+\s*/g) ?? []
}

function add(pieces: Piece[], kind: Piece['kind'], text = ''): void {
  const last = pieces.at(-1)
  if (last?.kind === kind) last.text += text
  else pieces.push({ kind, text })
}

/** How many words the rests of both have in common, for every pair of rests. */
function commonAhead(a: string[], b: string[]): Uint16Array[] {
  const rows = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1))
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) {
      const row = rows[i]
      if (row)
        row[j] = a[i] === b[j] ? at(rows, i + 1, j + 1) + 1 : Math.max(at(rows, i + 1, j), at(rows, i, j + 1))
    }
  return rows
}

function at(rows: Uint16Array[], i: number, j: number): number {
  return rows[i]?.[j] ?? 0
}
