import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { captureLog, createTestDatabase, type TestDatabase } from '../../test/harness.ts'
import { startListener } from '../db/listen.ts'
import { run } from '../db/rows.ts'
import { type ChangeFollower, createChangeFollower } from './changes.follower.ts'
import type { ChangeEvent } from './changes.queries.ts'

let database: TestDatabase
let events: ChangeEvent[]
let follower: ChangeFollower
const INSERT = `insert into changes (product_id, aspect) values (gen_random_uuid(), 'price')`

beforeEach(async () => {
  database ??= await createTestDatabase()
  events = []
  follower = createChangeFollower({
    db: database.db,
    log: captureLog().log,
    apply: (batch) => void events.push(...batch),
    pollMs: 60_000,
    pageSize: 4,
  })
  await database.pool.query(INSERT)
  await follower.start()
})
afterEach(() => follower.stop())

const seqs = () => events.map((event) => event.seq)

describe('following changes', () => {
  test('gives what is committed after the start, once each', async () => {
    await database.pool.query(INSERT)
    await follower.catchUp()
    await database.pool.query(INSERT)
    await Promise.all([follower.catchUp(), follower.catchUp(), follower.catchUp()])
    expect(events).toHaveLength(2)
    expect(new Set(seqs()).size).toBe(2)
  })

  test('what was committed before the start is not given, however old the oldest open transaction is', async () => {
    const old = await database.pool.connect()
    await old.query('begin')
    await old.query('select pg_current_xact_id()')
    await database.pool.query(INSERT)
    follower.stop()
    await follower.start()
    await database.pool.query(INSERT)
    await follower.catchUp()
    expect(events).toHaveLength(1)
    await old.query('rollback')
    old.release()
    await follower.catchUp()
    expect(events).toHaveLength(1)
  })

  test('a transaction that took its number first and commits last is not missed', async () => {
    const slow = await database.pool.connect()
    await slow.query('begin')
    await slow.query(INSERT)
    await database.pool.query(INSERT)
    await follower.catchUp()
    expect(events).toHaveLength(1)
    await database.pool.query(INSERT)
    await follower.catchUp()
    expect(events).toHaveLength(2)
    await slow.query('commit')
    slow.release()
    await follower.catchUp()
    expect(events).toHaveLength(3)
    expect(new Set(seqs()).size).toBe(3)
    expect(seqs()[2]).toBe(Math.min(...seqs()))
  })

  test('what is rolled back is never given', async () => {
    const client = await database.pool.connect()
    await client.query('begin')
    await client.query(INSERT)
    await follower.catchUp()
    await client.query('rollback')
    client.release()
    await follower.catchUp()
    expect(events).toEqual([])
  })

  test('40 writers at once, read all the while: every commit once, none twice', async () => {
    let writing = true
    const reader = (async () => {
      while (writing) await follower.catchUp()
    })()
    await Promise.all(
      Array.from({ length: 40 }, async (_, n) => {
        for (let i = 0; i < 10; i++) {
          await database.db.transaction().execute(async (tx) => {
            await run(tx)`insert into changes (aspect) values ('text')`
            await sleep((n * 7 + i) % 5)
          })
        }
      }),
    )
    writing = false
    await reader
    await follower.catchUp()
    expect(events).toHaveLength(400)
    expect(new Set(seqs()).size).toBe(400)
  })

  test('what is more than a page comes page by page, whatever commits in between, and in one transaction too', async () => {
    const several = INSERT.replace('values (', 'select ').replace(/\)$/, '')
    const slow = await database.pool.connect()
    await slow.query('begin')
    await slow.query(INSERT)
    await database.pool.query(`${several} from generate_series(1, 11)`)
    await database.pool.query(`${several} from generate_series(1, 4)`)
    const sizes: number[] = []
    let commits = async () => {
      await slow.query('commit')
      slow.release()
      await database.pool.query(INSERT)
    }
    follower.stop()
    const paged = createChangeFollower({
      db: database.db,
      log: captureLog().log,
      async apply(page) {
        sizes.push(page.length)
        events.push(...page)
        await commits()
        commits = async () => {}
      },
      pollMs: 60_000,
      pageSize: 4,
    })
    await paged.start()
    paged.stop()
    expect(sizes).toEqual([])
    await database.pool.query(`${several} from generate_series(1, 10)`)
    await paged.catchUp()
    expect(sizes.length).toBeGreaterThan(2)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4)
    expect(events).toHaveLength(10)
    await paged.catchUp()
    expect(events).toHaveLength(12)
    await paged.catchUp()
    expect(events).toHaveLength(12)
    expect(new Set(seqs()).size).toBe(12)
  })

  test('when a page cannot be applied, nothing of it is lost', async () => {
    const several = INSERT.replace('values (', 'select ').replace(/\)$/, '')
    let fails = false
    const paged = createChangeFollower({
      db: database.db,
      log: captureLog().log,
      apply(page) {
        if (fails && events.length > 0) throw new Error('not now')
        events.push(...page)
      },
      pollMs: 60_000,
      pageSize: 4,
    })
    await paged.start()
    paged.stop()
    fails = true
    await database.pool.query(`${several} from generate_series(1, 6)`)
    await expect(paged.catchUp()).rejects.toThrow('not now')
    // The first page; where a transaction of another database holds the horizon back, known rows take places in it.
    expect(events.length).toBeGreaterThan(0)
    expect(events.length).toBeLessThanOrEqual(4)
    fails = false
    await paged.catchUp()
    expect(new Set(seqs()).size).toBe(6)
  })

  test('NOTIFY wakes it at once on another node', async () => {
    const listener = startListener(database.connection, { changes: follower.wake }, captureLog().log)
    await sleep(200)
    await database.pool.query(INSERT)
    const deadline = Date.now() + 5_000
    while (events.length === 0 && Date.now() < deadline) await sleep(5)
    await listener.close()
    expect(events).toHaveLength(1)
  })
})
