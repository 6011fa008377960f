/** Work that only one node may do at a time: a session lock on a connection of its own, freed however the node ends. */
import type pg from 'pg'

/** Every lock of ours in one place, so that no two are the same by accident. */
export const LOCKS = {
  migrations: 7_685_010,
  demoCatalog: 7_685_011,
  restore: 7_685_012,
  vectors: 7_685_013,
  demoHistory: 7_685_014,
  words: 7_685_015,
  /** With a second number for the file. */
  pictures: 7_685_040,
} as const

export async function withAdvisoryLock<T>(
  pool: pg.Pool,
  key: number,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  try {
    // The holder may take minutes, and its work may wait for other locks.
    await client.query('set lock_timeout = 0')
    await client.query('select pg_advisory_lock($1)', [key])
    return await work(client)
  } finally {
    await client.query('select pg_advisory_unlock($1)', [key]).catch(() => {})
    // Not handed on: the next one has another patience.
    client.release(true)
  }
}
