/** Tools that walk the shelves: the categories, and the products of one. Both answer from this node's index. */
import { z } from 'zod'
import { centsToDollars, formatPriceRange } from '../lib/money.ts'
import { defineTool, type ToolAnswer } from '../tools/define-tool.ts'
import { category, limit, nextOffset, offset, page } from '../tools/params.ts'
import type { CatalogIndex } from './catalog-index.ts'
import { categorySizes } from './category-sizes.ts'
import { ListedProduct, shelfFilters, toListed, withPriceRange } from './listed-product.ts'
import { categoriesText, categoryText, pageNote } from './results-text.ts'
import { ShipsTo, SORTS } from './search.schema.ts'
import type { Search } from './search.service.ts'

const CategoriesInput = z.object({})
const CategoriesOutput = z.object({
  ...page,
  categories: z.array(
    z.object({
      slug: z.string(),
      label: z.string(),
      product_count: z.int(),
      price_low_usd: z.number().nullable(),
      price_high_usd: z.number().nullable(),
    }),
  ),
})

export const listCategories = defineTool<
  { search: Pick<Search, 'reading'> },
  typeof CategoriesInput,
  typeof CategoriesOutput
>({
  name: 'list_categories',
  title: 'List categories',
  description:
    'Lists every product category with its slug, number of products and price span; use it to get category slugs for other tools. list_category_products lists one category; search_products searches all of them.',
  audience: 'everyone',
  effects: { readOnly: true },
  input: CategoriesInput,
  output: CategoriesOutput,
  async run({ search }) {
    return search.reading((index) => {
      const known = rendered.get(index)
      if (known?.version === index.version) return known.answer
      const answer = renderCategories(index)
      // What is fetched is not all there at once.
      if (!index.fetched) rendered.set(index, { version: index.version, answer })
      return answer
    })
  },
})

type Categories = ToolAnswer<z.input<typeof CategoriesOutput>>

/** It only changes with the catalog, and every agent that browses asks for it first. */
const rendered = new WeakMap<CatalogIndex, { version: number; answer: Categories }>()

function renderCategories(index: CatalogIndex): Categories {
  const sizes = categorySizes(index)
  const lines = sizes.map(({ slug, label, products, priceLowCents, priceHighCents }) => ({
    slug,
    label,
    product_count: products,
    price_range: formatPriceRange(priceLowCents, priceHighCents),
  }))
  const text = categoriesText({
    total: sizes.length,
    categories: lines,
    hint: 'Next: list_category_products for one category, search_products to search all.',
    closing: (shown) =>
      shown === sizes.length
        ? []
        : [`${sizes.length - shown} more are in the data. search_products searches all categories.`],
  })
  const categories = sizes.map(({ slug, label, products, priceLowCents, priceHighCents }) => ({
    slug,
    label,
    product_count: products,
    price_low_usd: priceLowCents === null ? null : centsToDollars(priceLowCents),
    price_high_usd: priceHighCents === null ? null : centsToDollars(priceHighCents),
  }))
  const data = { total: sizes.length, next_offset: null, categories }
  return { text, data, lasting: { of: data } }
}

const ProductsInput = z.object({
  category,
  limit,
  offset,
  sort: z.enum(SORTS).exclude(['relevance']).default('popular').describe('popular: most reviewed first'),
  ...shelfFilters,
})
const ProductsOutput = z.object({
  category: z.object({ slug: z.string(), label: z.string() }),
  ...page,
  products: z.array(ListedProduct),
  ships_to: ShipsTo.optional(),
})

export const listCategoryProducts = defineTool<
  { search: Pick<Search, 'browse' | 'reading'>; config: { baseUrl: string } },
  typeof ProductsInput,
  typeof ProductsOutput
>({
  name: 'list_category_products',
  title: 'List category products',
  description:
    'Lists the products of one category, a page at a time, with price, rating and verdict; use it to browse everything, or the cheapest, best rated or newest. Category slugs come from list_categories. To search by need, use search_products.',
  audience: 'everyone',
  effects: { readOnly: true },
  input: ProductsInput,
  output: ProductsOutput,
  async run({ search, config }, _call, input) {
    const { sort, on_sale: onSale, include_discontinued: includeDiscontinued, limit, offset } = input
    const { available } = input
    const found = await search.browse({
      category: input.category,
      sort,
      onSale,
      available,
      shipsTo: input.ships_to,
      includeDiscontinued,
      limit,
      offset,
    })
    const products = await search.reading((index) =>
      found.products.map((product) => toListed(index, product, config.baseUrl)),
    )
    const { total, shipsTo } = found
    const next = nextOffset(total, { offset, shown: products.length })
    const text = categoryText({
      label: found.category.label,
      total,
      products: withPriceRange(products, found.products),
      offset,
      sort,
      onSale,
      available,
      shipsTo,
      includeDiscontinued,
      closing: (shown) => [
        ...pageNote(products.length - shown, offset + shown, next),
        products.length === 0
          ? emptyNote(total)
          : 'Next: get_product for a full profile, find_similar, find_retailers for quotes.',
      ],
    })
    const data = { category: found.category, total, next_offset: next, products }
    return { text, data: { ...data, ...(shipsTo && { ships_to: shipsTo }) } }
  },
})

function emptyNote(total: number): string {
  return total > 0
    ? 'No more products: use a lower offset.'
    : 'No results: try without on_sale, available and ships_to, with include_discontinued, or another category.'
}
