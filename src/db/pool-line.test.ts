import { expect, test } from 'vitest'
import { createTestDatabase } from '../../test/harness.ts'
import { watchLine } from './pool-line.ts'

test('the line tells who waits, and how many got a connection since it was last asked', async () => {
  const { pool } = await createTestDatabase()
  const line = watchLine(pool)
  expect(line()).toEqual({ waiting: 0, handedOut: 0 })
  const { max } = pool.options
  const held = await Promise.all(Array.from({ length: max }, () => pool.connect()))
  const late = [pool.query('select 1'), pool.query('select 2')]
  expect(line()).toEqual({ waiting: 2, handedOut: max })
  for (const client of held) client.release()
  await Promise.all(late)
  expect(line()).toEqual({ waiting: 0, handedOut: 2 })
})
