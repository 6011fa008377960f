/**
 * `product-recommendation`: the one search, as every face asks it, or a plan over several categories where the caller may
 * have one (interface 4, rule 1: a verified email, no category, and a wish for several things or `bundle`).
 */

import type { z } from 'zod'
import type { BundleResponse } from '../../../bundles/bundles.schema.ts'
import { canonicalSlug } from '../../../catalog/profile.ts'
import { bundleLine, bundleParts } from '../../../curator/bundle-text.ts'
import { fitItems, TEXT_ROOM } from '../../../lib/fit-text.ts'
import type { CatalogIndex } from '../../../search/catalog-index.ts'
import { requireCategory } from '../../../search/near-categories.ts'
import { pageNote, searchText, shipsToLines } from '../../../search/results-text.ts'
import { toInput } from '../../../search/search.input.ts'
import type { SearchResult } from '../../../search/search.schema.ts'
import type { SearchInput } from '../../../search/search.service.ts'
import { nextOffset } from '../../../tools/params.ts'
import type { AgentsContext } from '../../context.ts'
import type { A2aCaller } from '../call.ts'
import { RecommendationParams } from './params.ts'
import type { QuickSkill, SkillAnswer } from './skill.ts'

type Params = z.output<typeof RecommendationParams>

export const recommend: QuickSkill<typeof RecommendationParams> = {
  params: RecommendationParams,
  async run(ctx, caller, params) {
    if (params.category !== undefined) requireCategory(ctx.search.index(), params.category, 'category')
    const bundle = await serveBundle(ctx, caller, params)
    return bundle ? bundleAnswer(bundle, ctx.config.baseUrl) : searchAnswer(ctx, caller, params)
  },
}

async function serveBundle(
  { bundles }: AgentsContext,
  { user, visit }: A2aCaller,
  params: Params,
): Promise<BundleResponse | null> {
  if (!user?.emailVerified || params.category !== undefined) return null
  const { query, filters: { excludeDiscontinued: _, ...filters } = {} } = searchInput(params)
  return bundles.serve({ query, filters, userId: user.id, asked: params.bundle === true, face: 'a2a', visit })
}

function searchInput(params: Params): SearchInput {
  const { query, include_discontinued, limit, offset, sort, bundle: _, ...filters } = params
  const asked = toInput({ query, filters, limit, offset, sort, include: [] })
  return {
    ...asked,
    filters: { ...asked.filters, ...(!include_discontinued && { excludeDiscontinued: true }) },
    face: 'a2a',
  }
}

async function searchAnswer(ctx: AgentsContext, caller: A2aCaller, params: Params): Promise<SkillAnswer> {
  const { offset, sort } = params
  const answer = await ctx.search.search(searchInput(params))
  const { match, note, shipsTo } = answer
  const listed = (list: readonly SearchResult[]) =>
    ctx.search.reading((index) => list.map((result) => shown(result, index, ctx.config.baseUrl)))
  const [results, nearest] = [await listed(answer.results), await listed(answer.nearest)]
  const following = nextOffset(answer.total, { offset, shown: results.length })
  const text = searchText({
    results,
    nearest,
    fit: answer,
    offset,
    sort,
    mode: answer.mode,
    notes: [...(params.bundle ? [whyNoBundle(caller, params)] : []), ...shipsToLines(shipsTo, answer.total)],
    closing: (shown) => (match === 'good' ? pageNote(results.length - shown, offset + shown, following) : []),
  })
  const fit = { match, ...(note !== null && { note }), ...(match !== 'good' && { nearest }) }
  const where = shipsTo && { ships_to: shipsTo }
  return { text, data: { query_id: answer.queryId, results, ...fit, ...where, next_offset: following } }
}

/** A result as REST has it, its address whole, and whether it is still made. */
function shown({ explain: _, ...result }: SearchResult, index: CatalogIndex, baseUrl: string) {
  const slot = index.findBySlug(result.slug)
  const discontinued = slot !== undefined && index.at(slot)?.discontinued === true
  return { ...result, url: `${baseUrl}${result.url}`, product_slug: canonicalSlug(result), discontinued }
}

function whyNoBundle({ user }: A2aCaller, { category }: Params): string {
  const instead = 'These are single products'
  if (!user) return `${instead}: a bundle needs an access token for an account with a verified email.`
  if (!user.emailVerified) return `${instead}: a bundle needs an account with a verified email.`
  if (category !== undefined) return `${instead}: a bundle needs several categories, and you gave one.`
  return `${instead}: no bundle could be planned for this query.`
}

function bundleAnswer(bundle: BundleResponse, baseUrl: string): SkillAnswer {
  const lines = bundle.categories.map((category) => bundleLine(category, baseUrl))
  const { overview, budget, total } = bundle
  const { head, items } = bundleParts({ overview, budget_usd: budget, total_usd: total, lines })
  const text = fitItems(items.length, TEXT_ROOM, (shown) => {
    const left = items.length - shown
    return [head, ...items.slice(0, shown), ...(left > 0 ? [`${left} more in the data.`] : [])].join('\n\n')
  })
  const categories = bundle.categories.map((category) => ({
    ...category,
    product: category.product && {
      ...category.product,
      url: `${baseUrl}${category.product.url}`,
      product_slug: canonicalSlug({ category: category.slug, slug: category.product.slug }),
    },
  }))
  return { text, data: { ...bundle, categories } }
}
