/**
 * The offers that are live at this moment, on each node in memory: every form, every search and every list asks here.
 * Filled at start, reloaded for the products that the log of changes names, and moved on by the clock alone: windows
 * open and close without a job, because every read checks whether a boundary has passed. `version` changes with
 * every write and every boundary, so that what was made from an earlier state can be told.
 */
import type { ChangeEvent } from '../catalog/changes.follower.ts'
import { pricedOffers } from '../catalog/profile.buying.ts'
import { isSale, type PromotedOffer } from '../catalog/promoted-offer.ts'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { findShelfChanges, findShelved } from './shelves.queries.ts'

export type LiveOffers = {
  /** From the database; call after the follower has taken its position. */
  fill(): Promise<void>
  /** Reloads the products whose offers changed. Resolves when what the events tell of is shown. */
  apply(events: ChangeEvent[]): Promise<void>
  /** Live now, lowest price first. */
  of(productId: string): readonly PromotedOffer[]
  /** When a window of this product next opens or closes. */
  nextChange(productId: string): Date | null
  /** When what is shown of its offers last changed, by a write or by the clock. */
  changedAt(productId: string): Date | null
  /** Only grows. The three look-ups below answer for the moment of the last call of this: one search, one moment. */
  version(): number
  isOnSale(productId: string): boolean
  isSponsored(productId: string): boolean
  /** All of which that is so. */
  productIds(what: 'onSale' | 'sponsored'): IteratorObject<string>
  /** The lowest price of its live offers; null if none has a price. */
  bestCents(productId: string): number | null
  /** Ids of the products whose live offers lower the price most, steepest first. */
  steepest(limit: number): string[]
  /** How many are live now, over all products. */
  count(): number
}

type Shelf = {
  /** Live, to come, or ended since it was loaded. */
  offers: PromotedOffer[]
  /** By a write, or by an end that had passed when it was loaded. */
  writtenAt: number
  live: PromotedOffer[]
  onSale: boolean
  bestCents: number | null
  changedAt: number
  nextChange: number
}

const NEVER = Number.POSITIVE_INFINITY
const NONE: readonly PromotedOffer[] = []

export function createLiveOffers(ctx: { db: Db; clock: Clock }): LiveOffers {
  const shelves = new Map<string, Shelf>()
  let version = 0
  let nextBoundary = NEVER
  let loading: Promise<void> = Promise.resolve()

  /** One after the other, so that no older reading overwrites a newer one. */
  function load(productIds: string[] | null): Promise<void> {
    const loaded = loading.catch(() => {}).then(() => loadNow(productIds))
    loading = loaded
    return loaded
  }

  async function loadNow(productIds: string[] | null): Promise<void> {
    const now = ctx.clock.now()
    const [offers, changes] = await Promise.all([
      findShelved(ctx.db, productIds, now),
      findShelfChanges(ctx.db, productIds, now),
    ])
    const byProduct = Map.groupBy(offers, ({ productId }) => productId)
    if (productIds === null) shelves.clear()
    for (const id of productIds ?? []) shelves.delete(id)
    for (const id of new Set([...byProduct.keys(), ...changes.keys()])) {
      const found = (byProduct.get(id) ?? []).map(({ productId: _, ...offer }) => offer)
      shelves.set(id, arrange(found, changes.get(id)?.getTime() ?? 0, ctx.clock.now().getTime()))
    }
    findBoundary()
    version++
  }

  /** A change of the product may rename or drop the variant that an offer is for. */
  function namesVariant(productId: string): boolean {
    return shelves.get(productId)?.offers.some(({ variant }) => variant !== undefined) ?? false
  }

  function findBoundary(): void {
    nextBoundary = NEVER
    for (const { nextChange } of shelves.values()) nextBoundary = Math.min(nextBoundary, nextChange)
  }

  function moveOn(): void {
    if (nextBoundary === NEVER) return
    const now = ctx.clock.now().getTime()
    if (now < nextBoundary) return
    for (const [id, { nextChange, offers, writtenAt }] of shelves)
      if (nextChange <= now) shelves.set(id, arrange(offers, writtenAt, now))
    findBoundary()
    version++
  }

  return {
    fill: () => load(null),
    async apply(events) {
      const ids = events.flatMap(({ aspect, productId }) =>
        productId !== null && (aspect === 'offers' || aspect === 'removed' || namesVariant(productId))
          ? [productId]
          : [],
      )
      if (ids.length > 0) await load([...new Set(ids)])
    },
    of(productId) {
      moveOn()
      return shelves.get(productId)?.live ?? NONE
    },
    nextChange(productId) {
      moveOn()
      const at = shelves.get(productId)?.nextChange ?? NEVER
      return at === NEVER ? null : new Date(at)
    },
    changedAt(productId) {
      moveOn()
      const at = shelves.get(productId)?.changedAt ?? 0
      return at === 0 ? null : new Date(at)
    },
    version() {
      moveOn()
      return version
    },
    isOnSale: (productId) => shelves.get(productId)?.onSale ?? false,
    isSponsored: (productId) => (shelves.get(productId)?.live.length ?? 0) > 0,
    productIds(what) {
      const some = shelves
        .entries()
        .filter(([, { onSale, live }]) => (what === 'onSale' ? onSale : live.length > 0))
      return some.map(([id]) => id)
    },
    bestCents: (productId) => shelves.get(productId)?.bestCents ?? null,
    steepest(limit) {
      moveOn()
      const cuts = [...shelves].map(([id, { live }]) => ({ id, cut: Math.max(0, ...live.map(cutOf)) }))
      return cuts
        .filter(({ cut }) => cut > 0)
        .sort((a, b) => b.cut - a.cut || (a.id < b.id ? -1 : 1))
        .slice(0, limit)
        .map(({ id }) => id)
    },
    count() {
      moveOn()
      return shelves.values().reduce((sum, { live }) => sum + live.length, 0)
    },
  }
}

/** A window is open from its start until just before its end. */
function arrange(offers: PromotedOffer[], writtenAt: number, now: number): Shelf {
  const live: PromotedOffer[] = []
  let [changedAt, nextChange] = [writtenAt, NEVER]
  for (const offer of offers) {
    const start = offer.startsAt?.getTime() ?? Number.NEGATIVE_INFINITY
    const end = offer.expiresAt?.getTime() ?? NEVER
    if (start <= now && now < end) live.push(offer)
    for (const boundary of [start, end]) {
      if (boundary > now) nextChange = Math.min(nextChange, boundary)
      else changedAt = Math.max(changedAt, boundary)
    }
  }
  const prices = pricedOffers(live).map(({ priceCents }) => priceCents)
  const bestCents = prices.length === 0 ? null : Math.min(...prices)
  return { offers, writtenAt, live, onSale: live.some(isSale), bestCents, changedAt, nextChange }
}

/** The part of the regular price that an offer takes off. */
function cutOf({ priceCents, listPriceCents }: PromotedOffer): number {
  if (!priceCents || !listPriceCents) return 0
  return Math.max(0, 1 - priceCents / listPriceCents)
}
