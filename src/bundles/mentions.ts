/**
 * Where a sentence calls a category by name: by its whole label ("espresso machine"), by the word that says what it is
 * ("chair" for office chairs), by another word for it ("suitcase"), or by one of these misspelled. A name inside another
 * thing's name does not count: a laptop bag is not a laptop, a desk chair is not a desk.
 */
import { editDistance } from '../search/lexical/dictionary.ts'
import { synonymsOf } from '../search/lexical/synonyms.ts'
import { factsOf } from '../search/lexical/tokenize.ts'
import { readNumber } from '../search/understand/budget.ts'
import { labelKey, termOf, type Vocabulary } from '../search/understand/names.ts'
import { isGerund, looksLikeAdjective } from '../search/understand/negation.ts'
import { foldAt, isGlued, isHyphen, type Range, type Token } from '../search/understand/tokens.ts'
import { saysHowMuch, saysWhose } from './said-of.ts'
import { comesInPairs, EMPTY_HEADS, mayFollowThing, SET_HEADS, wordsOf } from './wish-words.ts'

export type Mention = Range & {
  slug: string
  /** Spelled as the catalog spells it; otherwise its label says it better. */
  exact: boolean
  /** What stands beside it says what it is: "bag" of a sleeping bag. */
  inContext?: boolean
  /** Other categories that the same words could mean. */
  others: string[]
}

type Names = {
  /** whole name, joined and stemmed → categories, the one called just so first */
  byKey: ReadonlyMap<string, readonly string[]>
  /** names as they are written, joined, long enough to be recognised with a typing error → their key */
  fuzzy: ReadonlyMap<string, string>
}

const MAX_WORDS = 4
/** Each costs a look at every name. */
const MAX_CORRECTED = 12
/** More things than one set has; what comes after them is not looked up. */
export const MOST_MENTIONS = 20
const FUZZY_FROM = 5
const TWO_ERRORS_FROM = 8
/** So many names in a row are a list; two are one thing's name ("desk chair"). */
const LIST_WITHOUT_COMMAS = 3

const known = new WeakMap<Vocabulary, Names>()

function namesOf(vocabulary: Vocabulary): Names {
  const names = known.get(vocabulary) ?? makeNames(vocabulary)
  known.set(vocabulary, names)
  return names
}

function makeNames(vocabulary: Vocabulary): Names {
  const byKey = new Map<string, string[]>()
  const fuzzy = new Map<string, string>()
  const add = (words: readonly string[], slug: string, first = false) => {
    const key = labelKey(words)
    const written = words.join('')
    for (const name of new Set([
      written,
      written.replace(/s$/, ''),
      written.replace(/(?<=ss|x|ch|sh)es$/, ''),
    ]))
      if (name.length >= FUZZY_FROM) fuzzy.set(name, key)
    const slugs = byKey.get(key) ?? []
    if (key === '' || slugs.includes(slug)) return
    byKey.set(key, first ? [slug, ...slugs] : [...slugs, slug])
  }
  for (const { slug, label } of vocabulary.categories) {
    const words = wordsOf(label)
    const head = words.at(-1) ?? ''
    add(words, slug, true)
    // "Cookware sets" are called cookware too.
    if (SET_HEADS.has(termOf(head)) && words.length > 1) add(words.slice(0, -1), slug)
    else if (!EMPTY_HEADS.has(termOf(head))) add([head], slug)
  }
  return { byKey, fuzzy }
}

/** `context`: what single words mean where a goal or other things stand beside them, by stem. */
export function findMentions(
  tokens: readonly Token[],
  taken: Uint8Array,
  vocabulary: Vocabulary,
  context: ReadonlyMap<string, string> = new Map(),
): Mention[] {
  const names = namesOf(vocabulary)
  const found: Mention[] = []
  let corrected = 0
  const isKnown = (word: string) => (vocabulary.documentShare?.(termOf(word)) ?? 0) > 0
  for (let at = 0; at < tokens.length && found.length < MOST_MENTIONS; ) {
    const runs = runsAt(tokens, taken, at, found.at(-1))
    let mention = exactAt(names, runs, at) ?? inContext(context, tokens, runs, at)
    // A longer name with a typing error says more: "robot vaccum".
    const unread = runs.filter(({ to }) => !mention || (!mention.exact && to > mention.to))
    if (unread.some(({ words }) => words.some((word) => !isKnown(word))) && corrected < MAX_CORRECTED) {
      corrected++
      mention = misspelledAt(names, unread, at, isKnown) ?? mention
    }
    if (mention) found.push(mention)
    at = mention?.to ?? at + 1
  }
  return dropParts(tokens, taken, found, vocabulary)
}

type Run = { words: string[]; to: number }

