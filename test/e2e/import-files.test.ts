/** The operator's files: stored in pieces, looked at, corrected, checked, imported, reported and swept. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openFileStore } from '../../src/catalog/import-content.ts'
import { PART_BYTES } from '../../src/catalog/import-files.schema.ts'
import {
  type Corrections,
  choicesOf,
  correctFile,
  discardFile,
  getFile,
  listFiles,
  lookAtFile,
  startFile,
  takeUpload,
  writeReport,
} from '../../src/catalog/import-files.service.ts'
import { getImport, listImports, previewUndo, undoImport } from '../../src/catalog/import-undo.service.ts'
import { createFileJob, createFileSweep } from '../../src/catalog/imports.job.ts'
import { manualClock } from '../../src/lib/clock.ts'
import { newId } from '../../src/lib/ids.ts'
import { captureLog, createTestDatabase, type TestDatabase } from '../harness.ts'

let database: TestDatabase
const clock = manualClock(new Date().toISOString())
const log = captureLog().log
const ctx = () => ({ db: database.db, clock, log, ownCurrency: 'USD' })
const BY = { by: { kind: 'operator', id: null } } as const

beforeEach(async () => {
  database ??= await createTestDatabase()
})
afterEach(async () => {
  await database.pool.query(
    `delete from import_files; delete from products; delete from brands; delete from categories; delete from imports;
     delete from jobs; delete from audit_log; delete from settings where name = 'currency_rates'`,
  )
})

const NOTHING: Corrections = {
  format: null,
  encoding: null,
  columns: null,
  currency: null,
  rate: null,
  rates: {},
  categories: null,
  makeNew: null,
  defaultCategory: null,
  storeUrl: null,
  source: null,
  overwriteEdits: false,
  restoreDeleted: false,
}

async function upload(text: string, name = 'shop.csv'): Promise<string> {
  const bytes = Buffer.from(text)
  const store = await openFileStore(ctx(), { userId: null, fileName: name })
  for (let from = 0; from < bytes.length; from += 100_000)
    await store.write(bytes.subarray(from, from + 100_000))
  await store.end()
  await takeUpload(ctx(), BY, { id: store.id, sizeBytes: bytes.length })
  return store.id
}

/** Runs what waits, as a node would. */
async function work(signal = new AbortController().signal): Promise<void> {
  const { rows } = await database.pool.query("select id, payload from jobs where kind = 'import_files.run'")
  const job = createFileJob(ctx())
  for (const { id, payload } of rows) {
    await job.run(payload, { signal, attempt: 1, jobId: id, log })
    await database.pool.query('delete from jobs where id = $1', [id])
  }
}

async function check(id: string) {
  await startFile(ctx(), BY, { id, dryRun: true })
  await work()
  return getFile(ctx(), id)
}

const titles = async () =>
  (await database.pool.query('select title from products order by title')).rows.map(({ title }) => title)
const actions = async () =>
  (await database.pool.query('select action from audit_log')).rows.map(({ action }) => action).sort()
const addCategory = (slug: string, label: string) =>
  database.pool.query('insert into categories (id, slug, label) values ($1, $2, $3)', [newId(), slug, label])

const EUROS = [
  'id;title;brand;category;price',
  'a1;Wasserkocher Eins;Nord;Kocher;49,90 €',
  'a2;Wasserkocher Zwei;Nord;Kocher;59,90 €',
  'a3;;Nord;Kocher;10,00 €',
  'a4;Lampe;Süd;Lampen;20,00 €',
].join('\n')

test('a file is stored in pieces, and read as it was brought', async () => {
  const text = `title,category,description\n${`Kettle,Kettles,${'Boils. '.repeat(450)}\n`.repeat(700)}`
  const id = await upload(text)
  const { rows } = await database.pool.query(
    'select part, length(bytes) as size from import_file_parts where file_id = $1 order by part',
    [id],
  )
  expect(rows.map(({ size }) => size)).toEqual([PART_BYTES, PART_BYTES, text.length - 2 * PART_BYTES])
  const look = await lookAtFile(ctx(), await getFile(ctx(), id))
  expect(look).toMatchObject({ format: 'csv', rows: 700, isWhole: true, problem: null })
  expect(look.categories).toMatchObject([{ path: ['Kettles'] }])
})

