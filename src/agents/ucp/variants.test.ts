/** UCP and the product feeds are made from the same facts: what one says of price and stock, the other says too. */
import { expect, test } from 'vitest'
import { makeOffer, makeProfile, SITE } from '../../../test/listings.ts'
import type { ProductProfile } from '../../catalog/profile.ts'
import { OPENAI_FEED } from '../discovery/listings/feeds.ts'
import { variantsOf } from './product.ts'

const shop = (priceCents: number | null) => [{ name: 'Shop', url: 'https://shop.example/x', priceCents }]
const listed = { priceLowCents: 6_000, priceHighCents: 7_000 }

test.each<[string, Partial<ProductProfile>, string | undefined, string]>([
  ['a shop lists', { ...listed, whereToBuy: shop(6_000) }, '60.00 USD', 'unknown'],
  ['nobody sells', listed, '60.00 USD', 'unknown'],
  ['a seller promotes', { ...listed, offers: [makeOffer({ priceCents: 4_500 })] }, '45.00 USD', 'in_stock'],
  ['is no longer made', { ...listed, discontinued: true }, '60.00 USD', 'out_of_stock'],
  [
    'is no longer made and a seller promotes',
    { ...listed, discontinued: true, offers: [makeOffer({ priceCents: 4_500 })] },
    '45.00 USD',
    'out_of_stock',
  ],
  ['is listed at 0', { priceLowCents: 0, priceHighCents: 0, whereToBuy: shop(0) }, undefined, 'unknown'],
  ['is listed from 0', { priceLowCents: 0, priceHighCents: 7_000 }, '70.00 USD', 'unknown'],
  ['a seller promotes at 0', { ...listed, offers: [makeOffer({ priceCents: 0 })] }, '60.00 USD', 'in_stock'],
])('the price and the stock of what %s', (_, facts, price, stock) => {
  const profile = makeProfile({ slug: 'x', ...facts })
  const item = JSON.parse(OPENAI_FEED.entry(SITE, profile)) as { price?: string; availability: string }
  expect([item.price, item.availability]).toEqual([price, stock])
  const [first] = variantsOf(profile, SITE.baseUrl)
  const cents = first?.variant.price.amount
  expect(cents === undefined ? undefined : `${(cents / 100).toFixed(2)} USD`).toBe(price)
  // The offer without a price is no variant, and says nothing of the shops.
  const isOffer = first?.variant.seller !== undefined
  const available = { in_stock: isOffer ? true : undefined, out_of_stock: false }[stock]
  expect(first?.variant.availability?.available).toBe(available)
})
