/** A file is brought, looked at, mapped, checked, fixed and imported, all on pages and forms. */
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import type { TestOrg } from '../orgs.ts'
import {
  columnsOf,
  createImportPageWorld,
  csv,
  IMPORT,
  type ImportPageWorld,
  KNOWN,
  rowsNamed,
} from './dashboard.import.world.ts'

let world: ImportPageWorld
let org: TestOrg
let shop: ReturnType<ImportPageWorld['at']>

beforeAll(async () => {
  world = await createImportPageWorld()
  org = await world.newShop({ name: 'Feed Shop' })
  shop = world.at(org)
})

const HEADER = 'title,category,brand'

test('a file is looked at, checked without effect, imported once, and told row by row', async () => {
  const shopOf = await world.newShop()
  const me = world.at(shopOf)
  const rows = [
    `${KNOWN.title},kettles,${KNOWN.brand}`,
    'New Kettle,kettles,Feedling',
    'Bad,no such,Feedling',
  ]
  const path = await me.bring('spring.csv', csv(HEADER, ...rows))
  const preview = await me.get(path)
  expect(preview.text).toContain('3 rows, CSV or TSV, uploaded just now')
  expect(preview.text).toContain('New Kettle Feedling kettles')
  expect(preview.text).toContain('There is no category "no such".')

  const checked = await me.press(path, 'check')
  expect(checked.text).toContain('Nothing has changed yet')
  expect(checked.text).toContain('Import 2 rows')
  expect(checked.text).not.toContain('list_categories')
  expect(await world.left(shopOf)).toEqual({ submissions: 0, claims: 0 })
  expect((await me.get(IMPORT)).text).toContain('Checked, not imported')

  const done = await me.press(path, 'import')
  expect(done.text).toContain('Import complete')
  expect(await world.left(shopOf)).toEqual({ submissions: 1, claims: 1 })
  expect(done.html).toContain('href="/p/kettles/spout-one"')
  // Failed rows come first, and can be asked for alone.
  expect(done.text.indexOf('Bad 3, line 4')).toBeLessThan(done.text.indexOf('New Kettle 2, line 3'))
  const failed = await me.get(`${path}/result?rows=failed`)
  expect(failed.text).not.toContain('New Kettle')

  const again = await me.press(path, 'import')
  expect(again.text).toContain('Import complete')
  expect(await world.left(shopOf)).toEqual({ submissions: 1, claims: 1 })
  expect((await me.post(path, { source: 'jsonl' })).status).toBe(409)
})

test('columns are guessed, changed, left out and made specs, and the file is read so from then on', async () => {
  const header = 'Artikel;Category;Barcode;Gewicht;Notiz'
  const path = await shop.bring('de.csv', csv(header, 'Wasserkocher Eins;Kettles;INTERN-1;1,2 kg;egal'))
  const before = await shop.get(path)
  expect(before.text).toContain('Title from "Artikel"; gtin from "Barcode".')
  const fields = columnsOf(before.html)
  expect(fields).toMatchObject({ column_0: 'title', column_1: 'category', column_2: 'gtin', source: 'csv' })
  expect(fields).toMatchObject({ column_3: 'spec', spec_3: 'Gewicht', column_4: 'spec', spec_4: 'Notiz' })

  const chosen = { ...fields, column_2: '', spec_3: 'Weight', column_4: '', spec_4: '' }
  expect((await shop.post(path, chosen)).headers.get('location')).toBe(`${path}?done=read`)
  const after = await shop.get(path)
  expect(columnsOf(after.html)).toEqual({ ...chosen })
  expect(after.text).toContain('Wasserkocher Eins')
  expect((await shop.press(path, 'check')).text).toContain('Import 1 row')

  const twice = await shop.post(path, { ...chosen, column_4: 'spec', spec_4: 'Weight' })
  expect(twice.status).toBe(400)
  expect(twice.text).toContain('Another column is already mapped to spec:Weight.')
  expect(columnsOf(twice.html)).toMatchObject({ column_4: 'spec', spec_4: 'Weight' })
  expect((await shop.get(`${path}/result`)).text).toContain('Import 1 row')
})

test('a sheet whose columns are all unknown is not refused: each can be said', async () => {
  const path = await shop.bring('odd.csv', csv('foo,49.00', 'Odd Kettle,kettles'))
  const page = await shop.get(path)
  expect(page.text).toContain('We can’t read this file yet. None of the columns is known: "foo", "49.00".')
  await shop.post(path, { ...columnsOf(page.html), column_0: 'title', column_1: 'category' })
  expect((await shop.press(path, 'check')).text).toContain('Import 1 row')
})

