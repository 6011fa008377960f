/**
 * Brands, models and categories that the query names, found by looking runs of words up in the catalog's own
 * vocabulary. A brand or a model called by one everyday word ("Shark", "Still", "Air") is believed only when
 * something else says that it is a name: a capital letter, or the brand beside the model. A wrong brand costs more
 * than a missed one, which the keyword index still finds.
 */
import { createWordTable, editsOf, type SavedWords } from '../lexical/dictionary.ts'
import { growTo, withRoom } from '../lexical/segments.ts'
import { SYNONYM_WEIGHT, type Synonym, synonymsOf } from '../lexical/synonyms.ts'
import { foldText, stem } from '../lexical/tokenize.ts'
import { createWordCounts, type SavedCounts } from '../lexical/word-counts.ts'
import {
  foldAt,
  type Phrases,
  phraseAt,
  phrases,
  type Range,
  type Token,
  tokenize,
  wordSet,
} from './tokens.ts'

/**
 * Names that products have, each as long as one of them has it. Found without spaces and punctuation, so that "SKN-24",
 * "skn 24" and "skn24" are one name, told as it was written last.
 */

export type Names = {
  /** By the compact name. */
  get(key: string): string | undefined
}

export type NameTable = Names & {
  add(name: string): void
  drop(name: string): void
  /** How many products have it. */
  uses(key: string): number
  save(): SavedNames
}

export type SavedNames = { keys: SavedWords; written: SavedWords; name: Uint32Array; uses: Uint32Array }

/** In tables of numbers: nearly every product has a model of its own. */
export function createNameTable(names: Iterable<string> = [], saved?: SavedNames): NameTable {
  const keys = createWordTable(saved?.keys)
  const written = createWordTable(saved?.written)
  /** By the number of the key: the number of the name as it was written last, and how many products have it. */
  let name = withRoom(saved?.name, new Uint32Array(64))
  let uses = withRoom(saved?.uses, new Uint32Array(64))
  const usesOf = (key: string) => uses[keys.idOf(key)] ?? 0
  const table: NameTable = {
    get: (key) => (usesOf(key) > 0 ? written.wordOf(name[keys.idOf(key)] as number) : undefined),
    uses: usesOf,
    add(text) {
      const id = keys.intern(compactName(text))
      name = growTo(name, id + 1)
      uses = growTo(uses, id + 1)
      name[id] = written.intern(text)
      uses[id] = (uses[id] as number) + 1
    },
    drop(text) {
      const id = keys.idOf(compactName(text))
      if ((uses[id] ?? 0) > 0) uses[id] = (uses[id] as number) - 1
    },
    save: () => ({
      keys: keys.save(),
      written: written.save(),
      name: name.subarray(0, keys.size),
      uses: uses.subarray(0, keys.size),
    }),
  }
  for (const text of names) table.add(text)
  return table
}

/** Compares regardless of case, accents, spaces and punctuation. */
export function compactName(text: string): string {
  return foldText(text).replace(/[^\p{L}\p{N}]+/gu, '')
}

const LETTERS_AND_DIGITS = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** The one name that is one edit away: a letter left out, added, swapped or mistyped; null when there are several. */
export function nearName(names: Names, key: string): string | null {
  let near: string | null = null
  for (const typed of editsOf(key, LETTERS_AND_DIGITS)) {
    const name: string | null = names.get(typed) ?? near
    if (near !== null && name !== near) return null
    near = name
  }
  return near
}

/**
 * What things are called in titles. The last word before "with", a comma or a bracket says what a product is
 * ("robot vacuum and mop with live view" is a mop), the words before it say what sort. Kept as products come and go.
 */

export type KindWords = {
  /** Whether some title says this stemmed word of the thing itself. */
  inTitles(term: string): boolean
  /** Whether titles of this category, or of any, end in this stemmed word. */
  isHead(term: string, category?: string): boolean
}

/** The stemmed words that a title says of the thing itself, and those that it ends in. */
export type ReadKind = { words: string[]; heads: string[] }
export type KindTable = KindWords & {
  add(kind: ReadKind, category: { slug: string }): void
  drop(kind: ReadKind, category: { slug: string }): void
  save(): SavedKindTable
}
export type SavedKindTable = { titles: SavedCounts; heads: SavedCounts }

