/** Link previews: there is one for every title, its words fit, and it shows what the catalog says now. */
import { Resvg } from '@resvg/resvg-js'
import fc from 'fast-check'
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { anyText } from '../../../test/any-text.ts'
import { BASE_URL, createTestApp } from '../../../test/harness.ts'
import { addProduct } from '../../../test/products.ts'
import type { CategorySummary } from '../../catalog/catalog.service.ts'
import type { ProductProfile } from '../../catalog/profile.ts'
import type { HttpEnv } from '../../http/env.ts'
import { manualClock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import {
  breakLines,
  categoryCard,
  drawable,
  drawCard,
  OPTIONS,
  productCard,
  renderCard,
  SOUK_CARD,
} from './preview.ts'
import { categoryPreviewPath, productPreviewPath, SOUK_PREVIEW } from './preview-path.ts'
import { AT_ONCE, createPreviewMaker, mountPreviews, WAITING } from './previews.routes.ts'

const world = await createTestApp()
const { app } = world
const TENT = {
  slug: 'stormkeep',
  category: 'tents',
  title: 'Stormkeep 3',
  brand: 'Basecairn',
  price: { low: 429, high: 479 },
}
await addProduct(world, TENT)

const SHOWN = {
  title: 'Stormkeep 3',
  category: { slug: 'tents', label: 'Tents' },
  brand: { name: 'Basecairn', domain: null },
  priceLowCents: 42_900,
  priceHighCents: 47_900,
  rating: 4.6,
  reviewCount: 1_234,
}
const draw = (shown: object) => drawCard(productCard({ ...SHOWN, ...shown } as ProductProfile))
const TENTS = { slug: 'tents', label: 'Tents', productCount: 1, priceLowCents: 5, priceHighCents: 99_900 }
const drawCategory = (shown: object) => drawCard(categoryCard({ ...TENTS, ...shown } as CategorySummary))

/** What a reader of PNG files learns from the first chunk. */
function sizeOf(png: Buffer): { width: number; height: number } {
  expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n')
  expect(png.toString('latin1', 12, 16)).toBe('IHDR')
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) }
}

async function see(address: string, headers: Record<string, string> = {}) {
  const response = await app.request(address, { headers })
  return { response, png: Buffer.from(await response.arrayBuffer()) }
}

const textsIn = (svg: string) =>
  [...svg.matchAll(/<text [^>]*>(.*?)<\/text>/g)].flatMap(([, markup = '']) =>
    markup.split(/<[^>]*>/).filter((text) => text !== ''),
  )
const MOST_BYTES = 80_000