test('bad rows come back as they were with what is wrong, and are good once fixed', async () => {
  const mine = await world.newShop()
  const me = world.at(mine)
  const content = Buffer.concat([
    Buffer.from('\ufeffArtikel;category;price;description\r\n'),
    Buffer.from('Good One;kettles;10;fine\r\n'),
    Buffer.from('=SUM(A1);kettles;12 EUR;"two\nlines; one ""quote"""\r\n'),
    Buffer.from('Short;kettles\r\n'),
    Buffer.concat([Buffer.from('Caf'), Buffer.from([0xe9]), Buffer.from(' Kettle;kettles;5;latin\r\n')]),
    Buffer.from('Good One;kettles;10;again\r\n'),
  ])
  const path = await me.bring('böse liste.csv', content)
  const page = await me.get(path)
  await me.post(path, { ...columnsOf(page.html), column_3: 'spec', spec_3: 'Note' })
  const result = await me.press(path, 'check')
  expect(result.text).toContain('repeats the product of row 1')
  expect(result.text).toContain('has characters that are not UTF-8, which were replaced')
  expect(result.text).toContain('not in US dollars')

  const file = await me.get(`${path}/bad-rows.csv`)
  expect(file.headers.get('content-disposition')).toBe('attachment; filename="b-se-liste-bad-rows.csv"')
  expect(file.headers.get('cache-control')).toBe('no-store')
  const [head, ...lines] = file.html.split('\r\n')
  expect(head).toBe('\ufeffSouk problem;Souk fix;Artikel;category;price;description')
  expect(lines[0]).toContain(`;'=SUM(A1);kettles;12 EUR;"two\nlines; one ""quote"""`)
  expect(lines.slice(0, -1)).toHaveLength(2)
  for (const cell of file.html.split(/[;\r\n]+/)) expect(cell).not.toMatch(/^\s*[=+@-]/)

  const fixed = file.html.replaceAll('12 EUR', '12').replace('Good One', 'Good Two')
  const brought = (await me.upload('fixed.csv', fixed)).headers.get('location') ?? ''
  expect(brought).toMatch(/\?done=mapped$/)
  expect((await me.get(brought)).text).toContain('We used the columns you chose for your last file.')
  const next = brought.replace('?done=mapped', '')
  // What was said of the columns the first time need not be said again.
  const reread = await me.get(next)
  expect(columnsOf(reread.html)).toMatchObject({ column_2: 'title', column_5: 'spec', spec_5: 'Note' })
  expect(reread.text).not.toContain('Souk problem')
  expect(reread.text).toContain('=SUM(A1)')
  expect((await me.press(next, 'check')).text).toContain('Import 2 rows')
  expect((await me.get(`${next}/bad-rows.csv`)).status).toBe(404)
})

