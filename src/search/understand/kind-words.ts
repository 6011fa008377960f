/**
 * What things are called in titles. The last word before "with", a comma or a bracket says what a product is
 * ("robot vacuum and mop with live view" is a mop), the words before it say what sort. Kept as products come and go.
 */
import { stem } from '../lexical/stem.ts'
import { compactName } from './name-table.ts'
import { tokenize, wordSet } from './tokens.ts'

export type KindWords = {
  /** Whether some title says this stemmed word of the thing itself. */
  inTitles(term: string): boolean
  /** Whether titles of this category, or of any, end in this stemmed word. */
  isHead(term: string, category?: string): boolean
}

type Titled = { title: string; brand: string | null; model: string | null; category: { slug: string } }
export type KindTable = KindWords & { add(product: Titled): void; drop(product: Titled): void }

const ENDS = wordSet('with without for to of in by from , ( [ | : ; – — /')
/** "knife set" and "2-pack" say how many; what it is stands before. */
const COUNTED = wordSet('set sets kit pack pair bundle piece pieces pc pcs')

export function createKindTable(): KindTable {
  const titles = new Map<string, number>()
  const heads = new Map<string, number>()
  const count = ({ title, brand, model, category }: Titled, step: 1 | -1) => {
    const { words, heads: last } = readTitle(title, [brand ?? '', model ?? ''])
    for (const word of words) change(titles, word, step)
    for (const word of last) {
      change(heads, word, step)
      change(heads, `${word} ${category.slug}`, step)
    }
  }
  return {
    inTitles: (term) => titles.has(term),
    isHead: (term, category) => heads.has(category === undefined ? term : `${term} ${category}`),
    add: (product) => count(product, 1),
    drop: (product) => count(product, -1),
  }
}

function change(counts: Map<string, number>, key: string, step: 1 | -1): void {
  const next = (counts.get(key) ?? 0) + step
  if (next > 0) counts.set(key, next)
  else counts.delete(key)
}

function readTitle(title: string, names: readonly string[]): { words: Set<string>; heads: Set<string> } {
  const named = new Set(names.flatMap((name) => tokenize(name).map(({ fold }) => compactName(fold))))
  const words: string[] = []
  let joined = ''
  for (const { fold, kind, glued } of tokenize(title)) {
    if (words.length > 0 && ENDS.has(fold)) break
    if (kind !== 'word') continue
    const word = compactName(fold)
    // "in-ear" is known as "inear" too.
    const compound = glued && joined !== '' ? joined + word : ''
    joined = word
    if (named.has(word)) continue
    if (compound) words.push(compound)
    words.push(word)
  }
  const last = words.findLast((word) => !COUNTED.has(word))
  const terms = (list: readonly (string | undefined)[]) =>
    new Set(list.flatMap((word) => (word === undefined ? [] : [stem(word)])))
  return { words: terms(words), heads: terms([last, words.at(-1)]) }
}
