/** What the pool of connections is doing, read when somebody asks. */
import type pg from 'pg'
import { gauge } from '../lib/metrics.ts'

export function observePool(pool: pg.Pool): void {
  gauge('souk_db_pool_connections', 'Open connections, by state: used or idle.', ['state'], () => [
    [['used'], pool.totalCount - pool.idleCount],
    [['idle'], pool.idleCount],
  ])
  gauge(
    'souk_db_pool_size',
    'Maximum number of open connections (SOUK_POOL_SIZE).',
    [],
    () => pool.options.max,
  )
  gauge(
    'souk_db_pool_waiting',
    'Statements and transactions waiting for a connection.',
    [],
    () => pool.waitingCount,
  )
}
