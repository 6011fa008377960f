import { describe, expect, test } from 'vitest'
import { isUuid, newId } from './ids.ts'

describe('ids', () => {
  test('are UUIDs of version 7 and variant 10', () => {
    const id = newId()
    expect(isUuid(id)).toBe(true)
    expect(id[14]).toBe('7')
    expect('89ab').toContain(id[19])
  })

  test('carry the time they were made', () => {
    // Far ahead: ids never go back, and other tests have made some with clocks of their own.
    const now = 1_900_000_000_000
    expect(Number.parseInt(newId(now).replaceAll('-', '').slice(0, 12), 16)).toBe(now)
  })

  test('sort in the order they were made and never repeat, even 10,000 in one millisecond', () => {
    const ids = Array.from({ length: 10_000 }, () => newId(1_800_000_000_000))
    expect(new Set(ids).size).toBe(ids.length)
    expect([...ids].sort()).toEqual(ids)
  })

  test.each([
    '',
    'x',
    "1' or 1=1",
    '00000000-0000-0000-0000-00000000000',
    '00000000-0000-0000-0000-0000000000000',
  ])('%j is not taken for an id', (text) => expect(isUuid(text)).toBe(false))
})
