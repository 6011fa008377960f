/** What is kept of files on their way, for how long, and what becomes of an import that is cut off. */
import { beforeAll, expect, test } from 'vitest'
import { contentOf, wholeOf } from '../../src/catalog/import-content.ts'
import { storeResult } from '../../src/catalog/import-drafts.queries.ts'
import {
  discardDraft,
  getDraftResult,
  previewDraft,
  runDraft,
} from '../../src/catalog/import-drafts.service.ts'
import { createDraftSweepJob } from '../../src/catalog/imports.job.ts'
import { RELATIONSHIP_HOOKS } from '../../src/org-hooks.ts'
import type { TestOrg } from '../orgs.ts'
import {
  createImportPageWorld,
  csv,
  IMPORT,
  type ImportPageWorld,
  rowsNamed,
} from './dashboard.import.world.ts'

let world: ImportPageWorld

beforeAll(async () => {
  world = await createImportPageWorld()
})

const HEADER = 'title,category,brand'
const idOf = (path: string) => path.split('/').at(-1) ?? ''
const draftsOf = async (org: TestOrg) =>
  (
    await world.database.db
      .selectFrom('import_drafts')
      .select('file_name')
      .where('org_id', '=', org.id)
      .orderBy('created_at')
      .orderBy('id')
      .execute()
  ).map(({ file_name }) => file_name)

const actOf = (org: TestOrg) => ({
  caller: { kind: 'link_token' as const, tokenId: org.tokenId, orgId: org.id },
  visit: { ip: null, userAgent: null, requestId: null },
})

/** As the page's button does, followed by the test. */
function run(org: TestOrg, path: string, following: { signal: AbortSignal; progress?: () => void }) {
  return runDraft(
    { ...world.orgs, relationshipHooks: RELATIONSHIP_HOOKS },
    actOf(org),
    { id: idOf(path), dryRun: false },
    { progress: () => {}, ...following },
  )
}

test('an organization keeps five files, the oldest gives way, and others lose nothing', async () => {
  const [org, other] = [await world.newShop(), await world.newShop()]
  const kept = await world.at(other).bring('theirs.csv', csv(HEADER, 'Their Kettle,kettles,Feedling'))
  const names = ['1', '2', '3', '4', '5', '6', '7'].map((n) => `${n}.csv`)
  await Promise.all(
    names.slice(0, 6).map((name) => world.at(org).bring(name, csv(HEADER, 'Kettle,kettles,Feedling'))),
  )
  expect(await draftsOf(org)).toHaveLength(5)
  await world.at(org).bring('7.csv', csv(HEADER, 'Kettle,kettles,Feedling'))
  expect((await draftsOf(org)).at(-1)).toBe('7.csv')
  expect(await draftsOf(org)).toHaveLength(5)
  expect((await world.at(other).get(kept)).status).toBe(200)
})

test('a file can be opened for a day, and is then taken away', async () => {
  const org = await world.newShop()
  const me = world.at(org)
  const old = await me.bring('old.csv', csv(HEADER, 'Kettle,kettles,Feedling'))
  await world.database.pool.query(
    `update import_drafts set created_at = $2::timestamptz - interval '1 day' where id = $1`,
    [idOf(old), world.clock.now()],
  )
  const young = await me.bring('young.csv', csv(HEADER, 'Kettle,kettles,Feedling'))
  expect((await me.get(old)).status).toBe(404)
  expect((await me.get(IMPORT)).text).not.toContain('old.csv')
  const job = createDraftSweepJob(world.ctx)
  const signal = AbortSignal.timeout(5_000)
  await job.run({}, { signal, attempt: 1, jobId: '1', log: world.ctx.log })
  expect(await draftsOf(org)).toEqual(['young.csv'])
  expect((await me.get(young)).status).toBe(200)
})

test('files go with their organization, and stay when the person who brought them goes', async () => {
  const org = await world.newShop()
  await world.at(org).bring('going.csv', csv(HEADER, 'Kettle,kettles,Feedling'))
  await world.database.db.deleteFrom('users').where('id', '=', org.ownerId).execute()
  expect(await draftsOf(org)).toEqual(['going.csv'])
  await world.database.db.deleteFrom('orgs').where('id', '=', org.id).execute()
  expect(await draftsOf(org)).toEqual([])
})

test('an import that is cut off says how far it came, and the same button does the rest, once', async () => {
  const org = await world.newShop()
  const me = world.at(org)
  const path = await me.bring('long.csv', csv(HEADER, ...rowsNamed(250, 'Long')))
  expect((await me.press(path, 'check')).text).toContain('Import 250 rows')
  const gone = new AbortController()
  const cut = run(org, path, { signal: gone.signal, progress: () => gone.abort() })
  await expect(cut).rejects.toThrow('interrupted after 100 rows')
  expect(await world.left(org)).toEqual({ submissions: 100, claims: 0 })
  const stopped = await me.get(`${path}/result`)
  expect(stopped.text).toContain('We imported 100 of 250 rows.')
  expect(stopped.text).toContain('Resume import')
  // What the check said is not so any more.
  expect(stopped.text).not.toContain('New products')
  expect((await me.get(IMPORT)).text).toContain('Stopped')

  const done = await me.press(path, 'import')
  expect(await world.left(org)).toEqual({ submissions: 250, claims: 0 })
  expect(done.text).toContain('New products 150')
  expect(done.text).toContain('Unchanged 100')
})

