/**
 * What the person does not want. `lack` is a thing the product must not have or be ("without a fan", "not leather");
 * `avoid` is something it must not do or be too much of ("won't slip", "not too heavy"); `free` is written the way
 * products write it ("gluten-free"), so the word may well stand in the right product's text. What people say about
 * themselves ("I can't bend", "there's no garage") is no negation. Lists and reasons are in negation-words.ts, the
 * reach of a negation in negation-scope.ts.
 */
import {
  absorbInfinitive,
  absorbParticle,
  readScope,
  type ScopeContext,
  type ScopeItem,
  type Speaker,
} from './negation-scope.ts'
import {
  AFTER_FREE,
  AFTER_NO,
  AFTER_NON,
  AFTER_NOT,
  BEFORE_FREE,
  BEFORE_NOT,
  BEING,
  BEING_CONTRACTIONS,
  CONTRACTIONS,
  DEGREES,
  DOING,
  INDIFFERENT,
  isGerund,
  isTurnedAround,
  LEADS,
  LIGHT_VERBS,
  looksLikeAdjective,
  PART_LEADS,
  PERSONS,
  PREPOSITIONS,
  RELATIVES,
  ruledOutEnd,
  type Sense,
  STOPS,
  WISHES,
} from './negation-words.ts'
import { foldAt, isHyphen, isWord, phraseAt, type Range, sliceRange, type Token, tokenize } from './tokens.ts'

export type NegationKind = 'lack' | 'avoid' | 'free'
export type Negation = { phrase: string; words: string[]; kind: NegationKind }
/** `items` are the single things of a list, which the words run together. */
export type NegationFound = Negation & Range & { items: ScopeItem[]; sense: Sense }
type Read = Omit<NegationFound, 'phrase'>

const MAX_RULED_OUT = 4

export function findNegations(
  query: string,
  tokens: readonly Token[],
  taken: Uint8Array = new Uint8Array(tokens.length),
  isProductWord: (word: string) => boolean = () => false,
  speaker: Speaker = 'shopper',
): NegationFound[] {
  const noun = tokens.findIndex(
    ({ kind, fold }) => kind === 'word' && !isSmallWord(fold) && !looksLikeAdjective(fold),
  )
  const context = { tokens, taken, isProductWord, nounAt: noun < 0 ? tokens.length : noun, speaker }
  const found: NegationFound[] = []
  let index = 0
  while (index < tokens.length) {
    const read = taken[index]
      ? null
      : (readRuledOut(context, index, found.at(-1)?.to ?? 0) ?? readAt(context, index))
    if (read) found.push({ ...read, phrase: sliceRange(query, tokens, read) })
    index = read ? Math.max(read.to, index + 1) : index + 1
  }
  return found
}

/** The same reading of a product's own text: the words for what it does without. */
export function wordsDeniedBy(text: string): string[] {
  const tokens = tokenize(text)
  const negations = findNegations(text, tokens, new Uint8Array(tokens.length), () => false, 'product')
  return negations.flatMap(({ words }) => words)
}

function isSmallWord(word: string): boolean {
  return STOPS.has(word) || LEADS.has(word) || CONTRACTIONS.has(word) || BEING.has(word) || word === 'looking'
}

function readAt(context: ScopeContext, index: number): Read | null {
  const { tokens } = context
  const word = foldAt(tokens, index)
  const preposition = phraseAt(PREPOSITIONS, tokens, index)
  if (preposition && isTurnedAround(tokens, index)) return null
  if (preposition) return readPreposition(context, index, preposition.to, preposition.meaning)
  if (word === 'no') return readNo(context, index)
  if (word === 'non') return readNon(context, index)
  if (word === 'not' || CONTRACTIONS.has(word)) return readNot(context, index)
  if (word === 'nothing') return readNothing(context, index)
  return readFree(context, index)
}

/** "party speakers need not apply", "too small for a booster, so none of those" */
function readRuledOut({ tokens, taken, speaker }: ScopeContext, index: number, least: number): Read | null {
  const to = speaker === 'shopper' ? ruledOutEnd(tokens, index) : null
  if (to === null) return null
  const end = foldAt(tokens, index - 1) === ',' ? index - 1 : index
  let from = end
  while (from > Math.max(least, end - MAX_RULED_OUT) && isNamed(tokens, taken, from - 1)) from--
  if (from === end) return null
  const words = tokens.slice(from, end).map(({ fold }) => fold)
  return { from, to, words, items: [{ words, from, to: end }], kind: 'lack', sense: 'be' }
}

function isNamed(tokens: readonly Token[], taken: Uint8Array, at: number): boolean {
  return isWord(tokens, at) && !taken[at] && !isSmallWord(foldAt(tokens, at))
}

