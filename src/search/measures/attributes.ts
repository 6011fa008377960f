/**
 * Whether a product says that it is or has something ("quiet", "foldable", "noise cancelling"): in its title, its specs
 * or its text, in the same word, a near form or a synonym. What it says it does without (absence.ts) denies it, unless
 * its title says otherwise: a product without wireless charging may be wireless.
 */
import type { CatalogIndex, IndexedProduct } from '../catalog-index.ts'
import type { Field } from '../lexical/fields.ts'
import { synonymsOf } from '../lexical/synonyms.ts'
import { tokenize } from '../lexical/tokenize.ts'
import type { Verdict } from './measure-table.ts'

const TITLE: Field[] = ['title']
const OWN_WORDS: Field[] = ['title', 'specs', 'text']
const LEAST_BASE = 4

/** For each slot, whether its product says all of the words. */
export function attributeVerdicts(
  index: CatalogIndex,
  words: readonly string[],
  slots: Uint32Array,
): Verdict[] {
  const verdicts = new Array<Verdict>(slots.length).fill(words.length === 0 ? 'silent' : 'said')
  for (const stem of stemsOfWords(words)) {
    const forms = formsOf(stem)
    const named = saying(index, forms, TITLE, slots)
    const said = saying(index, forms, OWN_WORDS, slots)
    for (const [at, slot] of slots.entries()) {
      if (named[at]) continue
      if (isDenied(index.at(slot), forms)) verdicts[at] = 'denied'
      else if (!said[at] && verdicts[at] === 'said') verdicts[at] = 'silent'
    }
  }
  return verdicts
}

function stemsOfWords(words: readonly string[]): string[] {
  const tokens = tokenize(words.join(' ')).filter(({ kind, stop }) => kind === 'word' && !stop)
  return [...new Set(tokens.map(({ term }) => term))]
}

/** The stem, what is left of it without "-able" or "-est", and what these are also called. */
export function formsOf(stem: string): string[] {
  const base = stem.replace(/(?:abl|ibl|est)$/, '')
  const near = base !== stem && base.length >= LEAST_BASE ? [stem, base] : [stem]
  return [...new Set([...near, ...near.flatMap((form) => synonymsOf(form).map(({ term }) => term))])]
}

function saying(
  index: CatalogIndex,
  forms: readonly string[],
  fields: Field[],
  slots: Uint32Array,
): boolean[] {
  const terms = forms.map((term) => ({ term, weight: 1, group: 0, fields }))
  return Array.from(index.words.explain(terms, slots).coverage, (covered) => covered > 0)
}

function isDenied(product: IndexedProduct | null, forms: readonly string[]): boolean {
  return forms.some((form) => form.split(' ').every((stem) => product?.lacks.includes(stem) ?? false))
}
