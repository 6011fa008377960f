/** Facets of specs: which specs tell products apart, and into what each divides them. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildGuide } from './guide.ts'
import { countShelf } from './shelf.ts'
import { createSpecTable, type ShelfItem } from './spec-table.ts'
import { readRange, readSpecValue, specKey } from './spec-values.ts'

function itemOf(specs: Record<string, string>, more: Partial<ShelfItem> = {}): ShelfItem {
  const shortSpecs = Object.entries(specs).map(([name, value]) => `${name}: ${value}\n`)
  const price = { priceLowCents: 10_000, priceHighCents: 10_000 }
  return {
    brand: 'Lume',
    rating: 4,
    reviewCount: 10,
    discontinued: false,
    ...price,
    ...more,
    shortSpecs: shortSpecs.join(''),
  }
}

function tableOf(items: ShelfItem[]) {
  const table = createSpecTable()
  for (const item of items) table.add(item)
  return table
}

const rowsOf = (items: ShelfItem[]) => Uint32Array.from(items.keys())
const shelf = (items: ShelfItem[], filters: Parameters<typeof countShelf>[3] = {}) => {
  const table = tableOf(items)
  return countShelf(table, table.items, rowsOf(items), filters)
}
const count = (length: number, make: (at: number) => ShelfItem) => Array.from({ length }, (_, at) => make(at))

describe('a value', () => {
  test.each([
    ['Noise', '23 to 51 dB', [23, 51, 'dB']],
    ['Heat-up time', 'up to 12 min', [720, 720, 'min']],
    ['Weight (kg)', '4', [4000, 4000, 'kg']],
    ['CADR', '300 m³/h', [300, 300, 'm³/h']],
  ])('%s: %s begins with a quantity, in the unit that is written', (name, value, [low, high, unit]) => {
    expect(readSpecValue(name, value).quantity).toMatchObject({ low, high, unit })
  })

  test.each([
    ['Dimensions', '12 x 8 x 4 in'],
    ['Cost per page', '2 cents'],
    ['Filter', 'HEPA H13, 0.4 kg carbon'],
    ['Bluetooth', 'Version 5.4'],
  ])('%s: %s has no quantity of its own', (name, value) => {
    expect(readSpecValue(name, value).quantity).toBeNull()
  })

  test('has the parts that its text is made of', () => {
    const { parts } = readSpecValue('Portafilter', '58 mm, bottomless (steel)')
    expect(parts.map(({ label }) => label)).toEqual(['58 mm', 'bottomless', 'steel'])
  })

  test('goes by a name whose unit does not matter, but whose other brackets do', () => {
    expect(specKey('Weight (kg)')).toBe(specKey('WEIGHT'))
    expect(specKey('Battery (buds)')).not.toBe(specKey('Battery (case)'))
  })
})

describe('facets', () => {
  test('are ranges at round numbers for quantities, in the unit that most are written in', () => {
    const items = count(40, (at) =>
      itemOf({ Weight: at % 8 === 0 ? `${at * 100} g` : `${at / 10 + 0.1} kg` }),
    )
    const [weight] = tableOf(items).facets()
    expect(weight?.unit).toMatchObject({ unit: 'kg', dimension: 'mass' })
    expect(weight?.options.map(({ label }) => label)).toEqual([
      'Under 1 kg',
      '1 to 2 kg',
      '2 to 3 kg',
      '3 kg and up',
    ])
    expect(weight?.options[1]?.value).toBe('1..2 kg')
  })

  test('leave out what all say alike, what each says differently and what hardly any states', () => {
    const items = count(20, (at) =>
      itemOf({
        Warranty: '2 years',
        Serial: `X${at} of its own`,
        Type: at % 2 ? 'Lever' : 'Pump',
        ...(at < 2 && { Dock: at ? 'Yes' : 'No' }),
      }),
    )
    expect(
      tableOf(items)
        .facets()
        .map(({ name }) => name),
    ).toEqual(['Type'])
  })

  test('count what choosing a value shows, for every value, whatever else is chosen', () => {
    const type = fc.constantFrom('Lever', 'Pump, quiet', 'Pump', null)
    const weight = fc.option(fc.integer({ min: 1, max: 40 }))
    const item = fc.record({
      type,
      weight,
      brand: fc.constantFrom('A', 'B', null),
      price: fc.option(fc.nat(50_000)),
    })
    fc.assert(
      fc.property(fc.array(item, { minLength: 8, maxLength: 40 }), fc.boolean(), (list, isPicked) => {
        const items = list.map(({ type, weight, brand, price }) =>
          itemOf(
            { ...(type && { Type: type }), ...(weight && { Weight: `${weight} kg` }) },
            { brand, priceLowCents: price, priceHighCents: price },
          ),
        )
        const picks = isPicked ? [{ key: 'type', values: ['Pump'] }] : []
        const { specs } = shelf(items, { picks })
        for (const { key, options, unknown } of specs) {
          const others = picks.filter((pick) => pick.key !== key)
          for (const { value, count } of options) {
            const chosen = { picks: [...others, { key, values: [value] }] }
            expect(holding(items, chosen).length).toBe(count)
          }
          const stating = holding(items, { picks: others }).filter((one) =>
            one.shortSpecs.toLowerCase().includes(`${key}: `),
          )
          expect(unknown).toBe(holding(items, { picks: others }).length - stating.length)
        }
      }),
    )
  })

  /** The brands of the products that pass, by the shelf's own count. */
  function holding(
    items: ShelfItem[],
    { picks }: { picks: Array<{ key: string; values: string[] }> },
  ): ShelfItem[] {
    const table = tableOf(items)
    return items.filter((_, row) =>
      picks.every(({ key, values }) => {
        const test = table.facet(key)?.test(values)
        return !test || test(row)
      }),
    )
  }

  test('of a spec or value that there is none of do not filter, and are named', () => {
    const items = count(8, (at) => itemOf({ Type: at % 2 ? 'Lever' : 'Pump', Weight: `${at + 1} kg` }))
    const picks = [
      { key: 'colour', values: ['Red'] },
      { key: 'type', values: ['Steam'] },
      { key: 'weight', values: ['..5 dB'] },
    ]
    const { unread, specs } = shelf(items, { picks })
    expect(unread).toEqual(['colour', 'type', 'weight'])
    expect(specs.find(({ key }) => key === 'type')?.options.map((one) => one.count)).toEqual([4, 4])
  })

  test('know ranges in other units, too', () => {
    const items = count(8, (at) => itemOf({ Weight: `${at + 1} kg` }))
    const { specs } = shelf(items, { picks: [{ key: 'weight', values: ['..3000 g'] }] })
    expect(specs[0]?.options.find(({ chosen }) => chosen)).toMatchObject({ count: 2, label: '..3000 g' })
    expect(readRange('..')).toBeNull()
    expect(readRange('5..10 blocks')).toBeNull()
  })
})

