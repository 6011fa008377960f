/**
 * Makers that the person rules out: "anything but Kestwick", "not made by X or Y", "X need not apply". Read before
 * other negations, because a list of names is surer than a guess where a phrase ends. A name with a model behind it
 * rules out that one product, and a name before a part ("without the X app") is left to negation.ts. Words that rule
 * out turn around behind a negation: "no brand other than X" asks for X.
 */
import {
  brandAt,
  compactName,
  isProductWord,
  type Lexicon,
  modelAt,
  type NameFound,
  nearName,
  termOf,
} from './names.ts'
import {
  BEFORE_NOT,
  CONTRACTIONS,
  DOING,
  isTurnedAround,
  looksLikeAdjective,
  ONLY,
  OTHER,
  PERSONS,
  ruledOutEnd,
  STOPS,
} from './negation.ts'
import { unknownModelEnd } from './reference.ts'
import {
  foldAt,
  isGlued,
  isHyphen,
  isWord,
  type Phrases,
  phraseAt,
  phrases,
  type Range,
  type Token,
  wordSet,
} from './tokens.ts'

/** `models` are the words of single products that are ruled out. */
export type BrandsExcluded = Range & { brands: NameFound[]; models: Range[] }

const TRIGGERS: Phrases<true> = phrases<true>([
  [
    true,
    'not|no|non|never|except|except for|excepting|excluding|exclude|other than|apart from|aside from|besides|anything but|everything but|all but|any but|any brand but|anyone but|anybody but|whoever but|without|w / o|minus|sans|skip|skipping|avoid|avoiding|neither|none of|nothing|rather than|instead of|as opposed to|hate|dislike|sick of|tired of|fed up with|had enough of|done with|exception of|not a fan of|no fan of|not interested in|no more|leave out|leaving out|omit|omitting|ignore|ignoring|ban|boycott|boycotting|refuse|refuses|refusing|barring|else than|! =|≠',
  ],
])
/** Verbs of a wish: "don't want X", "don't show me X". "Doesn't have to be X" rules nothing out. */
const WISHES = wordSet(
  'want like love trust buy show suggest recommend send include come get give stand use consider see made be',
)
/** "any laptop but X" */
const ANY = wordSet('any anything anyone anybody every everything everyone all whatever')
const ANY_REACH = 5
const LEADS = wordSet(
  'a an any the another one ones of those these that this something anything everything stuff products me to see buy own touch consider buying getting again',
)
/** Behind these a name is a maker's, even if it is an everyday word. */
const MAKER_LEADS = wordSet('by from made built manufactured produced sold brand brands called named company')
const MAKER_NOUNS = wordSet(
  'brand brands branded products product stuff ones one models gear logo logos badge label name',
)
/** "from somebody else" is from nobody who was named before. */
const SOMEBODY_ELSE: Phrases<true> = phrases<true>([
  [
    true,
    'somebody else|someone else|another brand|another maker|another make|another company|another manufacturer|different brand|different maker|different make|different company|different manufacturer|other brand|other maker|other company',
  ],
])
const BEFORE_ELSE = wordSet('from by but so try want need prefer')
const MAX_LEADS = 6
const MAX_LIST = 8
/** Said on the way to the exclusion, and gone with it. */
const BEFORE = wordSet(
  "made by from any brand brands maker makers manufacturer i we i'm im am really do does but it's that's please just also it should must with the",
)
const SHORTEST_TYPO = 5
/** Each costs some hundred look-ups. */
const MAX_TYPOS = 6

type Context = { tokens: readonly Token[]; taken: Uint8Array; lexicon: Lexicon; typos: number }

export function findExcludedBrands(
  tokens: readonly Token[],
  taken: Uint8Array,
  lexicon: Lexicon,
): BrandsExcluded[] {
  const context: Context = { tokens, taken, lexicon, typos: MAX_TYPOS }
  const found: BrandsExcluded[] = []
  let index = 0
  while (index < tokens.length) {
    const least = found.at(-1)?.to ?? 0
    const start = taken[index] ? null : triggerEnd(tokens, index)
    const list = start === null ? null : readList(context, start)
    const behind = list ? null : readBehind(context, index, least)
    if (list)
      found.push({
        ...list,
        ...clauseOf(context, { from: firstOf(tokens, taken, index, least), to: list.to }),
      })
    if (behind) found.push(behind)
    index = list?.to ?? behind?.to ?? index + 1
  }
  return found.length > 0 ? found : fromSomebodyElse(context)
}

