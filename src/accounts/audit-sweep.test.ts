/** How long the audit log is kept: everybody's alike, for as long as the operator says. */
import { beforeEach, expect, test } from 'vitest'
import { captureLog, createTestDatabase } from '../../test/harness.ts'
import { createLogsSweep } from '../jobs/logs.job.ts'
import { manualClock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { recordAudits } from './audit.service.ts'
import { auditLog } from './sweep.job.ts'

const DAY_MS = 86_400_000
const clock = manualClock('2026-11-01T12:00:00Z')
const { db, pool } = await createTestDatabase()

beforeEach(() => pool.query('truncate audit_log'))

const record = (daysAgo: number, action: string, whose: { userId?: string; orgId?: string } = {}) =>
  recordAudits(db, [
    {
      actor: { kind: 'operator', id: null },
      action,
      at: new Date(clock.now().getTime() - daysAgo * DAY_MS),
      ...whose,
    },
  ])

const sweep = (audit: number | null, batchRows?: number) =>
  createLogsSweep(
    { db, clock },
    [auditLog({ keep: { searches: null, attempts: null, audit, requests: null } })],
    { batchRows },
  ).run({}, { log: captureLog().log, signal: new AbortController().signal, attempt: 1, jobId: newId() })

const actions = async () =>
  (await pool.query<{ action: string }>('select action from audit_log order by at')).rows.map(
    ({ action }) => action,
  )

test('records of people, organizations and operators go on the same day', async () => {
  for (const [name, whose] of [
    ['person', { userId: newId() }],
    ['org', { orgId: newId() }],
    ['operator', {}],
  ] as const) {
    await record(731, `${name}.old`, whose)
    await record(729, `${name}.young`, whose)
  }
  await sweep(null)
  expect(await actions()).toHaveLength(6)
  await sweep(730)
  expect((await actions()).sort()).toEqual(['operator.young', 'org.young', 'person.young'])
})

test('many go in batches, the oldest first, on two nodes at once', async () => {
  for (let day = 0; day < 50; day++) await record(800 + day, 'old')
  await record(1, 'young')
  await Promise.all([sweep(730, 7), sweep(730, 7)])
  // What one node was at when the other looked, the next day finds.
  await sweep(730)
  expect(await actions()).toEqual(['young'])
})

test('old records are found by time', async () => {
  await pool.query(
    `insert into audit_log (id, at, actor_kind, action)
     select gen_random_uuid(), now() - n * interval '1 minute', 'system', 'x' from generate_series(1, 5000) n`,
  )
  await pool.query('analyze audit_log')
  const { rows } = await pool.query(
    `explain select id from audit_log where at < now() - interval '3 days' order by at limit 100`,
  )
  expect(JSON.stringify(rows)).toContain('audit_by_time')
})
