/** Takes a backup: everything in the database as it is at one moment, while others go on reading and writing. */
import path from 'node:path'
import type { Config } from '../config.ts'
import { version } from '../lib/paths.ts'
import {
  appliedMigrations,
  type Client,
  copyOut,
  endMoment,
  estimateBytes,
  holdMoment,
  readSequences,
  serverVersion,
} from './backup.queries.ts'
import { openPlace } from './connect.ts'
import { type BackupRecord, FORMAT, type Table, writeRecord } from './format.ts'
import { type BackupDone, recordBackup } from './records.queries.ts'
import { checkBackup } from './restore.service.ts'
import { readSecretFile } from './secret-file.ts'
import { refuseTaken, type Target, writeBackupFile } from './write-file.ts'

export type BackupOptions = Target & {
  withSecret: boolean
  /** Reads the file again, and compares what it holds. */
  check?: boolean
  /** Kept among what the operator's page lists. */
  listed?: boolean
  say: (text: string) => void
  onProgress?: (bytes: number, share: number) => void
}

export type BackupSummary = {
  tables: number
  rows: number
  bytes: number
  /** Where the secret is that opens what is sealed. */
  secret: 'inside' | 'left out' | 'in SOUK_SECRET' | 'none'
  checked: BackupDone['checked']
}

const PIECE = 256 * 1024

export async function takeBackup(
  config: Pick<Config, 'databaseUrl' | 'dataDir' | 'secret'>,
  options: BackupOptions,
): Promise<BackupSummary> {
  refuseTaken(options)
  const started = new Date().toISOString()
  const kept = config.secret === null ? readSecretFile(config.dataDir) : null
  const secret = options.withSecret ? kept : null
  const place = await openPlace(config, { role: 'command', task: 'backup', say: options.say })
  try {
    const client = await place.connect()
    try {
      const counted = { tables: 0, rows: 0 }
      const records = readEverything(client, {
        ...{ secret, secretElsewhere: config.secret !== null, counted },
        onProgress: options.onProgress ?? (() => {}),
      })
      const bytes = await writeBackupFile(records, options)
      const left = kept === null ? 'none' : 'left out'
      const place = config.secret === null ? left : 'in SOUK_SECRET'
      const checked = options.check && options.file !== '-' ? await isWhole(options.file, counted) : null
      const done = { ...counted, bytes, secret: secret === null ? place : 'inside', checked } as const
      if (options.listed)
        await recordBackup(client, { ...done, file: path.basename(options.file), at: started }).catch(
          (error: Error) => options.say(`The backup is not listed at /admin/backups: ${error.message}`),
        )
      return done
    } finally {
      await client.end().catch(() => {})
    }
  } finally {
    await place.close()
  }
}

async function isWhole(
  file: string,
  counted: { tables: number; rows: number },
): Promise<'whole' | 'damaged'> {
  try {
    const { tables, rows } = await checkBackup(file)
    return tables === counted.tables && rows === counted.rows ? 'whole' : 'damaged'
  } catch {
    return 'damaged'
  }
}

type Contents = {
  secret: string | null
  secretElsewhere: boolean
  /** Filled on the way. */
  counted: { tables: number; rows: number }
  onProgress: (bytes: number, share: number) => void
}

/** The records of a backup, read from the database as they are asked for. */
export async function* readEverything(
  client: Client,
  contents: Contents,
): AsyncGenerator<Buffer, void, undefined> {
  const tables = await holdMoment(client)
  const migrations = await appliedMigrations(client)
  if (migrations === null)
    throw new Error('there is nothing to back up: this database is empty; start Souk once first')
  yield writeRecord({
    kind: 'header',
    header: {
      ...{ format: FORMAT, createdAt: new Date().toISOString(), souk: version() },
      ...{ postgres: (await serverVersion(client)).name, migrations },
      ...{ secret: contents.secret, secretElsewhere: contents.secretElsewhere },
    },
  })
  const estimated = await estimateBytes(client, tables)
  const done: Array<{ name: string; rows: number }> = []
  let bytes = 0
  for (const table of tables) {
    for await (const record of recordsOf(client, table)) {
      if (record.kind === 'data') {
        bytes += record.bytes.length
        contents.onProgress(bytes, Math.min(0.99, bytes / Math.max(estimated, 1)))
      }
      if (record.kind === 'end') done.push({ name: table.name, rows: record.rows })
      yield writeRecord(record)
    }
  }
  const sequences = await readSequences(client)
  await endMoment(client)
  contents.counted.tables = done.length
  contents.counted.rows = done.reduce((sum, { rows }) => sum + rows, 0)
  yield writeRecord({ kind: 'trailer', trailer: { tables: done, sequences } })
}

async function* recordsOf(client: Client, table: Table): AsyncGenerator<BackupRecord, void, undefined> {
  yield { kind: 'table', table }
  const rows = copyOut(client, table)
  for (;;) {
    const { value, done } = await rows.next()
    if (done) {
      yield { kind: 'end', rows: value }
      return
    }
    for (let at = 0; at < value.length; at += PIECE)
      yield { kind: 'data', bytes: value.subarray(at, at + PIECE) }
  }
}
