/** For how many it is: "for two", "family of four", "3 people", "for a couple". */
import { readNumber } from '../search/understand/budget.ts'
import { foldAt, type Phrases, phraseAt, type Range, type Token } from '../search/understand/tokens.ts'
import { unitAt } from '../search/understand/units.ts'
import { HEADS_COUNTED, isPerson, mayFollowThing, phraseList } from './wish-words.ts'

const GROUPS: Phrases<true> = phraseList(
  "family of|household of|group of|party of|team of|we host|hosting|we are|we're|sleeps",
)
const PLACES: Phrases<true> = phraseList('office|team|household|startup|company|family|workshop|studio|flat')
const OWN = /^(?:my|our|his|her)$/
const TOGETHER = new Map(Object.entries({ couple: 2, twins: 2, triplets: 3 }))
const MOST_PEOPLE = 20
const EACH_REACH = 6

type PeopleFound = Range & {
  people: number
  /** One after the other: "for me, my brother and my mum". */
  list?: boolean
}

export function findPeople(tokens: readonly Token[], taken: Uint8Array): PeopleFound | null {
  for (let at = 0; at < tokens.length; at++) {
    const found = taken[at]
      ? null
      : (readList(tokens, at) ?? readGroup(tokens, at) ?? readFor(tokens, at, taken) ?? readHeads(tokens, at))
    if (found && found.people >= 1 && found.people <= MOST_PEOPLE && Number.isInteger(found.people))
      return found
  }
  return null
}

/** "Four cottages and every one of them gets", "each of our five rooms has": what follows is bought so often. */
export function findEach(
  tokens: readonly Token[],
  taken: Uint8Array,
  people: number,
): (Range & { count: number; since: number; until: number }) | null {
  const of = tokens.findIndex(
    (_, at) =>
      !taken[at] &&
      foldAt(tokens, at + 1) === 'of' &&
      /^(?:each|everything|all)$/.test(foldAt(tokens, at + 2)),
  )
  const times = of < 0 ? null : readNumber(tokens, of)
  // "Two of everything", "two of each"
  if (times && times.value > 1)
    return { count: times.value, from: of, to: of + 3, since: 0, until: tokens.length }
  const at = tokens.findIndex(({ fold }, at) => !taken[at] && /^(?:each|every)$/.test(fold))
  if (at < 0) return null
  const isEnd = (place: number) => /^(?:[.;!?]|)$/.test(foldAt(tokens, place))
  let to = at
  while (
    to <= at + EACH_REACH &&
    !/^(?:gets?|needs?|has|have|wants?|with|,)$/.test(foldAt(tokens, to)) &&
    !isEnd(to)
  )
    to++
  if (!/^(?:gets?|needs?|has|have|wants?|with)$/.test(foldAt(tokens, to))) return null
  let [from, until] = [at, to]
  while (from > 0 && !isEnd(from - 1)) from--
  while (!isEnd(until)) until++
  for (let place = from; place < to; place++) {
    const number = taken[place] ? null : readNumber(tokens, place)
    if (number && number.value > 1)
      return { count: number.value, from: Math.min(place, at), to: to + 1, since: to + 1, until }
  }
  const isOfUs = foldAt(tokens, at + 1) === 'of' && foldAt(tokens, at + 2) === 'us'
  return isOfUs && people > 1 ? { count: people, from: at, to: to + 1, since: to + 1, until } : null
}

function readGroup(tokens: readonly Token[], at: number): PeopleFound | null {
  const group = phraseAt(GROUPS, tokens, at)
  const number = group ? readNumber(tokens, group.to) : null
  return number ? { people: number.value, from: at, to: number.to } : null
}

/** "for two", "for the two of us", "for 2 ppl", "for a couple"; "for two monitors" and "for two weeks" count others. */
function readFor(tokens: readonly Token[], at: number, taken: Uint8Array): PeopleFound | null {
  if (foldAt(tokens, at) !== 'for') return null
  let from = at + 1
  while (/^(?:the|a|us|both|each|of|my|our)$/.test(foldAt(tokens, from))) from++
  const heads = readHeads(tokens, from)
  if (heads) return { ...heads, from: at }
  const number = taken[from] ? null : readNumber(tokens, from)
  if (!number) return null
  const next = tokens[number.to]
  const ends = !next || taken[number.to] === 1 || next.kind === 'mark' || mayFollowThing(next.fold)
  return ends && !unitAt(tokens, number.to) ? { people: number.value, from: at, to: number.to } : null
}

/** "With two kids and the wife" is four with who speaks; "for me, my brother and my mum" is three, "my wife and I" two. */
function readList(tokens: readonly Token[], start: number): PeopleFound | null {
  const lead = /^(?:with|for)$/.test(foldAt(tokens, start)) ? foldAt(tokens, start) : null
  const self = lead ? /^(?:me|myself)$/ : /^(?:me|myself|i)$/
  const listed = { people: 0, named: 0, me: false, to: start + (lead ? 1 : 0) }
  for (let at = listed.to; ; at = listed.to) {
    while (/^(?:a|the|my|our|his|her|and|&|,|\+)$/.test(foldAt(tokens, at))) at++
    const number = readNumber(tokens, at)
    const noun = number?.to ?? at
    const isMe = self.test(foldAt(tokens, noun))
    if (!isMe && !isPerson(foldAt(tokens, noun))) break
    listed.people += number?.value ?? 1
    listed.named++
    listed.me ||= isMe
    listed.to = noun + 1
  }
  const { people, named, me, to } = listed
  // "With my son" is two; "with two kids" may be a family or what they bring.
  const alone = named === 1 && people === 1 && lead === 'with' && OWN.test(foldAt(tokens, start + 1))
  if (alone) return { people: 2, from: start, to }
  if (named < 2 || !(lead || me)) return null
  return { people: people + (lead === 'with' ? 1 : 0), from: start, to, list: lead !== null }
}

/** "My three sons"; three brothers who get a gift each are no group. */
function isCounted(tokens: readonly Token[], at: number, from: number): boolean {
  const word = foldAt(tokens, at)
  return (
    HEADS_COUNTED.has(word) || (isPerson(word) && /^(?:my|our|his|her|the)$/.test(foldAt(tokens, from - 1)))
  )
}

function readHeads(tokens: readonly Token[], at: number): PeopleFound | null {
  const together = TOGETHER.get(foldAt(tokens, at))
  if (together && !/^(?:of|xl)$/.test(foldAt(tokens, at + 1)))
    return { people: together, from: at, to: foldAt(tokens, at) === 'couple' ? at + 1 : at }
  const both = foldAt(tokens, at) === 'both' ? { value: 2, to: at + 1 } : null
  const number = both ?? readNumber(tokens, at)
  // "Back in shape after two kids"
  if (!number || !isCounted(tokens, number.to, at) || foldAt(tokens, at - 1) === 'after') return null
  // "two person tent" tells of the tent, "three person office" of those in it.
  const behind = [1, 2, 3].map((step) => number.to + step)
  if (foldAt(tokens, number.to) === 'person' && !behind.some((place) => phraseAt(PLACES, tokens, place)))
    return null
  const after = /^(?:and|&|,|\+|plus)$/.test(foldAt(tokens, number.to + 1)) ? number.to + 2 : number.to + 1
  const of = foldAt(tokens, number.to) === 'of'
  const more = of ? null : readHeads(tokens, after)
  if (more) return { people: number.value + more.people, from: at, to: more.to }
  if (of && foldAt(tokens, number.to + 1) !== 'us') return null
  return { people: number.value, from: at, to: number.to + (of ? 2 : 1) }
}
