/** The pool and the typed query builder over it. One of these per process. */
import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import type { Log } from '../lib/log.ts'
import { outsideScope } from '../lib/request-scope.ts'
import { type FinishedQuery, observeQueries, socketOf } from './observe-queries.ts'
import { placeOf } from './primary.ts'
import type { Tables } from './tables.ts'
import { DatabaseAway, startWatchdog, WATCH_TIMES, type WatchTimes } from './watchdog.ts'

export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

export type Database = {
  db: Db
  pool: pg.Pool
  close(): Promise<void>
}

const INT8 = 20
const OLDEST_SERVER = 150_000

// Counts and cents fit a double exactly up to 2^53; bigint columns hold nothing larger.
pg.types.setTypeParser(INT8, Number)

/** Somebody who holds a lock for longer holds up a request no more: it is told to come back. */
const LOCK_WAIT_MS = 10_000
const CONNECT_MS = 5_000

export type DatabaseOptions = {
  poolSize?: number
  /** Told of every statement that has ended. */
  onQuery?: (query: FinishedQuery) => void
  /** For a server, which must not hang because its database does. */
  watched?: boolean
  watchTimes?: WatchTimes
  /** Refuses every write. */
  readOnly?: boolean
  /** Told whom to call when the database has moved to another server, see primary.ts. */
  onMove?: (listener: () => void) => void
}

export function openDatabase(
  connection: pg.PoolConfig,
  log: Log,
  {
    poolSize = 10,
    onQuery = () => {},
    watched = false,
    watchTimes = WATCH_TIMES,
    readOnly = false,
    onMove,
  }: DatabaseOptions = {},
): Database {
  const pool = new pg.Pool({
    ...connection,
    max: poolSize,
    application_name: `souk pool ${process.pid}`,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    // The pool waits for it, whatever the types say.
    // oxlint-disable-next-line typescript/no-misused-promises
    ...(watched && { onConnect: limitLockWaits }),
    // oxlint-disable-next-line typescript/no-misused-promises
    ...(readOnly && { onConnect: refuseWrites }),
  })
  const queries = observeQueries(pool, onQuery)
  const watchdog = watched ? startWatchdog(pool, { connection, queries, log, times: watchTimes }) : null
  let closing = false
  // A connection belongs to nobody, although it was opened for somebody's request.
  const told = (error: Error) =>
    closing || outsideScope(() => log.warn({ err: error }, 'a database connection was lost'))
  // On every connection and for all its life: the pool listens only to idle ones, and a connection that breaks between
  // two queries of a transaction would otherwise end the process.
  pool.on('connect', (client) => {
    client.on('error', told)
  })
  pool.on('error', () => {})
  onMove?.(createMover(pool, connection))
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  const close = async () => {
    closing = true
    try {
      await db.destroy()
      // Kysely ends the pool only if it has used it.
      if (!pool.ending) await pool.end()
    } finally {
      // Until then: the end waits for statements under way, and a database that hangs would never end them.
      watchdog?.stop()
    }
  }
  return { db, pool, close }
}

/** Takes a pool to where its `connection` points by now, and away from everywhere else. */
function createMover(pool: pg.Pool, connection: pg.PoolConfig): () => void {
  const clients = new Set<pg.PoolClient>()
  const breakElsewhere = (client: pg.PoolClient) => {
    const { host, port } = client as unknown as { host: string; port: number }
    if (placeOf({ host, port }) !== placeOf({ ...connection })) socketOf(client).destroy(new DatabaseAway())
  }
  pool.on('connect', (client) => {
    clients.add(client)
    // It may have been on its way when the database moved.
    breakElsewhere(client)
  })
  pool.on('remove', (client) => clients.delete(client))
  return () => {
    Object.assign(pool.options, connection)
    for (const client of clients) breakElsewhere(client)
  }
}

async function refuseWrites(client: pg.ClientBase): Promise<void> {
  await client.query('set default_transaction_read_only = on')
}

