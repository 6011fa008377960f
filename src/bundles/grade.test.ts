/** Which product a line ranks first, and what speaks against the others. */
import { describe, expect, test } from 'vitest'
import { candidateOf, categoryOf, pricedAt } from '../../test/bundles.ts'
import type { Candidate } from '../search/candidates.ts'
import type { ChosenCategory } from './bundles.schema.ts'
import { gradeLine, shrunkRating } from './grade.ts'

const money = { shareCents: 10_000, mostCents: null }
function grade(candidates: Candidate[], over: Partial<ChosenCategory> = {}, spending = true) {
  const line = categoryOf('desks', [], { label: 'Desks', query: 'desk', ...over })
  return gradeLine(candidates, line, { worth: 1, money: spending ? money : null })
}
const slugs = (...given: Parameters<typeof grade>) => grade(...given).map(({ product }) => product.slug)
const titled = (slug: string, title: string, over: Partial<Candidate> = {}): Candidate => ({
  ...candidateOf(slug, 5, { title, priceHighCents: 5_000 }),
  ...over,
})
const plain = [1, 2, 3].map((at) => titled(`plain-${at}`, `Oak Desk ${at}`))
function flawOf(candidate: Candidate, over: Partial<ChosenCategory> = {}) {
  return grade([candidate, ...plain], over).find(({ product }) => product === candidate.product)?.flaw
}

describe('of two products that suit as well', () => {
  const rated = (slug: string, rating: number, reviewCount: number) =>
    candidateOf(slug, 5, { rating, reviewCount, priceHighCents: 100 })

  test('the better rated ranks higher, and few reviews prove little', () => {
    expect(slugs([rated('a', 3.9, 800), rated('b', 4.6, 800)])).toEqual(['b', 'a'])
    expect(slugs([rated('a', 5, 2), rated('b', 4.6, 800)])).toEqual(['b', 'a'])
    expect(shrunkRating({ rating: null, reviewCount: 900 })).toBe(4)
    expect(shrunkRating({ rating: 1, reviewCount: 1 })).toBeGreaterThan(3.8)
  })

  test('a budget buys the dearer, and without a budget the cheaper is first', () => {
    const two = [pricedAt('plain', 5, 1_000), pricedAt('fine', 5, 3_000)]
    expect([slugs(two)[0], slugs(two, {}, false)[0]]).toEqual(['fine', 'plain'])
  })

  test('the one that says what was asked ranks above the one that is silent', () => {
    const silent = { ...pricedAt('a', 5, 1_000), silent: 1 }
    expect(slugs([silent, pricedAt('b', 5, 1_000)])).toEqual(['b', 'a'])
  })

  test('the one like most others ranks above the odd one', () => {
    const odd = { ...pricedAt('a', 5, 1_000), typical: 0 }
    expect(slugs([odd, pricedAt('b', 5, 1_000)], { pointed: false })).toEqual(['b', 'a'])
  })

  test('the one for a use that was not mentioned ranks lower, unless it is mentioned', () => {
    const camper = titled('camper', 'Camper Desk')
    expect(slugs([camper, ...plain]).at(-1)).toBe('camper')
    expect(slugs([camper, ...plain], { query: 'desk for a camper' })[0]).toBe('camper')
  })
})

describe('what speaks against a product', () => {
  test.each([
    ['Desk Legs Only', 'not_the_thing'],
    ['Sit-Stand Desk Converter', 'not_the_thing'],
    ['Desk Replacement Parts', 'not_the_thing'],
    ['Desk for Kids', 'for_others'],
    ['Toddler Desk', 'for_others'],
    ['Oak Desk', null],
  ])('%s: %s', (title, flaw) => {
    expect(flawOf(titled('it', title))).toBe(flaw)
  })

  test('is nothing when the shopper or the category says the same', () => {
    expect(flawOf(titled('it', 'Sit-Stand Desk Converter'), { query: 'desk converter' })).toBeNull()
    expect(flawOf(titled('it', 'Sit-Stand Desk Converter'), { label: 'Desk converters' })).toBeNull()
    expect(flawOf(titled('it', 'Desk for Kids'), { query: 'desk for my kid' })).toBeNull()
  })

  test('is what it is called for somebody else, by any word for them, but not what all of them are called', () => {
    expect(flawOf(titled('it', 'Infant Desk'), { query: 'desk for a newborn' })).toBeNull()
    expect(flawOf(titled('it', 'Infant Desk'), { query: 'desk for a senior' })).toBe('for_others')
    const label = 'Kids desks'
    const own = titled('it', 'Kids Desk')
    own.product.category = { slug: 'kids-desks', label }
    expect(flawOf(own, { label, query: 'desk' })).toBeNull()
  })

  test('is a use that was not asked for where nothing but the name was said', () => {
    const camper = titled('it', 'Camper Desk')
    expect(flawOf(camper, { named: true, pointed: false })).toBe('other_use')
    expect(flawOf(camper, { named: true, pointed: false, query: 'desk for a camper' })).toBeNull()
    expect(flawOf(camper, { named: true, pointed: true })).toBeNull()
  })

  test('is another name where most go by the name of the category', () => {
    const shelf = titled('shelf', 'Oak Shelf', { isThing: 0 })
    expect(flawOf(shelf)).toBe('not_the_thing')
    expect(flawOf(titled('set', 'Oak Set', { isThing: 0 }))).toBeNull()
  })

  test('is a low rating by many, and not by few', () => {
    const rated = (rating: number, reviewCount: number) =>
      candidateOf('it', 5, { title: 'Oak Desk', rating, reviewCount, priceHighCents: 5_000 })
    expect(flawOf(rated(3.2, 400))).toBe('rating')
    expect(flawOf(rated(3.2, 4))).toBeNull()
  })

  test('is a bad verdict while there is no rating', () => {
    const judged = (verdict: string, rating: number | null) =>
      candidateOf('it', 5, { title: 'Oak Desk', verdict, rating, reviewCount: 90, priceHighCents: 5_000 })
    expect(flawOf(judged('Flimsy, and hard to recommend.', null))).toBe('verdict')
    expect(flawOf(judged('Flimsy, and hard to recommend.', 4.4))).toBeNull()
    expect(flawOf(judged('A steady desk for most rooms.', null))).toBeNull()
  })

  test('is what its facts deny, and a price above the limit', () => {
    expect(flawOf(titled('it', 'Oak Desk', { silent: null }))).toBe('denied')
    expect(flawOf(titled('it', 'Oak Desk'), { maxCents: 4_999 })).toBe('too_dear')
    expect(flawOf(titled('it', 'Oak Desk'), { maxCents: 9_999, quantity: 2 })).toBe('too_dear')
    expect(flawOf(titled('it', 'Oak Desk'), { maxCents: 10_000, quantity: 2 })).toBeNull()
  })
})

test('what should not be bought ranks behind all that may', () => {
  const part = { ...titled('part', 'Desk Legs Only'), score: 50 }
  expect(slugs([part, ...plain]).at(-1)).toBe('part')
})

test('has points above nothing, even where there is no money', () => {
  const line = categoryOf('desks', [], { label: 'Desks' })
  const none = { shareCents: 0, mostCents: 0 }
  for (const { points } of gradeLine(plain, line, { worth: 1, money: none }))
    expect(points).toBeGreaterThan(0)
})
