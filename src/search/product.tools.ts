/** Tools about one product: its profile, whole or in parts, and what is like it. */
import { z } from 'zod'
import type { ProductReads } from '../catalog/product-reads.ts'
import { PROFILE_SECTIONS, profileText, sectionsText } from '../catalog/profile.text.ts'
import { canonicalSlug } from '../catalog/profile.ts'
import type { OfferLookup } from '../catalog/promoted-offer.ts'
import type { Db } from '../db/database.ts'
import { inlineText } from '../lib/untrusted.ts'
import { usd } from '../lib/words.ts'
import { defineTool } from '../tools/define-tool.ts'
import { category, limit, slug } from '../tools/params.ts'
import { FoundProduct, toFound, withPriceRange } from './listed-product.ts'
import { profileOf, requireInCategory } from './named-product.ts'
import { ProductData, productData } from './product-data.ts'
import { productsText } from './results-text.ts'
import { SearchFilters } from './search.schema.ts'
import type { Search } from './search.service.ts'

const ProfileInput = z.object({
  category,
  slug,
  sections: z
    .array(z.enum(PROFILE_SECTIONS))
    .max(PROFILE_SECTIONS.length)
    .optional()
    .describe('Only these sections, in more detail; default: all'),
})

const ALL_SECTIONS: ReadonlySet<(typeof PROFILE_SECTIONS)[number]> = new Set(PROFILE_SECTIONS)

export const getProduct = defineTool<
  {
    db: Db
    search: Pick<Search, 'index'>
    offers: OfferLookup
    reads: Pick<ProductReads, 'count'>
    config: { baseUrl: string }
  },
  typeof ProfileInput,
  typeof ProductData
>({
  name: 'get_product',
  title: 'Get product',
  description:
    'Reads one product: price, verdict, specs, what reviewers say, shops and promoted offers; use it before you recommend or compare a product. Get category and slug from search_products or list_category_products. Use sections to get only parts of the profile, find_retailers for quotes.',
  audience: 'everyone',
  effects: { readOnly: true },
  input: ProfileInput,
  output: ProductData,
  async run(ctx, call, input) {
    const { baseUrl } = ctx.config
    const profile = await profileOf(ctx, await requireInCategory(ctx, input))
    ctx.reads.count({ productId: profile.id, face: 'tools', agent: call.caller.clientName })
    const data = (sections: typeof ALL_SECTIONS) => productData(profile, sections, baseUrl)
    const others = `find_retailers with product_slug ${profile.category.slug}/${profile.slug} for quotes from sellers, find_similar for alternatives.`
    if (!input.sections || input.sections.length === 0) {
      const next = `Next: get_product with sections (such as specs, themes) for more detail, ${others}`
      return { text: profileText(profile, baseUrl, next), data: data(ALL_SECTIONS) }
    }
    const sections = new Set(input.sections)
    return {
      text: sectionsText(profile, sections, { baseUrl, next: `Next: ${others}` }),
      data: data(sections),
    }
  },
})

const SimilarInput = z.object({
  category,
  slug,
  max_price: SearchFilters.shape.max_price,
  limit,
})
const SimilarOutput = z.object({ product_slug: z.string(), results: z.array(FoundProduct) })

export const findSimilar = defineTool<
  { db: Db; search: Pick<Search, 'similar' | 'index'>; config: { baseUrl: string } },
  typeof SimilarInput,
  typeof SimilarOutput
>({
  name: 'find_similar',
  title: 'Find similar products',
  description:
    'Finds products similar to a given one, most similar first; use it for alternatives, with max_price for cheaper ones. Get category and slug from search_products or list_category_products. For details of a result, use get_product.',
  audience: 'everyone',
  effects: { readOnly: true },
  input: SimilarInput,
  output: SimilarOutput,
  async run(ctx, _call, input) {
    const { max_price: maxPrice, limit } = input
    const product = await requireInCategory(ctx, input)
    const found = await ctx.search.similar({
      slug: product.slug,
      limit,
      ...(maxPrice !== undefined && { maxPriceCents: Math.round(maxPrice * 100) }),
    })
    const index = ctx.search.index()
    const results = found.map((result) => toFound(index, result, ctx.config.baseUrl))
    const slugged = canonicalSlug(product)
    const most = maxPrice === undefined ? '' : `, at most ${usd(maxPrice)}`
    const head =
      results.length > 0
        ? `Similar to **${inlineText(product.title, 200)}** (${slugged})${most}, most similar first:`
        : `Nothing similar to **${inlineText(product.title, 200)}** (${slugged})${most}. Try a higher max_price, or search_products.`
    const text = productsText([head], withPriceRange(results, found), 0, (shown) => [
      ...(shown < results.length ? [`${results.length - shown} more are in the data.`] : []),
      ...(results.length > 0 ? ['Next: get_product for a full profile, find_retailers for quotes.'] : []),
    ])
    return { text, data: { product_slug: slugged, results } }
  },
})
