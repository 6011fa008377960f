import { describe, expect, it } from 'vitest'
import { findSizes, type Size } from '../understand/sizes.ts'
import { tokenize } from '../understand/tokens.ts'
import { createMeasureTable, readSource } from './measure-table.ts'

type Specs = Record<string, string>

function sizeIn(query: string): Size {
  const tokens = tokenize(query)
  const [size] = findSizes(query, tokens, new Uint8Array(tokens.length))
  if (!size) throw new Error(`${query} holds no size`)
  return size
}

function createShelf(label: string, rows: ReadonlyArray<{ title?: string; specs?: Specs }>) {
  const table = createMeasureTable()
  const products = rows.map(({ title = label, specs = {} }) => {
    const source = { title, specs: Object.entries(specs).map(([name, value]) => ({ name, value })) }
    return { category: { slug: label, label }, measures: table.pack(readSource(source)) }
  })
  for (const product of products) table.add(product)
  return {
    table,
    products,
    verdicts: (query: string) => products.map((product) => table.judge(sizeIn(query))(product).verdict),
  }
}

const CHAIRS = createShelf('Office Chairs', [
  { specs: { 'Weight capacity': '300 lb', 'Chair weight': '39 lb' } },
  { specs: { 'Weight capacity': '400 lb', 'Chair weight': '71 lb' } },
  { specs: { 'Weight capacity': '160 kg', Upholstery: 'Mesh' } },
  { specs: { Upholstery: 'Leather' } },
])
const LAPTOPS = createShelf('Laptops', [
  { specs: { Display: '15.6-inch IPS', Memory: '16 GB', Storage: '512 GB SSD', Battery: '54 Wh, 12 h' } },
  { specs: { Display: '14-inch OLED', Memory: '2 x 16 GB', Storage: '1 TB SSD', Battery: '70 Wh, 15 h' } },
  { specs: { Display: '35.6 cm', Memory: '8 GB', Storage: '256 GB SSD', Battery: '40 Wh, 6 h' } },
])
const DESKS = createShelf('Desks', [
  { specs: { Top: '72 x 30 in', Noise: '46 dB' } },
  { specs: { Top: '48 x 24 in', Noise: '52 dB' } },
])

const BAGS = createShelf('Sleeping Bags', [
  { specs: { Comfort: '-9 °C (15 °F)' } },
  { specs: { Comfort: '5 °C (41 °F)' } },
])

describe('which measure is meant', () => {
  it.each([
    ['bag for minus 5 celsius', BAGS, ['said', 'denied']],
    ['350 lb chair', CHAIRS, ['denied', 'said', 'said', 'silent']],
    ['39 lb chair', CHAIRS, ['said', 'denied', 'silent', 'silent']],
    ['chair that weighs under 60 lb', CHAIRS, ['said', 'denied', 'silent', 'silent']],
    ['chair that holds 180 kg', CHAIRS, ['denied', 'said', 'denied', 'silent']],
    ['16 GB laptop', LAPTOPS, ['said', 'said', 'denied']],
    ['512 GB laptop', LAPTOPS, ['said', 'denied', 'denied']],
    ['laptop with at least 16 GB memory', LAPTOPS, ['said', 'said', 'denied']],
    ['10 hour battery laptop', LAPTOPS, ['said', 'said', 'denied']],
    ['15 inch laptop', LAPTOPS, ['said', 'denied', 'denied']],
    ['14 inch laptop', LAPTOPS, ['denied', 'said', 'said']],
    ['6 ft desk', DESKS, ['said', 'denied']],
    ['24 inch deep desk', DESKS, ['denied', 'said']],
    ['desk under 50 inches', DESKS, ['denied', 'said']],
    ['48 dB desk', DESKS, ['said', 'denied']],
  ])('%s', (query, shelf, expected) => {
    expect(shelf.verdicts(query)).toEqual(expected)
  })
})

it.each([
  ['27 inch monitor', ['said', 'said', 'denied', 'said']],
  ['68 cm monitor', ['said', 'said', 'denied', 'said']],
  ['monitor 30 to 40 inches', ['denied', 'denied', 'said', 'denied']],
  ['monitor over 30 inches', ['denied', 'denied', 'said', 'denied']],
])('products that only have a title are judged by it: %s', (query, expected) => {
  const titles = ['27-inch Monitor', 'Monitor 26.5"', 'Monitor 32 in, curved', 'Monitor 68,6 cm']
  expect(
    createShelf(
      'Monitors',
      titles.map((title) => ({ title })),
    ).verdicts(query),
  ).toEqual(expected)
})

it('ounces are read as weight or as volume, as the category has them', () => {
  const specs = [{ Capacity: '64 oz' }, { Capacity: '1.9 l' }, { Capacity: '20 oz' }]
  const shelf = createShelf(
    'Blenders',
    specs.map((one) => ({ specs: one })),
  )
  expect(shelf.verdicts('64 oz blender')).toEqual(['said', 'said', 'denied'])
  expect(shelf.verdicts('1.9 l blender')).toEqual(['said', 'said', 'denied'])
})

it('a number without a unit takes the unit that titles state it in', () => {
  const rows = [15.6, 17.3, 14].map((inches) => ({
    title: `Notebook ${inches}" 8 GB`,
    specs: { 'Display diagonal': String(inches), 'Number of cells': '6' },
  }))
  const silentTitle = { title: 'Notebook', specs: { 'Display diagonal': '17.3' } }
  const shelf = createShelf('Notebooks', [...rows, silentTitle])
  expect(shelf.verdicts('17 inch notebook')).toEqual(['denied', 'said', 'denied', 'said'])
})

it('says which spec decided, and how far off it is', () => {
  const judge = CHAIRS.table.judge(sizeIn('200 lb chair'))
  const [chair] = CHAIRS.products
  expect(chair && judge(chair)).toMatchObject({ verdict: 'said', stated: { name: 'Weight capacity' } })
  expect(chair && judge(chair).distance).toBeCloseTo(Math.log2(300 / 200))
})

it('a product that is gone no longer says what is usual', () => {
  const shelf = createShelf('Bags', [
    { specs: { Weight: '2 kg' } },
    { specs: { 'Max load': '20 kg' } },
    { specs: { 'Max load': '25 kg' } },
  ])
  expect(shelf.verdicts('20 kg bag')).toEqual(['silent', 'said', 'said'])
  for (const product of shelf.products.slice(1)) shelf.table.drop(product)
  expect(shelf.verdicts('20 kg bag')[0]).toBe('denied')
})
