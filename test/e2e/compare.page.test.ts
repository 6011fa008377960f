/** Comparing over HTTP, in the demo catalog and with products as an attacker would write them. */
import { Parser } from 'htmlparser2'
import { describe, expect, test } from 'vitest'
import { createTestApp } from '../harness.ts'
import { asText } from '../html.ts'
import { addProduct } from '../products.ts'
import { createDemoApp, demoProducts } from './search.world.ts'

const world = await createDemoApp()
const { bySlug } = demoProducts()
const DIAL_52 = 'adjustable-dumbbells/ironpetal-dial-52'
const DIAL_90 = 'adjustable-dumbbells/ironpetal-dial-90'
const EASE_12 = 'adjustable-dumbbells/ironpetal-ease-12'
const CRISP_3 = 'air-fryers/ovenbird-crisp-3'
const TENT = 'tents/basecairn-stormkeep-3'

const titleOf = (slug: string) => bySlug.get(slug.split('/')[1] ?? '')?.title ?? `no ${slug}`

async function read(query: string, app = world.app): Promise<string> {
  const response = await app.request(`/compare${query}`)
  expect(response.status).toBe(200)
  return response.text()
}

const named = (...slugs: string[]) => `?${slugs.map((slug) => `p=${slug}`).join('&')}`
const columns = (html: string) =>
  [...html.matchAll(/<th scope="col">(.*?)<\/th>/gs)].map(([, cell = '']) => asText(cell))
const rowNames = (html: string) =>
  [...html.matchAll(/<th scope="row">(.*?)<\/th>/gs)].map(([, cell = '']) => asText(cell))
const row = (html: string, name: string) => {
  const at = html.indexOf(`<th scope="row">${name}`)
  expect(at, name).toBeGreaterThan(0)
  return html.slice(at, html.indexOf('</tr>', at))
}
/** The addresses of the links with these words in the main part, read as a browser reads them. */
const links = (html: string, words: RegExp) =>
  [...html.slice(html.indexOf('<main')).matchAll(/<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/gs)]
    .filter(([, , text = '']) => words.test(asText(text)))
    .map(([, href = '']) => asText(href))

describe('two products', () => {
  test('stand side by side, with what sets them apart said first and figures from the catalog', async () => {
    const html = await read(named(DIAL_52, DIAL_90))
    expect(html).toContain('<title>Ironpetal Dial 52 vs. Ironpetal Dial 90 · Souk</title>')
    expect(html).toContain('<meta name="robots" content="noindex"/>')
    expect(html).toMatch(
      /<p class="lead">Ironpetal Dial 52 has the lowest price \(\$379\), has the best rating \(4\.6 of 5\)/,
    )
    expect(columns(html)).toEqual([titleOf(DIAL_52), titleOf(DIAL_90)])
    expect(row(html, 'Price')).toMatch(/\$379 – \$399.*<span class="lowest">Lowest.*\$719 – \$749/s)
    expect(row(html, 'Price').match(/Lowest/g)).toHaveLength(1)
    expect(asText(row(html, 'Where to buy'))).toContain('$379 at Trailhead Depot')
    expect(asText(row(html, 'Released'))).toContain('March 2021')
    for (const { name, value } of bySlug.get('ironpetal-dial-90')?.specs ?? [])
      expect(asText(row(html, name))).toContain(value)
  })

  test('are named in any form, once each', async () => {
    const forms = [
      named(DIAL_52, DIAL_90, DIAL_52),
      `?p=${DIAL_52},${DIAL_90}`,
      '?p=ironpetal-dial-52&p=ironpetal-dial-90',
      `?p=${encodeURIComponent(`ironpetal-dial-52, ${DIAL_52}`)}&p=&p=${DIAL_90}`,
    ]
    for (const form of forms) expect(columns(await read(form)), form).toHaveLength(2)
  })

  test('each can be taken out by a link that keeps the rest', async () => {
    const html = await read(`${named(DIAL_52, DIAL_90)}&differences=1`)
    expect(links(html, /^Remove/)).toEqual([
      `/compare?p=${DIAL_90}&differences=1`,
      `/compare?p=${DIAL_52}&differences=1`,
    ])
    expect(columns(await read(links(html, /^Remove/)[0]?.replace('/compare', '') ?? ''))).toEqual([
      titleOf(DIAL_90),
    ])
  })

  test('rows that differ are marked; the equal ones are hidden by a link and come back by another', async () => {
    const all = await read(named(DIAL_52, DIAL_90))
    expect(asText(row(all, 'Weight range'))).toContain('(differs)')
    expect(asText(row(all, 'Adjustment'))).not.toContain('(differs)')
    const [hide = ''] = links(all, /^Hide \d+ identical rows$/)
    const few = await read(hide.replace('/compare', ''))
    const gone = rowNames(all).filter((name) => !rowNames(few).includes(name))
    expect(gone).toContain('Adjustment')
    expect(gone).not.toContain('Price')
    expect(all).toContain(`Hide ${gone.length} identical rows`)
    expect(links(few, new RegExp(`^Show ${gone.length} identical rows$`))).toEqual([
      `/compare${named(DIAL_52, DIAL_90)}`,
    ])
  })
})

