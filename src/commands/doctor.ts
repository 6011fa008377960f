/**
 * `souk doctor`: looks at everything the service needs and says, for each thing that is wrong, what to do. It only reads:
 * it makes no folder, no database and no secret, and migrates nothing. An embedded database that is there but does not
 * run is started for as long as it is looked at. `--mail ADDRESS` sends one mail, because that was asked for.
 */

import { randomUUID } from 'node:crypto'
import { createServer } from 'node:net'
import { parseArgs } from 'node:util'
import { createMailTransport } from '../accounts/mail.transport.ts'
import { type Config, ConfigError, KNOWN_VARIABLES, loadConfig } from '../config.ts'
import { lookAtDatabase } from '../db/connect.ts'
import { type Database, openDatabase, requireSupportedServer, serverVersion } from '../db/database.ts'
import { compareMigrations } from '../db/migrate.ts'
import { checkDisk, checkRuntime, type Finding } from '../lib/checks.ts'
import { createLog } from '../lib/log.ts'
import { peekSecret } from '../lib/secret.ts'
import { countSealedKinds, describeLost, nameSecret } from '../sealed.ts'
import { checkModel } from '../search/embed/check-model.ts'
import { checkWords } from '../search/fetched/words-writer.ts'
import { checkPgvector } from '../search/vectors/vector-source.ts'

type Env = Record<string, string | undefined>

const MARK = { ok: 'ok   ', look: 'warn ', bad: 'BAD  ' }
const HELP = `usage: npm run souk -- doctor [--mail ADDRESS]

  --mail ADDRESS  also send a test email to this address

Checks the machine, the settings, the database and the mail server. Changes nothing.
`

export async function doctor(env: Env, args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { mail: { type: 'string' }, help: { type: 'boolean', default: false } },
  })
  if (values.help) {
    process.stderr.write(HELP)
    return 0
  }
  let worst = false
  const check = async (name: string, look: () => Finding | Promise<Finding>) => {
    let finding: Finding
    try {
      finding = await look()
    } catch (error) {
      finding = { state: 'bad', text: String((error as Error).message || error) }
    }
    report(name, finding)
    worst ||= finding.state === 'bad'
  }
  const { config, finding } = checkConfig(env)
  await check('configuration', () => finding)
  await check('runtime', checkRuntime)
  if (!config) return 1
  await check('variables', () => checkVariables(env))
  await check('disk', () => checkDisk(config.dataDir))
  await check('model', checkModel)
  await checkAllOfDatabase(config, check)
  await check('mail', () => checkMail(config, values.mail ?? null))
  await check('port', () => checkPort(config))
  return worst ? 1 : 0
}

type Check = (name: string, look: () => Finding | Promise<Finding>) => Promise<void>

/** What can only be seen in it is looked at while it is open, and it is closed however that ends. */
async function checkAllOfDatabase(config: Config, check: Check): Promise<void> {
  const kind = config.databaseUrl === null ? 'embedded PostgreSQL' : 'server named by DATABASE_URL'
  let database: Database | null = null
  try {
    database = await lookAtDatabase(config, { log: createLog('silent'), waitForServerMs: 2_000 })
  } catch (error) {
    const fix =
      config.databaseUrl === null
        ? `look at ${config.dataDir}/postgres.log`
        : 'check that the server is running and reachable from here, and that the user and database exist'
    const text = `${kind}: ${(error as Error).message}`
    return check('database', () => ({ state: 'bad', text, fix }))
  }
  if (database === null) {
    const text = `${kind}: none in ${config.dataDir} yet; the first start creates it`
    return check('database', () => ({ state: 'ok', text }))
  }
  const { db, pool } = database
  try {
    await check('database', async () => {
      const { name } = await serverVersion(pool)
      await requireSupportedServer(pool)
      return { state: 'ok', text: `${kind}, version ${name}` }
    })
    await check('migrations', () => checkMigrations(database))
    if (config.vectors === 'pgvector') await check('vectors', () => checkVectors(database))
    if (config.search === 'postgres') await check('search', () => checkSearch(config, database))
    await check('secret', async () => {
      const kinds = await countSealedKinds(db, peekSecret(config))
      const lost = describeLost(kinds)
      const boxes = kinds.reduce((sum, kind) => sum + kind.boxes, 0)
      if (lost === '')
        return {
          state: 'ok',
          text: boxes === 0 ? 'no sealed data yet' : `opens all ${boxes} sealed values`,
        }
      return {
        state: 'bad',
        text: `${nameSecret(config)} does not open ${lost}`,
        fix: 'set SOUK_SECRET to the secret they were sealed with; admin reseal-secrets explains what to do about lost ones',
      }
    })
  } finally {
    await database.close()
  }
}

