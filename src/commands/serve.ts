/** `souk serve`: runs until told to stop. A second signal ends it at once; the database recovers at the next start. */
import type { Config } from '../config.ts'
import { connectDatabase } from '../db/connect.ts'
import { createLog, flushLog } from '../lib/log.ts'

export async function serve(config: Config): Promise<number> {
  const log = createLog(config.logLevel)
  const say = (text: string) => process.stderr.write(`${text}\n`)
  const stopped = Promise.withResolvers<number>()
  const opening = connectDatabase(config, {
    role: 'server',
    log,
    onProgress: say,
    onLost: (error) => {
      log.fatal({ err: error }, 'the database is lost')
      stopped.resolve(1)
    },
  })
  // Loaded while the database starts. A failure to open it is told below.
  opening.catch(() => {})
  const { startServer } = await import('../server.ts')
  const server = await startServer(config, { log, database: await opening })
  for (const notice of server.notices) say(notice)
  say(welcome(config, server.address))

  let signals = 0
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (++signals > 1) process.exit(1)
      say('Stopping: finishing the requests under way …')
      stopped.resolve(0)
    })
  }
  const code = await stopped.promise
  await server.stop()
  await flushLog(log)
  return code
}

function welcome({ baseUrl }: Config, address: string): string {
  const listening = baseUrl === address ? '' : `  (listening on ${address})`
  const lines = [
    '',
    'Souk is ready.',
    `  for people     ${baseUrl}/${listening}`,
    `  for agents     ${baseUrl}/c/<category>.md, ${baseUrl}/p/<category>/<slug>.json`,
    `  health         ${baseUrl}/readyz`,
    `  your catalog   npm run souk -- import --help`,
    '',
  ]
  return lines.join('\n')
}
