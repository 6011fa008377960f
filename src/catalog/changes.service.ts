/**
 * The log of changes: how features above the catalog append to it, in the transaction of their own write; what changed
 * since a time, for some products or a category; and how long it is kept: longer than a year, as reads of products
 * are, so that a season can be compared with the last one.
 */

import { isDeepStrictEqual } from 'node:util'
import type { Db } from '../db/database.ts'
import type { ChangeAspect } from '../db/tables.ts'
import type { Job } from '../jobs/runner.ts'
import { defineSweep } from '../jobs/sweep.ts'
import { type Clock, DAY_MS } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { isRecord } from '../lib/validate.ts'
import { deleteOldChanges, findChanges, findPriceChanges } from './changes.queries.ts'
import { HISTORY_DAYS, type PriceHistory, priceHistory } from './price-history.ts'
import { type ProductProfile, productPath } from './profile.ts'
import { type ChangeRecord, insertChanges } from './upsert.queries.ts'

export type { ChangeRecord }

export function recordChanges(tx: Db, changes: ChangeRecord[], at: Date): Promise<void> {
  return insertChanges(tx, changes, at)
}

const SHOWN_WITHIN_MS = 1_000

/**
 * Resolves when this node shows what was just committed, so that who wrote sees their own change in the next
 * answer. It does not wait long: the write is done either way, and the follower comes to it by itself.
 */
export function createShown(catchUp: () => Promise<void>, log: Log): () => Promise<void> {
  return async () => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, SHOWN_WITHIN_MS)
    })
    const caughtUp = catchUp().catch((error) => log.warn({ err: error }, 'could not follow changes'))
    await Promise.race([caughtUp, late])
    clearTimeout(timer)
  }
}

/** How its price went up to now; null when nobody states one. */
export async function getPriceHistory(
  ctx: { db: Db },
  profile: ProductProfile,
  now: Date,
): Promise<PriceHistory | null> {
  const since = new Date(now.getTime() - HISTORY_DAYS * DAY_MS)
  return priceHistory(profile, await findPriceChanges(ctx.db, profile.id, since), now)
}

export type ChangeSummary = {
  product: { slug: string; category: string; title: string; url: string }
  aspect: ChangeAspect
  /** When it last changed. */
  at: Date
  /** How often within the time asked for. */
  times: number
  before: unknown
  after: unknown
}

type WhatChangedInput = { products?: string[]; category?: string; since: Date; limit?: number }

/** What came back to what it was is no change: so many more are looked at than are told. */
const SPARE = 4

export async function whatChanged(ctx: { db: Db }, input: WhatChangedInput): Promise<ChangeSummary[]> {
  const { limit = 100 } = input
  // Both forms of a slug are accepted everywhere: `slug` and `category/slug`.
  const slugs = input.products?.map((slug) => slug.slice(slug.lastIndexOf('/') + 1)) ?? null
  const rows = await findChanges(ctx.db, {
    productSlugs: slugs,
    categorySlug: input.category ?? null,
    since: input.since,
    things: limit * SPARE,
  })
  const net = new Map<string, ChangeSummary>()
  for (const row of rows) {
    const key = `${row.productSlug} ${row.aspect}`
    const known = net.get(key)
    const product = { slug: row.productSlug, category: { slug: row.categorySlug } }
    net.set(key, {
      product: {
        slug: row.productSlug,
        category: row.categorySlug,
        title: row.productTitle,
        url: productPath(product),
      },
      aspect: row.aspect,
      at: row.at,
      times: (known?.times ?? 0) + 1,
      before: mergeStates(row.before, known?.before),
      after: mergeStates(known?.after, row.after),
    })
  }
  return [...net.values()]
    .map((change) => (change.aspect === 'text' ? onlyDifferentFields(change) : change))
    .filter((change) => !isDeepStrictEqual(change.before, change.after))
    .sort((a, b) => b.at.getTime() - a.at.getTime() || (a.product.slug < b.product.slug ? -1 : 1))
    .slice(0, limit)
}

/** A text change names only the fields it touched: the earliest before and the latest after of each field count. */
function mergeStates(under: unknown, over: unknown): unknown {
  if (isRecord(under) && isRecord(over)) return { ...under, ...over }
  return over ?? under ?? null
}

/** A field that came back to what it was did not change; ids of ours mean nothing to a reader. */
function onlyDifferentFields(change: ChangeSummary): ChangeSummary {
  const { before, after } = change
  if (!isRecord(before) || !isRecord(after)) return change
  const fields = Object.keys(after).filter(
    (field) => !/Id$/.test(field) && !isDeepStrictEqual(before[field], after[field]),
  )
  const keep = (state: Record<string, unknown>) =>
    Object.fromEntries(fields.map((field) => [field, state[field]]))
  return { ...change, before: keep(before), after: keep(after) }
}

export const CHANGES_KEPT_DAYS = 400

export function createChangesSweep(
  { db, clock }: { db: Db; clock: Clock },
  { batchRows }: { batchRows?: number } = {},
): Job {
  return defineSweep({
    kind: 'changes.sweep',
    every: 'day',
    clockOf: db,
    batchRows,
    async run({ inBatches }) {
      const before = new Date(clock.now().getTime() - CHANGES_KEPT_DAYS * DAY_MS)
      let after = 0
      const changes = await inBatches(async (rows) => {
        const { removed, next } = await deleteOldChanges(db, { after, before, rows })
        after = next ?? after
        return { removed, more: next !== null }
      })
      return { changes }
    },
  })
}
