/** The real program on a real data folder: starting, refusing, recovering, stopping. */

import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listMigrations } from '../../src/db/migrate.ts'
import { isAlive } from '../../src/lib/is-alive.ts'
import { createTestDatabase } from '../harness.ts'
import {
  postmasterPid,
  preparedDataDir,
  type ServerProcess,
  spawnSouk,
  startSouk,
  tempDataDir,
} from '../server-process.ts'

const folders: string[] = []
function tempDir(): string {
  const dir = tempDataDir()
  folders.push(dir)
  return dir
}
afterAll(() => {
  for (const dir of folders) fs.rmSync(dir, { recursive: true, force: true })
})

async function whenReadyAgain(server: ServerProcess): Promise<void> {
  const ready = async () => (await fetch(`${server.address}/readyz`).catch(() => null))?.status === 200
  await expect.poll(ready, { timeout: 60_000, interval: 20 }).toBe(true)
}

describe('embedded database', () => {
  test('two servers started at the same moment on a new folder: one serves, the other is refused; SIGINT stops the one and its PostgreSQL', async () => {
    const SOUK_DATA_DIR = tempDir()
    const results = await Promise.allSettled([startSouk({ SOUK_DATA_DIR }), startSouk({ SOUK_DATA_DIR })])
    const served = results.filter((result) => result.status === 'fulfilled')
    expect(served).toHaveLength(1)
    expect(
      results.filter((result) => result.status === 'rejected').map((result) => String(result.reason)),
    ).toEqual([expect.stringContaining('is in use by process')])
    const postgres = postmasterPid(SOUK_DATA_DIR)
    expect(isAlive(postgres)).toBe(true)
    const server = served[0]?.value
    server?.kill('SIGINT')
    expect(await server?.ended).toBe(0)
    expect(isAlive(postgres)).toBe(false)
  })
})

describe('beside a running server', () => {
  // Its path is too long for a socket.
  const SOUK_DATA_DIR = path.join(tempDir(), 'a'.repeat(60), 'b'.repeat(60))
  let first: ServerProcess
  beforeAll(async () => {
    await preparedDataDir(SOUK_DATA_DIR)
    first = await startSouk({ SOUK_DATA_DIR })
  })
  const isReady = async () => expect((await fetch(`${first.address}/readyz`)).status).toBe(200)

  test('a data folder whose path is too long for a socket works all the same', async () => {
    expect(SOUK_DATA_DIR.length).toBeGreaterThan(108)
    await isReady()
  })

  test('a second server on the same folder is refused with the number of the process that holds it', async () => {
    const second = spawnSouk(['serve'], { SOUK_DATA_DIR })
    expect(await second.ended).toBe(1)
    expect(second.output()).toContain(`the data folder ${SOUK_DATA_DIR} is in use by process ${first.pid}`)
    await isReady()
  })

  test('a command works and leaves its database running', async () => {
    const doctor = spawnSouk(['doctor'], { SOUK_DATA_DIR })
    expect(await doctor.ended).toBe(0)
    expect(doctor.output()).toMatch(/ok\s+database\s+embedded PostgreSQL, version 18/)
    await isReady()
  })

  test('a taken port is said in a sentence, and PostgreSQL is not left behind', async () => {
    const other = await preparedDataDir(tempDir())
    const port = new URL(first.address).port
    const second = spawnSouk(['serve'], { SOUK_DATA_DIR: other, PORT: port })
    expect(await second.ended).toBe(1)
    expect(second.output()).toContain(`port ${port} on 127.0.0.1 is in use`)
    expect(fs.existsSync(path.join(other, 'postgres', 'postmaster.pid'))).toBe(false)
  })

  test('PostgreSQL that dies is started again by the server', async () => {
    const died = postmasterPid(SOUK_DATA_DIR)
    process.kill(died, 'SIGKILL')
    await expect.poll(() => first.output(), { timeout: 60_000 }).toContain('PostgreSQL is back')
    expect(postmasterPid(SOUK_DATA_DIR)).not.toBe(died)
    await whenReadyAgain(first)
  })

  test('a clean stop stops PostgreSQL too, and says goodbye with exit code 0', async () => {
    const postgres = postmasterPid(SOUK_DATA_DIR)
    expect(isAlive(postgres)).toBe(true)
    first.kill('SIGTERM')
    expect(await first.ended).toBe(0)
    expect(isAlive(postgres)).toBe(false)
  })
})

describe('database server by DATABASE_URL', () => {
  test('two servers started at the same moment on one new database: one migrates, both serve', async () => {
    const { url, pool } = await createTestDatabase({ empty: true })
    const servers = await Promise.all([startSouk({ DATABASE_URL: url }), startSouk({ DATABASE_URL: url })])
    const created = servers.flatMap((server) => server.output().match(/Creating the tables/g) ?? [])
    expect(created).toHaveLength(1)
    for (const server of servers) expect((await fetch(`${server.address}/readyz`)).status).toBe(200)
    const { rows } = await pool.query('select count(*) as n from migrations')
    expect(rows).toEqual([{ n: listMigrations().length }])
    for (const server of servers) server.kill('SIGTERM')
    expect(await Promise.all(servers.map((server) => server.ended))).toEqual([0, 0])
  })

  test('a database that cannot be used is one line that says so, without the password', async () => {
    const { url } = await createTestDatabase({ empty: true })
    const DATABASE_URL = url
      .replace('souk@', 'souk:planted-password@')
      .replace(/test_\w+/, 'no_such_database')
    const server = spawnSouk(['serve'], { DATABASE_URL })
    expect(await server.ended).toBe(1)
    expect(server.output().trim()).toBe(
      'souk: cannot use the database that DATABASE_URL names: database "no_such_database" does not exist',
    )
  })
})

describe('command line', () => {
  test('a wrong variable ends with exit code 2 and one line', async () => {
    const server = spawnSouk(['serve'], { PORT: 'many', SOUK_DATA_DIR: tempDir() })
    expect(await server.ended).toBe(2)
    expect(server.output().trim()).toBe('souk: PORT is not valid: expected a whole number from 0 to 65535')
  })

  test('an unknown command lists the known ones', async () => {
    const server = spawnSouk(['dance'], {})
    expect(await server.ended).toBe(2)
    expect(server.output()).toMatch(/unknown command "dance"[\s\S]*serve[\s\S]*doctor/)
  })

  test('doctor says what is wrong and what to do about it', async () => {
    const broken = spawnSouk(['doctor'], {
      SOUK_DATA_DIR: tempDir(),
      SOUK_BASE_ULR: 'https://typo.example',
      DATABASE_URL: 'postgresql://127.0.0.1:1/x',
    })
    expect(await broken.ended).toBe(1)
    expect(broken.output()).toMatch(/warn\s+variables\s+unknown: SOUK_BASE_ULR/)
    expect(broken.output()).toMatch(/BAD\s+database.*\n\s+check that the server is running/)
  })
})
