import { expect, test } from 'vitest'
import { makeOffer, makeProfile } from '../../test/listings.ts'
import { type PriceChange, priceHistory } from './price-history.ts'
import { priceNow, priceWords } from './profile.buying.ts'

const NOW = new Date('2026-11-18T12:00:00Z')
const day = (ago: number) => new Date(NOW.getTime() - ago * 86_400_000)
const listed = { priceLowCents: 64_900, priceHighCents: 69_900, createdAt: day(200) }
const price = (ago: number, before: number | null, after: number | null): PriceChange => ({
  ...{ at: day(ago), aspect: 'price' },
  before: { low: before },
  after: { low: after },
})
const offers = (ago: number, before: number | null, after: number | null): PriceChange => ({
  ...{ at: day(ago), aspect: 'offers' },
  before: { best_price_usd: before },
  after: { best_price_usd: after },
})

test('an offer below the listed price is the price of now, and the listed one was before', () => {
  const offer = makeOffer({ priceCents: 60_900, expiresAt: new Date('2026-11-20T10:00:00Z') })
  const product = makeProfile({ slug: 'x', ...listed, offers: [makeOffer({ priceCents: 62_000 }), offer] })
  expect(priceNow(product)).toEqual({ cents: 60_900, wasCents: 64_900, offer })
  expect(priceWords(product)).toBe('$649 – $699; now $609 with an offer until 2026-11-20')
})

test.each([
  ['a dearer offer', { ...listed, offers: [makeOffer({ priceCents: 70_000 })] }, 64_900, null],
  ['an offer without a price', { ...listed, offers: [makeOffer({ priceCents: null })] }, 64_900, null],
  ['a list price', { ...listed, listPriceCents: 74_900 }, 64_900, 74_900],
  ['a list price below', { ...listed, listPriceCents: 50_000 }, 64_900, null],
  ['a price of 0', { priceLowCents: 0, priceHighCents: 0 }, undefined, undefined],
])('%s', (_, facts, cents, was) => {
  const now = priceNow(makeProfile({ slug: 'x', ...facts }))
  expect([now?.cents, now?.wasCents]).toEqual([cents, was])
})

test('the history has every step of the lower of both prices, and the lowest of them', () => {
  const changes = [price(60, 699, 579), price(40, 579, 649), offers(20, null, 609), offers(10, 609, null)]
  const history = priceHistory(makeProfile({ slug: 'x', ...listed }), changes, NOW)
  expect(history?.steps).toEqual([
    { at: day(90), cents: 69_900 },
    { at: day(60), cents: 57_900 },
    { at: day(40), cents: 64_900 },
    { at: day(20), cents: 60_900 },
    { at: day(10), cents: 64_900 },
  ])
  expect(history?.lowest).toEqual({ at: day(60), cents: 57_900 })
  expect(history?.days).toBe(90)
})

test('an offer that the clock started counts from its start', () => {
  const offer = makeOffer({ priceCents: 60_900, startsAt: day(3) })
  const changes = [offers(5, null, null)]
  const history = priceHistory(makeProfile({ slug: 'x', ...listed, offers: [offer] }), changes, NOW)
  expect(history?.steps).toEqual([
    { at: day(90), cents: 64_900 },
    { at: day(3), cents: 60_900 },
  ])
})

test('a new product begins where it was made', () => {
  const made = { at: day(2), aspect: 'created' as const, before: null, after: { title: 'x', low: 649 } }
  const history = priceHistory(makeProfile({ slug: 'x', ...listed, createdAt: day(2) }), [made], NOW)
  expect(history?.steps).toEqual([{ at: day(2), cents: 64_900 }])
  expect(history?.days).toBe(2)
})

test('without a price there is no history', () => {
  expect(priceHistory(makeProfile({ slug: 'x' }), [price(3, 10, null)], NOW)).toBeNull()
})
