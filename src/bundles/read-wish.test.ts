/** One sentence at a time: what is read from it. Categories are those of the demo catalog, without their products. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { demoSearch } from '../../test/demo-search.ts'
import { tokenize } from '../search/understand/tokens.ts'
import { understand } from '../search/understand/understand.ts'
import { findMentions } from './mentions.ts'
import { readWish } from './read-wish.ts'
import { readCaps } from './wish-money.ts'

const vocabulary = (await demoSearch()).index().vocabulary()
const read = (query: string) => readWish(query, vocabulary)
const capsOf = (query: string) => {
  const tokens = tokenize(query)
  return readCaps(query, tokens, findMentions(tokens, new Uint8Array(tokens.length), vocabulary)).caps
}
const things = (query: string) =>
  read(query).things.map(({ category, quantity, wish, emphasis }) => [category, quantity, wish, emphasis])

describe('the budget', () => {
  test.each([
    ['home office under $1.5k', 1500],
    ['desk and chair under 800 dollars', 800],
    ['home gym, 2,500 bucks', 2500],
    ['camping kit, budget: 1000', 1000],
    ['desk and chair for a thousand dollars', 1000],
    ['coffee corner, 1k', 1000],
    ['set up a home office for 1200', 1200],
    ['tent and stove between $200 and $300', 300],
    ["desk and chair, I don't want to spend more than 600", 600],
  ])('%s: %d dollars', (query, dollars) => {
    expect(read(query).budget).toEqual({ cents: dollars * 100, approximate: false })
  })

  test('"around" names the amount itself, not the room above it', () => {
    expect(read('home office around $1,200').budget).toEqual({ cents: 120_000, approximate: true })
    expect(read('home office around 1200').budget?.cents).toBe(120_000)
    expect(read('desk and chair, a couple hundred bucks').budget).toEqual({
      cents: 20_000,
      approximate: true,
    })
  })

  test.each([
    ['home office for not more than €900', '€', 900],
    ['desk and chair under 900 euros', 'euros', 900],
    ['desk and chair, GBP 700', 'GBP', 700],
    ['tent and stove under C$400', 'C$', 400],
    ['desk and chair under 1.200 €', '€', 1_200],
    ['desk and chair under 1.200,50 €', '€', 1_200.5],
    ['desk and chair under 12 000 kr', 'kr', 12_000],
    ["desk and chair, CHF 1'500", 'CHF', 1_500],
  ])('%s: in %s, read as %d dollars', (query, currency, dollars) => {
    expect(read(query)).toMatchObject({
      ...{ budget: { cents: dollars * 100 }, foreignCurrency: currency, isBundle: true },
    })
  })

  test.each(['desk and chair under $0', 'home office for $0', 'desk and chair, budget 0 dollars'])(
    '%s: a budget of nothing',
    (query) => {
      expect(read(query)).toMatchObject({ budget: { cents: 0 }, foreignCurrency: null })
    },
  )

  test('a number that counts or measures is no budget', () => {
    expect(read('home office setup for 2').budget).toBeNull()
    expect(read('home office setup with a 27 inch monitor').budget).toBeNull()
    expect(read('gaming setup with a mouse and a monitor from 2024').budget).toBeNull()
  })

  test('is never another one than search reads', () => {
    const word = fc.constantFrom(
      ...'under around $500 1200 about 80 dollars budget desk chair and for two $1.5k between 300 max home office , setup less than €50'.split(
        ' ',
      ),
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 14 }), (words) => {
        const query = words.join(' ')
        const searched = understand(query, vocabulary).budget
        const { budget } = read(query)
        if (!searched?.maxCents || !budget || capsOf(query).length > 0) return
        if (budget.approximate && searched.minCents !== null) {
          expect(budget.cents).toBeGreaterThanOrEqual(searched.minCents)
          expect(budget.cents).toBeLessThanOrEqual(searched.maxCents)
        } else expect(budget.cents).toBe(searched.maxCents)
      }),
      { numRuns: 500 },
    )
  })
})

describe('things', () => {
  test('come in the order of the sentence, each with its own words', () => {
    expect(things('a quiet keyboard, ergonomic mouse and a 27 inch monitor, $600')).toEqual([
      ['mechanical-keyboards', 1, 'quiet keyboard', null],
      ['computer-mice', 1, 'ergonomic mouse', null],
      ['monitors', 1, '27 inch monitor', null],
    ])
  })

  test.each([
    ['two monitors and a desk, $900', 'monitors', 2],
    ['a pair of monitors and a desk, $900', 'monitors', 2],
    ['dual monitors and a desk, $900', 'monitors', 2],
    ['monitors x2 and a desk, $900', 'monitors', 2],
    ['3 x webcam and a desk, $900', 'webcams', 3],
    ['60 office chairs and 60 standing desks under $30000', 'office-chairs', 60],
    ['1000000 monitors and a desk, $900', 'monitors', 1_000_000],
    ['a pair of headphones and a desk, $900', 'headphones', 1],
    ['a two person tent and a stove, $300', 'tents', 1],
    ['a 27 inch monitor and a desk, $900', 'monitors', 1],
    ['tent and sleeping bag for two, $300', 'sleeping-bags', 2],
    ['tent and sleeping bag for two, $300', 'tents', 1],
    ['one chair and a desk for two people, $900', 'office-chairs', 1],
  ])('%s: %s × %d', (query, category, quantity) => {
    expect(read(query).things.find((thing) => thing.category === category)?.quantity).toBe(quantity)
  })

  test.each([
    ['home office for $2000, most of it on the chair', 'office-chairs', 'more'],
    ['desk and chair, $900, splurge on the chair', 'office-chairs', 'more'],
    ['microphone, and a cheap webcam will do, $300', 'webcams', 'less'],
    ['microphone and webcam, save on the webcam, $300', 'webcams', 'less'],
    ['microphone and webcam, save on the webcam, $300', 'microphones', null],
  ])('%s: %s matters %s', (query, category, emphasis) => {
    expect(read(query).things.find((thing) => thing.category === category)?.emphasis).toBe(emphasis)
  })

  test('are recognised by another name and with a typing error', () => {
    expect(read('suitcase and a mic under $300').things.map((one) => one.category)).toEqual([
      'carry-on-luggage',
      'microphones',
    ])
    expect(read('keybord, moniter and a stroler, $900').things.map((one) => one.category)).toEqual([
      'mechanical-keyboards',
      'monitors',
      'strollers',
    ])
  })

  test("a name inside another thing's name does not count", () => {
    expect(read('laptop bag and monitor arm under $90').things).toEqual([])
    expect(things('desk chair under $200')).toEqual([['office-chairs', 1, 'desk chair', null]])
  })

  test('a choice is one thing, in the words of the first', () => {
    expect(things('quiet headphones or earbuds, plus a laptop, below $1200')).toEqual([
      ['headphones', 1, 'quiet headphones', null],
      ['laptops', 1, 'laptop', null],
    ])
  })

  test('where two share a name, what it is all for decides', () => {
    expect(read('newborn kit with a monitor and stroller, $400').things[0]?.category).toBe('baby-monitors')
    expect(read('office kit with a monitor and keyboard, $400').things[0]?.category).toBe('monitors')
  })
})

describe('what is left out', () => {
  test.each([
    ['home office setup, I already have a laptop', ['laptops']],
    ['home office setup, no chair needed', ['office-chairs']],
    ['everything for my office except a desk', ['standing-desks']],
    ['home office kit without the printer, $900', ['printers']],
    ["office setup, I don't need a keyboard or mouse", ['mechanical-keyboards', 'computer-mice']],
    ['office setup, we have headphones and a webcam already', ['headphones', 'webcams']],
    ['camping gear for $500, skip the tent', ['tents']],
    ['keyboard, mouse not needed, monitor, $500', ['computer-mice']],
  ])('%s', (query, slugs) => {
    const wish = read(query)
    expect(wish.excluded.toSorted()).toEqual(slugs.toSorted())
    expect(wish.things.filter(({ category }) => slugs.includes(category))).toEqual([])
    expect(wish.isBundle).toBe(true)
  })

  test('what a thing has or lacks is not what the shopper has or lacks', () => {
    expect(read('quiet keyboard with no numpad and a mouse, $100').excluded).toEqual([])
    expect(read('desk that must have a drawer and a chair, $400').excluded).toEqual([])
  })
})

describe('goal, people and audience', () => {
  test.each([
    ['home office for two under $2,500', 'home office', 2],
    ['everything for a newborn under $900', 'newborn', 1],
    ['camping weekend kit for a family of four, $800', 'camping weekend', 4],
    ['I am looking for a podcast studio setup, max $700 please', 'podcast studio', 1],
    ['furnish my dorm room for 3 people, $900', 'dorm room', 3],
  ])('%s: %s, %d', (query, goal, people) => {
    expect(read(query)).toMatchObject({ goal, people, isBundle: true })
  })

  test('whom it is for is told apart from what it is for', () => {
    expect(read('gaming setup for my son around $2000')).toMatchObject({ goal: 'gaming', audience: ['son'] })
    expect(read('camping kit for a family of four, $800').audience).toEqual(['family of four'])
  })

  test('a list that is complete has no goal beside it', () => {
    expect(read('desk, chair and lamp for $500').goal).toBeNull()
    expect(read('streaming kit: webcam and microphone, $300').goal).toBeNull()
    expect(read('home office with a desk and a chair, $900').goal).toBe('home office')
  })
})

describe('several things or one', () => {
  test.each([
    'wireless mouse and keyboard under $100',
    'keyboard and mouse bundle',
    'desk setup under $800',
    'camping kit under $300',
    'home office under $2000',
    'starter kit for running, $300',
    'equip a first kitchen',
  ])('%s: several', (query) => {
    expect(read(query).isBundle).toBe(true)
  })

  test.each([
    'keyboard and mouse',
    'monitor with webcam under $300',
    'laptop with a good keyboard, webcam and microphone under $900',
    'desk for two monitors and a laptop under $400',
    'robot vacuum or cordless vacuum under $300',
    'desk lamp and bluetooth speaker in one under $80',
    'lamp for my home office setup under $80',
    'cookware set under $200',
    'mesh kit below 200 dollars',
    'laptop backpack under $100',
    'how to set up a printer',
    'home office chair under $200',
    '',
  ])('%s: one', (query) => {
    expect(read(query).isBundle).toBe(false)
  })
})

test('any text is read, in time that grows with its length only', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.string({ unit: 'binary' })),
      (query) => {
        const wish = read(query)
        expect(wish.query).toBe(query)
        for (const { quantity } of wish.things) expect(quantity).toBeGreaterThanOrEqual(1)
      },
    ),
    { numRuns: 300 },
  )
  const words = 'two monitors and no desk for '
  const cost = (times: number) => {
    const started = process.cpuUsage()
    read(words.repeat(times))
    const { user, system } = process.cpuUsage(started)
    return user + system
  }
  cost(60)
  expect(cost(50_000)).toBeLessThan(1_000_000)
})