describe('over HTTP', () => {
  test.each([
    ['a product', productPreviewPath({ slug: 'stormkeep', category: { slug: 'tents' } })],
    ['a category', categoryPreviewPath({ slug: 'tents' })],
    ['every other page', SOUK_PREVIEW],
  ])('%s has a picture of 1200 by 630 that anybody may keep for an hour', async (_, address) => {
    const { response, png } = await see(address, { 'accept-encoding': 'gzip, br' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(response.headers.get('cache-control')).toBe('public, max-age=3600')
    expect(response.headers.get('content-encoding')).toBeNull()
    expect(sizeOf(png)).toEqual({ width: 1200, height: 630 })
    expect(png.length).toBeLessThan(MOST_BYTES)
    const again = await see(address, { 'if-none-match': response.headers.get('etag') ?? 'none' })
    expect([again.response.status, again.png.length]).toEqual([304, 0])
  })

  test.each([
    '/previews/p/tents/nothing.png',
    '/previews/p/chairs/stormkeep.png',
    '/previews/p/tents/stormkeep.svg',
    '/previews/p/tents/STORM%00.png',
    '/previews/p/tents/a/b.png',
    '/previews/c/nothing.png',
    '/previews/c/__proto__.png',
    '/previews/nothing.png',
  ])('%s is not there, in plain text', async (address) => {
    const { response, png } = await see(address)
    expect([response.status, String(png)]).toEqual([404, 'Not found.\n'])
  })

  test('a new price is a new picture immediately', async () => {
    const address = '/previews/p/tents/stormkeep.png'
    const before = await see(address)
    await addProduct(world, { ...TENT, price: { low: 399, high: 479 } })
    const after = await see(address, { 'if-none-match': before.response.headers.get('etag') ?? '' })
    expect(after.response.status).toBe(200)
    expect(after.png.equals(before.png)).toBe(false)
    await addProduct(world, TENT)
    const back = await see(address)
    expect(back.response.headers.get('etag')).toBe(before.response.headers.get('etag'))
  })

  test('pages name the picture by its whole address, with its size and words for it', async () => {
    const head = await (await app.request('/docs', { headers: { accept: 'text/html' } })).text()
    for (const [name, content] of [
      ['og:image', `${BASE_URL}${SOUK_PREVIEW}`],
      ['og:image:type', 'image/png'],
      ['og:image:width', '1200'],
      ['og:image:height', '630'],
      ['og:image:alt', 'Souk: a product catalog for people and their agents'],
    ])
      expect(head).toContain(`<meta property="${name}" content="${content}"/>`)
    expect(head).toContain('<meta name="twitter:card" content="summary_large_image"/>')
  })
})

describe('what is drawn', () => {
  test.each([
    ['200 letters in words', 'extraordinary geodesic expedition shelter '.repeat(5).slice(0, 200)],
    ['200 letters without a space', 'W'.repeat(200)],
    ['markup', `</text><script>alert(1)</script> & "quoted" 'too' ]]> <!-- <![CDATA[ &lt;`],
    ['controls and halves of characters', `a\u0000b\u0008c\u202ed\ufffee\ud800f\udc00g`],
    ['Hebrew', 'אוהל לשלושה אנשים'],
    ['Arabic', 'خيمة لثلاثة أشخاص'],
    ['Chinese', '三人超轻帐篷'],
    ['emoji', '⛺️👨‍👩‍👧🏕️'],
    ['Cyrillic and Greek', 'Палатка Στέγαστρο'],
    ['nothing', ''],
  ])('a title of %s makes a whole picture', async (_, title) => {
    const png = await renderCard(productCard({ ...SHOWN, title } as ProductProfile))
    expect(sizeOf(png)).toEqual({ width: 1200, height: 630 })
    expect(png.length).toBeLessThan(MOST_BYTES)
  })

  test('a product is named with its brand, price, rating and number of reviews', async () => {
    expect(textsIn(await draw({}))).toEqual([
      'Basecairn',
      'Stormkeep 3',
      '$429 – $479',
      '4.6',
      '1,234 reviews',
      'Souk',
    ])
    const bare = { brand: null, priceLowCents: null, priceHighCents: null, rating: null, reviewCount: null }
    expect(textsIn(await draw(bare))).toEqual(['Stormkeep 3', 'Souk'])
  })

  test('a category is named with its number of products and what they cost', async () => {
    expect(textsIn(await drawCategory({}))).toEqual([
      'Category',
      'Tents',
      '$0.05 – $999',
      '1 product',
      'Souk',
    ])
  })

  test('the whole site’s picture says all of its sentence', async () => {
    expect(textsIn(await drawCard(SOUK_CARD)).join(' ')).not.toContain('…')
  })

  test('a title that the font cannot draw gives way to the kind of thing, and shows no boxes', async () => {
    expect(textsIn(await draw({ title: '三人超轻帐篷' }))).toContain('Tents')
    expect(drawable('三人超轻帐篷 XL')).toBeNull()
    expect(drawable('⛺ Stormkeep – 三 3')).toBe('Stormkeep – 3')
  })

  test('both cuts of the font have a glyph for every character that is drawn', () => {
    const characters = Array.from({ length: 0x2fff - 0x20 }, (_, at) => String.fromCodePoint(0x21 + at))
    const drawn = characters.filter((character) => drawable(`aa${character}`)?.length === 3)
    expect(drawn.length).toBeGreaterThan(500)
    for (const weight of [400, 600]) {
      const box = (text: string) => boxOf(`<text x="0" y="80" font-weight="${weight}">${text}</text>`)
      const missing = box('三')
      expect(missing.width).toBeGreaterThan(0)
      const boxes = drawn.filter((character) => {
        const { width, height } = box(`&#${character.codePointAt(0)};`)
        return width === missing.width && height === missing.height
      })
      expect(boxes).toEqual([])
    }
  })

  test('hostile words stay words: no title, brand or label adds an element or a character XML forbids', async () => {
    const shape = (svg: string) =>
      svg
        .replace(/>[^<]*</g, '><')
        .match(/<[a-z]+/g)
        ?.filter((tag) => tag !== '<text')
    const expected = shape(await draw({}))
    await fc.assert(
      fc.asyncProperty(anyText({ maxLength: 250 }), fc.string({ maxLength: 60 }), async (title, name) => {
        const brand = { name, domain: null }
        const svg = await draw({ title: `${title}<b a='1'>"${name}`, brand })
        expect(shape(svg)).toEqual(expected)
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
        expect(svg).not.toMatch(/[\u0000-\u001f\ufffe\uffff]/)
        expect(svg.isWellFormed()).toBe(true)
      }),
      { numRuns: 100 },
    )
  })

  test('a title has at most three lines, and loses nothing unless it says so', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }), (text) => {
        const title = drawable(text)
        if (title === null) return
        const { lines, whole } = breakLines(title, 20)
        expect(lines.length).toBeLessThanOrEqual(3)
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(20)
        if (whole) expect(lines.join(' ')).toBe(title)
        else if (!lines.at(-1)?.endsWith('…'))
          expect(lines.join('').replaceAll(' ', '')).toBe(title.replaceAll(' ', ''))
      }),
      { numRuns: 300 },
    )
  })

  test('no words reach the drawing or leave the picture, however much there is to say', async () => {
    const much = {
      title: 'Extraordinary '.repeat(14),
      brand: { name: 'W'.repeat(80), domain: null },
      priceLowCents: 9_999_999_999,
      priceHighCents: 10_000_000_000,
      reviewCount: Number.MAX_SAFE_INTEGER,
    }
    const category = { label: 'W'.repeat(80), productCount: 10 ** 15, priceHighCents: 10_000_000_000 }
    const texts = [
      await drawCard(SOUK_CARD),
      await draw(much),
      await draw({ title: 'M M M M M M M M M M M M M M M M M' }),
      await draw({ title: 'Three lines of the largest letters' }),
      await drawCategory(category),
    ].flatMap((svg) => [...svg.matchAll(/<text .*?<\/text>/g)].map(([text]) => text))
    expect(texts.length).toBeGreaterThan(20)
    for (const text of texts) {
      const { x, y, width, height } = boxOf(text)
      expect(x + width, text).toBeLessThan(660)
      expect(y + height, text).toBeLessThan(text.includes('>Souk<') ? 600 : 530)
    }
  })
})