/** Not a parameter of the connection: poolers refuse those that they do not know. */
async function limitLockWaits(client: pg.ClientBase): Promise<void> {
  // The pool's own limit is over once the connection stands, and nobody else watches it yet.
  const timer = setTimeout(() => socketOf(client).destroy(new DatabaseAway()), CONNECT_MS)
  try {
    await client.query(`set lock_timeout = ${LOCK_WAIT_MS}`)
  } finally {
    clearTimeout(timer)
  }
}

export async function serverVersion(pool: pg.Pool): Promise<{ number: number; name: string }> {
  const { rows } = await pool.query<{ number: number; name: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as name`,
  )
  return rows[0] ?? { number: 0, name: 'unknown' }
}

export async function requireSupportedServer(pool: pg.Pool): Promise<void> {
  const server = await serverVersion(pool)
  if (server.number < OLDEST_SERVER)
    throw new Error(`PostgreSQL 15 or newer is required; the server runs ${server.name}`)
}

/** The database went away, as opposed to refusing what it was asked. */
export function isConnectionLost(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  return (
    error instanceof DatabaseAway ||
    /^(08|57P0|ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/.test(code) ||
    /Connection terminated|not queryable|timeout exceeded when trying to connect/.test(message)
  )
}

/**
 * Out of room, connections or time, in a deadlock, or a replica that takes no writes: nothing was written, and the same
 * may go well in a moment.
 */
const FOR_NOW = /^(53|40001|40P01|55P03|57014|25006)/

/** A text with a NUL or half a character in it, which PostgreSQL cannot hold and so cannot have. */
export function isUnstorable(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '22021'
}

/** Database errors that are temporary and not the caller's fault. */
export function isDatabaseTrouble(error: unknown): boolean {
  return isConnectionLost(error) || (error instanceof pg.DatabaseError && FOR_NOW.test(error.code ?? ''))
}

/** What a statement's own values can be refused for: their form, a rule of the table, a limit on one value, a trigger. */
const BY_VALUES = /^(21|22|23|44|54|P0)/

const OF_FILES = /^(ENOSPC|EDQUOT|EIO|EFBIG|EMFILE|ENFILE|EROFS|ENOMEM)$/

/** In the order they are asked; the words follow "because". */
const REASONS: ReadonlyArray<[code: RegExp, reason: string]> = [
  [/^53100$/, "the database's disk is full"],
  [/^(ENOSPC|EDQUOT)$/, "the server's disk is full"],
  [/^53200$/, 'the database is out of memory'],
  [/^53300$/, 'the database has no connection free'],
  [/^53/, 'the database has reached one of its limits'],
  [/^25006$/, 'the database takes no writes at the moment'],
  [/^55P03$/, 'the database could not get a lock in time'],
  [/^57014$/, 'the database canceled a statement that took too long'],
  [/^40/, 'the write conflicted with another one'],
  [/^(58|XX|F0)/, 'the database cannot use its files'],
  [/^(28|42501)/, 'the database refused the connection: check user and password'],
  [/^E[A-Z]+$/, 'the server could not read or write a file'],
  [/./, 'the database does not support what this version needs'],
]

/**
 * Why a write failed, in words, when what was to be written is not to blame: then the same goes for everything after it,
 * and nothing of it may be called bad. Null when the values are at fault, or nobody can tell.
 */
export function serviceFault(error: unknown): string | null {
  const { code, syscall } = error as NodeJS.ErrnoException
  // The database's socket has errors of other codes, and is connected to, not opened.
  if (code !== undefined && (OF_FILES.test(code) || syscall === 'open')) return reasonFor(code)
  if (isConnectionLost(error) || isClosed(error)) return 'the database is unavailable'
  if (!(error instanceof pg.DatabaseError) || code === undefined) return null
  return BY_VALUES.test(code) ? null : reasonFor(code)
}

function reasonFor(code: string): string | null {
  return REASONS.find(([pattern]) => pattern.test(code))?.[1] ?? null
}

/** The node is stopping, and its pool with it. */
function isClosed(error: unknown): boolean {
  const { message = '' } = error as { message?: string }
  return /after calling end on the pool|driver has already been destroyed/.test(message)
}

/** Two writes that stood in each other's way: the same goes well when it is tried again. */
export function isClash(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(40001|40P01)$/.test(error.code ?? '')
}
