/**
 * The agent's page with agents that answer: the test that a press of a button sends, what it shows of both sides, and how
 * past requests are told. Agents are real servers over TLS on loopback.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { findPerson } from '../../src/accounts/people.service.ts'
import { newId } from '../../src/lib/ids.ts'
import { summarizeAttempts } from '../../src/rfq/integration-report.service.ts'
import { testOwnAgent } from '../../src/rfq/test-rfq.service.ts'
import { createBrowser } from '../accounts.ts'
import { addMember, createOrg, relate, type TestOrg } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { formsOf, PAGE, read, UCP } from './dashboard.agent.world.ts'
import { answerWith, createRfqWorld, PRODUCT, type Respond } from './rfq.world.ts'

const TEST = `${PAGE}/test`
const TOKEN = 'a-bearer-token-of-the-producer'
const GOOD: Respond = (...args) => answerWith(() => world.clock.now())(...args)
let respond: Respond = GOOD
const world = await createRfqWorld({
  shop: { respond: (...args) => respond(...args), auth: { type: 'bearer', secret: TOKEN } },
})
const { pool } = world.database
const second = await addProduct(world, { category: 'desk-lamps', slug: 'lume-two', title: 'Lume Two' })

function shop() {
  const found = world.producers.shop
  if (!found) throw new Error('there is no shop')
  return found
}
const { org } = shop()
await relate(world, org, second)

function browserOf({ cookie }: { cookie: string }) {
  const browser = createBrowser(world)
  browser.setCookie(cookie)
  return browser
}
const owner = browserOf(org.session)
const asking = (fields: Record<string, string> = {}, of: TestOrg = org) => ({ org_id: of.id, ...fields })
const errorOf = (html: string, field: string) =>
  new RegExp(`id="field-${field}-error">([^<]*)<`).exec(html)?.[1]

beforeEach(async () => {
  respond = GOOD
  shop().received.length = 0
  await pool.query(`delete from audit_log where action = 'integration.tested'`)
})

describe('a test', () => {
  test('shows what was sent and what came back, and no secret of either', async () => {
    respond = (_received, response) =>
      void response.writeHead(200).end(JSON.stringify({ price_usd: 'cheap', echo: TOKEN }))
    const form = asking({ product_slug: PRODUCT, quantity: '7', delivery_region: 'ny-us' })
    const { status, html } = await read(owner.post(TEST, form))
    expect(status).toBe(200)
    expect(shop().received).toHaveLength(1)
    const [{ body = '', headers } = {}] = shop().received
    expect(headers?.authorization).toBe(`Bearer ${TOKEN}`)
    expect(JSON.parse(body).params.message.metadata).toMatchObject({
      product_slug: PRODUCT,
      quantity: 7,
      delivery_region: 'NY-US',
    })
    const shown = html.replaceAll('&quot;', '"')
    expect(shown).toContain(JSON.stringify(JSON.parse(body), null, 2))
    expect(shown).toContain('POST https://shop.example/message:send')
    expect(shown).toMatch(/Authorization<\/dt><dd>Bearer ••••/)
    expect(shown).toContain('"echo": "[hidden]"')
    expect(shown).toContain('Invalid answer')
    expect(shown).toContain('How to fix it:')
    expect(html).not.toContain(TOKEN)
  })

  test('is waited for with the page already there, and one try is all that is sent', async () => {
    const held = Promise.withResolvers<void>()
    respond = async (received, response, count) => {
      await held.promise
      GOOD(received, response, count)
    }
    const answer = await owner.post(TEST, asking())
    const reader = answer.body?.getReader()
    const first = new TextDecoder().decode((await reader?.read())?.value)
    expect(answer.status).toBe(200)
    expect(first).toContain('Waiting for your agent.')
    expect(first).not.toContain('Result')
    held.resolve()
    let rest = ''
    for (let part = await reader?.read(); part?.value; part = await reader?.read())
      rest += new TextDecoder().decode(part.value)
    expect(rest).toContain('Quoted')
    expect(rest).toContain('price_usd')
    expect(rest.trimEnd().endsWith('</html>')).toBe(true)
    expect(shop().received).toHaveLength(1)
  })

  test('without a product asks for the newest, and keeps what was asked for another try', async () => {
    const { html } = await read(owner.post(TEST, asking({ quantity: '3', delivery_region: '' })))
    const sent = JSON.parse(shop().received[0]?.body ?? '').params.message.metadata
    expect(sent).toMatchObject({ product_slug: 'desk-lamps/lume-two', quantity: 3, delivery_region: '' })
    const again = formsOf(html).find(({ action }) => action === TEST)
    expect(again?.fields).toMatchObject({ quantity: '3', delivery_region: '', org_id: org.id })
  })

  test.each<[string, Record<string, string>, string, number]>([
    ['no whole number', { quantity: '1.5' }, 'quantity', 400],
    ['no number', { quantity: 'many' }, 'quantity', 400],
    ['too many', { quantity: '100001' }, 'quantity', 400],
    ['no region', { delivery_region: 'Atlantis' }, 'delivery_region', 400],
    ['a product of nobody', { product_slug: 'desk-lamps/nothing' }, 'product_slug', 404],
  ])('%s is refused beside its field, and nothing is sent', async (_what, fields, field, expected) => {
    const { status, html } = await read(owner.post(TEST, asking(fields)))
    expect(status).toBe(expected)
    expect(errorOf(html, field)).toBeTruthy()
    const kept = formsOf(html).find(({ action }) => action === TEST)?.fields
    expect(kept?.[field]).toBe(fields[field])
    expect(shop().received).toEqual([])
  })

  test('of another organization’s product is refused as if there were none', async () => {
    await addProduct(world, { category: 'desk-lamps', slug: 'theirs', title: 'Theirs' })
    const { status } = await read(owner.post(TEST, asking({ product_slug: 'desk-lamps/theirs' })))
    expect(status).toBe(404)
  })

  test('the eleventh in an hour is refused in words, and not sent', async () => {
    for (let n = 0; n < 10; n++) await read(owner.post(TEST, asking()))
    const { status, html, headers } = await read(owner.post(TEST, asking()))
    expect(status).toBe(429)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(html).toContain('You can run 10 tests an hour; try again in 60 minutes.')
    expect(shop().received).toHaveLength(10)
  })

  test('is for owners and admins', async () => {
    for (const role of ['viewer', 'editor'] as const) {
      const member = browserOf(await addMember(world, org, role))
      expect((await read(member.get(PAGE))).html).not.toContain(TEST)
      expect((await read(member.post(TEST, asking()))).status).toBe(403)
    }
    expect(shop().received).toEqual([])
    const admin = browserOf(await addMember(world, org, 'admin'))
    expect((await read(admin.post(TEST, asking()))).html).toContain('Quoted')
  })

  test('by managed pricing sends nothing and leads to the simulator; with nothing to test it says what to do', async () => {
    const managed = await createOrg(world, { name: 'Managed' })
    const browser = browserOf(managed.session)
    const none = await read(browser.post(TEST, asking({}, managed)))
    expect(none.html).toContain('Nothing to test yet')
    expect(none.html).not.toContain('set_agent_integration')
    await browser.post(`${PAGE}/answering`, asking({ is_managed: 'true', agent_card: 'keep' }, managed))
    expect((await read(browser.post(TEST, asking({}, managed)))).html).toContain('Claim a product')
    await relate(world, managed, world.product)
    const { html } = await read(browser.post(TEST, asking({ quantity: '2' }, managed)))
    expect(html).toContain(`href="/dashboard/pricing/${PRODUCT}#simulator"`)
    expect(html).toContain('130')
    expect(shop().received).toEqual([])
  })

  test('from elsewhere, or for another organization, does nothing', async () => {
    const elsewhere = { origin: 'https://evil.example' }
    expect((await owner.post(TEST, asking(), elsewhere)).status).toBe(403)
    const other = await createOrg(world, { name: 'Other' })
    expect((await owner.post(TEST, asking({}, other))).status).toBe(409)
    expect(shop().received).toEqual([])
  })

  test('with only what is asked leaves the rest as it is, and gives the bytes back', async () => {
    const user = await findPerson(world.accounts, org.ownerId)
    if (!user) throw new Error('the owner has an account')
    const caller = { kind: 'session' as const, user, sessionId: newId(), selectedOrgId: org.id }
    const act = { caller, visit: { ip: '192.0.2.7', userAgent: null, requestId: null } }
    const tested = await testOwnAgent(world.rfq, act, AbortSignal.timeout(10_000), { quantity: 4 })
    expect(tested.requestBody).toBe(shop().received[0]?.body)
    expect(JSON.parse(tested.requestBody ?? '').params.message.metadata).toMatchObject({
      quantity: 4,
      delivery_region: 'CA-US',
    })
  })
})

describe('health', () => {
  test('tells the share answered, the usual time and each attempt, with what was wrong', async () => {
    expect((await read(owner.get(PAGE))).html).toContain('No requests yet.')
    await world.ask()
    respond = (_received, response) => void response.writeHead(404).end('nothing here')
    for (let n = 0; n < 3; n++) await world.ask({ quantity: n + 2 })
    const failures = async () =>
      (await pool.query('select failures_in_a_row as n from agent_integrations where org_id = $1', [org.id]))
        .rows[0]?.n
    await expect.poll(failures, { timeout: 10_000 }).toBe(3)
    const { html } = await read(owner.get(PAGE))
    expect(html).toMatch(/<span class="figure">25%<\/span><span class="row-note">1 of 4 requests/)
    expect(html.match(/class="strip-bad"/g)).toHaveLength(3)
    expect(html.match(/class="strip-good"/g)).toHaveLength(1)
    expect(html.match(/href="\/dashboard\/rfqs\/[0-9a-f-]+"/g)).toHaveLength(4)
    expect(html).toContain('404: serve POST /message:send')
    expect(html).not.toMatch(/run_test|set_agent_integration/)
  })

  test('counts neither what was withdrawn nor what was tried again', () => {
    const attempt = (
      verdict: 'quoted' | 'timeout' | 'retry' | 'skipped' | 'canceled',
      ms: number | null,
    ) => ({
      verdict,
      ms,
    })
    expect(
      summarizeAttempts([
        attempt('quoted', 100),
        attempt('quoted', 301),
        attempt('timeout', 9_000),
        attempt('retry', 5),
        attempt('skipped', null),
        attempt('canceled', 7),
      ]),
    ).toEqual({ asked: 3, answered: 2, medianMs: 201 })
    expect(summarizeAttempts([])).toEqual({ asked: 0, answered: 0, medianMs: null })
  })
})

describe('the UCP check', () => {
  test('keeps what it found, for the whole organization to see', async () => {
    const answer = await owner.post(UCP, asking())
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${PAGE}?done=ucp#ucp`])
    const viewer = browserOf(await addMember(world, org, 'viewer'))
    const { html } = await read(viewer.get(PAGE))
    expect(html).toContain('No profile found')
    expect(html).toContain('https://shop.example/.well-known/ucp')
    expect(html).not.toContain(UCP)
    expect((await viewer.post(UCP, asking())).status).toBe(403)
  })
})
