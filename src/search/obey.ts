/**
 * What a query demands binds. Makers, kinds and prices that are ruled out leave the catalog before ranking; of what is
 * found, a product that denies a size or an attribute is no answer, and one that says it comes before one that is
 * silent. Each demand has a label for people and an id by which it can be taken back.
 */
import type { CatalogIndex, IndexedProduct } from './catalog-index.ts'
import { standingOf } from './kinds.ts'
import type { Field } from './lexical/lexical-index.ts'
import { toQueryTerms } from './lexical/query-terms.ts'
import { stemsOf, tokenize } from './lexical/tokenize.ts'
import { attributeVerdicts } from './measures/attributes.ts'
import type { Verdict } from './measures/measure-table.ts'
import type { Sort } from './search.schema.ts'
import { looksLikeAdjective } from './understand/negation.ts'
import type { Note } from './understand/notes.ts'
import type { Understood } from './understand/understand.ts'

/** One thing that was obeyed, as people read it. */
export type Obeyed = { id: string; label: string }

/** Of each candidate, how many demands it is silent about and how far it is from a size; -1 when it denies one. */
export type Verdicts = Float32Array

export const DENIED = -1
const MANY_SPECS = 4
const OWN_FIELDS: Field[] = ['title', 'specs']
/** Of many words, each is a wish among others: a product that is silent about one does not come after all the rest. */
const FIRM_WORDS = 5
/** A title that names the thing less surely than this is of something else. */
const IS_THE_THING = 0.5

/** What a meaning is without when nothing is demanded. */
export const NO_DEMANDS: Pick<
  Understood,
  'budget' | 'reference' | 'excludedBrands' | 'excludedKinds' | 'sizes' | 'attributes'
> = {
  budget: null,
  reference: null,
  excludedBrands: [],
  excludedKinds: [],
  sizes: [],
  attributes: [],
}

export function hasDemands(understood: Understood): boolean {
  const { budget, reference, excludedBrands, excludedKinds, sizes, attributes } = understood
  const lists = [excludedBrands, excludedKinds, sizes, attributes]
  return budget !== null || reference !== null || lists.some(({ length }) => length > 0)
}

/** The query's meaning without the demands that were taken back. */
export function withoutDemands(understood: Understood, ignored: readonly string[]): Understood {
  if (ignored.length === 0) return understood
  const gone = new Set(ignored)
  const kept = (id: string) => !gone.has(id)
  return {
    ...understood,
    budget: kept('price') ? understood.budget : null,
    order: kept('order') ? understood.order : null,
    reference: kept('than') ? understood.reference : null,
    excludedBrands: understood.excludedBrands.filter((brand) => kept(`not-brand:${brand}`)),
    excludedKinds: understood.excludedKinds.filter(({ phrase }) => kept(`not:${phrase}`)),
    sizes: understood.sizes.filter(({ phrase }) => kept(`size:${phrase}`)),
    attributes: understood.attributes.filter(({ phrase }) => kept(`attribute:${phrase}`)),
  }
}

/** What was understood and is obeyed, in the words of its notes. */
export function obeyedOf(understood: Understood): Obeyed[] {
  const label = (phrase: string, or: string) => labelOf(understood.notes, phrase) ?? or
  const { budget, order, reference, excludedBrands, excludedKinds, sizes } = understood
  const obeyed: Obeyed[] = [
    ...excludedBrands.map((brand) => ({ id: `not-brand:${brand}`, label: `Not ${brand}` })),
    ...excludedKinds.map(({ phrase }) => ({ id: `not:${phrase}`, label: label(phrase, `Not ${phrase}`) })),
    ...(reference
      ? [{ id: 'than', label: label(reference.name, `Excluding the ${reference.name} itself`) }]
      : []),
    ...sizes.map(({ phrase }) => ({ id: `size:${phrase}`, label: label(phrase, phrase) })),
    ...(budget ? [{ id: 'price', label: label(budget.phrase, budget.phrase) }] : []),
    ...(order ? [{ id: 'order', label: ORDERS[order] }] : []),
  ]
  return obeyed.filter(({ id }, at) => obeyed.findIndex((other) => other.id === id) === at)
}

const ORDERS: Record<Exclude<Sort, 'relevance'>, string> = {
  newest: 'newest first',
  rating: 'best rated first',
  popular: 'most reviewed first',
  price_asc: 'cheapest first',
  price_desc: 'most expensive first',
}

function labelOf(notes: readonly Note[], phrase: string): string | undefined {
  return notes.find((note) => note.phrase.includes(phrase))?.meaning
}

