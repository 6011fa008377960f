/**
 * A message made ready for reading: visible characters only, as much as a task may hold, cut into the same tokens that
 * search reads. Each reader marks the tokens it has understood, so that the next one does not take "2" of "by 2 December"
 * for a quantity or the "2" of a product's name for a day.
 */
import { cutMiddle, type Range, type Token, tokenize } from '../../../search/understand/tokens.ts'

/** More than this is not a conversation about one purchase. All of it is read: a quantity may stand in its last line. */
export const MAX_TEXT = 4_000
/** Words and marks. A text of that length has some 800; more are single letters, and each is looked up. */
const TOKENS = { head: 600, tail: 200 }

export type Message = { text: string; tokens: readonly Token[]; taken: Uint8Array }

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}]+/gu

export function readMessage(raw: string): Message {
  // Far more than is kept, so that a huge text costs no more than a long one.
  const visible = raw
    .slice(0, MAX_TEXT * 2)
    .toWellFormed()
    .replace(INVISIBLE, ' ')
  const head = visible.replace(/\s+/g, ' ').trim()
  // A cut may fall into a pair of surrogates.
  const text = cutMiddle(head.slice(0, MAX_TEXT).toWellFormed().trim(), TOKENS)
  const tokens = tokenize(text)
  return { text, tokens, taken: new Uint8Array(tokens.length) }
}

export function take(taken: Uint8Array, ...ranges: ReadonlyArray<Range | null>): Uint8Array {
  for (const range of ranges) if (range) taken.fill(1, range.from, range.to)
  return taken
}
