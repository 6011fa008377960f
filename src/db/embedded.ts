/**
 * The embedded PostgreSQL: a child process on a unix socket in the data folder, with fsync on.
 *
 * PostgreSQL itself is the referee of who may use the folder. Its own lock admits one postmaster; inside it, session
 * advisory locks say who is there: a server takes `SERVER` alone, every process shares `PRESENT`. Both vanish
 * with their holder, however it dies, so nothing stale is ever left behind. A postmaster that outlived its server
 * (kill -9) is adopted; one that died under a running server is started again; the last process to leave stops it.
 */

import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { inBackground } from '../lib/background.ts'
import { isAlive } from '../lib/is-alive.ts'
import type { Log } from '../lib/log.ts'
import { locatePostgres, type PostgresFiles } from './postgres-files.ts'
import { rotateLog } from './rotate-log.ts'

const SERVER_LOCK = 7_685_001
const PRESENT_LOCK = 7_685_002
const DATABASE = 'souk'
const START_LIMIT_MS = 120_000
const STOP_LIMIT_MS = 30_000
const ROTATE_EVERY_MS = 60_000

export class DataFolderInUse extends Error {}

export type EmbeddedPostgres = {
  connection: { host: string; port: number; user: string; database: string }
  notices: string[]
  stop(): Promise<void>
}

export type EmbeddedOptions = {
  dataDir: string
  /** A server has the folder for itself; a command (import, admin) may work beside a running server. */
  role: 'server' | 'command'
  log: Log
  /** Told what is going on when it takes long: making the cluster, recovering after a crash. */
  onProgress?: (text: string) => void
  settings?: Record<string, string>
  /** Only one that is there: neither cluster nor database is made. */
  existing?: boolean
  /** Called when PostgreSQL is gone and could not be brought back. */
  onLost?: (error: Error) => void
}

export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { log } = options
  const files = locatePostgres(options.dataDir)
  const connection = { host: files.socketDir, port: 5432, user: 'souk', database: DATABASE }
  let stopping = false
  let guard = await enter(files, options)

  function watch(client: pg.Client): void {
    client.once('end', () => {
      if (!stopping) inBackground(log, 'starting PostgreSQL again', recover())
    })
  }

  async function recover(): Promise<void> {
    log.error('PostgreSQL stopped; starting it again')
    for (let attempt = 1; !stopping; attempt++) {
      try {
        guard = await enter(files, options)
        watch(guard)
        log.warn({ attempt }, 'PostgreSQL is back')
        return
      } catch (error) {
        log.error({ err: error, attempt }, 'PostgreSQL could not be started')
        if (error instanceof DataFolderInUse || attempt >= 10) {
          options.onLost?.(error as Error)
          return
        }
        await sleep(Math.min(200 * 2 ** attempt, 5_000))
      }
    }
  }

  watch(guard)
  const rotation = setInterval(() => rotateQuietly(files.logFile, log), ROTATE_EVERY_MS)
  rotation.unref()
  if (!options.existing) await ensureDatabase(guard)
  return {
    connection,
    notices: files.notices,
    async stop() {
      stopping = true
      clearInterval(rotation)
      await leave(guard, files, log)
    },
  }
}

/** Connects the guard, starting PostgreSQL when it is not running, and takes the locks. */
async function enter(files: PostgresFiles, options: EmbeddedOptions): Promise<pg.Client> {
  const deadline = Date.now() + START_LIMIT_MS
  let child: ReturnType<typeof spawnPostmaster> | null = null
  let told = Date.now()
  if (!fs.existsSync(path.join(files.cluster, 'PG_VERSION'))) {
    if (options.existing) throw new Error(`there is no database in ${files.cluster}`)
    options.onProgress?.('Creating the database (first start only) …')
    makeCluster(files)
  }
  for (;;) {
    const client = await tryConnect(files, options.role)
    if (client) {
      await takeLocks(client, options)
      return client
    }
    if (child?.failed()) {
      // Another process may have started it between our look and our start; then the next connection succeeds.
      const late = await tryConnect(files, options.role)
      if (late) {
        await takeLocks(late, options)
        return late
      }
      if (
        !/lock file "postmaster.pid" already exists|shared memory block .* still in use/.test(child.output())
      ) {
        throw new Error(
          `PostgreSQL did not start; its log ${files.logFile} ends with:\n${child.output().trimEnd().split('\n').slice(-5).join('\n')}`,
        )
      }
      child = null
      await sleep(100)
    }
    if (!child) rotateQuietly(files.logFile, options.log)
    child ??= spawnPostmaster(files, options.settings ?? {})
    if (Date.now() > deadline)
      throw new Error(`PostgreSQL did not become ready in ${START_LIMIT_MS / 1000} s; see ${files.logFile}`)
    if (Date.now() - told > 2_000) {
      told = Date.now()
      options.onProgress?.('Waiting for PostgreSQL (it may be recovering after a crash) …')
    }
    await sleep(15)
  }
}

function makeCluster(files: PostgresFiles): void {
  // Made beside and renamed: a crash in the middle leaves nothing that looks like a cluster.
  removeHalfMadeClusters(files.cluster)
  const half = `${files.cluster}.new-${process.pid}`
  fs.mkdirSync(half, { recursive: true, mode: 0o700 })
  if (files.user) fs.chownSync(half, files.user.uid, files.user.gid)
  const result = spawnSync(
    path.join(files.programs, 'bin', 'initdb'),
    [
      '-D',
      half,
      '-U',
      'souk',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      '--no-instructions',
    ],
    { ...files.user, cwd: '/', encoding: 'utf8' },
  )
  if (result.status !== 0) throw new Error(`initdb failed: ${result.error?.message ?? result.stderr.trim()}`)
  try {
    fs.renameSync(half, files.cluster)
  } catch (error) {
    fs.rmSync(half, { recursive: true, force: true })
    // Another process started at the same moment and was first: its cluster is as good as ours.
    if (!fs.existsSync(path.join(files.cluster, 'PG_VERSION'))) throw error
  }
}