/**
 * Takes from `allowed` what the query rules out; all products come into question when it is undefined. Makers, prices and
 * categories are in columns, and only products that say all the words of a kind are looked at one by one.
 */
export function ruleOut(
  index: CatalogIndex,
  understood: Understood,
  allowed: Uint8Array | undefined,
): Uint8Array | undefined {
  const { excludedBrands, excludedKinds, reference, categories } = understood
  if (excludedBrands.length + excludedKinds.length === 0 && !reference) return allowed
  const left = allowed ?? index.columns.alive.slice(0, index.slots)
  const takeOut = (isOut: (slot: number) => boolean) => {
    for (let slot = 0; slot < left.length; slot++) if (left[slot] === 1 && isOut(slot)) left[slot] = 0
  }
  const { brands, columns } = index
  const makers = brands.find(excludedBrands)
  if (makers.size > 0) takeOut((slot) => makers.has(brands.firstOf(columns.brand[slot] as number)))
  for (const { words } of excludedKinds) {
    const { stems, isKind } = kindTest(index, words, categories[0])
    if (stems.length === 0) continue
    for (const slot of index.words.holding(stems)) {
      const product = left[slot] === 1 ? index.at(slot) : null
      if (product && isKind(product)) left[slot] = 0
    }
  }
  const isSame = reference && likeItself(index, reference, categories)
  if (isSame) takeOut(isSame)
  return left
}

/**
 * A product is of a kind when its title names it so, or its category or a spec says all the words. In "stove but not a
 * wood burner" what is wanted goes by the last word too, and the words before it say which.
 */
function kindTest(
  index: CatalogIndex,
  words: readonly string[],
  wanted = '',
): { stems: string[]; isKind: (product: IndexedProduct) => boolean } {
  const all = [...new Set(tokenize(words.join(' ')).flatMap(({ term, stop }) => (stop ? [] : [term])))]
  const isOfTheWanted = all.length > 1 && index.vocabulary().kinds?.isHead(all.at(-1) ?? '', wanted) === true
  const stems = isOfTheWanted ? all.slice(0, -1) : all
  const numbers = stems.map((stem) => index.kinds.numberOf(stem))
  const head = new Set(numbers.slice(-1).filter((number) => number !== undefined))
  const isKind = ({ titleWords, category, shortSpecs }: IndexedProduct) => {
    if (numbers.every((number) => number !== undefined && titleWords.includes(number))) {
      const standing = standingOf(index.kinds, titleWords, head)
      // "Robot vacuum" is a robot: before the name of the thing itself a word says of what kind it is.
      if (standing && (standing.is >= IS_THE_THING || standing.part > 0)) return true
    }
    const says = (text: string) => {
      const said = new Set(tokenize(text).map(({ term }) => term))
      return stems.every((stem) => said.has(stem))
    }
    return says(category.label) || typesOf(shortSpecs).some(says)
  }
  return { stems, isKind }
}

/** The specs that say of what kind a product is. */
function typesOf(shortSpecs: string): string[] {
  return shortSpecs
    .split('\n')
    .filter((line) => /^(?:type|kind|style|shape|form|design|category|format|product type)\b/i.test(line))
}

/** What is no answer beside it: the product itself, other categories, and when something cheaper is asked for, what costs as much. */
function likeItself(
  index: CatalogIndex,
  { relation, name }: NonNullable<Understood['reference']>,
  categories: readonly string[],
): ((slot: number) => boolean) | null {
  const known = productCalled(index, name)
  if (!known) return null
  const own = index.slotOf(known.id)
  const category =
    categories[0] === known.category.slug ? index.categoryNumber(known.category.slug) : undefined
  const below = relation === 'cheaper' ? known.priceLowCents : null
  return (slot) =>
    slot === own ||
    (category !== undefined && index.columns.category[slot] !== category) ||
    // An unknown price is not below it either.
    (below !== null && !((index.columns.priceLow[slot] as number) < below))
}

/** The product whose title holds all words of the name; of several the one whose title says least else. */
export function productCalled(index: CatalogIndex, name: string): IndexedProduct | null {
  const stems = new Set(
    tokenize(name).flatMap(({ term, kind, stop }) => (stop || kind !== 'word' ? [] : [term])),
  )
  let best: IndexedProduct | null = null
  let fewest = Number.POSITIVE_INFINITY
  for (const slot of index.words.search(toQueryTerms(name, index.words, { synonyms: false }), 10).slots) {
    const product = index.at(slot)
    if (!product) continue
    const title = new Set(
      tokenize(`${product.brand ?? ''} ${product.title} ${product.model ?? ''}`).map(({ term }) => term),
    )
    if (![...stems].every((stem) => title.has(stem)) || title.size >= fewest) continue
    best = product
    fewest = title.size
  }
  return best
}

