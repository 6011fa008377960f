/** What the database says of itself: how large it is, how busy, and what of the program's migrations it has. */
import type { Db } from './database.ts'
import { one } from './rows.ts'

export type DatabaseFacts = {
  version: string
  bytes: number
  connections: number
  /** Of the statement that has run longest, not counting this one; null when none runs. */
  longestMs: number | null
  migrations: number
}

export async function findDatabaseFacts(db: Db): Promise<DatabaseFacts> {
  const facts = await one<DatabaseFacts>(db)`
    select current_setting('server_version') as version, pg_database_size(current_database()) as bytes,
      (select count(*) from pg_stat_activity where datname = current_database()) as connections,
      (select (extract(epoch from max(clock_timestamp() - query_start)) * 1000)::float8 from pg_stat_activity
       where datname = current_database() and state = 'active' and pid <> pg_backend_pid()
         and backend_type = 'client backend') as "longestMs",
      (select count(*) from migrations) as migrations`
  if (!facts) throw new Error('the database reported no status')
  return facts
}
