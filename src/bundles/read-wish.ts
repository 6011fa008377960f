/**
 * Reads what a shopper's sentence asks for as a set of things: the budget, the things named outright, what it is all for,
 * what is left out, and for how many. What is left of the sentence when all of that is taken away is the goal; which
 * categories serve it is for choose-categories.ts to find in the catalog. Pure, and linear in the length of the query.
 */

import { factsOf, stem } from '../search/lexical/tokenize.ts'
import type { Search } from '../search/search.service.ts'
import { type AudienceFound, findAudience } from '../search/understand/audience.ts'
import { readDeadline } from '../search/understand/deadline.ts'
import { isProductWord, lexiconOf } from '../search/understand/names.ts'
import { isGerund } from '../search/understand/negation.ts'
import { foldAt, phraseAt, type Range, type Token, tokenize } from '../search/understand/tokens.ts'
import { type Understood, understand, type Vocabulary } from '../search/understand/understand.ts'
import type { Wish } from './bundles.schema.ts'
import { goalText } from './goal.ts'
import { findMentions, type Mention } from './mentions.ts'
import { findEach, findPeople } from './people.ts'
import { knowsGoal, mannerOf, rolesFor, wordsInContext } from './roles.ts'
import { BROKEN, clauseEnd, clauseStart, findLeftOut, findStresses, textOf } from './said-of.ts'
import { findThings, type ThingFound } from './things.ts'
import { readCaps, readMoney, readMostOfEach } from './wish-money.ts'
import {
  impliedBy,
  isPerPerson,
  isPerson,
  mayFollowThing,
  plainly,
  SET_WORDS,
  type SetWord,
  THE_REST,
  wordsOf,
} from './wish-words.ts'

/** Longer texts are read up to here: a wish is a sentence or two. */
const MAX_LENGTH = 2_000

type SetFound = Range & { kind: SetWord; text: string }

/** Whether a sentence asks for several things; what it names is looked up in the catalog. */
export async function isBundle(
  search: Pick<Search, 'reading'>,
  query: string,
  given: { budgetCents?: number } = {},
): Promise<boolean> {
  return search.reading((index) => readWish(query, index.vocabulary(), given).isBundle)
}

/**
 * `given`: a budget said beside the sentence, in dollars for certain. Where the sentence names one too, the lower holds;
 * one in another currency does not count beside it.
 */
