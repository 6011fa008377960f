/**
 * What the product must be or have beside its kind, so that its own facts can say yes or no: "quiet", "foldable", "with a
 * lid". Found by where words stand, not by a list of adjectives: beside the kind, behind "with", behind "that is".
 * Words that no product uses are left out, since no fact could answer them. What it must lack is denied.
 */
import { compactName, isIgnored, type Lexicon, termOf } from './names.ts'
import {
  isArticle,
  isGerund,
  LEADS,
  looksLikeAdjective,
  type NegationFound,
  readScope,
  STOPS,
} from './negation.ts'
import {
  foldAt,
  isGlued,
  isHyphen,
  isWord,
  type Phrases,
  phraseAt,
  phrases,
  type Range,
  sliceRange,
  type Token,
  wordSet,
} from './tokens.ts'

export type Attribute = { words: string[]; phrase: string; denied: boolean }
export type AttributeFound = Attribute & Range

const HAVING: Phrases<true> = phrases<true>([
  [
    true,
    'with|w /|has|having|featuring|must have|should have|that have|must work on|must work with|works on|works with',
  ],
])
const BEING: Phrases<true> = phrases<true>([
  [true, "that is|that are|that's|which is|which are|must be|should be|has to be|have to be|needs to be"],
])
/** Opinions and errands, which no product confirms. */
const IDLE = wordSet(
  `nice decent perfect awesome amazing excellent recommended recommendation recommendations quality ideal favorite
  favourite suitable right kind type sort brand model version thing buy buying show find get give recommend suggest
  search searching list help please thanks looking shopping gift present options option ideas easy shipping delivery
  review reviews rating ratings price priced warranty also first pls order lately already`,
)
/** "high speed", "extra long": no quality by themselves. */
const DEGREES = wordSet('high low long short full half dual double triple single multi extra super ultra')
/** Behind these a "with" tells of a person or a place. */
const ELSEWHERE = wordSet('for who whose to while when where if someone somebody')
const ANYTHING = wordSet('something anything one ones')
const MAX_BESIDE = 5
const MAX_AFTER_COMMA = 3

type Context = { query: string; tokens: readonly Token[]; read: Uint8Array; lexicon: Lexicon }

/** `read` marks what other readers have understood, `kindAt` the words that name the kind. */
export function findAttributes(
  query: string,
  tokens: readonly Token[],
  read: Uint8Array,
  kindAt: readonly number[],
  lexicon: Lexicon,
): AttributeFound[] {
  const context = { query, tokens, read, lexicon }
  const found = new Map<number, AttributeFound>()
  const add = (one: AttributeFound) => {
    if (!found.has(one.from)) found.set(one.from, one)
  }
  if (kindAt.length > 0) for (const one of besideKind(context, kindAt)) add(one)
  for (let index = 0; index < tokens.length; index++) {
    if (read[index]) continue
    const having = phraseAt(HAVING, tokens, index)
    const being = having ? null : phraseAt(BEING, tokens, index)
    if (having && (foldAt(tokens, index) === 'must' || isOfTheThing(tokens, index, kindAt)))
      for (const one of behindWith(context, having.to)) add(one)
    if (being) for (const one of runFrom(context, skipLeads(tokens, being.to), MAX_BESIDE)) add(one)
  }
  return [...found.values()].sort((a, b) => a.from - b.from)
}

/** "lamp with a cord", and not "lamp for someone with arthritis". */
function isOfTheThing(tokens: readonly Token[], index: number, kindAt: readonly number[]): boolean {
  if (ANYTHING.has(foldAt(tokens, index - 1))) return true
  const kind = kindAt.filter((at) => at < index)
  const between = tokens.slice(Math.max(...kind) + 1, index)
  return kind.length > 0 && !between.some(({ fold }) => ELSEWHERE.has(fold))
}

/** What must be lacking, each thing by itself. */
export function deniedBy(
  query: string,
  tokens: readonly Token[],
  negations: readonly NegationFound[],
): Attribute[] {
  return negations.flatMap(({ kind, sense, items, words, phrase }) => {
    // "Does not flicker" is told by products too, "not too heavy" is a matter of taste.
    if (kind === 'avoid' && (sense !== 'have' || words.some(looksLikeAdjective))) return []
    const kept = items.filter((item) => item.words.some((word) => words.includes(word)))
    if (kept.length === 0) return [{ words, phrase, denied: true }]
    return kept.map((item) => ({ words: item.words, phrase: sliceRange(query, tokens, item), denied: true }))
  })
}

function besideKind(context: Context, kindAt: readonly number[]): AttributeFound[] {
  const { tokens } = context
  const head = kindAt.find((at) => isHead(context, at))
  if (head === undefined) return []
  let first = head
  while (kindAt.includes(first - 1)) first--
  let from = first
  while (from > first - 2 * MAX_BESIDE && from > 0 && leadsToKind(context, from - 1)) from--
  let to = first + 1
  while (kindAt.includes(to) || (isHyphen(tokens, to) && isGlued(tokens, to))) to++
  const before = runFrom(context, from, MAX_BESIDE, first)
  const behind = runFrom(context, to, MAX_BESIDE)
  const comma = behind.at(-1)?.to ?? to
  const listed = foldAt(tokens, comma) === ',' ? afterCommas(context, comma) : []
  return [...before, ...behind, ...listed]
}

