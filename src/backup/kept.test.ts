/** What a restore leaves of the database that was there: it drops only what is empty, and nobody else's. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createTestDatabase } from '../../test/harness.ts'
import { takeBackup } from './backup.service.ts'
import { withDatabase } from './connect.ts'
import { restoreBackup } from './restore.service.ts'
import { dropDatabase, listKept } from './swap.queries.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-kept-'))
const admin = new pg.Client({ ...inject('postgres'), database: 'postgres' })
/** Of its own, because other files drop what theirs have left. */
const name = `kept_${process.pid}`
const made: string[] = []
beforeAll(() => admin.connect())
afterAll(async () => {
  for (const database of made) await dropDatabase(admin, database)
  await admin.end()
  fs.rmSync(folder, { recursive: true, force: true })
})

async function makeDatabase(database: string): Promise<string> {
  await admin.query(`create database ${database}`)
  made.push(database)
  return database
}

/** In a process of its own, which has ended when this returns. */
const WRITE = `
  import pg from 'pg'
  const client = new pg.Client({ connectionString: process.argv[1] })
  await client.connect()
  await client.query('create table theirs (n int)')
  await client.query('insert into theirs values (1)')
  await client.end()`

test('what was empty when the restore began, and was written to before it ended, is kept', async () => {
  const say = () => {}
  const at = (databaseUrl: string, data: string) => ({
    ...{ databaseUrl, secret: 'x'.repeat(32), dataDir: path.join(folder, data) },
  })
  const file = path.join(folder, 'one.backup')
  const from = await createTestDatabase()
  await takeBackup(at(from.url, 'from'), {
    file,
    force: false,
    withSecret: false,
    say,
  })
  const target = withDatabase(from.url, await makeDatabase(name))
  let written = false
  const { keptAs } = await restoreBackup(at(target, 'to'), {
    ...{ file, replace: false, discardOld: false, say },
    onProgress() {
      if (!written) execFileSync(process.execPath, ['--input-type=module', '-e', WRITE, target])
      written = true
    },
  })
  expect(keptAs).toMatch(/_before_\d{14}$/)
  made.push(keptAs ?? '')
  const kept = new pg.Client({ ...inject('postgres'), database: keptAs ?? '' })
  await kept.connect()
  const { rows } = await kept.query('select n from theirs')
  await kept.end()
  expect(rows).toEqual([{ n: 1 }])
})

test('what is kept of another database, whose name begins alike, is not taken for its own', async () => {
  const own = `${name}_before_20260102030405`
  const other = `${name}_before_copy_before_20260102030405`
  const [one, two] = [await makeDatabase(`${name}_one`), await makeDatabase(`${name}_two`)]
  await admin.query('begin')
  await admin.query(`alter database ${one} rename to ${own}`)
  await admin.query(`alter database ${two} rename to ${other}`)
  const kept = await listKept(admin, name)
  await admin.query('rollback')
  expect(kept.filter((database) => database === own || database === other)).toEqual([own])
})
