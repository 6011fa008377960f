/** Judged against BM25F written out the plain way, over random little corpora. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { K1 } from './bm25f.ts'
import { FIELD_WEIGHTS, FIELDS, type Field } from './fields.ts'
import { createLexicalIndex, type LexicalDoc, type LexicalIndex, type QueryTerm } from './lexical-index.ts'
import { tokenize } from './tokenize.ts'

const VOCABULARY =
  'air fryer airfryer noise noise-cancelling headphones AC-K1 k1 27-inch 27 red the quiet compact'.split(' ')
const TERMS =
  'air fryer airfryer nois cancel noisecancel headphon ack1 k1 ac 27in 27 red the quiet compact absent'.split(
    ' ',
  )
const TINY = { sealAt: 4, fanIn: 2, maxSpan: 32, slice: 9 }
const NAMES = new Set<Field>(['title', 'brand', 'model'])

const text = fc.array(fc.constantFrom(...VOCABULARY), { maxLength: 9 }).map((words) => words.join(' '))
const doc: fc.Arbitrary<LexicalDoc> = fc.record(
  Object.fromEntries(FIELDS.map((field) => [field, text])) as Record<Field, fc.Arbitrary<string>>,
  { requiredKeys: [] },
)
const queryTerm: fc.Arbitrary<QueryTerm> = fc.record(
  {
    term: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...TERMS) },
      fc.tuple(fc.constantFrom(...TERMS), fc.constantFrom(...TERMS)).map((pair) => pair.join(' ')),
    ),
    weight: fc.constantFrom(1, 0.8, 0.4),
    group: fc.integer({ min: 0, max: 3 }),
    fields: fc.subarray([...FIELDS], { minLength: 1 }),
  },
  { requiredKeys: ['term', 'weight', 'group'] },
)
const query = fc.array(queryTerm, { minLength: 1, maxLength: 7 })

/** term → frequency in each field, and the length of each field */
type Plain = { frequencies: Map<string, Record<Field, number>>; lengths: Record<Field, number> }

const zeros = () => Object.fromEntries(FIELDS.map((field) => [field, 0])) as Record<Field, number>

function readPlainly(source: LexicalDoc): Plain {
  const frequencies = new Map<string, Record<Field, number>>()
  const lengths = zeros()
  for (const field of FIELDS) {
    for (const { term, kind, stop } of tokenize([source[field] ?? ''].flat().join(' '))) {
      if (stop && !NAMES.has(field)) continue
      const counts = frequencies.get(term) ?? zeros()
      counts[field]++
      frequencies.set(term, counts)
      if (kind === 'word') lengths[field]++
    }
  }
  return { frequencies, lengths }
}

type Judged = { bm25: number; coverage: number; titleCoverage: number; specCoverage: number }

function judgePlainly(sources: LexicalDoc[], terms: QueryTerm[]): Judged[] {
  const docs = sources.map(readPlainly)
  const averages = zeros()
  for (const field of FIELDS) {
    const lengths = docs.map((each) => each.lengths[field]).filter((length) => length > 0)
    averages[field] = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length)
  }
  const holding = (term: string) => docs.filter((each) => each.frequencies.has(term)).length
  const idf = (term: string) =>
    Math.max(
      ...term
        .split(' ')
        .map((word) => Math.log(1 + (docs.length - holding(word) + 0.5) / (holding(word) + 0.5))),
    )
  const weighed = (each: Plain, term: string, fields: readonly Field[], weightOf: (field: Field) => number) =>
    fields.reduce((sum, field) => {
      const frequency = Math.min(...term.split(' ').map((word) => each.frequencies.get(word)?.[field] ?? 0))
      const { b } = FIELD_WEIGHTS[field]
      const norm = b === 0 ? 1 : 1 - b + (b * each.lengths[field]) / averages[field]
      return frequency === 0 ? sum : sum + (weightOf(field) * frequency) / norm
    }, 0)
  const groups = [...new Set(terms.map(({ group }) => group))].map((group) => {
    const variants = terms.filter((term) => term.group === group)
    const present = variants.filter(({ term }) => term.split(' ').every((word) => holding(word) > 0))
    const heaviest = Math.max(...present.map(({ weight }) => weight))
    const head = present.find(({ weight }) => weight === heaviest)
    return { present, idf: head ? idf(head.term) : Math.log(1 + (docs.length + 0.5) / 0.5) }
  })
  const whole = groups.reduce((sum, group) => sum + group.idf, 0)
  return docs.map((each) => {
    const judged = { bm25: 0, coverage: 0, titleCoverage: 0, specCoverage: 0 }
    for (const group of groups) {
      const worth = group.present.map(({ term, weight, fields = FIELDS }) => {
        const all = weighed(each, term, fields, (field) => FIELD_WEIGHTS[field].weight)
        const inField = (field: Field) =>
          fields.includes(field) && weighed(each, term, [field], () => 1) > 0
            ? (weight * group.idf) / whole
            : 0
        const factor = weight * Math.min(idf(term), group.idf)
        return {
          bm25: (factor * all) / (K1 + all),
          coverage: all > 0 ? (weight * group.idf) / whole : 0,
          titleCoverage: inField('title'),
          specCoverage: inField('specs'),
        }
      })
      for (const key of ['bm25', 'coverage', 'titleCoverage', 'specCoverage'] as const)
        judged[key] += Math.max(0, ...worth.map((one) => one[key]))
    }
    return judged
  })
}

