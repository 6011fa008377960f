/**
 * What is parsed by rules of its own and comes from outside: addresses, headers, cookies, forms, messages, queries,
 * texts of products. Each once as long as it can be and as awkward; it is refused or answered in bounds, and everybody
 * else is answered meanwhile. What takes the square of its length would not finish in the time of a test.
 */
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createOrg } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { createToolsWorld } from '../tools.world.ts'
import { writeMessage } from './a2a.world.ts'

const world = await createToolsWorld()
await addProduct(world, { slug: 'lamp', category: 'desk-lamps', title: 'Lamp', brand: 'Glow' })
await world.searchRuntime.fill()
const { app } = world
const org = await createOrg(world)
const json = { 'content-type': 'application/json' }

async function expectBounded(answer: Response, what: string): Promise<string> {
  const text = await answer.text()
  expect(answer.status, `${what}: ${text.slice(0, 200)}`).toBeLessThan(500)
  expect(text.length, what).toBeLessThan(100_000)
  return text
}

describe('an address with ten thousand parameters', () => {
  const many = (name: (at: number) => string) =>
    Array.from({ length: 10_000 }, (_, at) => `${name(at)}=1`).join('&')
  test.each([
    '/search',
    '/c/desk-lamps',
    '/compare',
    '/oauth/authorize/',
    '/api/org/products/',
    '/auth/signin',
  ])('%s', async (path) => {
    for (const query of [
      many((at) => `p${at}`),
      many(() => 'q'),
      many(() => 'p[]'),
      '%'.repeat(10_000),
      '&'.repeat(50_000),
      '+'.repeat(50_000),
    ])
      await expectBounded(
        await app.request(`http://souk.test${path}?q=lamp&${query}`, {
          headers: { cookie: org.session.cookie, accept: 'text/html' },
        }),
        query.slice(0, 20),
      )
  })
})

describe('a header as long as a header can be', () => {
  const HEADERS: Array<[name: string, value: string]> = [
    ['accept', Array.from({ length: 10_000 }, (_, at) => `a/b${at};q=0.${at}`).join()],
    ['accept', 'text/html;q='.repeat(5_000)],
    ['accept-encoding', 'gzip;q=1,'.repeat(5_000)],
    ['accept-language', 'en;q=0.1,'.repeat(5_000)],
    ['cookie', Array.from({ length: 5_000 }, (_, at) => `c${at}=v`).join('; ')],
    ['cookie', 'souk_session=x; '.repeat(5_000)],
    ['cookie', '='.repeat(50_000)],
    ['if-none-match', 'W/"x", '.repeat(10_000)],
    ['if-none-match', '"'.repeat(50_000)],
    ['range', `bytes=${'0-1,'.repeat(10_000)}`],
    ['authorization', `Bearer ${' '.repeat(50_000)}x`],
    ['content-type', `application/json${'; a=b'.repeat(10_000)}`],
    ['content-type', `application/json${' '.repeat(50_000)}x`],
    ['forwarded', 'for=1;'.repeat(10_000)],
    ['ucp-agent', `profile="${'\\"'.repeat(25_000)}`],
    ['traceparent', '0-'.repeat(25_000)],
    ['a2a-version', '1.'.repeat(25_000)],
    ['origin', `https://${'a.'.repeat(25_000)}x`],
  ]
  test.each(HEADERS.map(([name, value]) => ({ name, value, start: value.slice(0, 20) })))(
    '$name: $start …',
    async ({ name, value }) => {
      for (const path of ['/p/desk-lamps/lamp', '/llms.txt'])
        await expectBounded(
          await app.request(`http://souk.test${path}`, { headers: { [name]: value } }),
          path,
        )
      const body = JSON.stringify({ query: 'lamp' })
      for (const path of [
        '/api/search/',
        '/mcp/',
        '/a2a/',
        '/catalog/search',
        '/api/oauth/register/',
        '/api/oauth/token/',
      ])
        await expectBounded(
          await app.request(`http://souk.test${path}`, {
            method: 'POST',
            headers: { ...json, [name]: value },
            body,
          }),
          path,
        )
    },
  )
})

const bomb = gzipSync(`{"query":"lamp","pad":"${'x'.repeat(20_000_000)}"}`)