export function readWish(
  query: string,
  vocabulary: Vocabulary,
  given: { budgetCents?: number | undefined; now?: Date } = {},
): Wish {
  const lexicon = lexiconOf(vocabulary)
  const isProduct = (word: string) => isProductWord(lexicon, word)
  const { arriveInDays, text: timeless } = readDeadline(
    plainList(query.slice(0, MAX_LENGTH)),
    given.now ?? null,
  )
  const restIsBasic = THE_REST.test(timeless)
  const { eachCents, text: bounded } = readMostOfEach(timeless)
  const { caps, text, sumCents, context, belong } = withoutCaps(
    bounded.replace(THE_REST, ', everything$1,'),
    vocabulary,
  )
  const tokens = tokenize(text)
  const labelOf = (slug: string) => vocabulary.categories.find((one) => one.slug === slug)?.label ?? slug

  const money = readMoney(text, tokens, isProduct)
  const unwanted = understand(text, vocabulary)
  const taken = marked(tokens, money.taken)
  const mentions = findMentions(tokens, taken, vocabulary, context)
  const disliked = unwanted.brands.filter((brand) => isDisliked(text, tokens, brand))
  const makers = [...unwanted.excludedBrands, ...disliked].flatMap(
    (brand) => rangeOf(text, tokens, brand) ?? [],
  )
  const leftOut = findLeftOut(
    text,
    tokens,
    marked(tokens, [...money.taken, ...makers]),
    mentions,
    isProduct,
    new Set(caps.map(({ slug }) => slug)),
  )
  mark(taken, leftOut.ranges)
  const stresses = findStresses(tokens, mentions)
  const stressed = stresses.map(({ cue }) => cue)
  const demands = demandsOf(text, tokens, [...leftOut.ranges, ...stressed], unwanted)
  mark(taken, demands.ranges)
  const sets = findSetWords(tokens, taken)
  const counted = findPeople(tokens, taken)
  const each = findEach(tokens, taken, counted?.people ?? 1)
  const open = meantBy(
    mentions.filter(({ from }) => !taken[from]),
    belong,
  )
  const asked = findThings({ query: text, tokens, taken, labelOf, stresses }, open).filter(
    ({ category }) => !leftOut.slugs.includes(category),
  )
  const mine = asked.filter((thing) => isOwned(tokens, thing))
  leftOut.slugs.push(
    ...mine.map(({ category }) => category),
    ...kindsOf(unwanted, mentions, text, tokens, vocabulary).filter(
      (slug) => !asked.some(({ category }) => category === slug),
    ),
  )
  const things = asked.filter((thing) => !mine.includes(thing))

  // "Earbuds for me and my brother, a watch for dad": the list is of those who get the one thing.
  const shared = counted?.list ? things.find(({ range }) => overlaps(range, counted)) : undefined
  const people = shared ? 1 : (counted?.people ?? 1)
  const cues = sets.filter((set) => !things.some(({ mention }) => overlaps(mention, set)))
  const audience = findAudience(
    tokens,
    marked(tokens, [...money.taken, ...leftOut.ranges]),
    () => false,
  ).filter((one) => isOfPerson(tokens, one) && !things.some(({ range }) => overlaps(range, one)))
  // Each thing once, however often it is named.
  const again = open.filter(({ slug, from }) =>
    things.some(({ category, range }) => category === slug && range.to <= from),
  )
  const spoken = [
    ...again,
    ...leftOut.ranges,
    ...demands.ranges,
    ...stressed,
    ...sets.filter(({ kind }) => kind !== 'place'),
    ...(counted ? [counted] : []),
    ...(each ? [each] : []),
  ]
  const said = goalText(
    text,
    tokens,
    {
      spoken,
      paid: money.taken,
      things: things.map(({ range, mention }) => ({ ...range, described: range.to > mention.to })),
    },
    audience,
  )
  for (const { of, text: more } of said.tails) {
    const thing = things[of]
    if (thing) thing.wish = `${thing.wish} ${more}`
  }
  const own = things.find(({ mention }) => isSetupOf(sets, mention))
  // "A student desk setup": the thing is also what it is all about.
  const whole = [...(own ? [`${own.wish.toLowerCase()} setup`] : []), ...(said.goal ? [said.goal] : [])]
  const goal = isComplete(tokens, things, said.items.length, cues) ? null : whole.join(', ') || null
  const bundle = asksForSeveral(tokens, things, sets, cues, {
    goal: said.goal,
    priced: isPriced(money) || sumCents !== null || given.budgetCents !== undefined,
    mayBeName: money.mayBeName && given.budgetCents === undefined,
  })
  const loved = unwanted.brands.flatMap((brand) => {
    const range = disliked.includes(brand) ? null : rangeOf(text, tokens, brand)
    return range ? [{ brand, ...range }] : []
  })
  const makersOf = ({ range, mention }: ThingFound) => {
    const next = things.find((other) => other.mention.from >= mention.to)
    const to = clauseEnd(tokens, mention.to, next?.range.from)
    return loved.filter((one) => one.from >= range.from && one.to <= to).map(({ brand }) => brand)
  }
  const settled = given.budgetCents !== undefined && money.foreignCurrency !== null
  const summed = sumCents === null ? null : { cents: sumCents, approximate: false }
  const named = settled ? null : (summed ?? money.budget ?? money.bare)
  return {
    query,
    budget: lowerBudget(named, given.budgetCents),
    foreignCurrency: given.budgetCents === undefined ? money.foreignCurrency : null,
    things: things.map((thing) => ({
      category: thing.category,
      quantity:
        handedOut(tokens, thing, things, people) ??
        thing.quantity ??
        (each && thing.mention.from >= each.since && thing.mention.to <= each.until ? each.count : null) ??
        (thing === shared
          ? counted?.people
          : isPerPerson(labelOf(thing.category)) && !isOne(tokens, thing)
            ? people
            : null) ??
        1,
      wish: thing.wish,
      makers: makersOf(thing),
      emphasis: thing.emphasis ?? (restIsBasic ? (things.length === 1 ? 'more' : 'less') : null),
      maxCents:
        [thing.category, ...thing.mention.others].flatMap((category) =>
          caps.filter(({ slug }) => slug === category),
        )[0]?.cents ?? eachCents,
    })),
    goal,
    items: said.items,
    avoid: [...unwanted.excludedBrands, ...disliked],
    demands: demands.phrases,
    restIsBasic,
    manner: mannerOf(plainly(said.ofAll)).filter((word) => !/\d/.test(word)),
    arriveInDays,
    excluded: leftOut.slugs,
    people,
    audience: [...new Set(said.audience)],
    eachCents,
    isBundle: bundle,
    asksForMore: cues.some(({ kind }) => kind !== 'place'),
    isList: things.length + said.items.length > 1 && cues.every(({ kind }) => kind === 'place'),
  }
}

