/** The pictures for links: whatever a product is called there is one, it fits, and it shows what the catalog says now. */
import fc from 'fast-check'
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { BASE_URL, createTestApp } from '../../../test/harness.ts'
import { addProduct } from '../../../test/products.ts'
import type { HttpEnv } from '../../http/env.ts'
import { manualClock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { loadFonts } from './fonts.ts'
import { drawCategoryPreview, drawProductPreview, drawSoukPreview } from './preview.svg.ts'
import { AT_ONCE, createPreviewMaker, renderPng, WAITING } from './preview-maker.ts'
import { categoryPreviewPath, productPreviewPath, SOUK_PREVIEW } from './preview-path.ts'
import { mountPreviews } from './previews.routes.ts'
import { breakLines, drawable } from './set-text.ts'

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

const textsIn = (svg: string) => [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text]) => text)

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
    expect(png.length).toBeLessThan(60_000)
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

  test('a new price is a new picture at once', async () => {
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
    const png = await renderPng(drawProductPreview({ ...SHOWN, title }))
    expect(sizeOf(png)).toEqual({ width: 1200, height: 630 })
    expect(png.length).toBeLessThan(60_000)
  })

  test('a product is named with its brand, price, rating and number of reviews', () => {
    expect(textsIn(drawProductPreview(SHOWN))).toEqual([
      'Basecairn',
      'Stormkeep 3',
      '$429 – $479',
      '4.6',
      '1,234 reviews',
      'Souk',
    ])
    const bare = { ...SHOWN, brand: null, priceLowCents: null, priceHighCents: null, rating: null }
    expect(textsIn(drawProductPreview({ ...bare, reviewCount: null }))).toEqual(['Stormkeep 3', 'Souk'])
  })

  test('a category is named with its number of products and what they cost', () => {
    const category = {
      slug: 'tents',
      label: 'Tents',
      productCount: 1,
      priceLowCents: 5,
      priceHighCents: 99_900,
    }
    expect(textsIn(drawCategoryPreview(category))).toEqual([
      'Category',
      'Tents',
      '$0.05 – $999',
      '1 product',
      'Souk',
    ])
  })

  test('the whole site’s picture says all of its sentence', () => {
    expect(textsIn(drawSoukPreview()).join(' ')).not.toContain('…')
  })

  test('a title that the font cannot draw gives way to the kind of thing, and shows no boxes', () => {
    expect(textsIn(drawProductPreview({ ...SHOWN, title: '三人超轻帐篷' }))).toContain('Tents')
    const { semibold } = loadFonts()
    expect(drawable('三人超轻帐篷 XL', semibold)).toBeNull()
    expect(drawable('⛺ Stormkeep – 三 3', semibold)).toBe('Stormkeep – 3')
  })

  test('hostile words stay words: no title, brand or label adds an element or a character XML forbids', () => {
    const shape = (svg: string) =>
      svg
        .replace(/>[^<]*</g, '><')
        .match(/<[a-z]+/g)
        ?.filter((tag) => tag !== '<text')
    const expected = shape(drawProductPreview(SHOWN))
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 250 }),
        fc.string({ maxLength: 60 }),
        (title, name) => {
          const brand = { name, domain: null }
          const svg = drawProductPreview({ ...SHOWN, title: `${title}<b a='1'>"${name}`, brand })
          expect(shape(svg)).toEqual(expected)
          // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
          expect(svg).not.toMatch(/[\u0000-\u001f\ufffe\uffff]/)
          expect(svg.isWellFormed()).toBe(true)
        },
      ),
      { numRuns: 100 },
    )
  })

  test('no line is wider than its column, and there are never more than three', () => {
    const { semibold } = loadFonts()
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }), (text) => {
        const title = drawable(text, semibold)
        if (title === null) return
        const { lines, cut } = breakLines(title, { font: semibold, size: 50, width: 560, most: 3 })
        expect(lines.length).toBeLessThanOrEqual(3)
        for (const line of lines) expect(semibold.widthOf(line, 50)).toBeLessThanOrEqual(560)
        if (cut) expect(lines.at(-1)?.endsWith('…')).toBe(true)
        else expect(lines.join('').replaceAll(' ', '')).toBe(title.replaceAll(' ', ''))
      }),
      { numRuns: 300 },
    )
  })

  test('no words reach the drawing or leave the picture, however much there is to say', () => {
    const much = {
      ...SHOWN,
      title: 'Extraordinary '.repeat(14),
      brand: { name: 'Consolidated Amalgamated Manufacturing Works of the North', domain: null },
      priceLowCents: 9_999_999_999,
      priceHighCents: 10_000_000_000,
      reviewCount: Number.MAX_SAFE_INTEGER,
    }
    const category = { slug: 'x', label: 'W'.repeat(80), productCount: 10 ** 15 }
    const { regular, semibold } = loadFonts()
    const ends = [
      drawSoukPreview(),
      drawProductPreview(much),
      drawCategoryPreview({ ...category, priceLowCents: 1, priceHighCents: 10_000_000_000 }),
    ].flatMap((svg) =>
      [
        ...svg.matchAll(
          /<text x="(\d+)" y="(\d+)" [^>]*font-weight="(\d+)" font-size="(\d+)"[^>]*>([^<]*)</g,
        ),
      ].map(([, x, y, weight, size, text = '']) => ({
        text,
        x: Number(x) + (weight === '600' ? semibold : regular).widthOf(text, Number(size)),
        y: Number(y),
      })),
    )
    expect(ends.length).toBeGreaterThan(12)
    expect(ends.filter(({ x, y }) => x > 660 || y > 600)).toEqual([])
    for (const { text, y } of ends) expect(text === 'Souk' || y < 530, text).toBe(true)
  })

  test('measured widths are those of the renderer', async () => {
    const { Resvg } = await import('@resvg/resvg-js')
    const { regular, semibold } = loadFonts()
    for (const font of [regular, semibold]) {
      const text = 'Hamburgefonstiv 0123456789 $1,299'
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="100"><text y="80" font-family="Source Serif 4" font-weight="${font.weight}" font-size="50">${text}</text></svg>`
      const options = { font: { loadSystemFonts: false, fontFiles: [regular.file, semibold.file] } }
      const drawn = new Resvg(svg, options).getBBox()?.width ?? 0
      expect(Math.abs(font.widthOf(text, 50) - drawn) / drawn).toBeLessThan(0.02)
    }
  })
})

describe('the maker', () => {
  const svgs = Array.from({ length: 6 }, (_, index) => `<svg n="${index}"/>`)

  test('makes each picture once however many ask, one or two at a time, and keeps it', async () => {
    const [made, atOnce]: [string[], number[]] = [[], []]
    let running = 0
    const maker = createPreviewMaker(manualClock('2026-11-01T00:00:00Z'), async (svg) => {
      atOnce.push(++running)
      made.push(svg)
      await new Promise((resolve) => setTimeout(resolve, 5))
      running--
      return Buffer.from(svg)
    })
    await Promise.all([...svgs, ...svgs, ...svgs].map((svg) => maker.make(svg)))
    await Promise.all(svgs.map((svg) => maker.make(svg)))
    expect(made.toSorted()).toEqual(svgs)
    expect(Math.max(...atOnce)).toBe(AT_ONCE)
  })

  test('who is turned away is told when to come again, and no fault is logged', async () => {
    const app = new Hono<HttpEnv>()
    const busy = new AppError('unavailable', 'too many', { retryAfterSeconds: 5 })
    mountPreviews(app, { orgs: world.orgs }, { make: () => Promise.reject(busy) })
    const response = await app.request('/previews/souk.png')
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
  })

  test('turns away at once who would wait too long, and makes the others', async () => {
    const gate = Promise.withResolvers<void>()
    const maker = createPreviewMaker(manualClock('2026-11-01T00:00:00Z'), async (svg) => {
      await gate.promise
      return Buffer.from(svg)
    })
    const taken = Array.from({ length: AT_ONCE + WAITING }, (_, index) => maker.make(`<svg n="${index}"/>`))
    await expect(maker.make('<svg/>')).rejects.toMatchObject({ kind: 'unavailable', retryAfterSeconds: 5 })
    gate.resolve()
    expect(await Promise.all(taken)).not.toContain(null)
  })

  test('a picture that failed is tried again by the next who asks', async () => {
    let asked = 0
    const maker = createPreviewMaker(manualClock('2026-11-01T00:00:00Z'), async () => {
      if (asked++ === 0) throw new Error('no memory')
      return Buffer.from('fine')
    })
    await expect(maker.make('<svg/>')).rejects.toThrow('no memory')
    expect((await maker.make('<svg/>'))?.variants.get('identity')?.body.toString()).toBe('fine')
  })
})