test('what is cut off leaves nothing, and nobody sees it before it is whole', async () => {
  const store = await openFileStore(ctx(), { userId: null, fileName: 'cut.csv' })
  await store.write(Buffer.alloc(3 * PART_BYTES))
  expect(await listFiles(ctx())).toEqual([])
  await expect(getFile(ctx(), store.id)).rejects.toThrow('no such file')
  await store.discard()
  const { rows } = await database.pool.query('select count(*)::int as n from import_file_parts')
  expect(rows).toEqual([{ n: 0 }])
})

test('euros, a category of ours and a rate: looked at, corrected, checked, imported, undone', async () => {
  await addCategory('kettles', 'Kettles')
  await addCategory('lamps', 'Lamps')
  const id = await upload(EUROS)
  const before = await lookAtFile(ctx(), await getFile(ctx(), id))
  expect(before).toMatchObject({ rows: 4, refused: 1, saidCurrencies: ['EUR'], currencies: { EUR: 3 } })
  expect(before.products[0]).toMatchObject({
    title: 'Wasserkocher Eins',
    original: { currency: 'EUR', low: 49.9 },
    lowCents: null,
  })
  const file = await getFile(ctx(), id)
  const { choices } = await choicesOf(ctx(), file, before)
  expect(choices.map(({ path, rows, ours }) => [path.join(' > '), rows, ours])).toEqual([
    ['Kocher', 2, null],
    ['Lampen', 1, null],
  ])

  const looked: unknown[] = []
  const categoriesLike = async (groups: readonly (readonly string[])[]) => {
    looked.push(groups)
    return ['kettles', null]
  }
  const fresh = { ...file, look: null }
  const guessed = await lookAtFile({ ...ctx(), categoriesLike }, fresh)
  expect((await choicesOf(ctx(), file, guessed)).choices.map(({ likely }) => likely?.slug)).toEqual([
    'kettles',
    undefined,
  ])
  expect(looked).toEqual([[['Wasserkocher Eins', expect.any(String)], [expect.any(String)]]])
  expect(JSON.stringify(guessed.categories)).not.toContain('titles')

  const [kettles] = choices
  const wrong = { ...NOTHING, categories: new Map([[kettles?.key ?? '', 'no such']]) }
  await expect(correctFile(ctx(), id, wrong)).rejects.toMatchObject({ field: `category_${kettles?.key}` })
  await expect(correctFile(ctx(), id, { ...NOTHING, rates: { EUR: 'much' } })).rejects.toMatchObject({
    field: 'rate_EUR',
  })
  await correctFile(ctx(), id, {
    ...NOTHING,
    rates: { EUR: '1,10' },
    categories: new Map([[kettles?.key ?? '', 'kettles']]),
  })
  await expect(startFile(ctx(), BY, { id, dryRun: false })).rejects.toThrow('check the file first')
  const after = await lookAtFile(ctx(), await getFile(ctx(), id))
  expect(after.products[0]).toMatchObject({ lowCents: 5489, original: { low: 49.9 } })

  const checked = await check(id)
  expect(checked).toMatchObject({ state: 'checked', importId: null })
  expect(checked.result?.said).toMatchObject({
    dryRun: true,
    counts: { created: 3, failed: 1 },
    newCategories: 1,
    lines: 1,
  })
  expect(await titles()).toEqual([])

  await startFile(ctx(), BY, { id, dryRun: false })
  await startFile(ctx(), BY, { id, dryRun: false })
  await expect(correctFile(ctx(), id, { ...NOTHING, currency: 'SEK' })).rejects.toThrow('being processed')
  await work()
  const done = await getFile(ctx(), id)
  expect(done).toMatchObject({ state: 'done', result: { said: { counts: { created: 3, failed: 1 } } } })
  expect(await titles()).toEqual(['Lampe', 'Wasserkocher Eins', 'Wasserkocher Zwei'])
  await expect(startFile(ctx(), BY, { id, dryRun: false })).rejects.toThrow('already imported')
  const report = await writeReport(ctx(), id)
  expect(report?.fileName).toBe('shop-report.csv')
  expect(report?.text.split('\r\n')[1]).toMatch(/^4,a3,yes,title,/)
  expect(await actions()).toEqual([
    'catalog.import_begun',
    'catalog.imported',
    'import_file.check_begun',
    'import_file.uploaded',
    'rates.set',
  ])

  const importId = done.importId ?? ''
  expect(await previewUndo(ctx(), importId)).toEqual({ removed: 3, restored: 0, categories: 1, kept: [] })
  await undoImport(ctx(), { ...BY, id: importId })
  expect(await titles()).toEqual([])
  expect((await getImport(ctx(), importId, { limit: 5 })).report.undone).toMatchObject({
    removed: 3,
    keptTotal: 0,
  })
  // What was undone can be imported again.
  await startFile(ctx(), BY, { id, dryRun: false })
  await work()
  expect((await titles()).length).toBe(3)
})