function readPreposition(context: ScopeContext, index: number, to: number, sense: Sense): Read | null {
  const scope = readScope(context, to)
  if (!scope) return null
  const act = scope.words.length === 1 && isGerund(scope.words[0] ?? '')
  return { ...scope, from: index, kind: act ? 'avoid' : 'lack', sense }
}

function readNo(context: ScopeContext, index: number): Read | null {
  const { tokens } = context
  const dot = foldAt(tokens, index + 1) === '.'
  const next = isHyphen(tokens, index + 1) || dot ? index + 2 : index + 1
  // "No. 5", "no 7" count; "no 5g" does not.
  if (dot || (tokens[next]?.kind === 'number' && !tokens[next + 1]?.glued)) return null
  if (AFTER_NO.has(foldAt(tokens, next)) || isComparison(tokens, next)) return null
  const almost = /^(almost|nearly|virtually|practically)$/.test(foldAt(tokens, index - 1))
  if (context.speaker === 'shopper' && tellsAFact(tokens, almost ? index - 1 : index)) return null
  const scope = readScope(context, next)
  if (!scope) return null
  const to = absorbInfinitive(tokens, scope.to)?.to ?? scope.to
  const sense = foldAt(tokens, index - 1) === 'with' ? 'have' : 'open'
  return { ...scope, from: almost ? index - 1 : index, to, kind: almost ? 'avoid' : 'lack', sense }
}

/** "there's no lift", "I have no garage", "my flat has no balcony" */
function tellsAFact(tokens: readonly Token[], index: number): boolean {
  const before = foldAt(tokens, index - 1)
  if (before === "there's" || before === 'theres' || foldAt(tokens, index - 2) === 'there') return true
  return /^(have|has|had|got)$/.test(before) && subject(tokens, index - 1) === 'person'
}

function readNon(context: ScopeContext, index: number): Read | null {
  const { tokens } = context
  const next = isHyphen(tokens, index + 1) ? index + 2 : index + 1
  if (!isWord(tokens, next) || AFTER_NON.has(foldAt(tokens, next)) || STOPS.has(foldAt(tokens, next)))
    return null
  return { ...oneThing(tokens, { from: index, to: next + 1 }, next), kind: 'lack', sense: 'be' }
}

function readNot(context: ScopeContext, index: number): Read | null {
  const { tokens } = context
  const word = foldAt(tokens, index)
  const before = foldAt(tokens, index - 1)
  const next = foldAt(tokens, index + 1)
  if (AFTER_NOT.has(next) || INDIFFERENT.has(next) || isComparison(tokens, index + 1)) return null
  // "Not the cheapest" only asks for a better one.
  if (next === 'the' && /est$|^most$|^least$/.test(foldAt(tokens, index + 2))) return null
  if (word === 'not' && BEFORE_NOT.has(before) && !tokens[index]?.glued) return null
  const split = word === 'not' && (DOING.has(before) || BEING.has(before))
  const auxiliary = split ? index - 1 : index
  const predicate = BEING_CONTRACTIONS.has(word) || (word === 'not' && !DOING.has(before))
  const person = context.speaker === 'shopper' && subject(tokens, auxiliary) === 'person'
  if (predicate || next === 'be') {
    if (person && (split || word !== 'not')) return null
    const from = split && DOING.has(before) ? auxiliary : index
    return readPredicate(context, from, next === 'be' ? index + 2 : index + 1)
  }
  return readVerb(context, split && before !== 'to' ? auxiliary : index, index + 1, person)
}

/** "not too heavy", "isn't leather", "not for espresso" */
function readPredicate(context: ScopeContext, from: number, start: number): Read | null {
  // "not too heavy backpack": the degree is of one quality, and the backpack is wanted.
  const degree = DEGREES.has(foldAt(context.tokens, start))
  const scope = readScope(context, start, degree ? 1 : undefined)
  if (!scope) return null
  const quality = degree || scope.words.every(looksLikeAdjective)
  const lead = context.tokens.slice(start, scope.items[0]?.from)
  const sense = lead.some(({ fold }) => PART_LEADS.has(fold)) ? 'have' : 'be'
  return { ...scope, from, kind: quality ? 'avoid' : 'lack', sense }
}

