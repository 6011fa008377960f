import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chooseRange } from './range.ts'

const etag = '"abc"'
const choose = (range: string | undefined, size = 100, ifRange?: string) =>
  chooseRange({ range, ifRange, etag, size })

test.each([
  ['bytes=0-0', { kind: 'part', start: 0, end: 0 }],
  ['bytes=10-19', { kind: 'part', start: 10, end: 19 }],
  ['bytes=90-', { kind: 'part', start: 90, end: 99 }],
  ['bytes=90-1000', { kind: 'part', start: 90, end: 99 }],
  ['bytes=-1', { kind: 'part', start: 99, end: 99 }],
  ['bytes=-1000', { kind: 'part', start: 0, end: 99 }],
  ['Bytes = 1 - 2', { kind: 'part', start: 1, end: 2 }],
  ['bytes=100-', { kind: 'unsatisfiable' }],
  ['bytes=-0', { kind: 'unsatisfiable' }],
  ['bytes=0-1,5-6', { kind: 'whole' }],
  ['bytes=5-1', { kind: 'whole' }],
  ['bytes=-', { kind: 'whole' }],
  ['bytes=a-b', { kind: 'whole' }],
  ['lines=0-1', { kind: 'whole' }],
  [undefined, { kind: 'whole' }],
])('%s of 100 bytes is answered as the RFC says', (range, answer) => {
  expect(choose(range)).toEqual(answer)
})

test('nothing of an empty file can be had', () => {
  for (const range of ['bytes=0-', 'bytes=0-0', 'bytes=-5'])
    expect(choose(range, 0)).toEqual({ kind: 'unsatisfiable' })
})

test('a download goes on only with the very same bytes', () => {
  expect(choose('bytes=5-', 100, etag).kind).toBe('part')
  for (const other of ['"other"', 'W/"abc"', 'Sun, 01 Nov 2026 12:00:00 GMT', '*'])
    expect(choose('bytes=5-', 100, other).kind).toBe('whole')
})

test('whatever a client sends, a part lies within the file', () => {
  const header = fc.oneof(
    fc.string().map((text) => `bytes=${text}`),
    fc.tuple(fc.nat(300), fc.nat(300)).map(([a, b]) => `bytes=${a}-${b}`),
    fc.nat(300).map((n) => `bytes=-${n}`),
    fc.bigInt({ min: 0n }).map((n) => `bytes=${n}-`),
  )
  fc.assert(
    fc.property(header, fc.nat(200), (range, size) => {
      const answer = choose(range, size)
      if (answer.kind !== 'part') return true
      return 0 <= answer.start && answer.start <= answer.end && answer.end < size
    }),
  )
})
