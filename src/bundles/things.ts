/**
 * The things a sentence asks for outright, each with how many, in which words and how much it matters. A name behind
 * "with", "for" or "that holds" tells of a part or a purpose of the thing before it ("monitor with webcam", "desk for two
 * monitors"), and one behind "or" is a choice, so neither is a thing of its own.
 */
import { readNumber } from '../search/understand/budget.ts'
import {
  foldAt,
  isGlued,
  isHyphen,
  type Range,
  sliceRange,
  type Token,
  wordSet,
} from '../search/understand/tokens.ts'
import { unitAt } from '../search/understand/units.ts'
import type { WishedThing } from './bundles.schema.ts'
import type { Mention } from './mentions.ts'
import type { Stress } from './said-of.ts'
import { CHEAP, CHOICE, comesInPairs, DESCRIPTION_STOPS } from './wish-words.ts'

export type ThingFound = Omit<WishedThing, 'quantity' | 'maxCents' | 'makers'> & {
  /** Null when no number was said. */
  quantity: number | null
  /** All words that speak of it. */
  range: Range
  /** Where another choice begins ("headphones or earbuds"), which is no part of its own words. */
  choiceAt: number | null
  mention: Mention
}

type Context = {
  query: string
  tokens: readonly Token[]
  /** Money, and what is left out. */
  taken: Uint8Array
  labelOf: (slug: string) => string
  stresses: readonly Stress[]
}
type Inside = Context & { /** Tokens of names. */ named: Uint8Array }

/** What follows a thing, and whether it has named another category. */
type Scope = { word: string; names: boolean }

const OPENS_SCOPE = wordSet(
  'with for that which who inside holds hold holding fits fitting featuring including to on in',
)
const MAX_DESCRIPTION = 6
/** Behind a colon, more is a sum. */
const MOST_BEHIND = 20
const MULTIPLES = new Map(
  Object.entries({ dual: 2, twin: 2, double: 2, triple: 3, both: 2, /** "His and hers" */ hers: 2 }),
)

export function findThings(context: Context, mentions: readonly Mention[]): ThingFound[] {
  const { tokens } = context
  const named = new Uint8Array(tokens.length)
  for (const { from, to } of mentions) named.fill(1, from, to)
  const starts = new Map(mentions.map((mention) => [mention.from, mention]))
  const things: ThingFound[] = []
  let scope = null as Scope | null
  let current = null as ThingFound | null
  let choice = false
  for (let at = 0; at < tokens.length; at++) {
    const mention = starts.get(at)
    if (mention) {
      // "A desk with four chairs"
      const counted = scope?.word === 'with' ? (countBefore(context, mention.from, mention)?.count ?? 0) : 0
      if (scope && counted < 2) scope.names = true
      else if (!choice) {
        scope = null
        current = thingAt({ ...context, named }, mention)
        things.push(current)
      }
      choice = false
      at = mention.to - 1
      if (current) current.range.to = Math.max(current.range.to, mention.to)
      continue
    }
    if (context.taken[at]) {
      current = null
      scope = scope?.names ? scope : null
      continue
    }
    const word = foldAt(tokens, at)
    if (word === 'or' || word === '/') {
      choice = current !== null
      if (current && !scope) current.choiceAt ??= at
    } else if (separates(tokens, at) && !(scope && OPENS_SCOPE.has(foldAt(tokens, at - 1)))) {
      if (/^[,;:.!?]$/.test(word)) choice = false
      if (!scope || closes(tokens, at, scope)) {
        scope = null
        current = null
      }
    } else if (
      !scope &&
      current &&
      at === current.range.to &&
      (OPENS_SCOPE.has(word) || saysMore(tokens, at))
    )
      scope = { word, names: false }
    if (scope && current && at === current.range.to) current.range.to = at + 1
  }
  return mergeTwice(things.map((thing) => finish(context, thing)))
}

