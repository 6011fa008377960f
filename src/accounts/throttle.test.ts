import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createBrowser, createMailbox, PASSWORD, signIn } from '../../test/accounts.ts'
import { createTestApp, testConfig } from '../../test/harness.ts'
import { network } from '../lib/outbound.addresses.ts'
import { countTry } from './throttle.service.ts'

type Souk = Awaited<ReturnType<typeof createTestApp>>
let souk: Souk
/** Another node on the same database. */
let node: Souk
const SECOND = 1_000
const HOUR = 3_600 * SECOND

beforeAll(async () => {
  souk = await createTestApp()
  node = await createTestApp({ database: souk.database })
})
beforeEach(async () => {
  await souk.database.pool.query('delete from throttles')
  node.clock.set(souk.clock.now())
})

const tryOn = (where: Souk, email: string, password = 'a wrong guess', ip = '192.0.2.1') =>
  createBrowser(where, { ip }).post('/auth/signin', { email, password })
const pass = (ms: number) => {
  souk.clock.advance(ms)
  node.clock.advance(ms)
}

describe('guessing one account', () => {
  test('is stopped after ten tries over all nodes, for twice as long each time', async () => {
    const { email } = await signIn(souk)
    for (let count = 0; count < 10; count++)
      expect((await tryOn(count % 2 ? souk : node, email, undefined, `192.0.2.${count}`)).status).toBe(401)
    const waits: string[] = []
    for (let round = 0; round < 4; round++) {
      const blocked = await tryOn(round % 2 ? souk : node, email)
      expect(blocked.status).toBe(429)
      const wait = blocked.headers.get('retry-after') ?? ''
      waits.push(wait)
      pass(Number(wait) * SECOND)
      expect((await tryOn(souk, email)).status).toBe(401)
    }
    expect(waits).toEqual(['15', '30', '60', '120'])
  })

  test('is stopped for the right password too, until the block ends; then it clears the count', async () => {
    const { email } = await signIn(souk)
    for (let count = 0; count < 10; count++) await tryOn(souk, email)
    expect((await tryOn(souk, email, PASSWORD)).status).toBe(429)
    pass(15 * SECOND)
    expect((await tryOn(souk, email, PASSWORD)).status).toBe(303)
    for (let count = 0; count < 10; count++) expect((await tryOn(souk, email)).status).toBe(401)
  })

  test('says the same for an address without an account', async () => {
    const { email } = await signIn(souk)
    const answers = async (address: string) => {
      const seen: Array<[number, string | null]> = []
      for (let count = 0; count < 12; count++) {
        const { status, headers } = await tryOn(souk, address)
        seen.push([status, headers.get('retry-after')])
      }
      return seen
    }
    expect(await answers('nobody@example.com')).toEqual(await answers(email))
  })

  test('gets no more tries by making them all at once', async () => {
    const { email } = await signIn(souk)
    const tries = Array.from({ length: 30 }, (_, index) => tryOn(index % 2 ? souk : node, email))
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(20)
  })

  test('does not lock the owner out: a link by mail still signs in, and a new password lifts the block', async () => {
    const { email } = await signIn(souk)
    for (let count = 0; count < 11; count++) await tryOn(souk, email)
    await createBrowser(souk).post('/auth/reset', { email })
    const token = new URL(await createMailbox(souk).link(email), 'http://x').searchParams.get('token') ?? ''
    const password = 'marble otter 19 lantern'
    expect((await createBrowser(souk).post('/auth/reset', { token, password })).status).toBe(303)
    expect((await tryOn(souk, email, password)).status).toBe(303)
  })

  test('a node whose clock is behind takes nobody for blocked', async () => {
    node.clock.advance(-5 * SECOND)
    const { email } = await signIn(souk)
    expect((await tryOn(souk, email)).status).toBe(401)
    for (let count = 0; count < 9; count++) expect((await tryOn(node, email)).status).toBe(401)
    expect((await tryOn(node, email)).status).toBe(429)
  })

  test('is forgotten by and by: one try an hour', async () => {
    const { email } = await signIn(souk)
    for (let count = 0; count < 9; count++) await tryOn(souk, email)
    pass(3 * HOUR)
    for (let count = 0; count < 4; count++) expect((await tryOn(souk, email)).status).toBe(401)
    expect((await tryOn(souk, email)).status).toBe(429)
  })
})

/** Wrong guesses from one address, counted as the sign-in page counts them, without the cost of hashing each. */
async function guessMany(many: number, ip: string) {
  for (let count = 0; count < many; count++)
    await countTry(souk.accounts, { scope: 'signin', emailKey: `guess-${count}@example.com`, visit: { ip } })
}

