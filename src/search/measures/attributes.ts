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
    const terms = forms.map((term) => ({ term, weight: 1, group: 0, fields: OWN_WORDS }))
    const { titleCoverage, coverage } = index.words.explain(terms, slots)
    const stemsOfForms = forms.map((form) => form.split(' '))
    for (let at = 0; at < slots.length; at++) {
      if (titleCoverage[at] !== 0) continue
      if (isDenied(index.at(slots[at] as number), stemsOfForms)) verdicts[at] = 'denied'
      else if (coverage[at] === 0 && verdicts[at] === 'said') verdicts[at] = 'silent'
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

function isDenied(product: IndexedProduct | null, forms: readonly string[][]): boolean {
  const lacks = product?.lacks
  if (!lacks || lacks.length === 0) return false
  return forms.some((stems) => stems.every((stem) => lacks.includes(stem)))
}