function indexOf(docs: LexicalDoc[], sizes?: typeof TINY): LexicalIndex {
  const index = createLexicalIndex(sizes)
  docs.forEach((each, slot) => {
    expect(index.add(each)).toBe(slot)
  })
  return index
}

/** The k best must be the plain k best, up to rounding: right scores, right order, nothing better left out. */
function expectSameHits(index: LexicalIndex, terms: QueryTerm[], k: number, plain: number[]): void {
  const { slots, scores } = index.search(terms, k)
  expect(slots.length).toBe(Math.min(k, plain.filter((score) => score > 0).length))
  expect(new Set(slots).size).toBe(slots.length)
  slots.forEach((slot, i) => {
    expect(Math.abs((scores[i] ?? 0) - (plain[slot] ?? 0))).toBeLessThan(1e-4)
    if (i > 0) expect(plain[slot] ?? 0).toBeLessThanOrEqual((plain[slots[i - 1] ?? 0] ?? 0) + 1e-4)
  })
  const leftOut = plain.filter((_, slot) => !slots.includes(slot))
  if (slots.length === k) expect(Math.max(0, ...leftOut)).toBeLessThanOrEqual((scores.at(-1) ?? 0) + 1e-4)
}

const hitsOf = (index: LexicalIndex, terms: QueryTerm[], allowed?: Uint8Array) => {
  const { slots, scores } = index.search(terms, 1000, allowed)
  return { slots: [...slots], scores: [...scores] }
}
const word = (term: string, group = 0, weight = 1): QueryTerm => ({ term, weight, group })

describe('against BM25F written out', () => {
  test('search has the same order and scores', () => {
    fc.assert(
      fc.property(
        fc.array(doc, { maxLength: 25 }),
        query,
        fc.integer({ min: 1, max: 30 }),
        (docs, terms, k) => {
          expectSameHits(
            indexOf(docs),
            terms,
            k,
            judgePlainly(docs, terms).map(({ bm25 }) => bm25),
          )
        },
      ),
      { numRuns: 100 },
    )
  })

  test('explain has the same evidence, for any slots in any order', () => {
    fc.assert(
      fc.property(
        fc.array(doc, { minLength: 1, maxLength: 20 }),
        query,
        fc.boolean(),
        (docs, terms, merged) => {
          const slots = Uint32Array.from(docs.keys()).reverse()
          const evidence = indexOf(docs, merged ? TINY : undefined).explain(terms, slots)
          const plain = judgePlainly(docs, terms)
          slots.forEach((slot, i) => {
            for (const key of ['bm25', 'coverage', 'titleCoverage', 'specCoverage'] as const)
              expect(evidence[key][i], key).toBeCloseTo(plain[slot]?.[key] ?? -1, 4)
          })
        },
      ),
      { numRuns: 70 },
    )
  })

  test('idf and document counts are those of the documents', () => {
    fc.assert(
      fc.property(fc.array(doc, { maxLength: 20 }), fc.constantFrom(...TERMS), (docs, term) => {
        const index = indexOf(docs)
        const holding = docs.filter((each) => readPlainly(each).frequencies.has(term)).length
        expect(index.documents(term)).toBe(holding)
        expect(index.has(term)).toBe(holding > 0)
        expect(index.idf(term)).toBeCloseTo(Math.log(1 + (docs.length - holding + 0.5) / (holding + 0.5)), 9)
      }),
    )
  })

  test('a long text counts as long as it is, to a few per cent', () => {
    const docs = [100, 128, 300, 1000, 2000].map((length) => ({ text: `red ${'quiet '.repeat(length - 1)}` }))
    const terms = [word('red')]
    const plain = judgePlainly(docs, terms)
    const { bm25 } = indexOf(docs).explain(terms, Uint32Array.from(docs.keys()))
    plain.forEach((judged, slot) => {
      expect(Math.abs((bm25[slot] ?? 0) / judged.bm25 - 1)).toBeLessThan(0.02)
    })
  })
})

