import { expect, it } from 'vitest'
import { createPassageStore, NO_PASSAGES, quantisePassages } from './passages.ts'

const DIMS = 32

function unitVector(seed: number): Float32Array {
  const values = Float32Array.from({ length: DIMS }, (_, dim) => Math.sin(seed * 12.9898 + dim * 78.233))
  const length = Math.hypot(...values)
  return values.map((value) => value / length)
}

const cosine = (a: Float32Array, b: Float32Array) =>
  a.reduce((sum, value, dim) => sum + value * (b[dim] ?? 0), 0)

it('scores are the cosines within a hundredth, over any number of blocks and in the order asked for', () => {
  const store = createPassageStore(DIMS)
  const vectors = Array.from({ length: 2500 }, (_, seed) => unitVector(seed))
  for (let from = 0; from < vectors.length; from += 5) {
    const first = store.add(
      quantisePassages(vectors.slice(from, from + 5).map((vector) => ({ kind: 1, vector }))),
    )
    expect(first).toBe(from)
  }
  const query = unitVector(99_999)
  const asked = Uint32Array.from({ length: 2500 }, (_, index) => (index * 1103) % 2500)
  const scored = store.scores(query, asked)
  asked.forEach((row, index) => {
    expect(scored[index]).toBeCloseTo(cosine(query, vectors[row] as Float32Array), 1.7)
  })
})

it('a product without passages takes no room, and asking for more rows than there are is answered', () => {
  const store = createPassageStore(DIMS)
  store.add(NO_PASSAGES)
  expect(store.size).toBe(0)
  store.add(quantisePassages([{ kind: 0, vector: unitVector(1) }]))
  expect([...store.scores(unitVector(1), new Uint32Array(7))].every((score) => score > 0.99)).toBe(true)
})
