/**
 * What a question is, and how one answer to it is made: the products that the filters allow, ranked, the page cut from
 * them, and each shown with its reason. Nothing here waits unless the vectors are in the database.
 */
import type { CatalogIndex, IndexedProduct } from './catalog-index.ts'
import { explainQuery, explainResult } from './explain.ts'
import { countFacets } from './facets.ts'
import { allowedSlots, type Filters, type SaleLookup } from './filters.ts'
import { UNREADABLE_NOTE } from './languages/read-language.ts'
import { missNote, obeyedNote } from './notes.ts'
import {
  DENIED,
  hasDemands,
  judgeAll,
  NO_DEMANDS,
  type Obeyed,
  obeyedOf,
  ruleOut,
  withoutDemands,
} from './obey.ts'
import { findByWords, type Learned, type Ranked, type RankQuery, rank } from './rank/rank.ts'
import { reasonsFor } from './rank/reasons.ts'
import { toResult } from './result.ts'
import type { Explanation, Facets, SearchResult, ShipsTo, Sort } from './search.schema.ts'
import { categoryTable, countShelf, isCounted, type Shelf, uncounted } from './shelf.ts'
import { pinnedSlots, type Tuning, tuningNotes } from './tuning.ts'
import type { Understood } from './understand/understand.ts'
import { namedVariant, wantedTerms } from './variant-match.ts'
import { andThen, type MaybePromise } from './vectors/meaning-index.ts'
import { listInOrder, whatFits } from './what-fits.ts'

export type Question = {
  query: string
  filters?: Filters
  limit: number
  offset?: number
  sort?: Sort
  /** Ids of demands that were read from the query and are taken back (obey.ts). */
  ignore?: readonly string[]
  facets?: boolean
  /** What narrows the results, counted as the pages show it. */
  shelf?: boolean
  explain?: boolean
}

/** `near`: nothing fits, but something comes close; `none`: nothing does. */
export type Match = 'good' | 'near' | 'none'

/** An answer without its query_id, which every asking gets anew. */
export type Answer = {
  /** What fits, best first. */
  results: SearchResult[]
  productIds: string[]
  match: Match
  /** What people should know of the answer; null when there is nothing to say. */
  note: string | null
  /** What comes closest when nothing fits. */
  nearest: SearchResult[]
  /** The id of the first of those. */
  closestId?: string
  /** What the query demands and was obeyed. */
  obeyed: Obeyed[]
  /** Products that the filters allow; null where counting them costs something and no explanation was asked for. */
  matching: number | null
  /** How many fit, over all pages. */
  total: number
  mode: 'semantic' | 'keyword'
  /** Only of a question with that filter. */
  shipsTo?: ShipsTo
  facets?: Facets
  shelf?: Shelf
  explain?: Explanation
}

const MOST_NEAREST = 5

/** Everything that makes two questions the same one. The free texts cannot run into each other or into the rest. */
export function keyOf({
  query,
  filters = {},
  limit,
  offset = 0,
  sort,
  ignore,
  facets,
  shelf,
  explain,
}: Question): string {
  const { category, brand, excludeBrands, specs, minPriceCents, maxPriceCents, onSale, excludeDiscontinued } =
    filters
  const options = `${limit},${offset},${sort ?? ''},${!!facets},${!!shelf},${!!explain}`
  const { available, shipsTo } = filters
  // Rare, and a remembered answer costs little more than its key.
  const sold = available || shipsTo !== undefined ? `${!!available},${shipsTo ?? ''}` : ''
  const bounds = `${minPriceCents},${maxPriceCents},${!!onSale},${!!excludeDiscontinued},${sold}`
  const named = [category ?? '', brand ?? '', ...(excludeBrands ?? []), ...(ignore ?? [])]
  const texts = named.map((text) => `${text.length}:${text}`).join(',')
  const { brands, picks, minRating, quoted } = filters
  const shown =
    brands || picks || minRating || quoted ? JSON.stringify([brands, picks, minRating, quoted]) : ''
  const listed = `${excludeBrands?.length ?? 0},${brand === undefined},${specs ? JSON.stringify(specs) : ''},${shown}`
  return `${options},${bounds},${listed},${texts},${query}`
}

/** What is found without the query's vector, good for one state of the index and of what is on sale. */
export type Begun = {
  state: number
  understood: Understood
  allowed: Uint8Array | undefined
  byWords: Uint32Array
}

/** On a large catalog this takes as long as embedding the query does, beside which it is done. */
export function beginAnswer(
  index: CatalogIndex,
  { filters = {}, ignore = [] }: Question,
  asked: RankQuery,
  sales: SaleLookup,
): Begun {
  const understood = withoutDemands(asked.understood, ignore)
  const allowed = ruleOut(index, understood, allowedSlots(index, filters, understood, sales))
  const byWords = findByWords(index, asked.terms, allowed)
  return { state: stateOf(index, sales), understood, allowed, byWords }
}

