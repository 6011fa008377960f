/**
 * Where the database's time goes, by PostgreSQL's own count of it. Told beside the figures, because a rate that a database
 * sets is raised by looking at its most expensive statements first.
 */
import type { Pool } from 'pg'

/** For the server of the trial: the module has to be there from its start. */
export const STATEMENT_SETTINGS = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'top',
  'pg_stat_statements.track_planning': 'on',
}
const MOST = 30
const WIDTH = 150

export type Statement = {
  calls: number
  ms: number
  planning: number
  rows: number
  blocks: number
  text: string
}

export async function countStatements(pool: Pool): Promise<() => Promise<Statement[]>> {
  await pool.query('create extension if not exists pg_stat_statements')
  await pool.query('select pg_stat_statements_reset()')
  return async () => {
    const { rows } = await pool.query<Statement>(
      `select calls::int, total_exec_time + total_plan_time as ms, total_plan_time as planning, rows::int, (shared_blks_hit + shared_blks_read)::float8 as blocks,
              regexp_replace(query, '\\s+', ' ', 'g') as text
       from pg_stat_statements order by total_exec_time + total_plan_time desc limit $1`,
      [MOST],
    )
    return rows
  }
}

export function writeStatements(statements: readonly Statement[], seconds: number): string {
  const lines = statements.map(({ calls, ms, planning, blocks, text }) => {
    const share = ((ms / (seconds * 1000)) * 100).toFixed(1)
    const each = (ms / calls).toFixed(2)
    return `  ${share.padStart(5)} %  ${String(calls).padStart(7)} × ${each.padStart(7)} ms (planning ${(planning / calls).toFixed(2)}), ${Math.round(blocks / calls)} blocks  ${text.slice(0, WIDTH)}`
  })
  return ['  of the time of one core in the database, by statement:', ...lines].join('\n')
}
