/**
 * The best few products for a wish, from the one ranking. Where something must be had, all that fit the query are looked
 * at: those that deny it are out, with the place that says so; those that state it go first, and among equals the ranking
 * stands. Only the categories of the best matches are looked at, so that no product of another kind rises because it
 * happens to say the right words. What does not fit the query is never given: the list is then empty and says what comes
 * closest. The log of queries holds what is given, never what was only looked at.
 */
import { getProfiles } from '../catalog/catalog.service.ts'
import { type ProductProfile, slugOf } from '../catalog/profile.ts'
import type { Db } from '../db/database.ts'
import { idsOf } from '../lib/ids.ts'
import { formatUsd } from '../lib/money.ts'
import { counted } from '../lib/words.ts'
import type { Answer } from '../search/answer.ts'
import type { Filters } from '../search/filters.ts'
import { missText } from '../search/results-text.ts'
import type { Search } from '../search/search.service.ts'
import type { Size } from '../search/understand/sizes.ts'
import { MAX_OFFSET } from '../tools/params.ts'
import { checkMustHaves, type MustHave, type MustHaveCheck, type Reader } from './curator.must-have.ts'

/** A product that denies a requirement. */
export type RuledOut = { product_slug: string; wish: string; evidence: string | null }
type Listed = { profile: ProductProfile; checks: MustHaveCheck[]; reasons: string[] }

type Asked = {
  query: string
  categories: string[]
  budgetCents: number | null
  wanted: readonly MustHave[]
  most: number
}

type Found = { id: string; category: string; similarity: number; reason: string | null }

/** How many are looked at where something must be had. */
const POOL = 500
const NEAR_THE_BEST = 0.8

export async function findShortlist(
  ctx: { db: Db; search: Search },
  asked: Asked,
): Promise<{
  listed: Listed[]
  ruledOut: RuledOut[]
  queryId: string
  mode: 'semantic' | 'keyword'
  miss: string | null
}> {
  const { search } = ctx
  const started = performance.now()
  // The requirements are searched for as well; a negated one is understood as such.
  const query = [asked.query, ...asked.wanted.map(({ wish }) => wish)].join(', ')
  const pool = asked.wanted.length > 0 ? Math.max(POOL, asked.most) : asked.most
  const chosenFrom = asked.wanted.length > 0 || asked.categories.length > 1
  const answer = chosenFrom
    ? await fromCandidates(search, asked, { query, pool })
    : await fromSearch(search, asked)
  const near =
    asked.wanted.length > 0
      ? nearTheBest(answer.found, search.understand(asked.query).categories)
      : answer.found
  const profiles = new Map((await getProfiles(ctx, idsOf(near))).map((profile) => [profile.id, profile]))
  const reader = readerOf(search)
  const judged = near.flatMap(({ id, reason }) => {
    const profile = profiles.get(id)
    if (!profile) return []
    const checks = checkMustHaves(profile, asked.wanted, reader)
    return [{ profile, checks, reasons: reasonsFor(profile, asked, reason) }]
  })
  const [out, standing] = [judged.filter(isDenied), judged.filter((one) => !isDenied(one))]
  const listed = standing.sort((a, b) => count(b, 'says_so') - count(a, 'says_so')).slice(0, asked.most)
  const { mode } = answer
  const productIds = listed.map(({ profile }) => profile.id)
  const queryId =
    answer.queryId ??
    search.log(
      { query, filters: filtersOf(asked), face: 'tools', limit: asked.most },
      { productIds, mode },
      performance.now() - started,
    )
  const miss = answer.miss && missText(answer.miss)
  return { listed, ruledOut: out.map(ruledOut), queryId, mode, miss }
}

function isDenied(one: Listed): boolean {
  return count(one, 'contradicts') > 0
}

function ruledOut({ profile, checks }: Listed): RuledOut {
  const { wish = '', evidence = null } = checks.find(({ met }) => met === 'contradicts') ?? {}
  return { product_slug: slugOf(profile), wish, evidence }
}

/** What reads requirements and profiles on this node: measures are understood as its catalog states them. */
export function readerOf(search: Search): Reader {
  const index = search.index()
  const judges = new Map<Size, ReturnType<typeof index.measures.judge>>()
  return {
    understand: search.understand,
    judge({ id }, size) {
      const slot = index.slotOf(id)
      const product = slot === undefined ? null : index.at(slot)
      if (!product) return null
      const judge = judges.get(size) ?? index.measures.judge(size)
      judges.set(size, judge)
      return judge(product)
    },
  }
}

/** Several categories are no filter that a search knows. */
function filtersOf({ categories, budgetCents }: Asked): Filters {
  const [category, ...others] = categories
  return {
    excludeDiscontinued: true,
    ...(category !== undefined && others.length === 0 && { category }),
    ...(budgetCents !== null && { maxPriceCents: budgetCents }),
  }
}

function count({ checks }: Listed, met: MustHaveCheck['met']): number {
  return checks.filter((check) => check.met === met).length
}

type Miss = Pick<Answer, 'note' | 'nearest'>
type Answered = {
  found: Found[]
  queryId: string | null
  mode: 'semantic' | 'keyword'
  /** When nothing fits. */
  miss: Miss | null
}

