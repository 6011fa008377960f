/** Every product and category of the demo catalog, in every form, over HTTP. */
import { isDeepStrictEqual } from 'node:util'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Parser } from 'htmlparser2'
import MarkdownIt from 'markdown-it'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { listCategories, streamProfiles } from '../../src/catalog/catalog.service.ts'
import { importCategories } from '../../src/catalog/categories.service.ts'
import { importProducts } from '../../src/catalog/import.service.ts'
import { type ProductProfile, priceRange, productPath } from '../../src/catalog/profile.ts'
import { chooseEncoding } from '../../src/http/prepared.ts'
import { negotiate } from '../../src/web/read-address.ts'
import { BASE_URL, createDemoDatabase, createTestApp } from '../harness.ts'

let souk: Awaited<ReturnType<typeof createTestApp>>
let profiles: ProductProfile[]

beforeAll(async () => {
  souk = await createTestApp({ database: await createDemoDatabase(), demo: true })
  profiles = []
  for await (const profile of streamProfiles(souk.ctx)) profiles.push(profile)
})

const get = (path: string, headers: Record<string, string> = {}) => souk.app.request(path, { headers })

const JsonLd = z.strictObject({
  '@context': z.literal('https://schema.org'),
  '@type': z.literal('Product'),
  name: z.string().min(1),
  model: z.string().optional(),
  category: z.string().min(1),
  url: z.url(),
  brand: z.strictObject({ '@type': z.literal('Brand'), name: z.string() }).optional(),
  image: z.url().optional(),
  description: z.string().optional(),
  gtin: z.string().optional(),
  mpn: z.string().optional(),
  sku: z.string().optional(),
  releaseDate: z.string().optional(),
  additionalProperty: z
    .array(z.strictObject({ '@type': z.literal('PropertyValue'), name: z.string(), value: z.string() }))
    .min(1)
    .optional(),
  aggregateRating: z
    .strictObject({
      '@type': z.literal('AggregateRating'),
      ratingValue: z.number(),
      reviewCount: z.number().int().positive(),
      bestRating: z.literal(5),
    })
    .optional(),
  verificationStatus: z.enum(['base', 'producer_enriched', 'manufacturer_enriched', 'manufacturer_verified']),
  enrichmentEndpoint: z.url().optional(),
  offers: z.strictObject({
    '@type': z.literal('AggregateOffer'),
    priceCurrency: z.literal('USD'),
    priceRange: z.string(),
    url: z.url(),
    lowPrice: z.number().optional(),
    highPrice: z.number().optional(),
    offerCount: z.number().int().positive().optional(),
    availability: z.literal('https://schema.org/Discontinued').optional(),
  }),
  dateModified: z.iso.datetime(),
})

