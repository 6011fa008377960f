/**
 * A PostgreSQL that trials may mistreat: the one of the packages, started as a server of its own (not by a node), so that
 * it can be killed, stopped in its tracks and filled up while nodes use it by DATABASE_URL.
 *
 * Its folder may be on a small tmpfs of its own, which then can be filled for real. Where mounting is not allowed, a limit
 * on the size of files does the same to it (`prlimit`): PostgreSQL ignores the signal and treats the error as a full disk.
 */
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { locatePostgres, type PostgresFiles } from '../src/db/postgres-files.ts'
import { isAlive } from '../src/lib/is-alive.ts'
import { createDiskFiller, type DiskFiller, mountSmallDisk } from './disk.ts'
import { removeAtExit, signalIfThere } from './leftovers.ts'

export const DATABASE = 'souk'
const START_LIMIT_MS = 60_000
const CONNECT_LIMIT_MS = 5_000
/** For a cluster that was not made here, whose pieces of the log have the usual size. */
const LARGE_PIECES = { min_wal_size: '32MB', max_wal_size: '64MB' }

export type TrialPostgres = {
  /** For DATABASE_URL. */
  url: string
  connection: pg.ClientConfig
  logFile: string
  /** How its disk is made full: by a tmpfs of its own, by a limit on files, or not at all. */
  disk: DiskFiller
  running(): boolean
  /** Answers when it takes connections; what was killed recovers first. */
  start(): Promise<void>
  /** SIGKILL to the postmaster and everything below it. */
  kill(): Promise<void>
  /** SIGSTOP to all of its processes: connections stay open and nobody answers. */
  hang(): void
  goOn(): void
  /** In good order, and its disk unmounted. */
  close(): Promise<void>
}

export type PostgresOptions = {
  /** A folder that other users may enter. */
  dir: string
  /** Size of a tmpfs for its files; without it they are on the disk of `dir`. */
  diskMb?: number
  settings?: Record<string, string>
  /** A data folder whose cluster and database are copied; without it they are made. */
  from?: string
}

export async function startPostgres(options: PostgresOptions): Promise<TrialPostgres> {
  const dataDir = path.join(options.dir, 'database')
  fs.mkdirSync(dataDir, { mode: 0o755 })
  const mount = options.diskMb === undefined ? null : mountSmallDisk(dataDir, options.diskMb)
  const files = locatePostgres(dataDir)
  const logFile = path.join(options.dir, 'postgres.log')
  if (options.from === undefined) initialize(files)
  else copyCluster(options.from, files)
  const settings = { ...(options.from && LARGE_PIECES), ...options.settings }
  const server = createServer({ files, logFile, settings })
  await server.start()
  await ensureDatabase(server.connection)
  return {
    ...server,
    url: `postgresql://souk@/${DATABASE}?host=${encodeURIComponent(files.socketDir)}`,
    disk: createDiskFiller({ mount, pids: server.pids, dataDir }),
    async close() {
      await server.close()
      mount?.unmount()
    },
  }
}

export type TrialServer = Omit<TrialPostgres, 'url' | 'disk'> & { pids(): number[] }

