/**
 * Which candidates of a query answer it, and in which order they are listed: one function for every face. A product that
 * denies what was demanded is no answer; one that says it comes before one that is silent. Discontinued products come
 * last, but for one that is named.
 */
import type { CatalogIndex, IndexedProduct } from './catalog-index.ts'
import type { Field } from './lexical/fields.ts'
import { SYNONYM_WEIGHT } from './lexical/synonyms.ts'
import { stemsOf, tokenize } from './lexical/tokenize.ts'
import { anySize } from './measures/measure-table.ts'
import { DENIED, judgeAll } from './obey.ts'
import { FEATURES } from './rank/features.ts'
import type { Ranked, RankQuery } from './rank/rank.ts'
import type { Sort } from './search.schema.ts'
import { sortSlots } from './sort.ts'
import type { Understood } from './understand/understand.ts'
import { preferOrderable, wantedTerms } from './variant-match.ts'

/**
 * Beside a good answer, one of this share of the likelihood that makes one good is an answer, too. More is asked of what
 * is in another category than the best, and of all when the list is sorted: there the least likely may come first. In a
 * small catalog the best are also what is left over, so they must be a little likely themselves.
 */
const FITS = { likeTheBest: 0.02, best: 0.08, other: 0.4, sorted: 0.15 }
const MANY_OF_THE_BEST = 2
/** The most words of a query that is about the category it names. */
const NAMES_A_KIND = 6
const BEST = 5
const MOST_OF_THE_BEST = 0.8
/** So many products that are called by all words of a query make a kind. */
const KIND_OF_ITS_OWN = 2
const MOST_WORDS_OF_A_KIND = 3
/** From this share of a good fit on a verdict counts: a profile's is of the product, a title's number of anything. */
const COUNTS = { profile: 0.3, row: 1.8 }
/** The fields in which a product speaks of itself. */
const OWN: Field[] = ['title', 'brand', 'model', 'category', 'specs']
/** Of so many products a category is kept well, and holds all there are. */
const WELL_FILLED = 5
/** A title that names the thing this surely is of it, whatever its category. */
const NAMED = 0.75

/** `fitting` are places among the ranked, in their order, those that say what was demanded first. */
export function whatFits(
  index: CatalogIndex,
  query: RankQuery,
  ranked: Ranked,
  { isNarrowed, sort, asked }: { isNarrowed: boolean; sort: Sort; asked: string },
): { match: 'good' | 'none'; fitting: number[] } {
  const { understood } = query
  const { slots, fit, goodFrom } = ranked
  // A category or a maker was chosen, or nothing but a limit was said: all within it answers.
  const ease = isNarrowed || query.anything ? 0 : 1
  const verdicts = judgeAll(index, understood, slots)
  const isInNamed = inNamedCategory(index, understood, slots)
  const isLikely = (place: number, share: number) =>
    (fit[place] as number) >= share * goodFrom * ease || isInNamed(place)
  const isOfTheBest = likeTheBest(index, slots, (place) => isLikely(place, FITS.best))
  const shareOfTheBest = sort === 'relevance' ? FITS.likeTheBest : FITS.sorted
  const likely: number[] = []
  for (let place = 0; place < slots.length; place++)
    if (isLikely(place, isOfTheBest(place) ? shareOfTheBest : FITS.other)) likely.push(place)
  const sized = new Set(sizedOnes(index, understood, slots, ofTheKind(index, query, ranked, likely)))
  // A whole title means that product, whatever its words demand besides.
  const saysWhole = wholeSaidBy(asked)
  const isCalled = (place: number) => {
    const product = index.at(slots[place] ?? -1)
    return product !== null && saysWhole(product)
  }
  let fitting = likely.filter((place) => (sized.has(place) && verdicts[place] !== DENIED) || isCalled(place))
  const says = wholeSaid(index, query, slots)
  // A written profile says of what kind a product is; an imported row may leave it out.
  const isProfiled = (place: number) => index.at(slots[place] ?? -1)?.verdict !== null
  const saying = says ? fitting.filter((place) => isLikely(place, 1) && says(place)) : []
  if (saying.length >= KIND_OF_ITS_OWN && fitting.slice(0, BEST).some((place) => says?.(place)))
    fitting = fitting.filter((place) => says?.(place) || !isProfiled(place))
  // A number that few products share makes each less likely: in the category asked for, what has the size answers sooner.
  const isIn = (place: number) => index.at(slots[place] ?? -1)?.category.slug === understood.categories[0]
  const hasSize = (place: number) =>
    understood.sizes.length > 0 && verdicts[place] !== DENIED && (verdicts[place] as number) < 1
  const isMeasured = saysMeasure(index, query, slots)
  const isAnswer = (place: number) =>
    isLikely(place, hasSize(place) && (isIn(place) || isMeasured(place)) ? FITS.other : 1)
  if (!fitting.some(isAnswer)) return { match: 'none', fitting: [] }
  // Among good answers one that says what was demanded comes first; a poor answer does not come first for saying it.
  const most = verdicts.reduce((worst, verdict) => Math.max(worst, verdict), 0)
  const standing = (place: number) =>
    isLikely(place, isProfiled(place) ? COUNTS.profile : COUNTS.row) ? (verdicts[place] as number) : most
  const wanted = wantedTerms(index, query.terms)
  const productAt = (place: number) => index.at(slots[place] ?? -1)
  const ordered = fitting.sort((a, b) => standing(a) - standing(b) || a - b)
  return {
    match: 'good',
    fitting: preferOrderable(ordered, wanted, { productAt, isGood: (place) => isLikely(place, 1) }),
  }
}

