/**
 * What the person does not want. `lack` is a thing the product must not have or be ("without a fan", "not leather");
 * `avoid` is something it must not do or be too much of ("won't slip", "not too heavy"); `free` is written the way
 * products write it ("gluten-free"), so the word may well stand in the right product's text. What people say about
 * themselves ("I can't bend", "there's no garage") is no negation.
 */
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
  tokenize,
  wordSet,
} from './tokens.ts'

/**
 * The closed lists. An exception is listed for one of four reasons: the word opens a saying
 * ("no matter", "not only"); it is part of a name for a kind of thing, which products carry too ("no-show",
 * "non-stick", "hands-free"); it praises the absence of a defect nobody would ask for ("tangle-free"), so that
 * penalising the word would bury the very products that promise it; or it tells a fact about the speaker.
 * Words with the negation inside ("cordless", "unscented", "fanless") are plain words and are not listed at all.
 */

/** Whether a negation says what the product must not be, what it must not have, or leaves that open ("no …"). */
export type Sense = 'be' | 'have' | 'open'

/** Triggers that take a noun phrase. */
export const PREPOSITIONS: Phrases<Sense> = phrases<Sense>([
  [
    'be',
    'except|except for|excluding|other than|apart from|aside from|instead of|rather than|as opposed to|anything but|everything but|all but|neither|not including|none of|skip the|skip any|skip those|leave out|leaving out',
  ],
  [
    'have',
    'without|w / o|free of|free from|lacking|with little or no|little to no|hardly any|no need for|no need to',
  ],
  ['open', 'not a fan of|not a big fan of|no fan of'],
])
/** "not made of rubber", "not with a lid": what follows is a part or a material. */
export const PART_LEADS = wordSet('with of for in on from need needing requiring using having made')

/** Rule out what stands before them. */
const RULED_OUT: Phrases<true> = phrases<true>([
  [
    true,
    "need not apply|needn't apply|excluded|barred|not allowed|not wanted|no thanks|no thank you|not an option|isn't an option|aren't an option|out of the question|off the table|so none of those|so none of them|so none of these|none of those|none of them|none of these",
  ],
])
const IS_RULED_OUT: Phrases<true> = phrases<true>([
  [true, 'out|off limits|banned|ruled out|a no|a no go|a hard no|a dealbreaker|not for me|not welcome'],
])

/** Where the words that rule out what stands before them end: "X need not apply", "X is out". */
export function ruledOutEnd(tokens: readonly Token[], index: number): number | null {
  const is = /^(is|are)$/.test(foldAt(tokens, index))
  const found =
    phraseAt(RULED_OUT, tokens, is ? index + 1 : index) ??
    (is ? phraseAt(IS_RULED_OUT, tokens, index + 1) : null)
  // "none of those heavy ones" speaks of what follows.
  const forward = found && /^th/.test(foldAt(tokens, found.to - 1)) && isWord(tokens, found.to)
  return found && !forward ? found.to : null
}

/** "a different brand than X" */
export const OTHER = wordSet('other others another different')
const TURNS = wordSet("no not nothing none nobody never don't dont doesn't doesnt won't wont")
/** Stand between a negation and the words that it turns around. */
const TURNED_OVER = wordSet('brand brands maker makers one want show me buy')

/** "No brand other than X" asks for X. */
export function isTurnedAround(tokens: readonly Token[], index: number): boolean {
  if (TURNS.has(foldAt(tokens, index))) return false
  let at = index - 1
  while (at > index - 4 && (TURNED_OVER.has(foldAt(tokens, at)) || OTHER.has(foldAt(tokens, at)))) at--
  return TURNS.has(foldAt(tokens, at))
}

export const CONTRACTIONS = wordSet(
  `don't doesn't didn't won't can't couldn't wouldn't shouldn't mustn't isn't aren't wasn't hasn't haven't ain't
  dont doesnt wont cant isnt arent wouldnt shouldnt cannot never`,
)
export const DOING = wordSet('do does did will would can could should must may might shall to')
export const BEING = wordSet("is are was were be being that's it's")
export const BEING_CONTRACTIONS = wordSet("isn't aren't wasn't isnt arent ain't")

/** "no matter", "no idea", "no object"; "no show" and its like name a kind of thing. */
export const AFTER_NO = wordSet(
  `matter doubt problem problems idea one wonder longer brainer nonsense frills frill name less fewer thanks expense
  joke way later sooner object better good worries kidding show shows slip stick skid tie iron sew bake drill pull
  spill drip kill touch contact scratch tangle wrinkle crease rinse cook dig bark glare see knead churn shed fog mow
  till`,
)
export const AFTER_NOT = wordSet(
  'only just sure to necessarily bad yet enough mention simply merely forgetting counting much everyone everybody',
)
export const BEFORE_NOT = wordSet('if or why whether me maybe perhaps probably')
export const AFTER_NON = wordSet(
  `slip stick toxic skid woven drowsy fat alcoholic gmo dairy perishable fiction profit scratch marking abrasive iron
  comedogenic contact invasive lethal prescription rechargeable refundable stop verbal reflective glare scuff flammable
  corrosive conductive magnetic`,
)
export const BEFORE_FREE = wordSet(
  `hands hand hassle care worry stress trouble risk duty tax toll royalty scot cruelty guilt maintenance fuss mess
  effort commitment obligation interest tangle wrinkle glare flicker streak rust lint drip leak spill frizz slip jam clog
  crease distraction static germ vibration error lag pain odor odour stain sweat shake snag squeak
  is are be get gets got feel for comes come with and or it its totally completely entirely ship ships set buy one two
  a the of all plus mostly fully truly break breaks run go walk roam`,
)
export const AFTER_FREE = wordSet(
  `shipping delivery standing weight weights range style return returns trial motion arm size gift installation app
  samples sample flow hand people floating hanging form fall run time wifi spirit sync of from to with`,
)

