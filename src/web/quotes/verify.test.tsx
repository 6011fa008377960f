/** The page that checks quotes: what is proved is what was signed, whatever it is wrapped in; all else is refused in words. */
import { beforeAll, describe, expect, test } from 'vitest'
import { createBrowser } from '../../../test/accounts.ts'
import { createTestApp } from '../../../test/harness.ts'
import { textOf } from '../../../test/html.ts'
import { addProduct } from '../../../test/products.ts'
import type { QuotePromise } from '../../rfq/quote.schema.ts'
import { signQuote } from '../../rfq/quote-signature.ts'

let souk: Awaited<ReturnType<typeof createTestApp>>
let signature: string
const HOSTILE = '</textarea><script>alert(1)</script>'

const PROMISE: QuotePromise = {
  rank: 1,
  rank_reasons: [],
  org: { name: `Fernhill ${HOSTILE}`, org_type: 'retailer', verified: true },
  price_usd: 110,
  total_usd: 2225.5,
  in_stock: true,
  claim_url: 'http://souk.test/go/x',
  offer_expires_at: '2026-11-02T11:00:00.000Z',
  shipping_cost_usd: 25.5,
  terms: `Returns ${HOSTILE}`,
  issuer: 'http://souk.test',
  issued_at: '2026-11-01T12:00:00.000Z',
  rfq_id: '0199f0a0-0000-7000-8000-000000000000',
  product_slug: 'desk-lamps/lume-one',
  quantity: 20,
}

beforeAll(async () => {
  souk = await createTestApp()
  await addProduct(souk, { category: 'desk-lamps', slug: 'lume-one', title: 'Lume One' })
  signature = await sign(PROMISE)
})

const sign = async (promise: QuotePromise) => signQuote(promise, await souk.rfq.signingKeys.current())
const check = (quote: string) => createBrowser(souk).post('/verify-quote', { quote })

/** Somebody raises the price and keeps the signature. */
function forge(jws: string): string {
  const [header, payload = '', proof] = jws.split('.')
  const changed = Buffer.from(payload, 'base64url')
    .toString('utf8')
    .replace('"price_usd":110', '"price_usd":1')
  return [header, Buffer.from(changed).toString('base64url'), proof].join('.')
}

describe('a quote that was promised here', () => {
  test.each([
    ['its signature', () => signature],
    ['its signature, broken into lines by a mail', () => signature.replace(/(.{60})/g, '$1\r\n ')],
    ['its signature in quotation marks', () => JSON.stringify(signature)],
    ['the quote', () => JSON.stringify({ price_usd: 1, signature }, null, 2)],
    ['a list', () => JSON.stringify([{ signature }])],
    ['a tool’s answer', () => JSON.stringify({ structuredContent: { quotes: [{ rank: 1, signature }] } })],
    [
      'a task',
      () => JSON.stringify({ artifacts: [{ parts: [{ kind: 'data', data: { quotes: [{ signature }] } }] }] }),
    ],
  ])('is verified from %s, and shown as it was signed', async (_, kept) => {
    const response = await check(kept())
    const html = await response.text()
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const text = textOf(html)
    for (const words of [
      'This quote is genuine',
      'The offer is still valid.',
      'Price $110 each',
      'Quantity 20',
      'Total $2,225.50 with shipping',
      'Issued November 1, 2026, 12:00 UTC',
      'Expires November 2, 2026, 11:00 UTC',
      'Key',
    ])
      expect(text).toContain(words)
    const { kid } = JSON.parse(Buffer.from(signature.split('.')[0] ?? '', 'base64url').toString('utf8'))
    expect(html).toContain(kid)
    expect(html).toContain('<a href="/p/desk-lamps/lume-one">Lume One</a>')
    expect(html).not.toContain('<script>')
  })

  test('is still verified when the offer has ended, and that is said', async () => {
    const ended = await sign({ ...PROMISE, offer_expires_at: '2026-11-01T11:59:59.000Z' })
    const text = textOf(await (await check(ended)).text())
    expect(text).toContain('The seller made this promise on Souk. The offer has since expired.')
  })

  test('of a product that is gone is shown by its name, without a link', async () => {
    const html = await (await check(await sign({ ...PROMISE, product_slug: 'gone/gone' }))).text()
    expect(html).toContain('<td>gone/gone</td>')
  })
})

describe('what was not promised here', () => {
  test('a changed quote is not verified, and none of its figures are shown', async () => {
    const response = await check(forge(signature))
    const text = textOf(await response.text())
    expect(text).toContain('verify this quote')
    expect(text).toContain('The signature does not match: the quote was changed, or signed with another key.')
    expect(text).not.toContain('$1 each')
  })

  test('what only looks like a signature is none', async () => {
    expect(textOf(await (await check('a.b.c')).text())).toContain('This is not a signed quote.')
  })

  test('of several each is judged by itself', async () => {
    const quotes = [{ signature }, { signature: forge(signature) }, { signature: 'nonsense' }, { signature }]
    const text = textOf(await (await check(JSON.stringify({ quotes }))).text())
    expect(text).toContain('1 of 3 quotes verified')
    expect(text).toMatch(
      /Quote 1: verified .* Quote 2: not verified .* Quote 3: not verified This is not a signed quote\./,
    )
  })

  test.each([
    ['nothing', '  ', 'Paste a quote or its signature.'],
    ['JSON without a signature', '{"price_usd":1}', 'We found no signature.'],
    ['half of a JSON document', '{"signature":"abc', 'We found no signature.'],
    ['JSON of great depth', '['.repeat(60_000), 'We found no signature.'],
    ['a sentence', 'It was $400.', 'We found no signature.'],
    ['too much', 'x'.repeat(64 * 1024 + 1), 'This is over 64 KB.'],
  ])('%s is told beside the field, and stays in it', async (_, kept, why) => {
    const response = await check(kept)
    const html = await response.text()
    expect(response.status).toBe(400)
    const [, error = ''] = /id="field-quote-error">([^<]*)</.exec(html) ?? []
    expect(error).toContain(why)
    expect(html).toContain(`${kept.slice(0, 20).replaceAll('"', '&quot;')}`)
  })

  test('a thousand things that look like signatures are not all answered', async () => {
    const many = Array.from({ length: 1_000 }, (_, n) => ({ signature: `a.b.${n}` }))
    const text = textOf(await (await check(JSON.stringify(many))).text())
    expect(text).toContain('0 of 100 quotes verified')
    expect(text).toContain('900 more signatures left out')
  })
})

describe('the page', () => {
  test('a link fills the field and checks nothing', async () => {
    const html = await (await createBrowser(souk).get(`/verify-quote?quote=${signature}`)).text()
    expect(html).toContain(`${signature}</textarea>`)
    expect(html).not.toContain('verdict')
  })

  test('keeps what was pasted, as text', async () => {
    const html = await (await check(`${HOSTILE} "kept"`)).text()
    expect(html).toContain('&lt;/textarea&gt;&lt;script&gt;alert(1)&lt;/script&gt; &quot;kept&quot;')
    expect(html).not.toContain('<script>')
  })

  test('says how to check without it', async () => {
    const html = await (await createBrowser(souk).get('/verify-quote')).text()
    expect(html).toContain('href="/.well-known/jwks.json"')
    expect(html).toContain('npm run souk -- verify-quote')
  })

  test('a post from another site is refused', async () => {
    const post = createBrowser(souk).post(
      '/verify-quote',
      { quote: signature },
      { origin: 'https://x.example' },
    )
    expect((await post).status).toBe(403)
  })
})
