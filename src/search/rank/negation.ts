/** For what is not wanted: how much of it a product says it does without, and how much it speaks of otherwise. */
import { type CatalogIndex, type IndexedProduct, stemsOf } from '../catalog-index.ts'
import type { Field } from '../lexical/lexical-index.ts'
import type { Understood } from '../understand/understand.ts'
import { NOTHING, share } from './columns.ts'

const MAX_NEGATED = 6

type Negation = Record<
  'lacks' | 'says' | 'saysInSpecs' | 'saysInTitle' | 'avoidsLacking' | 'avoidsSaying',
  Float32Array
>
const NO_NEGATION: Negation = {
  lacks: NOTHING,
  says: NOTHING,
  saysInSpecs: NOTHING,
  saysInTitle: NOTHING,
  avoidsLacking: NOTHING,
  avoidsSaying: NOTHING,
}
const OWN_WORDS: Field[] = ['title', 'specs', 'text']

export function readNegation(
  index: CatalogIndex,
  { negated }: Understood,
  slots: Uint32Array,
  products: IndexedProduct[],
): Negation {
  const stems = (lack: boolean) =>
    stemsOf(negated.flatMap(({ kind, words }) => ((kind === 'lack') === lack ? words : [])).join(' '))
  const lacking = stems(true).slice(0, MAX_NEGATED)
  const avoided = stems(false).slice(0, MAX_NEGATED)
  if (lacking.length + avoided.length === 0) return NO_NEGATION
  /** The share of the terms that a product mentions in these fields and does not deny. */
  const saying = (terms: string[], fields: Field[]) => {
    const said = new Float32Array(slots.length)
    for (const term of terms) {
      const { coverage } = index.words.explain([{ term, weight: 1, group: 0, fields }], slots)
      for (let at = 0; at < said.length; at++)
        if ((coverage[at] as number) > 0 && !products[at]?.lacks.includes(term))
          said[at] = (said[at] as number) + 1 / terms.length
    }
    return said
  }
  const denying = (terms: string[]) => {
    const wanted = new Set(terms)
    return Float32Array.from(products, ({ lacks }) => share(wanted, lacks))
  }
  return {
    lacks: denying(lacking),
    says: saying(lacking, OWN_WORDS),
    saysInSpecs: saying(lacking, ['specs']),
    saysInTitle: saying(lacking, ['title']),
    avoidsLacking: denying(avoided),
    avoidsSaying: saying(avoided, OWN_WORDS),
  }
}
