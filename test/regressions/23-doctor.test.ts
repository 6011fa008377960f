/**
 * `souk doctor` looks, says what it sees, and leaves everything as it was. What it says is read in this process; as a
 * program it runs where the embedded database, its pipes and its end are the point.
 */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { doctor as doctorCommand } from '../../src/commands/doctor.ts'
import { projectFile } from '../../src/lib/paths.ts'
import { SEALED_KINDS } from '../../src/sealed.ts'
import { createTestDatabase } from '../harness.ts'
import { sealOne } from '../sealed.world.ts'
import { preparedDataDir, spawnSouk, startSouk, tempDataDir } from '../server-process.ts'

const OLD = 'the secret that was there first of 32 characters'
const NEW = 'another secret of at least 32 characters for it'

async function doctor(env: Record<string, string>, ...args: string[]) {
  let said = ''
  const keep = (text: string | Uint8Array) => {
    said += String(text)
    return true
  }
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(keep),
    vi.spyOn(process.stderr, 'write').mockImplementation(keep),
  ]
  try {
    const code = await doctorCommand({ PORT: '0', SOUK_CATALOG: 'none', ...env }, args)
    return { code, said }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

async function doctorProgram(env: Record<string, string>) {
  const { output, ended } = spawnSouk(['doctor'], env)
  const code = await ended
  return { code, said: output() }
}

test('on a machine without a database it makes none, nor its folder', async () => {
  const SOUK_DATA_DIR = path.join(tempDataDir(), 'not', 'there')
  const { code, said } = await doctorProgram({ SOUK_DATA_DIR })
  expect(said).toMatch(/ok\s+database\s+embedded PostgreSQL: none in .* yet; the first start creates it/)
  expect(code).toBe(0)
  expect(fs.existsSync(path.dirname(SOUK_DATA_DIR))).toBe(false)
})

test('on an empty database it says which migrations a start would run, and runs none', async () => {
  const database = await createTestDatabase({ empty: true })
  const { code, said } = await doctor({ SOUK_DATA_DIR: tempDataDir(), DATABASE_URL: database.url })
  expect(said).toMatch(
    /warn\s+migrations\s+the next start applies \d+: 0001_foundation\.sql, 0002_catalog\.sql, /,
  )
  expect(code).toBe(0)
  const { rows } = await database.pool.query(`select from pg_tables where schemaname = 'public'`)
  expect(rows).toEqual([])
})

test('it names what lacks of an older schema, and what a newer Souk has done', async () => {
  const database = await createTestDatabase()
  const env = { SOUK_DATA_DIR: tempDataDir(), DATABASE_URL: database.url }
  expect((await doctor(env)).said).toMatch(/ok\s+migrations\s+all applied/)
  await database.pool.query(`delete from migrations where name like '0022%'`)
  expect((await doctor(env)).said).toMatch(/the next start applies 1: 0022_impressions\.sql/)
  await database.pool.query(`insert into migrations (name) values ('9999_later.sql')`)
  const { code, said } = await doctor(env)
  expect(said).toMatch(/BAD\s+migrations\s+the database was migrated by a newer Souk \(9999_later\.sql\)/)
  expect(code).toBe(1)
})

test('it says whether the secret opens what is sealed, and makes no secret', async () => {
  const database = await createTestDatabase()
  for (const kind of SEALED_KINDS) await sealOne(database, kind, OLD)
  const env = { SOUK_DATA_DIR: tempDataDir(), DATABASE_URL: database.url }
  const right = await doctor({ ...env, SOUK_SECRET: `${NEW},${OLD}` })
  expect(right.said).toMatch(new RegExp(`ok\\s+secret\\s+opens all ${SEALED_KINDS.length} `))
  expect(right.code).toBe(0)
  for (const wrong of [await doctor({ ...env, SOUK_SECRET: NEW }), await doctor(env)]) {
    expect(wrong.said).toMatch(/BAD\s+secret\s+.*SOUK_SECRET.* does not open 1 of 1 producer secrets/)
    expect(wrong.code).toBe(1)
  }
  expect(fs.readdirSync(env.SOUK_DATA_DIR)).toEqual([])
})

test('it tries the mail server, and sends one mail when asked', async () => {
  const mails: string[] = []
  const server = new SMTPServer({
    authOptional: false,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      password === 'right' ? done(null, { user: username }) : done(new Error('no')),
    onData(stream, session, done) {
      stream.resume().once('end', () => {
        mails.push(...session.envelope.rcptTo.map(({ address }) => address))
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const { port } = server.server.address() as { port: number }
  const database = await createTestDatabase()
  const env = { SOUK_DATA_DIR: tempDataDir(), DATABASE_URL: database.url }
  const at = (password: string) => ({ ...env, SMTP_URL: `smtp://souk:${password}@127.0.0.1:${port}` })
  const looked = await doctor(at('right'))
  expect([looked.code, mails]).toEqual([0, []])
  expect(looked.said).toMatch(/ok\s+mail\s+127\.0\.0\.1:\d+ accepts email from/)
  const refused = await doctor(at('wrong'), '--mail', 'ada@admin.example')
  expect([refused.code, mails]).toEqual([1, []])
  expect(refused.said).toMatch(/BAD\s+mail\s+127\.0\.0\.1:\d+: .*\n\s+check SMTP_URL/)
  expect(refused.said).not.toContain('wrong@')
  const sent = await doctor(at('right'), '--mail', 'ada@admin.example')
  expect([sent.code, mails]).toEqual([0, ['ada@admin.example']])
  expect(sent.said).toContain('sent a test email to ada@admin.example')
  await new Promise<void>((resolve) => server.close(() => resolve()))
})

test('a mail server that is not there is said in a line', async () => {
  const database = await createTestDatabase()
  const env = { SOUK_DATA_DIR: tempDataDir(), DATABASE_URL: database.url, SMTP_URL: 'smtp://127.0.0.1:1' }
  const { code, said } = await doctor(env)
  expect(said).toMatch(/BAD\s+mail\s+127\.0\.0\.1:1: .*ECONNREFUSED/)
  expect(code).toBe(1)
})

/** One embedded database for all commands that nobody reads to the end. */
const SOUK_DATA_DIR = tempDataDir()
const FILE = path.join(SOUK_DATA_DIR, 'products.jsonl')

beforeAll(async () => {
  const node = await startSouk({ SOUK_DATA_DIR: await preparedDataDir(SOUK_DATA_DIR) })
  node.kill('SIGTERM')
  await node.ended
  fs.writeFileSync(FILE, `${JSON.stringify({ slug: 'a', title: 'A', category: 'kettles' })}\n`)
})
afterAll(() => fs.rmSync(SOUK_DATA_DIR, { recursive: true, force: true }))

function inShell(command: string) {
  const souk = `${projectFile('node_modules', '.bin', 'node')} ${projectFile('dist', 'main.js')}`
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', `set -o pipefail; ${command}`], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, SOUK_DATA_DIR, PORT: '0', souk, file: FILE },
  })
  return { status, said: stdout + stderr }
}

const isRunning = () => fs.existsSync(path.join(SOUK_DATA_DIR, 'postgres', 'postmaster.pid'))

test('doctor looks into an embedded database that does not run, and stops it again', async () => {
  const { code, said } = await doctorProgram({ SOUK_DATA_DIR })
  expect(said).toMatch(/ok\s+database\s+embedded PostgreSQL, version 18/)
  expect(said).toMatch(/ok\s+secret\s/)
  expect([code, isRunning()]).toEqual([0, false])
})

test.each([
  ['doctor, read for three lines', '$souk doctor | head -3', 0],
  ['doctor, not read at all', '$souk doctor | true', 0],
  ['doctor without a reader of anything', '$souk doctor 2>&1 | true', 0],
  ['a list', '$souk admin users | true', 0],
  ['a list without a reader of anything', '$souk admin jobs 2>&1 | true', 0],
  ['a trial import', '$souk import "$file" --dry-run 2>&1 | true', 0],
  ['an export', '$souk export "$file.out" 2>&1 | true', 0],
  ['a backup into the pipe', '$souk backup - | true', 1],
  ['the list of commands', '$souk help 2>&1 | true', 0],
])('%s ends by itself: no stack, no PostgreSQL left behind', (_, command, status) => {
  const end = inShell(command)
  expect(end.said).not.toMatch(/^\s+at |node:events|Unhandled/m)
  expect([end.status, isRunning()]).toEqual([status, false])
})

test('output that cannot be written is a failure in one sentence', () => {
  const end = inShell('$souk doctor > /dev/full')
  expect(end.said).toMatch(/^souk: the output could not be written: .*ENOSPC/m)
  expect([end.status, isRunning()]).toEqual([1, false])
})
