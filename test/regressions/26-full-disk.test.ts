/**
 * What is no row's fault stops an import at once, with the reason and the place to go on from: never row by row. Once on a
 * PostgreSQL whose disk is really full, and for every other such reason by the SQLSTATE that PostgreSQL gives for it.
 */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importCategories } from '../../src/catalog/categories.service.ts'
import type { RowProblem } from '../../src/catalog/import/rows.ts'
import { importProducts } from '../../src/catalog/import.service.ts'
import { openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { manualClock } from '../../src/lib/clock.ts'
import { mountSmallDisk } from '../../trials/disk.ts'
import { startPostgres } from '../../trials/postgres.ts'
import { createImportPageWorld, csv, type ImportPageWorld, rowsNamed } from '../e2e/dashboard.import.world.ts'
import { createImportWorld, fresh, type ImportWorld, jsonl } from '../e2e/tools.import.world.ts'
import { SILENT } from '../harness.ts'

const KETTLES = { slug: 'kettles', label: 'Kettles', description: 'They boil.' }
const text = (rows: number) => jsonl(...Array.from({ length: rows }, (_, n) => fresh(`No ${n}`)))
const longText = (rows: number) =>
  jsonl(...Array.from({ length: rows }, (_, n) => ({ ...fresh(`No ${n}`), description: 'd'.repeat(2_000) })))
async function* bytesOf(content: string) {
  yield Buffer.from(content)
}

test('on a disk that is really full an import stops with that reason, and goes on when there is room', async () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-full-'))
  fs.chmodSync(dir, 0o755)
  const postgres = await startPostgres({ dir, diskMb: 160 })
  const database = openDatabase(postgres.connection, SILENT)
  try {
    expect(postgres.disk.way).not.toBe('none')
    await migrate(database.pool)
    const ctx = { db: database.db, clock: manualClock('2026-11-01T12:00:00Z'), log: SILENT }
    await importCategories(ctx, [KETTLES])
    const problems: RowProblem[] = []
    let batches = 0
    const run = () =>
      importProducts(ctx, bytesOf(longText(3_000)), {
        format: 'jsonl',
        source: 'test',
        fingerprint: 'full',
        onProblem: (problem) => problems.push(problem),
        onProgress: () => {
          if (++batches === 2) postgres.disk.fill()
        },
      })
    const stopped = await run().catch((error: unknown) => error)
    expect(stopped).toMatchObject({ kind: 'unavailable' })
    expect(String(stopped)).toMatch(
      /the import stopped after row 1,\d00 \(line 1,\d00\), because the database('s disk is full| cannot use its files| is unavailable)/,
    )
    expect(problems).toEqual([])
    postgres.disk.free()
    await postgres.start()
    const row = Number(/after row ([\d,]+)/.exec(String(stopped))?.[1]?.replace(',', ''))
    expect(await run()).toMatchObject({ created: 3_000, failed: 0, resumedAfterRow: row })
    expect(problems).toEqual([])
  } finally {
    await database.close()
    await postgres.close()
    fs.rmSync(dir, { recursive: true, force: true })
  }
})

/** What PostgreSQL says when it, and not what it is given, is the trouble. */
const FAULTS: Array<[sqlstate: string, reason: string]> = [
  ['53100', "the database's disk is full"],
  ['53200', 'the database is out of memory'],
  ['53300', 'the database has no connection free'],
  ['53400', 'the database has reached one of its limits'],
  ['25006', 'the database takes no writes at the moment'],
  ['55P03', 'the database could not get a lock in time'],
  ['57014', 'the database canceled a statement that took too long'],
  ['57P01', 'the database is unavailable'],
  ['58030', 'the database cannot use its files'],
  ['XX001', 'the database cannot use its files'],
  ['40P01', 'the write conflicted with another one'],
  ['42501', 'the database refused the connection: check user and password'],
]

let tools: ImportWorld
let pages: ImportPageWorld

beforeAll(async () => {
  tools = await createImportWorld()
  pages = await createImportPageWorld()
})

/** From the row of this title on, every insert into the table fails. */
async function failing(
  { database }: Pick<ImportWorld, 'database'>,
  { table, from, sqlstate }: { table: string; from: string; sqlstate: string },
) {
  const title = table === 'products' ? 'new.title' : `new.product->>'title'`
  await database.pool.query(`
    create table fault (met boolean);
    create function fail() returns trigger language plpgsql as $$
    begin
      if ${title} = '${from}' then raise exception 'told by the test' using errcode = '${sqlstate}'; end if;
      return new;
    end $$;
    create trigger fail before insert on ${table} for each row execute function fail()`)
  return () => database.pool.query(`drop trigger fail on ${table}; drop function fail(); drop table fault`)
}

// A few rows more than a batch: the second one fails.
describe.each(FAULTS)('SQLSTATE %s', (sqlstate, reason) => {
  test('stops an import of the catalog, which then goes on after the last batch', async () => {
    const lift = await failing(tools, { table: 'products', from: 'No 505 Kettle', sqlstate })
    const problems: RowProblem[] = []
    const run = () =>
      importProducts(tools.ctx, bytesOf(text(510).replaceAll('Feedling', `Feedling ${sqlstate}`)), {
        format: 'jsonl',
        source: 'test',
        fingerprint: `fault ${sqlstate}`,
        onProblem: (problem) => problems.push(problem),
      })
    await run()
      .finally(lift)
      .then(
        () => expect.unreachable(),
        (error: unknown) =>
          expect(error).toMatchObject({
            kind: 'unavailable',
            message: `the import stopped after row 500 (line 500), because ${reason}; fix that and import the same file again to continue after this row`,
          }),
      )
    expect(problems).toEqual([])
    expect(await run()).toMatchObject({ resumedAfterRow: 500, failed: 0 })
  })

  test("stops a producer's import, of which no row is called bad and which the same call goes on with", async () => {
    const shop = await tools.newShop()
    const content = jsonl(...Array.from({ length: 110 }, (_, n) => fresh(`Row ${n}`)))
    const args = { content, idempotency_key: 'stopped' }
    const lift = await failing(tools, { table: 'product_submissions', from: 'Row 105 Kettle', sqlstate })
    const { error } = await tools.importAs(shop, args).finally(lift)
    expect(error.kind).toBe('unavailable')
    expect(error.error).toContain(
      `the import stopped after row 100, because ${reason}; imported rows are kept`,
    )
    expect(await tools.left(shop)).toMatchObject({ submissions: 100 })
    const { data } = await tools.importAs(shop, args)
    expect(data).toMatchObject({ submitted: 10, unchanged: 100, failed: 0 })
  })
})

test('a page says how far the import of a file came and why it stopped, and its button goes on', async () => {
  const org = await pages.newShop()
  const me = pages.at(org)
  const path = await me.bring('stopped.csv', csv('title,category,brand', ...rowsNamed(250, 'Stopped')))
  const lift = await failing(pages, { table: 'product_submissions', from: 'Stopped 150', sqlstate: '53100' })
  const { status, text: said } = await me.post(`${path}/result`, { act: 'import' }).finally(lift)
  expect([200, 503]).toContain(status)
  expect(said).toContain("stopped after row 100, because the database's disk is full")
  expect(said).toContain('press the button again')
  expect((await me.get(`${path}/result`)).text).toContain(
    'We imported 100 of 250 rows. Resume to import the rest.',
  )
  expect((await me.press(path, 'import')).text).toContain('New products 150')
})

test('a row that two writers meet over for a moment is written when it is tried again', async () => {
  const shop = await tools.newShop()
  const { pool } = tools.database
  await pool.query(`
    create sequence meetings;
    create function meet() returns trigger language plpgsql as $$
    begin
      if nextval('meetings') < 3 then raise exception 'no' using errcode = '40P01'; end if;
      return new;
    end $$;
    create trigger meet before insert on product_submissions for each row execute function meet()`)
  try {
    const { data } = await tools.importAs(shop, { content: jsonl(fresh('Met'), fresh('Other')) })
    expect(data).toMatchObject({ submitted: 2, failed: 0 })
  } finally {
    await pool.query('drop trigger meet on product_submissions; drop function meet(); drop sequence meetings')
  }
})

describe('an upload that finds no room on this machine', () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-room-'))
  const before = process.env.TMPDIR
  const disk = mountSmallDisk(dir, 1)
  afterAll(() => {
    process.env.TMPDIR = before
    disk?.unmount()
    fs.rmSync(dir, { recursive: true, force: true })
  })

  test('is refused with that reason, and no part of it is taken for the whole', async () => {
    // Where nothing may be mounted, a folder that takes no files is as good: the reason differs.
    process.env.TMPDIR = disk ? dir : path.join(dir, 'missing')
    const org = await pages.newShop()
    const rows = rowsNamed(2_000, 'R').map((row) => `${row},${'d'.repeat(1_000)}`)
    const answer = await pages
      .at(org)
      .upload('large.csv', csv('title,category,brand,description', ...rows))
      .finally(() => {
        process.env.TMPDIR = before
      })
    expect(answer.status).toBeGreaterThanOrEqual(500)
    if (disk) expect(answer.text).toContain("the server's disk is full")
    const { rows: kept } = await pages.database.pool.query('select 1 from import_drafts where org_id = $1', [
      org.id,
    ])
    expect(kept).toEqual([])
  })
})

test('the command says why it stopped and where it goes on, also when its report finds no room', async () => {
  const { url } = tools.database
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-command-'))
  const file = path.join(dir, 'products.jsonl')
  fs.writeFileSync(file, `${'{"title":"no category"}\n'.repeat(3_000)}${text(10)}`)
  const node = path.resolve('node_modules/.bin/node')
  const { status, stderr } = spawnSync(node, ['src/main.ts', 'import', file, '--report', '/dev/full'], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, DATABASE_URL: url, SOUK_DATA_DIR: path.join(dir, 'data') },
  })
  fs.rmSync(dir, { recursive: true, force: true })
  expect(stderr).toMatch(/ENOSPC|no space left/)
  expect(stderr).toContain("because the server's disk is full")
  expect(stderr).not.toMatch(/\n\s+at /)
  expect(status).toBe(1)
})
