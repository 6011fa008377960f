/**
 * Cuts a query into words, numbers, currency signs and marks, each with its place in the query, so that every
 * reader of this folder walks the same list and can say exactly which characters it took. Scanning tokens instead
 * of matching long patterns keeps the work linear whatever the text.
 */
import { foldText } from '../lexical/tokenize.ts'

/**
 * How much of a query is read. Every word costs look-ups in the catalog's vocabulary, a piece of a vector and perhaps a
 * scan of the dictionary, so a thousand characters of nonsense would cost many times what a question does. The longest
 * question people ask has some twenty words. What is wanted stands first and its price often last: of a longer text
 * the beginning and the end are read.
 */

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

export type Token = {
  kind: 'word' | 'number' | 'sign' | 'mark'
  /** As the index spells it; marks stay as they are. */
  fold: string
  /** Only for numbers written in digits. */
  value: number | null
  start: number
  end: number
  /** No white space stands between this token and the one before. */
  glued: boolean
  /** Begins with a capital letter. */
  upper: boolean
}

/** Tokens `from` up to, not including, `to`. */
export type Range = { from: number; to: number }

const TOKEN =
  /(\d{1,3}(?:\.\d{3})+,\d{1,2}(?!\d)|\d{1,3}(?:[,'’\u00a0\u202f]\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)|([\p{L}\p{M}]+(?:['’]\p{L}+)*)|(\p{Sc})|\S/gu

export function tokenize(query: string): Token[] {
  const tokens: Token[] = []
  let previousEnd = -1
  for (const match of query.matchAll(TOKEN)) {
    const [text, number, word, sign] = match
    const start = match.index
    const end = start + text.length
    tokens.push({
      kind: number ? 'number' : word ? 'word' : sign ? 'sign' : 'mark',
      fold: number || word ? foldText(text) : text,
      value: number ? numberOf(number) : null,
      start,
      end,
      glued: start === previousEnd,
      upper: /^\p{Lu}/u.test(text),
    })
    previousEnd = end
  }
  return tokens
}

/** "1,200.50", and "1.200,50" as much of Europe writes it. */
function numberOf(number: string): number {
  const continental = /\.\d{3},/.test(number)
  const plain = continental ? number.replaceAll('.', '').replace(',', '.') : number
  return Number(plain.replaceAll(/[,'’\u00a0\u202f]/g, ''))
}

export function foldAt(tokens: readonly Token[], index: number): string {
  return tokens[index]?.fold ?? ''
}

export function isGlued(tokens: readonly Token[], index: number): boolean {
  return tokens[index]?.glued ?? false
}

export function isWord(tokens: readonly Token[], index: number): boolean {
  return tokens[index]?.kind === 'word'
}

export function isHyphen(tokens: readonly Token[], index: number): boolean {
  return /^[-‐‑‒–—]$/.test(foldAt(tokens, index))
}

/** What the person wrote, from the first to the last token of a range. */
export function sliceRange(query: string, tokens: readonly Token[], range: Range): string {
  const first = tokens[range.from]
  const last = tokens[range.to - 1]
  return first && last && range.to > range.from ? query.slice(first.start, last.end) : ''
}

/** Phrases by their first word, longest first, so that "less than" wins over "less". */
export type Phrases<T> = ReadonlyMap<string, readonly { words: readonly string[]; meaning: T }[]>

export function phrases<T>(entries: Iterable<readonly [T, string]>): Phrases<T> {
  const byFirst = new Map<string, { words: string[]; meaning: T }[]>()
  for (const [meaning, list] of entries) {
    for (const phrase of list.split('|')) {
      const words = phrase.split(' ')
      const first = words[0] ?? ''
      byFirst.set(first, [...(byFirst.get(first) ?? []), { words, meaning }])
    }
  }
  for (const list of byFirst.values()) list.sort((a, b) => b.words.length - a.words.length)
  return byFirst
}

/** The longest phrase that starts at this token; a hyphen between its words is the same as a space. */
export function phraseAt<T>(
  table: Phrases<T>,
  tokens: readonly Token[],
  index: number,
): { meaning: T; to: number } | null {
  for (const { words, meaning } of table.get(foldAt(tokens, index)) ?? []) {
    let at = index + 1
    let matches = true
    for (const word of words.slice(1)) {
      if (isHyphen(tokens, at) && foldAt(tokens, at + 1) === word) at++
      if (foldAt(tokens, at) !== word) {
        matches = false
        break
      }
      at++
    }
    if (matches) return { meaning, to: at }
  }
  return null
}

export function wordSet(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/))
}

/**
 * Takes phrases out of a query and leaves text that still reads: small words that only led to a phrase go with it
 * ("headphones that …", "with …"), and so do the marks that closed it. What is left is a part of the query, in order.
 */

const DANGLING = wordSet(
  `that that's it's i'm which is are has have having with and but or for in at of costs costing cost priced price it i my a needs uses
  requires contains - , ; : & ( –`,
)
/** Marks that may open a text; any other at its start only joined what is gone. */
const OPENING = /^[#+<>~"“'‘(]$/
const CLOSING = /^["'”’)]$/
const NO_SPACE_BEFORE = /^[,;:.!?)]$/

export function takeOut(query: string, tokens: readonly Token[], ranges: readonly Range[]): string {
  if (ranges.length === 0) return query.trim().replace(/\s+/g, ' ')
  const gone = new Uint8Array(tokens.length)
  for (const { from, to } of ranges) gone.fill(1, from, to)
  for (const { from, to } of ranges) {
    for (let at = from - 1; at >= 0 && !gone[at] && DANGLING.has(foldAt(tokens, at)); at--) {
      // The "in" of "burn-in" joins nothing.
      if (isGlued(tokens, at) && isWord(tokens, at)) break
      gone[at] = 1
    }
    if (joinsNothing(tokens, to)) gone[to] = 1
  }
  let text = ''
  for (const [index, token] of tokens.entries()) {
    if (!gone[index] && isIdle(token, text, gone[index - 1] === 1)) gone[index] = 1
    if (gone[index]) continue
    const space = text !== '' && (!token.glued || gone[index - 1]) && !NO_SPACE_BEFORE.test(token.fold)
    text += (space ? ' ' : '') + query.slice(token.start, token.end)
  }
  return text
}

/** "chair [without wheels] but with armrests" */
function joinsNothing(tokens: readonly Token[], index: number): boolean {
  const word = foldAt(tokens, index)
  return word === 'but' || (word === 'and' && foldAt(tokens, index + 1) === 'with')
}

function isIdle(token: Token, text: string, afterGone: boolean): boolean {
  if (token.kind !== 'mark') return text === '' && token.fold === 'and'
  return (text === '' && !OPENING.test(token.fold)) || (token.glued && afterGone && CLOSING.test(token.fold))
}
