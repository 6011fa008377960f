/** Starts everything in order (database, app, jobs, listen) and stops it in reverse. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { createApp } from './app.ts'
import type { Config } from './config.ts'
import { connectDatabase } from './db/connect.ts'
import { startListener } from './db/listen.ts'
import { pendingMigration } from './db/migrate.ts'
import { closeGracefully } from './http/close-gracefully.ts'
import { createJobRunner } from './jobs/runner.ts'
import { systemClock } from './lib/clock.ts'
import type { Log } from './lib/log.ts'

export type RunningServer = {
  /** Where it really listens (PORT may be 0). */
  address: string
  notices: string[]
  stop(): Promise<void>
}

export async function startServer(
  config: Config,
  {
    log,
    onProgress,
    onLost,
  }: { log: Log; onProgress?: (text: string) => void; onLost?: (error: Error) => void },
): Promise<RunningServer> {
  const database = await connectDatabase(config, { role: 'server', log, onProgress, onLost })
  let draining = false
  const app = createApp({
    config,
    database,
    clock: systemClock,
    log,
    notReady: async () => {
      if (draining) return 'the server is stopping'
      try {
        const missing = await pendingMigration(database.pool)
        return missing === null ? null : `migration ${missing} is not applied`
      } catch {
        return 'the database does not answer'
      }
    },
  })
  const jobs = createJobRunner({ db: database.db, log, jobs: [] })
  const listener = startListener(database.connection, { jobs: jobs.wake }, log)
  jobs.start()

  const http = createServer(
    { keepAliveTimeout: 65_000, requestTimeout: 60_000 },
    getRequestListener(app.fetch, { overrideGlobalObjects: false }),
  )
  try {
    await listen(http, config)
  } catch (error) {
    await Promise.all([jobs.stop(), listener.close()])
    await database.close()
    throw error
  }
  return {
    address: `http://${hostForUrl(config.host)}:${(http.address() as AddressInfo).port}`,
    notices: database.notices,
    async stop() {
      draining = true
      await closeGracefully(http)
      await Promise.all([jobs.stop(), listener.close()])
      await database.close()
    },
  }
}

function listen(http: Server, { host, port }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE'
      reject(
        taken
          ? new Error(
              `port ${port} on ${host} is taken: stop what listens there, or choose another with PORT`,
            )
          : error,
      )
    })
    http.listen(port, host, resolve)
  })
}

function hostForUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