function removeHalfMadeClusters(cluster: string): void {
  const prefix = `${path.basename(cluster)}.new-`
  for (const name of fs.readdirSync(path.dirname(cluster))) {
    if (!name.startsWith(prefix) || isAlive(Number(name.slice(prefix.length)))) continue
    fs.rmSync(path.join(path.dirname(cluster), name), { recursive: true, force: true })
  }
}

/** A full disk or a file that somebody else holds must not end the process. */
function rotateQuietly(file: string, log: Log): void {
  try {
    rotateLog(file)
  } catch (error) {
    log.warn({ err: error }, 'the PostgreSQL log could not be rotated')
  }
}

function spawnPostmaster(
  files: PostgresFiles,
  settings: Record<string, string>,
): { failed(): boolean; output(): string } {
  const logFd = fs.openSync(files.logFile, 'a', 0o600)
  const logStart = fs.fstatSync(logFd).size
  const all: Record<string, string> = {
    listen_addresses: '',
    unix_socket_directories: files.socketDir,
    unix_socket_permissions: '0700',
    max_connections: '100',
    shared_buffers: '128MB',
    ...settings,
  }
  const child = spawn(
    path.join(files.programs, 'bin', 'postgres'),
    ['-D', files.cluster, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    // Its own session: Ctrl-C in the terminal is for us; we stop PostgreSQL when our requests are done.
    { ...files.user, cwd: '/', detached: true, stdio: ['ignore', logFd, logFd] },
  )
  let ended = false
  child.once('exit', () => {
    ended = true
  })
  child.once('error', () => {
    ended = true
  })
  child.unref()
  fs.closeSync(logFd)
  return {
    failed: () => ended,
    output: () => fs.readFileSync(files.logFile).subarray(logStart).toString('utf8'),
  }
}

async function tryConnect(files: PostgresFiles, role: string): Promise<pg.Client | null> {
  if (!fs.existsSync(path.join(files.socketDir, '.s.PGSQL.5432'))) return null
  const client = new pg.Client({
    host: files.socketDir,
    user: 'souk',
    database: 'postgres',
    application_name: `souk ${role} ${process.pid}`,
    connectionTimeoutMillis: 5_000,
  })
  // Without a listener, a connection that breaks later would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    return client
  } catch {
    await client.end().catch(() => {})
    return null
  }
}

async function takeLocks(client: pg.Client, { role, dataDir }: EmbeddedOptions): Promise<void> {
  await client.query('select pg_advisory_lock_shared($1)', [PRESENT_LOCK])
  if (role !== 'server') return
  const taken = await client.query<{ ok: boolean }>('select pg_try_advisory_lock($1) as ok', [SERVER_LOCK])
  if (taken.rows[0]?.ok) return
  const holder = await client.query<{ application_name: string; since: Date }>(
    `select a.application_name, a.backend_start as since from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and l.objid = $1 and l.granted`,
    [SERVER_LOCK],
  )
  await client.end()
  const row = holder.rows[0]
  const who = row
    ? `process ${row.application_name.split(' ').at(-1)} (since ${row.since.toISOString()})`
    : 'another process'
  throw new DataFolderInUse(
    `the data folder ${dataDir} is in use by ${who}: stop it first, or choose another folder with SOUK_DATA_DIR`,
  )
}

async function ensureDatabase(guard: pg.Client): Promise<void> {
  const found = await guard.query('select 1 from pg_database where datname = $1', [DATABASE])
  if (found.rowCount) return
  await guard.query(`create database ${DATABASE}`).catch((error: { code?: string }) => {
    // Two commands may make it at the same moment.
    if (error.code !== '42P04' && error.code !== '23505') throw error
  })
}

/** Stops PostgreSQL when no other process is using it. */
async function leave(guard: pg.Client, files: PostgresFiles, log: Log): Promise<void> {
  let last = true
  try {
    await guard.query('select pg_advisory_unlock_shared($1)', [PRESENT_LOCK])
    const alone = await guard.query<{ ok: boolean }>('select pg_try_advisory_lock($1) as ok', [PRESENT_LOCK])
    last = alone.rows[0]?.ok ?? true
  } catch {
    // The guard's connection is gone, and with it its locks: only stop what still runs.
  }
  const pid = postmasterPid(files.cluster)
  if (last && pid !== null) {
    process.kill(pid, 'SIGINT')
    const deadline = Date.now() + STOP_LIMIT_MS
    while (isAlive(pid)) {
      // A postmaster we adopted is not our child: where nobody reaps it, only its lock file tells that it is gone.
      if (postmasterPid(files.cluster) === null && Date.now() > deadline - STOP_LIMIT_MS + 2_000) break
      if (Date.now() > deadline) {
        log.error('PostgreSQL did not stop in time; forcing it to stop (it recovers at the next start)')
        process.kill(pid, 'SIGQUIT')
        break
      }
      await sleep(10)
    }
  }
  await guard.end().catch(() => {})
}

function postmasterPid(cluster: string): number | null {
  const file = path.join(cluster, 'postmaster.pid')
  try {
    const pid = Number(fs.readFileSync(file, 'utf8').split('\n')[0])
    return isAlive(pid) ? pid : null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