/** The words from here on, longest run first; hyphens join, nothing else stands between. */
function runsAt(tokens: readonly Token[], taken: Uint8Array, from: number, last?: Mention): Run[] {
  const runs: Run[] = []
  const words: string[] = []
  for (let at = from; at < tokens.length && words.length < MAX_WORDS && !taken[at]; at++) {
    if (isHyphen(tokens, at) && isGlued(tokens, at) && words.length > 0) continue
    const token = tokens[at]
    if (token?.kind !== 'word') break
    // "A stick vacuum and a robot one"
    const again = words.length > 0 && last && /^ones?$/.test(token.fold)
    words.push(again ? foldAt(tokens, last.to - 1) : token.fold.replace(/'s?$/, ''))
    runs.unshift({ words: [...words], to: at + 1 })
  }
  return runs
}

function exactAt(names: Names, runs: readonly Run[], from: number): Mention | null {
  for (const { words, to } of runs) {
    // Backpacking is no backpack.
    if (words.length === 1 && isGerund(words[0] ?? '')) continue
    const slugs = names.byKey.get(labelKey(words))
    if (slugs) return mentionOf(slugs, { from, to }, true)
    if (words.length > 2) continue
    const [first = '', last] = words
    // "Robot vac" for robot vacuums.
    for (const { term } of last === undefined ? [] : synonymsOf(termOf(last))) {
      const near = names.byKey.get(labelKey([first, ...term.split(' ')]))
      if (near) return mentionOf(near, { from, to }, false)
    }
    for (const { term } of synonymsOf(words.map(termOf).join(' '))) {
      const key = labelKey(term.split(' '))
      // "Cabin bag" is "carry-on", with which "carry-on luggage" begins.
      const whole = last === undefined ? undefined : names.byKey.keys().find((name) => name.startsWith(key))
      const synonym = names.byKey.get(key) ?? names.byKey.get(whole ?? '')
      if (synonym) return mentionOf(synonym, { from, to }, false)
    }
  }
  return null
}

/** Where it is counted or listed; "a light and small bag" is one thing. */
function inContext(
  context: ReadonlyMap<string, string>,
  tokens: readonly Token[],
  runs: readonly Run[],
  at: number,
): Mention | null {
  const word = runs.at(-1)?.words[0]
  const slug = context.size === 0 || word === undefined ? undefined : context.get(termOf(word))
  if (slug === undefined || isGerund(word ?? '')) return null
  const [before, next] = [tokens[at - 1], tokens[at + 1]]
  // "A light tent", "light, small and cheap"; only at the end of what is said is it a thing.
  const isAdjective =
    word === 'light' && ((next?.kind === 'word' && next.fold !== 'is') || before?.fold === 'is')
  const isPart = [1, 2].some((back) => foldAt(tokens, at - back) === 'with')
  if (isAdjective || isPart) return null
  const leads =
    before?.kind !== 'word' ||
    factsOf(before.fold).stop ||
    readNumber(tokens, at - 1) !== null ||
    /^(?:second|nd|best)$/.test(before.fold) ||
    looksLikeAdjective(before.fold)
  return leads ? { ...mentionOf([slug], { from: at, to: at + 1 }, false), inContext: true } : null
}

function misspelledAt(
  { byKey, fuzzy }: Names,
  runs: readonly Run[],
  from: number,
  isKnown: (word: string) => boolean,
): Mention | null {
  for (const { words, to } of runs) {
    // "That lets" is no tablet.
    if (words.length > 2 || words.every(isKnown) || words.some((word) => factsOf(word).stop)) continue
    const written = words.join('')
    if (written.length < FUZZY_FROM - 1) continue
    const most = written.length >= TWO_ERRORS_FROM ? 2 : 1
    let best: string | null = null
    let least = most + 1
    for (const [name, key] of fuzzy) {
      const distance = name[0] === written[0] ? editDistance(written, name, most) : most + 1
      if (distance < least) [best, least] = [key, distance]
    }
    const slugs = best === null ? undefined : byKey.get(best)
    if (slugs) return mentionOf(slugs, { from, to }, false)
  }
  return null
}

function mentionOf([slug = '', ...others]: readonly string[], range: Range, exact: boolean): Mention {
  return { ...range, slug, others, exact }
}

function dropParts(
  tokens: readonly Token[],
  taken: Uint8Array,
  found: readonly Mention[],
  vocabulary: Vocabulary,
): Mention[] {
  const kept: Mention[] = []
  for (let first = 0; first < found.length; ) {
    let last = first
    while (found[last + 1]?.from === found[last]?.to && last + 1 < found.length) last++
    const run = found.slice(first, last + 1)
    const end = run.at(-1)?.to ?? 0
    const next = tokens[end]
    const ends =
      !next ||
      taken[end] === 1 ||
      next.kind !== 'word' ||
      (/[^s]s$/.test(foldAt(tokens, end - 1)) && !comesInPairs(foldAt(tokens, end - 1))) ||
      mayFollowThing(next.fold) ||
      saysWhose(tokens, end) ||
      saysHowMuch(tokens, end)
    const list = run.length >= LIST_WITHOUT_COMMAS || /^(combo|bundle|set|kit)s?$/.test(foldAt(tokens, end))
    const [only] = run
    // "A pan set" is the pans.
    const called = vocabulary.categories.find(({ slug }) => slug === only?.slug)?.label ?? ''
    if (ends && only && run.length === 1 && isSameSet(called, foldAt(tokens, end)))
      kept.push({ ...only, to: end + 1 })
    else if (ends) kept.push(...(list ? run : run.slice(-1)))
    first = last + 1
  }
  return kept
}

function isSameSet(label: string, word: string): boolean {
  return SET_HEADS.has(termOf(word)) && termOf(wordsOf(label).at(-1) ?? '') === termOf(word)
}

/** A word as the catalog may write it: itself and what else it is called. */
export function termsFor(word: string): string[] {
  const term = termOf(word)
  return [term, ...synonymsOf(term).map((synonym) => synonym.term)]
}
