/** A node whose secret is not the one that the database was sealed with. */
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { adminCommand } from '../../src/commands/admin.ts'
import { loadConfig } from '../../src/config.ts'
import { openSecret, SEALED_KINDS, type SealedKind } from '../../src/sealed.ts'
import { captureLog, createTestDatabase, SILENT, type TestDatabase } from '../harness.ts'
import { sealOne } from '../sealed.world.ts'
import { spawnSouk, startSouk, tempDataDir } from '../server-process.ts'

const OLD = 'the secret that was there first of 32 characters'
const NEW = 'another secret of at least 32 characters for it'

function settings(database: TestDatabase, more: Record<string, string> = {}): Record<string, string> {
  return { DATABASE_URL: database.url, SOUK_DATA_DIR: tempDataDir(), SOUK_CATALOG: 'none', ...more }
}

function open(database: TestDatabase, more: Record<string, string>) {
  return openSecret({ db: database.db, log: SILENT }, loadConfig(settings(database, more)))
}

async function sealed(...kinds: readonly SealedKind[]): Promise<TestDatabase> {
  const database = await createTestDatabase()
  for (const kind of kinds) await sealOne(database, kind, OLD)
  return database
}

test('a start with another secret stops with one sentence that says what to do', async () => {
  const database = await sealed(...SEALED_KINDS)
  const { output, ended } = spawnSouk(['serve'], settings(database, { SOUK_SECRET: NEW }))
  expect(await ended).toBe(2)
  const said = output().trimEnd().split('\n')
  expect(said).toHaveLength(1)
  expect(said[0]).toMatch(
    /^souk: SOUK_SECRET does not open the sealed data of this database \(1 of 1 producer secrets/,
  )
  for (const { what } of SEALED_KINDS) expect(said[0]).toContain(`1 of 1 ${what}`)
  expect(said[0]).toMatch(/add the secret it was sealed with to SOUK_SECRET.*SOUK_ACCEPT_LOST_SECRETS=1/)
})

test('with SOUK_ACCEPT_LOST_SECRETS=1 it goes on, and the log says what is lost', async () => {
  const database = await sealed(...SEALED_KINDS)
  const node = await startSouk(settings(database, { SOUK_SECRET: NEW, SOUK_ACCEPT_LOST_SECRETS: '1' }))
  node.kill('SIGTERM')
  expect(await node.ended).toBe(0)
  expect(node.output()).toMatch(/"level":"warn".*"lost":"1 of 1 producer secrets, .*1 of 1 waiting emails"/)
})

test.each(SEALED_KINDS)('a secret that does not open $what is refused by itself', async (kind) => {
  const database = await sealed(kind)
  await expect(open(database, { SOUK_SECRET: NEW })).rejects.toThrow(`(1 of 1 ${kind.what})`)
  expect(await open(database, { SOUK_SECRET: OLD })).toBe(OLD)
  expect(await open(database, { SOUK_SECRET: `${NEW},${OLD}` })).toBe(`${NEW},${OLD}`)
})

test('a box that was changed in the database is lost, although its key is known', async () => {
  const database = await sealed(...SEALED_KINDS)
  await database.pool.query(`update product_pricing set floors_box = floors_box || 'AAAA'`)
  await expect(open(database, { SOUK_SECRET: OLD })).rejects.toThrow('(1 of 1 managed pricing limits)')
})

test('after a rotation the old secret is not needed, nor for keys that sign no more', async () => {
  const database = await sealed(...SEALED_KINDS)
  await database.pool.query(
    `insert into signing_keys (kid, public_jwk, private_box, retired_at) values ('old', '{}', 'v1.00000000.x', now())`,
  )
  const config = loadConfig(settings(database, { SOUK_SECRET: `${NEW},${OLD}` }))
  expect(await adminCommand(config, ['reseal-secrets'])).toBe(0)
  expect(await open(database, { SOUK_SECRET: NEW })).toBe(NEW)
})

test('an empty database takes any secret, and creates a missing one', async () => {
  const database = await createTestDatabase()
  expect(await open(database, { SOUK_SECRET: NEW })).toBe(NEW)
  expect((await open(database, {})).length).toBeGreaterThanOrEqual(32)
})

test('where the file with the secret is gone, the start says so and makes no new one', async () => {
  const database = await sealed(...SEALED_KINDS)
  const config = loadConfig(settings(database))
  const { log } = captureLog()
  await expect(openSecret({ db: database.db, log }, config)).rejects.toThrow(
    `SOUK_SECRET is not set, ${path.join(config.dataDir, 'secret')} does not exist`,
  )
  expect(fs.readdirSync(config.dataDir)).toEqual([])
})

test('every column that holds a sealed box is in the list', async () => {
  const database = await createTestDatabase()
  const { rows } = await database.pool.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = 'public' and column_name like '%\\_box' order by 1`,
  )
  const listed = SEALED_KINDS.map(({ column: { table, column } }) => `${table}.${column}`)
  expect(listed).toEqual(expect.arrayContaining(rows.map(({ name }) => name)))
})
