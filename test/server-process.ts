/** The real program as a child process, for tests of starting, stopping and crashing. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { inject } from 'vitest'
import { openDatabase } from '../src/db/database.ts'
import { startEmbedded } from '../src/db/embedded.ts'
import { migrate } from '../src/db/migrate.ts'
import { createLog } from '../src/lib/log.ts'
import { projectFile } from '../src/lib/paths.ts'

export type ServerProcess = {
  pid: number
  address: string
  output(): string
  /** Resolves with the exit code, or the signal's name. */
  ended: Promise<number | string>
  kill(signal: NodeJS.Signals): void
}

const NODE = projectFile('node_modules', '.bin', 'node')

export function tempDataDir(): string {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-data-'))
  fs.chmodSync(dir, 0o755)
  return dir
}

const PREPARING = 2

/**
 * A data folder with a database that is made and migrated, for tests in which that is not the point: a first start takes
 * two seconds of a core, and a copy of what it leaves a few milliseconds. It is made once a run, beside the run's database,
 * and goes with it.
 */
export async function preparedDataDir(dataDir = tempDataDir()): Promise<string> {
  const admin = new pg.Client({ ...inject('postgres'), database: 'postgres' })
  await admin.connect()
  try {
    // The other worker may be making it.
    await admin.query(`select pg_advisory_lock(${PREPARING})`)
    const { rows } = await admin.query<{ data_directory: string }>('show data_directory')
    const prepared = path.join(path.dirname(rows[0]?.data_directory ?? ''), 'prepared')
    if (!fs.existsSync(prepared)) await prepare(prepared)
    fs.mkdirSync(dataDir, { recursive: true })
    // The files of PostgreSQL keep their owner.
    const { status, stderr } = spawnSync('cp', ['-a', `${prepared}/.`, dataDir], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`the data folder could not be copied: ${stderr}`)
  } finally {
    await admin.end()
  }
  return dataDir
}

async function prepare(folder: string): Promise<void> {
  const half = `${folder}.half`
  fs.rmSync(half, { recursive: true, force: true })
  const log = createLog('silent')
  const postgres = await startEmbedded({ dataDir: half, role: 'server', log, settings: { fsync: 'off' } })
  const database = openDatabase(postgres.connection, log)
  await migrate(database.pool)
  await database.close()
  await postgres.stop()
  fs.renameSync(half, folder)
}

export function spawnSouk(
  args: string[],
  env: Record<string, string>,
): { child: ChildProcess; output: () => string; ended: Promise<number | string> } {
  const child = spawn(NODE, [projectFile('dist', 'main.js'), ...args], {
    env: { PATH: process.env.PATH, SOUK_CATALOG: 'none', PORT: '0', SOUK_PASSWORD_COST: '64x1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  const ended = new Promise<number | string>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown')),
  )
  return { child, output: () => output, ended }
}

/** Resolves when /readyz answers 200. */
export async function startSouk(env: Record<string, string>): Promise<ServerProcess> {
  const { child, output, ended } = spawnSouk(['serve'], env)
  let over = false
  void ended.then(() => {
    over = true
  })
  const deadline = Date.now() + 60_000
  for (;;) {
    const address = /listening on (http:\S+?)\)/.exec(output())?.[1]
    if (address && (await fetch(`${address}/readyz`).catch(() => null))?.status === 200) {
      return { pid: child.pid ?? 0, address, output, ended, kill: (signal) => void child.kill(signal) }
    }
    if (over || Date.now() > deadline) throw new Error(`the server did not start:\n${output()}`)
    await sleep(10)
  }
}

export function postmasterPid(dataDir: string): number {
  return Number(fs.readFileSync(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
}
