/** Through the index, with segments so small and merges so slow that every state is met. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLexicalIndex, type LexicalDoc, type LexicalIndex, type QueryTerm } from './lexical-index.ts'

const TINY = { sealAt: 4, fanIn: 2, maxSpan: 32, slice: 9 }
const TERMS = ['air', 'fryer', 'nois', 'cancel', 'noisecancel', 'red', '27in', '27', 'air fryer', 'absent']

const text = fc
  .array(fc.constantFrom('air', 'fryer', 'noise-cancelling', 'noise', 'red', '27-inch', '27'), {
    maxLength: 6,
  })
  .map((words) => words.join(' '))
const doc: fc.Arbitrary<LexicalDoc> = fc.record({ title: text, specs: text, text }, { requiredKeys: [] })
const query = fc.array(
  fc.record({
    term: fc.constantFrom(...TERMS),
    weight: fc.constantFrom(1, 0.4),
    group: fc.integer({ min: 0, max: 2 }),
  }),
  { minLength: 1, maxLength: 5 },
)

function indexOf(docs: LexicalDoc[], sizes?: typeof TINY): LexicalIndex {
  const index = createLexicalIndex(sizes)
  for (const each of docs) index.add(each)
  return index
}

function hitsOf(index: LexicalIndex, terms: QueryTerm[]) {
  const { slots, scores } = index.search(terms, 1000)
  return { slots: [...slots], scores: [...scores] }
}

function tidyUp(index: LexicalIndex): void {
  while (!index.tidy(1));
}

test('documents that come one by one are found as if they had been indexed at once', () => {
  fc.assert(
    fc.property(fc.array(doc, { maxLength: 90 }), query, fc.boolean(), (docs, terms, tidied) => {
      const merged = indexOf(docs, TINY)
      if (tidied) tidyUp(merged)
      expect(hitsOf(merged, terms)).toEqual(hitsOf(indexOf(docs), terms))
    }),
    { numRuns: 50 },
  )
})

test('whatever is added, removed and tidied in between, exactly the living documents that match are found', () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ add: doc }) },
    { weight: 3, arbitrary: fc.record({ remove: fc.nat(80) }) },
    { weight: 1, arbitrary: fc.record({ tidy: fc.constantFrom(0, 1) }) },
  )
  fc.assert(
    fc.property(fc.array(step, { minLength: 30, maxLength: 160 }), query, (steps, terms) => {
      const index = createLexicalIndex(TINY)
      const docs: LexicalDoc[] = []
      const removed = new Set<number>()
      for (const each of steps) {
        if ('add' in each) docs[index.add(each.add)] = each.add
        else if ('tidy' in each) index.tidy(each.tidy)
        else if (each.remove < docs.length) {
          index.remove(each.remove)
          removed.add(each.remove)
        }
      }
      const matching = hitsOf(indexOf(docs), terms).slots.filter((slot) => !removed.has(slot))
      expect(hitsOf(index, terms).slots.toSorted()).toEqual(matching.toSorted())
      expect([index.size, index.slotCount]).toEqual([docs.length - removed.size, docs.length])
    }),
    { numRuns: 50 },
  )
})

test('once removed documents are merged away, scores are as if they had never been', () => {
  fc.assert(
    fc.property(fc.array(doc, { minLength: 8, maxLength: 80 }), query, (given, terms) => {
      // All sealed, a slow merge under way, and three in four removed: every segment is mostly dead and is written anew.
      const docs = given.slice(0, given.length - (given.length % TINY.sealAt))
      const index = indexOf(docs, { ...TINY, slice: 1 })
      docs.forEach((_, slot) => {
        if (slot % 4 !== 0) index.remove(slot)
      })
      tidyUp(index)
      const kept = [...docs.keys()].filter((slot) => slot % 4 === 0)
      const alone = indexOf(kept.map((slot) => docs[slot] ?? {}))
      const expected = hitsOf(alone, terms)
      const found = hitsOf(index, terms)
      expect(found.slots).toEqual(expected.slots.map((i) => kept[i]))
      expect(found.scores).toEqual(expected.scores)
      for (const term of TERMS) expect(index.documents(term)).toBe(alone.documents(term))
    }),
    { numRuns: 40 },
  )
})

test('a document removed before its part is sealed leaves nothing behind', () => {
  const index = createLexicalIndex(TINY)
  index.remove(index.add({ title: 'red' }))
  for (let i = 0; i < 3; i++) index.add({ title: 'air fryer' })
  expect(index.documents('red')).toBe(0)
  expect(index.idf('fryer')).toBe(indexOf(Array.from({ length: 3 }, () => ({ title: 'fryer' }))).idf('fryer'))
})

test('removing twice, or what was never there, changes nothing', () => {
  const index = indexOf([{ title: 'red' }, { title: 'red fryer' }])
  index.remove(0)
  index.remove(0)
  index.remove(7)
  expect([index.size, index.slotCount]).toEqual([1, 2])
  expect(hitsOf(index, [{ term: 'red', weight: 1, group: 0 }]).slots).toEqual([1])
})

test('thousands of documents in segments of the real size are all there', () => {
  const index = createLexicalIndex()
  for (let i = 0; i < 6000; i++) index.add({ title: `red model${i}`, text: i % 2 ? 'fryer' : 'air' })
  tidyUp(index)
  expect(index.search([{ term: 'red', weight: 1, group: 0 }], 10_000).slots.length).toBe(6000)
  for (const i of [0, 1023, 1024, 4095, 4096, 5999])
    expect([...index.search([{ term: `model${i}`, weight: 1, group: 0 }], 5).slots]).toEqual([i])
})
