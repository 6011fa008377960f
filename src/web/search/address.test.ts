/** Addresses of results: what is read from one is what stands in it, and writing it again says the same. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SORTS } from '../../search/search.schema.ts'
import { addressOf, readAddress, type SearchAddress, toggled } from './address.ts'

const read = (query: string) => readAddress(new URLSearchParams(query))
const PLAIN = read('q=tent').address

describe('an address', () => {
  test('that is written and read again is the same search', () => {
    const word = fc
      .string({ unit: 'grapheme', maxLength: 40 })
      .map((text) => read(`q=${encodeURIComponent(text)}`).address.q)
    const cents = fc.option(fc.integer({ min: 0, max: 1_000_000_000 }))
    const some = word.filter((text) => text !== '')
    const name = fc.option(some)
    const addresses: fc.Arbitrary<SearchAddress> = fc
      .record({
        q: word,
        category: name,
        brands: fc.uniqueArray(some, { maxLength: 3 }),
        minCents: cents,
        maxCents: cents,
        rating: fc.option(fc.constantFrom(3.5, 4, 4.5, 5)),
        picks: fc.uniqueArray(
          fc.record({
            key: fc.constantFrom('type', 'heat-up-time', 'größe'),
            values: fc.uniqueArray(some, { minLength: 1, maxLength: 3 }),
          }),
          { selector: ({ key }) => key },
        ),
        onSale: fc.boolean(),
        available: fc.boolean(),
        quoted: fc.boolean(),
        shipsTo: fc.option(fc.constantFrom('CA-US', 'Canada', 'GE', 'IDF-FR')),
        sort: fc.option(fc.constantFrom(...SORTS)),
        page: fc.integer({ min: 1, max: 1_000 }),
        ignore: fc.uniqueArray(some, { maxLength: 3 }),
        bundle: fc.boolean(),
      })
      .filter(({ minCents, maxCents }) => minCents === null || maxCents === null || minCents <= maxCents)
      // Without words it is the address of a category, whose path has its name.
      .filter(({ q, category }) => q !== '' || category === null)
    fc.assert(
      fc.property(addresses, (address) => {
        const { search } = new URL(addressOf(address, { page: address.page }), 'http://souk.test')
        expect(read(search).address).toEqual(address)
      }),
    )
  })

  test('passes over what is blank or unknown', () => {
    const blank = read(
      'q=+tent+&category=&brand=%20&min_price=&max_price=+&on_sale=maybe&available=yes&ships_to=+&sort=magic&page=-3&x=1',
    )
    expect(blank.address).toEqual(PLAIN)
    expect(blank.typed.errors).toEqual({})
    for (const page of ['0', 'two', '1e3', '99999']) expect(read(`q=tent&page=${page}`).address.page).toBe(1)
  })

  test('of another filter or order leads to its first page', () => {
    const third = { ...PLAIN, page: 3 }
    expect(addressOf(third, { brands: ['Norrlund'] })).toBe('/search?q=tent&brand=Norrlund')
    expect(addressOf(third, { page: 4 })).toBe('/search?q=tent&page=4')
  })

  test('holds no control characters, wherever they were put', () => {
    expect(read('q=a%00b%0d%0ac%09d&brand=%00x').address).toMatchObject({ q: 'a b c d', brands: ['x'] })
  })
})

describe('filters by specs', () => {
  test('are read by name, each value once, and written so that people can read them', () => {
    const { address } = read('s.Heat-up-time=..60+s&s.type=Lever&s.type=Lever&s.type=Portable&s.=x&s.power=')
    expect(address.picks).toEqual([
      { key: 'heat-up-time', values: ['..60 s'] },
      { key: 'type', values: ['Lever', 'Portable'] },
    ])
    expect(addressOf({ ...address, category: 'espresso-machines' })).toBe(
      '/c/espresso-machines?s.heat-up-time=..60+s&s.type=Lever&s.type=Portable',
    )
  })

  test('are at most so many, and none is long', () => {
    const many = new URLSearchParams(
      Array.from({ length: 90 }, (_, at): [string, string] => [`s.a${at % 30}`, 'x'.repeat(5_000) + at]),
    )
    const { picks } = readAddress(many).address
    expect(picks.reduce((sum, { values }) => sum + values.length, 0)).toBeLessThanOrEqual(20)
    for (const { values } of picks) for (const value of values) expect(value.length).toBeLessThanOrEqual(100)
  })

  test('are switched on and off one by one', () => {
    const [one, both] = [
      toggled([], 'type', 'Lever'),
      toggled(toggled([], 'type', 'Lever'), 'type', 'Portable'),
    ]
    expect(one).toEqual([{ key: 'type', values: ['Lever'] }])
    expect(both).toEqual([{ key: 'type', values: ['Lever', 'Portable'] }])
    expect(toggled(both, 'type', 'portable')).toEqual(one)
    expect(toggled(one, 'type', 'lever')).toEqual([])
  })
})

describe('a price', () => {
  test('is read as people type it', () => {
    expect(read('q=tent&min_price=80.5&max_price=%24+1,200').address).toMatchObject({
      minCents: 8_050,
      maxCents: 120_000,
    })
  })

  test.each(['cheap', '-5', '1,20', '80,50', '1.234', '€80', '1e3', '99999999', '$', '8 0'])(
    'that is none is told beside its field and kept: %s',
    (typed) => {
      const { address, typed: prices } = read(`q=tent&max_price=${encodeURIComponent(typed)}&min_price=5`)
      expect(address).toMatchObject({ minCents: 500, maxCents: null })
      expect(prices.values.max_price).toBe(typed)
      expect(prices.errors).toEqual({ max_price: expect.stringContaining('such as 80') })
    },
  )

  test('lowest above highest is told beside the first, and neither is searched by', () => {
    const { address, typed: prices } = read('q=tent&min_price=200&max_price=$100')
    expect(address).toMatchObject({ minCents: null, maxCents: null })
    expect(prices).toEqual({
      values: { min_price: '200', max_price: '$100', ships_to: '' },
      errors: { min_price: expect.stringContaining('higher than the maximum') },
    })
  })
})

describe('a place', () => {
  test('is read as people type it, and written as one text', () => {
    const { address, typed } = read('q=tent&ships_to=us-ca&available=1')
    expect(address).toMatchObject({ shipsTo: 'CA-US', available: true })
    expect(typed.values.ships_to).toBe('California')
    expect(addressOf(address)).toBe('/search?q=tent&available=1&ships_to=CA-US')
  })

  test.each([
    ['Atlantis', 'Write a state or country'],
    ['CA', 'California, United States or Canada'],
  ])('that has no meaning or two gets a message beside its field and stays: %s', (text, words) => {
    const { address, typed } = read(`q=tent&ships_to=${text}`)
    expect(address.shipsTo).toBeNull()
    expect(typed.values.ships_to).toBe(text)
    expect(typed.errors).toEqual({ ships_to: expect.stringContaining(words) })
  })
})
