/** How well searches were answered of late, for the operator: as a whole, and the questions worth a look. */
import type { Db } from '../db/database.ts'
import { withinTime } from '../db/within-time.ts'
import { type Clock, DAY_MS } from '../lib/clock.ts'
import {
  countRecent,
  listQueries,
  listVain,
  type QueryLine,
  type QueryList,
  type SearchTotals,
  totalSearches,
  type VainLine,
} from './quality.queries.ts'

export type { QueryLine, QueryList, SearchTotals, VainLine }

export const QUALITY_DAYS = [1, 7, 30] as const
export type QualityDays = (typeof QUALITY_DAYS)[number]

const LISTED = 20
const TOO_LONG = { message: 'reading the search log took too long; choose fewer days', field: 'days' }

export type SearchQuality = {
  days: QualityDays
  totals: SearchTotals
  lists: Record<QueryList, QueryLine[]>
  vain: VainLine[]
}

/** Of the last minute, over all nodes. */
export function recentSearches(ctx: { db: Db }): Promise<{ count: number; p95Ms: number | null }> {
  return countRecent(ctx.db)
}

export function searchTotals(ctx: { db: Db; clock: Clock }, days: QualityDays): Promise<SearchTotals> {
  return withinTime(ctx.db, TOO_LONG, (tx) => totalSearches(tx, sinceOf(ctx, days)))
}

export async function searchQuality(
  ctx: { db: Db; clock: Clock },
  days: QualityDays,
): Promise<SearchQuality> {
  const since = sinceOf(ctx, days)
  return withinTime(ctx.db, TOO_LONG, async (tx) => {
    const totals = await totalSearches(tx, since)
    const lists: SearchQuality['lists'] = { top: [], slow: [], unclicked: [] }
    for (const { list, ...line } of await listQueries(tx, since, LISTED)) lists[list].push(line)
    return { days, totals, lists, vain: await listVain(tx, since, LISTED) }
  })
}

function sinceOf({ clock }: { clock: Clock }, days: QualityDays): Date {
  return new Date(clock.now().getTime() - days * DAY_MS)
}