/** "X and Y need not apply" */
function readBehind(context: Context, index: number, least: number): BrandsExcluded | null {
  const end = context.taken[index] ? null : ruledOutEnd(context.tokens, index)
  if (end === null) return null
  for (let from = Math.max(least, index - MAX_LIST); from < index; from++) {
    const list = readList(context, from)
    if (list?.to === index) return { ...list, from, to: end }
  }
  return null
}

/** "had two Xs die on me, want a vacuum from somebody else" */
function fromSomebodyElse(context: Context): BrandsExcluded[] {
  const { tokens, taken, lexicon } = context
  for (let index = 1; index < tokens.length; index++) {
    const cue = taken[index] ? null : phraseAt(SOMEBODY_ELSE, tokens, index)
    if (!cue) continue
    const article = /^(a|an|any|some)$/.test(foldAt(tokens, index - 1)) ? index - 1 : index
    if (!BEFORE_ELSE.has(foldAt(tokens, article - 1))) continue
    for (let from = 0; from < article; from++) {
      const brand = brandAt(tokens, taken, from, lexicon, false) ?? readTypo(context, from)
      if (!brand) continue
      const clause = clauseAround(context, brand)
      return [
        { ...clause, brands: [brand], models: [] },
        { from: Math.max(article - 1, clause.to), to: cue.to, brands: [], models: [] },
      ]
    }
  }
  return []
}

/** The whole clause goes with the name unless it says what is wanted. */
function clauseAround({ tokens, lexicon }: Context, { from: first, to: last }: Range): Range {
  const ends = (at: number) => /^[,.;:!?]$/.test(foldAt(tokens, at))
  let [from, to] = [first, last]
  while (from > 0 && !ends(from - 1)) from--
  while (to < tokens.length && !ends(to)) to++
  const wanted = tokens.slice(from, to).some(({ fold }) => isProductWord(lexicon, fold))
  return wanted || to === tokens.length ? { from: first, to: last } : { from, to }
}