test.each(['gzip', 'br', 'deflate', 'zstd', 'gzip, gzip'])(
  'a body in %s is not unpacked',
  async (encoding) => {
    const { token } = await world.person()
    for (const path of [
      '/api/search/',
      '/mcp/',
      '/a2a/',
      '/catalog/search',
      '/api/oauth/register/',
      '/api/offers/create/',
      '/auth/signin',
    ]) {
      const headers = {
        ...(path === '/auth/signin' ? { 'content-type': 'application/x-www-form-urlencoded' } : json),
        'content-encoding': encoding,
        // 0.3 has its errors in answers of 200.
        ...(path === '/a2a/' && { 'a2a-version': '1.0' }),
        ...(path === '/api/offers/create/'
          ? { cookie: org.session.cookie }
          : path === '/mcp/' && { authorization: `Bearer ${token}` }),
      }
      const answer = await app.request(`http://souk.test${path}`, { method: 'POST', headers, body: bomb })
      expect([path, answer.status]).toEqual([path, expect.toSatisfy((status: number) => status >= 400)])
      expect(await expectBounded(answer, path)).toMatch(/error|not/i)
    }
  },
)

test('a form of nothing but blanks and marks is read at once, in every field', async () => {
  const post = (path: string, form: Record<string, string>) =>
    app.request(`http://souk.test${path}`, {
      method: 'POST',
      headers: { cookie: org.session.cookie, origin: 'http://souk.test', accept: 'text/html' },
      body: new URLSearchParams(form),
    })
  // As much as a form holds: a blank is sent as one byte, other marks as three.
  for (const text of [' '.repeat(60_000), ...[',', ':', '|', '/'].map((mark) => mark.repeat(20_000))])
    for (const field of ['title', 'specs', 'image_urls', 'price_usd']) {
      const form = { category: 'desk-lamps', title: 'x', [field]: `https://x.example/x ${text} x` }
      const answer = await post('/dashboard/products/new', form)
      // Refused, or read well and known already; too large it must not be, or nothing was read.
      expect([400, 409], field).toContain(answer.status)
      await expectBounded(answer, field)
    }
})

test('an upload of ten thousand parts is refused', async () => {
  const part = (at: number) => `--b\r\nContent-Disposition: form-data; name="f${at}"\r\n\r\n1\r\n`
  const answer = await app.request('http://souk.test/dashboard/import', {
    method: 'POST',
    headers: {
      cookie: org.session.cookie,
      origin: 'http://souk.test',
      'content-type': 'multipart/form-data; boundary=b',
    },
    body: `${Array.from({ length: 10_000 }, (_, at) => part(at)).join('')}--b--\r\n`,
  })
  expect(await expectBounded(answer, 'parts')).toContain('too many parts')
  expect(answer.status).toBe(413)
})

test.each(['0.3', '1.0'] as const)(
  'an A2A %s message of ten thousand parts is answered in bounds',
  async (version) => {
    const message = writeMessage(version, { text: 'a lamp' })
    const parts = Array.from({ length: 10_000 }, () => message.parts[0])
    const method = version === '0.3' ? 'message/send' : 'SendMessage'
    const answer = await app.request('http://souk.test/a2a/', {
      method: 'POST',
      headers: { ...json, 'a2a-version': version },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { message: { ...message, parts } } }),
    })
    await expectBounded(answer, version)
  },
)

test('a query as long as a query can be is answered in every script', async () => {
  const WORDS = ['lamp ', 'лампа ', '灯', 'مصباح ', 'दीपक ', 'โคมไฟ', '😀', '\u0301', '"', 'under $']
  for (const word of WORDS) {
    const query = word.repeat(1_000).slice(0, 1_000).toWellFormed()
    const answer = await app.request('http://souk.test/api/search/', {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ query }),
    })
    expect([word, answer.status]).toEqual([
      word,
      expect.toSatisfy((status: number) => status === 200 || status === 400),
    ])
  }
})

test('texts of a product that hurt readers of Markdown leave every form in bounds', async () => {
  const HOSTILE = [
    '[',
    '](',
    '*',
    '_',
    '**a',
    '`',
    '> ',
    '- ',
    '<',
    '![',
    '&',
    '\\',
    '|',
    '~~',
    '#',
    '1. ',
    '[a](',
    'https://a.b/(',
    '    ',
    '\n> ',
  ]
  for (const [at, piece] of HOSTILE.entries()) {
    const text = piece.repeat(5_000).slice(0, 5_000)
    await addProduct(world, {
      slug: `hurt-${at}`,
      category: 'desk-lamps',
      title: `Hurt ${at}`,
      brand: 'Glow',
      description: text,
      verdict: text.slice(0, 300),
    })
  }
  await world.catchUp()
  for (const [at] of HOSTILE.entries())
    for (const form of ['', '.md', '.json']) {
      const answer = await app.request(`http://souk.test/p/desk-lamps/hurt-${at}${form}`)
      expect([at, form, answer.status]).toEqual([at, form, 200])
      await expectBounded(answer, `${at}${form}`)
    }
})