/** "quiet, foldable and light stroller" */
function leadsToKind(context: Context, at: number): boolean {
  const { tokens } = context
  if (isHyphen(tokens, at)) return isGlued(tokens, at)
  // "lightweight 2 person tent"
  if (context.read[at]) return !STOPS.has(foldAt(tokens, at))
  return /^(,|and|&)$/.test(foldAt(tokens, at)) || tells(context, at)
}

/** ", foldable, machine washable": short pieces that hold nothing else. */
function afterCommas(context: Context, start: number): AttributeFound[] {
  const { tokens } = context
  const found: AttributeFound[] = []
  let at = start
  while (foldAt(tokens, at) === ',') {
    const piece = runFrom(context, at + 1, MAX_AFTER_COMMA)
    const end = piece.at(-1)?.to
    if (end === undefined || (isWord(tokens, end) && !context.read[end] && !STOPS.has(foldAt(tokens, end))))
      break
    found.push(...piece)
    at = end
  }
  return found
}

/** The words in a row, each an attribute; "machine washable" and "noise cancelling" are one. */
function runFrom(
  context: Context,
  start: number,
  most: number,
  end = context.tokens.length,
): AttributeFound[] {
  const { tokens } = context
  const found: AttributeFound[] = []
  let at = start
  while (at < end && found.length < most) {
    while (end < tokens.length && at < end && context.read[at]) at++
    if (found.length > 0 && /^(,|and|&)$/.test(foldAt(tokens, at)) && at + 1 < end) {
      if (end === tokens.length && foldAt(tokens, at) === ',') break
      at++
    }
    const first = pieceAt(context, at)
    if (!first || !tells(context, at)) break
    const next = first.to < end ? pieceAt(context, first.to) : null
    const joined = next && tells(context, first.to) && qualifies(first.word, next.word) ? next : null
    const range = { from: at, to: joined?.to ?? first.to }
    const words = joined ? [first.word, joined.word] : [first.word]
    // "easy to clean", "light enough to carry": the quality is of something else.
    if (/^(to|enough)$/.test(foldAt(tokens, range.to))) break
    found.push({ ...range, words, phrase: sliceRange(context.query, tokens, range), denied: false })
    at = range.to
  }
  return found
}

function qualifies(word: string, next: string): boolean {
  if (DEGREES.has(word)) return true
  const quality = looksLikeAdjective(next) || isGerund(next) || /(ed|safe|free|proof)$/.test(next)
  return quality && !word.includes('-') && !looksLikeAdjective(word) && !isGerund(word)
}

/** A word with the glued parts of its compound, as in "noise-cancelling". */
function pieceAt({ tokens }: Context, at: number): { word: string; to: number } | null {
  if (!isWord(tokens, at)) return null
  let to = at + 1
  while (isHyphen(tokens, to) && isGlued(tokens, to) && isGlued(tokens, to + 1) && isWord(tokens, to + 1))
    to += 2
  const word = tokens
    .slice(at, to)
    .map(({ fold }, index) => (index % 2 ? '-' : fold))
    .join('')
  return { word, to }
}

/** A word that nobody else has read and that some product uses. */
function tells(context: Context, at: number): boolean {
  const { tokens, read, lexicon } = context
  const word = foldAt(tokens, at)
  if (!isWord(tokens, at) || read[at] || word.length < 3) return false
  const compound = isHyphen(tokens, at + 1) && isGlued(tokens, at + 1)
  if (!compound && (STOPS.has(word) || isIgnored(word) || IDLE.has(word) || isHead(context, at))) return false
  const { documentShare } = lexicon.vocabulary
  const piece = pieceAt(context, at)?.word ?? word
  return !documentShare || [word, compactName(piece)].some((one) => documentShare(termOf(one)) > 0)
}

/** The last word of some category's label: another thing, and no quality of this one. */
function isHead({ tokens, lexicon }: Context, at: number): boolean {
  const slugs = lexicon.stems.get(termOf(foldAt(tokens, at)))
  return slugs !== undefined && [...slugs.values()].includes(1)
}

/** One noun phrase, or a list of them: "with a removable lid", "with lid and handle". */
function behindWith(context: Context, start: number): AttributeFound[] {
  const { query, tokens, read, lexicon } = context
  const scope = readScope(
    { tokens, taken: read, isProductWord: () => false, nounAt: 0, speaker: 'shopper' },
    skipBuiltIn(tokens, start),
  )
  return (scope?.items ?? []).flatMap((item) => {
    const words = item.words.filter((word) => !isIgnored(word) && !IDLE.has(word))
    const { documentShare } = lexicon.vocabulary
    const known = words.every((word) => !documentShare || documentShare(termOf(compactName(word))) > 0)
    return known && words.length > 0
      ? [{ from: item.from, to: item.to, words, phrase: sliceRange(query, tokens, item), denied: false }]
      : []
  })
}

/** "with a built in grinder" has a grinder. */
function skipBuiltIn(tokens: readonly Token[], start: number): number {
  const at = isArticle(tokens, start) ? start + 1 : start
  if (foldAt(tokens, at) !== 'built') return start
  const particle = isHyphen(tokens, at + 1) ? at + 2 : at + 1
  return foldAt(tokens, particle) === 'in' ? particle + 1 : start
}

function skipLeads(tokens: readonly Token[], start: number): number {
  let at = start
  while (at < start + 3 && LEADS.has(foldAt(tokens, at))) at++
  return at
}
