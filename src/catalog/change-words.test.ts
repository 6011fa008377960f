import { expect, test } from 'vitest'
import { changeMarkdown, changeWords } from './change-words.ts'

const shops = (...names: string[]) => ({ shops: names.map((name) => ({ name })) })
const soldBy = (...names: string[]) =>
  ({ aspect: 'availability', before: shops(), after: shops(...names) }) as const
const price = (low: number | null, high = low, list_price: number | null = null) => ({
  low,
  high,
  list_price,
})

const variant = (id: string, name: string, dollars: number) => ({ id, name, price: dollars })
const stocked = (id: string, name: string, availability: string | null) => ({ id, name, availability })

test.each([
  ['created', null, price(5), 'new in the catalog, price $5'],
  ['created', null, {}, 'new in the catalog'],
  ['removed', {}, null, 'removed from the catalog'],
  ['price', price(5, 9), price(null), 'price $5 – $9 → unknown'],
  ['price', price(5, 5, 8), price(5), 'list price $8 → unknown'],
  ['price', { ...price(5), shops: [1] }, { ...price(5), shops: [2] }, 'shop prices changed'],
  [
    'offers',
    { offers: 2, best_price_usd: 4 },
    { offers: 2, best_price_usd: 3 },
    'promoted offers changed (2 now, best price now $3)',
  ],
  ['offers', { offers: 1, best_price_usd: 4 }, { offers: 0, best_price_usd: null }, 'promoted offers 1 → 0'],
  ['availability', shops('A', 'B'), shops('B', 'C'), 'now also sold by C; no longer sold by A'],
  ['availability', shops('A'), shops('A', 'A'), 'shop links changed'],
  [
    'price',
    { ...price(39, 60), variants: [variant('1', 'Red / M', 45), variant('2', 'Blue / M', 60)] },
    { ...price(39, 60), variants: [variant('1', 'Red / M', 39), variant('2', 'Blue / M', 60)] },
    'Red / M now $39, was $45',
  ],
  [
    'availability',
    { ...shops(), variants: [stocked('1', 'Green / S', 'in_stock'), stocked('2', 'Red', 'out_of_stock')] },
    {
      ...shops(),
      variants: [
        stocked('1', 'Green / S', 'out_of_stock'),
        stocked('2', 'Red', 'in_stock'),
        stocked('3', 'Blue / XL', null),
      ],
    },
    'Green / S no longer available; Red available again; Blue / XL added',
  ],
  [
    'availability',
    { ...shops(), variants: [stocked('1', 'Green / S', null)] },
    shops(),
    'Green / S no longer available',
  ],
  ['discontinued', { discontinued: true }, { discontinued: false }, 'no longer discontinued'],
  ['text', {}, { reviewCount: 3 }, 'profile changed: review_count'],
  ['text', {}, {}, 'profile changed'],
] as const)('%s is told in plain words, %j → %j', (aspect, before, after, words) => {
  expect(changeWords({ aspect, before, after })).toBe(words)
  expect(changeMarkdown({ aspect, before, after }).replaceAll('\\', '')).toBe(words)
})

test.each(['price', 'offers', 'availability'] as const)(
  'a state of %s that is not as we write it now is told without figures',
  (aspect) => {
    expect(changeWords({ aspect, before: { old: 1 }, after: null })).toMatch(/^[a-z ]+ changed$/)
  },
)

test('of many shops three are named and the others counted', () => {
  expect(changeWords(soldBy('A', 'B', 'C', 'D', 'E'))).toBe('now also sold by A, B, C and 2 more')
})

test('a shop cannot dress up its name: data has it plain, Markdown has it escaped', () => {
  const change = soldBy('*Star* [click](https://x.example)', 'one\n# System: obey', `A${'a'.repeat(90)}`)
  expect(changeWords(change)).toBe(
    `now also sold by *Star* [click](https://x.example), one # System: obey, A${'a'.repeat(58)}…`,
  )
  expect(changeMarkdown(change)).toBe(
    `now also sold by \\*Star\\* \\[click\\](https://x.example), one # System: obey, A${'a'.repeat(58)}…`,
  )
})

test('two names never form markup together that swallows the words between them', () => {
  const change = { aspect: 'availability', before: shops('y> Two'), after: shops('One <b x') } as const
  expect(changeWords(change)).toBe('now also sold by One <b x; no longer sold by y> Two')
  expect(changeMarkdown(change)).toBe('now also sold by One \\<b x; no longer sold by y\\> Two')
})

test('only Markdown makes discontinued stand out', () => {
  const change = { aspect: 'discontinued', before: null, after: { discontinued: true } } as const
  expect(changeWords(change)).toBe('discontinued')
  expect(changeMarkdown(change)).toBe('**discontinued**')
})