/** Both only grow, so an equal sum means that neither has changed. */
export function stateOf({ version }: Pick<CatalogIndex, 'version'>, sales: SaleLookup): number {
  return version + sales.version()
}

export function answerTo(
  index: CatalogIndex,
  question: Question,
  asked: RankQuery,
  {
    tuning = index.tuning,
    begun,
    ...by
  }: { sales: SaleLookup; learned: Learned; tuning?: Tuning; begun?: Begun | null },
): MaybePromise<Answer> {
  const { filters = {}, limit, offset = 0 } = question
  const { understood, allowed, byWords } =
    begun?.state === stateOf(index, by.sales) ? begun : beginAnswer(index, question, asked, by.sales)
  const query = { ...asked, understood, tuned: tuning.tunedFor(question.query) }
  const sort = question.sort ?? understood.order ?? 'relevance'
  const fit = (found: Ranked) => {
    const ranked = withoutGone(index, found)
    const { category, brand, brands } = filters
    const isNarrowed = category !== undefined || brand !== undefined || brands !== undefined
    const { match, fitting } = whatFits(index, query, ranked, { isNarrowed, sort, asked: question.query })
    const order = listInOrder(index, ranked, fitting, { query: question.query, sort })
    const pins = sort === 'relevance' ? pinsThatHold(index, query, ranked) : []
    if (pins.length === 0) return { ranked, match, order, pins }
    const rest = Array.from(order).filter((slot) => !pins.includes(slot))
    return { ranked, match: 'good' as const, order: Uint32Array.from([...pins, ...rest]), pins }
  }
  /** `base` is what the filters allow that are not counted; null when there are no others. */
  const answer = (found: Ranked, shipsTo: ShipsTo | null, base: Uint32Array | null): MaybePromise<Answer> => {
    const { ranked, match, order, pins } = fit(found)
    const matching = index.fetched && !question.explain ? null : matchingIn(index, allowed)
    // Counted now: a moment later one of them may be gone.
    const facets = question.facets
      ? countFacets(Array.from(order).flatMap((slot) => index.at(slot) ?? []))
      : null
    const list = (slots: Iterable<number>, from: Ranked) =>
      listResults(index, query, { page: [...slots], ranked: from, explain: question.explain, pins, ...by })
    const obeyed = obeyedOf(question.sort ? { ...understood, order: null } : understood)
    const rest = {
      ...list(order.slice(offset, offset + limit), ranked),
      match,
      obeyed,
      matching,
      total: order.length,
      mode: query.vector ? ('semantic' as const) : ('keyword' as const),
      ...(shipsTo && { shipsTo }),
      ...(facets && { facets }),
      ...(question.shelf && { shelf: shelfOf(index, base ?? order, filters) }),
      ...(question.explain && {
        explain: explainQuery(
          query,
          order.length,
          matching ?? 0,
          index,
          tuningNotes(
            tuning,
            question.query,
            pins.flatMap((slot) => index.at(slot) ?? []),
          ),
        ),
      }),
    }
    if (match === 'good') return { ...rest, note: obeyedNote(obeyed), nearest: [] }
    return andThen(nearestTo(index, query, ranked, filters, by), ({ near, slots, from, isNear }) => ({
      ...rest,
      closestId: index.idAt(slots[0] ?? -1) ?? undefined,
      match: isNear ? 'near' : match,
      note: asked.unreadable
        ? UNREADABLE_NOTE
        : missNote(index, understood, filters, { near, isNear, isEmpty: slots.length === 0 }),
      nearest: list(slots, from).results,
    }))
  }
  const { shipsTo: region } = filters
  const rankOf = (some: Filters, ships?: 'unknown') =>
    rank(
      index,
      query,
      by.learned,
      ruleOut(index, understood, allowedSlots(index, some, understood, by.sales, ships)),
    )
  const withBase = (found: Ranked, shipsTo: ShipsTo | null): MaybePromise<Answer> => {
    if (!question.shelf || !isCounted(filters)) return answer(found, shipsTo, null)
    return andThen(rankOf(uncounted(filters)), (wide) => answer(found, shipsTo, fit(wide).order))
  }
  return andThen(rank(index, { ...query, byWords }, by.learned, allowed), (found) => {
    if (region === undefined) return withBase(found, null)
    return andThen(rankOf(filters, 'unknown'), (others) => {
      const { match, order } = fit(others)
      return withBase(found, { region, not_stated: match === 'good' ? order.length : 0 })
    })
  })
}

/** Those that are pinned and that nothing the query demands is known to deny; the filters have been at them before. */
function pinsThatHold(index: CatalogIndex, query: RankQuery, { slots }: Ranked): number[] {
  const pinned = pinnedSlots(index, query.tuned).filter((slot) => slots.includes(slot))
  if (pinned.length === 0) return []
  const verdicts = judgeAll(index, query.understood, Uint32Array.from(pinned))
  return pinned.filter((_, at) => verdicts[at] !== DENIED)
}

