/**
 * From a word to the term it is indexed under: Porter's stems, with the irregular plurals shops are full of and the few
 * words whose stem would be another product ("leggings" is no leg, an "organizer" not organic).
 * Words with digits and words of other alphabets stay as they are.
 */
import { stemmer } from 'stemmer'
import { STOP_WORDS } from './stop-words.ts'

const IRREGULAR = new Map(
  Object.entries({
    women: 'woman',
    womens: 'woman',
    men: 'man',
    mens: 'man',
    children: 'child',
    childrens: 'child',
    feet: 'foot',
    teeth: 'tooth',
    geese: 'goose',
    mice: 'mouse',
    knives: 'knife',
    wives: 'wife',
    lives: 'life',
    shelves: 'shelf',
    scarves: 'scarf',
    halves: 'half',
    loaves: 'loaf',
    leaves: 'leaf',
    wolves: 'wolf',
    calves: 'calf',
    hooves: 'hoof',
  }),
)
const KEPT_APART = new Set(
  (
    'lens news shorts legging earring bedding stocking comforter organic organizer organiser generator generic ' +
    'universal universe university animation'
  ).split(' '),
)
const PLURALS_KEPT_APART = new Map([...KEPT_APART].map((word) => [plural(word), word]))
const STEMMABLE = /^[a-z]{3,30}$/
const CACHE_LIMIT = 30_000
const cache = new Map<string, WordFacts>()

/** What is known of a word without its neighbours. */
export type WordFacts = { term: string; stop: boolean; hasDigit: boolean }

/** Looked up for every word of every text, hence kept: texts repeat few words. */
export function factsOf(word: string): WordFacts {
  const known = cache.get(word)
  if (known !== undefined) return known
  if (cache.size >= CACHE_LIMIT) cache.clear()
  const stop = STOP_WORDS.has(word)
  const facts = { term: detached(stop ? word : makeStem(word)), stop, hasDigit: /\d/.test(word) }
  cache.set(detached(word), facts)
  return facts
}

export function stem(word: string): string {
  return factsOf(word).term
}

/**
 * The same characters on their own: V8 keeps a long cut-out as a window on the text it was cut from, and one word kept
 * would keep the whole text.
 */
export function detached(word: string): string {
  return word.length < 13 ? word : Buffer.from(word, 'utf8').toString('utf8')
}

function makeStem(word: string): string {
  if (!STEMMABLE.test(word)) return word
  const kept = KEPT_APART.has(word) ? word : PLURALS_KEPT_APART.get(word)
  return kept ?? stemmer(IRREGULAR.get(word) ?? word)
}

function plural(word: string): string {
  return word.endsWith('s') ? `${word}es` : `${word}s`
}