describe('filters and order', () => {
  test('a mask is applied before ranking: the k best of what is allowed', () => {
    fc.assert(
      fc.property(
        fc.array(doc, { minLength: 1, maxLength: 30 }),
        query,
        fc.array(fc.constantFrom(0, 1), { minLength: 30, maxLength: 30 }),
        fc.integer({ min: 1, max: 8 }),
        (docs, terms, mask, k) => {
          const index = indexOf(docs, TINY)
          const all = hitsOf(index, terms).slots
          const { slots } = index.search(terms, k, Uint8Array.from(mask))
          expect([...slots]).toEqual(all.filter((slot) => mask[slot] === 1).slice(0, k))
        },
      ),
    )
  })

  test('a slot beyond the mask is not allowed', () => {
    const index = indexOf([{ title: 'red' }, { title: 'red' }])
    expect(hitsOf(index, [word('red')], Uint8Array.of(1)).slots).toEqual([0])
  })

  test('equal documents come in the order of their slots', () => {
    const index = indexOf(
      Array.from({ length: 40 }, () => ({ title: 'quiet fryer' })),
      TINY,
    )
    expect([...index.search([word('fryer')], 7).slots]).toEqual([0, 1, 2, 3, 4, 5, 6])
  })

  test('a search leaves nothing behind for the next', () => {
    const index = indexOf([{ title: 'red fryer' }, { text: 'quiet' }])
    const first = hitsOf(index, [word('red'), word('quiet', 1)])
    hitsOf(index, [word('fryer'), word('red', 0, 0.4)])
    expect(hitsOf(index, [word('red'), word('quiet', 1)])).toEqual(first)
  })

  test('nothing asked for, nothing wanted or nothing there is an empty answer', () => {
    const index = indexOf([{ title: 'red' }])
    expect(hitsOf(index, []).slots).toEqual([])
    expect([...index.search([word('red')], 0).slots]).toEqual([])
    expect(hitsOf(createLexicalIndex(), [word('red')]).slots).toEqual([])
    expect(hitsOf(index, [word('constructor'), word('', 1)]).slots).toEqual([])
  })
})

test('what a document is called by is what a plain look at its fields says, in all segments', () => {
  const isIn = (source: LexicalDoc, fields: readonly Field[], term: string) =>
    fields.some((field) => (readPlainly({ [field]: source[field] }).frequencies.get(term)?.[field] ?? 0) > 0)
  fc.assert(
    fc.property(
      fc.array(doc, { maxLength: 40 }),
      fc.array(fc.constantFrom(...TERMS), { maxLength: 8 }),
      (docs, terms) => {
        const index = createLexicalIndex(TINY)
        for (const source of docs) index.add(source)
        const known = terms.map((term) => index.numberOf(term)).map((number) => (number < 0 ? [] : [number]))
        const expected = docs.map((source) =>
          terms.reduce((bits, term, at) => {
            const bit = 1 << at
            const byName = isIn(source, ['title', 'brand', 'model'], term) ? bit : 0
            const byBrand = isIn(source, ['brand'], term) ? bit << 8 : 0
            return bits | byName | byBrand | (isIn(source, ['category'], term) ? bit << 16 : 0)
          }, 0),
        )
        expect([...index.calledBy(known).subarray(0, docs.length)]).toEqual(expected)
      },
    ),
  )
})

describe('what counts', () => {
  test('a word in the title outranks the same word in the text', () => {
    const index = indexOf([
      { title: 'lamp', text: 'quiet' },
      { title: 'quiet', text: 'lamp' },
    ])
    expect(hitsOf(index, [word('quiet')]).slots).toEqual([1, 0])
  })

  test('a rare synonym never outranks the common word that was asked for', () => {
    const docs = Array.from({ length: 50 }, (_, i) =>
      i === 0 ? { title: 'telly' } : { title: 'television' },
    )
    const found = hitsOf(indexOf(docs), [word('televis'), word('telli', 0, 0.4)])
    expect(found.slots.at(-1)).toBe(0)
    expect(found.slots.length).toBe(50)
  })

  test('a phrase needs all its words in one field', () => {
    const index = indexOf([
      { title: 'air pump', text: 'fryer' },
      { text: 'a fryer with hot air' },
      { title: 'air' },
    ])
    expect(hitsOf(index, [word('air fryer')]).slots).toEqual([1])
  })

  test('stop words are found in names, not in prose', () => {
    const index = indexOf([{ title: 'The One' }, { text: 'the best of the best' }])
    expect(hitsOf(index, [word('the')]).slots).toEqual([0])
  })

  test('a term is a compound when documents tie it with a hyphen', () => {
    const index = indexOf([{ title: 'noise-cancelling keyboard' }, { text: 'noise-cancelling' }])
    expect(index.isCompound('noisecancel')).toBe(true)
    expect(index.isCompound('keyboard')).toBe(false)
    expect(index.isCompound('absent')).toBe(false)
  })

  test('memory is accounted for', () => {
    const empty = createLexicalIndex().bytes()
    const filled = indexOf(
      Array.from({ length: 3000 }, (_, i) => ({ title: `red model${i}`, text: 'quiet' })),
    )
    expect(filled.bytes()).toBeGreaterThan(empty + 3000 * 50)
  })
})