describe('the demo catalog', () => {
  test('has 41 categories and at least 861 products', async () => {
    expect((await listCategories(souk.ctx)).length).toBe(41)
    expect(profiles.length).toBeGreaterThanOrEqual(861)
  })

  test('every category reads 200 as HTML and Markdown, and has no JSON form', async () => {
    for (const { slug } of await listCategories(souk.ctx)) {
      for (const path of [`/c/${slug}`, `/c/${slug}.md`]) expect((await get(path)).status, path).toBe(200)
      expect((await get(`/c/${slug}.json`)).status).toBe(404)
    }
  })

  type Visit = {
    profile: ProductProfile
    path: string
    ld: z.infer<typeof JsonLd>
    page: string
    text: string
  }
  const visits: Visit[] = []

  /** All that is judged of a product is judged on one visit: there are many of them. */
  async function visitAll(): Promise<Visit[]> {
    if (visits.length > 0) return visits
    const markdown = new MarkdownIt()
    for (const profile of profiles) {
      const path = productPath(profile)
      const [html, md, json] = await Promise.all([get(path), get(`${path}.md`), get(`${path}.json`)])
      const statuses = [html.status, md.status, json.status]
      if (statuses.some((status) => status !== 200)) throw new Error(`${path} answers ${statuses}`)
      visits.push({
        profile,
        path,
        ld: JsonLd.parse(await json.json()),
        page: textOf(await html.text()),
        text: textOf(markdown.render(await md.text())),
      })
    }
    return visits
  }

  test('every product reads 200 in all three forms, and the three agree on title, price, specs and dates', {
    timeout: 180_000,
  }, async () => {
    const wrong: string[] = []
    const check = (holds: boolean, path: string, what: string) => holds || wrong.push(`${path}: ${what}`)
    for (const { profile, path, ld, page, text } of await visitAll()) {
      const price = priceRange(profile) ?? 'See sellers'
      check(ld.name === profile.title, path, 'name')
      check(ld.offers.priceRange === price, path, 'priceRange')
      check(ld.dateModified === profile.updatedAt.toISOString(), path, 'dateModified')
      for (const shown of [page, text]) {
        const told = [
          profile.title,
          profile.updatedAt.toISOString().slice(0, 10),
          ...profile.specs.flatMap(({ name, value }) => [name, value]),
        ]
        for (const words of told) check(shown.includes(words), path, `"${words}" is not shown`)
        check(shown.toLowerCase().includes(price.toLowerCase()), path, 'price')
      }
      const specs = ld.additionalProperty?.map(({ name, value }) => ({ name, value }))
      check(isDeepStrictEqual(specs, profile.specs), path, 'specs')
      check(text.includes(`Released: ${profile.released}`), path, 'release in Markdown')
      check(ld.releaseDate === profile.released, path, 'releaseDate')
    }
    expect(visits).toHaveLength(profiles.length)
    expect(wrong).toEqual([])
  })

  test('JSON-LD fields appear exactly on their condition', { timeout: 180_000 }, async () => {
    const wrong: string[] = []
    for (const { profile, path, ld } of await visitAll()) {
      const conditions: Record<string, boolean> = {
        model: 'model' in ld === (profile.model !== null),
        brand: 'brand' in ld === (profile.brand !== null),
        image: 'image' in ld === profile.images.length > 0,
        enrichmentEndpoint:
          'enrichmentEndpoint' in ld === (profile.verificationStatus !== 'manufacturer_verified'),
        aggregateRating:
          'aggregateRating' in ld === (profile.rating !== null && (profile.reviewCount ?? 0) > 0),
        availability: 'availability' in ld.offers === profile.discontinued,
        offerCount: (ld.offers.offerCount ?? 0) === profile.whereToBuy.length,
      }
      for (const [field, holds] of Object.entries(conditions)) if (!holds) wrong.push(`${path}: ${field}`)
    }
    expect(wrong).toEqual([])
  })

  test('says on every page and in every Markdown document, once, that it is fictional', async () => {
    for (const path of [
      '/',
      '/c/tents',
      '/c/tents.md',
      '/p/tents/tarnhollow-skein-2',
      '/p/tents/tarnhollow-skein-2.md',
    ]) {
      expect((await (await get(path)).text()).match(/fictional/gi), path).toHaveLength(1)
    }
  })
})

function textOf(html: string): string {
  const pieces: string[] = []
  let isScript = false
  const parser = new Parser({
    onopentag(name, { datetime }) {
      isScript = name === 'script'
      if (datetime) pieces.push(` ${datetime} `)
    },
    ontext: (text) => isScript || pieces.push(text),
    onclosetag() {
      isScript = false
    },
  })
  parser.end(html)
  return pieces.join('')
}

const SKEIN = '/p/tents/tarnhollow-skein-2'

