/**
 * Backup and restore as an operator runs them, on the embedded database: beside a server that is being written to, over
 * one that runs, killed in the middle, and onto a full disk.
 */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { projectFile } from '../../src/lib/paths.ts'
import { PASSWORD } from '../accounts.ts'
import { preparedDataDir, type ServerProcess, spawnSouk, startSouk, tempDataDir } from '../server-process.ts'

const dataDir = tempDataDir()
const file = path.join(dataDir, 'souk.backup')
const env = { SOUK_DATA_DIR: dataDir, SOUK_TRUST_PROXY: '1', SOUK_LIMITS: 'signup=off' }
const WRITERS = 2
let server: ServerProcess | null = null

afterAll(async () => {
  server?.kill('SIGTERM')
  await server?.ended
  fs.rmSync(dataDir, { recursive: true, force: true })
})

let people = 0
const post = (address: string, route: string, fields: Record<string, string>) =>
  fetch(`${address}${route}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: 'http://localhost:0', 'x-forwarded-for': `198.51.100.${++people % 250}` },
    body: new URLSearchParams(fields),
  })

/** Makes accounts until it is stopped; each that was acknowledged is in the list. */
function startWriters(address: string) {
  const acknowledged: string[] = []
  let stopped = false
  const write = async () => {
    while (!stopped) {
      const email = `writer-${++people}@example.com`
      const { status } = await post(address, '/auth/signup', { email, password: PASSWORD, name: 'Kim' })
      if (status !== 303) throw new Error(`${email} got ${status}`)
      acknowledged.push(email)
    }
  }
  const done = Promise.all(Array.from({ length: WRITERS }, write))
  return {
    acknowledged,
    async stop() {
      stopped = true
      await done
    },
  }
}

async function query<T extends pg.QueryResultRow>(text: string, database = 'souk'): Promise<T[]> {
  const client = new pg.Client({ host: path.join(dataDir, 'postgres'), user: 'souk', database })
  await client.connect()
  try {
    return (await client.query<T>(text)).rows
  } finally {
    await client.end()
  }
}

const emails = async () =>
  (await query<{ email: string }>('select email from users')).map(({ email }) => email)

async function run(...args: string[]): Promise<{ code: number | string; output: string }> {
  const { ended, output } = spawnSouk(args, env)
  return { code: await ended, output: output() }
}

async function signsIn(address: string, email: string): Promise<boolean> {
  const response = await post(address, '/auth/signin', { email, password: PASSWORD })
  return response.headers.getSetCookie().length > 0
}

test('a backup taken under writes is of one moment, and survives a restore that is killed in the middle', {
  timeout: 180_000,
}, async () => {
  await preparedDataDir(dataDir)
  server = await startSouk(env)
  const writers = startWriters(server.address)
  while (writers.acknowledged.length < 5) await sleep(20)
  const before = [...writers.acknowledged]
  const backup = await run('backup', file)
  expect(backup).toMatchObject({ code: 0 })
  expect(backup.output).toMatch(/Backed up \d+ tables, [\d,]+ rows, in [\d,]+ bytes and [\d.]+ s\.\n/)
  expect(backup.output).toContain('It includes the data folder')
  const during = writers.acknowledged.length
  while (writers.acknowledged.length < during + 5) await sleep(20)
  await writers.stop()
  expect(during, 'nothing was written meanwhile').toBeGreaterThan(before.length)

  const [again, over] = await Promise.all([
    run('backup', file),
    run('restore', file, '--replace'),
    expectFullDisk(),
  ])
  expect(again).toMatchObject({ code: 1, output: expect.stringContaining('already exists') })
  expect(over).toMatchObject({ code: 1, output: expect.stringContaining(`in use by process ${server.pid}`) })
  server.kill('SIGTERM')
  await server.ended

  const killed = spawnSouk(['restore', file, '--replace'], env)
  await untilRestoring()
  killed.child.kill('SIGKILL')
  expect(await killed.ended).toBe('SIGKILL')
  expect((await emails()).sort()).toEqual([...writers.acknowledged].sort())

  const secret = path.join(dataDir, 'secret')
  const kept = fs.readFileSync(secret, 'utf8')
  fs.rmSync(secret)
  const restored = await run('restore', file, '--replace')
  expect(restored).toMatchObject({ code: 0, output: expect.stringContaining('is kept as souk_before_') })
  expect(fs.readFileSync(secret, 'utf8')).toBe(kept)

  server = await startSouk(env)
  const found = await emails()
  expect(found).toEqual(expect.arrayContaining(before))
  expect(found.length).toBeLessThan(writers.acknowledged.length)
  expect(await query(BROKEN)).toEqual([])
  expect(await signsIn(server.address, before[0] ?? '')).toBe(true)
  const late = writers.acknowledged.find((email) => !found.includes(email)) ?? ''
  expect(await signsIn(server.address, late)).toBe(false)
  expect((await query(`select from pg_database where datname = 'souk_restoring'`)).length).toBe(0)
})

/** Whatever is written in one transaction is there whole or not at all: an account, its audit row, the link in its mail. */
const BROKEN = `
  select u.email, 'no audit' as what from users u
    where not exists (select from audit_log a where a.user_id = u.id and a.action = 'account.created')
  union all select u.email, 'no link' from users u where not exists (select from mail_tokens t where t.user_id = u.id)
  union all select a.detail::text, 'no account' from audit_log a
    where a.action = 'account.created' and not exists (select from users u where u.id = a.user_id)`

async function untilRestoring(): Promise<void> {
  const deadline = Date.now() + 60_000
  const seen = () =>
    query(`select from pg_database where datname = 'souk_restoring'`, 'postgres').catch(() => [])
  while ((await seen()).length === 0) {
    if (Date.now() > deadline) throw new Error('the restore did not begin')
    await sleep(2)
  }
}

async function expectFullDisk(): Promise<void> {
  const full = fs.openSync('/dev/full', 'w')
  const node = projectFile('node_modules', '.bin', 'node')
  const child = spawn(node, [projectFile('dist', 'main.js'), 'backup', '-'], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', full, 'pipe'],
  })
  let said = ''
  child.stderr?.on('data', (chunk) => {
    said += chunk
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  fs.closeSync(full)
  expect({ code, said }).toEqual({
    code: 1,
    said: 'souk: cannot write the backup to standard output: the disk is full\n',
  })
}
