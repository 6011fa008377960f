/**
 * Helping to choose: a comparison of products that were named, a set planned over several categories, or a shortlist, in
 * this order of what was asked for. Everything said of a product is in its profile; how one is chosen is told with it.
 * A bundle that nobody asked for outright is never a reason to refuse: then there is a shortlist, and a note.
 */

import type { AccessTokenActor, Person } from '../accounts/actor.ts'
import type { Visit } from '../accounts/context.ts'
import type { BundleResponse } from '../bundles/bundles.schema.ts'
import { isBundle } from '../bundles/read-wish.ts'
import { getProfile } from '../catalog/catalog.service.ts'
import type { ProductReads } from '../catalog/product-reads.ts'
import { canonicalSlug, type ProductProfile, priceRange, productPath, slugOf } from '../catalog/profile.ts'
import type { OfferLookup } from '../catalog/promoted-offer.ts'
import type { Db } from '../db/database.ts'
import { AppError, forbidden, invalid } from '../lib/errors.ts'
import type { Bundles } from '../plans/bundles.service.ts'
import { type PlanAlternative, type PlanResponse, toEdit } from '../plans/plans.schema.ts'
import { editPlan, findPlan, type PlansContext } from '../plans/plans.service.ts'
import { requireProfile } from '../search/named-product.ts'
import { requireCategory } from '../search/near-categories.ts'
import type { Search } from '../search/search.service.ts'
import { bundleLine } from './bundle-text.ts'
import { type Compared, objections, recommend, sharedSpecs, unsuitedFor } from './curator.compare.ts'
import { checkMustHaves, type MustHave, type MustHaveCheck, readMustHaves } from './curator.must-have.ts'
import type { Curated, CuratedBundle, CuratedProduct, CuratorInput } from './curator.schema.ts'
import { findShortlist, type RuledOut, readerOf } from './curator.shortlist.ts'

export type CuratorContext = {
  db: Db
  search: Search
  bundles: Bundles
  plans: PlansContext
  offers: OfferLookup
  reads: Pick<ProductReads, 'count'>
  config: { baseUrl: string }
}

type Asked = CuratorInput & { wanted: MustHave[]; budgetCents: number | null }

const RANKED = 100
const MAX_THEMES = 3
const MOST_RULED_OUT = 10
/** Words that ask for nothing ("compare these") move scores by less. */
const CLEARLY = { score: 1, similarity: 0.05 }
const VERIFY =
  'a bundle plan needs a verified email: open the link in your sign-up email, or request a new one on the account page'

export async function curate(
  ctx: CuratorContext,
  { user, clientName }: Pick<AccessTokenActor, 'user' | 'clientName'>,
  visit: Visit,
  input: CuratorInput,
): Promise<Curated> {
  const { categories, budget_usd, plan_id, edits } = input
  const index = ctx.search.index()
  for (const [at, slug] of categories.entries()) requireCategory(index, slug, `categories.${at}`)
  const wanted = readMustHaves([...new Set(input.must_have)], ctx.search.understand)
  const budgetCents = budget_usd === undefined ? null : Math.round(budget_usd * 100)
  const asked = { ...input, wanted, budgetCents }
  if (plan_id !== undefined) return keptPlan(ctx, { user, visit }, { ...asked, plan_id })
  if (edits.length > 0) throw invalid('plan_id', 'edits: need the plan_id of the bundle to edit')
  if (input.compare.length > 0) return compare(ctx, asked, clientName)
  const { bundle, note } = await planBundle(ctx, { user, visit }, asked)
  if (bundle) return bundleAnswer(ctx, asked, bundle)
  return shortlist(ctx, asked, note === null ? [] : [note])
}