test('two presses at once import once', async () => {
  const org = await world.newShop()
  const me = world.at(org)
  const path = await me.bring('twice.csv', csv(HEADER, ...rowsNamed(150, 'Twice')))
  const answers = await Promise.all([1, 2, 3].map(() => me.post(`${path}/result`, { act: 'import' })))
  for (const { status } of answers) expect([200, 303, 409]).toContain(status)
  const { text } = await me.press(path, 'import')
  expect(text).toContain('New products 150')
  expect(await world.left(org)).toEqual({ submissions: 150, claims: 0 })
})

test('a long one tells how far it is while it runs, and leads to its result', async () => {
  const org = await world.newShop()
  const me = world.at(org)
  const path = await me.bring('stream.csv', csv(HEADER, ...rowsNamed(120, 'Streamed')))
  // A lock of another session holds the import up for longer than the page waits for it.
  const client = await world.database.pool.connect()
  await client.query('begin')
  await client.query('lock table product_submissions in exclusive mode')
  const answer = me.post(`${path}/result`, { act: 'import' })
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  await client.query('rollback')
  client.release()
  const { status, html, text } = await answer
  expect(status).toBe(200)
  expect(html).toContain('<progress value="0" max="120"')
  expect(text).toContain('Import complete.')
  expect(html).toContain(`href="${path}/result"`)
  expect((await me.get(`${path}/result`)).text).toContain('New products 120')
})

test('a file of the most rows lists every one of them, page by page', async () => {
  const org = await world.newShop()
  const me = world.at(org)
  const path = await me.bring('most.csv', csv(HEADER, ...Array.from({ length: 2_000 }, () => 'x,nowhere,y')))
  const first = await me.press(path, 'check')
  expect(first.text).toContain('Failed 2,000')
  const last = await me.get(`${path}/result?rows=failed&page=40`)
  expect(last.text).toContain('x 2,000, line 2,001')
  const { html } = await me.get(`${path}/bad-rows.csv`)
  expect(html.trimEnd().split('\r\n')).toHaveLength(2_001)
})

test('a new file is taken and kept, though five imports were cut off', async () => {
  const org = await world.newShop()
  const me = world.at(org)
  for (const n of [1, 2, 3, 4, 5]) await me.bring(`cut-${n}.csv`, csv(HEADER, 'Kettle,kettles,Feedling'))
  await world.database.db
    .updateTable('import_drafts')
    .set({ done_rows: 1, run_at: world.clock.now() })
    .where('org_id', '=', org.id)
    .execute()
  const path = await me.bring('new.csv', csv(HEADER, 'Kettle,kettles,Feedling'))
  expect((await me.get(path)).status).toBe(200)
  expect(await draftsOf(org)).toEqual(['cut-2.csv', 'cut-3.csv', 'cut-4.csv', 'cut-5.csv', 'new.csv'])
})

test('pages about a large file read its beginning, or nothing of it, and an import reads it all', async () => {
  const org = await world.newShop()
  const me = world.at(org)
  const path = await me.bring('large.csv', csv(HEADER, 'Kettle,kettles,Feedling'))
  const row = `Kettle,kettles,Feedling${' '.repeat(2_000)}\n`
  const content = Buffer.from(`${HEADER}\n${row.repeat(1_900)}`)
  // As a draft of before previews were kept.
  await world.database.db
    .updateTable('import_drafts')
    .set({ content, preview: null })
    .where('id', '=', idOf(path))
    .execute()
  let read = 0
  const counting = world.database.db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      for (const cell of result.rows.flatMap((found) => Object.values(found)))
        if (Buffer.isBuffer(cell)) read += cell.length
      return result
    },
  })
  const ctx = { ...world.orgs, db: counting, relationshipHooks: RELATIONSHIP_HOOKS }
  const act = actOf(org)
  expect((await previewDraft(ctx, act.caller, idOf(path))).rows).toHaveLength(5)
  expect(read).toBeLessThan(1024 * 1024)
  read = 0
  expect((await previewDraft(ctx, act.caller, idOf(path))).rows).toHaveLength(5)
  await getDraftResult(ctx, act.caller, idOf(path))
  expect(read).toBe(0)
  expect((await wholeOf(contentOf(counting, { orgId: org.id, id: idOf(path) }))).equals(content)).toBe(true)
  read = 0
  await discardDraft(ctx, act, idOf(path))
  expect(read).toBe(0)
})

test('an import that was done and not yet told is told by its button, and read in no other way', async () => {
  const org = await world.newShop()
  const me = world.at(org)
  const path = await me.bring('untold.csv', csv(HEADER, ...rowsNamed(120, 'Untold')))
  await me.press(path, 'import')
  // As when the node dies between the last row and the word that it was the last.
  const forget = () =>
    world.database.db
      .updateTable('import_drafts')
      .set({ finished_at: null, result: null })
      .where('id', '=', idOf(path))
      .execute()
  await forget()
  const reread = await me.post(path, { source: 'csv', column_0: '', column_1: 'category', column_2: 'brand' })
  expect([reread.status, reread.text.includes('already imported')]).toEqual([409, true])
  expect((await me.press(path, 'import')).text).toContain('New products 120')
  expect(await world.left(org)).toEqual({ submissions: 120, claims: 0 })
})

test('what is told again, which is a part of the rows, takes the place of nothing', async () => {
  const org = await world.newShop()
  const me = world.at(org)
  const path = await me.bring('rows.csv', csv(HEADER, ...rowsNamed(120, 'Rows')))
  const all = await me.press(path, 'import')
  const [id, at] = [idOf(path), world.clock.now()]
  const told = { orgId: org.id, id, source: 'csv' as const, mapping: {}, at, repeated: true }
  await storeResult(world.database.db, { ...told, result: {} })
  expect((await me.get(`${path}/result`)).text).toBe(all.text)
})
