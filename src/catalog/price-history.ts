/** How a product's price went, from the log of changes. */
import { z } from 'zod'
import { DAY_MS } from '../lib/clock.ts'
import { dollarsToCents } from '../lib/money.ts'
import { priceNow, priceNowCents } from './profile.buying.ts'
import type { ProductProfile } from './profile.ts'

/** A price, from this moment until the next. */
export type PriceStep = { at: Date; cents: number }
export type PriceHistory = {
  since: Date
  until: Date
  steps: PriceStep[]
  lowest: PriceStep
  /** Days that the history covers, at most HISTORY_DAYS. */
  days: number
}

export const HISTORY_DAYS = 90

export type PriceChange = {
  at: Date
  aspect: 'created' | 'price' | 'offers'
  before: unknown
  after: unknown
}

/**
 * The lowest price at every moment of the last days: of a live offer, or else listed. Null when nobody states a price.
 * An offer that the clock started counts from its start; one that the clock ended is not in the log.
 */
export function priceHistory(
  product: ProductProfile,
  changes: readonly PriceChange[],
  now: Date,
): PriceHistory | null {
  const current = priceNow(product)
  if (current === null) return null
  const since = new Date(Math.max(product.createdAt.getTime(), now.getTime() - HISTORY_DAYS * DAY_MS))
  // Without a change it has been the same all along.
  let listed = firstOf(changes, 'price', listedCents) ?? priceNowCents(product, null)
  let offered = firstOf(changes, 'offers', offeredCents) ?? null
  const steps: PriceStep[] = []
  const add = (at: Date, cents: number | null) => {
    const last = steps.at(-1)
    if (cents === null || last?.cents === cents) return
    steps.push({ at: at < since ? since : at, cents })
  }
  add(since, lower(listed, offered))
  for (const { at, aspect, after } of changes) {
    if (aspect === 'offers') offered = offeredCents(after)
    else listed = listedCents(after)
    add(at, lower(listed, offered))
  }
  const startsAt = current.offer?.startsAt ?? null
  const last = steps.at(-1)
  add(startsAt !== null && (!last || startsAt > last.at) ? startsAt : now, current.cents)
  const lowest = steps.reduce((least, step) => (step.cents < least.cents ? step : least))
  const days = Math.max(1, Math.ceil((now.getTime() - since.getTime()) / DAY_MS))
  return { since, until: now, steps, lowest, days }
}

function firstOf(
  changes: readonly PriceChange[],
  aspect: PriceChange['aspect'],
  read: (view: unknown) => number | null,
): number | null | undefined {
  const first = changes.find((change) => change.aspect === aspect)
  return first ? read(first.before) : undefined
}

const Listed = z.object({ low: z.number().nullable() })
const Offered = z.object({ best_price_usd: z.number().nullable() })

function listedCents(view: unknown): number | null {
  return cents(Listed.safeParse(view).data?.low)
}

function offeredCents(view: unknown): number | null {
  return cents(Offered.safeParse(view).data?.best_price_usd)
}

/** 0 is no price. */
function cents(dollars: number | null | undefined): number | null {
  return dollars ? dollarsToCents(dollars) : null
}

function lower(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b)
}
