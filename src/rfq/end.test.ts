/** What is stored of answers and how a request is completed from it, on a real database. */
import { expect, test } from 'vitest'
import { createTestApp } from '../../test/harness.ts'
import { createOrg } from '../../test/orgs.ts'
import { addProduct } from '../../test/products.ts'
import { newId } from '../lib/ids.ts'
import { finishAttempts, insertAttempts, insertQuotes } from './attempts.queries.ts'
import { completeRfq, rankAndSign } from './end.ts'
import { findAttempts } from './inspector.queries.ts'
import type { ReceivedQuote } from './quote.schema.ts'
import { verifyQuote } from './quote-signature.ts'
import { findRfq } from './rfq.queries.ts'
import { RfqRequest } from './rfq.schema.ts'
import { getRfqTask, submitRfq } from './rfq.service.ts'

const souk = await createTestApp()
const { rfq: ctx } = souk
const { db } = souk.database
await addProduct(souk, { category: 'lamps', slug: 'lume', title: 'Lume' })
const orgs = await Promise.all(['first', 'second', 'third'].map((name) => createOrg(souk, { name })))
const AT = new Date('2026-11-01T12:00:00.123Z')

async function newRfq() {
  const visit = { ip: null, userAgent: null, requestId: null }
  const asker = { userId: null, clientId: null, face: 'a2a', visit } as const
  const request = RfqRequest.parse({ product_slug: 'lamps/lume' })
  return submitRfq(ctx, asker, { request })
}

const AWKWARD = [
  'null',
  'NULL',
  '',
  ' ',
  '{a,"b"}',
  'back\\slash "quoted" \'single\'',
  'two\nlines\r\n\ttab',
  '\\n',
  '😀, ü',
]

test.each(AWKWARD)(
  'an answer that says %j is stored letter for letter, and so are its headers',
  async (said) => {
    const { rfqId, sessionId } = await newRfq()
    const orgId = orgs[0]?.id ?? ''
    const row = { rfq_id: rfqId, org_id: orgId, try: 1 }
    const endpoint = `https://shop.example/${said}`
    await insertAttempts(db, [
      {
        ...row,
        kind: 'agent',
        endpoint,
        auth_type: null,
        request_headers: null,
        request_body: said,
        started_at: AT,
      },
      {
        ...row,
        try: 2,
        kind: 'managed',
        endpoint: null,
        auth_type: 'hmac',
        request_headers: null,
        request_body: null,
        started_at: AT,
      },
    ])
    const answered = {
      request_headers: { [said]: said },
      finished_at: AT,
      response_status: 200,
      response_headers: { said },
      response_body: said,
      response_ms: 7,
      verdict: 'invalid',
      reason: said,
    }
    await finishAttempts(db, [{ ...row, ...answered, limited: true }])
    expect(await findAttempts(db, sessionId, orgId)).toEqual([
      {
        try: 1,
        ...answered,
        kind: 'agent',
        endpoint,
        auth_type: null,
        request_body: said,
        started_at: AT,
      },
      {
        try: 2,
        kind: 'managed',
        endpoint: null,
        auth_type: 'hmac',
        request_headers: null,
        request_body: null,
        started_at: AT,
        finished_at: null,
        response_status: null,
        response_headers: null,
        response_body: null,
        response_ms: null,
        verdict: null,
        reason: null,
      },
    ])
  },
)

function quoteOf(org: { id: string } | undefined, name: string, priceCents: number): ReceivedQuote {
  return {
    id: newId(),
    org: { id: org?.id ?? '', name, orgType: 'retailer', verified: false, domain: null },
    answer: {
      priceCents,
      inStock: true,
      claimUrl: 'https://shop.example/claim',
      offerExpiresAt: new Date(ctx.clock.now().getTime() + 3_600_000),
      shippingCostCents: 0,
      listPriceCents: null,
      estimatedShippingDays: null,
      offerId: null,
      terms: 'Says "null",\n\\and more',
    },
    responseMs: 5,
    health: { status: 'active', failuresInARow: 0 },
  }
}

async function store(rfqId: string, quotes: ReceivedQuote[]): Promise<void> {
  await insertQuotes(
    db,
    quotes.map((quote) => ({ ...quote, rfqId, receivedAt: AT })),
  )
}

test('what is ranked is what is stored: what an earlier run left counts, what was received and not stored does not', async () => {
  const { rfqId } = await newRfq()
  const left = quoteOf(orgs[0], 'first', 10_000)
  const received = quoteOf(orgs[1], 'second', 9_000)
  const gone = quoteOf(orgs[2], 'third', 8_000)
  // Another run was faster: of one organization the first quote counts.
  const doubled = quoteOf(orgs[0], 'first', 7_000)
  await store(rfqId, [left])
  await store(rfqId, [received, doubled])
  await completeRfq(ctx, rfqId, { profile: null, received: [received, gone, doubled] })
  const task = await getRfqTask(ctx, { id: rfqId, userId: null })
  expect(task.state).toBe('completed')
  expect(task.quotes).toMatchObject([
    { rank: 1, org: { name: 'second' }, price_usd: 90, terms: received.answer.terms },
    { rank: 2, org: { name: 'first' }, price_usd: 100, terms: left.answer.terms },
  ])
  expect(task.quotes).toHaveLength(2)
})

test.each([
  ['all that is stored is told as it was signed', [1, 2], ['second', 'third'], true],
  [
    'with a quote that an earlier run left, all are ranked anew',
    [0, 1, 2],
    ['first', 'second', 'third'],
    false,
  ],
  ['a quote that was not stored is not told', [2], ['third'], false],
] as const)('of what was ranked and signed ahead: %s', async (_, stored, told, asSigned) => {
  const { rfqId } = await newRfq()
  const all = ['first', 'second', 'third'].map((name, at) => quoteOf(orgs[at], name, 8_000 + at * 1_000))
  const received = all.slice(1)
  const rfq = await findRfq(db, rfqId)
  if (!rfq) throw new Error('it was just sent')
  const signed = await rankAndSign(ctx, rfq, received, await ctx.signingKeys.current())
  await store(
    rfqId,
    stored.flatMap((at) => all[at] ?? []),
  )
  await completeRfq(ctx, rfqId, { profile: null, received, signed })
  const { quotes } = await getRfqTask(ctx, { id: rfqId, userId: null })
  expect(quotes.map(({ rank, org }) => [rank, org.name])).toEqual(told.map((name, at) => [at + 1, name]))
  const ahead = signed.rows.map(({ quote }) => quote.signature)
  expect(quotes.filter(({ signature }) => ahead.includes(signature))).toHaveLength(asSigned ? 2 : 0)
})

test('a request whose product was renamed since is signed anew, under the name it has', async () => {
  const { rfqId } = await newRfq()
  const received = [quoteOf(orgs[0], 'first', 8_000)]
  const rfq = await findRfq(db, rfqId)
  if (!rfq) throw new Error('it was just sent')
  const before = { ...rfq, productSlug: 'lamps/lume-before' }
  const signed = await rankAndSign(ctx, before, received, await ctx.signingKeys.current())
  await store(rfqId, received)
  await completeRfq(ctx, rfqId, { profile: null, received, signed })
  const { quotes } = await getRfqTask(ctx, { id: rfqId, userId: null })
  const proof = verifyQuote(quotes[0]?.signature ?? '', await ctx.signingKeys.published(), ctx.clock.now())
  expect(proof).toMatchObject({ ok: true, promise: { product_slug: 'lamps/lume' } })
})
