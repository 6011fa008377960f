/**
 * The import and export commands as an operator uses them. What they say of a file is read in this process; as programs they
 * run where the exit code, a server beside them or a folder of their own is the point.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { getFile, startFile } from '../../src/catalog/import-files.service.ts'
import { importCommand } from '../../src/commands/import.ts'
import { loadConfig } from '../../src/config.ts'
import { connectDatabase } from '../../src/db/connect.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { bringFile, LAMPS } from '../imports.ts'
import { preparedDataDir, type ServerProcess, spawnSouk, startSouk, tempDataDir } from '../server-process.ts'

const dir = tempDataDir()
const env = { SOUK_DATA_DIR: path.join(dir, 'data') }
const file = (name: string, text?: string) => {
  if (text !== undefined) fs.writeFileSync(path.join(dir, name), text)
  return path.join(dir, name)
}
async function souk(...args: string[]) {
  const { ended, output } = spawnSouk(args, env)
  return { code: await ended, output: output() }
}

/** What the command says, and why it gives up. */
async function importHere(...args: string[]): Promise<string> {
  let said = ''
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += String(text)
    return true
  })
  try {
    await importCommand(loadConfig({ ...env, PORT: '0', SOUK_CATALOG: 'none' }), args)
  } catch (error) {
    said += (error as Error).message
  } finally {
    spy.mockRestore()
  }
  return said
}

const OPERATOR = { by: { kind: 'operator', id: null } } as const
let server: ServerProcess

/** Commands work beside it but for those that make a folder of their own. */
beforeAll(async () => {
  await preparedDataDir(env.SOUK_DATA_DIR)
  server = await startSouk(env)
  file('categories.jsonl', '{"slug":"kettles","label":"Kettles","description":"They boil."}\n')
})
afterAll(async () => {
  server.kill('SIGTERM')
  expect(await server.ended).toBe(0)
  fs.rmSync(dir, { recursive: true, force: true })
})

test('a JSONL file with a bad row: the good ones are in, the bad one is named, the exit code says so', async () => {
  const products = file(
    'products.jsonl',
    [
      '{"category":"kettles","title":"Acme K1","price":{"low":10,"high":20}}',
      '{"category":"kettles"}',
      '{"category":"kettles","title":"Acme K2"}',
    ].join('\n'),
  )
  const dry = await souk('import', products, '--categories', file('categories.jsonl'), '--dry-run')
  expect(dry.output).toContain('Dry run: 2 created, 0 updated, 0 unchanged, 1 rejected')
  const { code, output } = await souk(
    'import',
    products,
    '--categories',
    file('categories.jsonl'),
    '--report',
    file('bad.jsonl'),
  )
  expect(code).toBe(1)
  expect(output).toContain('line 2: title is missing; every product needs one')
  expect(output).toContain('2 created, 0 updated, 0 unchanged, 1 rejected')
  expect(JSON.parse(fs.readFileSync(file('bad.jsonl'), 'utf8'))).toEqual({
    line: 2,
    field: 'title',
    problem: 'is missing',
    fix: 'every product needs one',
  })
})

/** Holds the products until `free` is called; `waitingOf` tells how much of a core those who wait for them get. */
async function holdProducts() {
  const { db, pool, close } = await connectDatabase(loadConfig({ ...env, PORT: '0' }), {
    role: 'command',
    log: createLog('silent'),
  })
  const holder = await pool.connect()
  onTestFinished(async () => {
    holder.release(true)
    await close()
  })
  await holder.query('begin')
  await holder.query('lock table products in exclusive mode')
  const waiting = async (pid: number) => {
    const { rows } = await pool.query<{ pid: number }>(
      `select pid from pg_stat_activity where wait_event_type = 'Lock' and application_name = $1`,
      [`souk pool ${pid}`],
    )
    return rows.map(({ pid }) => os.getPriority(pid))
  }
  return {
    db,
    waitingOf: (pid = 0) => expect.poll(() => waiting(pid), { timeout: 30_000, interval: 20 }),
    free: () => holder.query('rollback'),
  }
}

test('requests to the server go before an import beside it, on the cores and in the database', async () => {
  const { waitingOf, free } = await holdProducts()
  const own = os.getPriority()
  const products = file('held.jsonl', '{"category":"kettles","title":"Acme held"}\n')
  const { child, ended } = spawnSouk(['import', products, '--dry-run'], env)
  await waitingOf(child.pid).toContain(5)
  expect(os.getPriority(child.pid)).toBe(5)
  await free()
  expect(await ended).toBe(0)
  expect(os.getPriority()).toBe(own)
})

test('requests go before a file that the server itself checks, in the database', async () => {
  const { db, waitingOf, free } = await holdProducts()
  const ctx = { db, clock: systemClock, log: createLog('silent') }
  const id = await bringFile({ ctx }, { lines: LAMPS })
  await startFile({ ...ctx, ownCurrency: 'USD' }, OPERATOR, { id, dryRun: true })
  await waitingOf(server.pid).toContain(5)
  expect(os.getPriority(server.pid)).toBe(os.getPriority())
  await free()
  const state = async () => (await getFile({ ...ctx, ownCurrency: 'USD' }, id)).state
  await expect.poll(state, { timeout: 20_000 }).toBe('checked')
})

