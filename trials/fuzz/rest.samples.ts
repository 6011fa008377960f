/** Good requests for the REST routes that /openapi.json does not describe. */
import type { CallerKind } from './callers.ts'
import { type Filling, fill } from './schema.ts'

export type RestSample = {
  route: string
  callers: readonly CallerKind[]
  json?: (filling: Filling) => unknown
  query?: (filling: Filling) => Array<[string, string]>
}

const SELLERS: readonly CallerKind[] = ['producer', 'link token']
const IN_BROWSER: readonly CallerKind[] = ['producer']
const OPERATOR: readonly CallerKind[] = ['operator']
const ANYBODY: readonly CallerKind[] = ['nobody', 'shopper']

const text = (filling: Filling, name: string) => String(fill(filling, { type: 'string' }, name))
const slug = (filling: Filling) => text(filling, 'product_slug')
const page = (): Array<[string, string]> => [
  ['limit', '5'],
  ['offset', '0'],
]

export const REST_SAMPLES: readonly RestSample[] = [
  {
    route: 'POST /api/search/click/',
    callers: ANYBODY,
    json: (filling) => ({ query_id: text(filling, 'query_id'), slug: text(filling, 'slug') }),
  },
  { route: 'GET /api/org/', callers: SELLERS },
  {
    route: 'PATCH /api/org/',
    callers: SELLERS,
    json: ({ turn }) => ({ name: `Shop ${turn.word()}`, website_url: 'https://shop-1.trial.example/' }),
  },
  {
    route: 'POST /api/org/select/',
    callers: IN_BROWSER,
    json: (filling) => ({ org_id: text(filling, 'org_id') }),
  },
  { route: 'POST /api/org/verify-domain/', callers: SELLERS },
  { route: 'GET /api/org/audit/', callers: SELLERS, query: page },
  { route: 'GET /api/org/link-tokens/', callers: IN_BROWSER },
  {
    route: 'POST /api/org/link-tokens/',
    callers: IN_BROWSER,
    json: ({ turn }) => ({ name: `token ${turn.word()}` }),
  },
  {
    route: 'DELETE /api/org/link-tokens/',
    callers: IN_BROWSER,
    json: (filling) => ({ id: text(filling, 'token_id') }),
  },
  { route: 'GET /api/org/team/', callers: SELLERS },
  {
    route: 'PATCH /api/org/team/',
    callers: IN_BROWSER,
    json: (filling) => ({
      email: text(filling, 'email'),
      role: filling.turn.pick(['viewer', 'editor', 'admin', 'none']),
    }),
  },
  {
    route: 'POST /api/org/invitations/accept/',
    callers: ['shopper'],
    json: ({ turn }) => ({ token: `souk_invite_${turn.word()}` }),
  },
  {
    route: 'POST /api/org/products/claim/',
    callers: SELLERS,
    json: (filling) => ({
      product_slug: slug(filling),
      relationship_type: filling.turn.pick(['sells', 'manufactured_by']),
      evidence_url: 'https://shop-1.trial.example/proof',
    }),
  },
  { route: 'GET /api/org/products/', callers: SELLERS, query: page },
  {
    route: 'DELETE /api/org/products/',
    callers: SELLERS,
    json: (filling) => ({ relationship_id: text(filling, 'relationship_id') }),
  },
  {
    route: 'POST /api/org/enrichment/',
    callers: SELLERS,
    json: (filling) => ({
      product_slug: slug(filling),
      fields: { description: `Better words ${filling.turn.word()}`, specs: { Weight: '2 kg' } },
      images: [{ url: 'https://shop-1.trial.example/a.jpg', alt: 'from the front' }],
      evidence_url: 'https://shop-1.trial.example/facts',
      note: 'from the maker',
    }),
  },
  {
    route: 'GET /api/org/enrichment/',
    callers: SELLERS,
    query: (filling) => [['product_slug', slug(filling)], ...page()],
  },
  {
    route: 'DELETE /api/org/enrichment/',
    callers: SELLERS,
    json: (filling) => ({ enrichment_id: text(filling, 'enrichment_id') }),
  },
  {
    route: 'GET /api/admin/enrichments/',
    callers: OPERATOR,
    query: () => [['status', 'pending'], ...page()],
  },
  {
    route: 'POST /api/admin/enrichments/approve/',
    callers: OPERATOR,
    json: (filling) => ({ enrichment_id: text(filling, 'enrichment_id'), note: 'fine' }),
  },
  {
    route: 'POST /api/admin/enrichments/reject/',
    callers: OPERATOR,
    json: (filling) => ({ enrichment_id: text(filling, 'enrichment_id'), note: 'no proof' }),
  },
  { route: 'GET /api/org/submissions/', callers: SELLERS, query: page },
  {
    route: 'DELETE /api/org/submissions/',
    callers: SELLERS,
    json: (filling) => ({ submission_id: text(filling, 'submission_id') }),
  },
  { route: 'GET /api/org/rfqs/', callers: SELLERS, query: page },
  { route: 'GET /api/org/rfqs/{id}/', callers: SELLERS },
  { route: 'GET /api/org/pricing/', callers: SELLERS, query: (filling) => [['product_slug', slug(filling)]] },
  { route: 'GET /api/org/pricing/products/', callers: SELLERS, query: page },
  {
    route: 'PATCH /api/org/pricing/',
    callers: SELLERS,
    json: (filling) => ({
      product_slug: slug(filling),
      max_discount_pct: 10,
      lead_time_days: 3,
      reserve_price_usd: 20.5,
      delivery_regions: ['CA-US'],
      price_usd: 31.5,
      stock: 40,
      shipping_by_region: [{ region: 'CA-US', cost_usd: 4.5, lead_time_days: 2 }],
      confirm: true,
    }),
  },
  {
    route: 'POST /api/org/pricing/import/',
    callers: SELLERS,
    json: (filling) => ({ content: `product_slug,price,stock\n${slug(filling)},31.5,4`, dry_run: false }),
  },
  {
    route: 'POST /api/org/pricing/simulate/',
    callers: SELLERS,
    json: (filling) => ({ product_slug: slug(filling), quantity: 12, delivery_region: 'CA-US' }),
  },
  {
    route: 'POST /catalog/search',
    callers: ANYBODY,
    json: (filling) => ({
      query: text(filling, 'query'),
      filters: { categories: [text(filling, 'category')], price: { min: 100, max: 90_000 } },
      pagination: { limit: 5 },
    }),
  },
  { route: 'POST /catalog/lookup', callers: ANYBODY, json: (filling) => ({ ids: [text(filling, 'slug')] }) },
  {
    route: 'POST /catalog/product',
    callers: ANYBODY,
    json: (filling) => ({ id: text(filling, 'slug'), selected: [{ name: 'Colour', label: 'red' }] }),
  },
]
