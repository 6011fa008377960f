/**
 * LISTEN on a connection of its own. Notifications only wake a node early; callers also poll, so a lost
 * connection costs a moment of freshness and nothing else. After a reconnect every handler is called once.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { inBackground } from '../lib/background.ts'
import type { Log } from '../lib/log.ts'
import { socketOf } from './observe-queries.ts'
import { DatabaseAway } from './watchdog.ts'

export type Listener = {
  /** Leaves the connection it has for a new one. */
  reconnect(): void
  close(): Promise<void>
}

const RECONNECT_MS = 1_000
/** A database that hangs does not say goodbye, and there is nothing on this connection to wait for. */
const GOODBYE_MS = 1_000

export function startListener(
  connection: pg.PoolConfig,
  handlers: Record<string, (payload: string) => void>,
  log: Log,
): Listener {
  let client: pg.Client | null = null
  let closed = false
  let timer: NodeJS.Timeout | undefined

  async function connect(): Promise<void> {
    const next = new pg.Client({
      ...connection,
      application_name: `souk listener ${process.pid}`,
      keepAlive: true,
    })
    client = next
    next.on('error', () => {})
    next.on('notification', ({ channel, payload = '' }) => handlers[channel]?.(payload))
    next.once('end', () => again())
    try {
      await next.connect()
      for (const channel of Object.keys(handlers)) await next.query(`listen ${pg.escapeIdentifier(channel)}`)
      for (const wake of Object.values(handlers)) wake('')
    } catch (error) {
      log.debug({ err: error }, 'listener could not connect')
      await next.end().catch(() => {})
      again()
    }
  }

  function again(): void {
    if (closed) return
    clearTimeout(timer)
    timer = setTimeout(begin, RECONNECT_MS)
  }

  function begin(): void {
    inBackground(log, 'listening to the database', connect())
  }

  begin()
  return {
    reconnect: () => client && socketOf(client).destroy(new DatabaseAway()),
    async close() {
      closed = true
      clearTimeout(timer)
      const gone = client?.end().catch(() => {})
      await Promise.race([gone, sleep(GOODBYE_MS, undefined, { ref: false })])
    },
  }
}
