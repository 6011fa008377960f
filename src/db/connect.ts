/** From configuration to a migrated database: the embedded PostgreSQL, or the server DATABASE_URL names. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Config } from '../config.ts'
import type { Log } from '../lib/log.ts'
import { type Database, openDatabase, requireSupportedServer } from './database.ts'
import { type EmbeddedPostgres, startEmbedded } from './embedded.ts'
import { migrate } from './migrate.ts'
import type { FinishedQuery } from './observe-queries.ts'
import { findCluster } from './postgres-files.ts'
import { untilAnswered } from './until-answered.ts'

export type ConnectedDatabase = Database & {
  connection: pg.PoolConfig
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
}

const WAIT_FOR_SERVER_MS = 30_000
/** Commands beside the server, listeners, probes, and people who look. */
const CONNECTIONS_OF_OTHERS = 90

export async function connectDatabase(
  config: DatabaseConfig,
  options: ConnectOptions,
): Promise<ConnectedDatabase> {
  const { log, onQuery, role } = options
  const embedded = await embeddedOf(config, options)
  const connection = connectionOf(config, embedded)
  const { poolSize } = config
  const database = openDatabase(connection, log, { poolSize, onQuery, watched: role === 'server' })
  const close = async () => {
    await database.close()
    await embedded?.stop()
  }
  try {
    if (!embedded) await waitForServer(database.pool, options)
    await untilAnswered(log, () => requireSupportedServer(database.pool))
    await untilAnswered(log, () =>
      migrate(database.pool, undefined, (name) => options.onProgress?.(`Applying migration ${name} …`)),
    )
  } catch (error) {
    await close()
    throw error
  }
  return { ...database, close, connection, notices: embedded?.notices ?? [] }
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
  const embedded = await embeddedOf(config, { ...options, role: 'command', existing: true })
  const connection = connectionOf(config, embedded)
  const database = openDatabase(connection, options.log, { poolSize: 2, readOnly: true })
  const close = async () => {
    await database.close()
    await embedded?.stop()
  }
  try {
    if (embedded) await database.pool.query('select 1')
    else await waitForServer(database.pool, { ...options, role: 'command' })
  } catch (error) {
    await close()
    throw error
  }
  return { ...database, close }
}

type DatabaseConfig = Pick<Config, 'databaseUrl' | 'dataDir' | 'poolSize'>

async function embeddedOf(
  { databaseUrl, dataDir, poolSize }: DatabaseConfig,
  options: ConnectOptions & { existing?: boolean },
): Promise<EmbeddedPostgres | null> {
  if (databaseUrl !== null) return null
  const settings = { max_connections: String(poolSize + CONNECTIONS_OF_OTHERS) }
  return startEmbedded({ dataDir, settings, ...options })
}

function connectionOf({ databaseUrl }: DatabaseConfig, embedded: EmbeddedPostgres | null): pg.PoolConfig {
  return embedded?.connection ?? { connectionString: databaseUrl ?? undefined }
}

/** It is starting, or all its connections are taken for the moment. */
const NOT_YET = new Set(['57P03', '53300'])

/** Containers start in any order: a database that is not there yet is waited for, a wrong password is not. */
async function waitForServer(
  pool: pg.Pool,
  { onProgress, waitForServerMs = WAIT_FOR_SERVER_MS }: ConnectOptions,
): Promise<void> {
  const deadline = Date.now() + waitForServerMs
  for (let attempt = 0; ; attempt++) {
    try {
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
