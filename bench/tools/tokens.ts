/** How much of a tool call is asking whose token it is: looked up in the database, and remembered from just before. */
import { loadConfig } from '../../src/config.ts'
import { connectDatabase } from '../../src/db/connect.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { createRememberedTokens } from '../../src/oauth/remembered-tokens.ts'
import { findAccessToken } from '../../src/oauth/tokens.service.ts'
import type { Figures } from '../figures.ts'
import { figureOf, printTable } from '../measure.ts'
import { tokenOf } from '../people.ts'

const CHECKS = 2_000

export async function benchTokenShare(dataDir: string, callMicros: number): Promise<Figures> {
  const config = loadConfig({ SOUK_DATA_DIR: dataDir })
  const database = await connectDatabase(config, { role: 'command', log: createLog('error') })
  const ctx = { pool: database.pool, clock: systemClock, config }
  const tokens = createRememberedTokens(ctx)
  await tokens.find(tokenOf(0))
  const lookedUp = await cpuMicros((n) => findAccessToken(ctx, tokenOf((n * 10) % CHECKS)))
  const remembered = await cpuMicros(async () => tokens.peek(tokenOf(0)) ?? tokens.find(tokenOf(0)))
  await database.close()
  const row = (name: string, micros: number) => [
    name,
    micros.toFixed(1),
    `${((micros / callMicros) * 100).toFixed(1)} %`,
  ]
  printTable(
    'Access-token check within a tool call (CPU)',
    ['', 'µs', 'of a call'],
    [row('looked up', lookedUp), row('remembered from just before', remembered)],
  )
  return {
    'tools.token_looked_up_share': figureOf([lookedUp / callMicros]),
    'tools.token_remembered_share': figureOf([remembered / callMicros]),
  }
}

async function cpuMicros(check: (n: number) => Promise<unknown>): Promise<number> {
  for (let n = 0; n < CHECKS / 4; n++) await check(n)
  const before = process.cpuUsage()
  for (let n = 0; n < CHECKS; n++) await check(n)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / CHECKS
}