/** "Laptop (less than 1.2 kg)"; "(I take photos)" is part of the story. */
function saysMore(tokens: readonly Token[], at: number): boolean {
  return foldAt(tokens, at) === '(' && !/^(?:i|we|s?he|they|my|our|it)(?:'|$)/.test(foldAt(tokens, at + 1))
}

function separates(tokens: readonly Token[], at: number): boolean {
  const { kind, fold } = tokens[at] as Token
  if (kind === 'word') return /^(and|plus|need|want|also|then|but)$/.test(fold)
  return /^[,;:.+&!?]$/.test(fold)
}

/** Parts go on being listed: "laptop with a good keyboard, webcam and microphone". */
function closes(tokens: readonly Token[], at: number, scope: Scope): boolean {
  if (!scope.names || /^[;:.+!?]$/.test(foldAt(tokens, at))) return true
  return scope.word !== 'with' && foldAt(tokens, at) === ','
}

function thingAt(context: Inside, mention: Mention): ThingFound {
  const { tokens, taken, named, query } = context
  let from = mention.from
  let quantity: number | null = null
  for (let words = 0; from > 0 && words < MAX_DESCRIPTION && !taken[from - 1] && !named[from - 1]; ) {
    const counted = countBefore(context, from, mention)
    if (counted) {
      quantity = counted.count
      from = counted.from
      break
    }
    const token = tokens[from - 1]
    const joins = isHyphen(tokens, from - 1) && (isGlued(tokens, from) || isGlued(tokens, from - 1))
    const within = joins || /^['’]$/.test(token?.fold ?? '')
    if (!token || (token.kind === 'mark' && !within) || token.kind === 'sign') break
    if (token.kind === 'word' && DESCRIPTION_STOPS.has(token.fold)) break
    if (!joins) words++
    from--
  }
  const described = quantity === null ? from : startOfWords(tokens, from, mention.from)
  const label = context.labelOf(mention.slug)
  const left = sliceRange(query, tokens, { from: described, to: mention.from })
  const words = sliceRange(query, tokens, { from: described, to: mention.to })
  return {
    category: mention.slug,
    quantity: quantity ?? countBehind(tokens, mention) ?? countEach(context, mention.to),
    wish: mention.exact ? words : `${left} ${label.toLowerCase()}`.trim(),
    emphasis: emphasisOf(context, { from, to: mention.to }, mention.slug),
    range: { from, to: mention.to },
    choiceAt: null,
    mention,
  }
}

/** A number that ends just before `end`, with the "pair of" or "x" that belongs to it. */
function countBefore(
  { tokens, labelOf }: Context,
  end: number,
  mention: Mention,
): { count: number; from: number } | null {
  const word = foldAt(tokens, end - 1)
  const multiple = MULTIPLES.get(word)
  if (multiple && isPlural(tokens, mention)) return { count: multiple, from: end - 1 }
  if (word === 'of' && /^(pair|couple)$/.test(foldAt(tokens, end - 2))) {
    const article = /^(a|the|one)$/.test(foldAt(tokens, end - 3))
    const pairs = foldAt(tokens, end - 2) === 'pair' && comesInPairs(labelOf(mention.slug))
    return { count: pairs ? 1 : 2, from: article ? end - 3 : end - 2 }
  }
  if (word === 'of' && /^(?:pairs|sets)$/.test(foldAt(tokens, end - 2))) {
    const sets = end > 2 ? readNumber(tokens, end - 3) : null
    return sets && Number.isSafeInteger(sets.value) && sets.value > 0
      ? { count: sets.value, from: end - 3 }
      : null
  }
  const times = word === 'x' || word === '×'
  const from = times ? end - 2 : end - 1
  const number = from >= 0 ? readNumber(tokens, from) : null
  if (!number || number.to !== (times ? end - 1 : end)) return null
  const half = word === 'dozen' && [2, 3].some((back) => foldAt(tokens, end - back) === 'half')
  const value = half ? number.value / 2 : number.value
  if (!Number.isSafeInteger(value) || value < 1 || (!times && unitAt(tokens, end))) return null
  return value === 1 || times || isPlural(tokens, mention) ? { count: value, from } : null
}

/** "monitors x2", "monitors (2)", "monitors: 2" */
function countBehind(tokens: readonly Token[], mention: Mention): number | null {
  const at = mention.to
  // "Chairs 2, lamps 3"
  const own = tokens[at]?.value ?? 0
  if (own > 1 && own < 10 && isPlural(tokens, mention) && /^(?:[,;.]|)$/.test(foldAt(tokens, at + 1)))
    return own
  const few = (tokens[at + 1]?.value ?? MOST_BEHIND) < MOST_BEHIND
  const listed = foldAt(tokens, at) === ':' && few && /^(?:[,;.]|)$/.test(foldAt(tokens, at + 2))
  const opens = listed || /^[x×(]$/.test(foldAt(tokens, at))
  const from = foldAt(tokens, at) === '(' && foldAt(tokens, at + 1) === 'x' ? at + 2 : at + 1
  const closes = foldAt(tokens, at) !== '(' || /^(?:\)|of)$/.test(foldAt(tokens, from + 1))
  const value = opens && closes ? (tokens[from]?.value ?? null) : null
  return value !== null && Number.isSafeInteger(value) && value >= 1 ? value : null
}

/** "One for me and one for my mate", "one pair for each of us and two for the kids". */
function countEach({ tokens, taken }: Context, start: number): number | null {
  const counts: number[] = []
  for (let at = start; ; ) {
    while (/^(?:[,:(]|and|plus|&|\+)$/.test(foldAt(tokens, at))) at++
    const number = taken[at] ? null : readNumber(tokens, at)
    const next = number && (/^(?:pairs?|sets?)$/.test(foldAt(tokens, number.to)) ? number.to + 1 : number.to)
    if (!number || next === null || foldAt(tokens, next) !== 'for')
      return counts.length > 1 ? counts.reduce((sum, count) => sum + count) : null
    counts.push(number.value)
    at = next + 1
    while (at <= next + 3 && !/^(?:[,.;)]|and|plus|&|\+)?$/.test(foldAt(tokens, at))) at++
  }
}

function isPlural(tokens: readonly Token[], mention: Mention): boolean {
  return /(s|mice|people)$/.test(foldAt(tokens, mention.to - 1))
}

function startOfWords(tokens: readonly Token[], from: number, end: number): number {
  let at = from
  while (at < end && !/^(word|number)$/.test(tokens[at]?.kind ?? '')) at++
  while (
    at < end &&
    (readNumber(tokens, at) || /^(a|an|the|x|of|pair|couple|both)$/.test(foldAt(tokens, at)))
  ) {
    const number = readNumber(tokens, at)
    // "27 inch" describes.
    if (number && unitAt(tokens, number.to)) break
    at = number?.to ?? at + 1
  }
  return at
}

const CHOSEN = /(?:high|top) (?:- )?(?:end|notch|quality)|(?:really|very|seriously) (?:good|nice)/

/** Its own words count more than those around it. */
function emphasisOf(
  { tokens, stresses }: Context,
  { from, to }: Range,
  slug: string,
): WishedThing['emphasis'] {
  const words = tokens.slice(from, to).map(({ fold }) => fold)
  if (words.some((word) => CHEAP.has(word))) return 'less'
  if (CHOSEN.test(words.join(' '))) return 'more'
  const said = stresses.find(({ of }) => of.includes(slug))
  return said?.emphasis ?? (words.some((word) => CHOICE.has(word)) ? 'more' : null)
}

/** What was said behind the name belongs to the wish: "tablet for the kids". */
function finish({ query, tokens }: Context, thing: ThingFound): ThingFound {
  let to = Math.min(thing.range.to, thing.choiceAt ?? Number.POSITIVE_INFINITY)
  while (to > thing.mention.to && OPENS_SCOPE.has(foldAt(tokens, to - 1))) to--
  const behind = thing.mention.inContext ? '' : sliceRange(query, tokens, { from: thing.mention.to, to })
  return { ...thing, wish: behind ? `${thing.wish} ${behind}` : thing.wish }
}

/** "A desk, a chair, most of it on the chair": one chair, and it matters. */
function mergeTwice(things: readonly ThingFound[]): ThingFound[] {
  const merged: ThingFound[] = []
  for (const thing of things) {
    const first = merged.find(({ category }) => category === thing.category)
    if (!first) merged.push({ ...thing })
    else {
      first.emphasis ??= thing.emphasis
      // "A lamp for me, a lamp for my husband"
      const each = [first, thing].every(({ wish }) => / for (?:me|my|his|her|our)(?: |$)/i.test(wish))
      first.quantity = each
        ? (first.quantity ?? 1) + (thing.quantity ?? 1)
        : (first.quantity ?? thing.quantity)
    }
  }
  return merged
}