/** "Headphones for each", "a backpack for everyone": as many as of what is counted before, or as there are people. */
function handedOut(
  tokens: readonly Token[],
  thing: ThingFound,
  things: readonly ThingFound[],
  people: number,
): number | null {
  const said = `${thing.wish} ${foldAt(tokens, thing.mention.to)}`
  const isShared = thing.quantity === 1 && / for all/.test(said)
  if ((thing.quantity ?? 1) > 1 || isShared) return thing.quantity
  if (!/ (?:for|to) (?:each|every|all)|(?:^| )(?:each|apiece|per person)(?:$| )/i.test(said)) return null
  const before = things.slice(0, things.indexOf(thing)).findLast(({ quantity }) => (quantity ?? 1) > 1)
  return people > 1 ? people : (before?.quantity ?? null)
}

/** "A webcam for a team of six" is one; "they each want a headset" are several. */
function isOne(tokens: readonly Token[], { range }: ThingFound): boolean {
  const before = { from: clauseStart(tokens, range.from), to: range.from }
  return (
    /^an?$/.test(foldAt(tokens, range.from - 1)) &&
    !/\b(?:each|every|both|all)\b/.test(textOf(tokens, before))
  )
}

/** "No running stuff" leaves running shoes out, though it names none. */
function kindsOf(
  { negated }: Understood,
  mentions: readonly Mention[],
  text: string,
  tokens: readonly Token[],
  { categories }: Vocabulary,
): string[] {
  return negated.flatMap(({ phrase, words }) => {
    const range = rangeOf(text, tokens, phrase)
    const [word = ''] = words
    if (!range || words.length !== 1 || !knowsGoal(word) || mentions.some((one) => overlaps(one, range)))
      return []
    return categories.flatMap(({ slug, label }) =>
      stem(wordsOf(label)[0] ?? '') === stem(word) && wordsOf(label).length > 1 ? slug : [],
    )
  })
}

/** The sentence that names it complains: "Dustwell let me down". */
function isDisliked(text: string, tokens: readonly Token[], brand: string): boolean {
  const range = rangeOf(text, tokens, brand)
  if (!range) return false
  // "So did Ovenbird" is said of the clause before.
  if (/^(?:so|as) (?:did|does|has|is|was)$/.test(textOf(tokens, { from: range.from - 2, to: range.from })))
    return true
  let to = range.to
  while (to < tokens.length && !/^[.!?;]$/.test(foldAt(tokens, to))) to++
  return COMPLAINT.test(textOf(tokens, { from: clauseStart(tokens, range.from), to }))
}

/** "My laptop" is there, unless it is to be replaced. */
function isOwned(tokens: readonly Token[], { mention, range }: ThingFound): boolean {
  const from = Math.min(range.from, mention.from)
  const said = textOf(tokens, { from, to: clauseEnd(tokens, mention.to) })
  return (
    /^(?:my|our|his|her|their)$/.test(foldAt(tokens, from - 1)) &&
    !/^(?:first|next|own|new) /.test(said) &&
    !BROKEN.test(`${foldAt(tokens, from - 2)} ${said}`)
  )
}

