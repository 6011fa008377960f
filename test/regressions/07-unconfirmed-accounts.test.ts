/**
 * Anybody can make any number of accounts with addresses that are not theirs. So until an address is confirmed, its
 * account asks sellers no more often than a stranger of the same network, through whichever face it asks.
 */
import { describe, expect, test } from 'vitest'
import { createSession } from '../../src/accounts/sessions.service.ts'
import { createBrowser } from '../accounts.ts'
import { carryOutRequests } from '../e2e/rfq.world.ts'
import { testConfig } from '../harness.ts'
import { addProduct } from '../products.ts'
import { createToolsWorld, type ToolPerson } from '../tools.world.ts'

const HOUR_MS = 3_600_000
/** What strangers of one network have (docs/limits.md). */
const STRANGERS_HOUR = 60
const PRODUCT = 'desk-lamps/lamp'

async function createWorld(limits: string) {
  const config = testConfig({ SOUK_LIMITS: limits, SOUK_TRUST_PROXY: '1' })
  const world = await createToolsWorld({ config })
  // The tool waits for the end of its request.
  carryOutRequests(world)
  await addProduct(world, { slug: 'lamp', category: 'desk-lamps', title: 'Lamp', brand: 'Glow' })
  await world.searchRuntime.fill()
  let asked = 0

  /** By the button on the page; null for a stranger. */
  async function byPage(who: ToolPerson | null, ip: string): Promise<number> {
    const browser = createBrowser(world)
    if (who !== null) {
      const visit = { ip, userAgent: null, requestId: null }
      const { token } = await createSession(world.accounts, { userId: who.userId, visit, replaces: null })
      browser.setCookie(`souk_session=${token}`)
    }
    const fields = { product_slug: PRODUCT, quantity: String(++asked) }
    return (await browser.post('/quotes', fields, { 'x-forwarded-for': ip })).status
  }

  /** By the tool: whether sellers were asked. */
  async function byTool({ token }: ToolPerson, ip: string): Promise<boolean> {
    const before = await countRequests()
    const call = {
      name: 'find_retailers',
      arguments: { query: 'lamp', product_slug: PRODUCT, quantity: ++asked },
    }
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }
    const answer = await world.rpc(token, message, { 'x-forwarded-for': ip })
    await answer.text()
    return (await countRequests()) === before + 1
  }

  /** By a message of A2A; null for a stranger. */
  async function byA2a(who: ToolPerson | null, ip: string, text = 'hello'): Promise<number> {
    const answer = await world.app.request('http://souk.test/a2a/', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': ip,
        ...(who && { authorization: `Bearer ${who.token}` }),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'message/send',
        params: {
          message: {
            kind: 'message',
            messageId: `m-${++asked}`,
            role: 'user',
            parts: [{ kind: 'text', text }],
          },
        },
      }),
    })
    const { error } = (await answer.json()) as { error?: { code: number } }
    return error?.code ?? 0
  }

  const countRequests = async () => (await world.database.db.selectFrom('rfqs').select('id').execute()).length

  return {
    ...world,
    byPage,
    byTool,
    byA2a,
    countRequests,
    unconfirmed: () => world.person({ verified: false }),
    confirmed: () => world.person({ verified: true }),
  }
}

describe('an account whose address is not confirmed', () => {
  test('asks sellers by page and tool within what its network has, however many accounts there are', async () => {
    const world = await createWorld('rfq=3/hour')
    const [one, two, three] = [
      await world.unconfirmed(),
      await world.unconfirmed(),
      await world.unconfirmed(),
    ]
    expect(await world.byPage(null, '192.0.2.1')).toBe(303)
    expect(await world.byPage(one, '192.0.2.1')).toBe(303)
    expect(await world.byTool(two, '192.0.2.1')).toBe(true)
    expect(await world.byPage(three, '192.0.2.1')).toBe(429)
    expect(await world.byPage(one, '192.0.2.1')).toBe(429)
    expect(await world.byTool(three, '192.0.2.1')).toBe(false)
    expect(await world.byPage(null, '192.0.2.1')).toBe(429)
    expect(await world.countRequests()).toBe(3)
  })

  test('is counted with the network that it comes from, and a network is a /64', async () => {
    const world = await createWorld('rfq=1/hour')
    const one = await world.unconfirmed()
    expect(await world.byPage(one, '2001:db8::1')).toBe(303)
    expect(await world.byPage(await world.unconfirmed(), '2001:db8::2')).toBe(429)
    expect(await world.byPage(one, '2001:db8:0:1::1')).toBe(303)
  })

  test('has its own count again once the address is confirmed, and takes nothing from accounts that are', async () => {
    const world = await createWorld('rfq=1/hour')
    const [one, other] = [await world.unconfirmed(), await world.confirmed()]
    expect(await world.byPage(one, '192.0.2.1')).toBe(303)
    expect(await world.byPage(one, '192.0.2.1')).toBe(429)
    expect(await world.byPage(other, '192.0.2.1')).toBe(303)
    expect(await world.byTool(other, '192.0.2.1')).toBe(false)
    await world.database.db
      .updateTable('users')
      .set({ email_verified_at: world.clock.now() })
      .where('id', '=', one.userId)
      .execute()
    expect(await world.byPage(one, '192.0.2.1')).toBe(303)
  })

  test('sends messages by A2A within the hour of strangers of its network', async () => {
    const world = await createWorld('rfq=off')
    const accounts = [await world.unconfirmed(), await world.unconfirmed(), await world.unconfirmed()]
    const codes: number[] = []
    for (let count = 0; count < STRANGERS_HOUR; count++)
      codes.push(await world.byA2a(accounts[count % 4] ?? null, '192.0.2.1'))
    expect(codes.filter((code) => code === -32029)).toEqual([])
    for (const who of [...accounts, null]) expect(await world.byA2a(who, '192.0.2.1')).toBe(-32029)
    expect(await world.byA2a(await world.confirmed(), '192.0.2.1')).not.toBe(-32029)
    world.clock.advance(HOUR_MS)
    expect(await world.byA2a(accounts[0] ?? null, '192.0.2.1')).not.toBe(-32029)
  })

  test('asks no seller by page or tool when its network’s hour is used up, whatever the operator’s limit', async () => {
    const world = await createWorld('rfq=off')
    const one = await world.unconfirmed()
    for (let count = 0; count < STRANGERS_HOUR; count++) await world.byA2a(null, '192.0.2.1')
    expect(await world.byTool(one, '192.0.2.1')).toBe(false)
    expect(await world.byPage(one, '192.0.2.1')).toBe(429)
    expect(await world.countRequests()).toBe(0)
    expect(await world.byTool(await world.confirmed(), '192.0.2.1')).toBe(true)
    expect(await world.byTool(one, '192.0.2.2')).toBe(true)
  })

  test('and asks by tool and page together no more than that', async () => {
    const world = await createWorld('rfq=off')
    const accounts = [await world.unconfirmed(), await world.unconfirmed()]
    for (let count = 0; count < STRANGERS_HOUR - 1; count++) await world.byA2a(null, '192.0.2.1')
    expect(await world.byTool(accounts[0] as ToolPerson, '192.0.2.1')).toBe(true)
    expect(await world.byTool(accounts[1] as ToolPerson, '192.0.2.1')).toBe(false)
    expect(await world.byPage(accounts[1] as ToolPerson, '192.0.2.1')).toBe(429)
  })
})
