/** Lists in rows and pasted lines: what is read of them, and which row or line is wrong. */
import { describe, expect, test } from 'vitest'
import { requestOf, typedOf } from '../../kit/form.tsx'
import { SPECS_FIELD } from './change.routes.tsx'
import { ADDRESSES, IMAGES, type ListKind, PHRASES, plainLines, readList, SHOPS, SPECS } from './lines.ts'

const pasted = <Entry>(list: ListKind<Entry>, text: string) => readList(list, [], text)

describe('specs', () => {
  test('names and values are told apart by a colon, a tab or an equals sign, with bullets and blank lines between', () => {
    const { entries, problem } = pasted(
      SPECS,
      'Capacity: 1.7 l\r\n\r\n- Power = 1200 W\n• Ratio: 16:9\nCord\t1 m  ',
    )
    expect(problem).toBeNull()
    expect(entries).toEqual([
      { name: 'Capacity', value: '1.7 l' },
      { name: 'Power', value: '1200 W' },
      { name: 'Ratio', value: '16:9' },
      { name: 'Cord', value: '1 m' },
    ])
  })

  test.each([
    ['Capacity: 1 l\n\nheavy', 'line 3 (“heavy”) needs a name and a value, such as Weight: 2 kg'],
    ['Weight:', 'line 1 (“Weight:”) needs a name and a value, such as Weight: 2 kg'],
    [': 1 kg', 'line 1 (“: 1 kg”) needs a name and a value, such as Weight: 2 kg'],
    ['Weight: 1 kg\nweight: 2 kg', 'line 2 (“weight: 2 kg”) repeats a name with another value'],
  ])('%j is refused with its line', (text, problem) => {
    expect(pasted(SPECS, text).problem).toBe(problem)
  })

  test('the same spec twice is one', () => {
    expect(pasted(SPECS, 'A: 1\na: 1')).toEqual({ entries: [{ name: 'a', value: '1' }], problem: null })
  })

  test('whatever a spec is called, its row is read back as it was', () => {
    const specs = [
      { name: 'Ports: USB-C', value: '2' },
      { name: 'Ratio', value: '16:9' },
      { name: 'a=b', value: 'c=d' },
    ]
    const of = { specs: SPECS_FIELD }
    const rows = requestOf(of, typedOf(of, { specs })).specs
    expect(rows).toEqual(specs)
    expect(readList(SPECS, rows as typeof specs, '').entries).toEqual(specs)
  })
})

describe('rows and pasted lines', () => {
  const rows = [
    { name: 'Power', value: '900 W' },
    { name: '', value: '' },
    { name: 'Cord', value: '1 m' },
  ]

  test('a pasted spec replaces the row of its name, and another one is added', () => {
    expect(readList(SPECS, rows, 'power: 1 kW\nLid: yes').entries).toEqual([
      { name: 'power', value: '1 kW' },
      { name: 'Cord', value: '1 m' },
      { name: 'Lid', value: 'yes' },
    ])
  })

  test('a row that is incomplete, and a name in two rows, are refused by the number of the row', () => {
    expect(readList(SPECS, [...rows, { name: 'Lid', value: '' }], '').problem).toMatch(
      /^row 4 \(“Lid”\) needs/,
    )
    expect(readList(SPECS, [...rows, { name: 'cord', value: '2 m' }], '').problem).toMatch(
      /^row 4 .* repeats/,
    )
  })
})

describe('shops, images, addresses and phrases', () => {
  test('a shop has its name, address and price in any marks; without a name it is called by its host', () => {
    const text =
      'Acme | https://acme.example/k?a=1,2 | $1,049.50\nhttps://www.shop.example/k\nBest Buys – https://b.example/x, 20'
    const { entries, problem } = pasted(SHOPS, text)
    expect(problem).toBeNull()
    expect(entries).toEqual([
      { name: 'Acme', url: 'https://acme.example/k?a=1,2', price: 1_049.5 },
      { name: 'shop.example', url: 'https://www.shop.example/k', price: null },
      { name: 'Best Buys', url: 'https://b.example/x', price: 20 },
    ])
    const rows = entries.map((shop) => ({ ...shop, price: String(shop.price ?? '') }))
    expect(readList(SHOPS, rows, '').entries).toEqual(entries)
  })

  test.each([
    [() => pasted(SHOPS, 'Acme'), /^line 1 .* needs the full address/],
    [() => pasted(SHOPS, 'Acme https://acme.example cheap'), /has “cheap” where a price/],
    [() => pasted(IMAGES, 'https://a.example/1.jpg\nhttp://a.example/2.jpg'), /^line 2 .* https:/],
    [() => pasted(ADDRESSES, 'see our site'), /^line 1 \(“see our site”\)/],
  ])('a line that cannot be read is named by its number', (read, problem) => {
    expect(read().problem).toMatch(problem)
  })

  test('an image may be followed by what it shows', () => {
    expect(pasted(IMAGES, 'https://a.example/1.jpg The front\nhttps://a.example/2.jpg').entries).toEqual([
      { url: 'https://a.example/1.jpg', alt: 'The front' },
      { url: 'https://a.example/2.jpg', alt: null },
    ])
  })

  test('phrases are lines without their bullets', () => {
    expect(pasted(PHRASES, '- small kitchens\n\n* tea ').entries).toEqual(['small kitchens', 'tea'])
  })

  test('line ends of browsers and blanks at the end make no difference', () => {
    expect(plainLines('a  \r\nb\r\n')).toBe(plainLines('a\nb'))
  })
})
