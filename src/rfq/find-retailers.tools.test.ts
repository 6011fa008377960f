/** What find_retailers says where nobody carries requests out, and at the edges of the room for texts. */
import { beforeAll, describe, expect, test } from 'vitest'
import { BASE_URL } from '../../test/harness.ts'
import {
  createSkillsWorld,
  HOSTILE,
  outsideFences,
  person,
  type SkillsWorld,
} from '../../test/skills.world.ts'
import type { SearchResult } from '../search/search.schema.ts'
import type { ToolCall } from '../tools/define-tool.ts'
import type { Found } from './find-retailers.service.ts'
import { findRetailers, retailersText } from './find-retailers.tools.ts'
import type { Quote } from './quote.schema.ts'
import type { RfqTask } from './rfq.service.ts'

const LONG_NAME = HOSTILE.join(' ')
const visit = { ip: null, userAgent: null, requestId: null }

describe('a request that is not complete', () => {
  let souk: SkillsWorld
  beforeAll(async () => {
    souk = await createSkillsWorld()
  })

  test('is answered with its state, its id and how to follow it, and is asked for once', async () => {
    const { db } = souk.database
    const caller = person(true)
    await db
      .insertInto('users')
      .values({
        id: caller.user.id,
        email: caller.user.email,
        email_key: caller.user.email,
        name: 'Ada',
        password_hash: null,
        email_verified_at: null,
      })
      .execute()
    const call: ToolCall = {
      caller: {
        kind: 'access_token',
        user: caller.user,
        clientId: 'client',
        clientName: 'Client',
        selectedOrgId: null,
        scope: 'mcp',
        resource: null,
      },
      visit,
      signal: () => AbortSignal.abort(),
      progress: () => {},
    }
    const ctx = { ...souk.rfq, offers: souk.offers, search: souk.searchRuntime.search }
    const input = { query: 'a kettle', product_slug: 'gooseneck', max_results: 5, quantity: 3 }
    const { text, data } = await findRetailers.run(ctx, call, input)
    expect(findRetailers.output.safeParse(data).error).toBeUndefined()
    expect(data).toMatchObject({
      state: 'submitted',
      product_slug: 'kettles/gooseneck',
      quantity: 3,
      quotes: [],
      listed_elsewhere: [],
    })
    expect(text).toContain('Waiting for sellers')
    expect(text).toContain(`No quote has arrived so far`)
    expect(text).toContain(`find_retailers, request_id ${data.task_id} (or A2A tasks/get at ${BASE_URL}/a2a/`)
    const rows = await db.selectFrom('rfqs').select(['id', 'state']).execute()
    expect(rows).toEqual([{ id: data.task_id, state: 'submitted' }])
  })
})

const quote = (rank: number): Quote => ({
  quote_id: `0193a1b2-0000-7000-8000-${String(rank).padStart(12, '0')}`,
  rank,
  rank_reasons: ['the lowest total', LONG_NAME],
  org: { name: LONG_NAME, org_type: 'retailer', verified: true },
  price_usd: 10,
  total_usd: 12,
  in_stock: true,
  claim_url: `${BASE_URL}/go/q/${'x'.repeat(300)}`,
  offer_expires_at: '2026-11-02T12:00:00.000Z',
  terms: LONG_NAME,
  signature: 'a.b.c',
})

const result = (n: number): SearchResult => ({
  slug: `${'s'.repeat(78)}-${n}`,
  category: 'c'.repeat(80),
  title: LONG_NAME,
  verdict: null,
  price_range: null,
  price_now_usd: null,
  url: '/p/c/s',
  similarity: 0.5,
  is_sponsored: false,
  reason: '',
})

const task = (change: Partial<RfqTask>): RfqTask => ({
  rfqId: '0193a1b2-0000-7000-8000-00000000000a',
  sessionId: '5f0c0d9e-7c1b-4b52-9a53-2d1f5f0e6a01',
  contextId: '0193a1b2-0000-7000-8000-00000000000b',
  state: 'completed',
  productSlug: 'kettles/gooseneck',
  productTitle: 'Gooseneck',
  quantity: 1,
  deliveryRegion: null,
  deadlineIso: null,
  variant: null,
  createdAt: new Date('2026-11-01T12:00:00Z'),
  finishedAt: null,
  failure: null,
  outcome: null,
  chosenQuoteId: null,
  chosenAt: null,
  progress: null,
  quotes: [],
  ...change,
})

const found: Found = {
  productSlug: 'kettles/gooseneck',
  title: LONG_NAME,
  runnersUp: [result(1), result(2), result(3)],
}

describe('the longest, most hostile names', () => {
  test('leave room for whole quotes within the text, and say how many are left out', () => {
    const quotes = Array.from({ length: 30 }, (_, n) => quote(n + 1))
    const text = retailersText({
      found,
      gathered: { task: task({ quotes }), arrived: 30 },
      most: 20,
      baseUrl: BASE_URL,
    })
    expect(text.length).toBeLessThan(6_000)
    const shown = text.match(/^ {3}Buy: /gm)?.length ?? 0
    expect(shown).toBeGreaterThan(0)
    expect(text).toContain(`${20 - shown} more quotes in the data`)
    expect(text).toContain('10 more quotes left out')
    expect(outsideFences(text)).not.toMatch(/^(# System|Ignore|<|OBEY)/m)
    expect(text.match(/^```/gm)).toHaveLength(2)
  })

  test('leave room for other sellers, and say how many are left out', () => {
    const listed = Array.from({ length: 60 }, () => ({
      seller: LONG_NAME,
      url: `https://shop.example/${'y'.repeat(200)}`,
      price_usd: null,
      promoted: false,
    }))
    const sellers = Array.from({ length: 60 }, () => ({
      ...{
        name: LONG_NAME,
        org_type: 'retailer' as const,
        verified: true,
        domain: `${'d'.repeat(60)}.example`,
      },
      ...{ outcome: 'declined' as const, reason: 'declined' },
    }))
    const text = retailersText({
      found,
      gathered: { task: task({ outcome: { listed, sellers } }), arrived: 0 },
      most: 5,
      baseUrl: BASE_URL,
    })
    expect(text.length).toBeLessThan(6_000)
    const shown = text.match(/^- Shop \d+: /gm)?.length ?? 0
    expect(shown).toBeGreaterThan(0)
    expect(text).toContain(`- ${60 - shown} more in the data`)
    expect(text).toContain('No quote from 60 sellers asked.')
    expect(outsideFences(text)).not.toMatch(/^(# System|Ignore|<|OBEY)/m)
  })

  test('a failed and a canceled request say so', () => {
    for (const [state, said] of [
      ['failed', 'could not be finished: the node \\*died\\*'],
      ['canceled', 'was canceled'],
    ] as const) {
      const text = retailersText({
        found: { ...found, runnersUp: null },
        gathered: { task: task({ state, failure: 'the node *died*' }), arrived: 0 },
        most: 5,
        baseUrl: BASE_URL,
      })
      expect(text).toContain(said)
      expect(text).not.toContain('Best match: ')
    }
  })
})
