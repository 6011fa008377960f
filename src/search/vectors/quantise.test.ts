import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quantise, queryLevels, writePenalties } from './quantise.ts'

const vectors = (dims: number) =>
  fc.float32Array({ minLength: dims, maxLength: dims, min: -1, max: 1, noNaN: true })

describe('quantise', () => {
  it('stays within its levels and tells how far off it is', () => {
    fc.assert(
      fc.property(
        vectors(32),
        fc.constantFrom(127, queryLevels(384), queryLevels(8192)),
        (vector, levels) => {
          const out = new Int16Array(34)
          const { scale, error, length } = quantise(vector, levels, out, 1)
          const integers = out.subarray(1, 33)
          expect(integers.every((level) => Math.abs(level) <= levels)).toBe(true)
          expect(error).toBeCloseTo(
            Math.hypot(...vector.map((value, dim) => value - (integers[dim] ?? 0) * scale)),
            6,
          )
          expect(length).toBeCloseTo(Math.hypot(...vector), 6)
          expect(error).toBeLessThanOrEqual(0.51 * scale * Math.sqrt(32) + 1e-37)
          expect([out[0], out[33]]).toEqual([0, 0])
        },
      ),
    )
  })
})

describe('writePenalties', () => {
  it('charges each dimension on the wrong side its weight in the query', () => {
    fc.assert(
      fc.property(vectors(16), fc.integer({ min: 0, max: 15 }), (query, signs) => {
        const tables = new Uint8Array(64)
        writePenalties(query, tables, 0)
        const groups = [0, 4, 8, 12].map((dim) => Array.from(query.subarray(dim, dim + 4)))
        const largest = Math.max(
          ...groups.map((four) => four.reduce((sum, value) => sum + Math.abs(value), 0)),
        )
        for (const [group, four] of groups.entries()) {
          const wrong = four.filter((value, bit) => value > 0 !== (((signs >> bit) & 1) === 1))
          const penalty = wrong.reduce((sum, value) => sum + Math.abs(value), 0)
          const expected = largest > 0 ? (63 * penalty) / largest : 0
          expect(Math.abs((tables[group * 16 + signs] ?? -9) - expected)).toBeLessThanOrEqual(0.501)
        }
      }),
    )
  })

  it.each([16, 384, 2048, 8192])('leaves room for the sum of all penalties with %d dimensions', (dims) => {
    const tables = new Uint8Array(dims * 4)
    writePenalties(new Float32Array(dims).fill(0.1), tables, 0)
    let sum = 0
    for (let table = 0; table < tables.length; table += 16)
      sum += Math.max(...tables.subarray(table, table + 16))
    expect(sum).toBeLessThan(65_532)
    expect(sum).toBeGreaterThan(dims * 5)
    expect(Math.max(...tables)).toBeLessThanOrEqual(63)
  })
})