const COMPLAINT =
  /(?<!\p{L})(?:let (?:me|us) down|(?:send|sent|go(?:es)?) (?:\p{L}+ ){0,2}back|return(?:ed)?|broke|broken|bad luck|bad experience|trouble|problems?|issues?|not (?:a fan|happy|impressed)|disappoint\p{L}*|never again|not again|(?:is|are) out|stay away|steer clear|no longer|refus\p{L}*|boycott\p{L}*|avoid\p{L}*|hate|sick of|fed up|done with|another (?:penny|cent|dollar|dime))(?!\p{L})/u

/** Lists as some people type them: "keyboard/mouse/headset", "tent n bags n a stove"; and what is said to people, not of things. */
const TYPED: ReadonlyArray<[RegExp, string]> = [
  // "Need chairs... actually just a lamp", "a kettle, no wait, a blender": what stands before is taken back.
  [
    /(?<=^|[,.;:!?]|\b(?:and|need|want|get))[^,.;:!?]*[\s,.;…-]*(?:\b(?:no,? wait|wait,? no|no,? sorry|actually,? (?:no|just|only)|scratch that|forget (?:it|that)|correction|make that)\b|(?<=[,.…-] ?)\bsorry(?=,? an?\b))[,.:]?/gi,
    ',',
  ],
  [
    /\bnot (?:a|one|a single) (?:cent|penny|dollar|buck|euro|pound) (?:over|above|more than|past)\b/gi,
    'at most',
  ],
  [/\b(?:please|pls|plz|thanks|thank you|thx|lol|haha|btw|tbh|imo)\b/gi, ' '],
  // "Nothing wireless!"
  [/\bnothing (?!else|fancy|more|special|big|much)(\p{L}+)(?=\s*(?:[,.;!]|$))/giu, 'no $1'],
  [/(?<=\s)n(?=\s)/gi, 'and'],
  [/(?<=\s)w\/?(?=\s)/gi, 'with'],
  [/[…]|\.{3}|\s[–—]\s/g, ', '],
]

function plainList(text: string): string {
  const slashes = (text.match(/\p{L}\s*\/\s*\p{L}/gu) ?? []).length
  const commas = slashes > 1 || / \/ /.test(text) ? text.replace(/(?<=\p{L})\s*\/\s*(?=\p{L})/gu, ', ') : text
  // "(1) a lamp (2) a desk"
  const listed = /\b1\).*\b2\)/s.test(commas) ? commas.replace(/\(?\b[1-9]\)/g, ', ') : commas
  return TYPED.reduce((plain, [pattern, said]) => plain.replace(pattern, said), listed)
}

/** What nothing in the plan may have or be: "no wireless", "must be dishwasher safe". */
function demandsOf(
  text: string,
  tokens: readonly Token[],
  leftOut: readonly Range[],
  { negated, attributes, excludedBrands }: Understood,
): { phrases: string[]; ranges: Range[] } {
  const out = marked(tokens, leftOut)
  const free = (phrase: string): Range | null => {
    const range = rangeOf(text, tokens, phrase)
    return range && !out.subarray(range.from, range.to).includes(1) ? range : null
  }
  const said = negated.flatMap(({ phrase }) => {
    const range = free(phrase)
    // "Without lifting her leg" tells how, "hardly any money left" of what.
    const tells = wordsOf(phrase).some((word) => isGerund(word) || /^(?:money|cash|time)$/.test(word))
    return range && !tells ? [{ phrase, range }] : []
  })
  const must = attributes.flatMap(({ phrase, denied }) => {
    const range = denied ? null : free(phrase)
    return range && /^(?:be|have)$/.test(foldAt(tokens, range.from - 1)) ? [{ phrase, range }] : []
  })
  const makers = excludedBrands.flatMap((brand) => free(brand) ?? [])
  return {
    phrases: [...said, ...must].map(({ phrase }) => phrase),
    ranges: [...[...said, ...must].map(({ range }) => range), ...makers],
  }
}