async function compare(ctx: CuratorContext, asked: Asked, agent: string): Promise<Curated> {
  const found = await Promise.all(
    asked.compare.map((product_slug, at) => requireProfile(ctx, { product_slug, field: `compare.${at}` })),
  )
  const profiles = [...new Map(found.map((profile) => [profile.id, profile])).values()]
  if (profiles.length < 2) throw invalid('compare', 'compare: needs at least two different products')
  for (const { id } of profiles) ctx.reads.count({ productId: id, face: 'tools', agent })
  const { fits, clearly } = await fitOf(ctx.search, asked.query, profiles)
  const compared: Compared[] = profiles.map((profile) => ({
    profile,
    checks: checkMustHaves(profile, asked.wanted, readerOf(ctx.search)),
    fit: fits.get(profile.id) ?? null,
    unsuited: unsuitedFor(profile, asked.query),
  }))
  const { chosen, reasons } = recommend(compared, { budgetCents: asked.budgetCents, clearly })
  return {
    kind: 'comparison',
    query_id: null,
    notes: [],
    ruled_out: compared.flatMap(({ profile, checks }) =>
      checks.flatMap(({ met, wish, evidence }) =>
        met === 'contradicts' ? [{ product_slug: slugOf(profile), wish, evidence }] : [],
      ),
    ),
    products: compared.map((one) => ({
      ...toProduct(ctx, one.profile, one.checks),
      reasons: one === chosen ? reasons : objections(one, asked),
    })),
    comparison: {
      recommended: chosen && slugOf(chosen.profile),
      reasons,
      specs: sharedSpecs(profiles),
    },
    bundle: null,
  }
}

/**
 * How near the ranking finds each. Its scores compare within one category; over several, only nearness in meaning does.
 * Nothing is logged, because nothing was searched for.
 */
async function fitOf(search: Search, query: string, profiles: ProductProfile[]) {
  const categories = [...new Set(profiles.map(({ category }) => category.slug))]
  const lists = await Promise.all(
    categories.map((category) => search.candidates({ query, category, limit: RANKED })),
  )
  const one = categories.length === 1
  const fits = new Map(
    lists.flat().map(({ product, score, similarity }) => [product.id, one ? score : similarity]),
  )
  return { fits, clearly: one ? CLEARLY.score : CLEARLY.similarity }
}

/** The plan, or a note on why a plan that could be expected is missing. */
async function planBundle(
  ctx: CuratorContext,
  { user: person, visit }: { user: Person; visit: Visit },
  { bundle, query, categories, wanted, budgetCents }: Asked,
): Promise<{ bundle: BundleResponse | null; note: string | null }> {
  const none = { bundle: null, note: null }
  const asked = bundle === true
  if (bundle === false) return none
  const given = { ...(budgetCents !== null && { budgetCents }) }
  if (!asked && !(await isBundle(ctx.search, query, given))) return none
  if (!person.emailVerified) {
    if (asked) throw forbidden(VERIFY, 'EMAIL_UNVERIFIED_CODE', { field: 'bundle' })
    return { bundle: null, note: `This looks like a request for several products; ${VERIFY}.` }
  }
  try {
    const served = await ctx.bundles.serve({
      ...{ query, asked, userId: person.id, visit, face: 'tools', ...given },
      ...(categories.length > 0 && { categories }),
      wanted: wanted.map(({ wish }) => wish),
    })
    return { bundle: served, note: null }
  } catch (error) {
    if (asked || !(error instanceof AppError) || error.kind !== 'rate_limited') throw error
    return { bundle: null, note: `This looks like a request for several products, but ${error.message}.` }
  }
}

/** As it is, or edited. */
async function keptPlan(
  ctx: CuratorContext,
  { user, visit }: { user: Person; visit: Visit },
  asked: Asked & { plan_id: string },
): Promise<Curated> {
  if (!user.emailVerified) throw forbidden(VERIFY, 'EMAIL_UNVERIFIED_CODE', { field: 'plan_id' })
  const owner = { userId: user.id, visit }
  const { plan_id: id, edits } = asked
  const plan =
    edits.length === 0
      ? await findPlan(ctx.plans, owner, id)
      : await editPlan(ctx.plans, owner, { id, edits: edits.map(toEdit) })
  return bundleAnswer(ctx, asked, plan)
}

