/**
 * A primary and a standby that holds every acknowledged write, as operators run them for fail-over. Nodes are given both
 * in one DATABASE_URL. Debian's PostgreSQL is used where it is installed, with its `pg_basebackup`; else the packaged one,
 * which has none, and the copy is made by the steps that it would take.
 *
 * `failOver` loses the primary in one of three ways and promotes the standby; `repair` makes a new standby of what is left.
 */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { locatePostgres, type PostgresFiles } from '../src/db/postgres-files.ts'
import type { DiskFiller } from './disk.ts'
import {
  createServer,
  DATABASE,
  ensureDatabase,
  initialize,
  type TrialPostgres,
  type TrialServer,
} from './postgres.ts'

export const WAYS = ['killed', 'stopped in good order', 'cut off and back'] as const
export type Way = (typeof WAYS)[number]

export type TrialPair = TrialPostgres & {
  /** Whose programs they are, in words. */
  programs: string
  failOver(way: Way): Promise<void>
  repair(): Promise<void>
}

const IN_STEP_LIMIT_MS = 30_000
const SETTINGS = { wal_level: 'replica', max_wal_senders: '10', wal_keep_size: '64MB', hot_standby: 'on' }
const NO_DISK: DiskFiller = { way: 'none', fill() {}, free() {} }

type Member = { files: PostgresFiles; server: TrialServer }

export async function startPair({ dir }: { dir: string }): Promise<TrialPair> {
  const debian = debianPrograms()
  const memberIn = (name: string): Member => {
    const dataDir = path.join(dir, name)
    fs.mkdirSync(dataDir, { mode: 0o755 })
    // Not in the data folder as usual: that goes away when a standby is made anew.
    const socketDir = path.join(dir, `socket-${name}`)
    const files = { ...locatePostgres(dataDir), socketDir, ...(debian !== null && { programs: debian }) }
    makeFolder(socketDir, files)
    const logFile = path.join(dir, `postgres-${name}.log`)
    return { files, server: createServer({ files, logFile, settings: SETTINGS }) }
  }
  const members = [memberIn('first'), memberIn('second')] as const
  let [primary, standby] = members

  async function repair(): Promise<void> {
    await standby.server.kill()
    await copyOf(primary, standby)
    await standby.server.start()
    // Only now: a commit would wait for a standby that is not there.
    await tell(primary, `alter system set synchronous_standby_names = '*'`, 'select pg_reload_conf()')
    await untilInStep(primary)
  }

  async function failOver(way: Way): Promise<void> {
    const old = primary
    if (way === 'killed') await old.server.kill()
    else if (way === 'cut off and back') old.server.hang()
    else await old.server.close()
    promote(standby)
    primary = standby
    standby = old
    if (way !== 'cut off and back') return
    await untilWritable(primary)
    // It does not know that it was replaced, and still calls itself a primary.
    old.server.goOn()
  }

  initialize(primary.files, debian === null ? undefined : ['--locale=C.UTF-8'])
  await primary.server.start()
  await ensureDatabase(primary.server.connection)
  await repair()
  const hosts = members.map(({ files }) => files.socketDir).join(',')
  return {
    programs: debian === null ? 'the packaged PostgreSQL' : `PostgreSQL of ${debian}`,
    url: `postgresql://souk@/${DATABASE}?host=${encodeURIComponent(hosts)}`,
    get connection() {
      return primary.server.connection
    },
    get logFile() {
      return primary.server.logFile
    },
    disk: NO_DISK,
    running: () => primary.server.running(),
    start: () => primary.server.start(),
    kill: () => primary.server.kill(),
    hang: () => primary.server.hang(),
    goOn: () => primary.server.goOn(),
    failOver,
    repair,
    async close() {
      // Without a standby that answers, the last commits of a primary would wait for it.
      await standby.server.kill()
      await primary.server.kill()
    },
  }
}

function debianPrograms(): string | null {
  const home = '/usr/lib/postgresql'
  if (!fs.existsSync(home)) return null
  const versions = fs
    .readdirSync(home)
    .map(Number)
    .filter((version) => version >= 15)
  const folders = versions.sort((a, b) => b - a).map((version) => path.join(home, String(version)))
  return folders.find((folder) => fs.existsSync(path.join(folder, 'bin', 'pg_basebackup'))) ?? null
}

function run({ user, programs }: PostgresFiles, program: string, args: string[]): void {
  const command = path.join(programs, 'bin', program)
  const { status, error, stderr } = spawnSync(command, args, { ...user, cwd: '/', encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? stderr.trim()}`)
}

function promote({ files }: Member): void {
  run(files, 'pg_ctl', ['promote', '-D', files.cluster, '--no-wait'])
}

/** Makes `to` a standby of `from`, which runs; whatever `to` held is gone. */
async function copyOf(from: Member, to: Member): Promise<void> {
  const { cluster, programs } = to.files
  const inside = path.join(from.files.cluster, '.')
  fs.rmSync(cluster, { recursive: true, force: true })
  makeFolder(cluster, to.files)
  if (fs.existsSync(path.join(programs, 'bin', 'pg_basebackup'))) {
    run(to.files, 'pg_basebackup', [
      '-D',
      cluster,
      '-h',
      from.files.socketDir,
      '-U',
      'souk',
      '-X',
      'stream',
      '-c',
      'fast',
    ])
  } else {
    await whileConnected(from, async (client) => {
      await client.query(`select pg_backup_start('a standby', fast => true)`)
      const { status, stderr } = spawnSync('cp', ['-a', inside, cluster], { encoding: 'utf8' })
      // A file that goes away while it is copied is put right by the log.
      if (status !== 0 && !/No such file/.test(stderr)) throw new Error(`cp failed: ${stderr.trim()}`)
      const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()')
      fs.writeFileSync(path.join(cluster, 'backup_label'), rows[0]?.labelfile ?? '')
    })
    for (const name of ['postmaster.pid', 'postmaster.opts'])
      fs.rmSync(path.join(cluster, name), { force: true })
  }
  const settings = [
    `primary_conninfo = 'host=${from.files.socketDir} user=souk application_name=standby'`,
    // Once promoted it is alone, and waits for nobody.
    `synchronous_standby_names = ''`,
  ]
  fs.appendFileSync(path.join(cluster, 'postgresql.auto.conf'), `${settings.join('\n')}\n`)
  fs.writeFileSync(path.join(cluster, 'standby.signal'), '')
}

function makeFolder(folder: string, { user }: PostgresFiles): void {
  fs.mkdirSync(folder, { mode: 0o700 })
  if (user) fs.chownSync(folder, user.uid, user.gid)
}

async function whileConnected<T>({ server }: Member, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...server.connection, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}

const tell = (member: Member, ...statements: string[]): Promise<void> =>
  whileConnected(member, async (client) => {
    for (const statement of statements) await client.query(statement)
  })

const untilInStep = (member: Member): Promise<void> =>
  until(member, `select 1 from pg_stat_replication where sync_state = 'sync'`, 'the standby is not in step')

const untilWritable = (member: Member): Promise<void> =>
  until(member, 'select 1 where not pg_is_in_recovery()', 'the standby was not promoted')

async function until(member: Member, question: string, otherwise: string): Promise<void> {
  const deadline = Date.now() + IN_STEP_LIMIT_MS
  for (;;) {
    const rows = await whileConnected(member, async (client) => (await client.query(question)).rowCount)
    if (rows) return
    if (Date.now() > deadline) throw new Error(otherwise)
    await sleep(50)
  }
}
