/**
 * How far a negation reaches. It covers one noun phrase and goes on over "or"; over "and" and commas only when a
 * bare list of nouns follows ("without dyes, parabens and perfume"), because otherwise a new wish begins there
 * ("no wires and easy to clean"). Inside the phrase, an adjective after the noun starts a new wish as well: in
 * English it would have come first ("no numpad wireless white").
 */
import { CLOSERS, isGerund, LEADS, LIGHT_VERBS, looksLikeAdjective, ONLY, STOPS } from './negation-words.ts'
import { foldAt, isGlued, isHyphen, isWord, type Range, type Token } from './tokens.ts'

export type ScopeContext = {
  tokens: readonly Token[]
  /** What other readers have understood already. */
  taken: Uint8Array
  isProductWord: (word: string) => boolean
  /** The first place where the query names a thing. */
  nounAt: number
  /** What a shopper says of himself ("there's no lift here") is no wish; a product only speaks of itself. */
  speaker: Speaker
}
export type Speaker = 'shopper' | 'product'
/** One of the things that a negation lists. */
export type ScopeItem = Range & { words: string[] }
/** A word, with the glued parts of a compound such as "wi-fi" or "5g". */
type Piece = { word: string; from: number; to: number }

const MAX_ITEM_WORDS = 4
const MAX_LEADS = 6
const MAX_LIST = 6

function skipLeads(tokens: readonly Token[], index: number): number {
  let at = index
  // The "over" of "over-ear" leads nowhere.
  while (at < index + MAX_LEADS && LEADS.has(foldAt(tokens, at)) && !isGlued(tokens, at + 1)) at++
  return at
}

/** `longest` is how many words one thing may have. */
export function readScope(
  context: ScopeContext,
  start: number,
  longest = MAX_ITEM_WORDS,
): { words: string[]; items: ScopeItem[]; to: number } | null {
  const first = readItem(context, skipLight(context, skipLeads(context.tokens, start)), longest)
  if (!first) return null
  const lists = [first]
  let to = endOf(first)
  let listed = listEnd(context, to)
  for (let items = 0; items < MAX_LIST; items++) {
    const next = nextItem(context, to, listed)
    if (!next) break
    lists.push(next)
    to = endOf(next)
    if (to >= listed) listed = 0
  }
  const kept = dropProduct(context, lists.flat(), start)
  const items = lists.flatMap((item) => itemOf(item.filter((piece) => kept.includes(piece))))
  const last = kept.at(-1)?.word ?? ''
  const end =
    isGerund(last) || last.endsWith('ed') ? absorbParticle(context.tokens, endOf(kept)) : endOf(kept)
  return { words: kept.map((piece) => piece.word), items, to: absorbCloser(context.tokens, end) }
}

function itemOf(pieces: readonly Piece[]): ScopeItem[] {
  const from = pieces[0]?.from
  return from === undefined ? [] : [{ words: pieces.map(({ word }) => word), from, to: endOf(pieces) }]
}

/** "without needing batteries", "instead of buying cartons" */
function skipLight({ tokens }: ScopeContext, index: number): number {
  const light = isGerund(foldAt(tokens, index)) && LIGHT_VERBS.has(foldAt(tokens, index))
  return light ? skipLeads(tokens, index + 1) : index
}

function readItem(context: ScopeContext, index: number, longest = MAX_ITEM_WORDS): Piece[] | null {
  const pieces: Piece[] = []
  let at = index
  while (pieces.length < longest) {
    const piece = readPiece(context, at)
    if (!piece || CLOSERS.has(piece.word)) break
    // "no down": right behind the trigger it is the filling, later a direction.
    if (STOPS.has(piece.word) && !(at === index && piece.word === 'down')) break
    // A part number ends what is described.
    if (pieces.length > 0 && /\d/.test(piece.word)) break
    const noun = pieces.some(({ word }) => !looksLikeAdjective(word))
    if (noun && looksLikeAdjective(piece.word)) break
    pieces.push(piece)
    at = piece.to
    // "without waking the baby": the act is unwanted, not the baby; "without a glaring light" is no act.
    if (pieces.length === 1 && isGerund(piece.word) && !isArticle(context.tokens, piece.from - 1)) break
    if (/^(or|nor|and)$/.test(foldAt(context.tokens, at))) break
  }
  return pieces.length > 0 ? pieces : null
}

function readPiece({ tokens, taken }: ScopeContext, index: number): Piece | null {
  const token = tokens[index]
  if (!token || taken[index] || (token.kind !== 'word' && token.kind !== 'number')) return null
  let to = index + 1
  let word = token.fold
  while (isGlued(tokens, to) && !taken[to]) {
    const hyphen = isHyphen(tokens, to) && isGlued(tokens, to + 1)
    const part = hyphen ? to + 1 : to
    if (!isWord(tokens, part) && tokens[part]?.kind !== 'number') break
    word += hyphen ? `-${foldAt(tokens, part)}` : foldAt(tokens, part)
    to = part + 1
  }
  return /\p{L}/u.test(word) ? { word, from: index, to } : null
}