async function shortlist(ctx: CuratorContext, asked: Asked, notes: string[]): Promise<Curated> {
  const { listed, ruledOut, queryId, mode, miss } = await findShortlist(ctx, {
    query: asked.query,
    categories: [...new Set(asked.categories)],
    budgetCents: asked.budgetCents,
    wanted: asked.wanted,
    most: asked.max_items,
  })
  const byWords =
    mode === 'keyword' ? ['Matched by keywords only; semantic search is unavailable right now.'] : []
  return {
    kind: 'shortlist',
    query_id: queryId,
    notes: [
      ...notes,
      ...byWords,
      ...(miss === null ? [] : [miss]),
      ...ruledOutNotes(ruledOut, listed.length),
    ],
    ruled_out: ruledOut.slice(0, MOST_RULED_OUT),
    products: listed.map(({ profile, checks, reasons }) => ({ ...toProduct(ctx, profile, checks), reasons })),
    comparison: null,
    bundle: null,
  }
}

/** What a reader must know of a list that is shorter than the shelf. */
function ruledOutNotes(out: readonly RuledOut[], left: number): string[] {
  if (out.length === 0) return []
  const wishes = [...new Set(out.map(({ wish }) => wish))]
  const named = wishes.map((wish) => `“${wish}” (${out.filter((one) => one.wish === wish).length})`)
  const denied = `Ruled out, because the profile denies a requirement: ${named.join(', ')}.`
  return [left > 0 ? denied : `${denied} Nothing else fits: leave a requirement out, or use other words.`]
}

async function bundleAnswer(
  ctx: CuratorContext,
  { wanted }: Asked,
  bundle: BundleResponse | PlanResponse,
): Promise<Curated> {
  const lines = await Promise.all(
    bundle.categories.map(async (line): Promise<CuratedBundle['lines'][number]> => {
      const { product } = line
      const profile =
        product && wanted.length > 0
          ? await getProfile(ctx, { category: line.slug, slug: product.slug })
          : null
      return {
        ...bundleLine(line, ctx.config.baseUrl),
        must_have: profile ? checkMustHaves(profile, wanted, readerOf(ctx.search)) : [],
        alternatives:
          'alternatives' in line ? line.alternatives.map((one) => toAlternative(line.slug, one)) : [],
      }
    }),
  )
  const { overview, budget, total, plan_id } = bundle
  const edited = 'upgrades' in bundle ? bundle : null
  return {
    kind: 'bundle',
    query_id: 'query_id' in bundle ? bundle.query_id : null,
    notes: [],
    ruled_out: [],
    products: null,
    comparison: null,
    bundle: {
      ...{ plan_id, overview, budget_usd: budget, total_usd: total, lines },
      upgrades: (edited?.upgrades ?? []).map((one) => toAlternative(one.line, one)),
      changed: (edited?.changed ?? []).map(({ line, from, to }) => ({ category: line, from, to })),
    },
  }
}

function toAlternative(category: string, { product, cost, change, fits }: PlanAlternative) {
  const product_slug = canonicalSlug({ category, slug: product.slug })
  return { product_slug, title: product.title, cost_usd: cost, change_usd: change, fits }
}

function toProduct(
  ctx: CuratorContext,
  profile: ProductProfile,
  checks: MustHaveCheck[],
): Omit<CuratedProduct, 'reasons'> {
  const themes = (wanted: string) =>
    profile.themes
      .filter(({ sentiment }) => sentiment === wanted)
      .toSorted((a, b) => (b.share ?? 0) - (a.share ?? 0))
      .slice(0, MAX_THEMES)
      .map(({ theme, summary }) => (summary === null ? theme : `${theme}: ${summary}`))
  return {
    product_slug: slugOf(profile),
    title: profile.title,
    url: `${ctx.config.baseUrl}${productPath(profile)}`,
    price_range: priceRange(profile),
    rating: profile.rating,
    review_count: profile.reviewCount,
    discontinued: profile.discontinued,
    is_sponsored: ctx.offers.of(profile.id).length > 0,
    verdict: profile.verdict,
    must_have: checks,
    best_for: profile.bestFor,
    not_for: profile.notFor,
    strengths: themes('positive'),
    weaknesses: themes('negative'),
  }
}