/**
 * Whether a product is in a category that the query says the name of and nothing else: "shelters" of "Tents & family
 * shelters". Titles of imported rows need not repeat it.
 */
function inNamedCategory(
  index: CatalogIndex,
  { text }: Understood,
  slots: Uint32Array,
): (place: number) => boolean {
  const said = new Set(stemsOf(text))
  if (said.size === 0 || said.size > NAMES_A_KIND) return () => false
  const isSaid = (name: string) => {
    const stems = stemsOf(name)
    return said.has(stems.at(-1) ?? '') && said.isSubsetOf(new Set(stems))
  }
  const named = new Map<string, boolean>()
  return (place) => {
    const category = index.at(slots[place] ?? -1)?.category
    if (!category) return false
    const known = named.get(category.slug)
    if (known !== undefined) return known
    const isNamed = category.label.split(/[&,/]|\band\b/).some(isSaid)
    named.set(category.slug, isNamed)
    return isNamed
  }
}

/** Whether a product says every word of a short query of itself: in its name, its category or a spec. */
function wholeSaid(
  index: CatalogIndex,
  { terms, understood, head }: RankQuery,
  slots: Uint32Array,
): ((place: number) => boolean) | null {
  const groups = Map.groupBy(terms, ({ group }) => group)
  // Numbers are measured, not read.
  const isCounted = understood.sizes.length > 0 || terms.some(({ term }) => /\d/.test(term))
  if (isCounted || groups.size > MOST_WORDS_OF_A_KIND) return null
  const said = groups
    .values()
    .toArray()
    .map((variants) => {
      const forms = variants.map((variant) => ({ ...variant, fields: OWN }))
      const stems = new Set(variants.filter(({ weight }) => weight === 1).map(({ term }) => term))
      // A bike "without bike storage" is a bike: nothing lacks what it is.
      const isThing = variants.some(({ group }) => group === head)
      const { coverage } = index.words.explain(forms, slots)
      const column = new Uint8Array(slots.length)
      for (let place = 0; place < slots.length; place++) {
        if (coverage[place] === 0) continue
        const isLacking = () =>
          index.at(slots[place] as number)?.lacks.some((stem) => stems.has(stem)) === true
        if (isThing || !isLacking()) column[place] = 1
      }
      return column
    })
  return (place) => said.every((column) => column[place] === 1)
}

/** Whether a product's category is that of most of the best. */
function likeTheBest(
  index: CatalogIndex,
  slots: Uint32Array,
  isGood: (place: number) => boolean,
): (place: number) => boolean {
  const categoryAt = (place: number) => index.at(slots[place] ?? -1)?.category.slug
  const counts = new Map<string | undefined, number>()
  for (let place = 0; place < Math.min(BEST, slots.length); place++)
    if (isGood(place)) counts.set(categoryAt(place), (counts.get(categoryAt(place)) ?? 0) + 1)
  return (place) => (counts.get(categoryAt(place)) ?? 0) >= MANY_OF_THE_BEST
}

/**
 * Where the query asks for a category that products fit in, a product of another one must be called that thing itself. A
 * long query may mention a category in passing: "brighten my face in webcam meetings".
 */
