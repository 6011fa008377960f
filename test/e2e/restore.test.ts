/** Backups of a database with rows in every table, brought back on a server by DATABASE_URL. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { readEverything, takeBackup } from '../../src/backup/backup.service.ts'
import { withDatabase } from '../../src/backup/connect.ts'
import { type BackupRecord, writeRecord } from '../../src/backup/format.ts'
import { readRecords } from '../../src/backup/read-file.ts'
import { discardKept, restoreBackup } from '../../src/backup/restore.service.ts'
import { writeBackupFile } from '../../src/backup/write-file.ts'
import { openDatabase } from '../../src/db/database.ts'
import { listMigrations, migrate } from '../../src/db/migrate.ts'
import { createTestDatabase, SILENT, type TestDatabase } from '../harness.ts'
import { fillEveryTable } from '../upgrades/fill.ts'
import { expectServed, SECRET } from '../upgrades/serves.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-restore-'))
const say = () => {}
/** Of the newest version, and of one from before most migrations, which is restored sooner. */
const [full, early] = [path.join(folder, 'full.backup'), path.join(folder, 'early.backup')]
const EARLIER = listMigrations().filter((name) => name < '0005')
let source: TestDatabase
let empty: TestDatabase
let old: TestDatabase
/** Holds a setting of somebody; what is refused leaves it as it is. */
let taken: TestDatabase
let folders = 0

const configOf = (databaseUrl: string, secret: string | null = SECRET) => ({
  ...{ databaseUrl, secret, dataDir: path.join(folder, `data-${++folders}`) },
})
const options = { replace: false, discardOld: false, say }

beforeAll(async () => {
  source = await createTestDatabase()
  empty = await createTestDatabase({ empty: true })
  await fillEveryTable(source.pool, SECRET)
  await takeBackup(configOf(source.url), { file: full, force: false, withSecret: true, say })
  old = await createTestDatabase({ empty: true })
  await migrate(old.pool, undefined, undefined, EARLIER)
  await fillEveryTable(old.pool, SECRET)
  await takeBackup(configOf(old.url), { file: early, force: false, withSecret: true, say })
  taken = await createTestDatabase()
  await inside(taken, (client) => client.query(`insert into settings (name, value) values ('mine', '1')`))
})
afterAll(async () => {
  await asAdmin(async (admin) => {
    // Only what came of this file's: others restore at the same time.
    const own = [empty, taken].map(({ connection }) => connection.database).join('|')
    const { rows } = await admin.query<{ name: string }>(
      `select datname::text as name from pg_database where datname ~ $1`,
      [`^(${own})_(before_\\d+|restoring)$`],
    )
    for (const { name } of rows) await admin.query(`drop database ${name} with (force)`)
  })
  fs.rmSync(folder, { recursive: true, force: true })
})

async function asAdmin<T>(work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ ...inject('postgres'), database: 'postgres' })
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.end()
  }
}

/** On a connection of its own, whose name is not one of Souk's, so that it does not count as a server. */
async function inside<T>(
  { connection }: { connection: pg.ClientConfig },
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** A fingerprint of each table's rows. Ids of transactions are those of the server, not of the data. */
async function fingerprints(database: TestDatabase): Promise<Record<string, string>> {
  return inside(database, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `select relname::text as name from pg_class where relnamespace = 'public'::regnamespace
         and relkind in ('r', 'p') and not relispartition and relpersistence = 'p'`,
    )
    const found: Record<string, string> = {}
    for (const { name } of tables) {
      const { rows } = await client.query<{ rows: string }>(
        `select count(*) || ' ' || md5(string_agg(row, E'\\n' order by row)) as rows
         from (select (to_jsonb(t) - 'xid')::text as row from ${name} t) x`,
      )
      found[name] = rows[0]?.rows ?? 'empty'
    }
    return found
  })
}

async function rewritten(from: string, change: (record: BackupRecord) => BackupRecord): Promise<string> {
  const file = path.join(folder, `changed-${++folders}.backup`)
  async function* records() {
    for await (const record of readRecords(from)) yield writeRecord(change(record))
  }
  await writeBackupFile(records(), { file, force: false })
  return file
}

const settings = (database: TestDatabase, name = database.connection.database) =>
  inside({ connection: { ...database.connection, database: name } }, async (client) =>
    (await client.query<{ name: string }>('select name from settings order by 1')).rows.map(
      (row) => row.name,
    ),
  )

