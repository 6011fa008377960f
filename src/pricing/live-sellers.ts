/**
 * Who answers requests for quotes of each product, and where they deliver, on each node in memory: search filters by it.
 * Filled at start and reloaded for the products and organizations that the log of changes names (migration 0038). Only
 * managed sellers state regions; what an agent delivers to shows when it is asked.
 */
import type { ChangeEvent } from '../catalog/changes.follower.ts'
import type { Db } from '../db/database.ts'
import { servedPart } from '../lib/regions.ts'
import { findSellers } from './sellers.queries.ts'

/** Whether somebody delivers a product somewhere; `unknown` when nobody does so for sure and somebody may. */
export type Ships = 'yes' | 'no' | 'unknown'

export type SellerCount = { all: number; atOnce: number }

export type LiveSellers = {
  /** From the database; call after the follower has taken its position. */
  fill(): Promise<void>
  /** Resolves when what the events tell of is known. */
  apply(events: ChangeEvent[]): Promise<void>
  /** Only grows; another one after every change. */
  version(): number
  /** Whether somebody answers requests for quotes of it. */
  isQuoted(productId: string): boolean
  /** All that somebody answers requests for quotes of. */
  productIds(): IteratorObject<string>
  /** How many answer, and how many of them by managed pricing, which is at once. */
  countOf(productId: string): SellerCount
  /** For one region, as readRegion writes it; good until the version changes. */
  shipsTo(region: string): (productId: string) => Ships
}

/** Null: everywhere. `unstated`: an agent's own affair. Equal lists are one object, and judged once. */
type Delivers = readonly string[] | null | 'unstated'

const NONE: ReadonlyMap<string, Delivers> = new Map()

export function createLiveSellers(ctx: { db: Db }): LiveSellers {
  const sellers = new Map<string, Map<string, Delivers>>()
  const productsOf = new Map<string, Set<string>>()
  const lists = new Map<string, readonly string[]>()
  let version = 0
  let loading: Promise<void> = Promise.resolve()

  /** One after the other, so that no older reading overwrites a newer one. */
  function load(among: Parameters<typeof findSellers>[1]): Promise<void> {
    const loaded = loading.catch(() => {}).then(() => loadNow(among))
    loading = loaded
    return loaded
  }

  async function loadNow(among: Parameters<typeof findSellers>[1]): Promise<void> {
    const rows = await findSellers(ctx.db, among)
    if (among === null) {
      sellers.clear()
      productsOf.clear()
      lists.clear()
    }
    for (const productId of among?.productIds ?? [])
      for (const orgId of sellers.get(productId)?.keys() ?? []) forget(productId, orgId)
    for (const orgId of among?.orgIds ?? [])
      for (const productId of productsOf.get(orgId) ?? []) forget(productId, orgId)
    for (const { productId, orgId, isManaged, regions } of rows) {
      const known = sellers.get(productId) ?? new Map<string, Delivers>()
      sellers.set(productId, known.set(orgId, isManaged ? listOf(regions) : 'unstated'))
      productsOf.set(orgId, (productsOf.get(orgId) ?? new Set()).add(productId))
    }
    version++
  }

  function forget(productId: string, orgId: string): void {
    sellers.get(productId)?.delete(orgId)
    if (sellers.get(productId)?.size === 0) sellers.delete(productId)
    productsOf.get(orgId)?.delete(productId)
    if (productsOf.get(orgId)?.size === 0) productsOf.delete(orgId)
  }

  function listOf(regions: unknown): readonly string[] | null {
    if (!Array.isArray(regions) || regions.length === 0) return null
    const key = JSON.stringify(regions)
    const known = lists.get(key) ?? regions.map(String)
    lists.set(key, known)
    return known
  }

  return {
    fill: () => load(null),
    async apply(events) {
      const named = events.filter(({ aspect }) => aspect === 'sellers')
      if (named.length === 0) return
      const productIds = [...new Set(named.flatMap(({ productId }) => productId ?? []))]
      const orgIds = [...new Set(named.flatMap(({ orgId }) => orgId ?? []))]
      await load({ productIds, orgIds })
    },
    version: () => version,
    isQuoted: (productId) => sellers.has(productId),
    productIds: () => sellers.keys(),
    countOf(productId) {
      const all = [...(sellers.get(productId) ?? NONE).values()]
      return { all: all.length, atOnce: all.filter((delivers) => delivers !== 'unstated').length }
    },
    shipsTo(region) {
      const judged = new Map<Delivers, Ships>([
        [null, 'yes'],
        ['unstated', 'unknown'],
      ])
      const judge = (delivers: Delivers): Ships => {
        const known = judged.get(delivers)
        if (known !== undefined || delivers === null || delivers === 'unstated') return known ?? 'unknown'
        const served = servedPart(delivers, region)
        // Who delivers to a part of a country may or may not deliver to the buyer.
        const ships = served === 'all' ? 'yes' : served === 'none' ? 'no' : 'unknown'
        judged.set(delivers, ships)
        return ships
      }
      return (productId) => {
        let best: Ships = 'no'
        for (const delivers of (sellers.get(productId) ?? NONE).values()) {
          const ships = judge(delivers)
          if (ships === 'yes') return 'yes'
          if (ships === 'unknown') best = 'unknown'
        }
        return best
      }
    },
  }
}
