/**
 * `product-recommendation`: the one search, as every face asks it, or a plan over several categories where the caller may
 * have one (interface 4, rule 1: a verified email, no category, and a wish for several things or `bundle`).
 */
import type { z } from 'zod'
import type { BundleCategory, BundleResponse } from '../../../bundles/bundles.schema.ts'
import { mdParagraphs } from '../../../lib/markdown.ts'
import { cleanText, shorten } from '../../../lib/text.ts'
import { requireCategory } from '../../../search/near-categories.ts'
import { toInput } from '../../../search/search.input.ts'
import { MAX_OFFSET, type SearchResult } from '../../../search/search.schema.ts'
import type { Search, SearchInput } from '../../../search/search.service.ts'
import { fitItems, TEXT_ROOM } from '../../fit-text.ts'
import { inlineText } from '../../untrusted.ts'
import { canonicalSlug, counted, productLine, usd } from '../../words.ts'
import type { A2aCaller, A2aContext } from '../context.ts'
import { pageNote } from './page-note.ts'
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
  { bundles }: A2aContext,
  { user }: A2aCaller,
  params: Params,
): Promise<BundleResponse | null> {
  if (!user?.emailVerified || params.category !== undefined) return null
  const { query, filters } = searchInput(params)
  return bundles.serve({ query, filters, userId: user.id, asked: params.bundle === true, face: 'a2a' })
}

function searchInput({ query, category, min_price, max_price, on_sale, limit, offset }: Params): SearchInput {
  const filters = { category, min_price, max_price, on_sale }
  return { ...toInput({ query, filters, limit, offset, include: [] }), face: 'a2a' }
}

async function searchAnswer(ctx: A2aContext, caller: A2aCaller, params: Params): Promise<SkillAnswer> {
  const { offset } = params
  const answer = await ctx.search.search(searchInput(params))
  const results = answer.results.map((result) => shown(result, ctx.search, ctx.config.baseUrl))
  const next = offset + results.length
  const nextOffset = next < answer.matching && next <= MAX_OFFSET ? next : null
  const notes = [
    ...(params.bundle ? [whyNoBundle(caller, params)] : []),
    ...(answer.mode === 'keyword' ? ['Found by keywords alone; search by meaning is away for now.'] : []),
  ]
  const items = results.map((result, at) =>
    [
      `${offset + at + 1}. ${productLine(result)}`,
      ...(result.verdict === null ? [] : [`   Verdict: ${inlineText(result.verdict, 400)}`]),
      `   Why: ${inlineText(result.reason, 300)}`,
      `   ${result.url}`,
    ].join('\n'),
  )
  const head =
    results.length > 0
      ? 'Best match first; promoted offers never change the order.'
      : offset > 0
        ? 'There are no further results.'
        : 'Nothing in the catalog fits these limits. Try without a filter, or a wider price.'
  const text = fitItems(items.length, TEXT_ROOM, (count) =>
    [
      ...notes,
      head,
      ...items.slice(0, count),
      ...pageNote(items.length - count, offset + count, nextOffset),
    ].join('\n\n'),
  )
  return { text, data: { query_id: answer.queryId, results, next_offset: nextOffset } }
}

/** A result as REST has it, its address whole, and whether it is still made. */
function shown({ explain: _, ...result }: SearchResult, search: Search, baseUrl: string) {
  const index = search.index()
  const slot = index.findBySlug(result.slug)
  const discontinued = slot !== undefined && index.at(slot)?.discontinued === true
  return { ...result, url: `${baseUrl}${result.url}`, product_slug: canonicalSlug(result), discontinued }
}

function whyNoBundle({ user }: A2aCaller, { category }: Params): string {
  const instead = 'These are single products'
  if (!user) return `${instead}: a bundle needs an access token of an account with a verified email.`
  if (!user.emailVerified) return `${instead}: a bundle needs an account whose email is verified.`
  if (category !== undefined) return `${instead}: a bundle spans categories, and one category was given.`
  return `${instead}: no bundle could be planned for this query.`
}

function bundleAnswer(bundle: BundleResponse, baseUrl: string): SkillAnswer {
  const categories = bundle.categories.map((category) => ({
    ...category,
    product: category.product && {
      ...category.product,
      url: absolute(category.product.url, baseUrl),
      product_slug: canonicalSlug({ category: category.slug, slug: category.product.slug }),
    },
  }))
  const unpriced = categories.filter(({ product, cost }) => product && cost === null).length
  const sums = [
    bundle.budget === null ? 'No budget to keep to' : `Budget: ${usd(bundle.budget)}`,
    `total: ${usd(bundle.total)}, at the highest price each is sold at`,
    ...(unpriced > 0 ? [`${counted(unpriced, 'unknown price')} not in the total`] : []),
  ].join(' · ')
  const items = categories.map(bundleItem)
  const text = fitItems(items.length, TEXT_ROOM, (count) =>
    [
      '# A set over several categories',
      mdParagraphs(shorten(cleanText(bundle.overview), 1_000)),
      sums,
      ...items.slice(0, count),
      ...(count < items.length ? [`${items.length - count} more categories are in the data.`] : []),
    ]
      .filter(Boolean)
      .join('\n\n'),
  )
  return { text, data: { ...bundle, categories } }
}

function bundleItem(category: BundleCategory, at: number): string {
  const { label, quantity, product, cost, budget_allocated, over_budget, reasoning } = category
  const pieces = quantity > 1 ? ` × ${quantity}` : ''
  const money = [
    product && (cost === null ? 'cost unknown' : `costs ${usd(cost)}`),
    budget_allocated === null ? null : `${usd(budget_allocated)} allocated`,
    over_budget ? '**over budget: nothing fitted the allocation**' : null,
  ].filter(Boolean)
  const choice = product
    ? `**${inlineText(product.title, 200)}** · ${canonicalSlug({ category: category.slug, slug: product.slug })} · ${product.price_range ?? 'price unknown'}`
    : 'nothing here can be recommended'
  return [
    `${at + 1}. ${inlineText(label)}${pieces}: ${[choice, ...money].join(' · ')}`,
    ...(product?.verdict ? [`   Verdict: ${inlineText(product.verdict, 400)}`] : []),
    `   Why: ${inlineText(reasoning, 400)}`,
    ...(product ? [`   ${product.url}`] : []),
  ].join('\n')
}

function absolute(url: string, baseUrl: string): string {
  return url.startsWith('/') ? `${baseUrl}${url}` : url
}