describe('addresses', () => {
  test.each([
    '/p/tents/no-such-thing',
    '/p/air-fryers/tarnhollow-skein-2',
    '/p/no-such/tarnhollow-skein-2',
    '/c/no-such',
    '/p/tents/Tarnhollow-Skein-2',
    '/p/tents/%2e%2e',
  ])('%s is a static 404 in every form, with no JSON body', async (path) => {
    for (const extension of ['', '.md', '.json']) {
      const response = await get(`${path}${extension}`)
      expect(response.status).toBe(404)
      expect(response.headers.get('content-type')).toMatch(/^text\//)
      expect((await response.text()).trim()).not.toMatch(/^[{["]/)
    }
  })

  test('a person gets a 404 page, a machine a line of text', async () => {
    const page = await get('/p/tents/no-such-thing', { accept: 'text/html,*/*;q=0.8' })
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=UTF-8'])
    expect(
      (await get('/p/tents/no-such-thing.json', { accept: 'text/html' })).headers.get('content-type'),
    ).toContain('text/plain')
  })

  test('the trailing slash makes no difference', async () => {
    expect((await get(`${SKEIN}/`)).headers.get('etag')).toBe((await get(SKEIN)).headers.get('etag'))
  })

  test('another method is 405 with Allow', async () => {
    const response = await souk.app.request(SKEIN, { method: 'POST' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })
})

describe('negotiation', () => {
  test.each([
    [undefined, 'html'],
    ['*/*', 'html'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'html'],
    ['text/markdown', 'md'],
    ['text/markdown, text/html;q=0.9', 'md'],
    ['text/html, text/markdown;q=0.5', 'html'],
    ['application/ld+json', 'json'],
    ['application/ld+json;q=0.3, text/markdown;q=0.2', 'json'],
    ['text/markdown;q=0', 'html'],
  ])('Accept %s gives %s on the plain address', async (accept, form) => {
    expect(negotiate(accept, ['html', 'md', 'json'])).toBe(form)
    const response = await get(SKEIN, accept ? { accept } : {})
    expect(response.headers.get('content-type')).toContain(
      { html: 'text/html', md: 'text/markdown', json: 'application/ld+json' }[form as 'html'],
    )
    expect(response.headers.get('vary')).toBe('Accept, Accept-Encoding')
  })

  test('machine forms are noindex, the page is not, and each names the others', async () => {
    for (const path of [`${SKEIN}.md`, `${SKEIN}.json`, '/c/tents.md'])
      expect((await get(path)).headers.get('x-robots-tag')).toBe('noindex')
    expect((await get(SKEIN)).headers.get('x-robots-tag')).toBeNull()
    expect((await get(SKEIN)).headers.get('link')).toBe(
      `<${SKEIN}.md>; rel="alternate"; type="text/markdown", <${SKEIN}.json>; rel="alternate"; type="application/ld+json"`,
    )
    const page = await (await get(SKEIN)).text()
    expect(page).toContain('rel="alternate"')
    expect(page).toContain(`${SKEIN}.md`)
  })
})

describe('caching', () => {
  test('a strong ETag and Last-Modified; asking again with either is 304', async () => {
    const first = await get(`${SKEIN}.json`)
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]{22}"$/)
    const conditions: Array<Record<string, string>> = [
      { 'if-none-match': etag },
      { 'if-none-match': `"x", W/${etag}` },
      { 'if-modified-since': first.headers.get('last-modified') ?? '' },
    ]
    for (const headers of conditions) {
      const again = await get(`${SKEIN}.json`, headers)
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
    }
    expect(
      (
        await get(`${SKEIN}.json`, {
          'if-none-match': '"other"',
          'if-modified-since': new Date(2_000_000_000_000).toUTCString(),
        })
      ).status,
    ).toBe(200)
  })

  test('gzip and brotli carry the same bytes under tags of their own', async () => {
    const plain = await (await get(`${SKEIN}.md`)).text()
    const gzip = await get(`${SKEIN}.md`, { 'accept-encoding': 'gzip' })
    const brotli = await get(`${SKEIN}.md`, { 'accept-encoding': 'gzip, br' })
    expect(gunzipSync(Buffer.from(await gzip.arrayBuffer())).toString()).toBe(plain)
    expect(brotliDecompressSync(Buffer.from(await brotli.arrayBuffer())).toString()).toBe(plain)
    const tags = [gzip, brotli].map((response) => response.headers.get('etag'))
    expect(new Set([...tags, (await get(`${SKEIN}.md`)).headers.get('etag')]).size).toBe(3)
    expect(
      (await get(`${SKEIN}.md`, { 'accept-encoding': 'br', 'if-none-match': tags[1] ?? '' })).status,
    ).toBe(304)
  })

  test.each([
    ['br;q=0, gzip', 'gzip'],
    ['identity', 'identity'],
    ['*', 'gzip'],
    ['gzip;q=0', 'identity'],
    ['', 'identity'],
  ])('Accept-Encoding %j gives %s', (header, encoding) => expect(chooseEncoding(header)).toBe(encoding))

  test('a committed change is in every form at the next read', async () => {
    const row = {
      category: 'tents',
      slug: 'tarnhollow-skein-2',
      title: 'Tarnhollow Skein 2 Ultralight Backpacking Tent',
      price: { low: 111, high: 222 },
    }
    const paths = [SKEIN, `${SKEIN}.md`, `${SKEIN}.json`, '/c/tents', '/c/tents.md']
    for (const path of paths) await get(path)
    souk.clock.advance(60_000)
    await importProducts(souk.ctx, one(row), { format: 'jsonl', source: 'test', fingerprint: 'change' })
    await souk.catchUp()
    for (const path of paths) {
      const response = await get(path)
      expect(await response.text(), path).toContain('$111 – $222')
      expect(response.headers.get('last-modified')).toBe('Sun, 01 Nov 2026 12:01:00 GMT')
    }
  })

  test("a category's new label is on its products too, and moves their date", async () => {
    const before = await get('/p/laptops/kestwick-vela-13.json')
    souk.clock.advance(60_000)
    await importCategories(souk.ctx, [{ slug: 'laptops', label: 'Portable computers', description: 'New.' }])
    await souk.catchUp()
    const after = JsonLd.parse(await (await get('/p/laptops/kestwick-vela-13.json')).json())
    expect(after.category).toBe('Portable computers')
    expect(Date.parse(after.dateModified)).toBeGreaterThan(
      Date.parse(before.headers.get('last-modified') ?? ''),
    )
  })

  test('a new product and a new category appear on the pages that list them', async () => {
    await get('/')
    await importCategories(souk.ctx, [{ slug: 'kites', label: 'Kites', description: 'Things on strings.' }])
    await importProducts(souk.ctx, one({ category: 'kites', title: 'Plain Kite' }), {
      format: 'jsonl',
      source: 'test',
      fingerprint: 'kite',
    })
    await souk.catchUp()
    expect(await (await get('/')).text()).toContain('/c/kites')
    expect(await (await get('/c/kites.md')).text()).toContain('Plain Kite')
    const ld = JsonLd.parse(await (await get('/p/kites/plain-kite.json')).json())
    expect(ld.offers.priceRange).toBe('See sellers')
    expect(Object.keys(ld)).toEqual([
      '@context',
      '@type',
      'name',
      'category',
      'url',
      'verificationStatus',
      'enrichmentEndpoint',
      'offers',
      'dateModified',
    ])
  })
})

async function* one(row: unknown): AsyncGenerator<Uint8Array> {
  yield Buffer.from(JSON.stringify(row))
}

describe('golden files', () => {
  test.each(['tents/basecairn-stormkeep-3', 'air-fryers/ovenbird-crisp-3', 'tablets'])(
    'the Markdown of %s is as recorded',
    async (name) => {
      const path = name.includes('/') ? `/p/${name}.md` : `/c/${name}.md`
      const response = await get(path)
      expect(response.status).toBe(200)
      const markdown = (await response.text()).replaceAll(BASE_URL, 'https://souk.example')
      await expect(markdown).toMatchFileSnapshot(`../golden/reads/${name.replace('/', '-')}.md`)
    },
  )

  test('the JSON-LD of a product is as recorded', async () => {
    const json = (await (await get('/p/air-fryers/ovenbird-crisp-3.json')).text()).replaceAll(
      BASE_URL,
      'https://souk.example',
    )
    await expect(json).toMatchFileSnapshot('../golden/reads/air-fryers-ovenbird-crisp-3.json')
  })
})

describe('pictures and assets', () => {
  test('the drawing of every product is served as SVG under its own address', async () => {
    for (const slug of [
      'tents/tarnhollow',
      'laptops/plain',
      'unknown/x',
      'tents/dome-large/navy',
      'tents/bell/tarnhollow~2',
    ]) {
      const response = await get(`/pictures/${slug}.svg`)
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'image/svg+xml; charset=utf-8',
      ])
      expect(await response.text()).toMatch(/^<svg /)
    }
    expect((await get('/pictures/tents/spaceship/navy.svg')).status).toBe(404)
  })

  test('the stylesheet named by a page is there and may be kept for a year', async () => {
    const href = /href="(\/assets\/[^"]+\.css)"/.exec(await (await get('/')).text())?.[1] ?? ''
    const response = await get(href)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toContain('immutable')
  })
})