const ENDS = wordSet('with without for to of in by from , ( [ | : ; – — /')
/** "knife set" and "2-pack" say how many; what it is stands before. */
const COUNTED = wordSet('set sets kit pack pair bundle piece pieces pc pcs')

export function createKindTable(saved?: SavedKindTable): KindTable {
  const titles = createWordCounts(saved?.titles)
  const heads = createWordCounts(saved?.heads)
  const headKeys = (word: string, slug: string) => [word, `${word} ${slug}`]
  return {
    inTitles: (term) => titles.count(term) > 0,
    isHead: (term, category) => heads.count(category === undefined ? term : `${term} ${category}`) > 0,
    add({ words, heads: last }, { slug }) {
      words.forEach(titles.add)
      for (const word of last) headKeys(word, slug).forEach(heads.add)
    },
    drop({ words, heads: last }, { slug }) {
      words.forEach(titles.drop)
      for (const word of last) headKeys(word, slug).forEach(heads.drop)
    },
    save: () => ({ titles: titles.save(), heads: heads.save() }),
  }
}

/** `names` are those of its maker and model, which are no kind. */
export function readKind(title: string, names: readonly string[]): ReadKind {
  const named = new Set(names.flatMap((name) => tokenize(name).map(({ fold }) => compactName(fold))))
  const words: string[] = []
  let joined = ''
  let compound = ''
  for (const { fold, kind, glued } of tokenize(title)) {
    if (words.length > 0 && ENDS.has(fold)) break
    if (kind !== 'word') continue
    const word = compactName(fold)
    // "in-ear" is known as "inear" too.
    compound = glued && joined !== '' ? joined + word : ''
    joined = word
    if (named.has(word)) continue
    if (compound) words.push(compound)
    words.push(word)
  }
  const last = words.findLast((word) => !COUNTED.has(word))
  const terms = (list: readonly (string | undefined)[]) => [
    ...new Set(list.flatMap((word) => (word === undefined ? [] : [stem(word)]))),
  ]
  return { words: terms(words), heads: terms([last, words.at(-1), compound || undefined]) }
}

/**
 * The catalog's categories, prepared for looking words of a query up: stems of the words that speak for each. Made once
 * for a vocabulary and kept as long as it lives; its categories are replaced with it, never changed.
 */

export type Vocabulary = {
  brands: Names
  /** model names and part numbers, in lower case */
  models: Names
  categories: ReadonlyArray<{ slug: string; label: string; words: string[] }>
  /** share of the products whose text holds this stemmed word */
  documentShare?(word: string): number
  /** share of the products that are of this brand, by its compact name */
  brandShare?(key: string): number
  kinds?: KindWords
  /** US dollars for one unit of another currency, by its code, as the operator said. */
  rates?: Readonly<Record<string, number>>
}

export type Lexicon = {
  vocabulary: Vocabulary
  labelStems: ReadonlySet<string>
  /** stem → the categories it speaks for, each with a weight */
  stems: ReadonlyMap<string, ReadonlyMap<string, number>>
  /** whole label → slug: its words joined and stemmed, and its stems with spaces between, as synonyms are written */
  labels: ReadonlyMap<string, string>
}

/** What a thing is: the last word of its label ("desk lamps"). */
const HEAD_WEIGHT = 1
/** What sort of it, or another word people use. */
const OTHER_WEIGHT = 0.5
const IGNORED = wordSet(
  `a an and the of for with without in on to from by at or is are be it as your you that this set sets good best new
  use home small large big great under over one two all more most not no free do does can i my we our me need want
  some something any thing things really very just only up out off about around`,
)

type Labels = Omit<Lexicon, 'vocabulary'>
/** By the list of categories, which outlives a vocabulary that is made for one question. */
const labelled = new WeakMap<Vocabulary['categories'], Labels>()
const lexicons = new WeakMap<Vocabulary, Lexicon>()

export function lexiconOf(vocabulary: Vocabulary): Lexicon {
  const known = lexicons.get(vocabulary)
  if (known) return known
  const { categories } = vocabulary
  const labels = labelled.get(categories) ?? readLabels(categories)
  labelled.set(categories, labels)
  const lexicon = { vocabulary, ...labels }
  lexicons.set(vocabulary, lexicon)
  return lexicon
}