async function checkMigrations({ pool }: Database): Promise<Finding> {
  const { missing, unknown } = await compareMigrations(pool)
  if (unknown.length > 0)
    return {
      state: 'bad',
      text: `the database was migrated by a newer Souk (${unknown.join(', ')})`,
      fix: 'run that version or newer',
    }
  if (missing.length === 0) return { state: 'ok', text: 'all applied' }
  return {
    state: 'look',
    text: `the next start applies ${missing.length}: ${missing.join(', ')}`,
    fix: 'take a backup first, if there is data',
  }
}

async function checkMail(config: Config, address: string | null): Promise<Finding> {
  const { smtpUrl, mailFrom, dataDir } = config
  const transport = createMailTransport(config)
  const server = smtpUrl === null ? `files in ${dataDir}/outbox` : new URL(smtpUrl).host
  try {
    await transport.check()
    if (address !== null) {
      const text = 'This is a test email from Souk, sent by souk doctor --mail.'
      const mail = { subject: 'Test email from Souk', text, html: `<p>${text}</p>` }
      await transport.send({ ...mail, id: randomUUID(), to: address, from: mailFrom, date: new Date() })
    }
  } catch (error) {
    const fix = 'check SMTP_URL: host, port, smtp or smtps, user and password; and SOUK_MAIL_FROM'
    return { state: 'bad', text: `${server}: ${(error as Error).message}`, fix }
  }
  const sent = address === null ? '' : `; sent a test email to ${address}`
  if (smtpUrl !== null) return { state: 'ok', text: `${server} accepts email from ${mailFrom}${sent}` }
  const local = ['localhost', '127.0.0.1'].includes(new URL(config.baseUrl).hostname)
  const text = `emails go to ${server}${sent}`
  return local ? { state: 'ok', text } : { state: 'look', text, fix: 'set SMTP_URL to send real email' }
}

function report(name: string, { state, text, fix }: Finding): void {
  process.stdout.write(`${MARK[state]} ${name.padEnd(14)} ${text}\n${fix ? `${' '.repeat(21)}${fix}\n` : ''}`)
}

function checkConfig(env: Env): { config: Config | null; finding: Finding } {
  try {
    const config = loadConfig(env)
    return { config, finding: { state: 'ok', text: `public address ${config.baseUrl}` } }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return {
      config: null,
      finding: { state: 'bad', text: error.message, fix: 'fix the variable and run doctor again' },
    }
  }
}

/** A misspelt variable is silent otherwise: the default is used and nobody knows why. */
function checkVariables(env: Env): Finding {
  const unknown = Object.keys(env).filter(
    (name) => name.startsWith('SOUK_') && !KNOWN_VARIABLES.includes(name),
  )
  if (unknown.length === 0) return { state: 'ok', text: 'no unknown SOUK_ variables' }
  return {
    state: 'look',
    text: `unknown: ${unknown.join(', ')}`,
    fix: `valid names: ${KNOWN_VARIABLES.join(', ')}`,
  }
}

async function checkVectors({ db }: Database): Promise<Finding> {
  const found = await checkPgvector(db)
  return 'version' in found
    ? { state: 'ok', text: `pgvector ${found.version}` }
    : { state: 'bad', text: found.problem, fix: found.fix }
}

async function checkSearch({ vectors, readUrl }: Config, { db }: Database): Promise<Finding> {
  const { products, trigrams } = await checkWords(db)
  const replica = readUrl === null ? null : await checkReplica(readUrl)
  if (replica !== null)
    return {
      state: 'bad',
      text: `SOUK_READ_URL: ${replica}`,
      fix: 'check the replica, or unset SOUK_READ_URL',
    }
  const filled =
    products === null
      ? 'the words of the catalog are read at the next start'
      : `words of ${products} products`
  if (vectors === 'memory')
    return {
      state: 'look',
      text: `${filled}; products are searched by words alone`,
      fix: 'set SOUK_VECTORS=pgvector to search by meaning too',
    }
  if (trigrams) return { state: 'ok', text: filled }
  return {
    state: 'look',
    text: `${filled}; the server has no extension "pg_trgm", so words with two letters wrong are not corrected`,
    fix: 'install the contrib extensions of PostgreSQL',
  }
}

/** What is wrong with it; null when it answers. */
async function checkReplica(url: string): Promise<string | null> {
  const { db, close } = openDatabase({ connectionString: url }, createLog('silent'), {
    poolSize: 2,
    readOnly: true,
  })
  try {
    return (await checkWords(db)) && null
  } catch (error) {
    return (error as Error).message
  } finally {
    await close()
  }
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
              fix: 'fine if Souk is running; otherwise choose another with PORT',
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
