/**
 * What asking "who is this?" costs at every request of the tool server: the access-token check beside a bare `select 1`
 * through the same pool. The difference is the price of opaque tokens that can be revoked at once.
 */
import fs from 'node:fs'
import path from 'node:path'
import { sql } from 'kysely'
import { openDatabase } from '../src/db/database.ts'
import { startEmbedded } from '../src/db/embedded.ts'
import { migrate } from '../src/db/migrate.ts'
import { systemClock } from '../src/lib/clock.ts'
import { createLog } from '../src/lib/log.ts'
import { findAccessToken } from '../src/oauth/tokens.service.ts'
import type { Figures } from './figures.ts'
import { median, printTable, ratioOf } from './measure.ts'
import { fillTokens, tokenOf } from './people.ts'
import { tempDir } from './processes.ts'

const TOKENS = 100_000
const ROUNDS = 9
const CHECKS = 2_000

type Work = (n: number) => Promise<unknown>

export async function benchTokens(): Promise<Figures> {
  const dir = tempDir()
  const log = createLog('error')
  const postgres = await startEmbedded({ dataDir: path.join(dir, 'data'), role: 'server', log })
  const database = openDatabase(postgres.connection, log)
  await migrate(database.pool)
  await fillTokens(database.db, TOKENS)
  const config = { adminEmails: [], baseUrl: 'http://localhost', trustProxy: false }
  const ctx = { pool: database.pool, clock: systemClock, config }
  const works: Array<[string, Work]> = [
    ['select 1', () => sql`select 1`.execute(database.db)],
    ['access-token check', (n) => findAccessToken(ctx, tokenOf((n * 7_919) % TOKENS))],
    ['access-token check, unknown token', (n) => findAccessToken(ctx, `souk_at_unknown-${n}`)],
  ]
  const rows: string[][] = []
  const figures: Figures = {}
  for (const atOnce of [1, 10]) {
    const results = await compare(works, atOnce)
    const floor = results[0]?.times ?? []
    for (const { name, micros, times } of results)
      rows.push([
        `${name}, ${atOnce} at once`,
        Math.round(1e6 / micros).toLocaleString('en'),
        micros.toFixed(0),
        `${ratioOf(times, floor).value.toFixed(2)} ×`,
      ])
    figures[`tokens.of_select_${atOnce}`] = ratioOf(results[1]?.times ?? [], floor)
  }
  await database.close()
  await postgres.stop()
  fs.rmSync(dir, { recursive: true, force: true })
  printTable(
    `Access-token check (${TOKENS.toLocaleString('en')} live tokens, one pool of 10)`,
    ['', 'checks/s', 'µs each', 'of select 1'],
    rows,
  )
  return figures
}

/** All works in turn within each round, so that what slows the machine slows them alike. */
async function compare(works: Array<[string, Work]>, atOnce: number) {
  const times = works.map((): number[] => [])
  for (const [, work] of works) await run(work, CHECKS, atOnce)
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, [, work]] of works.entries()) times[index]?.push(await run(work, CHECKS, atOnce))
  return works.map(([name], index) => {
    const own = times[index] ?? []
    return { name, times: own, micros: median(own) }
  })
}

async function run(work: Work, count: number, atOnce: number): Promise<number> {
  const started = performance.now()
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return ((performance.now() - started) * 1000) / count
}
