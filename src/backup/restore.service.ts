/**
 * Brings a backup back. The file is proved first, byte for byte; then a new database is filled beside the old one and
 * proved; only then the two change names. A crash before that leaves the old one as it was, and the same command can be
 * given again. Where the user may not make databases, an empty one is filled in one transaction instead.
 */
import type { Config } from '../config.ts'
import { isConnectionLost } from '../db/database.ts'
import { listMigrations } from '../db/migrate.ts'
import { appliedMigrations, type Client, serverVersion } from './backup.queries.ts'
import { openPlace, type Place } from './connect.ts'
import type { Header } from './format.ts'
import { proveWhole, type ReadProgress, readHeader, readRecords } from './read-file.ts'
import { type Filled, fillDatabase } from './restore.queries.ts'
import { beginSecret, planSecret, type SecretPlan } from './secret-file.ts'
import {
  createBeside,
  createExtensions,
  dropDatabase,
  holdsAnything,
  listKept,
  lockRestore,
  readStanding,
  type Standing,
  swapDatabases,
} from './swap.queries.ts'

export type RestoreOptions = {
  file: string
  /** The database, or the folder's secret, may be another's: the old ones are kept. */
  replace: boolean
  discardOld: boolean
  say: (text: string) => void
  onProgress?: ReadProgress
}

export type RestoreSummary = Filled & {
  header: Header
  /** The old database's new name, when it held anything and was kept. */
  keptAs: string | null
  secretWritten: boolean
  /** What a person must still do about the secret. */
  notice: string | null
}

type RestoreConfig = Pick<Config, 'databaseUrl' | 'dataDir' | 'secret'>
type Work = { header: Header; plan: SecretPlan; dataDir: string; time: string; options: RestoreOptions }

const OLDEST_SERVER = 150_000
/** From where databases can be renamed: nobody may be connected to one that is. */
const ELSEWHERE = ['postgres', 'template1']

/** Reads all of it, and restores nothing. */
export async function checkBackup(
  file: string,
  onProgress?: ReadProgress,
): Promise<{ header: Header; tables: number; rows: number }> {
  await proveWhole(file)
  const header = await readHeader(file)
  let [tables, rows] = [0, 0]
  for await (const record of readRecords(file, onProgress)) {
    if (record.kind !== 'end') continue
    tables++
    rows += record.rows
  }
  return { header, tables, rows }
}

export async function restoreBackup(config: RestoreConfig, options: RestoreOptions): Promise<RestoreSummary> {
  const { file, replace, say } = options
  await proveWhole(file)
  const header = await readHeader(file)
  refuseNewer(header)
  const plan = planSecret(config, header, replace)
  const place = await openPlace(config, { role: 'server', task: 'restore', say })
  try {
    const client = await place.connect()
    let standing: Standing
    try {
      await requireServer(client)
      standing = await readStanding(client)
      refuseUsed(standing, place, replace)
      const admin = standing.mayCreate ? await connectElsewhere(place, standing.database) : null
      const work = { header, plan, dataDir: config.dataDir, time: timeNow(), options }
      if (admin === null) return await fillInPlace(client, standing, work)
      try {
        await client.end()
        return await fillBeside(place, admin, standing, work)
      } finally {
        await admin.end().catch(() => {})
      }
    } finally {
      await client.end().catch(() => {})
    }
  } finally {
    await place.close()
  }
}

/** Drops what restores have kept, and says what. */
export async function discardKept(config: RestoreConfig, say: (text: string) => void): Promise<string[]> {
  const place = await openPlace(config, { role: 'command', task: 'restore', say })
  try {
    const client = await place.connect()
    try {
      const { database } = await readStanding(client)
      const kept = await listKept(client, database)
      for (const old of kept) await dropDatabase(client, old)
      return kept
    } finally {
      await client.end().catch(() => {})
    }
  } finally {
    await place.close()
  }
}

