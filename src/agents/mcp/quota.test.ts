import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { createTestDatabase, SILENT } from '../../../test/harness.ts'
import { manualClock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { giveUnitsBack } from './quota.queries.ts'
import { createToolQuota, REQUESTS_A_DAY, type Spent, type ToolQuota } from './quota.ts'

const { db, pool } = await createTestDatabase()
const running: ToolQuota[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((quota) => quota.stop()))
})

function node(clock = manualClock('2026-11-01T12:00:00Z')) {
  const quota = createToolQuota({ db, pool, clock, log: SILENT })
  running.push(quota)
  return { ...quota, clock }
}

async function somebody(): Promise<string> {
  const id = newId()
  await sql`insert into users (id, email, email_key) values (${id}, ${id}, ${id})`.execute(db)
  return id
}

async function taken(userId: string): Promise<number> {
  const { rows } = await pool.query<{ taken: number }>('select taken from tool_days where user_id = $1', [
    userId,
  ])
  return rows[0]?.taken ?? 0
}

const spend = async (nodes: ToolQuota[], userId: string, times: number): Promise<Array<Spent | null>> =>
  Promise.all(
    Array.from({ length: times }, async (_, n) => (nodes[n % nodes.length] as ToolQuota).spend(userId)),
  )

const allowed = (spent: Array<Spent | null>) => spent.filter((one) => one?.allowed).length

describe('the daily quota', () => {
  test('500 requests pass and the next is refused until midnight UTC', async () => {
    const [quota, userId] = [node(), await somebody()]
    for (let n = 1; n <= REQUESTS_A_DAY; n++)
      expect(await quota.spend(userId)).toMatchObject({ allowed: true, remaining: REQUESTS_A_DAY - n })
    const midnight = Date.parse('2026-11-02T00:00:00Z') / 1000
    const refused = { allowed: false, remaining: 0, resetAt: midnight, retryAfterSeconds: 12 * 3600 }
    expect(await quota.spend(userId)).toEqual(refused)
    quota.clock.set('2026-11-02T00:00:00Z')
    expect(await quota.spend(userId)).toMatchObject({ allowed: true, remaining: REQUESTS_A_DAY - 1 })
  })

  test('700 requests at once over three nodes: exactly 500 pass', async () => {
    const [nodes, userId] = [[node(), node(), node()], await somebody()]
    const first = await spend(nodes, userId, 350)
    const second = await spend(nodes, userId, 350)
    expect(allowed([...first, ...second])).toBeLessThanOrEqual(REQUESTS_A_DAY)
    await Promise.all(nodes.map((quota) => quota.stop()))
    // What was left with a node that had more than it needed is found by the next.
    const rest = await spend([node()], userId, 100)
    expect(allowed([...first, ...second, ...rest])).toBe(REQUESTS_A_DAY)
    expect(await taken(userId)).toBe(REQUESTS_A_DAY)
  })

  test('an unhurried caller costs a unit a request, a hurried one far fewer writes than requests', async () => {
    const [quota, userId] = [node(), await somebody()]
    await quota.spend(userId)
    expect(await taken(userId)).toBe(1)
    const before = await statements()
    for (let n = 0; n < 200; n++) await quota.spend(userId)
    expect((await statements()) - before).toBeLessThan(40)
  })

  test('a node that stops gives back what it did not use', async () => {
    const [quota, userId] = [node(), await somebody()]
    const spent = await spend([quota], userId, 33)
    expect(allowed(spent)).toBe(33)
    await quota.stop()
    expect(await taken(userId)).toBe(33)
  })

  test("one person's requests do not count for another", async () => {
    const [quota, one, other] = [node(), await somebody(), await somebody()]
    await spend([quota], one, 100)
    expect(await quota.spend(other)).toMatchObject({ remaining: REQUESTS_A_DAY - 1 })
  })

  test('somebody who is gone has no quota', async () => {
    expect(await node().spend(newId())).toBeNull()
  })

  test('over it, a slow database is asked once and the answer is a refusal', async () => {
    const [quota, userId] = [node(), await somebody()]
    await sql`insert into tool_days (user_id, day, taken) values (${userId}, '2026-11-01', 500)`.execute(db)
    await sql`create function slow_days() returns trigger language plpgsql as
      $$ begin perform pg_sleep(1.1); return new; end $$`.execute(db)
    await sql`create trigger slow before insert on tool_days for each row execute function slow_days()`.execute(
      db,
    )
    try {
      expect(await quota.spend(userId)).toMatchObject({ allowed: false })
    } finally {
      await sql`drop trigger slow on tool_days`.execute(db)
    }
  })

  test('nodes that give back for the same people at once do not wait for each other', async () => {
    const people = await Promise.all(Array.from({ length: 40 }, somebody))
    await sql`insert into tool_days (user_id, day, taken)
      select unnest(${people}::uuid[]), '2026-11-01', 400`.execute(db)
    const back = (of: string[]) =>
      giveUnitsBack(
        db,
        of.map((userId) => ({ userId, day: '2026-11-01', units: 1 })),
      )
    for (let round = 0; round < 20; round++)
      await Promise.all([back(people), back(people.toReversed()), back(people), back(people.toReversed())])
    for (const userId of people) expect(await taken(userId)).toBe(400 - 80)
  })

  test('what could not be given back is kept for the next request', async () => {
    const [quota, userId] = [node(), await somebody()]
    await spend([quota], userId, 33)
    const before = await taken(userId)
    expect(before).toBeGreaterThan(33)
    await sql`alter table tool_days rename to tool_days_away`.execute(db)
    await quota.stop()
    await sql`alter table tool_days_away rename to tool_days`.execute(db)
    expect(await quota.spend(userId)).toMatchObject({ allowed: true, remaining: 500 - 34 })
    expect(await taken(userId)).toBe(before)
  })

  test('what may have been given back is not given back again', async () => {
    // Carried out, and the answer is lost: as when a database hangs and goes on after its callers gave up.
    const deaf = db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async () => {
        throw new Error('Connection terminated unexpectedly')
      },
    })
    const userId = await somebody()
    const quota = createToolQuota({ db: deaf, pool, clock: manualClock('2026-11-01T12:00:00Z'), log: SILENT })
    await spend([quota], userId, 33)
    expect(await taken(userId)).toBeGreaterThan(33)
    await quota.stop()
    await quota.stop()
    expect(await taken(userId)).toBe(33)
  })

  test('refusals ask the database now and then, not each time', async () => {
    const [quota, userId] = [node(), await somebody()]
    await sql`insert into tool_days (user_id, day, taken) values (${userId}, '2026-11-01', 500)`.execute(db)
    expect(await quota.spend(userId)).toMatchObject({ allowed: false, remaining: 0 })
    const before = await statements()
    for (let n = 0; n < 100; n++) expect(await quota.spend(userId)).toMatchObject({ allowed: false })
    expect((await statements()) - before).toBeLessThan(20)
  })
})

/** Writes to the table, as PostgreSQL has counted them. */
async function statements(): Promise<number> {
  await pool.query('select pg_stat_force_next_flush()')
  const { rows } = await pool.query<{ n: string }>(
    `select coalesce(n_tup_ins + n_tup_upd + idx_scan, 0) as n from pg_stat_user_tables where relname = 'tool_days'`,
  )
  return Number(rows[0]?.n ?? 0)
}