describe('an import that is cut off', () => {
  const many = Array.from({ length: 1_200 }, (_, at) =>
    JSON.stringify({ id: at, title: `Kettle ${at}`, category: 'Kettles' }),
  )

  /** Stops a node when it has looked so often whether it should. */
  function stopping(afterLooks: number): AbortSignal {
    let looks = 0
    const { signal } = new AbortController()
    signal.throwIfAborted = () => {
      if (++looks > afterLooks) throw new Error('the node stops')
    }
    return signal
  }

  test('goes on after its last batch on another node, as the same import', async () => {
    const id = await upload(many.join('\n'), 'kettles.jsonl')
    await check(id)
    await startFile(ctx(), BY, { id, dryRun: false })
    await expect(work(stopping(1))).rejects.toThrow('the node stops')
    expect((await getFile(ctx(), id)).state).toBe('importing')
    expect((await titles()).length).toBe(500)
    await work()
    const { result } = await getFile(ctx(), id)
    expect(result?.said).toMatchObject({ resumedAfterRow: 500, counts: { created: 1_200 } })
    expect((await listImports(ctx(), { limit: 5 })).length).toBe(1)
  })

  test('and had come to its end is recorded, not done again', async () => {
    const id = await upload(many.slice(0, 20).join('\n'), 'kettles.jsonl')
    await check(id)
    await startFile(ctx(), BY, { id, dryRun: false })
    const { rows } = await database.pool.query("select payload from jobs where kind = 'import_files.run'")
    await work()
    await database.pool.query("update import_files set state = 'importing', result = null, import_id = null")
    await createFileJob(ctx()).run(rows[0].payload, {
      signal: new AbortController().signal,
      attempt: 2,
      jobId: newId(),
      log,
    })
    expect(await getFile(ctx(), id)).toMatchObject({
      state: 'done',
      result: { said: { counts: { created: 20 } } },
    })
    expect((await listImports(ctx(), { limit: 5 })).length).toBe(1)
  })
})

test('a file that cannot be read says why, and can be read in another way or removed', async () => {
  const id = await upload('What stands here\nA kettle', 'odd.dat')
  const look = await lookAtFile(ctx(), await getFile(ctx(), id))
  expect(look.problem).not.toBeNull()
  await expect(startFile(ctx(), BY, { id, dryRun: true })).rejects.toMatchObject({ kind: 'invalid' })
  await correctFile(ctx(), id, { ...NOTHING, format: 'csv' })
  await lookAtFile(ctx(), await getFile(ctx(), id))
  await correctFile(ctx(), id, { ...NOTHING, format: 'csv', columns: new Map([[0, 'title']]) })
  const { problem, products } = await lookAtFile(ctx(), await getFile(ctx(), id))
  expect([problem, products[0]]).toMatchObject([null, { title: 'A kettle' }])
  await discardFile(ctx(), BY, id)
  await expect(getFile(ctx(), id)).rejects.toThrow('no such file')
})

test('the sweep takes files that nobody touched for a day, and what imports of 90 days ago wrote', async () => {
  const old = await upload(EUROS, 'old.csv')
  await check(old)
  await startFile(ctx(), BY, { id: old, dryRun: false })
  await work()
  const { importId } = await getFile(ctx(), old)
  const fresh = await upload(EUROS, 'fresh.csv')
  const sweep = () =>
    createFileSweep(ctx()).run({}, { signal: new AbortController().signal, attempt: 1, jobId: newId(), log })
  await sweep()
  expect((await listFiles(ctx())).length).toBe(2)
  await database.pool.query(
    "update import_files set updated_at = now() - interval '25 hours' where id = $1",
    [old],
  )
  await database.pool.query("update imports set finished_at = now() - interval '91 days'")
  await sweep()
  expect((await listFiles(ctx())).map(({ id }) => id)).toEqual([fresh])
  expect((await getImport(ctx(), importId ?? '', { limit: 5 })).written).toEqual([])
  await expect(undoImport(ctx(), { ...BY, id: importId ?? '' })).rejects.toThrow('90 days')
  expect((await titles()).length).toBe(3)
})
