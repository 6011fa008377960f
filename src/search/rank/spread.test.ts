/** Near-duplicates of one brand keep their distance; everything else stays where it was. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { demoIndex, demoProducts } from '../../../test/e2e/search.world.ts'
import { type CatalogIndex, createCatalogIndex } from '../catalog-index.ts'
import { NO_PASSAGES } from '../vectors/passages.ts'
import { spreadOut } from './rank.ts'

const DIMS = 16
const [template] = demoProducts().products
if (!template) throw new Error('the demo catalog is empty')

/** Products of one letter are nearly the same text; the brand is told apart by case. */
function catalogOf(letters: string): { index: CatalogIndex; slots: Uint32Array; order: number[] } {
  const index = createCatalogIndex(DIMS)
  for (const [at, letter] of [...letters].entries()) {
    const vector = new Float32Array(DIMS)
    vector[(letter.toLowerCase().codePointAt(0) ?? 0) % DIMS] = 1
    const brand =
      letter === '-' ? null : { name: letter === letter.toUpperCase() ? 'Upper' : 'Lower', domain: null }
    index.put({ ...template, id: `p${at}`, slug: `p${at}`, brand } as typeof template & object, {
      full: vector,
      short: vector,
      passages: NO_PASSAGES,
    })
  }
  return { index, slots: Uint32Array.from(letters, (_, at) => at), order: [...letters].map((_, at) => at) }
}

/** Vectors in memory are compared at once. */
function spreadNow(index: CatalogIndex, slots: Uint32Array, order: number[]): number[] {
  const spreaded = spreadOut(index, slots, order)
  if (spreaded instanceof Promise) throw new Error('vectors in memory were waited for')
  return spreaded
}

function spread(letters: string): string {
  const { index, slots, order } = catalogOf(letters)
  return spreadNow(index, slots, order)
    .map((at) => letters[at])
    .join('')
}

describe('spreading results', () => {
  test('near-duplicates of one brand do not stand next to each other while others are there', () => {
    expect(spread('aaabcde')).toBe('abcdaea')
    expect(spread('aabbccdd')).toBe('abcdabcd')
  })

  test('what is not a duplicate keeps its order', () => {
    expect(spread('abcdefgh')).toBe('abcdefgh')
  })

  test('the same text of another brand, or of none, is no duplicate', () => {
    expect(spread('aAbc')).toBe('aAbc')
    expect(spread('--bc')).toBe('--bc')
  })

  test('when only duplicates are left they follow in their order', () => {
    const { index, slots, order } = catalogOf('aaaa')
    expect(spreadNow(index, slots, order)).toEqual([0, 1, 2, 3])
  })

  test('every candidate comes back exactly once, and duplicates stay in their order', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'aabBcdE-'), maxLength: 70 }), (letters) => {
        const { index, slots, order } = catalogOf(letters)
        const spreaded = spreadNow(index, slots, order)
        expect(spreaded.toSorted((a, b) => a - b)).toEqual(order)
        for (const letter of new Set(letters)) {
          const own = spreaded.filter((at) => letters[at] === letter)
          expect(own).toEqual(own.toSorted((a, b) => a - b))
        }
        for (const [place, at] of spreaded.slice(0, -1).entries()) {
          const next = spreaded[place + 1] ?? -1
          if (letters[at] !== letters[next] || letters[at] === '-' || place + 1 >= 50) continue
          // Next to its like: so nothing that waited behind it could have stood between.
          for (const later of spreaded.slice(place + 1, 50)) {
            const recent = spreaded.slice(Math.max(0, place - 2), place + 1)
            expect(recent.some((before) => letters[before] === letters[later])).toBe(true)
          }
        }
      }),
      { numRuns: 80 },
    )
  })

  test('demo products that are not near-duplicates are left alone', () => {
    const index = demoIndex()
    const slots = Uint32Array.from({ length: 40 }, (_, at) => at * 20)
    const order = [...slots.keys()]
    expect(spreadNow(index, slots, order)).toEqual(order)
  })
})