function readLabels(categories: Vocabulary['categories']): Labels {
  const stems = new Map<string, Map<string, number>>()
  const labelStems = new Set<string>()
  const labels = new Map<string, string>()
  for (const { slug, label, words } of categories) {
    const add = (word: string, weight: number) => {
      const term = stem(word)
      const slugs = stems.get(term) ?? new Map<string, number>()
      slugs.set(slug, Math.max(weight, slugs.get(slug) ?? 0))
      stems.set(term, slugs)
    }
    for (const entry of words) for (const word of withJoined(contentWords(entry))) add(word, OTHER_WEIGHT)
    const named = contentWords(label)
    for (const word of withJoined(named)) add(word, OTHER_WEIGHT)
    for (const word of named) labelStems.add(stem(word))
    add(named.at(-1) ?? label, HEAD_WEIGHT)
    labels.set(labelKey(named), slug)
    labels.set(named.map(stem).join(' '), slug)
  }
  return { labelStems, stems, labels }
}

function contentWords(text: string): string[] {
  return (foldText(text).match(/[\p{L}\p{N}']+/gu) ?? []).filter((word) => !IGNORED.has(word)).map(bareWord)
}

/** "Wi-Fi Routers" is also looked for as "wifi". */
function withJoined(words: readonly string[]): string[] {
  const joined = words.slice(1).map((word, index) => `${words[index]}${word}`)
  return [...words.filter((word) => word.length > 1), ...joined]
}

function bareWord(word: string): string {
  return word.replace(/'s?$/, '')
}

/** "air fryers" and "airfryer" have one key. */
export function labelKey(words: readonly string[]): string {
  return stem(words.join(''))
}

export function termOf(word: string): string {
  return stem(bareWord(word))
}

export function isIgnored(word: string): boolean {
  return IGNORED.has(word)
}

/** A word of some category's label. */
export function isProductWord(lexicon: Lexicon, word: string): boolean {
  return !IGNORED.has(word) && lexicon.labelStems.has(termOf(word))
}

export type NameFound = Range & { name: string }
export type CategoryFound = { slug: string; score: number; at: number[] }
export type NamesFound = { brands: NameFound[]; models: NameFound[]; categories: CategoryFound[] }

const MAX_NAME_TOKENS = 8
/** A word that so many products use is no longer a name by itself. */
const EVERYDAY_SHARE = 0.1
/** A brand's word in this many times as many products as the brand has is an everyday word too. */
const USED_OTHERWISE = 2
/** A word in more products than this many average categories hold is a word of the trade, not of one category. */
const CROWDED = 2
const MAX_LABEL_WORDS = 4
const NAMED_WHOLE = 1
/** A word behind "with" or "for" tells of a part or a place, not of the thing itself. */
const BEHIND_PREPOSITION = 0.4
const LEAST_SCORE = 0.45
/** Categories far behind the best one are noise. */
const KEEP_ABOVE = 0.5
const MAX_CATEGORIES = 5
const PREPOSITIONS = wordSet(
  'with for that which who in on to from into while when where because if so inside without i',
)
/** "looking for a tent": the thing comes after this "for". */
const OPENERS: Phrases<true> = phrases<true>([
  [
    true,
    'looking for|look for|search for|searching for|shopping for|in search of|i need|i want|i am looking for|i would like|need|want|recommend|find me|show me|in the market for',
  ],
])

export function findNames(tokens: readonly Token[], taken: Uint8Array, lexicon: Lexicon): NamesFound {
  const brands = findRuns(
    tokens,
    taken,
    lexicon.vocabulary.brands,
    (range) => range.to - range.from > 1 || isBrandAlone(tokens, range.from, lexicon),
  )
  const models = findRuns(tokens, taken, lexicon.vocabulary.models, (range, key) =>
    isModelLike(tokens, range, key, lexicon, brands.length > 0),
  )
  return { brands, models, categories: findCategories(tokens, taken, lexicon) }
}

/** The brand that is named right here; `sure` when the words before it say that a maker follows. */
export function brandAt(
  tokens: readonly Token[],
  taken: Uint8Array,
  at: number,
  lexicon: Lexicon,
  sure: boolean,
): NameFound | null {
  return longestRun(tokens, taken, at, lexicon.vocabulary.brands, ({ from, to }) => {
    if (sure || to - from > 1) return true
    return isBrandAlone(tokens, from, lexicon) && !isUsedOtherwise(tokens, from, lexicon)
  })
}

/** The model that is named right here, behind its brand or alone. */
export function modelAt(
  tokens: readonly Token[],
  taken: Uint8Array,
  at: number,
  lexicon: Lexicon,
  behindBrand: boolean,
): NameFound | null {
  return longestRun(tokens, taken, at, lexicon.vocabulary.models, (range, key) =>
    isModelLike(tokens, range, key, lexicon, behindBrand),
  )
}

/** Most products that use the word are of other makers, so it says something else as well. */
function isUsedOtherwise(tokens: readonly Token[], at: number, { vocabulary }: Lexicon): boolean {
  const word = foldAt(tokens, at)
  const share = vocabulary.documentShare?.(termOf(word)) ?? 0
  const own = vocabulary.brandShare?.(compactName(word)) ?? share
  return share > USED_OTHERWISE * own && !isCapitalised(tokens, at)
}

/** The longest known name at each place, left to right. */
function findRuns(
  tokens: readonly Token[],
  taken: Uint8Array,
  names: Names,
  believe: (range: Range, key: string) => boolean,
): NameFound[] {
  const found = new Map<string, NameFound>()
  let index = 0
  while (index < tokens.length) {
    const run = longestRun(tokens, taken, index, names, believe)
    if (run && !found.has(run.name)) found.set(run.name, run)
    index = run ? run.to : index + 1
  }
  return [...found.values()]
}

function longestRun(
  tokens: readonly Token[],
  taken: Uint8Array,
  from: number,
  names: Names,
  believe: (range: Range, key: string) => boolean,
): NameFound | null {
  // A name starts at a word, not inside one.
  if (tokens[from]?.glued && tokens[from - 1]?.kind !== 'mark') return null
  let best: NameFound | null = null
  let key = ''
  for (let to = from; to < tokens.length && to < from + MAX_NAME_TOKENS && !taken[to]; to++) {
    const word = foldAt(tokens, to)
    const whole = key + compactWord(word)
    // "Norrlund's" and "two Norrlunds" name the maker, but "blues" are not of Blue.
    const owner = key + compactWord(word.replace(tokens[to]?.upper ? /'?s$/ : /'s$/, ''))
    const next = tokens[to + 1]
    const inside = next?.glued && next.kind !== 'mark' && next.kind !== 'sign'
    // A comma behind a name is no part of it.
    const ends = whole !== key && !inside
    key = whole
    const name = ends ? (names.get(key) ?? names.get(owner)) : undefined
    if (name !== undefined && believe({ from, to: to + 1 }, key)) best = { name, from, to: to + 1 }
  }
  return best
}

/** Most words are compact as they are, and every run of words asks again. */
function compactWord(word: string): string {
  return /^[a-z]*$/.test(word) ? word : compactName(word)
}

function isBrandAlone(tokens: readonly Token[], at: number, lexicon: Lexicon): boolean {
  const token = tokens[at]
  if (!token || token.fold.length < 2) return false
  const share = lexicon.vocabulary.documentShare?.(termOf(token.fold)) ?? 0
  const everyday = isIgnored(token.fold) || isProductWord(lexicon, token.fold) || share > EVERYDAY_SHARE
  return !everyday || isCapitalised(tokens, at)
}

/** A capital means a name only where the words around it do without. */
function isCapitalised(tokens: readonly Token[], at: number): boolean {
  const around = [tokens[at - 1], tokens[at + 1]].filter((token) => token?.kind === 'word')
  return tokens[at]?.upper === true && at > 0 && around.some((token) => token?.upper === false)
}

function isModelLike(
  tokens: readonly Token[],
  range: Range,
  key: string,
  lexicon: Lexicon,
  brandNamed: boolean,
): boolean {
  if (!/\p{L}/u.test(key)) return key.length >= 5 || brandNamed
  if (/\p{N}/u.test(key)) return key.length >= 3 || brandNamed
  const words = tokens.slice(range.from, range.to).filter((token) => token.kind === 'word')
  if (words.every(({ fold }) => isProductWord(lexicon, fold) || isIgnored(fold))) return false
  return words.length > 1 || brandNamed || isCapitalised(tokens, range.from)
}

/**
 * Every query word votes for the categories that use it, weighed down by how many do and by standing behind a
 * preposition; a category whose whole label is there is named outright.
 */
function findCategories(tokens: readonly Token[], taken: Uint8Array, lexicon: Lexicon): CategoryFound[] {
  const scores = new Map<string, CategoryFound>()
  const vote = (slug: string, score: number, at: number) => {
    const entry = scores.get(slug) ?? { slug, score: 0, at: [] }
    entry.score += score
    if (!entry.at.includes(at)) entry.at.push(at)
    scores.set(slug, entry)
  }
  const words = wordsOf(tokens, taken)
  const seen = new Set<string>()
  for (const [index, { word, at, weight }] of words.entries()) {
    const terms = [
      termOf(word),
      index + 1 < words.length ? termOf(word + (words[index + 1]?.word ?? '')) : '',
    ]
    for (const term of terms) {
      if (seen.has(term)) continue
      seen.add(term)
      const called = lexicon.stems.has(term) ? { term, weight: 1 } : calledAlso(lexicon, term)
      const slugs = called && lexicon.stems.get(called.term)
      if (!slugs) continue
      const worth = weight * called.weight * rarity(lexicon, called.term, slugs.size)
      for (const [slug, strength] of slugs) vote(slug, strength * worth, at)
    }
    const slug = writtenOtherwise(lexicon, termOf(word))
    if (slug !== undefined) vote(slug, NAMED_WHOLE * weight, at)
    for (let length = 1; length <= MAX_LABEL_WORDS && index + length <= words.length; length++) {
      const run = words.slice(index, index + length)
      const key = labelKey(run.map((one) => one.word))
      const slug = lexicon.labels.get(key)
      if (!slug || seen.has(`label ${key}`)) continue
      seen.add(`label ${key}`)
      // A label of one word has had its vote as a word.
      const bonus = length === 1 ? NAMED_WHOLE * rarity(lexicon, key, 1) : NAMED_WHOLE
      for (const one of run) vote(slug, (bonus * one.weight) / length, one.at)
    }
  }
  const ranked = [...scores.values()].sort((a, b) => b.score - a.score || (a.at[0] ?? 0) - (b.at[0] ?? 0))
  const least = Math.max(LEAST_SCORE, (ranked[0]?.score ?? 0) * KEEP_ABOVE)
  return ranked.filter(({ score }) => score >= least).slice(0, MAX_CATEGORIES)
}

/** What labels call it: a "cordless vac" is one of the "Cordless Vacuums". A synonym alone names no category. */
function calledAlso({ stems }: Lexicon, term: string): Synonym | undefined {
  return synonymsOf(term).find((synonym) => stems.has(synonym.term))
}

/** The category whose whole label is the same in other words: an "ebike" is one of the "Electric Bikes". */
function writtenOtherwise({ labels }: Lexicon, term: string): string | undefined {
  const same = synonymsOf(term).find(
    ({ term, weight }) => weight > SYNONYM_WEIGHT && term.includes(' ') && labels.has(term),
  )
  return same && labels.get(same.term)
}

/**
 * How much a word tells of the category: less when many categories use it, and less when far more products mention
 * it than one category holds ("machine" names one thing and washes another).
 */
function rarity({ vocabulary }: Lexicon, term: string, categories: number): number {
  const total = vocabulary.categories.length
  const among = Math.log(1 + total / categories) / Math.log(1 + total)
  const share = vocabulary.documentShare?.(term) ?? 0
  const fair = CROWDED / total
  return share > fair ? (among * fair) / share : among
}

function wordsOf(
  tokens: readonly Token[],
  taken: Uint8Array,
): { word: string; at: number; weight: number }[] {
  const words: { word: string; at: number; weight: number }[] = []
  let weight = 1
  for (let at = 0; at < tokens.length; at++) {
    const opener = phraseAt(OPENERS, tokens, at)
    if (opener) {
      weight = 1
      at = opener.to - 1
      continue
    }
    const { kind, fold, glued } = tokens[at] as Token
    // "carry-on" holds no preposition; one that opens the query leads to the thing.
    if (PREPOSITIONS.has(fold) && !glued && words.length > 0) weight = BEHIND_PREPOSITION
    if (kind === 'word' && !taken[at] && !isIgnored(fold)) words.push({ word: fold, at, weight })
  }
  return words
}
