/** From configuration to a migrated database: the embedded PostgreSQL, or the server DATABASE_URL names. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Config } from '../config.ts'
import type { Log } from '../lib/log.ts'
import { stepBackProcess } from '../lib/step-back.ts'
import { type Database, type Db, openDatabase, requireSupportedServer } from './database.ts'
import { startEmbedded } from './embedded.ts'
import { migrate } from './migrate.ts'
import type { FinishedQuery } from './observe-queries.ts'
import { findCluster } from './postgres-files.ts'
import { followPrimary, type Primary } from './primary.ts'
import { untilAnswered } from './until-answered.ts'

export type ConnectedDatabase = Database & {
  connection: pg.PoolConfig
  /** The same database for work that can wait: an embedded one lets all other queries go first. */
  behind: Db
  /** Calls when the database has moved to another server. */
  onMove: Primary['onMove']
  /** Unusual things a person should know, such as where the cluster had to be put. */
  notices: string[]
}

export type ConnectOptions = {
  role: 'server' | 'command'
  log: Log
  onProgress?: (text: string) => void
  onLost?: (error: Error) => void
  waitForServerMs?: number
  /** Told of every statement that has ended. */
  onQuery?: (query: FinishedQuery) => void
  /** Lets what others ask of the embedded database go before what is asked here. */
  behindOthers?: boolean
}

const WAIT_FOR_SERVER_MS = 30_000
/** Commands beside the server, listeners, probes, and people who look. */
const CONNECTIONS_OF_OTHERS = 90
/** A check or an import of a file holds one while it writes, and the run of a source another. */
const CONNECTIONS_BEHIND = 4

export async function connectDatabase(
  config: DatabaseConfig,
  options: ConnectOptions,
): Promise<ConnectedDatabase> {
  const { log, onQuery, role, behindOthers = false } = options
  const place = await openPlace(config, options)
  const { connection, onMove } = place
  const { databaseUrl, poolSize } = config
  const isServer = role === 'server'
  const database = openDatabase(connection, log, { poolSize, onQuery, watched: isServer, onMove })
  // A process of this machine answers each connection to an embedded database.
  const aside =
    databaseUrl === null && isServer
      ? openDatabase(connection, log, { poolSize: CONNECTIONS_BEHIND, onQuery, watched: true })
      : null
  aside?.pool.on('connect', (client) => stepBackProcess(processOf(client)))
  if (databaseUrl === null && behindOthers)
    database.pool.on('connect', (client) => stepBackProcess(processOf(client)))
  const close = async () => {
    await Promise.all([database.close(), aside?.close()])
    await place.leave()
  }
  try {
    await place.wait(database.pool)
    await untilAnswered(log, () => requireSupportedServer(database.pool))
    await untilAnswered(log, () => migrate(database.pool, undefined, sayProgress(options.onProgress)))
  } catch (error) {
    await close()
    throw error
  }
  return { ...database, behind: aside?.db ?? database.db, close, connection, onMove, notices: place.notices }
}

/** Of a new database once: nobody waits long, and the names of its migrations say nothing to people. */
function sayProgress(say: (text: string) => void = () => {}): (name: string, isNew: boolean) => void {
  let isSaid = false
  return (name, isNew) => {
    if (!isNew) say(`Applying migration ${name} …`)
    else if (!isSaid) say('Creating the tables …')
    isSaid = true
  }
}

/**
 * Opens a database to look at it: nothing is made, migrated or written. Null where the embedded one was not made yet; a
 * cluster that is not running is started for as long as somebody looks.
 */
export async function lookAtDatabase(
  config: DatabaseConfig,
  options: Omit<ConnectOptions, 'role' | 'onQuery'>,
): Promise<Database | null> {
  if (config.databaseUrl === null && findCluster(config.dataDir) === null) return null
  const place = await openPlace(config, { ...options, role: 'command', existing: true })
  const { connection, onMove } = place
  const database = openDatabase(connection, options.log, { poolSize: 2, readOnly: true, onMove })
  const close = async () => {
    await database.close()
    await place.leave()
  }
  try {
    await place.wait(database.pool)
  } catch (error) {
    await close()
    throw error
  }
  return { ...database, close }
}

/** The driver knows it, and its types do not. */
function processOf(client: pg.PoolClient): number {
  return (client as unknown as { processID: number }).processID
}

type DatabaseConfig = Pick<Config, 'databaseUrl' | 'dataDir' | 'poolSize'>

/** Where the database is, and what there is to do before and after it is used. */
type Place = Pick<ConnectedDatabase, 'connection' | 'onMove' | 'notices'> & {
  wait(pool: pg.Pool): Promise<void>
  leave(): Promise<void>
}

async function openPlace(
  { databaseUrl, dataDir, poolSize }: DatabaseConfig,
  options: ConnectOptions & { existing?: boolean },
): Promise<Place> {
  if (databaseUrl === null) {
    const settings = { max_connections: String(poolSize + CONNECTIONS_OF_OTHERS) }
    const { connection, notices, stop } = await startEmbedded({ dataDir, settings, ...options })
    return { connection, notices, onMove: () => {}, wait: async () => {}, leave: stop }
  }
  const primary = followPrimary(databaseUrl, options.log)
  return {
    connection: primary.connection,
    notices: [],
    onMove: primary.onMove,
    wait: (pool) => waitForServer(pool, primary, options),
    leave: async () => primary.stop(),
  }
}

/** It is starting, or all its connections are taken for the moment. */
const NOT_YET = new Set(['57P03', '53300'])

/** Containers start in any order: a database that is not there yet is waited for, a wrong password is not. */
async function waitForServer(
  pool: pg.Pool,
  primary: Primary,
  { onProgress, waitForServerMs = WAIT_FOR_SERVER_MS }: ConnectOptions,
): Promise<void> {
  const deadline = Date.now() + waitForServerMs
  for (let attempt = 0; ; attempt++) {
    try {
      await primary.look()
      const trouble = primary.trouble()
      if (trouble !== null) throw new Error(`none of its servers takes writes (${trouble})`)
      await pool.query('select 1')
      return
    } catch (error) {
      const refused = error instanceof pg.DatabaseError && !NOT_YET.has(error.code ?? '')
      if (refused || Date.now() > deadline) {
        throw new Error(
          `cannot use the database that DATABASE_URL names: ${(error as Error).message || 'no answer'}`,
          { cause: error },
        )
      }
      if (attempt === 0) onProgress?.('Waiting for the database server …')
      await sleep(500)
    }
  }
}