describe('a guide', () => {
  const items = count(9, (at) =>
    itemOf(
      { Noise: `${40 + at} dB`, Type: at % 2 ? 'Lever' : 'Pump' },
      {
        priceLowCents: 5_000 * (at + 1),
        rating: at === 8 ? 4.9 : at === 2 ? 4.5 : 4,
        reviewCount: at === 0 ? 1 : 500,
      },
    ),
  )

  test('says what products cost, what they differ in and which stand out, in their own numbers', () => {
    const guide = buildGuide(tableOf(items))
    expect(guide?.prices).toBe('Listed prices run from $50 to $450; half are between $150 and $350.')
    expect(guide?.differences).toContainEqual({ key: 'noise', name: 'Noise', words: '40 to 48 dB' })
    expect(guide?.picks).toContainEqual({
      row: 0,
      title: 'Quietest',
      reason: 'Noise 40 dB, of 9 that state it',
    })
    expect(guide?.picks.slice(0, 2)).toEqual([
      { row: 8, title: 'Best rated', reason: '4.9 of 5 from 500 reviews' },
      { row: 2, title: 'Best value', reason: '4.5 of 5 from 500 reviews; 6 of 9 are listed for more' },
    ])
  })

  test('never picks a discontinued product, and is not made of few', () => {
    const [first, ...rest] = items
    const gone = tableOf([{ ...(first as ShelfItem), discontinued: true }, ...rest])
    expect(buildGuide(gone)?.picks.some(({ row }) => row === 0)).toBe(false)
    expect(buildGuide(tableOf(items.slice(0, 4)))).toBeNull()
  })
})
