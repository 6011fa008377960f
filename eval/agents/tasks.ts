/** The 40 tasks: what a person wants, the calls that answers lead to, and the state that must hold in the end. */
import type { ToolReply } from '../service.ts'
import type { Call, Step } from './client.ts'

/** What was answered, and what the service says of the same person afterwards. */
export type End = {
  last: ToolReply
  calls: readonly Call[]
  ask(tool: string, args?: Record<string, unknown>): Promise<ToolReply>
}
export type Task = {
  kind: 'shopping' | 'selling' | 'trouble'
  title: string
  as: 'shopper' | 'seller'
  steps: Step[]
  /** Why the end is not right; null when it is. */
  end(state: End): Promise<string | null>
}

const GRINDEL = 'espresso-machines/grindel-unison-54'
const SKEIN = 'tents/tarnhollow-skein-2'

/** The last answer is no refusal and says all of this. */
const says =
  (...wanted: RegExp[]) =>
  async ({ last }: End): Promise<string | null> => {
    if (last.isError) return `refused: ${last.text.slice(0, 160)}`
    const unsaid = wanted.find((one) => !one.test(last.text))
    return unsaid ? `does not say ${unsaid}: ${last.text.slice(0, 160)}` : null
  }

/** What the service answers to a question of its own afterwards. */
const holds =
  (tool: string, args: Record<string, unknown>, wanted: RegExp) =>
  async ({ last, ask }: End): Promise<string | null> => {
    if (last.isError) return `refused: ${last.text.slice(0, 160)}`
    const { text } = await ask(tool, args)
    return wanted.test(text) ? null : `${tool} does not say ${wanted}: ${text.slice(0, 160)}`
  }

const withData =
  (name: string, isRight: (data: Record<string, unknown>) => boolean) =>
  async ({ last }: End): Promise<string | null> =>
    !last.isError && isRight(last.data) ? null : `${name}: ${last.text.slice(0, 160)}`

const countOf = (value: unknown) => (Array.isArray(value) ? value.length : 0)
const quoted = withData('no quotes', ({ quotes }) => countOf(quotes) > 0)
const brief = { sections: ['verdict', 'specs'] }

const shopping = (title: string, steps: Step[], end: Task['end']): Task => ({
  ...{ kind: 'shopping', as: 'shopper', title, steps, end },
})
const selling = (title: string, steps: Step[], end: Task['end']): Task => ({
  ...{ kind: 'selling', as: 'seller', title, steps, end },
})
const trouble = (title: string, steps: Step[], end: Task['end'], as: Task['as'] = 'shopper'): Task => ({
  ...{ kind: 'trouble', as, title, steps, end },
})

