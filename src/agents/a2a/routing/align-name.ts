/**
 * Lays the words of a name over the words of a message: in order, side by side, forgiving a misspelt letter in longer words
 * and a space too many or too few. Numbers are never forgiven: a name that stands with another number is another
 * product's ("Skein 3" where there is only a Skein 2).
 */
import { editDistance } from '../../../search/lexical/dictionary.ts'
import type { Token } from '../../../search/understand/tokens.ts'

const WORD = 3
const PIECE = 1
const INSIDE = /^[-‐‑–.'’/()"“”+]$/
const MOST_MARKS = 4

export type Aligned = {
  /** Tokens of the message that belong to the name. */
  at: number[]
  /** Words of the name that were found, of how many. */
  words: number
  of: number
  typos: number
  /** What the found words are worth: a number or a letter says less than a word. */
  weight: number
  /** The number it stands with, which is not its own. */
  stray: number | null
}

/** Where names may begin, by first letter or by number: a long message is not walked again for every name. */
export type Starts = ReadonlyMap<string, readonly number[]>

export function startsOf(tokens: readonly Token[], taken: Uint8Array): Starts {
  const starts = new Map<string, number[]>()
  for (const [at, token] of tokens.entries()) {
    if (taken[at] || token.kind === 'mark' || token.kind === 'sign') continue
    const key = startKey(token)
    const places = starts.get(key)
    if (places) places.push(at)
    else starts.set(key, [at])
  }
  return starts
}

/** A misspelt word still begins with its own letter. */
function startKey({ kind, fold, value }: Token): string {
  return kind === 'number' ? `#${value}` : (fold[0] ?? '')
}

export function alignName(
  name: readonly Token[],
  tokens: readonly Token[],
  taken: Uint8Array,
  options: {
    starts: Starts
    /** A word the catalog uses is not a misspelling of another. */
    isKnown(word: string): boolean
    /** Half of the name suffices only if it is the first half. */
    head?: boolean
    /** Where a name found earlier ended: of equal places the one right behind it counts. */
    after?: number | null
  },
): Aligned | null {
  let best: Aligned | null = null
  const keys = new Set(name.map(startKey))
  const places = [...keys].flatMap((key) => options.starts.get(key) ?? []).sort((a, b) => a - b)
  for (const from of places) {
    if (taken[from]) continue
    const found = alignAt(name, tokens, taken, from, options.isKnown)
    if (!found || (options.head && !found.first)) continue
    const beside = options.after !== undefined && options.after !== null && from === options.after + 1
    if (!best || rankOf(found) > rankOf(best) || (beside && rankOf(found) === rankOf(best))) best = found
  }
  return best
}

function rankOf({ weight, typos, stray }: Aligned): number {
  return weight - typos * 0.1 - (stray === null ? 0 : 0.5)
}

function alignAt(
  name: readonly Token[],
  tokens: readonly Token[],
  taken: Uint8Array,
  from: number,
  isKnown: (word: string) => boolean,
): (Aligned & { first: boolean }) | null {
  // Most tokens begin no name: they cost nothing but this look.
  const begins = name.findIndex((_, word) => matchWord(name, word, tokens, taken, from, isKnown) !== null)
  if (begins < 0) return null
  const at: number[] = []
  const found = new Set<number>()
  let typos = 0
  let place = from
  for (let word = begins; word < name.length; ) {
    place = skipMarks(tokens, place)
    const hit = taken[place] ? null : matchWord(name, word, tokens, taken, place, isKnown)
    if (!hit) {
      word++
      continue
    }
    for (let step = 0; step < hit.tokens; step++) at.push(place + step)
    for (let step = 0; step < hit.words; step++) found.add(word + step)
    typos += hit.typos
    word += hit.words
    place += hit.tokens
  }
  const isWord = (word: number) => name[word]?.kind === 'word' && (name[word]?.fold.length ?? 0) > 1
  const told = [...found].some(isWord)
  // "18V" is half of many names; only a name of nothing but letters and numbers ("F-90") is told by them, if whole.
  const whole = found.size === name.length && found.size > 1
  if (!at.includes(from) || !(told || (whole && !name.some((_, word) => isWord(word))))) return null
  const next = skipMarks(tokens, place)
  const number = taken[next] || next - place > 1 ? null : (tokens[next]?.value ?? null)
  const numbered = [...found].some((word) => name[word]?.kind === 'number')
  return {
    at,
    words: found.size,
    of: name.length,
    typos,
    weight: [...found].reduce((sum, word) => sum + (isWord(word) ? WORD : PIECE), 0),
    stray: numbered ? null : number,
    first: found.has(0),
  }
}

/** Hyphens and slashes inside names; a comma ends one, and so does a row of marks, however long. */
function skipMarks(tokens: readonly Token[], at: number): number {
  let next = at
  while (next - at < MOST_MARKS && tokens[next]?.kind === 'mark' && INSIDE.test(tokens[next]?.fold ?? ''))
    next++
  return next
}

type Hit = { tokens: number; words: number; typos: number }

function matchWord(
  name: readonly Token[],
  word: number,
  tokens: readonly Token[],
  taken: Uint8Array,
  at: number,
  isKnown: (word: string) => boolean,
): Hit | null {
  const own = name[word] as Token
  const token = tokens[at]
  if (!token) return null
  if (own.kind === 'number')
    return token.kind === 'number' && token.value === own.value ? { tokens: 1, words: 1, typos: 0 } : null
  if (token.kind !== 'word') return null
  const said = token.fold
  const typos = distance(said, own.fold)
  if (typos === 0) return { tokens: 1, words: 1, typos }
  const next = tokens[at + 1]
  // "auto shift" for AutoShift, "blockparty" for Block Party.
  if (next?.kind === 'word' && !taken[at + 1] && said + next.fold === own.fold)
    return { tokens: 2, words: 1, typos: 0 }
  const following = name[word + 1]
  if (following?.kind === 'word' && said === own.fold + following.fold)
    return { tokens: 1, words: 2, typos: 0 }
  return typos === null || isKnown(said) ? null : { tokens: 1, words: 1, typos }
}

/** Edits between two words; null when they are too many for words of that length. */
function distance(said: string, own: string): number | null {
  if (said === own || said === `${own}s` || said === `${own}'s` || said === `${own}es`) return 0
  const allowed = own.length >= 8 ? 2 : own.length >= 5 ? 1 : 0
  if (allowed === 0 || said[0] !== own[0]) return null
  const edits = editDistance(said, own, allowed)
  return edits <= allowed ? edits : null
}