test('a database that no Souk has used has nothing to back up, and no file is left', async () => {
  const file = path.join(folder, 'nothing.backup')
  const backup = takeBackup(configOf(empty.url), { file, force: false, withSecret: true, say })
  await expect(backup).rejects.toThrow('there is nothing to back up')
  expect(fs.readdirSync(folder).filter((name) => name.startsWith('nothing'))).toEqual([])
})

describe('a round trip', () => {
  test('gives every row of every table back, numbers go on, and the app serves from it', async () => {
    const { rows: moment } = await source.pool.query('select pg_current_xact_id()::text as id')
    const summary = await restoreBackup(configOf(empty.url), { ...options, file: full })
    const restored = await fingerprints(empty)
    expect(restored).toEqual(await fingerprints(source))
    for (const [table, rows] of Object.entries(restored)) expect(rows, table).toMatch(/^[1-9]/)
    expect(summary).toMatchObject({ tables: Object.keys(restored).length, keptAs: null, upgraded: [] })
    const souk = await expectServed(empty)
    const { rows: numbers } = await source.pool.query('select last_value + 1 as next from changes_seq_seq')
    const { rows: written } = await empty.pool.query(
      `insert into changes (aspect) values ('text') returning seq`,
    )
    expect(written).toEqual([{ seq: numbers[0].next }])
    // Those of another server could lie ahead of this one's, and followers would read them again and again.
    const { rows: older } = await empty.pool.query('select seq from changes where xid <= $1', [moment[0].id])
    expect(older).toEqual([])
    await souk.searchRuntime.fill()
    const answer = await souk.app.request('/api/search', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'morgentau lamp' }),
    })
    expect(await answer.text()).toContain('morgentau-lamp')
  })

  test('a user who may not make databases fills the empty one that is named, or nothing of it', async () => {
    const target = await createTestDatabase({ empty: true })
    const { database } = target.connection
    const role = `plain_${database}`
    await asAdmin(async (admin) => {
      await admin.query(`create role ${role} login`)
      await admin.query(`alter database ${database} owner to ${role}`)
    })
    const url = target.url.replace('//souk@', `//${role}@`)
    const broken = await rewritten(early, (record) =>
      record.kind === 'end' ? { ...record, rows: 3 } : record,
    )
    await expect(restoreBackup(configOf(url), { ...options, file: broken })).rejects.toThrow()
    expect(await fingerprints(target)).toEqual({})
    const summary = await restoreBackup(configOf(url), { ...options, file: full })
    expect(summary.keptAs).toBeNull()
    expect(await fingerprints(target)).toEqual(await fingerprints(source))
    await expect(restoreBackup(configOf(url), { ...options, file: full, replace: true })).rejects.toThrow(
      'may not replace the database',
    )
    await asAdmin(async (admin) => {
      await admin.query(`drop database ${database} with (force)`)
      await admin.query(`drop role ${role}`)
    })
  })
})

test('what others write while it is taken is not in it, in no table, and they do not wait for it', async () => {
  const { pool, connection } = await createTestDatabase()
  await pool.query(`insert into settings (name, value) values ('early', '1')`)
  const write = `
    insert into users (id, email, email_key) values (gen_random_uuid(), 'overdue', 'overdue');
    insert into audit_log (id, actor_kind, action) values (gen_random_uuid(), 'system', 'overdue');
    update settings set name = 'overdue'; insert into settings (name, value) values ('afterwards', '2')`
  const file = path.join(folder, 'meanwhile.backup')
  await inside({ connection }, async (client) => {
    const contents = { secret: null, secretElsewhere: true, counted: { tables: 0, rows: 0 } }
    async function* interrupted() {
      let first = true
      for await (const record of readEverything(client, { ...contents, onProgress: () => {} })) {
        yield record
        // The header is out: the moment is fixed, and no table has been read.
        if (first) await pool.query(write)
        first = false
      }
    }
    await writeBackupFile(interrupted(), { file, force: false })
  })
  const rows: Record<string, number> = {}
  let words = ''
  for await (const record of readRecords(file)) {
    if (record.kind === 'data') words += record.bytes.toString('latin1')
    if (record.kind === 'trailer') for (const table of record.trailer.tables) rows[table.name] = table.rows
  }
  expect(rows).toMatchObject({ users: 0, audit_log: 0, settings: 1 })
  expect([words.includes('early'), words.includes('overdue')]).toEqual([true, false])
})

