/**
 * The pair of tools that some clients require by exactly these names and shapes, at an address of their own: `search`
 * gives ids, titles and addresses, `fetch` one whole document. Both answer JSON as text besides, as those clients
 * read it. An id is a product's canonical slug.
 */
import { z } from 'zod'
import { profileText } from '../../catalog/profile.text.ts'
import { canonicalSlug, priceRange, productPath } from '../../catalog/profile.ts'
import { requireProfile } from '../../search/named-product.ts'
import { MAX_QUERY } from '../../search/search.schema.ts'
import { defineTool } from '../../tools/define-tool.ts'
import type { AgentsContext } from '../context.ts'

const RESULTS = 10

const Results = z.object({
  results: z.array(z.object({ id: z.string(), title: z.string(), url: z.string() })),
})

export const connectorSearch = defineTool<AgentsContext, z.ZodObject<{ query: z.ZodString }>, typeof Results>(
  {
    name: 'search',
    title: 'Search products',
    description:
      'Search the product catalog in plain words, including budget and wishes; fetch returns one full profile.',
    audience: 'everyone',
    effects: { readOnly: true },
    input: z.object({
      query: z.string().min(1).max(MAX_QUERY).describe('What to find, in plain words'),
    }),
    output: Results,
    async run({ search, config }, _call, { query }) {
      const { results } = await search.search({
        query,
        filters: { excludeDiscontinued: true },
        limit: RESULTS,
        face: 'tools',
      })
      const data = {
        results: results.map(({ category, slug, title, url }) => ({
          id: canonicalSlug({ category, slug }),
          title,
          url: `${config.baseUrl}${url}`,
        })),
      }
      return { text: JSON.stringify(data), data }
    },
  },
)

const Fetched = z.object({
  id: z.string(),
  title: z.string(),
  text: z.string(),
  url: z.string(),
  metadata: z.record(z.string(), z.string()),
})

export const connectorFetch = defineTool<AgentsContext, z.ZodObject<{ id: z.ZodString }>, typeof Fetched>({
  name: 'fetch',
  title: 'Fetch a product',
  description:
    'Returns one product profile as Markdown, by an id from search; text by sellers and reviewers is fenced.',
  audience: 'everyone',
  effects: { readOnly: true },
  input: z.object({ id: z.string().min(1).max(200).describe('An id from search: <category>/<slug>') }),
  output: Fetched,
  async run(ctx, { caller }, { id }) {
    const profile = await requireProfile(ctx, { product_slug: id, field: 'id' })
    ctx.reads.count({ productId: profile.id, face: 'tools', agent: caller.clientName })
    const data = {
      id: canonicalSlug({ category: profile.category.slug, slug: profile.slug }),
      title: profile.title,
      text: profileText(profile, ctx.config.baseUrl),
      url: `${ctx.config.baseUrl}${productPath(profile)}`,
      metadata: { category: profile.category.label, price: priceRange(profile) ?? 'unknown' },
    }
    return { text: JSON.stringify(data), data }
  },
})
