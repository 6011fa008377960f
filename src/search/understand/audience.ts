/**
 * Who or what the product is for, in the person's own words: "for small hands" → "small hands", "kids headphones"
 * → "kids". Phrases after "for" are taken whole, since products say what they are best for in the same free words;
 * without "for" only a closed list of people counts, and an age. Nothing here is taken out of the query.
 */
import { readNumber } from './budget.ts'
import {
  foldAt,
  isHyphen,
  isWord,
  type Phrases,
  phraseAt,
  phrases,
  type Range,
  type Token,
  wordSet,
} from './tokens.ts'
import { unitAt } from './units.ts'

export type AudienceFound = Range & { audience: string }

const MAX_WORDS = 5
const DETERMINERS = wordSet('a an the my our his her their your someone some any both all')
/** Where a wish ends and another begins. */
const STOPS = wordSet(
  `for with without under over below above that which who whose when while if but and or because so in on at to
  from is are be has have needs need i we it no not please up by as than then must should can want also only into
  about around during after before`,
)
/** "for" that speaks of price, time or nothing. */
const IDLE: Phrases<true> = phrases<true>([
  [
    true,
    'sale|free|less|under|over|around|about|the price|the money|the best|money|cheap|example|instance|sure|now|real|rent|me|us|it|them|this|that|those|these|everyone|anyone|less than|more than|use|using|its|years|hours|days|weeks|months|long|life|good|everything|everyday use',
  ],
])
const PEOPLE = wordSet(
  `kids kid kid's children child's childrens toddler toddlers baby babies infant infants newborn newborns teen teens
  teenager teenagers boys girls men mens men's women womens women's ladies adults seniors senior elderly beginner
  beginners students student gamers gamer professionals runners hikers travelers travellers commuters parents
  couples unisex youth`,
)
const OLD = wordSet('old olds')

export function findAudience(
  tokens: readonly Token[],
  taken: Uint8Array,
  isNamed: (index: number) => boolean,
): AudienceFound[] {
  const found: AudienceFound[] = []
  let index = 0
  while (index < tokens.length) {
    const audience = taken[index] ? null : readAudience(tokens, index, taken, isNamed)
    if (audience && !found.some((other) => other.audience === audience.audience)) found.push(audience)
    index = audience ? audience.to : index + 1
  }
  return found
}

function readAudience(
  tokens: readonly Token[],
  index: number,
  taken: Uint8Array,
  isNamed: (index: number) => boolean,
): AudienceFound | null {
  const word = foldAt(tokens, index)
  if (word === 'for') return readFor(tokens, index, taken)
  if (word === 'age' || word === 'ages' || word === 'aged') return readAges(tokens, index)
  const age = readAge(tokens, index)
  if (age) return age
  const family = phraseAt(FAMILY, tokens, index)
  const members = family ? readNumber(tokens, family.to) : null
  if (members) return found(tokens, { from: index, to: members.to })
  // "baby monitor": the word is part of what the thing is called.
  return PEOPLE.has(word) && !isNamed(index) ? found(tokens, { from: index, to: index + 1 }) : null
}

const FAMILY: Phrases<true> = phrases<true>([[true, 'family of|household of|group of|party of']])

function readFor(tokens: readonly Token[], index: number, taken: Uint8Array): AudienceFound | null {
  let from = index + 1
  while (DETERMINERS.has(foldAt(tokens, from)) && /^(word|number)$/.test(tokens[from + 1]?.kind ?? '')) from++
  if (taken[from] || phraseAt(IDLE, tokens, from) || isQuantity(tokens, from)) return null
  let to = from
  let words = 0
  while (to < tokens.length && words < MAX_WORDS && !taken[to]) {
    const token = tokens[to]
    if (!token || STOPS.has(token.fold)) break
    const joins = token.glued && (isHyphen(tokens, to) || isHyphen(tokens, to - 1))
    if (token.kind === 'mark' && !joins) break
    if (token.kind === 'word' && !joins) words++
    to++
  }
  return to > from ? { audience: textOf(tokens, from, to), from: index, to } : null
}

/** "for 8 hours" and "for 90 kg" say how much, not for whom; "for 4 people" and "for a 90 kg runner" do say it. */
function isQuantity(tokens: readonly Token[], index: number): boolean {
  const number = readNumber(tokens, index)
  const unit = number ? unitAt(tokens, number.to) : null
  if (!unit || /^(person|player|room)$/.test(unit.unit)) return false
  return !isWord(tokens, unit.to) || STOPS.has(foldAt(tokens, unit.to))
}

/** "ages 8 to 12", "age 3+" */
function readAges(tokens: readonly Token[], index: number): AudienceFound | null {
  const first = readNumber(tokens, index + 1)
  if (!first) return null
  const joins = isHyphen(tokens, first.to) || foldAt(tokens, first.to) === 'to'
  const second = joins ? readNumber(tokens, first.to + 1) : null
  return found(tokens, { from: index, to: second?.to ?? first.to })
}

/** "6 year old", "ten-year-old" */
function readAge(tokens: readonly Token[], index: number): AudienceFound | null {
  const number = readNumber(tokens, index)
  const unit = number ? unitAt(tokens, number.to) : null
  if (!unit || (unit.unit !== 'year' && unit.unit !== 'month')) return null
  const at = isHyphen(tokens, unit.to) ? unit.to + 1 : unit.to
  return OLD.has(foldAt(tokens, at)) ? found(tokens, { from: index, to: at + 1 }) : null
}

function found(tokens: readonly Token[], range: Range): AudienceFound {
  return { audience: textOf(tokens, range.from, range.to), ...range }
}

function textOf(tokens: readonly Token[], from: number, to: number): string {
  return tokens
    .slice(from, to)
    .map((token, index) => (token.glued || index === 0 ? token.fold : ` ${token.fold}`))
    .join('')
}
