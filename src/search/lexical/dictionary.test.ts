import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createDictionary, editDistance, editsOf } from './dictionary.ts'
import { stem } from './tokenize.ts'

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

describe('words that start so', () => {
  const words = [
    'espresso',
    'esplanade',
    'mice',
    'mouse',
    'microphones',
    'es',
    'xm4',
    'xm400',
    'чайник',
    'чай',
  ]
  const starting = (prefix: string, nearly = false) => {
    const { dictionary } = dictionaryOf(words)
    const found = nearly ? dictionary.startingNearly(prefix) : dictionary.startingWith(prefix)
    return words.filter((word) => found.includes(dictionary.idOf(stem(word))))
  }

  test.each([
    ['es', ['espresso', 'esplanade', 'es']],
    ['esp', ['espresso', 'esplanade']],
    ['espresso', ['espresso']],
    ['espressos', []],
    ['xm4', ['xm4', 'xm400']],
    ['ча', ['чайник', 'чай']],
    ['чайн', ['чайник']],
    ['mic', ['microphones']],
    ['mice', ['mice', 'mouse']],
  ])('%s', (prefix, expected) => {
    expect(starting(prefix)).toEqual(expected)
  })

  test.each([
    ['expr', ['espresso']],
    ['epsre', ['espresso']],
    ['sspress', ['espresso']],
    ['espplan', ['esplanade']],
    ['exp', []],
    ['xm5', []],
    ['xm40x', []],
  ])('nearly %s', (prefix, expected) => {
    expect(starting(prefix, true)).toEqual(expected)
  })

  test('are those that a scan finds, whatever the words', () => {
    const word = fc.string({ unit: fc.constantFrom(...'abcé1'), minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(fc.array(word), word, (all, prefix) => {
        const dictionary = createDictionary()
        const ids = all.map((one) => dictionary.intern(one, one))
        const expected = ids.filter((_, at) => all[at]?.startsWith(prefix))
        expect(new Set(dictionary.startingWith(prefix))).toEqual(new Set(expected))
      }),
    )
  })

  test('nearly are those that start with an edit of it', () => {
    const word = fc.string({ unit: fc.constantFrom(...'abc1'), minLength: 1, maxLength: 8 })
    const prefix = fc.string({ unit: fc.constantFrom(...'abc'), minLength: 4, maxLength: 7 })
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), prefix, (all, typed) => {
        const dictionary = createDictionary()
        const ids = all.map((one) => dictionary.intern(one, one))
        const edits = [...editsOf(typed)].filter(({ length }) => length >= 4)
        const expected = ids.filter((_, at) => edits.some((edit) => all[at]?.startsWith(edit)))
        expect(new Set(dictionary.startingNearly(typed))).toEqual(new Set(expected))
      }),
      { numRuns: 500 },
    )
  })
})

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
    ['the letters of a model number are as exact as its digits', 'abc1234x', ['abd1234x'], []],
    ['letters around the same digits may be wrong', 'iphnoe12', ['iphone12', 'iphone13'], ['iphone12 1']],
    ['the word itself is not near itself', 'blender', ['blender'], []],
    ['other alphabets count like letters', 'чайнык', ['чайник'], ['чайник 1']],
  ])('%s', (_, word, words, expected) => {
    expect(dictionaryOf(words).near(word)).toEqual(expected)
  })

  test('only the nearest are given, the more common first', () => {
    expect(dictionaryOf(['bottle', 'battle', 'battle']).near('buttle')).toEqual(['battl 1', 'bottl 1'])
    expect(dictionaryOf(['sandwich', 'sandwich', 'sandmick']).near('sandwick')).toEqual([
      'sandwich 1',
      'sandmick 1',
    ])
    expect(dictionaryOf(['sandwich', 'sandwich', 'sandwikk']).near('sandwikc')).toEqual(['sandwikk 1'])
  })

  test('words of removed documents are not suggested', () => {
    const { dictionary } = dictionaryOf(['blender'])
    expect(dictionary.near('blendre', 5, () => 0)).toEqual([])
  })

  test('no word within the bound is missed, and the nearest are given', () => {
    const letter = fc.constantFrom('a', 'b', 'l', 'o', '7')
    const edit = fc.record({
      kind: fc.constantFrom('insert', 'delete', 'replace', 'swap'),
      at: fc.nat(11),
      letter,
    })
    const example = fc.record({
      asked: fc.array(letter, { minLength: 1, maxLength: 11 }),
      // Words a few edits away from the one that is asked for: words at random are hardly ever near.
      edits: fc.array(fc.array(edit, { maxLength: 3 }), { maxLength: 12 }),
    })
    fc.assert(
      fc.property(example, ({ asked: letters, edits }) => {
        const asked = letters.join('')
        const words = edits.map((each) => {
          const other = [...letters]
          for (const { kind, at, letter: put } of each) {
            if (kind === 'insert') other.splice(at, 0, put)
            else if (kind === 'delete') other.splice(at, 1)
            else if (kind === 'replace') other.splice(at, 1, put)
            else other.splice(at, 2, ...other.slice(at, at + 2).reverse())
          }
          return other.join('') || 'a'
        })
        const { near } = dictionaryOf(words)
        const digits = (text: string) => text.replace(/\D/g, '')
        const isSpelled = (text: string) => !/\d/.test(text) || /[a-z]{4}/.test(text)
        const max = asked.length < 4 || !isSpelled(asked) ? 0 : asked.length < 8 ? 1 : 2
        const distances = new Map<string, number>()
        for (const other of words) {
          const distance = editDistance(asked, other, 2)
          if (distance === 0 || distance > max || digits(other) !== digits(asked) || !isSpelled(other))
            continue
          if (other.length < 3) continue
          distances.set(stem(other), Math.min(distance, distances.get(stem(other)) ?? 9))
        }
        const least = Math.min(...distances.values())
        const nearest = [...distances].filter(([, distance]) => distance === least)
        expect(near(asked, 1000).toSorted()).toEqual(nearest.map(([term]) => `${term} ${least}`).toSorted())
      }),
      { numRuns: 600 },
    )
  })
})

test('a term keeps its number, however it is written', () => {
  const { dictionary } = dictionaryOf(['charging', 'charge', 'lamp'])
  expect(dictionary.intern('charges', 'charg')).toBe(dictionary.idOf('charg'))
  expect(dictionary.idOf('constructor')).toBe(-1)
})
