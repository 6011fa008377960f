/**
 * Connections for backup and restore: to the embedded database, or to the server that DATABASE_URL names. Nothing is
 * migrated on the way, because a backup is taken of what is there, such as before an upgrade, and a restore brings a
 * schema of its own.
 */
import pg from 'pg'
import type { Config } from '../config.ts'
import { startEmbedded } from '../db/embedded.ts'
import { primaryUrl } from '../db/primary.ts'
import { createLog } from '../lib/log.ts'

export type Place = {
  embedded: boolean
  /** To the database itself, or to another one of the same server. */
  connect(database?: string): Promise<pg.Client>
  close(): Promise<void>
}

export type PlaceConfig = Pick<Config, 'databaseUrl' | 'dataDir'>

export async function openPlace(
  config: PlaceConfig,
  /** As a server, it has the embedded database for itself. */
  { role, task, say }: { role: 'server' | 'command'; task: string; say: (text: string) => void },
): Promise<Place> {
  const application_name = `souk ${task} ${process.pid}`
  const { databaseUrl } = config
  if (databaseUrl !== null) {
    return {
      embedded: false,
      connect: async (database) => {
        const url = await primaryUrl(databaseUrl)
        const connectionString = database === undefined ? url : withDatabase(url, database)
        return connected({ connectionString, application_name })
      },
      close: async () => {},
    }
  }
  const embedded = await startEmbedded({
    ...{ dataDir: config.dataDir, role, log: createLog('error') },
    onProgress: say,
  })
  for (const notice of embedded.notices) say(notice)
  return {
    embedded: true,
    connect: (database = embedded.connection.database) =>
      connected({ ...embedded.connection, database, application_name }),
    close: embedded.stop,
  }
}

async function connected(options: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client({ ...options, connectionTimeoutMillis: 10_000, keepAlive: true })
  // Pending queries fail on their own; without a listener, a lost connection would also end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw new Error(`cannot use the database: ${(error as Error).message || 'no answer'}`, { cause: error })
  }
}

/** By hand: an address of a socket (`postgresql://user@/name?host=…`) is no URL to the URL parser. */
export function withDatabase(url: string, database: string): string {
  return url.replace(
    /^([a-z]+:\/\/[^/?#]*)(?:\/[^?#]*)?/i,
    (_, start) => `${start}/${encodeURIComponent(database)}`,
  )
}