/** Verbs that hand the negation to their object: "doesn't need batteries" is about batteries. */
export const LIGHT_VERBS = wordSet(
  `need needs want wants have has use uses using require requires contain contains include includes come comes make
  makes leave leaves cause causes feel feels look looks smell smells give gives like likes love take takes rely relies
  depend depends get gets produce produces show suggest recommend send add involve involves stand tolerate enjoy run
  emit emits having needing requiring containing buying getting adding paying making including see become becomes go goes sit sits`,
)
/** "I don't mind noise" leaves noise allowed. */
export const INDIFFERENT = wordSet(
  `mind care matter know think remember worry forget hesitate expect believe understand quite`,
)
/** Verbs that keep "I don't …" a wish about the product. */
export const WISHES = wordSet('want need like love have use require enjoy stand tolerate')

export const PERSONS = wordSet(
  "i we he she i've we've who my our his her you your mum mom dad mother father wife husband",
)
/** Between a verb and what it is done to. */
const OBJECT_LEADS = wordSet('a an the your my his her their its our')
export const RELATIVES = wordSet('that which it they these those')

/** Passed over between the trigger and what is negated. */
export const LEADS = wordSet(
  `a an any the all those these that this too very so super overly really extra much many some your my our its such
  lots bunch of having have to be being made quite particularly even another using use need needing requiring more
  added big lot ton tons single for from with in ever always easily actually up on as by out inside into over like`,
)
export const DEGREES = wordSet('too very so super overly really quite particularly as that')

export const STOPS = wordSet(
  `with without for that which who because so since just only in on under over below above to from at by when while if
  as like then than also please instead must is are was it's i we you he she it can has have had still though ideally
  preferably need needs want wants but yet inside around about between during after before up down out off no not non
  except plus including of until either will would should could does do don't doesn't won't isn't can't my your his her
  their our its this these those per via through into onto even when where what how nothing never`,
)
/** Closes a negation and belongs to it: "no assembly required". */
export const CLOSERS = wordSet('required needed necessary included involved whatsoever please')
export const ONLY = wordSet('only instead please preferred')

const ADJECTIVES = wordSet(
  `quiet loud light heavy cheap small large big huge tiny mini compact soft hard firm strong fast slow easy good great
  nice decent long short thin thick slim wide narrow tall low high deep warm cool cold hot new old black white red blue
  green grey gray pink brown beige purple yellow orange silver gold clear dark bright noisy bulky sturdy solid sticky
  scratchy itchy flimsy shiny silent wireless wired cordless portable foldable folding simple basic smart gentle organic
  natural safe clean fresh dry wet waterproof full real pure stiff sharp smooth rough tight loose flat round square fancy
  ugly complicated expensive reliable powerful professional`,
)
const ADJECTIVE_ENDING =
  /(?:able|ible|proof|ful|less|ous|ive|(?:light|heavy)weight|resistant|friendly|[^aeiou]ed)$/
const NOT_ADJECTIVES = wordSet(
  'cable table vegetable stable olive drive archive hundred flatbed waterbed adhesive',
)
const GERUND = /^\w{3,}ing$/
const NOT_GERUNDS = wordSet(
  'ceiling string spring evening building clothing stocking earring wiring padding bedding coating',
)

export function looksLikeAdjective(word: string): boolean {
  if (ADJECTIVES.has(word)) return true
  return word.length > 4 && ADJECTIVE_ENDING.test(word) && !NOT_ADJECTIVES.has(word)
}

export function isGerund(word: string): boolean {
  return GERUND.test(word) && !NOT_GERUNDS.has(word)
}

/**
 * How far a negation reaches. It covers one noun phrase and goes on over "or"; over "and" and commas only when a
 * bare list of nouns follows ("without dyes, parabens and perfume"), because otherwise a new wish begins there
 * ("no wires and easy to clean"). Inside the phrase, an adjective after the noun starts a new wish as well: in
 * English it would have come first ("no numpad wireless white").
 */

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
  return negations.flatMap(({ words, to }) => (isActOn(tokens, words, to) ? [] : words))
}

/** "Without plugging your ears" says nothing of plugs. */
function isActOn(tokens: readonly Token[], words: readonly string[], to: number): boolean {
  const [act = ''] = words
  return words.length === 1 && isGerund(act) && OBJECT_LEADS.has(foldAt(tokens, to))
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