function rangeOf(text: string, tokens: readonly Token[], phrase: string): Range | null {
  const start = text.toLowerCase().indexOf(phrase.toLowerCase())
  const from = start < 0 ? -1 : tokens.findIndex((token) => token.end > start)
  const to = tokens.findIndex((token) => token.end >= start + phrase.length) + 1
  return from < 0 || to <= from ? null : { from, to }
}

/** What the things may cost, and the text without that; what single words mean beside each other and the goal. */
function withoutCaps(
  text: string,
  vocabulary: Vocabulary,
): ReturnType<typeof readCaps> & { context: Map<string, string>; belong: Set<string> } {
  const tokens = tokenize(text)
  const none = new Uint8Array(tokens.length)
  const roles = rolesFor(vocabulary, plainly(text)) ?? rolesFor(vocabulary, impliedBy(text).join(', ')) ?? []
  const named = findMentions(tokens, none, vocabulary).flatMap(({ slug, others }) => [slug, ...others])
  const context = wordsInContext(vocabulary, roles, new Set(named))
  const mentions = findMentions(tokens, none, vocabulary, context)
  const belong = new Set([...roles.map(({ category }) => category), ...context.values()])
  return { ...readCaps(text, tokens, mentions), context, belong }
}

function lowerBudget(named: Wish['budget'], givenCents: number | undefined): Wish['budget'] {
  if (givenCents === undefined || (named && named.cents < givenCents)) return named
  return { cents: givenCents, approximate: false }
}

function isPriced(money: ReturnType<typeof readMoney>): boolean {
  return money.budget !== null || money.foreignCurrency !== null || money.bare !== null
}

function findSetWords(tokens: readonly Token[], taken: Uint8Array): SetFound[] {
  const found: SetFound[] = []
  for (let at = 0; at < tokens.length; at++) {
    if (taken[at]) continue
    const set = phraseAt(SET_WORDS, tokens, at)
    if (!set) continue
    const next = tokens[set.to]
    const ends =
      !next ||
      taken[set.to] === 1 ||
      next.kind !== 'word' ||
      mayFollowThing(next.fold) ||
      phraseAt(SET_WORDS, tokens, set.to)
    const verbal = /^(furnish|equip|kit|fit|outfit|everything|all|starter|the)/.test(foldAt(tokens, at))
    if (ends || verbal) found.push({ from: at, to: set.to, kind: set.meaning, text: foldAt(tokens, at) })
    at = set.to - 1
  }
  return found
}

/** Where categories share a name, the one that belongs to the goal is meant: a baby monitor in a nursery. */
function meantBy(mentions: readonly Mention[], belong: ReadonlySet<string>): Mention[] {
  return mentions.map((mention) => {
    const best = belong.has(mention.slug) ? undefined : mention.others.find((slug) => belong.has(slug))
    return best ? { ...mention, slug: best, others: [mention.slug], exact: false } : mention
  })
}

/**
 * Several things with a budget or a set word; or a goal that is announced. A goal behind the one thing that is named
 * ("a lamp for my studio") says what that thing is for.
 */
function asksForSeveral(
  tokens: readonly Token[],
  things: readonly ThingFound[],
  sets: readonly SetFound[],
  cues: readonly SetFound[],
  { goal, priced, mayBeName }: { goal: string | null; priced: boolean; mayBeName: boolean },
): boolean {
  const real = sets.filter(({ kind }) => kind !== 'place')
  if (things.length > 1) return (priced || real.length > 0) && !areOne(tokens, things)
  const [thing] = things
  const before = thing
    ? cues.filter(({ to, from }) => to <= thing.mention.from || from === thing.mention.to)
    : cues
  if (thing && isSetupOf(before, thing.mention)) return true
  if (goal === null) return false
  if (before.some(({ kind }) => kind === 'whole')) return true
  if (!priced || mayBeName) return false
  if (before.some(({ kind }) => kind === 'place')) return true
  return before.some((set) => set.kind === 'gear' || (set.kind === 'loose' && namesNoBox(tokens, set)))
}

