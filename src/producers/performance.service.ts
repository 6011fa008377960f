/**
 * How an organization's products do over some days. Searches and reads count the product, even if others sell it too;
 * requests, quotes and clicks are the organization's own. Of the others' quotes only a number is told: how many there were
 * and how many of them were cheaper, never whose.
 */
import { agentFamily } from '../catalog/product-reads.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import { withinTime } from '../db/within-time.ts'
import { type Clock, DAY_MS, isoDay } from '../lib/clock.ts'
import { invalid } from '../lib/errors.ts'
import { type Act, requireProducer } from '../orgs/producer.ts'
import {
  type Figures,
  findByClient,
  findByDay,
  findByProduct,
  findByQuery,
  findByRegion,
  findReadsByAgent,
  findTotals,
  indexPays,
  type Span,
} from './performance.queries.ts'

export type { Figures }

export const GROUPS = ['day', 'product', 'region', 'client', 'agent', 'query'] as const
export type Group = (typeof GROUPS)[number]

/** A figure that is not known by this group is absent. */
export type PerformanceRow = Partial<Figures> & {
  /** A day, a product's slug, a region, who asked, an agent's name or a query; null for all queries that too few asked. */
  key: string | null
  title?: string
}

/** Before this day there is nothing to count. */
type Missing = { what: 'searches' | 'attempts'; days: number; since: string }

export type Performance = {
  from: string
  to: string
  totals: Figures
  rows: PerformanceRow[]
  /** Of how many these rows are the first. */
  groups: number
  /** What part of these days is forgotten already. */
  missing: Missing[]
}

export const MOST_DAYS = 366
const DEFAULT_DAYS = 30
/** Nothing was counted before it, and calendars disagree about years without four digits. */
const FIRST_DAY = '2000-01-01'
/** What fewer have asked might tell who asked it, and what one repeats is not what people look for. */
const LEAST_ASKERS = 3
const LONGEST_QUERY = 100

export async function getPerformance(
  ctx: { db: Db; clock: Clock; config: Pick<Config, 'keep'> },
  act: Pick<Act, 'caller'>,
  input: { from?: string; to?: string; groupBy: Group; limit: number },
): Promise<Performance> {
  const today = isoDay(ctx.clock.now())
  const { from, to } = spanOf(input, today)
  const { org } = await requireProducer(ctx, act.caller, 'read')
  const tooLong = { message: 'this takes too long; choose fewer days', field: 'from' }
  const { totals, counted } = await withinTime(ctx.db, tooLong, async (tx) => {
    const span = { orgId: org.id, from, to }
    return { totals: await findTotals(tx, span), counted: await findRows(tx, span, input) }
  })
  return {
    from,
    to,
    totals,
    rows: counted.map(({ groups: _, ...row }) => row),
    groups: counted[0]?.groups ?? 0,
    missing: missingFrom(from, today, ctx.config.keep, input.groupBy),
  }
}

/** Words come from the searches themselves, requests from what sellers were sent; each is kept for its own time. */
function missingFrom(from: string, today: string, keep: Config['keep'], groupBy: Group): Missing[] {
  const kept = groupBy === 'query' ? (['searches', 'attempts'] as const) : (['attempts'] as const)
  return kept.flatMap((what) => {
    const days = keep[what]
    const since = days === null ? from : plusDays(today, -days)
    return days === null || from >= since ? [] : [{ what, days, since }]
  })
}

/** With the day as the reader is used to it. */
export function missingWords({ what, days }: Missing, since: string): string {
  return what === 'searches'
    ? `Searches are kept for ${days} days: queries before ${since} are not included.`
    : `Requests are kept for ${days} days: those before ${since} are not included.`
}

/** Of as many days as these, right before them: what figures are compared with. */
export async function getTotalsBefore(
  ctx: { db: Db; clock: Clock },
  act: Pick<Act, 'caller'>,
  { from, to }: { from: string; to: string },
): Promise<Figures> {
  const days = daysOf(from, to).length
  const { org } = await requireProducer(ctx, act.caller, 'read')
  const tooLong = { message: 'this is taking too long right now; try again in a moment' }
  return withinTime(ctx.db, tooLong, async (tx) =>
    findTotals(tx, { orgId: org.id, from: plusDays(from, -days), to: plusDays(from, -1) }),
  )
}

