/**
 * The one search as a tool. Agents ask the same things again and again, and the search remembers its answers; so does this
 * tool what it made of one, beside the answer it was made from: a repeated question costs no rendering. The two live and
 * die together, because what is remembered here hangs on the remembered results themselves.
 */

import { z } from 'zod'
import { defineTool } from '../tools/define-tool.ts'
import { category, limit, nextOffset, offset, page } from '../tools/params.ts'
import type { Answer } from './answer.ts'
import type { CatalogIndex } from './catalog-index.ts'
import { FoundProduct, shelfFilters, toFound, withPriceRange } from './listed-product.ts'
import { requireCategory } from './near-categories.ts'
import { searchText, shipsToLines } from './results-text.ts'
import { toInput } from './search.input.ts'
import { MAX_QUERY, Match, SearchFilters, type SearchResult, ShipsTo, SORTS } from './search.schema.ts'
import type { Search, SearchInput } from './search.service.ts'

const Input = z.object({
  query: z
    .string()
    .trim()
    .min(1)
    .max(MAX_QUERY)
    .describe('What the user wants, in plain words; may include a budget'),
  category: category.optional(),
  brand: SearchFilters.shape.brand,
  exclude_brands: SearchFilters.shape.exclude_brands,
  specs: SearchFilters.shape.specs,
  min_price: SearchFilters.shape.min_price,
  max_price: SearchFilters.shape.max_price,
  sort: z.enum(SORTS).default('relevance').describe('Order of the results'),
  ...shelfFilters,
  limit,
  offset,
})
type Input = z.output<typeof Input>

const Output = z.object({
  query_id: z.string(),
  match: Match,
  note: z.string().optional().describe('Why nothing matches, or what was applied from the query'),
  ...page,
  results: z.array(FoundProduct).describe('Matches, best first'),
  nearest: z.array(FoundProduct).optional().describe('Closest products when nothing matches: not results'),
  ships_to: ShipsTo.optional(),
})

export const searchProducts = defineTool<
  { search: Pick<Search, 'search' | 'index' | 'reading'>; config: { baseUrl: string } },
  typeof Input,
  typeof Output
>({
  name: 'search_products',
  title: 'Search products',
  description:
    'Finds products for a need described in plain words ("quiet blender under $80 for smoothies") across the whole catalog; start here when the user wants something to buy. Each result has price, verdict and why it matched; if nothing matches, nearest has the closest products. Then get_product for details, find_retailers for quotes.',
  audience: 'everyone',
  effects: { readOnly: true },
  input: Input,
  output: Output,
  async run({ search, config }, _call, input) {
    if (input.category !== undefined) requireCategory(search.index(), input.category, 'category')
    const answer = await search.search(searchInput(input))
    const made =
      rendered.get(answer.results) ??
      (await search.reading((index) => render(index, answer, input, config.baseUrl)))
    rendered.set(answer.results, made)
    const { text, data } = made
    return {
      text,
      data: { query_id: answer.queryId, ...data },
      lasting: { of: made, except: answer.queryId },
    }
  },
})

function searchInput(input: Input): SearchInput {
  const { query, include_discontinued, sort, limit, offset, ...filters } = input
  const asked = toInput({ query, filters, limit, offset, sort, include: [] })
  return {
    ...asked,
    filters: { ...asked.filters, ...(!include_discontinued && { excludeDiscontinued: true }) },
    face: 'tools',
  }
}

type Rendered = { text: string; data: Omit<z.output<typeof Output>, 'query_id'> }

/** By the results of a remembered answer, which are the same array each time it is given. */
const rendered = new WeakMap<SearchResult[], Rendered>()

function render(index: CatalogIndex, answer: Answer, input: Input, baseUrl: string): Rendered {
  const { match, note, shipsTo } = answer
  const results = answer.results.map((result) => toFound(index, result, baseUrl))
  const nearest = answer.nearest.map((result) => toFound(index, result, baseUrl))
  const next = nextOffset(answer.total, { offset: input.offset, shown: results.length })
  const text = searchText({
    results: withPriceRange(results, answer.results),
    nearest: withPriceRange(nearest, answer.nearest),
    fit: answer,
    offset: input.offset,
    sort: input.sort,
    mode: answer.mode,
    notes: [
      ...(input.include_discontinued ? [] : ['Discontinued products are left out.']),
      ...shipsToLines(shipsTo, results.length),
    ],
    closing: (shown) => closing(shown, { found: results.length, near: nearest.length, next }),
  })
  const data = {
    match,
    ...(note !== null && { note }),
    ...{ total: answer.total, next_offset: next },
    results,
    ...(match !== 'good' && { nearest }),
    ...(shipsTo && { ships_to: shipsTo }),
  }
  return { text, data }
}

function closing(
  shown: number,
  { found, near, next }: { found: number; near: number; next: number | null },
): string[] {
  if (found === 0)
    return [
      ...(shown < near ? [`${near - shown} more in the data.`] : []),
      'Next: list_categories shows what is available.',
    ]
  const left = found - shown
  return [
    ...(left > 0
      ? [`${left} more in the data. To see others here, narrow the search: category, min_price, max_price.`]
      : next === null
        ? []
        : [`There are more: use offset ${next}.`]),
    'Next: get_product for a full profile, find_similar, find_retailers for quotes.',
  ]
}
