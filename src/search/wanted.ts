/**
 * Which products are what a wish for many things asks of all of them: quiet, lightweight, small. A word counts for a
 * category only where some of its products are so. Quiet and light are measured where products state noise and weight;
 * what a product says of itself or of what it is best for answers the rest.
 */
import type { CatalogIndex, IndexedProduct } from './catalog-index.ts'
import { synonymsOf } from './lexical/synonyms.ts'
import { stemsOf } from './lexical/tokenize.ts'
import { anySize } from './measures/measure-table.ts'

const MEASURED: ReadonlyMap<string, { dimension: string; name: string }> = new Map(
  [
    ['quiet silent noiseless', 'sound', 'noise'],
    ['lightweight light ultralight', 'mass', 'weight'],
    ['warm winter', 'degree', 'comfort rating'],
  ].flatMap(([words = '', dimension = '', name = '']) =>
    stemsOf(words).map((stem) => [stem, { dimension, name }] as const),
  ),
)
/** What a spec says where it has the word's meaning in figures. */
const IN_FIGURES: ReadonlyMap<string, { spec: RegExp; meets: RegExp }> = new Map(
  stemsOf('waterproof').map((stem) => [
    stem,
    { spec: /^water resistance: .+/im, meets: /\bIP[X\d][78]\b|\b\d+ ?(?:m|atm)\b/i },
  ]),
)
/** The lowest of those that state a measure. */
const LOWEST = 1 / 4
const FEWEST_MEASURED = 4

/** Of the words or phrases that fit some of the products, how many do not fit each; twice where it says so itself. */
export function countUnsaid(
  index: CatalogIndex,
  phrases: readonly string[],
  products: ReadonlyArray<IndexedProduct | null>,
): number[] {
  const counts = new Array<number>(products.length).fill(0)
  for (const phrase of new Set(phrases)) {
    const stems = stemsOf(phrase)
    const fits =
      (stems.length === 1 ? measuredLow(index, stems[0] ?? '', products) : null) ??
      products.map((product) => product !== null && saysAll(product, stems))
    if (!fits.includes(true)) continue
    for (const [at, fit] of fits.entries()) {
      const denies = stems.some((stem) => products[at]?.notFor.includes(stem))
      if (!fit) counts[at] = (counts[at] ?? 0) + (denies ? 2 : 1)
    }
  }
  return counts
}

function measuredLow(
  index: CatalogIndex,
  stem: string,
  products: ReadonlyArray<IndexedProduct | null>,
): boolean[] | null {
  const measure = MEASURED.get(stem)
  if (!measure) return null
  const judge = index.measures.judge(anySize(measure.dimension, stemsOf(measure.name)))
  const values = products.map((product) => (product && judge(product).stated?.low) ?? null)
  const known = values.filter((value) => value !== null).sort((a, b) => a - b)
  if (known.length < FEWEST_MEASURED) return null
  const most = known[Math.floor(known.length * LOWEST)] ?? 0
  return values.map((value) => value !== null && value <= most)
}

type Sayings = {
  /** Stems between spaces, of all that speaks for it: title, specs and uses. */
  words: string
  specs: Array<{ name: string; denies: boolean }>
}

/** Every wish asks the same products again, and cutting their texts into words is most of the work. */
const known = new WeakMap<IndexedProduct, Sayings>()

function sayingsOf(product: IndexedProduct): Sayings {
  const found = known.get(product)
  if (found) return found
  const { title, shortSpecs, bestFor } = product
  const stems = (text: string) => ` ${stemsOf(text).join(' ')} `
  const sayings = {
    words: stems([title, shortSpecs, ...bestFor].join(' ')),
    specs: shortSpecs.split('\n').map((line) => {
      const end = line.indexOf(':')
      return {
        name: stems(line.slice(0, end)),
        denies: /^(?:no|not|none|hand|partly|false)\b/i.test(line.slice(end + 1).trim()),
      }
    }),
  }
  known.set(product, sayings)
  return sayings
}

function saysAll(product: IndexedProduct, stems: readonly string[]): boolean {
  if (stems.length === 0) return false
  const figures = IN_FIGURES.get(stems.join(' '))
  const [stated] = figures?.spec.exec(product.shortSpecs) ?? []
  if (figures && stated) return figures.meets.test(stated)
  const { words, specs } = sayingsOf(product)
  // A spec that is called so answers by its value.
  const named = specs.find(({ name }) => stems.every((stem) => name.includes(` ${stem} `)))
  if (named) return !named.denies
  return stems.every((stem) => {
    const forms = [stem, ...synonymsOf(stem).map(({ term }) => term)]
    return (
      !product.notFor.some((word) => forms.includes(word)) &&
      forms.some((form) => words.includes(` ${form} `))
    )
  })
}
