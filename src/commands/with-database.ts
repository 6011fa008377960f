/** A command beside a running server, or without one: the database for as long as its work takes. */
import type { Config } from '../config.ts'
import { type ConnectedDatabase, connectDatabase } from '../db/connect.ts'
import { createLog } from '../lib/log.ts'

export async function withDatabase<T>(
  config: Config,
  work: (database: ConnectedDatabase) => Promise<T>,
): Promise<T> {
  const database = await connectDatabase(config, { role: 'command', log: createLog('error') })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
