/** What models are told: calls of tools and messages to the agent, with the fields that are to be seen in the answers. */
import type { SourceName } from './injection.sources.ts'
import type { InjectionWorld } from './injection.world.ts'
import { PRODUCT } from './rfq.world.ts'

export type ToolCall = [tool: string, args: Record<string, unknown>, shows: SourceName[]]
const one = { category: 'traps', slug: 'trap-0' }

/** By the owner of the shop that does everything; what depends on one product is asked for each. */
export const TOOL_CALLS: ToolCall[] = [
  ['list_categories', {}, []],
  ['list_category_products', { category: 'traps', limit: 50 }, ['product title']],
  [
    'get_product',
    one,
    ['product title', 'product description', 'spec value', 'theme summary', 'offer headline'],
  ],
  ['search_products', { query: 'trap', limit: 50 }, ['product title']],
  ['find_similar', { ...one, limit: 50 }, ['product title']],
  [
    'find_retailers',
    { query: 'lamp', product_slug: PRODUCT, max_results: 20 },
    ['organization', 'quote terms'],
  ],
  ['product_curator', { query: 'which trap', compare: ['traps/trap-3', 'traps/trap-8'] }, ['product title']],
  ['list_saved_products', {}, ['product title', 'saved note']],
  ['list_my_products', { limit: 50 }, ['product title']],
  ['get_catalog_issues', { limit: 50 }, []],
  ['get_enrichment_status', { product_slug: 'traps/trap-0' }, []],
  ['list_offers', {}, ['offer headline']],
  ['get_pricing_rules', {}, ['organization rule']],
  ['simulate_quote', { product_slug: 'traps/trap-0', quantity: 1 }, []],
  ['get_agent_integration', {}, []],
  ['list_rfqs', {}, []],
  ['get_performance', { group_by: 'product' }, []],
  ['get_performance', { group_by: 'query' }, []],
  ['list_team_members', {}, ['person']],
]

export const MESSAGES: Array<[metadata: Record<string, unknown>, shows: SourceName[]]> = [
  [{ skill: 'product-recommendation', query: 'trap' }, ['product title']],
  [{ skill: 'product-lookup', product_slug: 'traps/trap-0' }, ['product title']],
  [{ skill: 'category-browse', category: 'traps' }, ['product title']],
  [{ skill: 'product-offers', product_slug: 'traps/trap-0' }, ['offer headline']],
  [{ skill: 'what-changed' }, []],
]

/** The same call for each product that it could be about; those that take their time are asked for some. */
export function argumentsOf(
  [tool, args]: ToolCall,
  { shops }: InjectionWorld,
): Array<Record<string, unknown>> {
  const isAboutOne = args.product_slug !== PRODUCT && ('slug' in args || 'product_slug' in args)
  if (!isAboutOne) return [args]
  const step = tool === 'get_product' ? 1 : 10
  return shops
    .filter(({ at }) => at % step === 0)
    .map(({ slug }) =>
      'slug' in args ? { ...args, slug: slug.split('/')[1] } : { ...args, product_slug: slug },
    )
}
