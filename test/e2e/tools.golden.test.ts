/**
 * The list of tools as clients get it, held against a file: names and parameters are frozen once released, and a changed
 * word is seen in review. Besides, what the tools were promised to take is written out here, so that a renewed file
 * cannot lose a parameter unnoticed.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { createToolsWorld, type ToolPerson } from '../tools.world.ts'

const GOLDEN = new URL('../golden/tools-list.json', import.meta.url)
const HOW =
  'if the change is meant, renew test/golden/tools-list.json: UPDATE_GOLDEN=1 with this test, and look at the diff'

type Listed = { name: string; inputSchema: { properties?: Record<string, unknown>; required?: string[] } }

const world = await createToolsWorld()
const people = { consumer: await world.person(), producer: await world.person({ producer: true }) }

async function list(person: ToolPerson): Promise<Listed[]> {
  const response = await world.rpc(person.token, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const { result } = (await response.json()) as { result: { tools: Listed[] } }
  return result.tools
}

/** `*`: required. */
const CONSUMER: Record<string, string> = {
  list_categories: '',
  list_category_products: 'category* limit offset sort on_sale available ships_to include_discontinued',
  get_product: 'category* slug* sections also',
  search_products:
    'query* category brand exclude_brands specs min_price max_price sort on_sale available ships_to include_discontinued limit offset',
  find_similar: 'category* slug* max_price limit offset',
  find_retailers:
    'query* product_slug max_results quantity delivery_region deadline_iso variant request_id choose',
  product_curator: 'query* budget_usd categories must_have compare bundle max_items plan_id edits',
  save_product: 'category* slug* list note target_price_usd variant',
  list_saved_products: 'list changed_since only_changed limit offset',
  remove_saved_product: 'category* slug* list',
}

const OFFER = 'detail price_usd list_price_usd starts_at expires_at promo_code variant offer_types'
const RULES =
  'volume_discounts price_usd stock in_stock variant_prices max_discount_pct lead_time_days return_policy_days delivery_regions shipping_cost_usd free_shipping_above_usd shipping_by_region reserve_price_usd min_margin_pct confirm'

const PRODUCER: Record<string, string> = {
  list_my_products: 'relationship_type verification_status query has_issues limit offset',
  claim_product: 'product_slug* relationship_type* evidence_url gtin mpn',
  submit_product: 'category* title* brand model gtin mpn description specs image_urls product_url price_usd',
  import_products: 'source* url content mapping dry_run idempotency_key',
  get_catalog_issues: 'product_slug severity limit offset',
  get_enrichment_status: 'product_slug*',
  submit_enrichment: 'product_slug* fields images evidence_url',
  list_offers: 'status product_slug expiring_within_days limit offset',
  create_offer: `product_slug* headline* destination_url* status ${OFFER}`,
  update_offer: `offer_id* headline destination_url status ${OFFER}`,
  get_pricing_rules: 'product_slug',
  set_pricing_rules: `product_slug ${RULES}`,
  simulate_quote: 'product_slug* quantity* delivery_region deadline_iso variant',
  get_agent_integration: 'run_test',
  set_agent_integration: 'is_managed agent_card_url auth_type rotate_secret',
  list_rfqs: 'since product_slug outcome limit offset',
  get_performance: 'from to group_by limit offset',
  list_team_members: '',
  set_team_member: 'email* role*',
}

function parametersOf({ inputSchema: { properties = {}, required = [] } }: Listed): string[] {
  return Object.keys(properties)
    .map((name) => (required.includes(name) ? `${name}*` : name))
    .toSorted()
}

test('a consumer is shown the 10 tools for shopping, a producer all 29', async () => {
  const names = async (person: ToolPerson) => (await list(person)).map(({ name }) => name).toSorted()
  expect(await names(people.consumer)).toEqual(Object.keys(CONSUMER).toSorted())
  expect(await names(people.producer)).toEqual(Object.keys({ ...CONSUMER, ...PRODUCER }).toSorted())
})

test('a consumer is shown the same of a tool as a producer', async () => {
  const all = new Map((await list(people.producer)).map((tool) => [tool.name, tool]))
  for (const tool of await list(people.consumer)) expect(tool).toEqual(all.get(tool.name))
})

describe('parameters', () => {
  test.each(Object.entries({ ...CONSUMER, ...PRODUCER }))('%s takes: %s', async (name, promised) => {
    const tool = (await list(people.producer)).find((one) => one.name === name)
    if (!tool) throw new Error(`there is no tool ${name}`)
    expect(parametersOf(tool)).toEqual(promised.split(' ').filter(Boolean).toSorted())
  })
})

test('the list of tools is the one of the golden file', async () => {
  const tools = await list(people.producer)
  if (process.env.UPDATE_GOLDEN === '1') await writeFile(GOLDEN, `${JSON.stringify(tools, null, 2)}\n`)
  const golden = JSON.parse(await readFile(GOLDEN, 'utf8')) as Listed[]
  expect(
    tools.map(({ name }) => name),
    `names and their order; ${HOW}`,
  ).toEqual(golden.map(({ name }) => name))
  for (const [at, tool] of tools.entries()) expect(tool, `${tool.name}; ${HOW}`).toEqual(golden[at])
})
