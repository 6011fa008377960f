/**
 * How much of a query is read. Every word costs look-ups in the catalog's vocabulary, a piece of a vector and perhaps a
 * scan of the dictionary, so a thousand characters of nonsense would cost many times what a question does. The longest
 * question people ask has some twenty words. What is wanted stands first and its price often last: of a longer text
 * the beginning and the end are read.
 */
import { tokenize } from './tokens.ts'

export const HEAD_TOKENS = 72
export const TAIL_TOKENS = 24

export function cutQuery(query: string): string {
  return cutMiddle(query, { head: HEAD_TOKENS, tail: TAIL_TOKENS })
}

/** So many tokens of the beginning and of the end; a shorter text as it is. */
export function cutMiddle(text: string, { head, tail }: { head: number; tail: number }): string {
  // A token is one character at least.
  if (text.length <= head + tail) return text
  const tokens = tokenize(text)
  const end = tokens[head - 1]?.end
  const start = tokens[tokens.length - tail]?.start
  if (tokens.length <= head + tail || end === undefined || start === undefined) return text
  // The comma keeps the two from reading as one phrase.
  return `${text.slice(0, end)}, ${text.slice(start)}`
}
