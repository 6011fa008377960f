/** A shop with two products, and a browser of its owner at /dashboard/pricing, without scripts. */
import { beforeEach, expect } from 'vitest'
import { createBrowser } from '../accounts.ts'
import { createTestApp } from '../harness.ts'
import { createOrg, relate, type TestOrg } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { formsOf, read } from './dashboard.agent.world.ts'

export const PAGE = '/dashboard/pricing'
export const VOLUME = `${PAGE}/volume`
export const PERCH = `${PAGE}/stools/perch`
export const BARE = `${PAGE}/stools/bare`

/** Each test starts without any rules. */
export async function createPricingWorld() {
  const world = await createTestApp()
  const { pool } = world.database
  const perch = await addProduct(world, {
    category: 'stools',
    slug: 'perch',
    title: 'Perch',
    list_price: 100,
  })
  const bare = await addProduct(world, { category: 'stools', slug: 'bare', title: 'Bare & plain' })
  await addProduct(world, { category: 'stools', slug: 'theirs', title: 'Theirs', list_price: 100 })
  const acme = await createOrg(world, { name: 'Acme' })
  await relate(world, acme, perch)
  await relate(world, acme, bare)

  beforeEach(async () => {
    await pool.query('delete from product_pricing')
    await pool.query('delete from agent_integrations')
  })

  function browserOf({ cookie }: { cookie: string }) {
    const browser = createBrowser(world)
    browser.setCookie(cookie)
    return browser
  }
  const owner = browserOf(acme.session)

  const upload = async (path: string, content: string, fields: Record<string, string> = {}) => {
    const body = new FormData()
    for (const [name, value] of Object.entries({ org_id: acme.id, ...fields })) body.set(name, value)
    if (content !== '') body.set('file', new File([content], 'prices.csv'))
    const { cookie } = acme.session
    const headers = { cookie, origin: world.accounts.config.baseUrl, accept: 'text/html' }
    return world.app.request(`${world.accounts.config.baseUrl}${path}`, { method: 'POST', body, headers })
  }

  const stored = async () => [
    (await pool.query('select rules, floors_box from product_pricing order by product_id')).rows,
    (await pool.query('select managed_rules, is_managed from agent_integrations order by org_id')).rows,
    (await pool.query('select id from audit_log where org_id is not null order by id')).rows,
  ]

  return {
    ...world,
    pool,
    perch,
    acme,
    owner,
    upload,
    browserOf,
    filled: (fields: Record<string, string>, of: TestOrg = acme) => ({ org_id: of.id, ...fields }),
    pageOf: async (path: string, browser = owner) => (await read(browser.get(path))).html,
    /** Runs it and holds that no rule and no record came of it. */
    async unchanged<Result>(work: () => Promise<Result>): Promise<Result> {
      const before = await stored()
      const result = await work()
      expect(await stored()).toEqual(before)
      return result
    },
  }
}

export function formOf(html: string, action: string) {
  return formsOf(html).find((form) => form.action === action)?.fields
}

export function errorOf(html: string, field: string): string | undefined {
  return new RegExp(`id="field-${field.replaceAll('.', '\\.')}-error">([^<]*)<`).exec(html)?.[1]
}

/** The fields of the discounts' form: a pair of quantity and percentage for each row. */
export function discounts(...rows: Array<[from: string, percent: string]>): Record<string, string> {
  return Object.fromEntries(
    rows.flatMap(([from, percent], row) => [
      [`volume_discounts.${row}.min_qty`, from],
      [`volume_discounts.${row}.discount_pct`, percent],
    ]),
  )
}

/** The price that the simulator shows. */
export function quoted(html: string): string | undefined {
  return /<strong class="price">([^<]*)</.exec(html)?.[1]
}
