import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tokenize } from './tokenize.ts'

const words = (text: string) =>
  tokenize(text)
    .filter(({ kind }) => kind === 'word')
    .map(({ term }) => term)
const terms = (text: string) => new Set(tokenize(text).map(({ term }) => term))
const surfaces = (text: string) => tokenize(text).map(({ surface }) => surface)

describe('spellings that mean one thing meet in one term', () => {
  test.each([
    ['27in', ['27-inch', '27 inch', '27 inches', '27 in', '27in', '27"', '27”', '27″', "27''", '27.0 in']],
    ['16gb', ['16 GB', '16GB', '16-GB', '16gb', '16 gigabytes']],
    ['2200w', ['2,200 W', '2200W', '2200 watts', '2200-watt', '2,200 w']],
    ['1.5l', ['1.5l', '1.5 L', '1.50 litres', '1.5-liter', '1 1/2 litre', '1½ l']],
    ['0.5in', ['1/2 inch', '1/2"', '½ in', '.5 inch', '0.50-inch']],
    ['6ft', ["6'", '6 ft', '6-foot', '6 feet', '6′']],
    ['12oz', ['12 oz', '12 fl oz', '12 ounces', '12-ounce', '12 fluid ounces']],
    ['300sqft', ['300 sq ft', '300 square feet', '300sqft']],
    ['38h', ['38 h', '38 hours', '38-hour', '38hr', '38 hrs']],
    ['5000mah', ['5,000 mAh', '5000mAh', '5000 mah']],
    ['10x12', ['10x12', '10 x 12', '10×12', '10" x 12"', '10 X 12']],
    ['ack1', ['AC-K1', 'ack1', 'ACK1', 'ac_k1']],
    ['wh1000xm4', ['WH-1000XM4', 'wh1000xm4', 'WH‑1000XM4', 'wh–1000xm4']],
    ['noisecancel', ['noise-cancelling', 'noisecancelling', 'Noise-Canceling', 'noise‐cancellation']],
    ['2in1', ['2-in-1', '2in1']],
    ['wifi', ['Wi-Fi', 'WiFi', 'wifi', 'WIFI']],
    ['usa', ['U.S.A.', 'USA', 'usa']],
    ['hm', ['H&M', 'HM']],
    ['loreal', ["L'Oréal", 'L’Oreal', 'loreal']],
    ['woman', ["women's", 'women’s', 'Women', 'womens', 'woman']],
    ['child', ["children's", 'childrens', 'child', 'CHILDREN']],
    ['knife', ['knife', 'knives', 'Knives']],
    ['mous', ['mouse', 'mice']],
    ['lens', ['lens', 'lenses']],
    ['batteri', ['battery', 'batteries', "battery's"]],
    ['run', ['running', 'runs', 'run']],
    ['charg', ['charge', 'charging', 'charged', 'charges']],
    ['cafe', ['café', 'CAFÉ', 'cafe', 'cafe\u0301']],
    ['smorrebrod', ['smørrebrød', 'Smorrebrod']],
    ['strass', ['Straß', 'strass']],
    ['fi', ['ﬁ']],
    ['kindleish', ['Kindleish™', 'kindleish®', 'kindleish']],
  ])('%s', (term, spellings) => {
    for (const spelling of spellings) expect(terms(spelling), spelling).toContain(term)
  })
})

