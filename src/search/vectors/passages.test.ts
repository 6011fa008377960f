import { expect, it } from 'vitest'
import {
  createPassageScorer,
  NO_KEY,
  NO_PASSAGES,
  packPassages,
  quantisePassages,
  unpackPassages,
} from './passages.ts'

const DIMS = 32

function unitVector(seed: number): Float32Array {
  const values = Float32Array.from({ length: DIMS }, (_, dim) => Math.sin(seed * 12.9898 + dim * 78.233))
  const length = Math.hypot(...values)
  return values.map((value) => value / length)
}

const cosine = (a: Float32Array, b: Float32Array) =>
  a.reduce((sum, value, dim) => sum + value * (b[dim] ?? 0), 0)

const passagesOf = (kind: number, vectors: Float32Array[]) =>
  quantisePassages(vectors.map((vector) => ({ kind, vector })))

function unknown(count: number, kinds: number) {
  const column = () => new Float32Array(count).fill(Number.NaN)
  return { byKind: Array.from({ length: kinds }, column), any: column() }
}

it('raises the best cosines of each product within a hundredth, over any number of blocks', () => {
  const scorer = createPassageScorer(DIMS)
  const query = unitVector(99_999)
  for (const count of [500, 3]) {
    const products = Array.from({ length: count }, (_, at) =>
      Array.from({ length: 5 }, (_, n) => unitVector(at * 5 + n + count)),
    )
    const keys = Uint32Array.from(products, (_, at) => at + count * 1_000)
    const best = unknown(count, 2)
    scorer.raise(query, keys, (key) => passagesOf(1, products[key - count * 1_000] ?? []), best)
    for (const [at, vectors] of products.entries()) {
      const nearest = Math.max(...vectors.map((vector) => cosine(query, vector)))
      expect(best.any[at]).toBeCloseTo(nearest, 1.7)
      expect(best.byKind[1]?.[at]).toBe(best.any[at])
      expect(best.byKind[0]?.[at]).toBeNaN()
    }
  }
})

it('a product without passages stays unknown, with or without a key', () => {
  const scorer = createPassageScorer(DIMS)
  const best = unknown(3, 1)
  const one = passagesOf(0, [unitVector(1)])
  const keys = Uint32Array.of(NO_KEY, 5, 6)
  scorer.raise(unitVector(1), keys, (key) => (key === 6 ? one : NO_PASSAGES), best)
  expect([...best.any]).toEqual([Number.NaN, Number.NaN, expect.closeTo(1, 2)])
  expect(best.byKind[0]).toEqual(best.any)
})

it('reads a product once, until there is no more room', () => {
  const scorer = createPassageScorer(DIMS, 8)
  const asked: number[] = []
  const read = (key: number) => {
    asked.push(key)
    return passagesOf(0, [unitVector(key), unitVector(key + 1)])
  }
  const ask = (...keys: number[]) => {
    const best = unknown(keys.length, 1)
    scorer.raise(unitVector(7), Uint32Array.from(keys), read, best)
    return [...best.any]
  }
  const first = ask(7, 8)
  expect(ask(8, 7)).toEqual(first.toReversed())
  expect(asked).toEqual([7, 8])
  const third = ask(8, 9)
  expect(asked).toEqual([7, 8, 9])
  expect(ask(9, 8)).toEqual(third.toReversed())
  expect(asked).toEqual([7, 8, 9, 9, 8])
})

it('packed and unpacked, passages are the same, wherever the bytes begin', () => {
  const passages = quantisePassages([1, 2, 3].map((seed) => ({ kind: seed, vector: unitVector(seed) })))
  const packed = packPassages(passages)
  for (let shift = 0; shift < 4; shift++)
    expect(unpackPassages(Buffer.concat([Buffer.alloc(shift), packed]).subarray(shift))).toEqual(passages)
  expect(unpackPassages(packPassages(NO_PASSAGES))).toEqual(NO_PASSAGES)
})
