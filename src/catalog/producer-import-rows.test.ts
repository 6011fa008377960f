import { expect, test } from 'vitest'
import { readProducers } from './file-readers.ts'
import { BATCH_ROWS } from './file-readings.ts'
import { inPieces } from './import-content.ts'

const reading = { who: 'org test' }
const ask = {
  source: 'jsonl' as const,
  categories: [{ slug: 'kettles', label: 'Kettles' }],
  now: new Date(),
  field: 'content' as const,
}
const file = (rows: number, row: unknown) => {
  const bytes = Buffer.from(`${JSON.stringify(row)}\n`.repeat(rows))
  return () => inPieces(bytes)
}

test('rows are checked against the contract and the categories, and numbered as in the file', async () => {
  const rows = []
  for await (const batch of readProducers(
    'producer',
    file(250, { category: 'nowhere', title: 'x' }),
    ask,
    reading,
  ))
    rows.push(...batch.rows)
  expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: 250 }, (_, n) => n + 1))
  expect(rows[0]).toMatchObject({ line: 1, title: 'x', problem: { field: 'category' } })
})

test('the node takes a bounded number of rows, and has a turn before it takes more', async () => {
  let turns = 0
  let counting = true
  const count = () => {
    turns++
    if (counting) setImmediate(count)
  }
  setImmediate(count)
  const seenAt: number[] = []
  for await (const batch of readProducers(
    'producer',
    file(1_900, { category: 'kettles', title: 'x' }),
    ask,
    reading,
  )) {
    expect(batch.rows.length).toBeLessThanOrEqual(BATCH_ROWS)
    seenAt.push(turns)
  }
  counting = false
  expect(seenAt.length).toBeGreaterThanOrEqual(19)
  expect(new Set(seenAt).size).toBe(seenAt.length)
})

test('rows that weigh much come fewer at a time', async () => {
  const images = Array.from({ length: 100 }, (_, n) => ({
    url: `https://x.example/${n}/${'p'.repeat(1_900)}`,
  }))
  const row = { category: 'kettles', title: 'x', images }
  const sizes: number[] = []
  for await (const { rows } of readProducers('producer', file(20, row), ask, reading)) sizes.push(rows.length)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(20)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(2)
})

test('anyone who has seen enough leaves, and the next file is read as usual', async () => {
  const large = file(1_900, { category: 'kettles', title: 'x' })
  for await (const batch of readProducers('producer', large, ask, reading)) {
    expect(batch.rows).toHaveLength(BATCH_ROWS)
    break
  }
  let rows = 0
  for await (const batch of readProducers('producer', large, ask, reading)) rows += batch.rows.length
  expect(rows).toBe(1_900)
})
