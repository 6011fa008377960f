/** Tools about one product: its profile, whole or in parts, and what is like it. */
import { z } from 'zod'
import type { ProductReads } from '../catalog/product-reads.ts'
import { PROFILE_SECTIONS, profilesText, profileText, sectionsText } from '../catalog/profile.text.ts'
import { canonicalSlug } from '../catalog/profile.ts'
import type { OfferLookup } from '../catalog/promoted-offer.ts'
import type { Db } from '../db/database.ts'
import { inlineText } from '../lib/untrusted.ts'
import { usd } from '../lib/words.ts'
import { defineTool } from '../tools/define-tool.ts'
import { category, limit, nextOffset, offset, page, productSlug, slug } from '../tools/params.ts'
import { FoundProduct, toFound, withPriceRange } from './listed-product.ts'
import { profileOf, requireInCategory, requireProfile } from './named-product.ts'
import { ProductData, productData } from './product-data.ts'
import { productsText } from './results-text.ts'
import { SearchFilters } from './search.schema.ts'
import type { Search } from './search.service.ts'

const MOST_ALSO = 9

const ProfileInput = z.object({
  category,
  slug,
  sections: z
    .array(z.enum(PROFILE_SECTIONS))
    .max(PROFILE_SECTIONS.length)
    .optional()
    .describe('Only these sections, in more detail; default: all'),
  also: z
    .array(productSlug)
    .max(MOST_ALSO)
    .optional()
    .describe('Up to 9 more products to read in the same call, <category>/<slug> each'),
})

const ProfileOutput = ProductData.extend({
  also: z
    .array(ProductData)
    .optional()
    .meta({ items: { $ref: '#' }, description: 'The products asked for in also, in that order' }),
})

/** Of several products at once, unless others are named. */
const BRIEF_SECTIONS: ReadonlySet<(typeof PROFILE_SECTIONS)[number]> = new Set([
  'summary',
  'verdict',
  'specs',
] as const)
const ALL_SECTIONS: ReadonlySet<(typeof PROFILE_SECTIONS)[number]> = new Set(PROFILE_SECTIONS)

export const getProduct = defineTool<
  {
    db: Db
    search: Pick<Search, 'index' | 'reading'>
    offers: OfferLookup
    reads: Pick<ProductReads, 'count'>
    config: { baseUrl: string }
  },
  typeof ProfileInput,
  typeof ProfileOutput
>({
  name: 'get_product',
  title: 'Get product',
  description:
    'Reads one product: price, verdict, specs, what reviewers say, shops and promoted offers; use it before you recommend or compare a product. Get category and slug from search_products or list_category_products. Use also to read up to 9 more in the same call, sections for parts of the profile, find_retailers for quotes.',
  audience: 'everyone',
  effects: { readOnly: true },
  input: ProfileInput,
  output: ProfileOutput,
  async run(ctx, call, input) {
    const { baseUrl } = ctx.config
    const profile = await profileOf(ctx, await requireInCategory(ctx, input))
    ctx.reads.count({ productId: profile.id, face: 'tools', agent: call.caller.clientName })
    const data = (sections: typeof ALL_SECTIONS) => productData(profile, sections, baseUrl)
    if (input.also && input.also.length > 0) {
      const asked = await Promise.all(
        input.also.map((product_slug, at) => requireProfile(ctx, { product_slug, field: `also.${at}` })),
      )
      const others = asked.filter(
        ({ id }, at) => id !== profile.id && asked.findIndex((one) => one.id === id) === at,
      )
      for (const { id } of others)
        ctx.reads.count({ productId: id, face: 'tools', agent: call.caller.clientName })
      const sections: typeof ALL_SECTIONS = input.sections?.length ? new Set(input.sections) : BRIEF_SECTIONS
      const next =
        'Next: product_curator with compare for a recommendation among up to 6, get_product for one whole profile, find_retailers with a product_slug for quotes.'
      return {
        text: profilesText([profile, ...others], baseUrl, next),
        data: { ...data(sections), also: others.map((one) => productData(one, sections, baseUrl)) },
      }
    }
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

/** What is farther away is hardly like it. */
const MOST_SIMILAR = 50

const SimilarInput = z.object({
  category,
  slug,
  max_price: SearchFilters.shape.max_price,
  limit,
  offset,
})
const SimilarOutput = z.object({ product_slug: z.string(), ...page, results: z.array(FoundProduct) })

export const findSimilar = defineTool<
  { db: Db; search: Pick<Search, 'similar' | 'index' | 'reading'>; config: { baseUrl: string } },
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
    const all = await ctx.search.similar({
      slug: product.slug,
      limit: MOST_SIMILAR,
      ...(maxPrice !== undefined && { maxPriceCents: Math.round(maxPrice * 100) }),
    })
    const found = all.slice(input.offset, input.offset + limit)
    const next = nextOffset(all.length, { offset: input.offset, shown: found.length })
    const results = await ctx.search.reading((index) =>
      found.map((result) => toFound(index, result, ctx.config.baseUrl)),
    )
    const slugged = canonicalSlug(product)
    const most = maxPrice === undefined ? '' : `, at most ${usd(maxPrice)}`
    const head =
      results.length > 0
        ? `Similar to **${inlineText(product.title, 200)}** (${slugged})${most}, most similar first:`
        : `Nothing similar to **${inlineText(product.title, 200)}** (${slugged})${most}. Try a higher max_price, or search_products.`
    const text = productsText([head], withPriceRange(results, found), input.offset, (shown) => [
      ...(shown < results.length ? [`${results.length - shown} more are in the data.`] : []),
      ...(next === null ? [] : [`There are more: use offset ${next}.`]),
      ...(results.length > 0 ? ['Next: get_product for a full profile, find_retailers for quotes.'] : []),
    ])
    return { text, data: { product_slug: slugged, total: all.length, next_offset: next, results } }
  },
})
