import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { newSigningKey, publicJwk, signJws } from '../lib/jws.ts'
import { Quote, type Ranked } from './quote.schema.ts'
import { buildQuote, QUOTE_TYP, signaturesIn, signQuote, verifyQuote } from './quote-signature.ts'

const key = newSigningKey()
const jwks = { keys: [publicJwk(key)] }
const NOW = new Date('2026-11-16T10:00:05Z')
const ranked: Ranked = {
  id: 'quote-1',
  org: { id: 'org-1', name: 'Reno Supply', orgType: 'retailer', verified: true, domain: 'shop.example' },
  answer: {
    priceCents: 1999,
    inStock: true,
    claimUrl: 'https://shop.example/claim?secret-campaign=1',
    offerExpiresAt: new Date('2026-11-16T22:00:00Z'),
    shippingCostCents: 0,
    listPriceCents: null,
    estimatedShippingDays: 3,
    offerId: null,
    terms: 'Ships from Reno.',
  },
  responseMs: 120,
  health: { status: 'active', failuresInARow: 0 },
  rank: 1,
  rankReasons: ['the only quote'],
  totalCents: 5997,
  meetsDeadline: null,
  claimHost: null,
  loss: null,
  lossReason: null,
}
const context = {
  issuer: 'https://souk.example',
  issuedAt: NOW,
  rfqId: '0193a1b2-0000-7000-8000-000000000001',
  productSlug: 'kitchen/ovenbird-crisp-4',
  quantity: 3,
  claimUrl: 'https://souk.example/go/0193a1b2-0000-7000-8000-000000000009',
}
const quote = await buildQuote(ranked, context, key)

function proved(jws: string) {
  const proof = verifyQuote(jws, jwks, NOW)
  if (!proof.ok) throw new Error(proof.message)
  return proof
}

describe('a quote', () => {
  test('reaches the buyer in the contract’s words, with the attributed link and no absent field', async () => {
    const { signature, ...facts } = quote
    expect(facts).toEqual({
      quote_id: 'quote-1',
      rank: 1,
      rank_reasons: ['the only quote'],
      org: { name: 'Reno Supply', org_type: 'retailer', verified: true, domain: 'shop.example' },
      price_usd: 19.99,
      total_usd: 59.97,
      in_stock: true,
      claim_url: context.claimUrl,
      offer_expires_at: '2026-11-16T22:00:00.000Z',
      shipping_cost_usd: 0,
      estimated_shipping_days: 3,
      terms: 'Ships from Reno.',
    })
    expect(Quote.parse(quote)).toEqual(quote)
    expect(signature.split('.')).toHaveLength(3)
  })

  test('is signed with all it says and all it answers', async () => {
    const { signature, ...facts } = quote
    expect(proved(signature)).toEqual({
      ok: true,
      kid: key.kid,
      expired: false,
      promise: {
        ...facts,
        issuer: 'https://souk.example',
        issued_at: '2026-11-16T10:00:05.000Z',
        rfq_id: context.rfqId,
        product_slug: context.productSlug,
        quantity: 3,
      },
    })
  })

  test('verifies with nothing but node:crypto and the published key', async () => {
    const [header = '', payload = '', signature = ''] = quote.signature.split('.')
    const { kty, crv, x } = publicJwk(key)
    const publicKey = createPublicKey({ key: { kty, crv, x }, format: 'jwk' })
    const signed = Buffer.from(`${header}.${payload}`)
    expect(verify(null, signed, publicKey, Buffer.from(signature, 'base64url'))).toBe(true)
    const text = Buffer.from(payload, 'base64url').toString()
    expect(Object.keys(JSON.parse(text))).toEqual(Object.keys(JSON.parse(text)).sort())
  })

  test('does not show the producer’s own link, its id or its health', async () => {
    const payload = Buffer.from(quote.signature.split('.')[1] ?? '', 'base64url').toString()
    for (const text of [payload, JSON.stringify(quote)])
      expect(text).not.toMatch(/secret-campaign|org-1|responseMs|failures|lossReason/)
  })
})