/** The days up to today, today included. */
export function lastDays(now: Date, days: number): { from: string; to: string } {
  const to = isoDay(now)
  return { from: plusDays(to, 1 - days), to }
}

/** Every day from one to another, both included. */
export function daysOf(from: string, to: string): string[] {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1
  return Array.from({ length: Math.max(count, 0) }, (_, index) => plusDays(from, index))
}

/** The share of an organization's quotes that were the first; null without any. */
export function winRate({ wins, quotes }: Pick<Figures, 'wins' | 'quotes'>): number | null {
  return quotes === 0 ? null : wins / quotes
}

async function findRows(
  tx: Db,
  span: Span,
  { groupBy, limit }: { groupBy: Group; limit: number },
): Promise<Array<PerformanceRow & { groups: number }>> {
  if (groupBy === 'day') return findByDay(tx, span, limit)
  if (groupBy === 'product') return findByProduct(tx, span, limit)
  if (groupBy === 'region')
    return (await findByRegion(tx, span, limit)).map((row) => ({ ...row, key: row.key || NO_REGION }))
  if (groupBy === 'client') return foldClients(await findByClient(tx, span, MOST_CLIENTS), limit)
  if (groupBy === 'agent') return findReadsByAgent(tx, span, limit)
  const logged = { ...span, byIndex: await indexPays(tx, span.orgId) }
  return findByQuery(tx, logged, { limit, leastAskers: LEAST_ASKERS, longest: LONGEST_QUERY })
}

const NO_REGION = 'Not stated'
/** Of those that asked most. */
const MOST_CLIENTS = 1_000
const FACES: Record<string, string> = { web: 'This website', a2a: 'Agents by A2A', tools: 'other' }

type Clients = Awaited<ReturnType<typeof findByClient>>

/** Anybody can make up a name, so apps are told by the family they belong to. */
function foldClients(clients: Clients, limit: number): Array<PerformanceRow & { groups: number }> {
  const byName = Map.groupBy(clients, ({ key, face }) =>
    key === '' ? (FACES[face] ?? face) : agentFamily(key),
  )
  const rows = [...byName].map(([key, of]) => {
    const sum = (name: 'rfqs' | 'quotes' | 'rankedFirst' | 'wins' | 'wonCents') =>
      of.reduce((total, row) => total + row[name], 0)
    const average = (name: 'responseMs' | 'priceRank' | 'priceRankOf') => {
      const known = of.flatMap((row) => (row[name] === null ? [] : [[row[name], row.quotes] as const]))
      const quotes = known.reduce((total, [, count]) => total + count, 0)
      const whole = known.reduce((total, [value, count]) => total + value * count, 0)
      return quotes === 0 ? null : Math.round((whole / quotes) * 10) / 10
    }
    return {
      key,
      ...{ rfqs: sum('rfqs'), quotes: sum('quotes'), rankedFirst: sum('rankedFirst'), wins: sum('wins') },
      ...{ wonCents: sum('wonCents'), responseMs: average('responseMs') },
      ...{ priceRank: average('priceRank'), priceRankOf: average('priceRankOf'), groups: byName.size },
    }
  })
  return rows.toSorted((a, b) => b.rfqs - a.rfqs || a.key.localeCompare(b.key)).slice(0, limit)
}

function spanOf(
  { from, to = undefined }: { from?: string; to?: string },
  today: string,
): { from: string; to: string } {
  const last = to ?? today
  const early = last < FIRST_DAY ? 'to' : from !== undefined && from < FIRST_DAY ? 'from' : null
  if (early) throw invalid(early, `${early}: must not be before ${FIRST_DAY}`)
  const first = from ?? plusDays(last, 1 - DEFAULT_DAYS)
  if (first > last) throw invalid('from', `from: must not be after ${to === undefined ? 'today' : 'to'}`)
  if (plusDays(first, MOST_DAYS) <= last)
    throw invalid('from', `from: choose at most ${MOST_DAYS} days`, { max: MOST_DAYS })
  return { from: first, to: last }
}

function plusDays(day: string, days: number): string {
  return isoDay(new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS))
}
