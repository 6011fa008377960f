import { describe, expect, test } from 'vitest'
import { EMPTY_FACTS } from '../catalog/catalog.schema.ts'
import type { ProductProfile } from '../catalog/profile.ts'
import {
  type Compared,
  type Limits,
  objections,
  recommend,
  sharedSpecs,
  unsuitedFor,
} from './curator.compare.ts'
import type { Met } from './curator.must-have.ts'

function profileOf(slug: string, over: Partial<ProductProfile> = {}): ProductProfile {
  return {
    ...EMPTY_FACTS,
    id: slug,
    slug,
    categoryId: 'c',
    brandId: null,
    brand: null,
    category: { slug: 'kettles', label: 'Kettles' },
    verificationStatus: 'base',
    provenance: {},
    createdAt: new Date(0),
    updatedAt: new Date(0),
    title: slug,
    ...over,
  }
}

type Over = Partial<ProductProfile> & { fit?: number; met?: Met[]; unsuited?: string[] }

function compared(slug: string, { fit, met = [], unsuited = [], ...over }: Over = {}): Compared {
  const checks = met.map((one, at) => ({ wish: `wish ${at}`, met: one, evidence: null }))
  return { profile: profileOf(slug, over), checks, fit: fit ?? null, unsuited }
}

const LIMITS: Limits = { budgetCents: null, clearly: 1 }
const choose = (products: Compared[], limits = LIMITS) => {
  const { chosen, reasons } = recommend(products, limits)
  return { slug: chosen?.profile.slug ?? null, reasons }
}

describe('which of some products is recommended', () => {
  test('none that is discontinued, over the budget, not for this, or contradicts what must be had', () => {
    const out = [
      compared('gone', { fit: 9, discontinued: true }),
      compared('dear', { fit: 9, priceLowCents: 101_00, priceHighCents: 120_00 }),
      compared('denies', { fit: 9, met: ['contradicts'] }),
      compared('warns', { fit: 9, unsuited: ['families'] }),
    ]
    const limits = { budgetCents: 100_00, clearly: 1 }
    expect(choose(out, limits).slug).toBeNull()
    expect(choose([...out, compared('plain')], limits)).toEqual({
      slug: 'plain',
      reasons: ['It is the only one that meets every requirement.'],
    })
    expect(out.map((one) => objections(one, limits))).toEqual([
      ['discontinued'],
      ['over the budget of $100'],
      ['contradicts: wish 0'],
      ['not for families, by its own profile'],
    ])
  })

  test('what says more of what must be had goes before what is nearer to the query', () => {
    const products = [
      compared('near', { fit: 9, met: ['not_stated', 'says_so'] }),
      compared('says', { fit: 1, met: ['says_so', 'says_so'] }),
    ]
    expect(choose(products)).toEqual({
      slug: 'says',
      reasons: ['It states the most requirements: 2 of 2.'],
    })
  })

  test('a nearness that is not clear leaves it to the rating, and many reviews weigh more than few', () => {
    const products = [
      compared('few', { fit: 5.2, rating: 5, reviewCount: 3 }),
      compared('many', { fit: 4.9, rating: 4.7, reviewCount: 900 }),
      compared('far', { fit: 1, rating: 5, reviewCount: 9_000 }),
    ]
    expect(choose(products)).toEqual({
      slug: 'many',
      reasons: ['It is the closest match to the query.', 'It is the best rated: 4.7 of 5 from 900 reviews.'],
    })
  })

  test('where all else is equal the cheapest is, and where nothing differs the first', () => {
    const priced = (slug: string, cents: number) =>
      compared(slug, { priceLowCents: cents, priceHighCents: cents })
    expect(choose([priced('a', 30_00), priced('b', 20_00), compared('c')])).toEqual({
      slug: 'b',
      reasons: ['It is the cheapest: from $20.'],
    })
    expect(choose([compared('a'), compared('b')])).toEqual({
      slug: 'a',
      reasons: ['They are equally good; this one was listed first.'],
    })
  })
})

test('a warning counts when the query asks for all of it', () => {
  const profile = profileOf('a', { notFor: ['families of four', 'camping trips', 'the'] })
  expect(unsuitedFor(profile, 'dinner for a family of four')).toEqual(['families of four'])
  expect(unsuitedFor(profile, 'camping with a family')).toEqual([])
})

test('shared specs are those at least two products state, whatever the case of their names', () => {
  const specs = sharedSpecs([
    profileOf('a', {
      specs: [
        { name: 'Colour', value: 'red' },
        { name: 'Power', value: '1 kW' },
        { name: 'Depth', value: '9 in' },
      ],
    }),
    profileOf('b', {
      specs: [
        { name: 'power ', value: '2 kW' },
        { name: 'Depth', value: '8 in' },
      ],
    }),
    profileOf('c', { specs: [{ name: 'Depth', value: '7 in' }] }),
  ])
  expect(specs).toEqual([
    { name: 'Depth', values: ['9 in', '8 in', '7 in'] },
    { name: 'Power', values: ['1 kW', '2 kW', null] },
  ])
})
