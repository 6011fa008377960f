/**
 * `souk doctor`: looks at everything the service needs and says, for each thing that is wrong, what to do.
 * It changes nothing but may start the embedded database for a moment.
 */
import { createServer } from 'node:net'
import { type Config, ConfigError, KNOWN_VARIABLES, loadConfig } from '../config.ts'
import { connectDatabase } from '../db/connect.ts'
import { serverVersion } from '../db/database.ts'
import { listMigrations } from '../db/migrate.ts'
import { checkDisk, checkRuntime, type Finding } from '../lib/checks.ts'
import { createLog } from '../lib/log.ts'
import { checkModel } from '../search/embed/check-model.ts'
import { checkPgvector } from '../search/vectors/vector-source.ts'

type Check = { name: string; run(): Promise<Finding> }

const MARK = { ok: 'ok   ', look: 'warn ', bad: 'BAD  ' }

export async function doctor(env: Record<string, string | undefined>): Promise<number> {
  const { config, finding } = checkConfig(env)
  report('configuration', finding)
  const checks: Check[] = [
    { name: 'runtime', run: async () => checkRuntime() },
    ...(config
      ? [
          { name: 'variables', run: async () => checkVariables(env) },
          { name: 'disk', run: async () => checkDisk(config.dataDir) },
          { name: 'model', run: async () => checkModel() },
          { name: 'database', run: () => checkDatabase(config) },
          ...(config.vectors === 'pgvector' ? [{ name: 'vectors', run: () => checkVectors(config) }] : []),
          { name: 'port', run: () => checkPort(config) },
        ]
      : []),
  ]
  let worst = finding.state === 'bad'
  for (const check of checks) {
    const result = await check
      .run()
      .catch((error): Finding => ({ state: 'bad', text: String(error.message ?? error) }))
    report(check.name, result)
    worst ||= result.state === 'bad'
  }
  return worst ? 1 : 0
}

function report(name: string, { state, text, fix }: Finding): void {
  process.stdout.write(`${MARK[state]} ${name.padEnd(14)} ${text}\n${fix ? `${' '.repeat(21)}${fix}\n` : ''}`)
}

function checkConfig(env: Record<string, string | undefined>): { config: Config | null; finding: Finding } {
  try {
    const config = loadConfig(env)
    return { config, finding: { state: 'ok', text: `public address ${config.baseUrl}` } }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return {
      config: null,
      finding: { state: 'bad', text: error.message, fix: 'mend the variable and run doctor again' },
    }
  }
}

/** A misspelt variable is silent otherwise: the default is used and nobody knows why. */
function checkVariables(env: Record<string, string | undefined>): Finding {
  const unknown = Object.keys(env).filter(
    (name) => name.startsWith('SOUK_') && !KNOWN_VARIABLES.includes(name),
  )
  if (unknown.length === 0) return { state: 'ok', text: 'no unknown SOUK_ variables' }
  return {
    state: 'look',
    text: `not known: ${unknown.join(', ')}`,
    fix: `known are ${KNOWN_VARIABLES.join(', ')}`,
  }
}

async function checkDatabase(config: Config): Promise<Finding> {
  const kind = config.databaseUrl === null ? 'embedded PostgreSQL' : 'server named by DATABASE_URL'
  try {
    const database = await connectDatabase(config, {
      role: 'command',
      log: createLog('silent'),
      waitForServerMs: 2_000,
    })
    const version = await serverVersion(database.pool)
    await database.close()
    return {
      state: 'ok',
      text: `${kind}, version ${version.name}, ${listMigrations().length} migrations applied`,
    }
  } catch (error) {
    const fix =
      config.databaseUrl === null
        ? `look at ${config.dataDir}/postgres.log`
        : 'check that the server runs, takes connections from here, and that user and database exist'
    return { state: 'bad', text: `${kind}: ${(error as Error).message}`, fix }
  }
}

async function checkVectors(config: Config): Promise<Finding> {
  const options = { role: 'command', log: createLog('silent'), waitForServerMs: 2_000 } as const
  const database = await connectDatabase(config, options)
  const found = await checkPgvector(database.db).finally(database.close)
  return 'version' in found
    ? { state: 'ok', text: `pgvector ${found.version}` }
    : { state: 'bad', text: found.problem, fix: found.fix }
}

function checkPort({ host, port }: Config): Promise<Finding> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) =>
      resolve(
        error.code === 'EADDRINUSE'
          ? {
              state: 'look',
              text: `${host}:${port} is taken`,
              fix: 'by Souk itself if it is running; else choose another with PORT',
            }
          : {
              state: 'bad',
              text: `cannot listen on ${host}:${port} (${error.code})`,
              fix: 'choose another HOST or PORT',
            },
      ),
    )
    probe.listen(port, host, () =>
      probe.close(() => resolve({ state: 'ok', text: `${host}:${port} is free` })),
    )
  })
}