describe('words', () => {
  test.each([
    ['Hushfield Vesper 4 Headphones', ['hushfield', 'vesper', '4', 'headphon']],
    ['black/white, red & blue', ['black', 'white', 'red', 'blue']],
    ['state—of the art', ['state', 'of', 'the', 'art']],
    ['10-12 hours', ['10', '12h']],
    ['sizes 1,2,3', ['size', '1', '2', '3']],
    ['3 in a box', ['3', 'in', 'a', 'box']],
    ['$100 in cash', ['100', 'in', 'cash']],
    ["the 90's", ['the', '90']],
    ['24/7 support', ['24', '7', 'support']],
    ['Bluetooth 5.4, 3.5 mm', ['bluetooth', '5.4', '3.5mm']],
    ['take 2 a day', ['take', '2', 'a', 'dai']],
    ['leggings earrings organizer', ['legging', 'earring', 'organizer']],
    ['日本語 текст', ['日本語', 'текст']],
    ['constructor __proto__ toString', ['constructor', 'proto', 'tostr']],
    ['', []],
    ['  —  !? ', []],
  ])('%s', (text, expected) => {
    expect(words(text)).toEqual(expected)
  })

  test('a token with digits is never stemmed', () => {
    expect(words('x100s mp3s 4gens')).toEqual(['x100s', 'mp3s', '4gens'])
  })

  test('stop words are marked and stay', () => {
    const stops = tokenize('a case for the phone').filter(({ stop }) => stop)
    expect(stops.map(({ term, position }) => [term, position])).toEqual([
      ['a', 0],
      ['for', 2],
      ['the', 3],
    ])
  })

  test('surfaces are folded but not stemmed', () => {
    expect(surfaces('Écouteurs Charging')).toEqual(['ecouteurs', 'charging'])
  })

  test('nothing is longer than a word can be', () => {
    expect(Math.max(...surfaces(`${'x'.repeat(5000)} ${'ab1'.repeat(400)}`).map((word) => word.length))).toBe(
      40,
    )
  })
})

describe('one word, several tokens', () => {
  test('a hyphenated compound is its words and, at the place of the first, the joined word', () => {
    expect(tokenize('best noise-cancelling pair')).toEqual([
      { term: 'best', surface: 'best', position: 0, span: 1, kind: 'word', stop: false },
      { term: 'nois', surface: 'noise', position: 1, span: 1, kind: 'word', stop: false },
      { term: 'cancel', surface: 'cancelling', position: 2, span: 1, kind: 'word', stop: false },
      { term: 'noisecancel', surface: 'noisecancelling', position: 1, span: 2, kind: 'joined', stop: false },
      { term: 'pair', surface: 'pair', position: 3, span: 1, kind: 'word', stop: false },
    ])
  })

  test.each([
    ['WH-1000XM4', ['wh', '1000xm4', '1000', 'xm4', 'wh1000xm4', 'wh1000']],
    ['wh1000xm4', ['wh1000xm4', 'wh1000', 'xm4']],
    ['i7-12700H', ['i7', '12700h', '12700', 'i712700h', 'i712700']],
    ['100pcs', ['100pcs', '100', 'pc']],
    ['27-inch', ['27in', '27']],
    ['6x8 inch', ['6x8', '6in', '6', '8in', '8']],
    ['4K', ['4k']],
    ['2-in-1', ['2', 'in', '1', '2in1', 'in1']],
    ['one-two-three-four-five', ['on', 'two', 'three', 'four', 'five']],
    ['16 GB, 16 in', ['16gb', '16', '16in']],
  ])('%s', (text, expected) => {
    expect(terms(text)).toEqual(new Set(expected))
  })

  test('the bare number of every amount is there, also when two amounts share it', () => {
    const pieces = tokenize('16 GB 16 inch').filter(({ kind }) => kind === 'piece')
    expect(pieces.map(({ term, position }) => [term, position])).toEqual([
      ['16', 0],
      ['16', 1],
    ])
  })
})

test('whatever the text, a token written on its own gives its term again', () => {
  const near = fc.string({ unit: fc.constantFrom(...'aehilmnsx1205 -./,\'"&é'), maxLength: 24 })
  fc.assert(
    fc.property(fc.oneof(near, fc.string({ unit: 'grapheme', maxLength: 40 })), (text) => {
      for (const { term, surface } of tokenize(text)) expect(terms(surface), surface).toContain(term)
    }),
    { numRuns: 2000 },
  )
})

test('positions count words without a gap', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.constantFrom('noise-cancelling', '27 in', 'red', 'WH-1000XM4', '10 x 12', 'the', 'a/b', '5'),
      ),
      (parts) => {
        const positions = tokenize(parts.join(', '))
          .filter(({ kind }) => kind === 'word')
          .map(({ position }) => position)
        expect(positions).toEqual(positions.map((_, i) => i))
      },
    ),
  )
})
