import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../../test/any-text.ts'
import { createNameTable } from './names.ts'
import { tokenize } from './tokens.ts'
import { type Understood, understand, type Vocabulary } from './understand.ts'

const VOCABULARY: Vocabulary = {
  brands: createNameTable(['Norrlund']),
  models: createNameTable(['kx-4410']),
  categories: [
    { slug: 'garden-sheds', label: 'Garden Sheds', words: ['hut', 'storage'] },
    { slug: 'bike-trailers', label: 'Bike Trailers', words: ['cargo', 'tow'] },
    { slug: 'baby-carriers', label: 'Baby Carriers', words: ['sling', 'wrap'] },
  ],
}

it('a whole wish is read in one go', () => {
  const read = understand(
    'light norrlund bike trailer under $250 without suspension, at least 40 kg, for a family of four',
    VOCABULARY,
  )
  expect(read).toEqual({
    text: 'light norrlund bike trailer, at least 40 kg, for a family of four',
    textWithNegations: 'light norrlund bike trailer without suspension, at least 40 kg, for a family of four',
    budget: { minCents: null, maxCents: 25000, approximate: false, phrase: 'under $250' },
    foreign: null,
    price: null,
    negated: [{ phrase: 'without suspension', words: ['suspension'], kind: 'lack' }],
    brands: ['Norrlund'],
    models: [],
    categories: ['bike-trailers'],
    excludedBrands: [],
    excludedKinds: [],
    audience: ['family of four'],
    sizes: [
      {
        value: 40,
        unit: 'kg',
        comparison: 'gt',
        phrase: 'at least 40 kg',
        dimension: 'mass',
        low: 39_800,
        high: Number.POSITIVE_INFINITY,
        side: false,
        words: [],
      },
    ],
    attributes: [
      { words: ['light'], phrase: 'light', denied: false },
      { words: ['suspension'], phrase: 'suspension', denied: true },
    ],
    sale: false,
    order: null,
    reference: null,
    notes: [
      { phrase: 'light', meaning: 'wanted: light' },
      { phrase: 'norrlund', meaning: 'a brand' },
      { phrase: 'bike trailer', meaning: 'category: Bike Trailers' },
      { phrase: 'under $250', meaning: 'at most $250' },
      { phrase: 'without suspension', meaning: 'without: suspension' },
      { phrase: 'at least 40 kg', meaning: 'at least 40 kg' },
      { phrase: 'for a family of four', meaning: 'for family of four' },
    ],
  } satisfies Understood)
})

describe('the text that is left', () => {
  it.each([
    ['shed under $900', 'shed'],
    ['under $900: shed', 'shed'],
    ['shed for less than 900 dollars with a window', 'shed with a window'],
    ['shed that costs less than $900', 'shed'],
    ['shed with no floor', 'shed'],
    ['shed that has no floor and needs no paint', 'shed'],
    ['shed, not plastic, with lock', 'shed, with lock'],
    ['shed without windows but with a lock', 'shed with a lock'],
    ['no windows and easy to clean shed', 'easy to clean shed'],
    ["shed that won't rust", "shed that won't rust"],
    ['formaldehyde-free shed', 'formaldehyde-free shed'],
    ['cheap shed', 'cheap shed'],
    ["shed that won't break the bank", 'shed'],
    ['shed with burn-in, no glass', 'shed with burn-in'],
    ['shed (under $900)', 'shed'],
    ['shed (no glass)wood', 'shed wood'],
    ['shed under €900', 'shed'],
    ['  a   shed ', 'a shed'],
    ['under $900', ''],
    ['“quoted” shed', '“quoted” shed'],
  ])('%s → "%s"', (query, text) => {
    expect(understand(query, VOCABULARY).text).toBe(text)
  })
})

describe('price and sale without an amount', () => {
  it.each([
    ['affordable sling', 'cheap', false],
    ['budget sling', 'cheap', false],
    ['sling on a tight budget', 'cheap', false],
    ['sling, not too expensive', 'cheap', false],
    ["sling that doesn't cost a fortune", 'cheap', false],
    ['high-end sling', 'premium', false],
    ['luxury sling', 'premium', false],
    ['the best sling money can buy', null, false],
    ['sling, the best money can buy', 'premium', false],
    ['money is no object, sling', 'premium', false],
    ["sling that doesn't feel cheap", null, false],
    ['sling with no cheap plastic', null, false],
    ['discounted sling', null, true],
    ['cheap sling on sale', 'cheap', true],
    ['sling deals', null, true],
    ['sling 20% off', null, true],
    ['half price sling', null, true],
    ['sling for sale', null, false],
    ['sling to deal with a fussy newborn', null, false],
    ['wholesale sling', null, false],
  ])('%s → %s, sale %s', (query, price, sale) => {
    expect(understand(query, VOCABULARY)).toMatchObject({ price, sale })
  })
})

