/** `souk serve`: runs until told to stop. A second signal ends it at once; the database recovers at the next start. */

import type { Config } from '../config.ts'
import { type ConnectedDatabase, connectDatabase } from '../db/connect.ts'
import { createSlowQueryLog } from '../db/slow-queries.ts'
import { surviveRejections } from '../lib/background.ts'
import { createLog, flushLog, type Log } from '../lib/log.ts'
import { startTracing, stopTracing } from '../lib/tracing.ts'
import type { RunningServer } from '../server.ts'

const LINGER_MS = 2_000

export async function serve(config: Config): Promise<number> {
  const log = createLog(config.logLevel)
  const say = (text: string) => process.stderr.write(`${text}\n`)
  const stopped = Promise.withResolvers<number>()
  await startTracing(log)
  surviveRejections(log)
  // Loaded while the database starts. A failure to open it is told below.
  const opening = connectDatabase(config, {
    role: 'server',
    log,
    onProgress: say,
    onQuery: createSlowQueryLog(log, config.slowQueryMs),
    onLost: (error) => {
      log.fatal({ err: error }, 'the database connection is lost')
      stopped.resolve(1)
    },
  })
  opening.catch(() => {})
  const server = await start(config, log, opening)
  for (const notice of server.notices) say(notice)
  say(welcome(config, server.address))
  if (server.operatorLink !== null)
    say(`Look around as the operator: ${server.operatorLink}\n  (once, within 15 minutes)\n`)

  let signals = 0
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (++signals > 1) process.exit(1)
      const { drainMs } = config
      if (drainMs > 0) say(`Stopping: serving for ${drainMs} ms more while /readyz reports not ready …`)
      else say('Stopping: finishing open requests …')
      stopped.resolve(0)
    })
  }
  const code = await stopped.promise
  await server.stop()
  await stopTracing()
  await flushLog(log)
  // Connections to a database that hangs must not keep the process: it has said its last word.
  setTimeout(() => process.exit(code), LINGER_MS).unref()
  return code
}

/** A database that was opened for a server that cannot start is closed again: it would keep the process and its folder. */
async function start(config: Config, log: Log, opening: Promise<ConnectedDatabase>): Promise<RunningServer> {
  try {
    const { startServer } = await import('../server.ts')
    return await startServer(config, { log, database: await opening })
  } catch (error) {
    await opening.then((database) => database.close()).catch(() => {})
    // Whatever had been started already must not keep the process: there is nothing left to serve.
    setTimeout(() => process.exit(1), LINGER_MS).unref()
    throw error
  }
}

function welcome({ baseUrl, mcpUrl }: Config, address: string): string {
  const listening = baseUrl === address ? '' : `  (listening on ${address})`
  const lines = [
    '',
    'Souk is ready.',
    `  for people     ${baseUrl}/${listening}`,
    `  for agents     ${mcpUrl}/mcp (MCP), ${baseUrl}/llms.txt`,
    `  for programs   ${baseUrl}/docs`,
    `  health         ${baseUrl}/readyz`,
    `  your catalog   npm run souk -- import --help`,
    '',
  ]
  return lines.join('\n')
}