test('five products: four are shown and the fifth is named as left out', async () => {
  const html = await read(named(DIAL_52, DIAL_90, EASE_12, CRISP_3, TENT))
  expect(columns(html)).toEqual([DIAL_52, DIAL_90, EASE_12, CRISP_3].map(titleOf))
  const notice = asText(/<div class="aside compare-notices".*?<\/div>/s.exec(html)?.[0] ?? '')
  expect(notice).toContain(`Not shown: ${titleOf(TENT)}`)
  expect(html).not.toContain('name="add"')
})

test('different kinds of things, and what is no longer made, are said to be', async () => {
  const html = await read(named(DIAL_52, CRISP_3))
  expect(asText(html)).toContain('different categories (Adjustable dumbbells and Air fryers)')
  expect(html).toContain('<p class="badge">Discontinued</p>')
  expect(asText(html)).toContain('Ovenbird Crisp 3 is discontinued')
  expect(asText(await read(named(DIAL_52, DIAL_90)))).not.toContain('different kinds')
})

test('an unknown product is told by its name with near ones, and the rest is shown', async () => {
  const html = await read(`${named(DIAL_52)}&p=tents/ironpetal-dial-90&p=%3Cb%3Eno`)
  expect(columns(html)).toEqual([titleOf(DIAL_52)])
  expect(html).toContain('We couldn’t find <strong>tents/ironpetal-dial-90</strong>')
  expect(html).toContain('We couldn’t find <strong>&lt;b&gt;no</strong>')
  expect(links(html, new RegExp(`^${titleOf(DIAL_90)}$`))).toEqual([`/compare${named(DIAL_52, DIAL_90)}`])
})

test('a flood of names is answered with a page of ordinary size', async () => {
  const names = Array.from({ length: 400 }, (_, at) => `p=${'x'.repeat(50)}-${at}`)
  const html = await read(`?${names.join('&')}`)
  expect(html.match(/We couldn’t find/g)?.length).toBeLessThanOrEqual(12)
  expect(html.length).toBeLessThan(30_000)
})

describe('adding', () => {
  test.each([
    ['a slug', 'ironpetal-dial-90'],
    ['a category and a slug', DIAL_90],
    ['a link to its page', `https://souk.example/p/${DIAL_90}?from=mail`],
  ])('by %s leads to the comparison with it', async (_, add) => {
    const response = await world.app.request(
      `/compare${named(DIAL_52)}&differences=1&add=${encodeURIComponent(add)}`,
    )
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toBe(`/compare${named(DIAL_52, DIAL_90)}&differences=1`)
  })

  test('by words finds others of the same kind, and of any kind by one more link', async () => {
    const same = await read(`${named(DIAL_52)}&add=dumbbells`)
    const found = links(same, /^Add .+ /).filter((href) => href.includes('&p='))
    expect(found).toHaveLength(5)
    for (const href of found) expect(href).toMatch(/&p=adjustable-dumbbells\/[a-z0-9-]+$/)
    const html = await read(`${named(DIAL_52)}&add=espresso+machine`)
    expect(html).toContain('value="espresso machine"')
    const [anywhere = ''] = links(html, /^Search all categories$/)
    const wide = await read(anywhere.replace('/compare', ''))
    expect(links(wide, /^Add .+ /).some((href) => href.includes('&p=espresso-machines/'))).toBe(true)
  })

  test('what is there already, and nothing at all, is told beside the field', async () => {
    const error = /<p class="field-error" id="field-add-error">(.*?)<\/p>/
    expect(error.exec(await read(`${named(DIAL_52)}&add=ironpetal-dial-52`))?.[1]).toContain('already')
    expect(error.exec(await read(`${named(DIAL_52)}&add=+`))?.[1]).toContain('Enter a product name')
  })

  test('up to four similar products are a link away, none of them there already', async () => {
    const html = await read(named(DIAL_52, DIAL_90))
    const similar = links(html, /^Add .+ /).filter((href) => href.includes('?p='))
    expect(similar).toHaveLength(4)
    for (const href of similar) {
      const slugs = new URL(href, 'http://x').searchParams.getAll('p')
      expect(slugs.slice(0, 2)).toEqual([DIAL_52, DIAL_90])
      expect(new Set(slugs).size).toBe(3)
    }
  })
})

