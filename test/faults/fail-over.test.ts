/**
 * A real primary with a real standby, lost in each of three ways under a node's hands: what was acknowledged is there, the
 * node writes again by itself, and a primary that does not know that it was replaced gets nothing.
 */
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type ConnectedDatabase, connectDatabase } from '../../src/db/connect.ts'
import { isDatabaseTrouble } from '../../src/db/database.ts'
import { type Listener, startListener } from '../../src/db/listen.ts'
import { makeTrialFolder } from '../../trials/leftovers.ts'
import { startPair, type TrialPair, WAYS } from '../../trials/pair.ts'
import { captureLog } from '../harness.ts'

const folder = makeTrialFolder()
const { log, text } = captureLog()
const heard: string[] = []
let pair: TrialPair
let node: ConnectedDatabase
let listener: Listener

beforeAll(async () => {
  pair = await startPair({ dir: folder.dir })
  const config = { databaseUrl: pair.url, dataDir: folder.dir, poolSize: 4 }
  node = await connectDatabase(config, { role: 'server', log })
  await node.pool.query('create table trial (n int primary key)')
  listener = startListener(node.connection, { trial: (word) => heard.push(word) }, log)
  node.onMove(listener.reconnect)
}, 120_000)

afterAll(async () => {
  await listener?.close()
  await node?.close()
  await pair?.close()
  folder.remove()
}, 60_000)

/** Every number that the database has said yes to. */
const acknowledged: number[] = []
let next = 0

async function write(): Promise<unknown> {
  const n = ++next
  try {
    await node.pool.query('insert into trial values ($1)', [n])
    acknowledged.push(n)
    return null
  } catch (error) {
    return error
  }
}

for (const way of WAYS) {
  test(`a primary that is ${way}`, { timeout: 120_000 }, async () => {
    const before = pair.connection.host
    for (let n = 0; n < 20; n++) expect(await write()).toBeNull()
    // Four at a time, so that some are under way in the moment of the loss.
    const refusals: unknown[] = []
    let over = false
    const writers = Array.from({ length: 4 }, async () => {
      while (!over) {
        const refusal = await write()
        if (refusal !== null) refusals.push(refusal)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    })
    await pair.failOver(way)
    const lostAt = acknowledged.length
    await vi.waitUntil(() => acknowledged.length > lostAt + 50, { timeout: 60_000 })
    over = true
    await Promise.all(writers)
    expect(refusals.filter((refusal) => !isDatabaseTrouble(refusal))).toEqual([])

    expect(pair.connection.host).not.toBe(before)
    const now = new pg.Client(pair.connection)
    await now.connect()
    const { rows } = await now.query<{ n: number }>('select n from trial')
    const there = new Set(rows.map(({ n }) => n))
    expect(acknowledged.filter((n) => !there.has(n))).toEqual([])
    await vi.waitUntil(
      async () => {
        await now.query(`notify trial, '${way}'`)
        return heard.includes(way)
      },
      { timeout: 30_000, interval: 200 },
    )
    await now.end()
    await pair.repair()
    expect(await write()).toBeNull()
  })
}

test('the log says each move, from where and to where', () => {
  expect(text().split('another database server takes the writes now')).toHaveLength(WAYS.length + 1)
  expect(text()).toContain('socket-second')
})

test('without any server that takes writes a start waits, and then says what each of them is', {
  timeout: 60_000,
}, async () => {
  const url = `${pair.url},${encodeURIComponent(`${folder.dir}/nobody`)}`.replace(
    encodeURIComponent(String(pair.connection.host)),
    encodeURIComponent(`${folder.dir}/gone`),
  )
  const config = { databaseUrl: url, dataDir: folder.dir, poolSize: 2 }
  const failure = connectDatabase(config, { role: 'command', log, waitForServerMs: 1_000 })
  await expect(failure).rejects.toThrow(/none of its servers takes writes \(.*is a standby.*nobody/)
})
