/** What a skill is: named and described on the agent card, its parameters checked by one schema, answered by one service. */
import type { z } from 'zod'
import type { AgentsContext } from '../../context.ts'
import type { A2aCaller } from '../call.ts'

export const SKILL_IDS = [
  'product-recommendation',
  'product-lookup',
  'category-browse',
  'product-offers',
  'request-for-quote',
  'what-changed',
] as const
export type SkillId = (typeof SKILL_IDS)[number]

/** On the card. */
type SkillDescription = {
  id: SkillId
  name: string
  description: string
  tags: string[]
  examples: string[]
}

/** A text that a model reads and the same facts as data. */
export type SkillAnswer = { text: string; data: Record<string, unknown> }

export type QuickSkill<Params extends z.ZodType = z.ZodType> = {
  params: Params
  run(ctx: AgentsContext, caller: A2aCaller, params: z.output<Params>): Promise<SkillAnswer>
}

/**
 * The six skills as the agent card tells of them. Written for the model that chooses: when to use a skill, what to send
 * in `metadata` beside its id, and when another one is the right one.
 */
export const SKILLS: readonly SkillDescription[] = [
  {
    id: 'product-recommendation',
    name: 'Product recommendation',
    description:
      'Finds products for a need in plain words, best match first, each with price range, verdict and why it matches; if nothing matches, nearest has the closest products. Use it when no exact product is named. Understands negations ("not wireless") and budgets ("under $80"). Metadata: query (required), category (a slug from category-browse), brand, exclude_brands, specs (names with values), min_price and max_price (US dollars), on_sale (true: only products on sale), available (true: only what a shop lists or a seller quotes), ships_to (a state or country a seller delivers to), sort (relevance, popular, price_asc, price_desc, rating, newest; default relevance; any other lists only matches), include_discontinued, limit (1-50, default 10), offset. With bundle: true, or for a request for several products with a budget, callers with an access token for an account with a verified email get one planned set from several categories (20 a day); setting category turns that off.',
    tags: ['search', 'recommendation', 'shopping', 'bundle'],
    examples: [
      'A quiet air fryer for two people, under $120',
      'Headphones for long flights that are not in-ear',
      'Everything for a home office for $1,500',
    ],
  },
  {
    id: 'product-lookup',
    name: 'Product lookup',
    description:
      'Reads one product: verdict, price range, rating, specs, review themes, who it is for, where to buy, live offers, and whether it is discontinued. Use it when the product is known. Metadata: product_slug (required; <category>/<slug> as in other skills, or the slug alone). For an unknown slug, returns similar ones.',
    tags: ['product', 'specs', 'reviews', 'price'],
    examples: [
      'Tell me about air-fryers/ovenbird-crisp-3',
      'What do reviewers say about tents/basecairn-stormkeep-3?',
    ],
  },
  {
    id: 'category-browse',
    name: 'Category browse',
    description:
      'Lists all categories with product counts and price ranges, or the products of one category page by page. Use it to get category slugs or browse a category; to find products for a need, use product-recommendation. Metadata: category (a slug; default: lists the categories), sort (popular, price_asc, price_desc, rating, newest; default popular), on_sale, available, ships_to, include_discontinued, limit (1-50, default 10), offset.',
    tags: ['categories', 'browse', 'catalog'],
    examples: [
      'Which categories are there?',
      'The cheapest tents first',
      'The best rated air fryers that are on sale',
    ],
  },
  {
    id: 'product-offers',
    name: 'Product offers',
    description:
      'Reads the live promoted offers of one product: price, list price, promo code, dates, seller and buy link. Use it for deals on a known product; for a price for your quantity or delivery date, use request-for-quote. Headlines, details and codes are written by the sellers. Metadata: product_slug (required; <category>/<slug> or the slug alone).',
    tags: ['offers', 'deals', 'promo codes', 'price'],
    examples: [
      'Are there deals on air-fryers/ovenbird-crisp-3?',
      'A promo code for tents/basecairn-stormkeep-3',
    ],
  },
  {
    id: 'request-for-quote',
    name: 'Request for quote',
    description:
      'Requests quotes from every registered seller of a product and ranks them by stock, deadline, total cost and delivery time. Returns a task in state submitted; poll it until it is completed (usually within 30 seconds): its artifact has the ranked, signed quotes with buy links. Use it when the user wants to buy. Metadata: product_slug (required; <category>/<slug> or the slug alone), quantity (whole number, default 1), delivery_region (state or country, such as CA-US, California or Germany), deadline_iso (latest acceptable delivery date, ISO 8601), variant (one variant: its id, SKU, GTIN or options, such as "Red / M").',
    tags: ['rfq', 'quote', 'price', 'buy', 'sellers'],
    examples: [
      'Get me quotes for 3 of air-fryers/ovenbird-crisp-3, delivered to CA-US',
      'Who can deliver two tents/basecairn-stormkeep-3 before December 1?',
    ],
  },
  {
    id: 'what-changed',
    name: 'What changed',
    description:
      'Shows what changed since a time, newest first: prices, offers, shops, discontinuation, new products, profile text, each with before and after. Use it to watch products instead of reading them again. Metadata: products (up to 50 slugs, <category>/<slug> or the slug alone), category (a slug), since (ISO 8601 date or time; default 7 days ago), limit (1-100, default 50). Without products and category it covers the whole catalog.',
    tags: ['changes', 'price drop', 'monitoring', 'news'],
    examples: [
      'Has the price of air-fryers/ovenbird-crisp-3 changed since 2026-11-01?',
      'What is new in tents this week?',
    ],
  },
]