describe('readers keep out of each other’s way', () => {
  it('a price limit said with "no" is not something to leave out', () => {
    const read = understand('sling, no more than $60', VOCABULARY)
    expect(read.negated).toEqual([])
    expect(read.budget?.maxCents).toBe(6000)
  })

  it('a size limit said with "no" is not something to leave out', () => {
    const read = understand('sling no heavier than 2 kg', VOCABULARY)
    expect(read.negated).toEqual([])
    expect(read.sizes).toMatchObject([{ value: 2, unit: 'kg', comparison: 'lt' }])
  })

  it('a brand that is unwanted is not a brand that is asked for', () => {
    const read = understand('trailer but not Norrlund', VOCABULARY)
    expect(read).toMatchObject({ brands: [], excludedBrands: ['Norrlund'], negated: [] })
  })

  it('a bare number before a word is a price only when the word names a kind of product', () => {
    expect(understand('under 90 sling', VOCABULARY).budget).toBeNull()
    expect(understand('under 90 trailer', VOCABULARY).budget?.maxCents).toBe(9000)
  })

  it('a sum that is only near is said with its bounds', () => {
    expect(understand('sling around $100', VOCABULARY).notes).toContainEqual({
      phrase: 'around $100',
      meaning: 'about $100: $85 to $115',
    })
  })

  it('money in another currency is applied by the operator’s rate, and said', () => {
    const read = understand('sling under £40', { ...VOCABULARY, rates: { GBP: 1.25 } })
    expect(read.budget).toMatchObject({ minCents: null, maxCents: 5_000 })
    expect(read.notes).toContainEqual({ phrase: 'under £40', meaning: 'at most $50 (GBP at 1.25)' })
  })

  it('money in a currency without a rate is said not to be applied', () => {
    const read = understand('sling under £40', VOCABULARY)
    expect(read.budget).toBeNull()
    expect(read.notes).toContainEqual({
      phrase: 'under £40',
      meaning: 'not applied: there is no exchange rate from GBP to US dollars',
    })
  })
})

describe('whatever is typed', () => {
  const WORDS =
    'no not without under over between and or but for a the $ 5 40 1,200 .5 - , " free non kg inch dollars hundred ' +
    "don't want spend more than about to k ish % shed norrlund kx 4410 é 😀 ( ) / x ≤ £ budget : max old year"
  const query = fc.oneof(
    anyText({ maxLength: 300 }),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
    fc
      .array(fc.tuple(fc.constantFrom(...WORDS.split(' ')), fc.constantFrom(' ', '', '  ')), {
        maxLength: 40,
      })
      .map((parts) => parts.flat().join('')),
  )

  it('it is read, what is left is a part of it in order, and a floor never exceeds its cap', () => {
    fc.assert(
      fc.property(query, (text) => {
        const read = understand(text, VOCABULARY)
        for (const left of [read.text, read.textWithNegations]) expect(isPartOf(left, text)).toBe(true)
        for (const { phrase } of [...read.negated, ...read.sizes]) expect(text).toContain(phrase)
        for (const { phrase } of read.notes) expect(isPartOf(phrase.replaceAll(', ', ' '), text)).toBe(true)
        const { minCents, maxCents } = read.budget ?? { minCents: null, maxCents: null }
        if (read.budget) expect(minCents ?? maxCents).not.toBeNull()
        if (minCents !== null && maxCents !== null) expect(minCents).toBeLessThanOrEqual(maxCents)
        for (const cents of [minCents, maxCents])
          expect(cents === null || Number.isSafeInteger(cents)).toBe(true)
      }),
      { numRuns: 3000 },
    )
  })

  it('broken halves of characters are read like any other text', () => {
    const halves = fc.array(fc.integer({ min: 0xd700, max: 0xe000 }).map((unit) => String.fromCharCode(unit)))
    fc.assert(
      fc.property(halves, (units) => {
        expect(understand(units.join('no $5 '), VOCABULARY).budget === null).toBe(units.length < 2)
      }),
    )
  })

  it('reading twice gives the same answer', () => {
    fc.assert(
      fc.property(query, (text) => {
        expect(understand(text, VOCABULARY)).toEqual(understand(text, VOCABULARY))
      }),
      { numRuns: 200 },
    )
  })
})

/** Every token of the part stands in the whole, in the same order. */
function isPartOf(part: string, whole: string): boolean {
  const squeezed = whole.replace(/\s+/g, '')
  let at = 0
  for (const { start, end } of tokenize(part)) {
    const found = squeezed.indexOf(part.slice(start, end), at)
    if (found < 0) return false
    at = found + (end - start)
  }
  return true
}

describe('a thousand characters made to be slow', () => {
  const PARTS =
    "a |no |not |without |under |$|1|1,111|1,|$1-|between 1 and |about |hundred |a hundred and |-|a-|free |a-free |for a |no a, |no a or |no a, a, a, a or |1/|1 1/2 |2x|\"|a'|up to |don't want to spend more than |1 inch |1-|(|1k|family of |size |not to |budget : |.1|é|😀|\t".split(
      '|',
    )

  // It takes about a millisecond; what backtracks takes minutes. The bound only has to lie between the two.
  it.each(PARTS)('%j over and over does not run away', (part) => {
    const text = part.repeat(1000 / part.length + 1).slice(0, 1000)
    const started = performance.now()
    understand(text, VOCABULARY)
    expect(performance.now() - started).toBeLessThan(2_000)
  })
})
