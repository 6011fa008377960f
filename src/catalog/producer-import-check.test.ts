import { afterEach, expect, test } from 'vitest'
import type { SourceRow } from './import/rows.ts'
import { checkRows } from './producer-import-check.ts'
import { readSource } from './producer-import-source.ts'
import { indexCategories } from './upsert.service.ts'

let stop = () => {}
afterEach(() => stop())

/** Counts the turns of the event loop from now on. */
function countTurns(): () => number {
  let turns = 0
  let next: NodeJS.Immediate
  const count = () => {
    turns++
    next = setImmediate(count)
  }
  next = setImmediate(count)
  stop = () => clearImmediate(next)
  return () => turns
}

test('the node has a turn after every row of an import', async () => {
  const turns = countTurns()
  const readAt: number[] = []
  const rows = Array.from({ length: 250 }, (_, n): SourceRow => {
    const row = { line: n + 1, product: { category: 'nowhere', title: 'x' } }
    return Object.defineProperty(row, 'product', {
      enumerable: true,
      get() {
        readAt.push(turns())
        return { category: 'nowhere', title: 'x' }
      },
    })
  })
  const { refused } = await checkRows(rows, indexCategories([]))
  expect(refused.map(({ row }) => row)).toEqual(rows.map(({ line }) => line))
  expect(new Set(readAt).size).toBe(rows.length)
})

test('an import that is not to go on stops between rows', async () => {
  let asked = 0
  const rows = Array.from({ length: 250 }, (_, n) => ({ line: n + 1, product: {} }))
  const checking = checkRows(rows, indexCategories([]), async () => {
    if (++asked === 2) throw new Error('given up')
  })
  await expect(checking).rejects.toThrow('given up')
  expect(asked).toBe(2)
})

test('the node has turns while a file is read', async () => {
  const turns = countTurns()
  const content = `${JSON.stringify({ title: 'x'.repeat(1_000) })}\n`.repeat(1_900)
  const outbound = { request: never, check: never, size: never, close: never }
  const before = turns()
  const { rows } = await readSource(
    { outbound },
    { source: 'jsonl', content },
    { signal: AbortSignal.timeout(30_000), now: new Date() },
  )
  expect(rows.length).toBe(1_900)
  expect(turns() - before).toBeGreaterThanOrEqual(Math.floor(content.length / (256 * 1024)))
})

function never(): never {
  throw new Error('content is not fetched')
}
