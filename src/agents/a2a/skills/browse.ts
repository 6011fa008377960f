/** `category-browse`: a category's products a page at a time, or every category with its size and price span. */
import { summarizeCategories } from '../../../catalog/catalog.service.ts'
import { canonicalSlug, categoryPath } from '../../../catalog/profile.ts'
import { formatPriceRange } from '../../../lib/money.ts'
import { categoriesText, categoryText, pageNote } from '../../../search/results-text.ts'
import { nextOffset } from '../../../tools/params.ts'
import type { AgentsContext } from '../../context.ts'
import { BrowseParams } from './params.ts'
import type { QuickSkill, SkillAnswer } from './skill.ts'

export const browse: QuickSkill<typeof BrowseParams> = {
  params: BrowseParams,
  async run(ctx, _caller, params) {
    const {
      category,
      sort,
      on_sale: onSale = false,
      available = false,
      ships_to: region,
      include_discontinued: includeDiscontinued = false,
    } = params
    if (category === undefined) return listCategories(ctx, params.offset)
    const { limit, offset } = params
    const page = await ctx.search.browse({
      ...{ category, sort, onSale, available, includeDiscontinued, limit, offset },
      shipsTo: region,
    })
    const products = page.products.map((product) => ({
      ...product,
      url: `${ctx.config.baseUrl}${product.url}`,
      product_slug: canonicalSlug(product),
    }))
    const { total, shipsTo } = page
    const following = nextOffset(total, { offset, shown: products.length })
    const text = categoryText({
      label: page.category.label,
      total,
      products,
      offset,
      sort,
      onSale,
      available,
      shipsTo,
      includeDiscontinued,
      closing: (shown) => pageNote(products.length - shown, offset + shown, following),
    })
    const url = `${ctx.config.baseUrl}${categoryPath(page.category)}`
    const data = { category: { ...page.category, url }, total, products, next_offset: following }
    return { text, data: { ...data, ...(shipsTo && { ships_to: shipsTo }) } }
  },
}

/** They come whole; only what the text cannot hold is asked for by an offset. */
async function listCategories(ctx: AgentsContext, offset: number): Promise<SkillAnswer> {
  const all = await summarizeCategories(ctx)
  const categories = all.slice(offset).map((category) => ({
    slug: category.slug,
    label: category.label,
    description: category.description,
    product_count: category.productCount,
    price_range: formatPriceRange(category.priceLowCents, category.priceHighCents),
    url: `${ctx.config.baseUrl}${categoryPath(category)}`,
  }))
  const text = categoriesText({
    total: all.length,
    categories,
    hint: 'Send a category to see its products.',
    closing: (shown) => pageNote(categories.length - shown, offset + shown, null),
  })
  return { text, data: { total: all.length, categories } }
}
