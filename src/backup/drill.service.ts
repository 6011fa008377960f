/**
 * Tries a restore: a backup is brought back into a database of its own, which is thrown away, and how it went is kept with
 * the data. A backup that nobody has restored is a hope; this shows that it works, and how long it takes.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Config } from '../config.ts'
import { openPlace } from './connect.ts'
import { readHeader } from './read-file.ts'
import { type DrillDone, recordDrill } from './records.queries.ts'
import { type RestoreOptions, restoreBackup } from './restore.service.ts'

type Options = Pick<RestoreOptions, 'file' | 'say' | 'onProgress'>

export async function drillRestore(
  config: Pick<Config, 'databaseUrl' | 'dataDir' | 'secret'>,
  { file, say, onProgress }: Options,
): Promise<DrillDone> {
  const done = await tried(config.secret, { file, say, onProgress })
  const place = await openPlace(config, { role: 'command', task: 'restore', say })
  try {
    const client = await place.connect()
    try {
      await recordDrill(client, done)
    } finally {
      await client.end().catch(() => {})
    }
  } finally {
    await place.close()
  }
  return done
}

async function tried(secret: Config['secret'], { file, say, onProgress }: Options): Promise<DrillDone> {
  const started = performance.now()
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'souk-drill-'))
  // Started by root, the database runs as somebody else, who has to enter the folder.
  await chmod(dataDir, 0o711)
  const begun = { at: new Date().toISOString(), file: path.basename(file) }
  const takenAt = await readHeader(file).then(
    ({ createdAt }) => createdAt,
    () => null,
  )
  const after = () => Math.round((performance.now() - started) / 100) / 10
  try {
    const { tables, rows } = await restoreBackup(
      { databaseUrl: null, dataDir, secret },
      { file, replace: false, discardOld: true, say, onProgress },
    )
    return { ...begun, takenAt, tables, rows, seconds: after(), problem: null }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    return { ...begun, takenAt, tables: 0, rows: 0, seconds: after(), problem }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}