function ofTheKind(
  index: CatalogIndex,
  { understood, terms, thing: head }: RankQuery,
  { slots, fit, goodFrom, featuresAt }: Ranked,
  places: number[],
): number[] {
  const { categories } = index.vocabulary()
  const groups = wordsOfTheThing(understood, terms)
  if (groups > NAMES_A_KIND) return places
  const thing = new Set(terms.flatMap(({ term, group }) => (group === head ? [term] : [])))
  const said = new Set(terms.map(({ term }) => term))
  const stemsIn = new Map(categories.map(({ slug, label }) => [slug, stemsOf(label)]))
  const asked = understood.categories[0] ?? ''
  const stems = stemsIn.get(asked) ?? []
  const isAsked = stems.some((stem) => thing.has(stem)) && stems.every((stem) => said.has(stem))
  const slugAt = (place: number) => index.at(slots[place] ?? -1)?.category.slug ?? ''
  const isGood = (place: number) => (fit[place] as number) >= goodFrom
  // "A desk, an office chair and a monitor": the words name a category that the thing asked for is not.
  if (!isAsked && stems.length > 0 && stems.every((stem) => said.has(stem))) return places
  if (!isAsked) {
    // "Coffee maker" is in categories where things are called makers, and coffee grinders are not among them. Titles
    // of imported rows end in anything.
    const calls = callsSo(index, terms, head)
    const isCalled = (place: number) => {
      const product = index.at(slots[place] ?? -1)
      return product !== null && calls(product.category)
    }
    const best = places.find(isGood)
    const isSure = best !== undefined && isCalled(best) && index.at(slots[best] ?? -1)?.verdict !== null
    return isSure ? places.filter(isCalled) : places
  }
  // Who asks for monitors does not mean baby monitors, where both have a category, unless one comes first of all:
  // "monitor with white noise".
  const isOtherKind = (slug: string) => {
    const other = stemsIn.get(slug) ?? []
    return slug !== asked && thing.has(other.at(-1) ?? '') && other.some((stem) => !said.has(stem))
  }
  const isMeant = (place: number) => place === 0 && isGood(place) && isOtherKind(slugAt(place))
  const own = places.filter((place) => isMeant(place) || !isOtherKind(slugAt(place)))
  const rows = new Map(own.map((place) => [place, featuresAt(place)]))
  const isIn = (place: number) => (rows.get(place)?.[CATEGORY] ?? 0) > 0
  // A category of imported rows is as sure as what most of the best are; so is one of several that are named.
  const best = own.slice(0, BEST)
  const isSure =
    understood.categories.length === 1 && best.some((place) => index.at(slots[place] ?? -1)?.verdict !== null)
  if (!isSure && best.filter(isIn).length < best.length * MOST_OF_THE_BEST) return own
  if (!own.some((place) => isIn(place) && isGood(place))) return own
  const within = own.filter((place) => isIn(place) || isMeant(place))
  if (within.length >= WELL_FILLED) return within
  return own.filter((place) => isIn(place) || (rows.get(place)?.[IS] ?? 0) >= NAMED)
}

/** Whether a product states a size that was asked for under a name that was said: "retention under 0.2 g". */
function saysMeasure(
  index: CatalogIndex,
  { understood, terms }: RankQuery,
  slots: Uint32Array,
): (place: number) => boolean {
  const said = new Set(terms.flatMap(({ term, weight }) => (weight === 1 ? [term] : [])))
  const judges = understood.sizes.map((size) => index.measures.judge(size))
  return (place) => {
    const product = index.at(slots[place] ?? -1)
    if (!product) return false
    return judges.some((judge) => {
      const { verdict, stated } = judge(product)
      return verdict === 'said' && !!stated?.name && stemsOf(stated.name).every((stem) => said.has(stem))
    })
  }
}

/** How many words describe what is asked for, beside sizes and what is left out. */
function wordsOfTheThing({ text, sizes }: Understood, terms: RankQuery['terms']): number {
  const unsized = sizes.reduce((left, { phrase }) => left.replace(phrase, ' '), text)
  const said = new Set(stemsOf(unsized))
  return new Set(terms.flatMap(({ term, group, weight }) => (weight === 1 && said.has(term) ? [group] : [])))
    .size
}

