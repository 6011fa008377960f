import { expect, test } from 'vitest'
import type { RfqAnswer } from '../orgs/integration-health.service.ts'
import { createGatherer, lastingAnswers } from './recorder.ts'

function answers(orgId: string, oks: string, cardUrl = 'https://shop.example/card'): RfqAnswer[] {
  return [...oks].map((ok, n) => ({ orgId, ok: ok === '+', ms: n, at: new Date(n), cardUrl }))
}

const written = (kept: RfqAnswer[]) => kept.map(({ ok, ms }) => `${ok ? '+' : '-'}${ms}`).join(' ')

test.each([
  ['+', '+0'],
  ['++++', '+3'],
  ['--+', '+2'],
  ['+--', '+0 -1 -2'],
  ['-+-+--', '+3 -4 -5'],
  ['--', '-0 -1'],
  ['------------', '-2 -3 -4 -5 -6 -7 -8 -9 -10 -11'],
])('of the answers %s of one agent those last that decide its health', (oks, kept) => {
  expect(written(lastingAnswers(answers('a', oks)))).toBe(kept)
})

test('what lasts is told apart by organization and by card', () => {
  const all = [
    ...answers('a', '+-'),
    ...answers('b', '-+'),
    ...answers('a', '--', 'https://new.example/card'),
  ]
  expect(lastingAnswers(all)).toHaveLength(5)
})

type Item = { rfqId: string; name: string; fails?: boolean }

function gatherer(maxWeight = 100) {
  const writes: string[][] = []
  const { add } = createGatherer<Item>({
    gatherMs: 1,
    maxWeight,
    weigh: () => 1,
    async write(items) {
      writes.push(items.map(({ name }) => name))
      if (items.some(({ fails }) => fails)) throw new Error('cannot be stored')
    },
  })
  return { add, writes }
}

test('what comes within a moment is one write, and what comes while it is written is the next', async () => {
  const { add, writes } = gatherer()
  const first = [add({ rfqId: '1', name: 'a' }), add({ rfqId: '2', name: 'b' })]
  await Promise.all([...first, first[0]?.then(() => add({ rfqId: '1', name: 'c' }))])
  expect(writes).toEqual([['a', 'b'], ['c']])
})

test('a batch has a limit', async () => {
  const { add, writes } = gatherer(2)
  await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => add({ rfqId: '1', name })))
  expect(writes).toEqual([['a', 'b'], ['c', 'd'], ['e']])
})

test('a request that cannot be stored fails alone, with all that it had in the batch', async () => {
  const { add, writes } = gatherer()
  const results = await Promise.allSettled([
    add({ rfqId: '1', name: 'a' }),
    add({ rfqId: '2', name: 'b', fails: true }),
    add({ rfqId: '2', name: 'c' }),
    add({ rfqId: '3', name: 'd' }),
  ])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  expect(writes).toEqual([['a', 'b', 'c', 'd'], ['a'], ['b', 'c'], ['d']])
  await add({ rfqId: '2', name: 'e' })
})
