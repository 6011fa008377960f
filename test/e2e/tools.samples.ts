/**
 * One table of calls: each of the 29 tools with arguments that it answers, what the answer says, and arguments that it
 * refuses. The calls can be made again and again, by one client after another, in this order: a product is saved before
 * the list of saved ones is read, and sellers are asked before the requests they received are listed.
 */
import type { SampleWorld } from './tools.live.ts'

export type Role = 'consumer' | 'producer'
export type Arguments = Record<string, unknown>
export type Sample = {
  tool: string
  as: Role
  args: Arguments | ((world: SampleWorld) => Arguments)
  /** In the text of the answer. */
  says: RegExp
}

const gooseneck = { category: 'kettles', slug: 'gooseneck' }
const ours = { product_slug: 'kettles/gooseneck' }
const sheet = 'title,category,price\nCopper Stove Kettle,kettles,75\nNo category,,5\n'

export const SAMPLES: Sample[] = [
  { tool: 'list_categories', as: 'consumer', args: {}, says: /sleeping-bags/ },
  {
    tool: 'list_category_products',
    as: 'consumer',
    args: { category: 'kettles', limit: 2, offset: 1, sort: 'price_asc' },
    says: /Gooseneck/,
  },
  { tool: 'get_product', as: 'consumer', args: gooseneck, says: /steadiest pour/ },
  {
    tool: 'get_product',
    as: 'consumer',
    args: { ...gooseneck, sections: ['specs', 'themes', 'offers'] },
    says: /1200 W/,
  },
  {
    tool: 'search_products',
    as: 'consumer',
    args: { query: 'kettle for pour-over coffee', category: 'kettles', max_price: 100, limit: 3 },
    says: /Gooseneck/,
  },
  { tool: 'find_similar', as: 'consumer', args: { ...gooseneck, limit: 2 }, says: /Kettle/ },
  {
    tool: 'find_retailers',
    as: 'consumer',
    args: { query: 'gooseneck kettle', ...ours, quantity: 12, max_results: 3 },
    says: /Kettle Shop/,
  },
  {
    tool: 'product_curator',
    as: 'consumer',
    args: { query: 'kettle for coffee', budget_usd: 100, must_have: ['gooseneck spout'], max_items: 2 },
    says: /Kettle/,
  },
  {
    tool: 'product_curator',
    as: 'consumer',
    args: { query: 'which kettle', compare: ['kettles/gooseneck', 'kettles/whistler'] },
    says: /Whistling/,
  },
  {
    tool: 'product_curator',
    as: 'consumer',
    args: { query: 'camping kit with a tent and a sleeping bag', budget_usd: 400, bundle: true },
    says: /Dome Tent/,
  },
  {
    tool: 'save_product',
    as: 'consumer',
    args: { ...gooseneck, list: 'kitchen', note: 'for the new flat', target_price_usd: 50 },
    says: /kitchen/,
  },
  { tool: 'list_saved_products', as: 'consumer', args: { list: 'kitchen' }, says: /Gooseneck/ },
  {
    tool: 'remove_saved_product',
    as: 'consumer',
    args: { ...gooseneck, list: 'kitchen' },
    says: /gooseneck/i,
  },
  { tool: 'list_my_products', as: 'producer', args: { query: 'kettle', limit: 5 }, says: /Whistling/ },
  {
    tool: 'claim_product',
    as: 'producer',
    args: { product_slug: 'kettles/samovar', relationship_type: 'sells' },
    says: /verified/,
  },
  {
    tool: 'submit_product',
    as: 'producer',
    args: {
      category: 'kettles',
      title: 'Glass Tea Kettle',
      brand: 'Claro',
      specs: { Capacity: '1.2 l' },
      image_urls: ['https://kettle-shop.example/glass.jpg'],
      price_usd: 45.5,
    },
    says: /Glass Tea Kettle/,
  },
  {
    tool: 'import_products',
    as: 'producer',
    args: { source: 'csv', content: sheet },
    says: /Dry run/,
  },
  {
    tool: 'import_products',
    as: 'producer',
    args: { source: 'csv', content: sheet, dry_run: false, idempotency_key: 'sheet-1' },
    says: /Imported/,
  },
  { tool: 'get_catalog_issues', as: 'producer', args: { limit: 5 }, says: /kettles\// },
  { tool: 'get_enrichment_status', as: 'producer', args: ours, says: /base/ },
  {
    tool: 'submit_enrichment',
    as: 'producer',
    args: {
      ...ours,
      fields: { specs: { Weight: '1.1 kg' }, best_for: ['tea'] },
      images: [{ url: 'https://kettle-shop.example/g.jpg', alt: 'The kettle on a stove' }],
    },
    says: /specs/,
  },
  {
    tool: 'list_offers',
    as: 'producer',
    args: { status: 'active', limit: 5 },
    says: /A tenth off/,
  },
  {
    tool: 'create_offer',
    as: 'producer',
    args: {
      product_slug: 'kettles/whistler',
      headline: 'Free shipping this week',
      destination_url: 'https://kettle-shop.example/whistler',
      price_usd: 28.5,
      offer_types: ['free_shipping'],
    },
    says: /draft/i,
  },
  {
    tool: 'update_offer',
    as: 'producer',
    args: ({ offerId }) => ({ offer_id: offerId, detail: 'While stocks last', status: 'active' }),
    says: /active/,
  },
  { tool: 'get_pricing_rules', as: 'producer', args: {}, says: /10/ },
  {
    tool: 'set_pricing_rules',
    as: 'producer',
    args: { ...ours, max_discount_pct: 15, lead_time_days: 3, reserve_price_usd: 40, confirm: true },
    says: /15/,
  },
  { tool: 'simulate_quote', as: 'producer', args: { ...ours, quantity: 12 }, says: /in total/ },
  { tool: 'set_agent_integration', as: 'producer', args: { is_managed: true }, says: /managed/i },
  { tool: 'get_agent_integration', as: 'producer', args: {}, says: /managed/i },
  { tool: 'list_rfqs', as: 'producer', args: { limit: 1 }, says: /12 × kettles\/gooseneck/ },
  { tool: 'get_performance', as: 'producer', args: { group_by: 'product', limit: 3 }, says: /gooseneck/ },
  { tool: 'list_team_members', as: 'producer', args: {}, says: /owner@kettle-shop\.example/ },
  {
    tool: 'set_team_member',
    as: 'producer',
    args: { email: 'colleague@kettle-shop.example', role: 'editor' },
    says: /editor/,
  },
]

/** What no reading of the arguments makes right. `list_categories` and `list_team_members` take none. */
export const WRONG: Record<string, Arguments> = {
  list_category_products: { category: 'kettles', limit: 0 },
  get_product: { category: 'kettles' },
  search_products: { query: 'kettle', sort: 'alphabetic' },
  find_similar: { ...gooseneck, limit: 'many' },
  find_retailers: { query: 'kettle', quantity: 1.5 },
  product_curator: { query: '' },
  save_product: { ...gooseneck, note: 'n'.repeat(501) },
  list_saved_products: { only_changed: 'perhaps' },
  remove_saved_product: { slug: 'no-such-kettle' },
  list_my_products: { relationship_type: 'borrows' },
  claim_product: { product_slug: 'kettles/samovar' },
  submit_product: { category: 'kettles', title: 'Kettle', image_urls: ['http://kettle-shop.example/a.jpg'] },
  import_products: { source: 'fax', content: sheet },
  get_catalog_issues: { severity: 'fatal' },
  get_enrichment_status: {},
  submit_enrichment: { ...ours, images: [{ alt: 'no address' }] },
  list_offers: { expiring_within_days: 1000 },
  create_offer: {
    product_slug: 'kettles/whistler',
    headline: 'h'.repeat(61),
    destination_url: 'https://a.example',
  },
  update_offer: { status: 'active' },
  get_pricing_rules: { product_slug: true },
  set_pricing_rules: { volume_discounts: [{ min_qty: 0, discount_pct: 10 }] },
  simulate_quote: { ...ours, quantity: -1 },
  get_agent_integration: { run_test: 'maybe' },
  set_agent_integration: { auth_type: 'password' },
  list_rfqs: { outcome: 'forgotten' },
  get_performance: { group_by: 'moon' },
  set_team_member: { email: 'colleague@kettle-shop.example', role: 'emperor' },
}

export function argumentsOf({ args }: Sample, world: SampleWorld): Arguments {
  return typeof args === 'function' ? args(world) : args
}
