/** Lists typed as lines: what is read of them, and which line is said to be wrong. */
import { describe, expect, test } from 'vitest'
import {
  plainLines,
  readAddresses,
  readImages,
  readPhrases,
  readShops,
  readSpecs,
  shopLine,
  specLine,
} from './lines.ts'

describe('specs', () => {
  test('names and values are told apart by a colon, a tab or an equals sign, with bullets and blank lines between', () => {
    const { entries, problem } = readSpecs(
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
    ['Capacity: 1 l\n\nheavy', 'line 3 (“heavy”) needs a name, a colon and a value'],
    ['Weight:', 'line 1 (“Weight:”) needs a name, a colon and a value'],
    [': 1 kg', 'line 1 (“: 1 kg”) needs a name, a colon and a value'],
    ['Weight: 1 kg\nweight: 2 kg', 'line 2 (“weight: 2 kg”) names “weight” a second time'],
  ])('%j is refused with its line', (text, problem) => {
    expect(readSpecs(text).problem).toBe(problem)
  })

  test('the same spec twice is one', () => {
    expect(readSpecs('A: 1\na: 1')).toEqual({ entries: [{ name: 'a', value: '1' }], problem: null })
  })

  test('whatever a spec is called, its line is read back as it was', () => {
    const specs = [
      { name: 'Ports: USB-C', value: '2' },
      { name: 'Ratio', value: '16:9' },
      { name: 'a=b', value: 'c=d' },
    ]
    expect(readSpecs(specs.map(specLine).join('\n')).entries).toEqual(specs)
  })
})

describe('shops, images, addresses and phrases', () => {
  test('a shop has its name, address and price in any marks; without a name it is called by its host', () => {
    const text =
      'Acme | https://acme.example/k?a=1,2 | $1,049.50\nhttps://www.shop.example/k\nBest Buys – https://b.example/x, 20'
    const { entries, problem } = readShops(text)
    expect(problem).toBeNull()
    expect(entries).toEqual([
      { name: 'Acme', url: 'https://acme.example/k?a=1,2', priceCents: 104_950 },
      { name: 'shop.example', url: 'https://www.shop.example/k', priceCents: null },
      { name: 'Best Buys', url: 'https://b.example/x', priceCents: 2_000 },
    ])
    expect(readShops(entries.map(shopLine).join('\n')).entries).toEqual(entries)
  })

  test.each([
    [() => readShops('Acme'), /^line 1 .* needs the full address/],
    [() => readShops('Acme https://acme.example cheap'), /has “cheap” where a price/],
    [() => readImages('https://a.example/1.jpg\nhttp://a.example/2.jpg'), /^line 2 .* https:/],
    [() => readAddresses('see our site'), /^line 1 \(“see our site”\)/],
  ])('what is no such line is told by its number', (read, problem) => {
    expect(read().problem).toMatch(problem)
  })

  test('an image may be followed by what it shows', () => {
    expect(readImages('https://a.example/1.jpg The front\nhttps://a.example/2.jpg').entries).toEqual([
      { url: 'https://a.example/1.jpg', alt: 'The front' },
      { url: 'https://a.example/2.jpg', alt: null },
    ])
  })

  test('phrases are lines without their bullets', () => {
    expect(readPhrases('- small kitchens\n\n* tea ').entries).toEqual(['small kitchens', 'tea'])
  })

  test('line ends of browsers and blanks at the end make no difference', () => {
    expect(plainLines('a  \r\nb\r\n')).toBe(plainLines('a\nb'))
  })
})