describe('a proof', () => {
  test('past its expiry still holds, and says so', async () => {
    const at = (iso: string) => verifyQuote(quote.signature, jwks, new Date(iso))
    expect(at('2026-11-16T21:59:59.999Z')).toMatchObject({ ok: true, expired: false })
    expect(at('2026-11-16T22:00:00Z')).toMatchObject({ ok: true, expired: true })
    expect(at('2030-01-01T00:00:00Z')).toMatchObject({
      ok: true,
      expired: true,
      promise: { price_usd: 19.99 },
    })
  })

  test('holds with a retired key while that key is published', async () => {
    const keys = [publicJwk(newSigningKey()), publicJwk(key)]
    expect(verifyQuote(quote.signature, { keys }, NOW).ok).toBe(true)
    expect(verifyQuote(quote.signature, { keys: keys.slice(0, 1) }, NOW)).toMatchObject({
      ok: false,
      reason: 'unknown_key',
    })
  })

  test('with a lower price written in is refused', async () => {
    const [header, payload = '', signature] = quote.signature.split('.')
    const text = Buffer.from(payload, 'base64url').toString().replace('19.99', '9.99')
    const forged = [header, Buffer.from(text).toString('base64url'), signature].join('.')
    expect(verifyQuote(forged, jwks, NOW)).toEqual({
      ok: false,
      reason: 'bad_signature',
      message: 'The signature does not match: the quote was changed, or signed with another key.',
    })
  })

  test('without a signature and with no algorithm is refused', async () => {
    const none = Buffer.from(JSON.stringify({ alg: 'none', kid: key.kid, typ: QUOTE_TYP })).toString(
      'base64url',
    )
    expect(verifyQuote(`${none}.${quote.signature.split('.')[1]}.`, jwks, NOW)).toMatchObject({
      ok: false,
      reason: 'wrong_algorithm',
    })
  })

  test('of something else signed by the same key is refused', async () => {
    const payload = Buffer.from(quote.signature.split('.')[1] ?? '', 'base64url')
    expect(verifyQuote(await signJws(payload, 'agent-card+jws', key), jwks, NOW)).toMatchObject({
      ok: false,
      reason: 'wrong_type',
    })
    for (const other of ['{}', 'not json', '[]'])
      expect(verifyQuote(await signJws(other, QUOTE_TYP, key), jwks, NOW)).toMatchObject({
        ok: false,
        reason: 'malformed',
      })
  })

  test('is the same text whatever the order of the fields', async () => {
    const { promise } = proved(quote.signature)
    const turned = Object.fromEntries(Object.entries(promise).reverse()) as typeof promise
    expect(await signQuote(turned, key)).toBe(quote.signature)
  })
})

describe('what somebody kept of a quote', () => {
  test.each([
    ['a signature', ' a.b.c\n', ['a.b.c']],
    ['a signature broken into lines', 'a.b\r\n .c', ['a.b.c']],
    ['a string of JSON', '"a.b.c"', ['a.b.c']],
    ['a quote', '{"price_usd":1,"signature":"a.b.c"}', ['a.b.c']],
    [
      'quotes deep inside, each once, in order',
      '{"x":[{"signature":"1"},{"y":{"signature":"2"}},{"signature":"1"}]}',
      ['1', '2'],
    ],
    ['a signature that is no text', '{"signature":7}', []],
    ['half of a document', '{"signature":"a', []],
    ['nothing', ' \n', []],
    ['an empty string of JSON', '""', []],
  ])('%s', (_, kept, signatures) => {
    expect(signaturesIn(kept)).toEqual(signatures)
  })

  test('may be nested deeper than a program can call itself', () => {
    const deep = `${'[{"x":'.repeat(50_000)}{"signature":"a"}${'}]'.repeat(50_000)}`
    expect(signaturesIn(deep)).toEqual(['a'])
  })
})
