/**
 * The reserve price and the margin are for the quote's arithmetic and for nothing else. Figures that nothing else could
 * hold are set, used and refused; then they are looked for in whatever comes out or is kept: every GET that the app has,
 * by everybody who may ask, simulations, quotes and their signatures, the log at its finest, every table.
 */
import { expect, test } from 'vitest'
import { addMember, type Credential, call, createOrg, type TestOrg } from '../orgs.ts'
import { createManagedWorld, PRICING, type Product, SIMULATE } from './rfq.managed.world.ts'

const INTEGRATION = '/api/org/agent-integration/'
const world = await createManagedWorld()
const { product, managed, send, quotesFor } = world

type Ids = { taskId: string; rfqId: string; quoteId: string; orgId: string; ownerId: string }

/** Whose id stands in a path; those of reviews are nobody's here. */
function idFor(path: string, { taskId, rfqId, quoteId, orgId, ownerId }: Ids): string {
  if (path.startsWith('/go/')) return quoteId
  if (path.startsWith('/admin/users/')) return ownerId
  if (/^\/(?:quotes|a2a\/tasks)\//.test(path)) return taskId
  return path.startsWith('/admin/organizations/') ? orgId : rfqId
}

/** Every GET of the app, with what is to stand for its parameters; one that is new here must be given a value. */
function everyGet(of: Product, ids: Ids): string[] {
  const [category = '', slug = ''] = of.slug.split('/')
  const values: Record<string, string[]> = {
    category: [category],
    slug: [slug, `${slug}.json`, `${slug}.md`],
    file: ['any.svg', `${slug}.png`, `${category}.png`],
    part: ['1.xml'],
    name: ['any', 'rfq'],
    share: [ids.rfqId],
    taskId: [ids.taskId],
    org_id: [ids.orgId],
  }
  const paths = world.app.routes.filter(({ method }) => method === 'GET').map(({ path }) => path)
  return [...new Set(paths)].flatMap((path) => {
    let filled = [path]
    for (const [parameter, name = ''] of path.matchAll(/:(\w+)(?:\{[^}]*\})?/g)) {
      const given = name === 'id' ? [idFor(path, ids)] : values[name]
      if (!given) throw new Error(`say here what ${parameter} of ${path} is to be`)
      filled = filled.flatMap((text) => given.map((value) => text.replace(parameter, value)))
    }
    return filled
  })
}

/** All that anybody is told when they read everything; answers that went well are counted. */
async function readEverything(org: TestOrg, of: Product, asked: Pick<Ids, 'taskId' | 'rfqId' | 'quoteId'>) {
  const viewer = await addMember(world, org, 'viewer')
  const operator = await addMember(world, await createOrg(world), 'viewer')
  await world.database.pool.query('update users set is_admin = true where id = $1', [operator.userId])
  const readers: Credential[] = [org.session, org.bearer, viewer, operator, null]
  const told: string[] = []
  const fine = new Set<string>()
  for (const path of everyGet(of, { ...asked, orgId: org.id, ownerId: org.ownerId }))
    for (const by of readers) {
      const answer = await call(world, by, 'GET', `${path}?product_slug=${of.slug}`)
      if (answer.status === 200) fine.add(path)
      told.push(JSON.stringify([path, answer.body, [...answer.headers]]))
    }
  return { told: told.join('\n'), fine }
}

const promised = (signature: string) =>
  Buffer.from(signature.split('.')[1] ?? '', 'base64url').toString('utf8')

/** Without how long things took: those are figures too. */
const log = () => world.logged.text().replaceAll(/"\w*(?:ms|time)":[\d.]+/gi, '')

/** As answers have it, and as pages do. */
const asWritten = (value: number | string) => [
  String(value),
  Number(value).toLocaleString('en-US', { maximumFractionDigits: 3 }),
]

/** The figure by itself, not as a part of a longer one or of an id. */
const figure = (text: string) => new RegExp(`(?<![\\w.-])${text.replace('.', '\\.')}(?![\\w-])`, 'g')

async function submitted(of: Product, quantity: number) {
  const task = await quotesFor(of, { quantity })
  const [quote] = task.quotes
  if (!quote) throw new Error('nothing was quoted')
  const { rfqId: taskId, sessionId: rfqId } = task
  return { task, quote, ids: { taskId, rfqId, quoteId: quote.claim_url.slice(-36) } }
}