describe('guessing many accounts from one address', () => {
  test('is stopped after sixty tries; other addresses are not', async () => {
    const guess = (count: number, ip: string) => tryOn(souk, `guess-${count}@example.com`, undefined, ip)
    await guessMany(59, '192.0.2.9')
    expect((await guess(59, '192.0.2.9')).status).toBe(401)
    expect((await guess(60, '192.0.2.9')).status).toBe(429)
    expect((await guess(61, '192.0.2.10')).status).toBe(401)
  })

  test('an own account in between does not buy more tries', async () => {
    const { email } = await signIn(souk)
    const ip = '192.0.2.77'
    await guessMany(58, ip)
    const own = async () => (await tryOn(souk, email, PASSWORD, ip)).status
    const other = async () => (await tryOn(souk, 'somebody@example.com', undefined, ip)).status
    expect([await own(), await other(), await own(), await other()]).toEqual([303, 401, 303, 401])
    expect([await own(), await other()]).toEqual([429, 429])
  })

  test('X-Forwarded-For counts only behind a trusted proxy, and then only what the proxy wrote', async () => {
    const proxied = await createTestApp({
      database: souk.database,
      config: testConfig({ SOUK_TRUST_PROXY: '1' }),
    })
    const guess = (where: Souk, count: number, forwarded: string) =>
      createBrowser(where).post(
        '/auth/signin',
        { email: `fwd-${count}@example.com`, password: 'x' },
        { 'x-forwarded-for': forwarded },
      )
    await guessMany(59, '203.0.113.5')
    expect((await guess(proxied, 59, '10.0.0.1, 203.0.113.5')).status).toBe(401)
    expect((await guess(proxied, 60, '10.9.9.9, 203.0.113.5')).status).toBe(429)
    expect((await guess(proxied, 61, '203.0.113.5, 203.0.113.6')).status).toBe(401)
    await guessMany(59, '192.0.2.1')
    expect((await guess(souk, 63, '10.0.0.1')).status).toBe(401)
    expect((await guess(souk, 62, '10.1.1.1')).status).toBe(429)
  })

  test('an IPv6 network counts as one address', () => {
    expect(network('2001:db8:1:2:3:4:5:6')).toBe(network('2001:0db8:1:2::9'))
    expect(network('2001:db8::1')).toBe('2001:db8:0:0')
    expect(network('2001:db8:1:2::1')).not.toBe(network('2001:db8:1:3::1'))
    expect(network('192.0.2.1')).toBe('192.0.2.1')
  })
})

describe('choosing a password at sign-up', () => {
  test('is judged thirty times for one address, then has to wait', async () => {
    const choose = () =>
      createBrowser(souk).post('/auth/signup', { email: 'chooser@example.com', password: 'password1234' })
    for (let count = 0; count < 30; count++) expect((await choose()).status).toBe(400)
    expect((await choose()).status).toBe(429)
  })
})

describe('mails', () => {
  test('to one address are limited whatever they are, and a refusal is an envelope for callers of JSON', async () => {
    const ask = (path: string) =>
      createBrowser(souk).post(path, { email: 'flooded@example.com' }, { accept: 'application/json' })
    for (let count = 0; count < 10; count++)
      expect((await ask(count % 2 ? '/auth/magic' : '/auth/reset')).status).toBe(303)
    const refused = await ask('/auth/magic')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    expect(await refused.json()).toMatchObject({ code: 'rate_limited' })
    const sent = await createMailbox(souk).mails('flooded@example.com')
    expect(sent).toHaveLength(10)
  })

  test('however long an address was flooded, its owner gets a link within five minutes', async () => {
    const email = 'besieged@example.com'
    const ask = (ip: string) => createBrowser(souk, { ip }).post('/auth/magic', { email })
    for (let count = 0; count < 40; count++) {
      const { headers } = await ask(`198.51.100.${count}`)
      pass(Number(headers.get('retry-after') ?? 0) * SECOND)
    }
    await ask('198.51.100.99')
    const owner = await ask('192.0.2.1')
    const wait = Number(owner.headers.get('retry-after'))
    expect([owner.status, wait <= 300]).toEqual([429, true])
    pass(wait * SECOND)
    const browser = createBrowser(souk)
    expect((await browser.post('/auth/magic', { email })).status).toBe(303)
    expect((await browser.get(await createMailbox(souk).link(email))).status).toBe(303)
  })

  test('no address is in the table of tries', async () => {
    await tryOn(souk, 'private@example.com', undefined, '192.0.2.123')
    const { rows } = await souk.database.pool.query('select key from throttles')
    expect(rows).toHaveLength(2)
    for (const { key } of rows) expect(key).toMatch(/^[0-9a-f]{64}$/)
  })
})
