/** What becomes of every kind of answer: one request goes to a whole street of producers, good ones and bad ones. */
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import type { RfqTask } from '../../src/rfq/rfq.service.ts'
import { answerWith, createRfqWorld, PRODUCT, type Respond } from './rfq.world.ts'

const DEADLINE_MS = 2_500
/** Once the answers that never come have been waited for, nobody waits for them again. */
let isHurried = false
let world: Awaited<ReturnType<typeof createRfqWorld>>
let task: RfqTask
let verdicts: Awaited<ReturnType<(typeof world)['verdicts']>>

const now = () => world.clock.now()
const good = (change: Record<string, unknown> = {}, hours?: number): Respond => {
  return (received, response, count) => answerWith(now, change, hours)(received, response, count)
}
const status =
  (code: number, headers: Record<string, string> = {}): Respond =>
  (_received, response) =>
    void response.writeHead(code, headers).end('no')

function unlessHurried(respond: Respond): Respond {
  return (...args) => (isHurried ? status(500) : respond)(...args)
}

const PLANS: Record<string, { respond: Respond; certificateName?: string }> = {
  cheap: { respond: good({ price_usd: 90 }) },
  usual: { respond: good() },
  silent: { respond: good({ price_usd: 10, shipping_cost_usd: undefined }) },
  soldout: { respond: good({ price_usd: 1, in_stock: false }) },
  declines: {
    respond: good({ price_usd: 0, in_stock: false, claim_url: '', offer_expires_at: '' }),
  },
  longoffer: { respond: good({}, 25) },
  plainhttp: { respond: good({ claim_url: 'http://shop.example/claim' }) },
  wrongtype: { respond: good({ price_usd: '100' }) },
  broken: { respond: status(500) },
  hiccup: {
    respond: (received, response, count) =>
      count === 1 ? status(503)(received, response, count) : good()(received, response, count),
  },
  hangs: { respond: unlessHurried(() => {}) },
  drips: {
    respond: unlessHurried(async (_received, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' })
      response.write('{"price_usd": 1')
      for (let n = 0; n < 100 && !response.destroyed; n++) {
        await sleep(100)
        response.write(' ')
      }
      response.end('}')
    }),
  },
  huge: { respond: (_received, response) => void response.writeHead(200).end('x'.repeat(70_000)) },
  redirects: { respond: status(307, { Location: 'https://127.0.0.1:1/message:send' }) },
  hangsup: { respond: (_received, response) => void response.destroy() },
  imposter: { respond: good({ price_usd: 1 }), certificateName: 'someone-else.example' },
  late: {
    respond: unlessHurried(async (received, response, count) => {
      await sleep(DEADLINE_MS + 1_000)
      if (!response.destroyed) good({ price_usd: 1 })(received, response, count)
    }),
  },
  notjson: { respond: (_received, response) => void response.writeHead(200).end('<html>') },
}

beforeAll(async () => {
  world = await createRfqWorld(PLANS, { deadlineMs: DEADLINE_MS })
  task = await world.ask({ quantity: 2 })
  verdicts = await world.verdicts(task.rfqId)
})

describe('a request to every producer of a product', () => {
  test('good answers are ranked: by total with shipping, unstated shipping after stated, out of stock last', () => {
    expect(task.state).toBe('completed')
    expect(task.quotes.map(({ org }) => org.name)).toEqual([
      'cheap',
      ...task.quotes.slice(1, 3).map(({ org }) => org.name),
      'silent',
      'soldout',
    ])
    expect(new Set(task.quotes.slice(1, 3).map(({ org }) => org.name))).toEqual(new Set(['usual', 'hiccup']))
    expect(task.quotes.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5])
    expect(task.quotes[0]).toMatchObject({ price_usd: 90, total_usd: 185, in_stock: true })
    for (const quote of task.quotes) expect(quote.rank_reasons.length).toBeGreaterThan(0)
  })

  test.each([
    ['cheap', 'quoted', /quote/],
    ['soldout', 'out_of_stock', /out-of-stock quote/],
    ['declines', 'declined', /Declined this request/],
    ['longoffer', 'invalid', /24 hours/],
    ['plainhttp', 'invalid', /https/],
    ['wrongtype', 'invalid', /price_usd/],
    ['broken', 'bad_status', /500/],
    ['hiccup', 'quoted', /quote/],
    ['hangs', 'timeout', /within/],
    ['drips', 'timeout', /within/],
    ['huge', 'too_large', /./],
    ['redirects', 'redirect', /redirect/],
    ['hangsup', 'unreachable', /closed|connection/i],
    ['imposter', 'unreachable', /certificate|TLS/i],
    ['late', 'timeout', /within/],
    ['notjson', 'not_json', /JSON/],
  ])('the answer of "%s" ends as %s, with its reason', (name, verdict, reason) => {
    expect(verdicts[name]?.verdict).toBe(verdict)
    expect(verdicts[name]?.reason).toMatch(reason)
  })

  test('a connection error and 503 are tried once more, everything else is asked once', () => {
    const asked = Object.fromEntries(
      Object.entries(world.producers).map(([name, { received }]) => [name, received.length]),
    )
    expect(asked).toMatchObject({ hiccup: 2, hangsup: 2, cheap: 1, broken: 1, redirects: 1, imposter: 0 })
    const ids = world.producers.hiccup?.received.map(
      ({ body }) => JSON.parse(body).params.message.metadata.rfq_id,
    )
    expect(new Set(ids)).toEqual(new Set([task.sessionId]))
  })

  test('the message is the one the interface shows', () => {
    const received = world.producers.cheap?.received[0]
    expect(JSON.parse(received?.body ?? '')).toMatchObject({
      jsonrpc: '2.0',
      method: 'message/send',
      id: task.sessionId,
      params: {
        message: {
          role: 'user',
          metadata: { skill: 'respond-to-rfq', rfq_id: task.sessionId, product_slug: PRODUCT, quantity: 2 },
        },
      },
    })
    expect(received?.headers.authorization).toBeUndefined()
  })

  /** Written a moment after the request is complete: no buyer waits for it. */
  async function health(): Promise<Record<string, [string, number]>> {
    const rows = await world.database.db
      .selectFrom('agent_integrations')
      .innerJoin('orgs', 'orgs.id', 'agent_integrations.org_id')
      .select(['orgs.name', 'status', 'failures_in_a_row'])
      .execute()
    return Object.fromEntries(rows.map((row) => [row.name, [row.status, row.failures_in_a_row]]))
  }

  test('failures count against a producer, a good answer makes it active, a decline is no failure', async () => {
    await expect.poll(health, { timeout: 5_000 }).toMatchObject({
      cheap: ['active', 0],
      hiccup: ['active', 0],
      declines: ['active', 0],
      broken: ['pending', 1],
      hangs: ['pending', 1],
      imposter: ['pending', 1],
    })
  })

  test('three failures in a row make a producer unreachable, and it is still asked', async () => {
    isHurried = true
    await world.ask()
    await world.ask()
    await expect.poll(health, { timeout: 5_000 }).toMatchObject({ broken: ['unreachable', 3] })
    expect(world.producers.broken?.received).toHaveLength(3)
  })
})
