import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createDictionary } from './dictionary.ts'
import { editDistance } from './edit-distance.ts'
import { stem } from './stem.ts'

function dictionaryOf(words: string[]) {
  const dictionary = createDictionary()
  const documents = new Map<number, number>()
  for (const word of words) {
    const id = dictionary.intern(word, stem(word))
    documents.set(id, (documents.get(id) ?? 0) + 1)
  }
  const near = (word: string, limit = 10) =>
    dictionary
      .near(word, limit, (id) => documents.get(id) ?? 0)
      .map(({ term, distance }) => `${term} ${distance}`)
  return { dictionary, near, documents }
}

describe('near', () => {
  test('a written form is near, its stem is the answer', () => {
    const { near } = dictionaryOf(['cancelling', 'headphones'])
    expect(near('cancelign')).toEqual(['cancel 2'])
    expect(near('hedphones')).toEqual(['headphon 1'])
  })

  test.each([
    ['three letters are never corrected', 'lam', ['lamp'], []],
    ['four letters allow one edit', 'lmap', ['lamp', 'camp'], ['lamp 1']],
    ['seven letters allow one edit', 'blendre', ['blender', 'bladder'], ['blender 1']],
    ['eight letters allow two', 'keybaord', ['keyboard'], ['keyboard 1']],
    ['eight letters, two edits', 'kebaordd', ['keyboard'], []],
    ['the first letter may be the wrong one', 'nattress', ['mattress'], ['mattress 1']],
    ['a number is never corrected', '1001', ['1000', '1011'], []],
    ['another digit is another model', 'xm400', ['xm500', 'xm40'], []],
    ['letters around the same digits may be wrong', 'iphnoe12', ['iphone12', 'iphone13'], ['iphone12 1']],
    ['the word itself is not near itself', 'blender', ['blender'], []],
    ['other alphabets count like letters', 'чайнык', ['чайник'], ['чайник 1']],
  ])('%s', (_, word, words, expected) => {
    expect(dictionaryOf(words).near(word)).toEqual(expected)
  })

  test('the nearer come first, then the more common', () => {
    expect(dictionaryOf(['bottle', 'battle', 'battle']).near('buttle')).toEqual(['battl 1', 'bottl 1'])
    expect(dictionaryOf(['sandwich', 'sandwich', 'sandmick']).near('sandwick')).toEqual([
      'sandwich 1',
      'sandmick 1',
    ])
    expect(dictionaryOf(['sandwich', 'sandwich', 'sandwikk']).near('sandwikc')).toEqual([
      'sandwikk 1',
      'sandwich 2',
    ])
  })

  test('words of removed documents are not suggested', () => {
    const { dictionary } = dictionaryOf(['blender'])
    expect(dictionary.near('blendre', 5, () => 0)).toEqual([])
  })

  test('no word within the bound is missed', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'l', 'o', '7'), minLength: 1, maxLength: 10 })
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), word, (words, asked) => {
        const { near } = dictionaryOf(words)
        const digits = (text: string) => text.replace(/\D/g, '')
        const max = asked.length < 4 || !/[a-z]/.test(asked) ? 0 : asked.length < 8 ? 1 : 2
        const expected = new Map<string, number>()
        for (const other of words) {
          const distance = editDistance(asked, other, 2)
          if (distance === 0 || distance > max || digits(other) !== digits(asked)) continue
          expected.set(stem(other), Math.min(distance, expected.get(stem(other)) ?? 9))
        }
        const found = near(asked, 1000)
        expect(found.toSorted()).toEqual(
          [...expected].map(([term, distance]) => `${term} ${distance}`).toSorted(),
        )
      }),
      { numRuns: 400 },
    )
  })
})

test('a term keeps its number, however it is written', () => {
  const { dictionary } = dictionaryOf(['charging', 'charge', 'lamp'])
  expect(dictionary.intern('charges', 'charg')).toBe(dictionary.idOf('charg'))
  expect(dictionary.idOf('constructor')).toBe(-1)
})