test('a CSV with columns of its own names, mapped; a Shopify export; a Google feed: each found out by itself', async () => {
  const csv = file('own.csv', 'Artikel,Marke,Preis,spec:Volume\nAcme K3,Acme,"1,299.00",1.7 l\n')
  const columns = ['title=Artikel', 'brand=Marke', 'price=Preis'].flatMap((one) => ['--map', one])
  expect(await importHere(csv, ...columns, '--category', 'kettles')).toContain('1 created')
  const shopify = file(
    'shopify.csv',
    'Handle,Title,Body (HTML),Vendor,Type,Variant SKU,Variant Price,Image Src\nacme-k4,Acme K4,<p>Boils</p>,Acme,Kettles,K4,39.00,https://img.example/k4.jpg\n',
  )
  expect(await importHere(shopify)).toContain('1 created')
  const google = file(
    'feed.xml',
    `<?xml version="1.0"?><rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><item><g:id>K5</g:id><title>Acme K5</title><link>https://acme.example/k5</link><g:price>49.00 USD</g:price><g:brand>Acme</g:brand><g:product_type>Home &gt; Kettles</g:product_type></item></channel></rss>`,
  )
  expect(await importHere(google)).toContain('1 created')
})

test('import works beside a running server, and what it brings is soon on the pages', async () => {
  expect((await fetch(`${server.address}/p/kettles/acme-k6.json`)).status).toBe(404)
  await (await fetch(`${server.address}/c/kettles.md`)).text()
  const { code } = await souk('import', file('late.jsonl', '{"category":"kettles","title":"Acme K6"}'))
  expect(code).toBe(0)
  await expect
    .poll(async () => (await fetch(`${server.address}/c/kettles.md`)).text(), { timeout: 20_000 })
    .toContain('Acme K6')
})

test('export writes a file that imports into an empty catalog and exports the same again', async () => {
  expect((await souk('export', file('all.jsonl'), '--categories', file('all-categories.jsonl'))).code).toBe(0)
  const other = { SOUK_DATA_DIR: path.join(dir, 'other') }
  const again = spawnSouk(['import', file('all.jsonl'), '--categories', file('all-categories.jsonl')], other)
  expect(await again.ended).toBe(0)
  expect(again.output()).toContain('6 created')
  await spawnSouk(['export', file('again.jsonl')], other).ended
  expect(fs.readFileSync(file('again.jsonl'), 'utf8')).toBe(fs.readFileSync(file('all.jsonl'), 'utf8'))
})

test('a file in euros: the first line says so, without a rate there is no price, with one it is kept', async () => {
  const feed = (id: string, price: string) =>
    `<item><g:id>${id}</g:id><title>Acme ${id}</title><g:price>${price}</g:price><g:gtin>123</g:gtin></item>`
  const xml = (...items: string[]) =>
    `<?xml version="1.0"?><rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel>${items.join('')}</channel></rss>`
  const euros = file('euros.xml', xml(feed('E1', '10.00 EUR'), feed('E2', '20.00 EUR')))
  const first = await importHere(euros)
  expect(first).toMatch(/^Amounts: EUR, as stated in the file\./m)
  expect(first).toContain('2 rows: price is in EUR, which has no exchange rate, so it was left out')
  expect(first).toContain(
    '2 rows: gtin was left out: must be 8, 12, 13 or 14 digits with a valid check digit',
  )
  expect(first).toContain('1 new category: Uncategorized (2 rows)')
  expect(first).toContain('2 created')
  expect(await importHere(euros, '--rate', 'EUR=1.5')).toContain('2 updated')
  const page = await fetch(`${server.address}/p/uncategorized/acme-e1.json`)
  expect(JSON.stringify(await page.json())).toContain('$15')
  // The rate is there for the next file.
  expect(await importHere(file('more.xml', xml(feed('E3', '10.00 EUR'))))).toContain('1 created')
})

test('an import is listed, looked at and taken back; its pages are gone', async () => {
  const said = await importHere(file('wrong.jsonl', '{"category":"Wrong things","title":"Wrong thing"}'))
  const [, id = ''] = /import undo (\S+)/.exec(said) ?? []
  const address = `${server.address}/p/wrong-things/wrong-thing`
  await expect.poll(async () => (await fetch(`${address}.json`)).status, { timeout: 20_000 }).toBe(200)
  expect(await importHere('list')).toContain(`wrong.jsonl: 1 rows, 1 created`)
  expect(await importHere('show', id)).toContain('added product wrong-thing')
  expect(await importHere('undo', id)).toContain(
    '1 products deleted, 0 restored to what they were, 1 categories deleted',
  )
  await expect.poll(async () => (await fetch(`${address}.json`)).status, { timeout: 20_000 }).toBe(404)
  expect(await importHere('undo', id)).toContain('already undone')
})

test('mistakes in the command are told in a sentence', async () => {
  expect(await importHere(file('odd.bin', '\0\0\0'))).toContain('This is not text')
  expect(await importHere(file('odd.dat', 'What stands here\nA kettle'))).toContain('--format')
  expect(await importHere(file('own.csv'), '--map', 'title')).toContain('--map takes FIELD=COLUMN')
  expect((await souk('import', file('nowhere.jsonl'))).output).toContain('does not exist')
  expect((await souk('import')).code).toBe(2)
  expect((await souk('import', '--no-such-option')).code).toBe(2)
})