/** One server over a folder of its own, which need not run yet. */
export function createServer({
  files,
  logFile,
  settings,
}: {
  files: PostgresFiles
  logFile: string
  settings: Record<string, string>
}): TrialServer {
  const connection = { host: files.socketDir, user: 'souk', database: DATABASE }
  let postmaster: number | null = null
  let strike = () => {}

  const family = () => (postmaster === null ? [] : [postmaster, ...childrenOf(postmaster)])
  const running = () => postmaster !== null && isAlive(postmaster)

  async function start(): Promise<void> {
    const deadline = Date.now() + START_LIMIT_MS
    for (;;) {
      if (!running()) {
        strike()
        const pid = spawnPostmaster(files, logFile, settings)
        postmaster = pid
        strike = removeAtExit(() => killNow(pid))
      }
      if (await answers({ ...connection, database: 'postgres' })) return
      if (Date.now() > deadline)
        throw new Error(`PostgreSQL did not start; its log ends with:\n${endOf(logFile)}`)
      await sleep(50)
    }
  }

  async function kill(): Promise<void> {
    const pids = family()
    for (const pid of pids) signalIfThere(pid, 'SIGKILL')
    while (pids.some(isAlive)) await sleep(5)
    strike()
    postmaster = null
  }

  return {
    connection,
    logFile,
    pids: family,
    running,
    start,
    kill,
    hang() {
      // The postmaster first: what it would start meanwhile would run on.
      for (const pid of family()) signalIfThere(pid, 'SIGSTOP')
    },
    goOn() {
      for (const pid of family().reverse()) signalIfThere(pid, 'SIGCONT')
    },
    async close() {
      for (const pid of family()) signalIfThere(pid, 'SIGCONT')
      if (postmaster !== null) signalIfThere(postmaster, 'SIGINT')
      const deadline = Date.now() + 10_000
      while (running() && Date.now() < deadline) await sleep(10)
      await kill()
    },
  }
}

const BUILTIN_LOCALE = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']

export function initialize({ programs, cluster, user }: PostgresFiles, locale = BUILTIN_LOCALE): void {
  fs.mkdirSync(cluster, { recursive: true, mode: 0o700 })
  if (user) fs.chownSync(cluster, user.uid, user.gid)
  const result = spawnSync(
    path.join(programs, 'bin', 'initdb'),
    [
      ...['-D', cluster, '-U', 'souk', '-A', 'trust', '-E', 'UTF8', '--no-instructions', '--no-sync'],
      ...locale,
      // Small pieces, so that a small disk is full of data rather than of pieces kept for later.
      '--wal-segsize=1',
    ],
    { ...user, cwd: '/', encoding: 'utf8' },
  )
  if (result.status !== 0) throw new Error(`initdb failed: ${result.error?.message ?? result.stderr.trim()}`)
}

/** Its files keep their owner. */
function copyCluster(from: string, { cluster }: PostgresFiles): void {
  const { status, stderr } = spawnSync('cp', ['-a', path.join(from, 'postgres'), cluster], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the cluster could not be copied: ${stderr.trim()}`)
}

function spawnPostmaster(
  files: PostgresFiles,
  logFile: string,
  settings: Record<string, string> = {},
): number {
  const all: Record<string, string> = {
    listen_addresses: '',
    unix_socket_directories: files.socketDir,
    max_connections: '60',
    shared_buffers: '64MB',
    min_wal_size: '2MB',
    max_wal_size: '32MB',
    ...settings,
  }
  const log = fs.openSync(logFile, 'a')
  const child = spawn(
    path.join(files.programs, 'bin', 'postgres'),
    ['-D', files.cluster, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...files.user, cwd: '/', detached: true, stdio: ['ignore', log, log] },
  )
  fs.closeSync(log)
  child.on('error', () => {})
  child.unref()
  if (child.pid === undefined) throw new Error('PostgreSQL could not be started')
  return child.pid
}

async function answers(connection: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: CONNECT_LIMIT_MS })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

export async function ensureDatabase(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client({ ...connection, database: 'postgres' })
  await client.connect()
  const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE])
  if (!rowCount) await client.query(`create database ${DATABASE}`)
  await client.end()
}

function killNow(postmaster: number): void {
  for (const pid of [postmaster, ...childrenOf(postmaster)]) signalIfThere(pid, 'SIGKILL')
}

/** PostgreSQL's processes have no children of their own. */
function childrenOf(parent: number): number[] {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent)
}

function parentOf(pid: number): number | null {
  try {
    // The name in the middle may have blanks and brackets in it.
    return Number(fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1])
  } catch {
    return null
  }
}

function endOf(file: string): string {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trimEnd().split('\n').slice(-8).join('\n') : ''
}