/** "I'd rather not give X my money, …" goes as a whole: it tells of the person and holds no other wish. */
function clauseOf(context: Context, range: Range): Range {
  const { tokens, taken } = context
  const clause = clauseAround(context, range)
  const rest = tokens.slice(clause.from, clause.to)
  const tells = rest.some(({ fold }) => PERSONS.has(fold) || /^i['’]/.test(fold))
  const wishes = rest.some(
    ({ fold, kind }, at) =>
      kind === 'number' || taken[clause.from + at] || /^(with|but|need|want)$/.test(fold),
  )
  return tells && !wishes ? clause : range
}

/** Where the words that rule out end; null when these are none. */
function triggerEnd(tokens: readonly Token[], index: number): number | null {
  const word = foldAt(tokens, index)
  const before = foldAt(tokens, index - 1)
  if (word === 'not' && BEFORE_NOT.has(before)) return null
  // "chairs -Norrlund"
  if (isHyphen(tokens, index)) return !isGlued(tokens, index) && isGlued(tokens, index + 1) ? index + 1 : null
  if (isTurnedAround(tokens, index)) return null
  if (word === 'but' || word === 'bar' || word === 'save') {
    const around = tokens.slice(Math.max(0, index - ANY_REACH), index)
    return around.some(({ fold }) => ANY.has(fold)) ? index + 1 : null
  }
  if (word === 'than') return OTHER.has(before) || OTHER.has(foldAt(tokens, index - 2)) ? index + 1 : null
  if (
    CONTRACTIONS.has(word) ||
    (word === 'not' && (DOING.has(before) || WISHES.has(foldAt(tokens, index + 1))))
  )
    return WISHES.has(foldAt(tokens, index + 1)) ? index + 2 : index + 1
  return phraseAt(TRIGGERS, tokens, index)?.to ?? null
}

function readList(context: Context, start: number): (Range & Omit<BrandsExcluded, keyof Range>) | null {
  const { tokens } = context
  const lead = skipLeads(tokens, start)
  const first = readName(context, lead.to, lead.maker)
  if (!first) return null
  const names = [first]
  while (names.length < MAX_LIST) {
    const at = endOf(names)
    const next = joinEnd(tokens, at)
    const again = next === null ? null : skipLeads(tokens, next)
    const name = again && readName(context, again.to, lead.maker || again.maker)
    // "not X, Y instead": the second one is wanted.
    if (!name || (foldAt(tokens, at) === ',' && ONLY.has(foldAt(tokens, name.to)))) break
    names.push(name)
  }
  let to = endOf(names)
  while (MAKER_NOUNS.has(foldAt(tokens, to)) || foldAt(tokens, to) === 'please') to++
  const brands = names.flatMap(({ name, from, to: end, model }) => (model ? [] : [{ name, from, to: end }]))
  const models = names.flatMap(({ from, to: end, model }) => (model ? [{ from, to: end }] : []))
  return { from: start, to, brands, models }
}

function endOf(names: readonly Range[]): number {
  return names.at(-1)?.to ?? 0
}

function joinEnd(tokens: readonly Token[], at: number): number | null {
  const joins = (index: number) => /^(or|nor|and|&|\/)$/.test(foldAt(tokens, index))
  if (foldAt(tokens, at) === ',') return joins(at + 1) ? at + 2 : at + 1
  return joins(at) ? at + 1 : null
}

function skipLeads(tokens: readonly Token[], start: number): { to: number; maker: boolean } {
  let to = isHyphen(tokens, start) ? start + 1 : start
  let maker = false
  while (to < start + MAX_LEADS && (LEADS.has(foldAt(tokens, to)) || MAKER_LEADS.has(foldAt(tokens, to)))) {
    maker ||= MAKER_LEADS.has(foldAt(tokens, to))
    to++
  }
  return { to, maker }
}

function readName(context: Context, at: number, maker: boolean): (NameFound & { model: boolean }) | null {
  const { tokens, taken, lexicon } = context
  const named = brandAt(tokens, taken, at, lexicon, true)
  const plain = named && MAKER_NOUNS.has(foldAt(tokens, named.to))
  const brand = brandAt(tokens, taken, at, lexicon, maker || plain === true) ?? readTypo(context, at)
  const model = modelAt(tokens, taken, brand?.to ?? at, lexicon, brand !== null)
  const unknown = brand && !model ? unknownModelEnd(tokens, taken, brand.to) : null
  if (brand && unknown !== null) return { name: brand.name, from: at, to: unknown, model: true }
  if (model && (brand || /\d/.test(model.name)))
    return { name: model.name, from: at, to: model.to, model: true }
  return brand && endsName(context, brand.to) ? { ...brand, model: false } : null
}

/** A brand before the thing itself rules the maker out; before anything else it names a part or a scent. */
function endsName({ tokens, taken, lexicon }: Context, at: number): boolean {
  if (!isWord(tokens, at) || taken[at]) return true
  const word = foldAt(tokens, at)
  if (STOPS.has(word) || MAKER_NOUNS.has(word) || /^(and|or|nor|please|thanks|anymore|again)$/.test(word))
    return true
  return (
    isProductWord(lexicon, word) || lexicon.vocabulary.kinds?.isHead(termOf(word)) || looksLikeAdjective(word)
  )
}

function readTypo(context: Context, at: number): NameFound | null {
  const { tokens, taken, lexicon } = context
  let key = ''
  for (let to = at; to < at + 2 && isWord(tokens, to) && !taken[to]; to++) {
    const word = foldAt(tokens, to)
    if (STOPS.has(word) || isProductWord(lexicon, word)) return null
    const share = lexicon.vocabulary.documentShare?.(termOf(word)) ?? 0
    key += compactName(word.replace(/'s$/, ''))
    // A word that the catalog uses is no slip of the pen.
    if ((share > 0 && to === at) || key.length < SHORTEST_TYPO || context.typos-- <= 0) continue
    const name = nearName(lexicon.vocabulary.brands, key)
    if (name) return { name, from: at, to: to + 1 }
  }
  return null
}

function firstOf(tokens: readonly Token[], taken: Uint8Array, index: number, least: number): number {
  let from = index
  while (from > least && !taken[from - 1] && BEFORE.has(foldAt(tokens, from - 1))) from--
  return from
}