export const TASKS: Task[] = [
  shopping(
    'find a quiet blender and read about it',
    [
      ['search_products', { query: 'quiet blender', limit: 3 }],
      ['get_product', { slug: '$slug', ...brief }],
    ],
    says(/Slug: blenders\//, /Noise/),
  ),
  shopping(
    'an air fryer for at most $100',
    [['search_products', { query: 'air fryer', max_price: 100, limit: 3 }]],
    withData('not all below $100', ({ results }) =>
      (results as Array<{ price_low_usd: number }>).every(({ price_low_usd }) => price_low_usd <= 100),
    ),
  ),
  shopping(
    'read one product of which only its slug is known',
    [['get_product', { slug: GRINDEL, ...brief }]],
    says(/Slug: espresso-machines\/grindel-unison-54/),
  ),
  shopping(
    'quotes for a product that is known',
    [['find_retailers', { product_slug: GRINDEL, max_results: 2 }]],
    quoted,
  ),
  shopping(
    'quotes for two tents that a search finds',
    [
      ['search_products', { query: 'ultralight backpacking tent for two', limit: 2 }],
      ['find_retailers', { product_slug: '$slug', quantity: 2, max_results: 2 }],
    ],
    quoted,
  ),
  shopping(
    'quotes, and the choice of the best',
    [
      ['find_retailers', { product_slug: SKEIN, max_results: 1 }],
      [
        'find_retailers',
        { request_id: '$request', choose: { quote_id: '$quote', total_usd: '$total' }, max_results: 1 },
      ],
    ],
    withData('no choice recorded', ({ chosen }) => chosen !== null && chosen !== undefined),
  ),
  shopping(
    'compare two products and take one',
    [
      ['search_products', { query: 'noise cancelling headphones', limit: 2 }],
      ['get_product', { slug: '$slug', also: ['$slug2'] }],
    ],
    withData('not two profiles', ({ also }) => countOf(also) === 1),
  ),
  shopping(
    'a recommendation among three that are named',
    [
      [
        'product_curator',
        {
          query: 'for long flights',
          compare: ['headphones/hushfield-lull-2', 'headphones/wavemarch-tern'],
          must_have: ['noise cancelling'],
        },
      ],
    ],
    says(/Recommended: \*\*|No recommendation/, /stated M1/),
  ),
  shopping(
    'a shortlist without PTFE',
    [['product_curator', { query: 'air fryer', must_have: ['no PTFE'], max_items: 3 }]],
    withData('something denies it', ({ products }) =>
      (products as Array<{ must_have: Array<{ met: string }> }>).every(
        ({ must_have }) => must_have[0]?.met !== 'contradicts',
      ),
    ),
  ),
  shopping(
    'plan a home office within a budget',
    [
      [
        'product_curator',
        {
          query: 'home office with a standing desk, an office chair and a desk lamp',
          bundle: true,
          budget_usd: 1200,
        },
      ],
    ],
    withData('no plan', ({ bundle }) => countOf((bundle as { lines?: unknown })?.lines) >= 3),
  ),
  shopping(
    'plan a set and lower its budget',
    [
      [
        'product_curator',
        { query: 'camping kit with a tent and a sleeping bag', bundle: true, budget_usd: 500 },
      ],
      [
        'product_curator',
        { query: 'cheaper', plan_id: '$plan', edits: [{ op: 'set_budget', budget_usd: 350 }] },
      ],
    ],
    withData(
      'the budget is another',
      ({ bundle }) => (bundle as { budget_usd?: number })?.budget_usd === 350,
    ),
  ),
  shopping(
    'save what a search finds',
    [
      ['search_products', { query: 'carry-on suitcase with laptop sleeve', limit: 1 }],
      ['get_product', { slug: '$slug', sections: ['verdict'] }],
    ],
    says(/Slug: carry-on-luggage\//),
  ),
  shopping(
    'save a product with a target price',
    [['save_product', { slug: SKEIN, list: 'trip', target_price_usd: 400 }]],
    holds('list_saved_products', { list: 'trip' }, /Target \$400/),
  ),
  shopping(
    'save and then see what changed',
    [
      ['save_product', { slug: GRINDEL }],
      ['list_saved_products', {}],
    ],
    says(/espresso-machines\/grindel-unison-54/, /No change/),
  ),
  shopping(
    'save and take off again',
    [
      ['save_product', { slug: 'tents/ridgelark-sawtrail-2', list: 'maybe' }],
      ['list_saved_products', { list: 'maybe' }],
      ['remove_saved_product', { slug: '$slug', list: 'maybe' }],
    ],
    holds('list_saved_products', { list: 'maybe' }, /^0 saved/),
  ),
  shopping(
    'something like it, for less',
    [['find_similar', { slug: SKEIN, max_price: 250, limit: 3 }]],
    withData('nothing cheaper', ({ results }) => countOf(results) > 0),
  ),
  shopping(
    'browse a category by its label',
    [['list_category_products', { category: 'Robot vacuums', sort: 'price_asc', limit: 3 }]],
    says(/robot-vacuums\//),
  ),
  shopping(
    'browse and go on to the next page',
    [
      ['list_category_products', { category: 'tents', limit: 4 }],
      ['list_category_products', { category: 'tents', limit: 4, offset: '$offset' }],
    ],
    withData('not the second page', ({ products }) => countOf(products) === 4),
  ),
  shopping(
    'a cheaper alternative and its quotes',
    [
      ['find_similar', { slug: GRINDEL, max_price: 500, limit: 2 }],
      ['find_retailers', { product_slug: '$slug2', max_results: 1 }],
    ],
    quoted,
  ),
  shopping(
    'quotes delivered to California by a date',
    [
      [
        'find_retailers',
        { product_slug: 'laptops/vantrel-riposte-17', delivery_region: 'US-CA', max_results: 1 },
      ],
    ],
    withData('another region', ({ delivery_region }) => /CA/.test(String(delivery_region))),
  ),
  selling('which products are mine', [['list_my_products', {}]], says(/tents\/tarnhollow-skein-2/)),
  selling(
    'what is wrong with a product',
    [
      ['list_my_products', { query: 'Skein' }],
      ['get_catalog_issues', { product_slug: '$slug', limit: 3 }],
    ],
    says(/Issues|No issues/i),
  ),
  selling(
    'quote with managed pricing',
    [['set_agent_integration', { is_managed: true }]],
    holds('get_agent_integration', {}, /managed/),
  ),
  selling(
    'a price for one product, and what a buyer would get',
    [
      ['set_pricing_rules', { product_slug: SKEIN, price_usd: 420, lead_time_days: 2 }],
      ['simulate_quote', { product_slug: '$slug', quantity: 2 }],
    ],
    says(/\$840/),
  ),
  selling('which rules hold', [['get_pricing_rules', { product_slug: SKEIN }]], says(/420/)),
  selling(
    'publish an offer in one call',
    [
      [
        'create_offer',
        {
          product_slug: SKEIN,
          headline: 'Spring sale',
          destination_url: 'https://larkfield.example/skein',
          price_usd: 399,
          status: 'active',
        },
      ],
    ],
    holds('list_offers', { status: 'active' }, /Spring sale/),
  ),
  selling(
    'make a draft and publish it',
    [
      [
        'create_offer',
        {
          product_slug: SKEIN,
          headline: 'Free footprint',
          destination_url: 'https://larkfield.example/footprint',
        },
      ],
      ['update_offer', { offer_id: '$offer', status: 'active' }],
    ],
    holds('list_offers', { status: 'active' }, /Free footprint/),
  ),
  selling(
    'pause an offer that the list shows',
    [
      ['list_offers', { status: 'active', limit: 1 }],
      ['update_offer', { offer_id: '$offer', status: 'paused' }],
    ],
    withData('not paused', ({ status }) => status === 'paused'),
  ),
  selling(
    'claim another product',
    [['claim_product', { product_slug: 'tents/ridgelark-sawtrail-2', relationship_type: 'sells' }]],
    holds('list_my_products', { query: 'Sawtrail' }, /sawtrail-2/),
  ),
  selling(
    'add a spec and see that it waits for review',
    [
      ['submit_enrichment', { product_slug: SKEIN, fields: { specs: { Stakes: '8, aluminium' } } }],
      ['get_enrichment_status', { product_slug: SKEIN }],
    ],
    says(/Stakes|specs/),
  ),
  selling(
    'invite a colleague',
    [['set_team_member', { email: 'kim@larkfield.example', role: 'editor' }]],
    holds('list_team_members', {}, /kim@larkfield/),
  ),
  selling('how did it go', [['get_performance', { group_by: 'product' }]], says(/Performance/)),
  trouble(
    'a product by a title that is its own',
    [['get_product', { slug: 'Grindel Unison 54', ...brief }]],
    says(/Slug: espresso-machines\/grindel-unison-54/),
  ),
  trouble(
    'a title that several products share',
    [
      ['get_product', { slug: 'Ovenbird Crisp', sections: ['verdict'] }],
      ['get_product', { slug: '$slug', sections: ['verdict'] }],
    ],
    says(/Slug: air-fryers\/ovenbird-crisp/),
  ),
  trouble(
    'a slug with a slip in it',
    [
      ['get_product', { category: 'tents', slug: 'tarnhollow-skien-2', sections: ['verdict'] }],
      ['get_product', { slug: '$slug', sections: ['verdict'] }],
    ],
    says(/Slug: tents\//),
  ),
  trouble(
    'the address of a page for quotes',
    [['find_retailers', { product_slug: `http://localhost:3000/p/${SKEIN}`, max_results: 1 }]],
    quoted,
  ),
  trouble(
    'nothing matches, and one of the nearest will do',
    [
      ['search_products', { query: 'kayak paddle' }],
      ['list_categories', {}],
    ],
    withData('no categories', ({ total }) => Number(total) > 10),
  ),
  trouble(
    'an offer without a claim',
    [
      [
        'create_offer',
        {
          product_slug: 'headphones/wavemarch-tern',
          headline: 'Sale',
          destination_url: 'https://larkfield.example/tern',
        },
      ],
      ['claim_product', { product_slug: 'headphones/wavemarch-tern', relationship_type: 'sells' }],
    ],
    holds('list_my_products', { query: 'tern' }, /wavemarch-tern/),
    'seller',
  ),
  trouble(
    'a secret that is to be replaced',
    [['set_agent_integration', { rotate_secret: true }]],
    says(/Nothing was changed/),
    'seller',
  ),
  trouble('a seller tool as a shopper', [['list_offers', {}]], async ({ last }) =>
    last.isError && /\/account/.test(last.text) ? null : `not sent on: ${last.text.slice(0, 160)}`,
  ),
]
