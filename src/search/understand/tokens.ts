/**
 * Cuts a query into words, numbers, currency signs and marks, each with its place in the query, so that every
 * reader of this folder walks the same list and can say exactly which characters it took. Scanning tokens instead
 * of matching long patterns keeps the work linear whatever the text.
 */
import { foldText } from '../lexical/fold.ts'

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