function nextItem(context: ScopeContext, at: number, listed: number): Piece[] | null {
  const { tokens } = context
  const word = foldAt(tokens, at)
  if (word === 'or' || word === 'nor' || word === '/') {
    // "no fan or with a silent one": what follows starts a wish of its own.
    const from = skipArticles(tokens, at + 1)
    return STOPS.has(foldAt(tokens, from)) ? null : readItem(context, from)
  }
  if (word === ',') return at < listed ? readItem(context, skipAnd(tokens, at + 1)) : null
  if (word !== 'and' && word !== '&') return null
  const item = readItem(context, skipArticles(tokens, at + 1))
  return item && isBareNoun(context, item) ? item : null
}

export function isArticle(tokens: readonly Token[], index: number): boolean {
  return /^(a|an|any|the)$/.test(foldAt(tokens, index))
}

function skipArticles(tokens: readonly Token[], index: number): number {
  return isArticle(tokens, index) ? index + 1 : index
}

function skipAnd(tokens: readonly Token[], index: number): number {
  return /^(or|and|nor|&)$/.test(foldAt(tokens, index))
    ? skipArticles(tokens, index + 1)
    : skipArticles(tokens, index)
}

/** One or two words that are no adjectives, with nothing running on behind them. */
function isBareNoun(context: ScopeContext, item: readonly Piece[]): boolean {
  const after = context.tokens[endOf(item)]
  const ends = !after || after.kind === 'mark' || context.taken[endOf(item)] === 1 || STOPS.has(after.fold)
  return ends && item.length <= 2 && !item.some(({ word }) => looksLikeAdjective(word)) && !isOnly(after)
}

function isOnly(token: Token | undefined): boolean {
  return token !== undefined && ONLY.has(token.fold)
}

/** Where the list that starts at a comma closes with "or" or "and" and a last noun; 0 when it is no such list. */
function listEnd(context: ScopeContext, comma: number): number {
  const { tokens } = context
  let at = comma
  for (let items = 0; items < MAX_LIST && foldAt(tokens, at) === ','; items++) {
    const from = skipAnd(tokens, at + 1)
    const closes = from > at + 1 && /^(or|and|nor|&)$/.test(foldAt(tokens, at + 1))
    const item = readItem(context, from)
    if (!item || item.length > 2 || item.some(({ word }) => looksLikeAdjective(word))) return 0
    at = endOf(item)
    const joins = /^(or|and|nor|&)$/.test(foldAt(tokens, at))
    const last = joins ? readItem(context, skipArticles(tokens, at + 1)) : null
    if (last && !last.some(({ word }) => looksLikeAdjective(word)))
      return isOnly(tokens[endOf(last)]) ? 0 : endOf(last)
    if (closes) return isOnly(tokens[at]) ? 0 : at
  }
  return 0
}

function endOf(pieces: readonly Piece[]): number {
  return pieces.at(-1)?.to ?? 0
}

/**
 * In "no numpad keyboard" the keyboard is what is wanted. Only when nothing but adjectives stands before the trigger:
 * a thing that was named before is looked for without the one named after.
 */
function dropProduct(context: ScopeContext, pieces: readonly Piece[], start: number): Piece[] {
  if (context.nounAt < start - 1) return [...pieces]
  let keep = pieces.length
  while (keep > 1 && context.isProductWord(pieces[keep - 1]?.word ?? '')) keep--
  return pieces.slice(0, keep)
}

/** "no assembly required", "without any noise at all", "no dye in it" */
function absorbCloser(tokens: readonly Token[], index: number): number {
  if (CLOSERS.has(foldAt(tokens, index))) return index + 1
  const two = `${foldAt(tokens, index)} ${foldAt(tokens, index + 1)}`
  return /^(at all|in it|on it|in them|on them)$/.test(two) ? index + 2 : index
}

/** "without plugging in", "doesn't need to be rolled up" */
export function absorbParticle(tokens: readonly Token[], index: number): number {
  if (!/^(in|up|out|off|down|over|through|apart)$/.test(foldAt(tokens, index))) return index
  const next = tokens[index + 1]
  return !next || next.kind === 'mark' || STOPS.has(next.fold) ? index + 1 : index
}

/** "no chain to grease", "no trigger to hold down" */
export function absorbInfinitive(tokens: readonly Token[], index: number): Range | null {
  if (foldAt(tokens, index) !== 'to' || !isWord(tokens, index + 1)) return null
  const particle = /^(down|up|out|off|in|on)$/.test(foldAt(tokens, index + 2))
  return { from: index, to: particle ? index + 3 : index + 2 }
}
