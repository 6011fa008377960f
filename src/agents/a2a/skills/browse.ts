/** `category-browse`: a category's products a page at a time, or every category with its size and price span. */
import { summarizeCategories } from '../../../catalog/catalog.service.ts'
import { categoryPath } from '../../../catalog/profile.ts'
import { formatPriceRange } from '../../../lib/money.ts'
import { MAX_OFFSET } from '../../../search/search.schema.ts'
import { fitItems, TEXT_ROOM } from '../../fit-text.ts'
import { inlineText } from '../../untrusted.ts'
import { canonicalSlug, counted, productLine } from '../../words.ts'
import type { A2aContext } from '../context.ts'
import { pageNote } from './page-note.ts'
import { BrowseParams } from './params.ts'
import type { QuickSkill, SkillAnswer } from './skill.ts'

const ORDERS = {
  popular: 'most reviewed first',
  price_asc: 'lowest price first',
  price_desc: 'highest price first',
  rating: 'best rated first',
  newest: 'newest first',
} as const

export const browse: QuickSkill<typeof BrowseParams> = {
  params: BrowseParams,
  async run(ctx, _caller, params) {
    const { category, sort, on_sale: onSale, include_discontinued: includeDiscontinued } = params
    if (category === undefined) return listCategories(ctx, params.offset)
    const { limit, offset } = params
    const page = ctx.search.browse({ category, sort, onSale, includeDiscontinued, limit, offset })
    const products = page.products.map((product) => ({
      ...product,
      url: `${ctx.config.baseUrl}${product.url}`,
      product_slug: canonicalSlug(product),
    }))
    const next = offset + products.length
    const nextOffset = products.length > 0 && next < page.total && next <= MAX_OFFSET ? next : null
    const kept = [
      onSale ? 'on sale now' : '',
      includeDiscontinued ? 'discontinued ones included' : 'discontinued ones left out',
    ]
    const head = [
      `# ${inlineText(page.category.label)}`,
      `${counted(page.total, 'product')} (${kept.filter(Boolean).join(', ')}), ${ORDERS[sort]}; promoted offers never change the order.`,
    ]
    const items = products.map((product, at) =>
      [
        `${offset + at + 1}. ${productLine(product)}${rated(product)}`,
        ...(product.verdict === null ? [] : [`   Verdict: ${inlineText(product.verdict, 400)}`]),
        `   ${product.url}`,
      ].join('\n'),
    )
    const text = fitItems(items.length, TEXT_ROOM, (shown) =>
      [...head, ...items.slice(0, shown), ...pageNote(items.length - shown, offset + shown, nextOffset)].join(
        '\n\n',
      ),
    )
    const url = `${ctx.config.baseUrl}${categoryPath(page.category)}`
    return {
      text,
      data: { category: { ...page.category, url }, total: page.total, products, next_offset: nextOffset },
    }
  },
}

function rated({ rating, review_count }: { rating: number | null; review_count: number | null }): string {
  const facts = [
    ...(rating === null ? [] : [`rated ${rating} of 5`]),
    ...(review_count === null ? [] : [counted(review_count, 'review')]),
  ]
  return facts.map((fact) => ` · ${fact}`).join('')
}

/** They come whole; only what the text cannot hold is asked for by an offset. */
async function listCategories(ctx: A2aContext, offset: number): Promise<SkillAnswer> {
  const all = await summarizeCategories(ctx)
  const categories = all.slice(offset).map((category) => ({
    slug: category.slug,
    label: category.label,
    description: category.description,
    product_count: category.productCount,
    price_range: formatPriceRange(category.priceLowCents, category.priceHighCents),
    url: `${ctx.config.baseUrl}${categoryPath(category)}`,
  }))
  const items = categories.map(({ slug, label, product_count, price_range }) => {
    const price = product_count === 0 ? [] : [price_range ?? 'prices unknown']
    return `- ${[`${slug}: ${inlineText(label)}`, counted(product_count, 'product'), ...price].join(' · ')}`
  })
  const text = fitItems(items.length, TEXT_ROOM, (shown) =>
    [
      `# ${all.length === 1 ? '1 category' : `${all.length} categories`}`,
      'Counts and prices include discontinued products. Ask again with a category to see its products.',
      items.slice(0, shown).join('\n'),
      ...pageNote(items.length - shown, offset + shown, null),
    ]
      .filter(Boolean)
      .join('\n\n'),
  )
  return { text, data: { total: all.length, categories } }
}
