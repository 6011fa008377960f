import { describe, expect, it } from 'vitest'
import { findSizes } from './sizes.ts'
import { tokenize } from './tokens.ts'

function sizesOf(query: string) {
  const tokens = tokenize(query)
  return findSizes(query, tokens, new Uint8Array(tokens.length)).map(
    ({ value, unit, comparison }) => `${comparison} ${value} ${unit}`,
  )
}

describe('a measure', () => {
  it.each([
    ['15-inch skillet', ['eq 15 inch']],
    ['43" television', ['eq 43 inch']],
    ['43in television', ['eq 43 inch']],
    ['shelf 30 in wide', ['eq 30 inch']],
    ['rain shell under 300 g', ['lt 300 g']],
    ['memory card at least 64 GB', ['gt 64 gb']],
    ['4 person raft', ['eq 4 person']],
    ['two-person sauna', ['eq 2 person']],
    ['2 man canoe', ['eq 2 person']],
    ['sofa bed that sleeps three', ['gt 3 person']],
    ['picnic table seats 8', ['gt 8 person']],
    ['tent for four people', ['gt 4 person']],
    ['trunk that weighs under 20 kg', ['lt 20 kg']],
    ['8 in chef knife', ['eq 8 inch']],
    ['1,5 l kettle', ['eq 1.5 l']],
    ['pipe 1½ inch', ['eq 1.5 inch']],
    [`net 5'10" high`, ['eq 70 inch']],
    ['rug 5 m²', ['eq 5 sq m']],
    ['towels, pack of 6', ['eq 6 piece']],
    ['1/2 inch hose', ['eq 0.5 inch']],
    ['quarter inch thick mat', ['eq 0.25 inch']],
    ['half an inch of felt', ['eq 0.5 inch']],
    ['lamp that runs a full hour', ['eq 1 hour']],
    ['half cup bra, full size', []],
    ['over 70 ft-lbs of torque', ['gt 70 ft lb']],
    ['jacket for minus 5 celsius', ['eq -5 degree']],
    ['2 1/2 quart pot', ['eq 2.5 quart']],
    ['pillow at least a foot wide', ['gt 1 foot']],
    ['kettle under a pound', ['lt 1 lb']],
    ['a foot massager', []],
    ['blanket for minus 5 celsius or colder', ['lt -5 degree']],
    ['half a dozen 20 fl oz tumblers', ['eq 20 fl oz']],
    ['heater 1,500 watts', ['eq 1500 watt']],
    ['heater 1.5kw', ['eq 1.5 kw']],
    ['thermos 24 hours or more', ['gt 24 hour']],
    ['cushion 3 inches thick or less', ['lt 3 inch']],
    ['rope 30 m+', ['gt 30 m']],
    ['no heavier than 2 kg drone', ['lt 2 kg']],
    ['not less than 10 litres bucket', ['gt 10 l']],
    ['trailer that holds up to 200 lb', ['gt 200 lb']],
    ['parcel up to 20 lb', ['lt 20 lb']],
    ['resistance bands 5 to 50 lbs', ['gt 5 lb', 'lt 50 lb']],
    ['resistance bands between 5 and 50 lbs', ['gt 5 lb', 'lt 50 lb']],
    ['frame 24x36 cm', ['eq 24 cm', 'eq 36 cm']],
    ['frame 24 by 36 inches', ['eq 24 inch', 'eq 36 inch']],
    ['boots size 11', ['eq 11 size']],
    ['-20 degrees gloves', ['eq -20 degree']],
    ['dehumidifier for 400 square feet', ['eq 400 sq ft']],
    ['dehumidifier for a cellar of 400 square feet', ['gt 400 sq ft']],
    ['bulb with more than a thousand lumens', ['gt 1000 lumen']],
    ['18v trimmer with 2 ports', ['eq 18 volt', 'eq 2 port']],
  ])('%s → %j', (query, sizes) => {
    expect(sizesOf(query)).toEqual(sizes)
  })
})

describe('a number that measures nothing of the product', () => {
  it.each([
    'bib for a 2 year old',
    'ten-year-old violinist',
    'I weigh 110 kg, need a hammock',
    "I'm six feet tall, raincoat",
    '5g phone',
    'part skn2 lid',
    'poster 11x17',
    '2-in-1 laptop',
    '12 in the box',
    'umbrella under $20',
    'family size two tone mug',
    'chapter 7 book',
    'no. 9 wrench',
    '0 inch',
  ])('%s', (query) => {
    expect(sizesOf(query)).toEqual([])
  })
})

it('the phrase is what was written, with the words that compare', () => {
  const query = 'Pot, AT LEAST 5 Quarts'
  expect(findSizes(query, tokenize(query), new Uint8Array(9))[0]?.phrase).toBe('AT LEAST 5 Quarts')
})

it.each([
  ['20 litre trunk, give or take two litres', [18, 22]],
  ['20 litre trunk ± 10 %', [18, 22]],
  ['2 kg kettle plus or minus 100 g', [1900, 2100]],
])('%s may be from %j', (query, bounds) => {
  const tokens = tokenize(query)
  const sizes = findSizes(query, tokens, new Uint8Array(tokens.length))
  expect(sizes.map(({ low, high }) => [low, high].map((value) => Math.round(value * 100) / 100))).toEqual([
    bounds,
  ])
})

it.each([
  ['lamp that runs on a 1000 W inverter', 'invert'],
  ['stand for a 27 inch screen', 'screen'],
  ['a 27 inch screen', undefined],
])('%s: the size is of %s', (query, of) => {
  const tokens = tokenize(query)
  expect(findSizes(query, tokens, new Uint8Array(tokens.length))[0]?.of).toBe(of)
})
