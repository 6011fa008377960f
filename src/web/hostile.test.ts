/**
 * Product text as an attacker would write it, put into the database behind the import's back, and read through the
 * HTTP interface: whatever is stored, no form can be broken by it.
 */
import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import MarkdownIt from 'markdown-it'
import { beforeAll, describe, expect, test } from 'vitest'
import { createTestApp } from '../../test/harness.ts'
import { importCategories } from '../catalog/categories.service.ts'
import { importProducts } from '../catalog/import.service.ts'

let souk: Awaited<ReturnType<typeof createTestApp>>
const TEXTS = ['title', 'model', 'verdict'] as const
const FULL = {
  category: 'traps',
  slug: 'trap',
  title: 'Plain',
  model: 'Plain',
  description: 'Plain',
  verdict: 'Plain',
  brand: 'Plain',
  price: 5,
  list_price: 6,
  rating: 4,
  review_count: 3,
  released: '2024',
  specs: { Plain: 'Plain' },
  themes: [{ theme: 'Plain', sentiment: 'mixed', share: 0.5, summary: 'Plain' }],
  best_for: ['Plain'],
  not_for: ['Plain'],
  where_to_buy: [{ name: 'Plain', url: 'https://shop.example/x', price: 5 }],
}

beforeAll(async () => {
  souk = await createTestApp()
  await importCategories(souk.ctx, [{ slug: 'traps', label: 'Traps' }])
  const bytes = (async function* () {
    yield Buffer.from(JSON.stringify(FULL))
  })()
  await importProducts(souk.ctx, bytes, { format: 'jsonl', source: 'Plain', fingerprint: 'trap' })
})

/** Everything a producer or reviewer can write, replaced by one text. */
async function fill(text: string): Promise<void> {
  const set = TEXTS.map((column) => `${column} = $1`).join(', ')
  await souk.database.pool.query(
    `update products set ${set}, description = $2, best_for = array[$1::text], not_for = array[$1::text],
       specs = jsonb_build_array(jsonb_build_object('name', $1::text, 'value', $1::text)),
       themes = jsonb_build_array(jsonb_build_object('theme', $1::text, 'sentiment', 'mixed', 'share', 0.5, 'summary', $1::text)),
       where_to_buy = jsonb_build_array(jsonb_build_object('name', $1::text, 'url', 'https://shop.example/x', 'priceCents', 500)),
       provenance = jsonb_build_object('title', jsonb_build_object('source', $1::text, 'verifiedAt', null))`,
    // A description may have paragraphs, which would be a change of shape that is meant.
    [text, text.replace(/\s+/g, ' ')],
  )
  await souk.database.pool.query('update brands set name = $1', [text])
  await souk.database.pool.query(
    `insert into changes (product_id, category_id, aspect) select id, category_id, 'text' from products`,
  )
  await souk.catchUp()
}

const read = async (path: string) => (await souk.app.request(path)).text()

/** The elements in order, each with the names of its attributes. */
function skeleton(html: string): string[] {
  const found: string[] = []
  const parser = new Parser({
    onopentag: (name, attributes) => void found.push(`${name}[${Object.keys(attributes).sort().join(' ')}]`),
  })
  parser.end(html)
  return found
}

const markdown = new MarkdownIt({ html: true })
const PATHS = { html: ['/p/traps/trap', '/c/traps', '/'], md: ['/p/traps/trap.md', '/c/traps.md'] }

async function shapes(): Promise<string[][]> {
  const pages = await Promise.all(PATHS.html.map(read))
  const documents = await Promise.all(PATHS.md.map(read))
  return [...pages, ...documents.map((source) => markdown.render(source))].map(skeleton)
}

describe('hostile product text', () => {
  test.each([
    '</script><img src=x onerror=alert(1)>',
    '"><svg onload=alert(1)>',
    '# heading\n\n- list\n\n| a | b |\n|---|---|\n```\ncode',
    '[link](javascript:alert(1)) ![x](https://evil.example/p.png) <https://evil.example> **bold**',
    '--- === *** ___ > quote &lt;b&gt; \\ ` ~~',
    '{{constructor.constructor("x")()}} #{x} <%= x %>',
  ])('%j changes nothing but the text, in every form', async (text) => {
    await fill('Plain')
    const expected = await shapes()
    await fill(text)
    expect(await shapes()).toEqual(expected)
    const ld = JSON.parse(await read('/p/traps/trap.json'))
    expect(ld).toMatchObject({
      name: text,
      model: text,
      brand: { name: text },
      additionalProperty: [{ name: text, value: text }],
    })
  })

  test('nor does any mixture of such pieces', async () => {
    await fill('Plain')
    const expected = await shapes()
    const piece = fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '&',
      '</script>',
      '<!--',
      '-->',
      '<b>',
      '`',
      '*',
      '_',
      '[',
      '](',
      ')',
      '|',
      '#',
      '\n',
      '- ',
      '1. ',
      '> ',
      '\\',
      '~',
      '=',
      'x',
      ' ',
      '\u2028',
      'é',
      ']]>',
      '&#60;',
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { minLength: 1, maxLength: 40 }).map((parts) => `x${parts.join('')}`),
        async (text) => {
          await fill(text)
          expect(await shapes()).toEqual(expected)
          expect(JSON.parse(await read('/p/traps/trap.json')).name).toBe(text)
        },
      ),
      { numRuns: 40 },
    )
  })
})
