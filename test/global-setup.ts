/**
 * One real PostgreSQL for the whole test run, with a migrated template database; each test file clones its own from
 * it in a few milliseconds. Durability is off here: what must survive a crash is tested on clusters of its own.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../src/db/embedded.ts'
import { migrate } from '../src/db/migrate.ts'
import { createLog } from '../src/lib/log.ts'

export const TEMPLATE = 'souk_template'

declare module 'vitest' {
  interface ProvidedContext {
    postgres: { host: string; port: number; user: string }
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-test-'))
  fs.chmodSync(dataDir, 0o755)
  const postgres = await startEmbedded({
    dataDir,
    role: 'server',
    log: createLog('error'),
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' },
  })
  const { host, port, user } = postgres.connection
  const admin = new pg.Client({ ...postgres.connection, database: 'postgres' })
  await admin.connect()
  await admin.query(`create database ${TEMPLATE}`)
  await admin.end()
  const pool = new pg.Pool({ ...postgres.connection, database: TEMPLATE })
  await migrate(pool)
  await pool.end()
  project.provide('postgres', { host, port, user })
  return async () => {
    await postgres.stop()
    fs.rmSync(dataDir, { recursive: true, force: true })
  }
}