describe('refused, with nothing changed', () => {
  test('a database that a server uses, or anybody else, for it could not be renamed', async () => {
    const server = openDatabase(taken.connection, SILENT)
    await server.pool.query('select 1')
    const restore = () => restoreBackup(configOf(taken.url), { ...options, file: full, replace: true })
    await expect(restore()).rejects.toThrow(/is in use \(souk pool \d+\): stop every Souk server/)
    await server.close()
    await inside({ connection: { ...taken.connection, application_name: 'psql' } }, () =>
      expect(restore()).rejects.toThrow(/is in use \(psql\)/),
    )
    expect(await settings(taken)).toEqual(['mine'])
  })

  test('a damaged file, a newer version’s, one that lacks a table, one whose references do not hold', async () => {
    const bytes = fs.readFileSync(full)
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
    const flipped = path.join(folder, 'flipped.backup')
    fs.writeFileSync(flipped, bytes)
    const newer = await rewritten(full, (record) =>
      record.kind === 'header'
        ? { ...record, header: { ...record.header, migrations: ['0001_foundation.sql', '9999_later.sql'] } }
        : record,
    )
    const lacking = await rewritten(early, (record) => {
      if (record.kind === 'table' && record.table.name === 'sessions')
        return { ...record, table: { ...record.table, name: 'sittings' } }
      if (record.kind !== 'trailer') return record
      const tables = record.trailer.tables.map((table) =>
        table.name === 'sessions' ? { ...table, name: 'sittings' } : table,
      )
      return { ...record, trailer: { ...record.trailer, tables } }
    })
    let table = ''
    const orphaned = await rewritten(early, (record) => {
      if (record.kind === 'table') table = record.table.name
      // The id of the first brand: after 19 bytes of COPY's own, the number of columns and the id's length.
      if (record.kind === 'data' && table === 'brands') record.bytes.fill(0xee, 25, 41)
      return record
    })
    const cases = [
      [flipped, 'is cut off or damaged'],
      [newer, 'from a newer Souk (0.1.0, with 9999_later.sql): restore it with that version'],
      [lacking, 'the backup lacks tables that its own migrations create: sessions'],
      [orphaned, 'the backup is not consistent: rows of products break its reference'],
    ] as const
    for (const [file, why] of cases)
      await expect(restoreBackup(configOf(taken.url), { ...options, file, replace: true })).rejects.toThrow(
        why,
      )
    expect(await settings(taken)).toEqual(['mine'])
    const left = await asAdmin((admin) =>
      admin.query(`select from pg_database where datname = $1`, [`${taken.connection.database}_restoring`]),
    )
    expect(left.rowCount).toBe(0)
  })
})

describe('where there is data already', () => {
  test('only --replace puts the backup in its place, and the old database is kept until it is discarded', async () => {
    const config = configOf(taken.url)
    await expect(restoreBackup(config, { ...options, file: full })).rejects.toThrow('already has data')
    expect(await settings(taken)).toEqual(['mine'])
    const { keptAs } = await restoreBackup(config, { ...options, file: full, replace: true })
    expect(keptAs).toMatch(/^test_\w+_before_\d{14}$/)
    expect(await settings(taken)).toEqual(await settings(source))
    expect(await settings(taken, keptAs ?? '')).toEqual(['mine'])
    expect(await discardKept(config, say)).toEqual([keptAs])
  })

  test('an older version’s backup comes in its own schema and is brought to the newest; --discard-old keeps nothing', async () => {
    expect((await old.pool.query('select name from migrations')).rowCount).toBe(EARLIER.length)
    const config = configOf(taken.url)
    const given = { ...options, file: early, replace: true, discardOld: true }
    const { upgraded, keptAs } = await restoreBackup(config, given)
    expect([...EARLIER, ...upgraded]).toEqual(listMigrations())
    expect(keptAs).toBeNull()
    expect(await discardKept(config, say)).toEqual([])
    await migrate(old.pool)
    const [found, wanted] = [await fingerprints(taken), await fingerprints(old)]
    // When a migration was applied is the one thing that differs.
    expect({ ...found, migrations: '' }).toEqual({ ...wanted, migrations: '' })
    await expectServed(taken)
  })
})

test('the address of another database of the same server keeps everything else', () => {
  expect(withDatabase('postgresql://u:p@h:5/a?host=%2Fx', 'b c')).toBe('postgresql://u:p@h:5/b%20c?host=%2Fx')
  expect(withDatabase('postgres://u@/a?host=/tmp/x', 'b')).toBe('postgres://u@/b?host=/tmp/x')
  expect(withDatabase('postgres://h', 'b')).toBe('postgres://h/b')
})