test('other formats list what is wrong where', async () => {
  const path = await shop.bring(
    'p.jsonl',
    `${JSON.stringify({ title: '-1 Kettle', price: 'x' })}\n{"broken\n`,
  )
  await shop.press(path, 'check')
  const { html } = await shop.get(`${path}/bad-rows.csv`)
  expect(html).toMatch(/^\ufeffRow,Line,Product,Problem,Fix\r\n1,1,'-1 Kettle,/)
  expect(html).toContain('\r\n2,2,,')
})

test('every format is told from its content, packed or not, and can be changed', async () => {
  const feed = `<?xml version="1.0"?><rss xmlns:g="http://base.google.com/ns/1.0" version="2.0"><channel><item>
    <g:id>1</g:id><g:title>Fed Kettle</g:title><g:link>https://us.example/fed</g:link><g:brand>Feedling</g:brand>
    <g:product_type>Kettles</g:product_type><g:price>20.00 USD</g:price></item></channel></rss>`
  const shopify = csv(
    'Handle,Title,Vendor,Type,Variant SKU,Variant Price',
    'a,Shop Kettle,Feedling,Kettles,S1,9',
  )
  const tsv = csv('title\tcategory', 'Tab Kettle\tkettles')
  for (const [name, content, says] of [
    ['feed.xml.gz', gzipSync(feed), 'Google product feed'],
    ['export.csv', Buffer.from(shopify), 'Shopify product export'],
    ['tabs.tsv', Buffer.from(tsv), 'CSV or TSV'],
    ['l.jsonl', Buffer.from('{"title":"Line Kettle","category":"kettles"}\n'), 'JSONL'],
  ] as const) {
    const page = await shop.get(await shop.bring(name, content))
    expect(page.text).toContain(`1 row, ${says}`)
    expect(page.text).toContain('Looks good')
  }
  const path = await shop.bring('export.csv', shopify)
  await shop.post(path, { source: 'csv' })
  expect((await shop.get(path)).text).toContain('Columns')
  const wrong = await shop.post(path, { source: 'jsonl' })
  expect(wrong.status).toBe(303)
  expect((await shop.get(path)).text).toContain('Would fail')
})

test('a file that cannot be taken is refused beside its field, and what was typed stays', async () => {
  const refusals: Array<[string, string | Uint8Array, Record<string, string>, number, string]> = [
    ['head.csv', csv(HEADER), {}, 400, 'The file has no rows below its header.'],
    ['many.csv', csv(HEADER, ...rowsNamed(2_001, 'Many')), {}, 413, 'more than 2,000 rows'],
    ['big.csv', Buffer.alloc(21 * 1024 ** 2, 'a,b\n'), {}, 413, 'The file is larger than 20 MB'],
    ['letter.txt', 'Dear shop', {}, 400, 'The format of this file could not be detected'],
    ['', '', {}, 400, 'Choose a file, or enter its URL.'],
    ['a.csv', csv(HEADER, 'a,b,c'), { url: 'https://feeds.example/x' }, 400, 'Choose a file or enter a URL'],
    ['a.gz', gzipSync('x').subarray(0, 15), { source: 'csv' }, 400, 'damaged or incomplete'],
  ]
  for (const [name, content, fields, status, words] of refusals) {
    const page = await shop.upload(name, content, fields)
    expect([name, page.status]).toEqual([name, status])
    expect(page.text).toContain(words)
    expect(page.html).toContain('aria-invalid="true"')
  }
  const kept = await shop.upload('a.csv', csv(HEADER, 'a,b,c'), { url: 'https://feeds.example/kept' })
  expect(kept.html).toContain('value="https://feeds.example/kept"')
})

test('an address is read in place of a file, and refused beside its field when it cannot be', async () => {
  world.site.serving('gone', 404)
  const refused = await shop.upload('', '', { url: 'https://feeds.example/feed.csv' })
  expect(refused.status).toBe(422)
  expect(refused.text).toContain('status 404')
  expect(refused.text).toContain('or upload the file')
  world.site.serving(csv(HEADER, 'Far Kettle,kettles,Feedling'))
  const path = await shop.bring('', '', { url: 'https://feeds.example/feed.csv' })
  const page = await shop.get(path)
  expect(page.text).toContain('from feeds.example')
  expect(page.text).toContain('feed.csv')
  expect((await shop.press(path, 'check')).text).toContain('Import 1 row')
})

test('the sample can be brought and imported as it is', async () => {
  const sample = await shop.get(`${IMPORT}/sample.csv`)
  expect(sample.headers.get('content-type')).toContain('text/csv')
  const path = await shop.bring('sample.csv', sample.html)
  const page = await shop.get(path)
  expect(page.text).not.toContain('ot used')
  expect((await shop.press(path, 'check')).text).toContain('Import 2 rows')
})

test('text of a file is text on the page', async () => {
  const evil = '<img src=x onerror=alert(1)>'
  const path = await shop.bring(`${evil}.csv`, csv(`title,category,${evil}`, `${evil},${evil},${evil}`))
  for (const page of [await shop.get(path), await shop.press(path, 'check'), await shop.get(IMPORT)]) {
    expect(page.html).not.toContain('<img')
    expect(page.html).toContain('&lt;img')
  }
  expect((await shop.get(path)).text).toContain('Columns not used: "&lt;img')
})

test('a viewer may not, an editor may, and another organization finds nothing', async () => {
  const path = await shop.bring('own.csv', csv(HEADER, 'Own Kettle,kettles,Feedling'))
  const viewer = world.at(org, await world.addMember(org, 'viewer'))
  for (const at of [IMPORT, path, `${path}/result`, `${path}/bad-rows.csv`])
    expect((await viewer.get(at)).status).toBe(403)
  const editor = world.at(org, await world.addMember(org, 'editor'))
  expect((await editor.get(path)).status).toBe(200)

  const others = world.at(await world.newShop())
  for (const at of [path, `${path}/result`, `${path}/bad-rows.csv`, `${IMPORT}/nonsense`])
    expect((await others.get(at)).status).toBe(404)
  for (const [at, fields] of [
    [path, { source: 'csv' }],
    [`${path}/result`, { act: 'import' }],
    [`${path}/delete`, {}],
  ] as const)
    expect((await others.post(at, fields)).status).toBe(404)
  const asViewer = await viewer.post(`${path}/result`, { act: 'import' })
  expect(asViewer.status).toBe(403)
  expect((await shop.get(path)).status).toBe(200)
  expect((await shop.post(`${path}/delete`)).headers.get('location')).toBe(`${IMPORT}?done=removed`)
  expect((await shop.get(path)).status).toBe(404)
})

test('while an import of the organization runs another is told so, and nothing is lost', async () => {
  const mine = await world.newShop()
  const me = world.at(mine)
  const path = await me.bring('busy.csv', csv(HEADER, 'Busy Kettle,kettles,Feedling'))
  await world.database.pool.query(
    'insert into org_import_leases (org_id, run_id, renewed_at) values ($1, $2, $3)',
    [mine.id, mine.id, world.clock.now()],
  )
  const refused = await me.post(`${path}/result`, { act: 'import' })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([409, '60'])
  expect(refused.text).toContain('Your organization already has an import running')
  expect((await me.post(path, { source: 'csv' })).status).toBe(409)
  const asked = world.site.requests.length
  expect((await me.upload('', '', { url: 'https://feeds.example/x.csv' })).status).toBe(409)
  expect(world.site.requests.length).toBe(asked)
  await world.database.pool.query('delete from org_import_leases where org_id = $1', [mine.id])
  expect((await me.press(path, 'import')).text).toContain('Import complete')
  expect(await world.left(mine)).toEqual({ submissions: 1, claims: 0 })
})
