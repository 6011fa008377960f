/** What the pool of connections is doing, read when somebody asks. */
import type pg from 'pg'
import { gauge } from '../lib/metrics.ts'

export function observePool(pool: pg.Pool): void {
  gauge(
    'souk_db_pool_connections',
    'Connections that are open, by whether one is used or idle.',
    ['state'],
    () => [
      [['used'], pool.totalCount - pool.idleCount],
      [['idle'], pool.idleCount],
    ],
  )
  gauge(
    'souk_db_pool_size',
    'Connections that may be open at most (SOUK_POOL_SIZE).',
    [],
    () => pool.options.max,
  )
  gauge(
    'souk_db_pool_waiting',
    'Statements and transactions that wait for a connection.',
    [],
    () => pool.waitingCount,
  )
}