async function fillBeside(
  place: Place,
  admin: Client,
  standing: Standing,
  { header, plan, dataDir, time, options }: Work,
): Promise<RestoreSummary> {
  const { database } = standing
  const { say } = options
  if (!(await lockRestore(admin, database)))
    throw new Error('another restore of this database is running: wait until it ends')
  const fresh = await createBeside(admin, database)
  let keptAs: string | null
  let filled: Filled
  try {
    filled = await fillFresh(place, fresh, standing, { header, options })
    const secret = beginSecret(dataDir, plan, time)
    try {
      keptAs = await swapDatabases(admin, { database, fresh, time })
    } catch (error) {
      // Without an answer, either database may be there now: then both secrets stay.
      if (!isConnectionLost(error)) secret.undo()
      throw error
    }
    secret.finish()
  } catch (error) {
    await dropDatabase(admin, fresh).catch(() => {})
    throw error
  }
  if (standing.hasSettings)
    say(`Privileges and settings of the database ${database} itself were not copied: set them again.`)
  if (options.discardOld || (await isEmpty(place, keptAs))) {
    await dropDatabase(admin, keptAs)
    keptAs = null
  }
  return { ...filled, header, keptAs, secretWritten: plan.kind === 'write', notice: plan.notice }
}

/**
 * Looked at under its new name, which nobody else uses: a node that was started while the restore was under way, and has
 * ended again, may have written to what was empty at its beginning. One that cannot be looked into is kept.
 */
async function isEmpty(place: Place, database: string): Promise<boolean> {
  const client = await place.connect(database).catch(() => null)
  if (!client) return false
  try {
    return !(await holdsAnything(client))
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

async function fillFresh(
  place: Place,
  fresh: string,
  standing: Standing,
  { header, options }: Pick<Work, 'header' | 'options'>,
): Promise<Filled> {
  const client = await place.connect(fresh)
  try {
    const refused = await createExtensions(client, standing.extensions)
    if (refused.length > 0)
      options.say(`Extensions that could not be created in the new database: ${refused.join(', ')}.`)
    return await fillDatabase(client, header, readRecords(options.file, options.onProgress))
  } finally {
    await client.end().catch(() => {})
  }
}

async function fillInPlace(
  client: Client,
  { database, holds, bare }: Standing,
  { header, plan, dataDir, time, options }: Work,
): Promise<RestoreSummary> {
  const instead = `let this user create databases (alter role … createdb), or recreate ${database} empty`
  if (holds) throw new Error(`this user may not replace the database ${database}: ${instead}`)
  const applied = (await appliedMigrations(client)) ?? []
  const same = JSON.stringify(applied) === JSON.stringify([...header.migrations].sort())
  if (!bare && !same) throw new Error(`${database} has tables of another version of Souk: ${instead}`)
  let secret = { finish() {}, undo() {} }
  try {
    const records = readRecords(options.file, options.onProgress)
    const filled = await fillDatabase(client, header, records, () => {
      secret = beginSecret(dataDir, plan, time)
    })
    secret.finish()
    return { ...filled, header, keptAs: null, secretWritten: plan.kind === 'write', notice: plan.notice }
  } catch (error) {
    if (!isConnectionLost(error)) secret.undo()
    throw error
  }
}

function refuseNewer({ migrations, souk }: Header): void {
  const known = listMigrations()
  const unknown = migrations.filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw new Error(
      `the backup is from a newer Souk (${souk}, with ${unknown.join(', ')}): restore it with that version or newer`,
    )
}

function refuseUsed({ database, others, holds }: Standing, place: Place, replace: boolean): void {
  if (others.length > 0)
    throw new Error(
      `the database ${database} is in use (${others.join(', ')}): stop every Souk server and command, and close other connections`,
    )
  if (holds && !replace)
    throw new Error(
      place.embedded
        ? 'the data folder already has data: use --replace to restore over it (the old data is kept beside it), or choose another folder with SOUK_DATA_DIR'
        : `the database ${database} already has data: use --replace to restore over it (the old database is kept beside it), or set DATABASE_URL to an empty one`,
    )
}

async function requireServer(client: Client): Promise<void> {
  const server = await serverVersion(client)
  if (server.number < OLDEST_SERVER)
    throw new Error(`PostgreSQL 15 or newer is required; the server runs ${server.name}`)
}

/** Null where there is no other database that this user may enter. */
async function connectElsewhere(place: Place, database: string): Promise<Client | null> {
  for (const other of ELSEWHERE) {
    if (other === database) continue
    const client = await place.connect(other).catch(() => null)
    if (client) return client
  }
  return null
}

function timeNow(): string {
  return new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14)
}
