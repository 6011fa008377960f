/**
 * The short version of `npm run faults`: two real nodes on one real PostgreSQL, one round for each of three faults under mixed
 * traffic, and the auditor after each. Then the auditor itself is put to the test, on what the storm has left: in a
 * transaction that is rolled back, the database is broken in one way after the other, and each must be found.
 */
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { AuditContext } from '../../trials/auditor/check.ts'
import { auditRestored } from '../../trials/auditor/restored.ts'
import { audit, CHECKS } from '../../trials/auditor.ts'
import { SECRET } from '../../trials/cluster.ts'
import { createJournal } from '../../trials/journal.ts'
import { waitForCalm } from '../../trials/storm/calm.ts'
import type { FaultName } from '../../trials/storm/faults.ts'
import { runStorm } from '../../trials/storm.ts'
import { runTraffic } from '../../trials/traffic.ts'
import { openWorld, type World } from '../../trials/world.ts'
import { CHEAP_PASSWORDS } from '../harness.ts'
import { preparedTrialDir, spawnSouk } from '../server-process.ts'
import { BREAKS } from './storm.breaks.ts'

const TRIES = 10
const THREE: FaultName[] = ['kill-both', 'full-disk', 'hanging-database']
/** Once at least, however slow the machine is: what is to be broken must be there. */
const FIRST = [
  ...[
    'offer.create',
    'offer.create',
    'offer.create',
    'offer.status',
    'offer.status',
    'offer.status',
    'offer.edit',
  ],
  ...['pricing.set', 'token.create', 'saved.add', 'enrichment.submit', 'enrichment.approve', 'search.bundle'],
  ...['account.signup', 'tool.look', 'rfq.a2a', 'rfq.a2a', 'rfq.a2a'],
]
const journal = createJournal()
let world: World
let client: pg.Client

beforeAll(async () => {
  world = await openWorld({
    nodes: 2,
    diskMb: 240,
    from: await preparedTrialDir(),
    // Few pieces of the log are kept for later, so that a full disk is felt at once.
    settings: { max_wal_size: '32MB' },
    env: { SOUK_RFQ_DEADLINE_MS: '1500', ...CHEAP_PASSWORDS },
  })
  client = new pg.Client(world.cluster.postgres.connection)
  const { cluster, people, mail } = world
  const until = AbortSignal.abort()
  await runTraffic({ addresses: cluster.addresses, people, mail, journal, first: FIRST, seed: 7, until })
}, 120_000)

afterAll(async () => {
  await client?.end()
  await world?.close()
}, 120_000)

test('no fault loses an acknowledged write, leaves a task open or a quota wrong', {
  timeout: 240_000,
}, async () => {
  const rounds = await runStorm(world, {
    rounds: THREE.length,
    seed: 7,
    only: THREE,
    timesMs: { before: 500, during: 1_200, after: 500 },
    concurrency: 6,
    rate: 40,
    hurryAfterMs: 1_700,
    journal,
  })
  for (const { fault, what, breaches, acknowledged } of rounds) {
    expect(breaches, `${fault}: ${what}`).toEqual([])
    expect(acknowledged, `${fault}: ${what}`).toBeGreaterThan(0)
  }
  expect(rounds.map(({ fault }) => fault).sort()).toEqual([...THREE].sort())
})

/** A command of the service, to its end. */
async function souk(args: string[], databaseUrl: string): Promise<void> {
  const { ended, output } = spawnSouk(args, { DATABASE_URL: databaseUrl, SOUK_SECRET: SECRET })
  const code = await ended
  expect(code, output()).toBe(0)
}

/** Only what a check asks for by `query`, on one connection, one statement after the other. */
function context(): AuditContext {
  let last: Promise<unknown> = Promise.resolve()
  const query = (sql: string, values?: unknown[]) => {
    const next = last.then(() => client.query(sql, values))
    last = next.catch(() => {})
    return next
  }
  const { people, mail, agents, cluster } = world
  const pool = { query } as unknown as pg.Pool
  return { pool, journal, people, mail, agents, addresses: cluster.addresses(), disturbances: 0, lagMs: 0 }
}

test('a backup taken under traffic is restored as the database was at one moment', {
  timeout: 120_000,
}, async () => {
  const { cluster, people, mail } = world
  const file = path.join(cluster.dir, 'under-traffic.souk')
  const restoredUrl = cluster.postgres.url.replace('/souk?', '/restored?')
  const writesBefore = journal.writes.length
  const over = new AbortController()
  const traffic = runTraffic({
    addresses: cluster.addresses,
    people,
    mail,
    journal,
    rate: 60,
    mostAtOnce: 6,
    mix: { read: 0, search: 0 },
    seed: 8,
    until: over.signal,
  })
  const written = () => journal.writes.length - writesBefore
  await vi.waitUntil(() => written() > 30, { timeout: 30_000 })
  const beganMs = Date.now()
  await souk(['backup', file], cluster.postgres.url)
  const endedMs = Date.now()
  const during = written()
  await vi.waitUntil(() => written() > during + 15, { timeout: 30_000 })
  over.abort()
  await traffic
  const meanwhile = journal.writes.filter(({ sentAtMs }) => sentAtMs > beganMs && sentAtMs < endedMs)
  expect(meanwhile.length, 'writes while it was taken').toBeGreaterThan(0)

  await cluster.database.pool.query('create database restored')
  await souk(['restore', file], restoredUrl)
  const pool = new pg.Pool({ ...cluster.postgres.connection, database: 'restored', max: 4 })
  try {
    const found = await auditRestored({ ...context(), pool }, { beganMs, endedMs, writesBefore })
    expect(found).toEqual([])
    // It is looked at for real: of one record the fewer, and it is told.
    await pool.query(
      `delete from audit_log where id = (
      select id from audit_log where request_id = any($1) limit 1)`,
      [
        journal.writes
          .slice(writesBefore)
          .filter(
            ({ outcome, audited, endedAtMs }) => outcome === 'acknowledged' && audited && endedAtMs < beganMs,
          )
          .map(({ requestId }) => requestId),
      ],
    )
    const missed = await auditRestored({ ...context(), pool }, { beganMs, endedMs, writesBefore })
    expect(missed.join('\n')).toContain('was acknowledged before the backup began and has 0 records')
  } finally {
    await pool.end()
  }
})

test('the auditor finds nothing where nothing is wrong', async () => {
  await client.connect()
  const { pool } = world.cluster.database
  expect(await audit({ ...context(), pool, disturbances: THREE.length, lagMs: 8_000 })).toEqual([])
})

/** Chance may have ended every offer by now: people go on until there is something to break. */
async function breakSomething(sql: string): Promise<number> {
  const { cluster, people, mail } = world
  const until = AbortSignal.abort()
  for (let tries = 1; ; tries++) {
    await client.query('begin')
    const { rowCount } = await client.query(sql)
    if (rowCount || tries === TRIES) return rowCount ?? 0
    await client.query('rollback')
    const seed = 100 + tries
    await runTraffic({ addresses: cluster.addresses, people, mail, journal, first: FIRST, seed, until })
    await waitForCalm(world)
  }
}

test.for(BREAKS)('the auditor finds $what', { timeout: 120_000 }, async ({ check, sql, found }) => {
  try {
    expect(await breakSomething(sql), 'there was something to break').toBeGreaterThan(0)
    const breaches = await CHECKS.find(({ name }) => name === check)?.run(context())
    expect(
      breaches?.filter((text) => found.test(text)),
      JSON.stringify(breaches),
    ).not.toEqual([])
  } finally {
    await client.query('rollback')
  }
})
