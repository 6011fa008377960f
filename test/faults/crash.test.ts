/**
 * Power-cut test of the embedded database (storm.test.ts has that of a server): rows are written and acknowledged while
 * the service, PostgreSQL or both are killed with SIGKILL; after every restart each acknowledged row must be there.
 */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import {
  postmasterPid,
  preparedDataDir,
  type ServerProcess,
  startSouk,
  tempDataDir,
} from '../server-process.ts'

const ROUNDS = 3
const WRITERS = 4
const dataDir = tempDataDir()
const connection = { host: path.join(dataDir, 'postgres'), user: 'souk', database: 'souk' }
let server: ServerProcess

afterAll(async () => {
  server?.kill('SIGTERM')
  await server?.ended
  fs.rmSync(dataDir, { recursive: true, force: true })
})

/** Writes until its connection breaks or it is told to stop; returns what was acknowledged. */
function startWriter(round: number, writer: number): { stop(): Promise<number[]> } {
  const acknowledged: number[] = []
  let stopped = false
  const done = (async () => {
    const client = new pg.Client(connection)
    client.on('error', () => {})
    try {
      await client.connect()
      for (let n = 0; !stopped; n++) {
        const key = (round * WRITERS + writer) * 100_000 + n
        await client.query(
          `insert into jobs (id, kind, payload, max_attempts, run_at) values (gen_random_uuid(), 'crash', jsonb_build_object('key', $1::int), 1, 'infinity')`,
          [key],
        )
        acknowledged.push(key)
      }
    } catch {
      // The crash; what was acknowledged before it is what counts.
    }
    await client.end().catch(() => {})
  })()
  return {
    async stop() {
      stopped = true
      await done
      return acknowledged
    },
  }
}

async function keysInDatabase(): Promise<Set<number>> {
  const client = new pg.Client(connection)
  await client.connect()
  const { rows } = await client.query<{ key: number }>(
    `select (payload->>'key')::int as key from jobs where kind = 'crash'`,
  )
  await client.end()
  return new Set(rows.map((row) => row.key))
}

test(`${ROUNDS} rounds of kill -9 during acknowledged writes lose no acknowledged row`, {
  timeout: 300_000,
}, async () => {
  const promised = new Set<number>()
  server = await startSouk({ SOUK_DATA_DIR: await preparedDataDir(dataDir) })
  for (let round = 0; round < ROUNDS; round++) {
    const writers = Array.from({ length: WRITERS }, (_, writer) => startWriter(round, writer))
    await sleep(60 + 100 * round)
    const what = ['server', 'postgres', 'both'][round % 3]
    if (what !== 'postgres') server.kill('SIGKILL')
    if (what !== 'server') process.kill(postmasterPid(dataDir), 'SIGKILL')
    const acknowledged = (await Promise.all(writers.map((writer) => writer.stop()))).flat()
    expect(acknowledged.length, `round ${round} wrote nothing`).toBeGreaterThan(0)
    for (const key of acknowledged) promised.add(key)
    if (what === 'postgres') server.kill('SIGKILL')
    await server.ended
    server = await startSouk({ SOUK_DATA_DIR: dataDir })
    const found = await keysInDatabase()
    expect(
      [...promised].filter((key) => !found.has(key)),
      `lost after killing ${what} in round ${round}`,
    ).toEqual([])
  }
})