/** "A lamp and a speaker in one" is one thing; "in one go" and "in one order" are several. */
function areOne(tokens: readonly Token[], things: readonly ThingFound[]): boolean {
  const end = things.at(-1)?.mention.to ?? 0
  const next = tokens[end + 2]
  const ends = next?.kind !== 'word' || mayFollowThing(next.fold) || next.fold === 'device'
  return foldAt(tokens, end) === 'in' && foldAt(tokens, end + 1) === 'one' && ends
}

/** "A camping kit", "a kit for running"; with a noun before it ("mesh kit", "knife set") it is one product in a box. */
function namesNoBox(tokens: readonly Token[], { from, to }: Range): boolean {
  const before = tokens[from - 1]
  if (before?.kind === 'word' && isGerund(before.fold)) return true
  const alone =
    before?.kind !== 'word' || factsOf(before.fold).stop || /^(complete|full|whole)$/.test(before.fold)
  return alone && foldAt(tokens, to) === 'for'
}

function isSetupOf(sets: readonly SetFound[], mention: Range): boolean {
  return sets.some(({ from, text }) => from === mention.to && text === 'setup')
}

/** "Desks and chairs only", "a mat, and that's it". */
const ENDS_LIST = /^(?:[,.;-] )?(?:and )?(?:only|nothing (?:else|more)|that's (?:it|all)|no more)(?!\p{L})/u

/** "My kitchen has an induction hob", "our guest room": tells where things go. */
const OWN_PLACE = /^(?:my|our|his|her|their|this|that|the|a|an|each|every|shared|little|small)$/

/** So many things say it all. */
const FULL_LIST = 3

/** The list is what is wanted: nothing needs to be found beside it. */
function isComplete(
  tokens: readonly Token[],
  things: readonly ThingFound[],
  items: number,
  cues: readonly SetFound[],
): boolean {
  if (things.length + items < 2) return false
  const colon = tokens.findIndex(({ fold }) => fold === ':')
  const isOwn = ({ from }: Range) => [1, 2].some((back) => OWN_PLACE.test(foldAt(tokens, from - back)))
  // What ends a sentence or tells of another wish parts a place from the list.
  const isApart = (cue: Range) =>
    things.every(({ mention }) =>
      tokens
        .slice(Math.min(cue.to, mention.to), Math.max(cue.from, mention.from))
        .some(({ fold }) => /^(?:[.!?;]|needs?|wants?|only)$/.test(fold)),
    )
  const open = cues.filter((cue) => cue.kind !== 'place' || !(isOwn(cue) || isApart(cue)))
  const isClosed = things.some(({ mention }) =>
    ENDS_LIST.test(textOf(tokens, { from: mention.to, to: mention.to + 4 })),
  )
  const isFull =
    things.length >= FULL_LIST &&
    open.every(
      ({ kind, text, to }) =>
        kind !== 'whole' || (/^(?:set|kit|full|comp|start)/.test(text) && to <= (things[0]?.range.from ?? 0)),
    )
  return (
    open.length === 0 ||
    isClosed ||
    isFull ||
    (colon >= 0 && things.every(({ mention }) => mention.from > colon))
  )
}

/** "For my son", "ages 8 to 12"; in "first baby on the way" the baby is what it is all about. */
function isOfPerson(tokens: readonly Token[], { from, audience }: AudienceFound): boolean {
  const person = audience.split(' ').some(isPerson)
  const aged = /\d/.test(audience) && /^age|year|month|old/.test(audience)
  return aged || (person && (foldAt(tokens, from) === 'for' || /\d/.test(audience)))
}

function overlaps(a: Range, b: Range): boolean {
  return a.from < b.to && b.from < a.to
}

function marked(tokens: readonly Token[], ranges: readonly Range[]): Uint8Array {
  const taken = new Uint8Array(tokens.length)
  mark(taken, ranges)
  return taken
}

function mark(taken: Uint8Array, ranges: readonly Range[]): void {
  for (const { from, to } of ranges) taken.fill(1, from, to)
}
