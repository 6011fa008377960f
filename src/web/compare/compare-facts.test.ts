/** What a comparison says of products, from figures made for it. */
import { describe, expect, test } from 'vitest'
import { makeOffer } from '../../../test/listings.ts'
import { EMPTY_FACTS } from '../../catalog/catalog.schema.ts'
import type { ProductProfile } from '../../catalog/profile.ts'
import { cheapest, differ, shortNames, specRows, themeRows, whatStandsOut } from './compare-facts.ts'

function product(slug: string, facts: Partial<ProductProfile> = {}): ProductProfile {
  const at = new Date('2026-11-01T00:00:00Z')
  return {
    ...EMPTY_FACTS,
    title: slug.toUpperCase(),
    id: slug,
    slug,
    categoryId: 'kettles',
    brandId: null,
    brand: null,
    category: { slug: 'kettles', label: 'Kettles' },
    verificationStatus: 'base',
    provenance: {},
    createdAt: at,
    updatedAt: at,
    ...facts,
  }
}

const price = (cents: number) => ({ priceLowCents: cents, priceHighCents: cents })
const theme = (name: string, share: number) =>
  ({ theme: name, sentiment: 'positive', share, summary: null }) as const

describe('what stands out', () => {
  test('the lowest price is the one of now, which a live offer may have set', () => {
    const offers = [makeOffer({ priceCents: 1_400 })]
    const profiles = [product('a', { ...price(2_000), offers }), product('b', price(1_550))]
    expect(whatStandsOut(profiles)).toBe('A has the lowest price ($14).')
    expect([...cheapest(profiles)].map(({ slug }) => slug)).toEqual(['a'])
  })

  test('is said of each product that leads in something, in one sentence', () => {
    const profiles = [
      product('a', { ...price(2_000), rating: 4.1, reviewCount: 10, released: '2021' }),
      product('b', { ...price(1_550), rating: 4.6, reviewCount: 7, released: '2024-03' }),
      product('c', { ...price(9_900), rating: 4.2, reviewCount: 1_200 }),
    ]
    expect(whatStandsOut(profiles)).toBe(
      'B has the lowest price ($15.50), has the best rating (4.6 of 5), and is the newest of those dated (March 2024); C has the most reviews (1,200).',
    )
  })

  test('nothing is claimed of figures that read the same, nor of one that nobody else has', () => {
    const equal = [
      product('a', { ...price(500), rating: 4.64 }),
      product('b', { ...price(500), rating: 4.61 }),
    ]
    expect(whatStandsOut(equal)).toBe('No clear winner on price, rating, reviews or release date.')
    expect(whatStandsOut([product('a', { rating: 4.9, released: '2024' }), product('b')])).toBe(
      'No clear winner on price, rating, reviews or release date.',
    )
  })

  test('a year is not older than a month of it', () => {
    const profiles = [product('a', { released: '2024' }), product('b', { released: '2024-03' })]
    expect(whatStandsOut(profiles)).not.toContain('newest')
  })

  test('what is no longer made is said to be, and is never the cheapest', () => {
    const profiles = [
      product('gone', { ...price(100), discontinued: true }),
      product('cheap', price(300)),
      product('dear', price(900)),
    ]
    expect(whatStandsOut(profiles)).toBe(
      'GONE is discontinued; CHEAP has the lowest price of those in production ($3).',
    )
    expect([...cheapest(profiles)].map(({ slug }) => slug)).toEqual(['cheap'])
  })

  test('two that cost the same least are both marked, and neither is called the one', () => {
    const profiles = [product('a', price(300)), product('b', price(300)), product('c', price(900))]
    expect(cheapest(profiles).size).toBe(2)
    expect(whatStandsOut(profiles)).not.toContain('has the lowest price')
  })

  test('nothing is claimed over a product of which the figure is not known', () => {
    const known = product('a', { ...price(300), rating: 4, reviewCount: 9, released: '2024' })
    const lesser = product('b', { ...price(900), rating: 3, reviewCount: 5, released: '2020' })
    expect(whatStandsOut([known, lesser, product('c')])).toBe(
      'A has the lowest price of those priced ($3), has the best rating of those rated (4.0 of 5), has the most reviews of those reviewed (9), and is the newest of those dated (2024).',
    )
  })

  test('an average of no reviews leads nowhere', () => {
    const profiles = [
      product('a', { rating: 5, reviewCount: 0 }),
      product('b', { rating: 4.5, reviewCount: 12 }),
      product('c', { rating: 4.1, reviewCount: 12 }),
    ]
    expect(whatStandsOut(profiles)).toBe('B has the best rating of those rated (4.5 of 5).')
  })

  test('one product is compared with nothing', () => {
    expect(whatStandsOut([product('a', price(300))])).toBeNull()
  })
})

describe('specs', () => {
  const rows = specRows([
    product('a', {
      specs: [
        { name: 'Power', value: '1300 W' },
        { name: 'Color', value: 'Red' },
      ],
    }),
    product('b', {
      specs: [
        { name: 'Lid', value: 'Glass' },
        { name: ' color', value: 'RED' },
        { name: 'POWER', value: '900 W' },
      ],
    }),
  ])

  test('are all there once, in the order of the first product, whatever case their names are in', () => {
    expect(rows.map(({ name }) => name)).toEqual(['Power', 'Color', 'Lid'])
    expect(rows.map(({ values }) => values)).toEqual([
      ['1300 W', '900 W'],
      ['Red', 'RED'],
      [null, 'Glass'],
    ])
  })

  test('differ where values do, and where only one says something', () => {
    expect(rows.map(({ differs }) => differs)).toEqual([true, false, true])
    expect(differ(['2  years', '2 Years'])).toBe(false)
  })

  test('one that a product names twice keeps both values', () => {
    const specs = [
      { name: 'Port', value: 'HDMI' },
      { name: 'port', value: 'USB-C' },
    ]
    expect(specRows([product('a', { specs })])[0]?.values).toEqual(['HDMI; USB-C'])
  })
})

test('a theme that two share has a row of its own; the rest stays with its product', () => {
  const { shared, own } = themeRows([
    product('a', { themes: [theme('Noise', 0.2), theme('Size', 0.1)] }),
    product('b', { themes: [theme('noise', 0.4)] }),
    product('c'),
  ])
  expect(shared.map(({ name, values }) => [name, values.map((one) => one?.share ?? null)])).toEqual([
    ['Noise', [0.2, 0.4, null]],
  ])
  expect(own.map((themes) => themes.map((one) => one.theme))).toEqual([['Size'], [], []])
})

describe('short names', () => {
  const brand = { name: 'Ovenbird', domain: null }

  test('are brand and model, the brand once', () => {
    expect(
      shortNames([product('a', { brand, model: 'Crisp 3' }), product('b', { brand, model: 'Ovenbird Max' })]),
    ).toEqual(['Ovenbird Crisp 3', 'Ovenbird Max'])
  })

  test('are titles where brand and model do not tell two apart', () => {
    expect(
      shortNames([product('a', { brand, model: 'Crisp' }), product('b', { brand, model: 'CRISP' })]),
    ).toEqual(['A', 'B'])
  })
})
