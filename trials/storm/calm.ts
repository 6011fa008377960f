/**
 * The calm after a storm: every node says by itself that it is ready, and what was to be done is done. Trials do not wait
 * for minutes that pass by the clock: a lease of a node that was killed, and the pause before a job is tried again, are cut
 * short after a while. That is all that is done to the database from outside, and it only makes time pass.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { World } from '../world.ts'

const READY_LIMIT_MS = 60_000
const DRAIN_LIMIT_MS = 60_000
/** By then a job on a living node has ended: producers have three seconds, mails and notifications go to this machine. */
const HURRY_AFTER_MS = 7_000
const HURRY_AGAIN_MS = 4_000

export type Calm = { readySeconds: number; drainSeconds: number; breaches: string[] }

export async function waitForCalm({ cluster }: World, hurryAfterMs = HURRY_AFTER_MS): Promise<Calm> {
  const healed = performance.now()
  const breaches: string[] = []
  try {
    await cluster.whenReady(READY_LIMIT_MS)
  } catch (error) {
    breaches.push(`a node does not recover: ${(error as Error).message}`)
  }
  const readySeconds = (performance.now() - healed) / 1000
  const left = await drain(cluster.database.pool, hurryAfterMs)
  if (left.length > 0) breaches.push(`jobs were not done in time: ${left.join(', ')}`)
  const drainSeconds = (performance.now() - healed) / 1000 - readySeconds
  return { readySeconds, drainSeconds, breaches }
}

async function drain(pool: pg.Pool, hurryAfterMs: number): Promise<string[]> {
  const begun = Date.now()
  // Anyone who takes a job from now on is alive.
  let held = await leasesHeld(pool)
  let hurryAt = begun + hurryAfterMs
  for (;;) {
    const left = await jobsLeft(pool)
    if (left.length === 0 || Date.now() > begun + DRAIN_LIMIT_MS) return left
    if (Date.now() > hurryAt) {
      await hurry(pool, held)
      held = []
      // Not all the time: each try counts, and what cannot be done yet would use them up.
      hurryAt = Date.now() + HURRY_AGAIN_MS
    }
    await sleep(100)
  }
}

async function jobsLeft(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ text: string }>(
    `select kind || ' ' || state || ' (attempt ' || attempts || ')' as text from jobs
     where state = 'running' or (state = 'waiting' and (run_at <= now() or attempts > 0))
     union all select 'request for quote ' || id from rfqs where state = 'submitted'`,
  )
  return rows.map(({ text }) => text)
}

async function leasesHeld(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(`select lease_id as id from jobs where state = 'running'`)
  return rows.map(({ id }) => id)
}

async function hurry(pool: pg.Pool, leases: string[]): Promise<void> {
  await pool.query(`update jobs set lease_until = now() - interval '1 s' where lease_id = any($1)`, [leases])
  await pool.query(`update jobs set run_at = now() where state = 'waiting' and attempts > 0`)
}