/** All that is found is given: so it is logged, and remembered, as any search. */
async function fromSearch(search: Search, asked: Asked): Promise<Answered> {
  const { query, most } = asked
  const answer = await search.search({ query, filters: filtersOf(asked), limit: most, face: 'tools' })
  const found = answer.results.map(({ category, similarity, reason }, at) => ({
    ...{ id: answer.productIds[at] ?? '', category, similarity, reason },
  }))
  const miss = answer.match === 'good' ? null : answer
  return { found, queryId: answer.queryId, mode: answer.mode, miss }
}

/** Each category keeps its own order; of their heads, the nearest to the query comes next. */
async function fromCandidates(
  search: Search,
  asked: Asked,
  { query, pool }: { query: string; pool: number },
): Promise<Answered> {
  const { categories, budgetCents } = asked
  const filters = budgetCents === null ? {} : { maxPriceCents: budgetCents }
  const wanted = { query, filters, limit: pool, forShowing: true }
  const [vector, ...queues] = await Promise.all([
    search.embed(query),
    ...(categories.length === 0
      ? [search.candidates(wanted)]
      : categories.map((category) => search.candidates({ ...wanted, category }))),
  ])
  const { fitting, miss } = await whatFits(search, asked)
  const found: Found[] = []
  while (found.length < pool) {
    const [queue] = queues
      .filter((one) => one.length > 0)
      .sort((a, b) => (b[0]?.similarity ?? 0) - (a[0]?.similarity ?? 0))
    const next = queue?.shift()
    if (!next) break
    const { product, similarity, reason = null } = next
    if (!fitting.delete(product.id)) continue
    found.push({ id: product.id, category: product.category.slug, similarity, reason })
  }
  if (asked.wanted.length > 0 && miss === null) {
    const known = new Set(idsOf(found))
    // A search obeys what it reads in a requirement, and of a named category it gives the best; here the profile decides.
    const others = [...fitting].map(([id, category]) => ({ id, category, similarity: 0, reason: null }))
    for (const one of [...others, ...(await undenied(search, asked))])
      if (found.length < pool && !known.has(one.id)) {
        known.add(one.id)
        found.push(one)
      }
  }
  return { found, queryId: null, mode: vector ? 'semantic' : 'keyword', miss }
}

/** All of the categories that were named but what the query itself rules out. */
async function undenied(search: Search, { query, categories, budgetCents }: Asked): Promise<Found[]> {
  const filters = budgetCents === null ? {} : { maxPriceCents: budgetCents }
  const lists = await Promise.all(
    categories.map((category) =>
      search.candidates({ query, category, filters, limit: POOL, forShowing: true }),
    ),
  )
  return lists.flat().map(({ product, similarity, reason = null }) => ({
    ...{ id: product.id, category: product.category.slug, similarity, reason },
  }))
}

/** By the query alone: a product that fits it is not left out because it says nothing of a requirement. */
async function whatFits(
  search: Search,
  asked: Asked,
): Promise<{ fitting: Map<string, string>; miss: Miss | null }> {
  const { query, categories } = asked
  const answers = await Promise.all(
    (categories.length > 0 ? categories.map((category) => [category]) : [[]]).map((within) =>
      search.search({
        ...{ query, filters: filtersOf({ ...asked, categories: within }), limit: MAX_OFFSET, face: 'tools' },
        // Only what is given in the end counts as shown.
        unlogged: true,
      }),
    ),
  )
  const fitting = new Map(
    answers.flatMap(({ productIds, results }) =>
      productIds.map((id, at) => [id, results[at]?.category ?? ''] as const),
    ),
  )
  return { fitting, miss: fitting.size > 0 ? null : (answers[0] ?? null) }
}

/** All of the categories that the query names, or else of those that the best matches are in. */
function nearTheBest(found: Found[], named: string[]): Found[] {
  const ofNamed = found.filter(({ category }) => named.includes(category))
  if (ofNamed.length > 0) return ofNamed
  const best = Math.max(0, ...found.map(({ similarity }) => similarity))
  const near = found.filter(({ similarity }, at) => at === 0 || similarity >= best * NEAR_THE_BEST)
  const categories = new Set(near.map(({ category }) => category))
  return found.filter(({ category }) => categories.has(category))
}

function reasonsFor(profile: ProductProfile, { budgetCents }: Asked, found: string | null): string[] {
  const { rating, reviewCount } = profile
  return [
    ...(found ? [found] : []),
    ...(budgetCents === null ? [] : [budgetReason(profile, budgetCents)]),
    ...(rating === null
      ? []
      : [`rated ${rating} of 5${reviewCount === null ? '' : ` from ${counted(reviewCount, 'review')}`}`]),
  ]
}

function budgetReason({ priceLowCents, priceHighCents }: ProductProfile, budgetCents: number): string {
  if ((priceHighCents ?? priceLowCents ?? 0) <= budgetCents) return `within ${formatUsd(budgetCents)}`
  return `from ${formatUsd(priceLowCents ?? 0)}, within ${formatUsd(budgetCents)} at some shops only`
}