describe('nothing named', () => {
  test('it says what to do, with the form and an example that works, and is a place of its own', async () => {
    const html = await read('')
    expect(html).toContain('<link rel="canonical" href="http://souk.test/compare"/>')
    expect(html).toContain('name="add"')
    const [example = ''] = links(html, / vs\. /)
    expect(columns(await read(example.replace('/compare', '')))).toHaveLength(2)
  })

  test('an empty catalog whose search is not ready is no trouble', async () => {
    const { app } = await createTestApp()
    expect(await read('', app)).not.toContain('Example</h2>')
    expect(await read('?p=a/b&add=kettle', app)).toContain('Search is starting')
  })
})

describe('hostile text', () => {
  const HOSTILE = `</td><script>alert(1)</script>"'><img src=x onerror=alert(1)>`

  /** The elements in order, each with the names of its attributes. */
  function skeleton(html: string): string[] {
    const found: string[] = []
    const parser = new Parser({
      onopentag: (name, attributes) =>
        void found.push(`${name}[${Object.keys(attributes).sort().join(' ')}]`),
    })
    parser.end(html)
    return found
  }

  test('changes nothing but the text, and a bad address is no link', async () => {
    const souk = await createTestApp()
    for (const slug of ['one', 'two'])
      await addProduct(souk, {
        ...{ slug, category: 'traps', title: slug, brand: 'Plain', model: slug, verdict: 'Plain' },
        ...{ price: 5, rating: 4, review_count: 3, released: '2024', specs: { Plain: slug } },
        ...{ best_for: ['Plain'], not_for: ['Plain'] },
        themes: [{ theme: 'Plain', sentiment: 'mixed', share: 0.5, summary: 'Plain' }],
        where_to_buy: [{ name: 'Plain', url: 'https://shop.example/x', price: 5 }],
      })
    const query = '?p=one&p=two'
    const fill = (text: string, url: string) =>
      souk.database.pool.query(
        `update products set title = $1, model = $1 || slug, verdict = $1, best_for = array[$1::text], not_for = array[$1::text],
           specs = jsonb_build_array(jsonb_build_object('name', $1::text, 'value', $1 || slug)),
           themes = jsonb_build_array(jsonb_build_object('theme', $1::text, 'sentiment', 'mixed', 'share', 0.5, 'summary', $1::text)),
           where_to_buy = jsonb_build_array(jsonb_build_object('name', $1::text, 'url', $2::text, 'priceCents', 500))`,
        [text, url],
      )
    await fill('Plain', 'https://shop.example/x')
    const expected = skeleton(await read(query, souk.app))
    await fill(HOSTILE, 'https://shop.example/x')
    const html = await read(query, souk.app)
    expect(skeleton(html)).toEqual(expected)
    expect(columns(html)).toEqual([HOSTILE, HOSTILE])
    await fill(HOSTILE, 'javascript:alert(1)')
    expect(await read(query, souk.app)).not.toContain('javascript:')
  })

  test('in the address it is said back as text', async () => {
    const html = await read(`?p=${encodeURIComponent(HOSTILE)}&add=${encodeURIComponent(HOSTILE)}`)
    expect(html).not.toContain('<img src=x')
    expect(html).not.toContain('<script>alert')
    expect(html).toContain('&lt;/td&gt;&lt;script&gt;')
  })
})
