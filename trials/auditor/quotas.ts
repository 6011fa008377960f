/**
 * Quotas are exact: anyone who was served was counted, nobody was served beyond the limit, and what was counted without being
 * served is explained. Tool calls are taken in blocks, so a node that was killed, or whose database went away while it gave
 * a block back, may lose its caller one block; otherwise the two figures are equal once nodes have given back.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createAccountSecrets } from '../../src/accounts/secrets.ts'
import { SECRET } from '../cluster.ts'
import type { Tally } from '../journal.ts'
import type { AuditContext, Check } from './check.ts'

const TOOLS_A_DAY = 500
const BUNDLES_A_DAY = 20
const LARGEST_BLOCK = 125

export const QUOTAS: Check = {
  name: 'quotas',
  async run(ctx) {
    const deadline = Date.now() + ctx.lagMs
    for (;;) {
      const breaches = await toolBreaches(ctx)
      if (breaches.length === 0 || Date.now() > deadline)
        return [...breaches, ...(await bundleBreaches(ctx)), ...(await messageBreaches(ctx))]
      await sleep(250)
    }
  },
}

async function toolBreaches(ctx: AuditContext): Promise<string[]> {
  const taken = await sums(
    ctx,
    `select user_id::text as key, sum(taken)::int as sum from tool_days group by 1`,
  )
  const spare = ctx.disturbances * LARGEST_BLOCK
  const breaches = [...tallies(ctx, 'tools')].flatMap(([userId, tally]) =>
    compare(`tool calls of ${userId}`, tally, taken.get(userId) ?? 0, spare),
  )
  return [...breaches, ...(await over(ctx, 'tool_days', 'taken', TOOLS_A_DAY))]
}

async function bundleBreaches(ctx: AuditContext): Promise<string[]> {
  const counted = await sums(
    ctx,
    `select user_id::text as key, sum(served)::int as sum from bundle_days group by 1`,
  )
  const breaches = [...tallies(ctx, 'bundles')].flatMap(([userId, tally]) =>
    compare(`bundles of ${userId}`, tally, counted.get(userId) ?? 0, 0),
  )
  return [...breaches, ...(await over(ctx, 'bundle_days', 'served', BUNDLES_A_DAY))]
}

/** Messages are counted under a hash of the sender. */
async function messageBreaches(ctx: AuditContext): Promise<string[]> {
  const { throttleKey } = createAccountSecrets(SECRET)
  const counted = await sums(
    ctx,
    `select network as key, sum(messages)::int as sum from a2a_hours group by 1`,
  )
  return [...tallies(ctx, 'a2a')].flatMap(([whose, tally]) => {
    const key = throttleKey(`a2a ${whose.includes('-') ? 'user' : 'network'} ${whose}`)
    return compare(`messages of ${whose}`, tally, counted.get(key) ?? 0, 0)
  })
}

function compare(what: string, { served, unknown }: Tally, counted: number, spare: number): string[] {
  if (counted < served) return [`${what}: ${served} were served and only ${counted} counted`]
  if (counted > served + unknown + spare)
    return [`${what}: ${counted} were counted, but ${served} served, ${unknown} lost and ${spare} explained`]
  return []
}

async function over({ pool }: AuditContext, table: string, column: string, most: number): Promise<string[]> {
  const { rows } = await pool.query<{ user_id: string; day: string; used: number }>(
    `select user_id, day::text, ${column} as used from ${table} where ${column} > $1 or ${column} < 0`,
    [most],
  )
  return rows.map(
    ({ user_id, day, used }) => `${table} of ${user_id} on ${day} says ${used}, and the most is ${most}`,
  )
}

function* tallies({ journal }: AuditContext, what: string): Generator<[string, Tally]> {
  for (const [key, tally] of journal.tallies) {
    const [of, whose = ''] = key.split(' ')
    if (of === what) yield [whose, tally]
  }
}

async function sums({ pool }: AuditContext, sql: string): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ key: string; sum: number }>(sql)
  return new Map(rows.map(({ key, sum }) => [key, sum]))
}