/** "doesn't need batteries" negates the batteries; "won't slip" negates the slipping. */
function readVerb(context: ScopeContext, from: number, start: number, person: boolean): Read | null {
  const { tokens } = context
  const at = /^(ever|really|actually|even|easily|always|necessarily)$/.test(foldAt(tokens, start))
    ? start + 1
    : start
  const verb = foldAt(tokens, at)
  if (!isWord(tokens, at) || context.taken[at] || INDIFFERENT.has(verb)) return null
  if (isOptional(tokens, at)) return null
  if (person && !(WISHES.has(verb) && isWish(tokens, from, verb))) return null
  if (LIGHT_VERBS.has(verb)) {
    const scope = readScope(context, at + 1)
    if (!scope) return null
    const words = dropVictim(tokens, at, scope.words)
    const kind = words.every(looksLikeAdjective) ? 'avoid' : 'lack'
    return { ...scope, from, words, kind, sense: person ? 'open' : 'have' }
  }
  if (STOPS.has(verb)) return null
  const range = { from, to: absorbParticle(tokens, at + 1) }
  return { ...oneThing(tokens, range, at), kind: 'avoid', sense: 'have' }
}

/** "Doesn't have to be leather" leaves leather allowed; "doesn't have to be charged" does not. */
function isOptional(tokens: readonly Token[], verb: number): boolean {
  const two = `${foldAt(tokens, verb + 1)} ${foldAt(tokens, verb + 2)}`
  if (!/^(have|need)$/.test(foldAt(tokens, verb)) || two !== 'to be') return false
  return !/(ed|en|un)$/.test(foldAt(tokens, verb + 3))
}

/** "doesn't make my hands cold": the cold is unwanted, not the hands. */
function dropVictim(tokens: readonly Token[], verb: number, words: string[]): string[] {
  const causes = /^(make|makes|leave|leaves)$/.test(foldAt(tokens, verb))
  const possessive = /^(my|your|the|our|his|her)$/.test(foldAt(tokens, verb + 1))
  return causes && possessive && words.length > 1 ? words.slice(1) : words
}

/** "I don't have a garage" is a fact; "I don't want a garage door" and "I don't have to fold" are wishes. */
function isWish(tokens: readonly Token[], from: number, verb: string): boolean {
  if (verb !== 'have') return true
  for (let at = from; at < from + 4; at++)
    if (foldAt(tokens, at) === 'have') return foldAt(tokens, at + 1) === 'to'
  return false
}

function readNothing(context: ScopeContext, index: number): Read | null {
  const { tokens } = context
  const next = foldAt(tokens, index + 1)
  const opens = /^(with|too|made|containing|overly|very|that's)$/.test(next)
  if (!opens && !looksLikeAdjective(next)) return null
  return readPredicate(context, index, next === "that's" ? index + 2 : index + 1)
}

/** "latex-free", "sulfate and paraben free" */
function readFree(context: ScopeContext, index: number): Read | null {
  const { tokens } = context
  const first = foldAt(tokens, index)
  if (!isFreeOf(tokens, index)) return null
  const joined = /^(and|&|or|\/)$/.test(foldAt(tokens, index + 1)) ? index + 2 : index
  const second = foldAt(tokens, joined)
  const free = isHyphen(tokens, joined + 1) ? joined + 2 : joined + 1
  if (foldAt(tokens, free) !== 'free' || !isFreeOf(tokens, joined)) return null
  if (AFTER_FREE.has(foldAt(tokens, free + 1))) return null
  const both = joined !== index && !looksLikeAdjective(first) && !context.isProductWord(first)
  if (joined !== index && !both) return null
  const words = both ? [first, second] : [second]
  return { from: index, to: free + 1, words, items: [], kind: 'free', sense: 'have' }
}

function oneThing(tokens: readonly Token[], range: Range, at: number): Range & Pick<Read, 'words' | 'items'> {
  const words = [foldAt(tokens, at)]
  return { ...range, words, items: [{ words, from: at, to: at + 1 }] }
}

function isFreeOf(tokens: readonly Token[], index: number): boolean {
  const word = foldAt(tokens, index)
  return isWord(tokens, index) && !BEFORE_FREE.has(word) && !STOPS.has(word)
}

/** "no bigger than", "not more than": sizes and budgets read those. */
function isComparison(tokens: readonly Token[], index: number): boolean {
  if (foldAt(tokens, index + 1) === 'than') return true
  // "not over-ear" is a shape, not a limit.
  return /^(over|under|above|below|exceeding)$/.test(foldAt(tokens, index)) && !isHyphen(tokens, index + 1)
}

/** Whose act it is: a relative pronoun nearer than a person means the product. */
function subject(tokens: readonly Token[], index: number): 'person' | 'product' {
  for (let at = index - 1; at >= 0 && at >= index - 4; at--) {
    const word = foldAt(tokens, at)
    if (PERSONS.has(word)) return 'person'
    if (RELATIVES.has(word) || tokens[at]?.kind === 'mark') return 'product'
  }
  return 'product'
}
