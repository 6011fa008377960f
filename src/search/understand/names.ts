/**
 * Brands, models and categories that the query names, found by looking runs of words up in the catalog's own
 * vocabulary. A brand or a model called by one everyday word ("Shark", "Still", "Air") is believed only when
 * something else says that it is a name: a capital letter, or the brand beside the model. A wrong brand costs more
 * than a missed one, which the keyword index still finds.
 */
import { isIgnored, isProductWord, type Lexicon, labelKey, termOf } from './lexicon.ts'
import { compactName, type Names } from './name-table.ts'
import { foldAt, type Phrases, phraseAt, phrases, type Range, type Token, wordSet } from './tokens.ts'

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
      const slugs = seen.has(term) ? undefined : lexicon.stems.get(term)
      if (!slugs) continue
      seen.add(term)
      const worth = weight * rarity(lexicon, term, slugs.size)
      for (const [slug, strength] of slugs) vote(slug, strength * worth, at)
    }
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
