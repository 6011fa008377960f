/** What changed since a time, for some products or a category: the net change of each aspect, with before and after. */
import { isDeepStrictEqual } from 'node:util'
import type { Db } from '../db/database.ts'
import type { ChangeAspect } from '../db/tables.ts'
import { findChanges } from './changes.queries.ts'
import { productPath } from './profile.ts'

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

export type WhatChangedInput = { products?: string[]; category?: string; since: Date; limit?: number }

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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