test('the floors are in no answer, page, record, export, log line or table; only in the sealed box', async () => {
  const [reserve, margin] = [7713.37, 11.93]
  const [orgReserve, orgMargin, deepReserve, deepMargin] = [7714.41, 12.87, 7715.53, 14.39]
  const [refusedReserve, refusedMargin, faultReserve] = [7716.591, 15.173, 7717.61]
  // What the two make together, which does not bind either: 7713.37 / (1 - 0.1193), and in cents.
  const derived = ['8758.23', '875823', '771337']
  const shelf = await product({ list_price: 9_999 })
  const org = await managed(shelf, { lead_time_days: 83 })
  const answers: string[] = []
  const say = async (by: Credential, method: string, path: string, body: unknown) => {
    const answer = await call(world, by, method, path, body)
    answers.push(JSON.stringify([answer.body, [...answer.headers]]))
    return answer.status
  }
  const rules = { product_slug: shelf.slug, reserve_price_usd: reserve, min_margin_pct: margin }
  expect(await say(org.session, 'PATCH', PRICING, rules)).toBe(200)
  const tiers = [{ min_qty: 2, discount_pct: 10, reserve_price_usd: deepReserve }]
  const managed_rules = {
    volume_discounts: tiers,
    reserve_price_usd: orgReserve,
    min_margin_pct: orgMargin,
    [shelf.slug]: { deep: [{ min_margin_pct: deepMargin }] },
  }
  expect(await say(org.bearer, 'PATCH', INTEGRATION, { is_managed: true, managed_rules })).toBe(200)

  // Refused ones too: bad figures, wrong people, broken JSON, a product of nobody's, a fault of the database.
  const viewer = await addMember(world, org, 'viewer')
  const bad = { ...rules, reserve_price_usd: refusedReserve }
  expect(await say(org.session, 'PATCH', PRICING, bad)).toBe(400)
  expect(await say(org.session, 'PATCH', PRICING, { ...rules, min_margin_pct: refusedMargin })).toBe(400)
  expect(await say(org.session, 'PATCH', PRICING, `{"reserve_price_usd":${refusedReserve},`)).toBe(400)
  expect(await say(viewer, 'PATCH', PRICING, rules)).toBe(403)
  expect(await say(org.session, 'PATCH', PRICING, { ...rules, product_slug: 'nobodys' })).toBe(404)
  const { pool } = world.database
  await pool.query('alter table product_pricing add constraint broken check (org_id is null) not valid')
  expect(await say(org.session, 'PATCH', PRICING, { ...rules, reserve_price_usd: faultReserve })).toBe(500)
  await pool.query('alter table product_pricing drop constraint broken')

  for (const quantity of [1, 2])
    for (const by of [org.session, org.bearer, viewer])
      expect(await say(by, 'POST', SIMULATE, { product_slug: shelf.slug, quantity })).toBe(200)
  const { task, quote, ids } = await submitted(shelf, 2)
  expect(quote).toMatchObject({ price_usd: 8999.1, total_usd: 17998.2 })
  const { told, fine } = await readEverything(org, shelf, ids)
  for (const path of [
    ...['/account/export', '/api/org/audit', `/api/org/rfqs/${ids.rfqId}`, '/api/org/pricing'],
    ...['/dashboard/pricing', `/dashboard/pricing/${shelf.slug}`, `/dashboard/rfqs/${ids.rfqId}`],
    ...['/dashboard/agent', '/dashboard/history.csv', '/admin', `/admin/organizations/${org.id}`],
  ])
    expect([...fine]).toContain(path)

  const places = {
    answers: answers.join('\n'),
    reads: told,
    quote: JSON.stringify(task) + promised(quote.signature),
    log: log(),
    tables: await world.dump(),
  }
  // The search finds what is there to be found.
  for (const place of ['answers', 'reads', 'quote', 'tables'] as const)
    expect(places[place]).toContain('Delivery within 83 business days.')
  expect(figure('8999.1').test(places.quote)).toBe(true)
  expect(places.log).toContain('request failed')
  const hidden = [reserve, margin, orgReserve, orgMargin, deepReserve, deepMargin, refusedReserve]
  for (const figures of [...hidden, refusedMargin, faultReserve, ...derived].flatMap(asWritten))
    for (const [place, text] of Object.entries(places))
      expect({ figures, place, found: text.match(figure(figures)) }).toEqual({
        figures,
        place,
        found: null,
      })
  expect(places.tables + places.log).not.toMatch(/reserve_price|min_margin/)

  const { rows } = await pool.query<{ floors_box: string }>(
    'select floors_box from product_pricing where org_id = $1',
    [org.id],
  )
  expect(JSON.parse(world.rfq.pricingSecrets.open(rows[0]?.floors_box ?? ''))).toEqual({
    reserve_price_usd: reserve,
    min_margin_pct: margin,
  })
})

test('a reserve price that decides the quote is nowhere: what is seen is the step above it', async () => {
  const shelf = await product({ list_price: 5_000 })
  const org = await managed(shelf, { reserve_price_usd: 4321.98 })
  const simulated = await send(org, 'POST', SIMULATE, { product_slug: shelf.slug, quantity: 100 })
  const { task, quote, ids } = await submitted(shelf, 100)
  expect([quote.price_usd, quote.total_usd]).toEqual([4_350, 435_000])
  const { told } = await readEverything(org, shelf, ids)
  const places = {
    simulated: JSON.stringify(simulated),
    quote: JSON.stringify(task) + promised(quote.signature),
    reads: told,
    tables: await world.dump(),
    log: log(),
  }
  for (const place of ['simulated', 'quote', 'reads', 'tables'] as const)
    expect(figure('4350').test(places[place]), place).toBe(true)
  for (const figures of asWritten('4321.98').concat('432198'))
    for (const [place, text] of Object.entries(places))
      expect({ place, found: text.match(figure(figures)) }).toEqual({ place, found: null })
})
