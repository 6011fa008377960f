/** A real PostgreSQL that is stopped in its tracks (SIGSTOP), as a server with a dead disk is. */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LOCKS, withAdvisoryLock } from '../../src/db/advisory-lock.ts'
import { type Database, isConnectionLost, isDatabaseTrouble, openDatabase } from '../../src/db/database.ts'
import { type EmbeddedPostgres, startEmbedded } from '../../src/db/embedded.ts'
import { startListener } from '../../src/db/listen.ts'
import type { FinishedQuery } from '../../src/db/observe-queries.ts'
import { createSlowQueryLog } from '../../src/db/slow-queries.ts'
import { captureLog } from '../harness.ts'
import { postmasterPid, preparedDataDir, tempDataDir } from '../server-process.ts'

const dataDir = tempDataDir()
const WATCHED = { watched: true, watchTimes: { lookEveryMs: 50, suspiciousAfterMs: 300, probeMs: 1_000 } }
const logged = captureLog()
const finished: FinishedQuery[] = []
const slow = createSlowQueryLog(logged.log, 200)
let postgres: EmbeddedPostgres
let database: Database

beforeAll(async () => {
  await preparedDataDir(dataDir)
  postgres = await startEmbedded({ dataDir, role: 'server', log: logged.log })
  database = openDatabase(postgres.connection, logged.log, {
    poolSize: 3,
    ...WATCHED,
    onQuery: (query) => {
      finished.push(query)
      slow(query)
    },
  })
})

afterAll(async () => {
  signalAll('SIGCONT')
  await database.close()
  await postgres.stop()
  fs.rmSync(dataDir, { recursive: true, force: true })
})

/** The postmaster and all its children. */
function signalAll(signal: NodeJS.Signals): void {
  const postmaster = postmasterPid(dataDir)
  const children = fs
    .readFileSync(path.join('/proc', String(postmaster), 'task', String(postmaster), 'children'), 'utf8')
    .split(' ')
    .filter(Boolean)
  for (const pid of [postmaster, ...children.map(Number)]) process.kill(pid, signal)
}

const failure = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  )

test('a statement that takes long is let be, and is a line in the log without its values', async () => {
  await sql`select pg_sleep(0.3), ${'planted-secret'}::text`.execute(database.db)
  await database.pool.query('select pg_sleep(1)')
  expect(finished.at(-1)).toMatchObject({ text: 'select pg_sleep(1)', error: null })
  const lines = logged.lines().filter(({ msg }) => msg === 'slow query')
  expect(lines.map(({ sql }) => sql)).toEqual(['select pg_sleep(0.3), $1::text', 'select pg_sleep(1)'])
  expect(logged.text()).not.toContain('planted-secret')
  expect(logged.text()).not.toContain('does not answer')
})

test('a statement that fails is told of, with its error, whichever way it was sent', async () => {
  expect(await failure(database.pool.query('select 1 / 0'))).toMatchObject({ code: '22012' })
  expect(await failure(sql`select 1 / 0`.execute(database.db))).toMatchObject({ code: '22012' })
  const told = finished.filter(({ text }) => text === 'select 1 / 0')
  expect(told.map(({ error }) => (error as { code: string }).code)).toEqual(['22012', '22012'])
})

test('a database that hangs fails who waits and refuses who comes, until it answers again', async () => {
  // More than the pool has, so that some wait for a connection; one is in the middle of a transaction.
  const begun = Promise.withResolvers<void>()
  const hung = Promise.withResolvers<void>()
  const inTransaction = database.db.transaction().execute(async (tx) => {
    await sql`select 1`.execute(tx)
    begun.resolve()
    await hung.promise
    await sql`select 2`.execute(tx)
  })
  const told = failure(inTransaction)
  await begun.promise
  signalAll('SIGSTOP')
  hung.resolve()
  const waiting = Array.from({ length: 6 }, () => failure(database.pool.query('select 1')))
  for (const error of [await told, ...(await Promise.all(waiting))])
    expect(isConnectionLost(error)).toBe(true)
  expect(logged.text()).toContain('rejecting requests that need it')

  expect(await failure(database.pool.query('select 1'))).toMatchObject({ name: 'DatabaseAway' })
  expect(await failure(sql`select 1`.execute(database.db))).toMatchObject({ name: 'DatabaseAway' })

  signalAll('SIGCONT')
  while (await failure(database.pool.query('select 1'))) await sleep(50)
  await sql`select 1`.execute(database.db)
  expect(logged.text()).toContain('the database answers again')
})

test('a node can stop while its database hangs: pool and listener let go of it', async () => {
  const heard = Promise.withResolvers<void>()
  const listener = startListener(postgres.connection, { news: () => heard.resolve() }, logged.log)
  await heard.promise
  const stopping = openDatabase(postgres.connection, logged.log, WATCHED)
  await stopping.pool.query('select 1')
  signalAll('SIGSTOP')
  try {
    const cutOff = failure(stopping.pool.query('select 1'))
    while (stopping.pool.idleCount > 0) await sleep(10)
    await Promise.all([stopping.close(), listener.close()])
    expect(isConnectionLost(await cutOff)).toBe(true)
  } finally {
    signalAll('SIGCONT')
  }
}, 30_000)

test.each([
  ['out of room', '53100', true],
  ['too many connections', '53300', true],
  ['a deadlock', '40P01', true],
  ['a statement that was cancelled', '57014', true],
  ['a server that is stopping', '57P01', true],
  ['a value that is not unique', '23505', false],
  ['a wrong statement', '42601', false],
])('%s (%s): passes by itself: %s', async (_what, code, passes) => {
  const raised = await failure(
    database.pool.query(`do $$ begin raise exception using errcode = '${code}', message = 'as told'; end $$`),
  )
  expect(raised).toMatchObject({ code })
  expect(isDatabaseTrouble(raised)).toBe(passes)
})

test('somebody who holds a lock is waited for ten seconds, and with an advisory lock of ours for as long as it takes', async () => {
  const { rows } = await database.pool.query<{ lock_timeout: string }>('show lock_timeout')
  expect(rows).toEqual([{ lock_timeout: '10s' }])
  await withAdvisoryLock(database.pool, LOCKS.migrations, async (client) => {
    expect((await client.query('show lock_timeout')).rows).toEqual([{ lock_timeout: '0' }])
  })
  const others = await Promise.all(Array.from({ length: 3 }, () => database.pool.connect()))
  for (const client of others) {
    expect((await client.query('show lock_timeout')).rows).toEqual([{ lock_timeout: '10s' }])
    client.release()
  }
})
