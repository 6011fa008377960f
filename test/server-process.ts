/** The real program as a child process, for tests of starting, stopping and crashing. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../src/db/database.ts'
import { startEmbedded } from '../src/db/embedded.ts'
import { migrate } from '../src/db/migrate.ts'
import { projectFile } from '../src/lib/paths.ts'
import { embedPiece, type ReadyVectors, takeReadyVectors } from '../src/search/embed-products.ts'
import { findVectors } from '../src/search/vectors.queries.ts'
import { bringProducts } from '../trials/products.ts'
import { createSeededDatabase, EMBEDDER, SILENT, type TestDatabase } from './harness.ts'

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
  await atRunsDatabase(async (beside) => {
    const prepared = path.join(beside, 'prepared')
    await makeOnce(prepared, (half) => changeDataDir(half, ({ pool }) => migrate(pool)))
    copyFolder(prepared, dataDir)
  })
  return dataDir
}

/** With the products of trials and their vectors: every node that came to know them would load the model and make them. */
export async function preparedTrialDir(): Promise<string> {
  const dataDir = tempDataDir()
  const empty = await preparedDataDir()
  await atRunsDatabase(async (beside) => {
    const prepared = path.join(beside, 'prepared-trial')
    await makeOnce(prepared, async (half) => {
      const vectors = await trialVectors()
      copyFolder(empty, half)
      await changeDataDir(half, async ({ db }) => {
        await bringProducts(db)
        await takeReadyVectors({ db, log: SILENT }, EMBEDDER.id, () => vectors)
      })
    })
    copyFolder(prepared, dataDir)
  })
  fs.rmSync(empty, { recursive: true, force: true })
  return dataDir
}

/** On the run's PostgreSQL. */
export async function createTrialDatabase(): Promise<TestDatabase> {
  const { database } = await createSeededDatabase('trial', async ({ db }) => {
    await bringProducts(db)
    while ((await embedPiece({ db, log: SILENT }, EMBEDDER)) > 0);
  })
  return database
}

async function trialVectors(): Promise<ReadyVectors> {
  const { db } = await createTrialDatabase()
  const products = await db.selectFrom('products').select('id').execute()
  const found = await findVectors(
    db,
    EMBEDDER.id,
    products.map(({ id }) => id),
  )
  const byText = new Map([...found.values()].map((one) => [one.textHash.toString('hex'), one]))
  return { find: (textHash) => byText.get(textHash.toString('hex')) ?? null }
}

/** One worker at a time: the other may be making the same. */
async function atRunsDatabase(work: (beside: string) => Promise<void>): Promise<void> {
  const admin = new pg.Client({ ...inject('postgres'), database: 'postgres' })
  await admin.connect()
  try {
    await admin.query(`select pg_advisory_lock(${PREPARING})`)
    const { rows } = await admin.query<{ data_directory: string }>('show data_directory')
    await work(path.dirname(rows[0]?.data_directory ?? ''))
  } finally {
    await admin.end()
  }
}

async function makeOnce(folder: string, make: (half: string) => Promise<void>): Promise<void> {
  if (fs.existsSync(folder)) return
  const half = `${folder}.half`
  fs.rmSync(half, { recursive: true, force: true })
  await make(half)
  fs.renameSync(half, folder)
}

async function changeDataDir(
  dataDir: string,
  change: (database: Database) => Promise<unknown>,
): Promise<void> {
  const postgres = await startEmbedded({ dataDir, role: 'server', log: SILENT, settings: { fsync: 'off' } })
  const database = openDatabase(postgres.connection, SILENT)
  await change(database)
  await database.close()
  await postgres.stop()
}

/** The files of PostgreSQL keep their owner. */
function copyFolder(from: string, to: string): void {
  fs.mkdirSync(to, { recursive: true })
  const { status, stderr } = spawnSync('cp', ['-a', `${from}/.`, to], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`the data folder could not be copied: ${stderr}`)
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