/** Judges candidates by the sizes and attributes that the query demands. */
export function judgeAll(index: CatalogIndex, understood: Understood, slots: Uint32Array): Verdicts {
  const verdicts = new Float32Array(slots.length)
  const isFirm = understood.text.split(/\s+/).length <= FIRM_WORDS
  const note = (at: number, verdict: Verdict, distance = 0) => {
    if (verdicts[at] === DENIED) return
    if (verdict === 'denied') verdicts[at] = DENIED
    else verdicts[at] = (verdicts[at] as number) + (verdict === 'silent' ? 1 : distance)
  }
  for (const size of understood.sizes) {
    const judge = index.measures.judge(size)
    for (let at = 0; at < slots.length; at++) {
      const product = index.at(slots[at] as number)
      if (!product) continue
      const { verdict, stated, distance } = judge(product)
      // The numbers of a title may be of anything: they say, and do not deny.
      const isTitle = verdict === 'denied' && stated?.name === ''
      note(at, isTitle ? 'silent' : verdict, size.comparison === 'eq' ? stepsOff(distance) : 0)
    }
  }
  for (const { words, phrase, denied } of understood.attributes) {
    const stems = stemsOf(words.join(' '))
    const wanted = new Set(stemsOf(understood.text.replace(phrase, ' ')))
    // "A silverware box without silverware": what is asked for is in the name of what is left out.
    if (denied && stems.some((stem) => wanted.has(stem))) continue
    const found = attributeVerdicts(index, words, slots)
    const stated = denied ? statedBy(index, words, slots) : []
    const isMissed = isFirm && (denied || looksLikeAdjective(words.at(-1) ?? ''))
    for (let at = 0; at < slots.length; at++) {
      const product = index.at(slots[at] as number)
      const isLacking =
        denied && stems.length > 0 && stems.every((stem) => product?.lacks.includes(stem) ?? false)
      // A spec may say "Noise cancelling: Adaptive" of a product that does without some other cancelling.
      const said = isLacking ? 'denied' : stated[at] ? 'said' : (found[at] ?? 'silent')
      const meant = denied ? OPPOSITE[said] : said
      // In a text the word may stand for something else; title and specs speak of the product itself.
      const verdict = denied && meant === 'denied' && !stated[at] ? 'silent' : meant
      // Who states little is silent about everything, and not for that less likely.
      if (verdict === 'denied' || (isMissed && verdict === 'silent' && statesMuch(product))) note(at, verdict)
    }
  }
  return verdicts
}

function statesMuch(product: IndexedProduct | null): boolean {
  let lines = 1
  for (let at = -1; lines < MANY_SPECS; lines++) {
    at = product?.shortSpecs.indexOf('\n', at + 1) ?? -1
    if (at < 0) return false
  }
  return true
}

/** Whether title or specs hold all of the words. */
function statedBy(index: CatalogIndex, words: readonly string[], slots: Uint32Array): boolean[] {
  const also = words.length === 1 ? (STATED_ALSO_BY.get(words[0] ?? '') ?? []) : []
  const stated = [words, ...also.map((word) => [word])].map((some) => statedIn(index, some, slots))
  return Array.from(slots, (_, at) => stated.some((one) => one[at]))
}

/** What is connected so is what the word means. */
const STATED_ALSO_BY: ReadonlyMap<string, readonly string[]> = new Map([
  ['wireless', ['bluetooth']],
  ['teflon', ['ptfe']],
])

function statedIn(index: CatalogIndex, words: readonly string[], slots: Uint32Array): boolean[] {
  const terms = stemsOf(words.join(' ')).map((term, group) => ({
    term,
    weight: 1,
    group,
    fields: OWN_FIELDS,
  }))
  return Array.from(index.words.explain(terms, slots).share, (share) => share > 0.999)
}

const OPPOSITE: Record<Verdict, Verdict> = { said: 'denied', silent: 'silent', denied: 'said' }

/** What holds 8 also holds 6, but who asks for 6 means 6: coarse steps below the weight of one silence. */
function stepsOff(distance: number): number {
  return Math.min(0.9, Math.round(distance * 4) / 10)
}