/** What the renderer measures. */
function boxOf(text: string) {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630" font-weight="600">${text}</svg>`
  return new Resvg(svg, OPTIONS).getBBox() ?? { x: 0, y: 0, width: 0, height: 0 }
}

describe('the maker', () => {
  const cardOf = (title: string) => ({ titles: [title], drawings: [] })
  const cards = Array.from({ length: 6 }, (_, index) => cardOf(`Card ${index}`))

  test('makes each picture once however many ask, one or two at a time, and keeps it', async () => {
    const [made, atOnce]: [string[], number[]] = [[], []]
    let running = 0
    const make = createPreviewMaker(manualClock('2026-11-01T00:00:00Z'), async ({ titles }) => {
      atOnce.push(++running)
      made.push(titles.join())
      await new Promise((resolve) => setTimeout(resolve, 5))
      running--
      return Buffer.from(titles.join())
    })
    await Promise.all([...cards, ...cards, ...cards].map((card) => make({ ...card })))
    await Promise.all(cards.map(make))
    expect(made.toSorted()).toEqual(cards.flatMap(({ titles }) => titles))
    expect(Math.max(...atOnce)).toBe(AT_ONCE)
  })

  test('a refused caller gets a time to retry, and no error is logged', async () => {
    const app = new Hono<HttpEnv>()
    const busy = new AppError('unavailable', 'too many', { retryAfterSeconds: 5 })
    mountPreviews(app, { orgs: world.orgs }, () => Promise.reject(busy))
    const response = await app.request('/previews/souk.png')
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
  })

  test('refuses requests beyond the line immediately, and makes the others', async () => {
    const gate = Promise.withResolvers<void>()
    const make = createPreviewMaker(manualClock('2026-11-01T00:00:00Z'), async ({ titles }) => {
      await gate.promise
      return Buffer.from(titles.join())
    })
    const taken = Array.from({ length: AT_ONCE + WAITING }, (_, index) => make(cardOf(`Card ${index}`)))
    await expect(make(cardOf('Late'))).rejects.toMatchObject({ kind: 'unavailable', retryAfterSeconds: 5 })
    gate.resolve()
    expect(await Promise.all(taken)).not.toContain(null)
  })

  test('a picture that failed is tried again by the next who asks', async () => {
    let asked = 0
    const make = createPreviewMaker(manualClock('2026-11-01T00:00:00Z'), async () => {
      if (asked++ === 0) throw new Error('no memory')
      return Buffer.from('fine')
    })
    await expect(make(cardOf('Once'))).rejects.toThrow('no memory')
    expect((await make(cardOf('Once')))?.variants.get('identity')?.body.toString()).toBe('fine')
  })
})
