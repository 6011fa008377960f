/**
 * The words of a saved product on a page: how its price moved, whether the price one waits for is reached, and what the
 * service refuses, which it says to agents in the words of their tools.
 */
import { AppError } from '../../lib/errors.ts'
import { formatPriceRange, formatUsd } from '../../lib/money.ts'
import { MAX_LISTS, MAX_SAVED, type SavedEntry } from '../../saved/saved.schema.ts'
import type { SavedNow } from '../../saved/saved.service.ts'
import type { Since } from './saved.filter.ts'

export type PriceMove = { way: 'up' | 'down'; words: string }

/** Null where it has not moved, or one of the two prices is not known. */
export function priceMove({ was, product }: Pick<SavedEntry, 'was' | 'product'>): PriceMove | null {
  const low = difference(product.priceLowCents, was.priceLowCents)
  const by = low === 0 ? difference(product.priceHighCents, was.priceHighCents) : low
  if (by === 0) return null
  const then = priceWhenSaved({ was })
  const words = `${formatUsd(Math.abs(by))} from ${then} when you saved it`
  return by < 0 ? { way: 'down', words: `Down ${words}` } : { way: 'up', words: `Up ${words}` }
}

export function priceWhenSaved({ was }: Pick<SavedEntry, 'was'>): string | null {
  return formatPriceRange(was.priceLowCents, was.priceHighCents)
}

/** Ends of a range that are not given are its other end, so one that is missing has not moved. */
function difference(now: number | null, was: number | null): number {
  return now === null || was === null ? 0 : now - was
}

export function targetWords(entry: SavedEntry & SavedNow): string | null {
  const { targetPriceCents: target, bestPriceCents: best, targetReached } = entry
  if (target === null) return null
  if (best === null) return `Your target is ${formatUsd(target)}. No price is known now.`
  if (targetReached) return `Your target of ${formatUsd(target)} is reached: now ${formatUsd(best)}.`
  return `Your target is ${formatUsd(target)}: ${formatUsd(best - target)} to go.`
}

export const SINCE_WORDS: Record<Since, string> = {
  saved: 'since you saved it',
  '7': 'in the last 7 days',
  '30': 'in the last 30 days',
}

export function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export const FULL = `You have saved ${MAX_SAVED} products, the most there can be. Remove one to make room.`
export const NO_MORE_LISTS = `You have ${MAX_LISTS} lists, the most there can be. Choose one of them.`

/** What the service refused, for the person who filled in the form. */
export function inPageWords(error: unknown): unknown {
  if (!(error instanceof AppError) || error.kind !== 'conflict') return error
  const { field, max } = error
  const again = (message: string) => new AppError('conflict', message, { code: 'conflict', field, max })
  if (max === MAX_SAVED) return again(FULL)
  if (max === MAX_LISTS) return again(NO_MORE_LISTS)
  return again('It is on that list already. Choose another one.')
}