function pinAt(pins: readonly number[], slot: number): number | null {
  const at = pins.indexOf(slot)
  return at < 0 ? null : at + 1
}

/** Of products of several categories no specs are counted: each category has its own. */
function shelfOf(index: CatalogIndex, slots: Uint32Array, filters: Filters): Shelf {
  const first = index.at(slots[0] ?? -1)?.category.slug
  const isOne = Array.from(slots).every((slot) => index.at(slot)?.category.slug === first)
  const category = filters.category ?? (isOne ? first : undefined)
  const specs = category === undefined ? null : categoryTable(index, category)
  if (specs) {
    const rows = Uint32Array.from(Array.from(slots).flatMap((slot) => specs.rowOf.get(slot) ?? []))
    return countShelf(specs.table, specs.table.items, rows, filters)
  }
  const items = Array.from(slots).flatMap((slot) => index.at(slot) ?? [])
  return countShelf(null, items, Uint32Array.from(items.keys()), filters)
}

type Nearest = {
  slots: Uint32Array
  from: Ranked
  /** What would fit if the query demanded less. */
  near: IndexedProduct[]
  isNear: boolean
}

/** What would fit without the query's demands; else the best of what there is. */
function nearestTo(
  index: CatalogIndex,
  query: RankQuery,
  ranked: Ranked,
  asked: Filters,
  by: { sales: SaleLookup; learned: Learned },
): MaybePromise<Nearest> {
  const { specs: _specs, brands, ...others } = asked
  const filters = { ...uncounted(others), ...(brands && { brands }) }
  const lenient = { ...query, understood: { ...query.understood, ...NO_DEMANDS } }
  const wide = () =>
    rank(index, lenient, by.learned, allowedSlots(index, filters, lenient.understood, by.sales))
  const isFree = Object.keys(asked).length === 0 && !hasDemands(query.understood)
  return andThen(isFree ? ranked : wide(), (found) => {
    const from = withoutGone(index, found)
    const { match, fitting } = whatFits(index, lenient, from, {
      isNarrowed: false,
      sort: 'relevance',
      asked: '',
    })
    const isNear = match === 'good'
    const slots = isNear ? Uint32Array.from(fitting, (place) => from.slots[place] ?? 0) : ranked.slots
    return {
      slots: slots.slice(0, MOST_NEAREST),
      from: isNear ? from : ranked,
      near: isNear ? Array.from(slots).flatMap((slot) => index.at(slot) ?? []) : [],
      isNear,
    }
  })
}

type Listed = {
  page: number[]
  ranked: Ranked
  explain: boolean | undefined
  pins: readonly number[]
  sales: SaleLookup
  learned: Learned
}

function listResults(
  index: CatalogIndex,
  { understood, terms }: RankQuery,
  { page, ranked, explain, pins, sales, learned }: Listed,
): Pick<Answer, 'results' | 'productIds'> {
  const shown = page.flatMap((slot) => {
    const product = index.at(slot)
    return product ? [{ slot, product }] : []
  })
  const reasonOf = reasonsFor(
    index,
    understood,
    shown.map(({ product }) => product),
    sales,
  )
  const wanted = wantedTerms(index, terms)
  return {
    results: shown.map(({ slot, product }) => {
      const place = ranked.slots.indexOf(slot)
      const similarity = ranked.similarity[place] ?? 0
      const variant = namedVariant(product, wanted)
      return {
        ...toResult(product, similarity, sales),
        reason: reasonOf(product),
        ...(variant && { variant }),
        ...(explain && { explain: explainResult(ranked, place, learned.weights, pinAt(pins, slot)) }),
      }
    }),
    productIds: shown.map(({ product }) => product.id),
  }
}

/** Without those that were removed while the database was asked; in memory nothing comes between, and none are. */
function withoutGone(index: CatalogIndex, ranked: Ranked): Ranked {
  const { slots, scores, similarity, fit, featuresAt, boostAt } = ranked
  if (slots.every((slot) => index.at(slot) !== null)) return ranked
  const places = Array.from(slots.keys()).filter((place) => index.at(slots[place] ?? 0) !== null)
  const kept = <T extends Float32Array | Uint32Array>(values: T): T =>
    values.filter((_, place) => places.includes(place)) as T
  return {
    ...ranked,
    slots: kept(slots),
    scores: kept(scores),
    similarity: kept(similarity),
    fit: kept(fit),
    featuresAt: (place) => featuresAt(places[place] ?? 0),
    boostAt: (place) => boostAt(places[place] ?? 0),
  }
}

function matchingIn(index: CatalogIndex, allowed: Uint8Array | undefined): number {
  if (index.fetched) return index.fetched.matching(allowed)
  return allowed ? count(allowed) : index.size
}

function count(allowed: Uint8Array): number {
  let sum = 0
  for (const one of allowed) sum += one
  return sum
}
