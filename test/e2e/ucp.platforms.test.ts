/**
 * Platforms that name their profile: it is fetched from where they say, once, within bounds, and decides what is
 * answered. Where a refusal must come before any connection, what would have been dialled is written down.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { FETCHES_AN_HOUR } from '../../src/agents/ucp/platform-profiles.ts'
import { all } from '../../src/db/rows.ts'
import { createTestApp } from '../harness.ts'
import { addProduct } from '../products.ts'
import { rehearse } from '../rehearse.ts'
import { capability, platformProfile } from '../ucp/platform-profile.ts'
import { agent, createPlatform, PLATFORM, type UcpAnswer, ucp } from '../ucp/world.ts'

const platform = await createPlatform()
const { site, freshUrl } = platform
const souk = await createTestApp({ outbound: platform.outbound })
await addProduct(souk, { slug: 'spout', category: 'kettles', title: 'Spout', price: 60 })
await souk.searchRuntime.fill()

const lookup = (headers: Record<string, string>, app = souk): Promise<UcpAnswer> =>
  ucp(app, 'lookup', { ids: ['spout'] }, { headers })
const search = (headers: Record<string, string>) =>
  ucp(souk, 'search', { filters: { categories: ['kettles'] } }, { headers })

beforeEach(async () => {
  site.requests.length = 0
  platform.asked.length = 0
  delete site.limits.timeoutMs
  await souk.database.pool.query('delete from a2a_hours')
})

describe('a good profile', () => {
  test('is asked for once within five minutes, of public addresses only, and counted under the family of its host', async () => {
    const url = freshUrl()
    site.serving(platformProfile())
    for (let time = 0; time < 3; time++) expect((await lookup(agent(url))).body.products).toHaveLength(1)
    expect((await search(agent(`${url}#other`))).body.products).toHaveLength(1)
    expect(platform.asked).toEqual([
      {
        url,
        headers: { Accept: 'application/json' },
        timeoutMs: 5_000,
        maxBytes: 128 * 1024,
        publicOnly: true,
      },
    ])
    expect(site.requests).toHaveLength(1)
    await souk.a2a.reads.settled()
    const reads = await all(souk.database.db)`select agent, reads from product_reads`
    expect(reads).toEqual([{ agent: 'other', reads: 3 }])
    souk.clock.advance(5 * 60_000)
    await lookup(agent(url))
    expect(site.requests).toHaveLength(2)
  })

  test('requests that come together share one fetch', async () => {
    const url = freshUrl()
    site.serving(platformProfile())
    const answers = await Promise.all(Array.from({ length: 5 }, () => lookup(agent(url))))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(site.requests).toHaveLength(1)
  })

  test('what it does not speak is not answered, and no capability is said to be at work', async () => {
    const url = freshUrl()
    const capabilities = { 'dev.ucp.shopping.catalog.search': capability('search') }
    site.serving(platformProfile({ capabilities }))
    expect((await search(agent(url))).body.products).toHaveLength(1)
    const { status, body } = await lookup(agent(url))
    expect(status).toBe(200)
    expect(body).toEqual({
      ucp: { version: '2026-08-25', status: 'error', capabilities: {} },
      messages: [
        {
          type: 'error',
          code: 'capabilities_incompatible',
          content: expect.stringContaining('dev.ucp.shopping.catalog.lookup'),
          severity: 'unrecoverable',
        },
      ],
      continue_url: 'http://souk.test/',
    })
  })

  test('a capability in another version is not the same one', async () => {
    const url = freshUrl()
    const [entry] = capability('lookup')
    const capabilities = { 'dev.ucp.shopping.catalog.lookup': [{ ...entry, version: '2026-04-08' }] }
    site.serving(platformProfile({ capabilities }))
    expect((await lookup(agent(url))).body.messages).toMatchObject([{ code: 'capabilities_incompatible' }])
  })
})

test('without a profile the question is answered all the same, and nothing is fetched', async () => {
  expect((await lookup({})).body.products).toHaveLength(1)
  expect(platform.asked).toEqual([])
})

describe('a profile that cannot be had', () => {
  test.each<[string, number, string, () => void]>([
    ['missing', 424, 'profile_unreachable', () => site.serving({}, 404)],
    [
      'redirected',
      424,
      'profile_unreachable',
      () => site.serving('', 302, { Location: `https://${PLATFORM}/x` }),
    ],
    ['a server error', 424, 'profile_unreachable', () => site.serving({}, 503)],
    ['too large', 424, 'profile_unreachable', () => site.serving(`"${'x'.repeat(129 * 1024)}"`)],
    [
      'silent',
      424,
      'profile_unreachable',
      () => {
        site.limits.timeoutMs = 100
        site.respondWith(() => {})
      },
    ],
    ['not JSON', 422, 'profile_malformed', () => site.serving('<html>')],
    ['no profile', 422, 'profile_malformed', () => site.serving({ ucp: { version: '2026-08-25' } })],
    [
      'of another release',
      422,
      'version_unsupported',
      () => site.serving(platformProfile({ version: '2026-01-23' })),
    ],
  ])('%s: %i %s', async (_, status, code, arrange) => {
    arrange()
    const answer = await lookup(agent(freshUrl()))
    expect([answer.status, answer.body.code]).toEqual([status, code])
    expect(answer.body.continue_url).toBe('http://souk.test/')
  })

  test('is not asked for again within a minute, and then is', async () => {
    const url = freshUrl()
    site.serving({}, 500)
    await lookup(agent(url))
    site.serving(platformProfile())
    expect((await lookup(agent(url))).status).toBe(424)
    expect(site.requests).toHaveLength(1)
    souk.clock.advance(60_000)
    expect((await lookup(agent(url))).status).toBe(200)
  })
})

describe('refused without a connection', () => {
  test.each([
    ['no dictionary', 'https://platform.example/x'],
    ['no profile in it', 'version="1"'],
    ['http', `profile="http://${PLATFORM}/x"`],
    ['no URL', 'profile="platform"'],
    ['a password', `profile="https://a:b@${PLATFORM}/x"`],
    ['very long', `profile="https://${PLATFORM}/${'x'.repeat(2_000)}"`],
  ])('%s', async (_, field) => {
    const answer = await lookup({ 'ucp-agent': field })
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_profile_url'])
    expect(platform.asked).toEqual([])
  })

  test('addresses of the inside are never dialled, named or resolved; a name that has none is invalid', async () => {
    const world = rehearse({
      names: { 'inside.example': ['10.0.0.1'], 'mixed.example': ['93.184.216.34', '127.0.0.1'] },
    })
    const app = await createTestApp({ outbound: world.outbound })
    const places = [
      '127.0.0.1',
      '[::1]',
      '169.254.169.254',
      '10.1.2.3',
      'localhost',
      'inside.example',
      'mixed.example',
      'nowhere.example',
    ]
    for (const place of places) {
      const answer = await lookup(agent(`https://${place}/p`), app)
      expect([place, answer.status, answer.body.code]).toEqual([place, 400, 'invalid_profile_url'])
    }
    expect(world.dialled).toEqual([])
  })

  test('nothing is fetched for a request that is not valid itself', async () => {
    const { status } = await ucp(souk, 'lookup', { ids: [] }, { headers: agent(freshUrl()) })
    expect(status).toBe(400)
    expect(platform.asked).toEqual([])
  })
})

test('a network may make us fetch so many profiles an hour; known ones and none at all are still answered', async () => {
  site.serving(platformProfile())
  const known = freshUrl()
  for (let time = 0; time < FETCHES_AN_HOUR; time++)
    expect((await lookup(agent(time === 0 ? known : freshUrl()))).status).toBe(200)
  const refused = await lookup(agent(freshUrl()))
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
  const wait = Number(refused.headers.get('retry-after'))
  expect(wait).toBeGreaterThan(0)
  expect(site.requests).toHaveLength(FETCHES_AN_HOUR)
  expect((await lookup(agent(known))).status).toBe(200)
  expect((await lookup({})).status).toBe(200)
  souk.clock.advance(wait * 1_000)
  expect((await lookup(agent(freshUrl()))).status).toBe(200)
})
