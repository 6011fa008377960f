/**
 * Files of outsiders are read in threads of their own. What the node itself does with one is counted: how often a parser
 * runs in its own thread, how many rows it takes in one turn, how often it looks into a file to show a page.
 */
import { Parser } from 'csv-parse'
import { SaxesParser } from 'saxes'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { createImportPageWorld, csv, type ImportPageWorld } from '../e2e/dashboard.import.world.ts'
import { createImportWorld, type ImportWorld } from '../e2e/tools.import.world.ts'

let pages: ImportPageWorld
let tools: ImportWorld

beforeAll(async () => {
  pages = await createImportPageWorld()
  tools = await createImportWorld()
})

const RSS = '<?xml version="1.0"?><rss xmlns:g="http://base.google.com/ns/1.0"><channel>'
const item = (title: string, attributes = '') =>
  `<item${attributes}><g:id>1</g:id><title>${title}</title><g:product_type>kettles</g:product_type></item>`
const FILES = {
  csv: {
    name: 'file.csv',
    source: 'csv',
    text: csv('title,category,brand', 'Rowmark,kettles,x', 'y,nowhere,x'),
  },
  xml: { name: 'file.xml', source: 'google_feed', text: `${RSS}${item('Rowmark')}</channel></rss>` },
  shopify: {
    name: 'shopify.csv',
    source: 'shopify',
    text: csv('Handle,Title,Type,Variant Price', 'rowmark,Rowmark,kettles,5.00'),
  },
  jsonl: {
    name: 'file.jsonl',
    source: 'jsonl',
    text: `${JSON.stringify({ title: 'Rowmark', category: 'kettles', only_in_the_file: 1 })}\n`,
  },
}

/** How often rows were parsed in this thread from now on. */
function countParsing(): () => number {
  const xml = vi.spyOn(SaxesParser.prototype, 'write')
  const sheets = vi.spyOn(Parser.prototype, '_transform')
  const json = vi.spyOn(JSON, 'parse')
  return () =>
    xml.mock.calls.length +
    sheets.mock.calls.length +
    json.mock.calls.filter(([text]) => String(text).includes('only_in_the_file')).length
}

describe.each(Object.entries(FILES))('a %s file', (_kind, { name, source, text }) => {
  test('is uploaded, looked at, checked, imported and listed without a parser in the thread that serves', async () => {
    const org = await pages.newShop()
    const me = pages.at(org)
    const parsed = countParsing()
    const path = await me.bring(name, text)
    expect((await me.get(path)).text).toContain('Rowmark')
    expect((await me.post(path, { source })).status).toBe(303)
    await me.press(path, 'check')
    await me.press(path, 'import')
    await me.get(`${path}/bad-rows.csv`)
    expect(await pages.left(org)).toEqual({ submissions: 1, claims: 0 })
    expect(parsed()).toBe(0)
  })

  test('is imported by the tool without a parser in the thread that serves', async () => {
    const shop = await tools.newShop()
    const parsed = countParsing()
    const { result } = await tools.importBy(shop, { source: source as 'csv', content: text })
    expect(result).toMatchObject({ submitted: 1 })
    expect(parsed()).toBe(0)
  })
})

test('a page about a file needs nothing of the file: its preview is kept', async () => {
  const org = await pages.newShop()
  const me = pages.at(org)
  const path = await me.bring('kept.csv', csv('title,category,brand', 'Kept Kettle,kettles,Feedling'))
  const before = await me.get(path)
  expect(before.text).toContain('Kept Kettle')
  await pages.database.pool.query(`update import_drafts set content = '' where id = $1`, [
    path.split('/').at(-1),
  ])
  const after = await me.get(path)
  expect([after.status, after.text]).toEqual([200, before.text])
})

test('what is kept of a preview is small, whatever the file holds', async () => {
  const org = await pages.newShop()
  const me = pages.at(org)
  const wide = Array.from({ length: 1_000 }, (_, n) => `${'n'.repeat(180)}${n}`)
  const cells = wide.map(() => 'c'.repeat(300))
  const path = await me.bring('wide.csv', csv(['title', ...wide.slice(1)].join(), cells.join()))
  const { rows } = await pages.database.pool.query<{ size: number }>(
    'select length(preview::text) as size from import_drafts where id = $1',
    [path.split('/').at(-1)],
  )
  expect(rows[0]?.size).toBeGreaterThan(1_000)
  expect(rows[0]?.size).toBeLessThan(64 * 1024)
  expect((await me.get(path)).text).toContain('880 more columns')
})

test('600,000 attributes on one item are refused by line and limit, in the page and by the tool', async () => {
  const many = Array.from({ length: 600_000 }, (_, n) => ` a${n}=""`).join('')
  const text = `${RSS}\n${item('First')}\n${item('Second', many)}</channel></rss>`
  const org = await pages.newShop()
  const me = pages.at(org)
  const shown = await me.get(await me.bring('attributes.xml', text))
  expect(shown.text).toContain('gives the element "item" over 64 attributes')
  const { result } = await tools.importBy(await tools.newShop(), {
    source: 'google_feed',
    content: text.slice(0, 4_000_000),
    dry_run: true,
  })
  expect(result.rows[0]).toMatchObject({
    line: 3,
    problem: 'gives the element "item" over 64 attributes, so nothing after it was read',
  })
  expect(result).toMatchObject({ submitted: 1, failed: 1 })
})