/** Where most state what is measured, one that does not is no answer; nor is any when none has the size asked for. */
function sizedOnes(
  index: CatalogIndex,
  { sizes }: Understood,
  slots: Uint32Array,
  places: number[],
): number[] {
  return sizes.reduce((left, size) => {
    const productAt = (place: number) => index.at(slots[place] ?? 0)
    const [judge, states] = [size, anySize(size.dimension, size.words)].map((one) => {
      const verdictOf = index.measures.judge(one)
      return (place: number) => {
        const product = productAt(place)
        const judged = product && verdictOf(product)
        return judged?.verdict === 'said' ? judged : null
      }
    })
    // A title states what it likes; specs state what such products have.
    const stating = left.filter((place) => states?.(place)?.stated?.name).length
    if (stating * 2 < left.length) return left
    const exact = size.snug ? left.filter((place) => judge?.(place)?.distance === 0) : []
    return exact.length >= KIND_OF_ITS_OWN ? exact : left.filter((place) => judge?.(place))
  }, places)
}

/** An order other than by relevance is one of what fits, because the cheapest of all candidates is hardly ever what was asked for. */
export function listInOrder(
  index: CatalogIndex,
  ranked: Ranked,
  fitting: readonly number[],
  { query, sort }: { query: string; sort: Sort },
): Uint32Array {
  const listed = Uint32Array.from(fitting, (place) => ranked.slots[place] ?? 0)
  return sort === 'relevance'
    ? discontinuedLast(index, listed, ranked, query)
    : sortSlots(index, listed, sort)
}

/** After all others; only the best match that the query names stays first: it is what was asked for. */
function discontinuedLast(
  index: CatalogIndex,
  slots: Uint32Array,
  ranked: Ranked,
  query: string,
): Uint32Array {
  const isDiscontinued = (slot: number) => index.columns.discontinued[slot] === 1
  if (!slots.some(isDiscontinued)) return slots
  const best = ranked.slots[0] ?? -1
  const isSaid = () => {
    const product = index.at(best)
    return product !== null && wholeSaidBy(query)(product)
  }
  const isNamed = isDiscontinued(best) && (isSaid() || namesBest(ranked, isDiscontinued))
  const named = isNamed ? best : null
  const isLast = (slot: number) => slot !== named && isDiscontinued(slot)
  const listed = Array.from(slots)
  return Uint32Array.from([...listed.filter((slot) => !isLast(slot)), ...listed.filter(isLast)])
}

/** Whether a query says all words of a product's title. */
function wholeSaidBy(query: string): (product: IndexedProduct) => boolean {
  const said = new Set(tokenize(query).map(({ term }) => term))
  return (product) => {
    const words = titleTerms(product)
    return words.length > 1 && words.every((term) => said.has(term))
  }
}

// Taking a text apart is slow: a title is read once for all queries that look at its product.
const termsByProduct = new WeakMap<IndexedProduct, string[]>()

function titleTerms(product: IndexedProduct): string[] {
  const known = termsByProduct.get(product)
  if (known) return known
  const terms = tokenize(product.title).map(({ term }) => term)
  termsByProduct.set(product, terms)
  return terms
}

const [MODEL, BRAND, TITLE, CATEGORY, IS] = (
  ['model', 'brand', 'titleCoverage', 'category', 'is'] as const
).map((name) => FEATURES.indexOf(name)) as [number, number, number, number, number]

/** By its model, or by its brand with more words of its title than of any product that is still made. */
function namesBest({ slots, featuresAt }: Ranked, isDiscontinued: (slot: number) => boolean): boolean {
  const has = (place: number, feature = -1) => featuresAt(place)[feature] ?? 0
  if (has(0, MODEL) > 0) return true
  const said = has(0, TITLE)
  return has(0, BRAND) > 0 && slots.every((slot, at) => isDiscontinued(slot) || has(at, TITLE) < said)
}

/** Whether things of a category are called by the word that names the thing asked for. */
function callsSo(
  index: CatalogIndex,
  terms: RankQuery['terms'],
  head: number,
): (category: { slug: string; label: string }) => boolean {
  const { kinds } = index.vocabulary()
  const names = terms.flatMap(({ term, group, weight }) =>
    group === head && weight > SYNONYM_WEIGHT ? [term] : [],
  )
  const known = new Map<string, boolean>()
  return ({ slug, label }) => {
    const calls =
      known.get(slug) ?? names.some((name) => kinds?.isHead(name, slug) || stemsOf(label).at(-1) === name)
    known.set(slug, calls)
    return calls
  }
}
