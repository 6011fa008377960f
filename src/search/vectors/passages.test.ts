import { expect, it } from 'vitest'
import {
  createPassageScorer,
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

it('scores are the cosines within a hundredth, over any number of blocks and in the order given', () => {
  const scorer = createPassageScorer(DIMS)
  const query = unitVector(99_999)
  for (const count of [2500, 7]) {
    const vectors = Array.from({ length: count }, (_, seed) => unitVector(seed * count))
    scorer.begin()
    for (let from = 0; from < count; from += 5)
      scorer.add(quantisePassages(vectors.slice(from, from + 5).map((vector) => ({ kind: 1, vector }))))
    const scored = scorer.scores(query)
    expect(scored).toHaveLength(count)
    for (const [row, vector] of vectors.entries()) expect(scored[row]).toBeCloseTo(cosine(query, vector), 1.7)
  }
})

it('a product without passages adds nothing', () => {
  const scorer = createPassageScorer(DIMS)
  scorer.begin()
  scorer.add(NO_PASSAGES)
  expect([...scorer.scores(unitVector(1))]).toEqual([])
  scorer.add(quantisePassages([{ kind: 0, vector: unitVector(1) }]))
  expect([...scorer.scores(unitVector(1))]).toEqual([expect.closeTo(1, 2)])
})

it('packed and unpacked, passages are the same, wherever the bytes begin', () => {
  const passages = quantisePassages([1, 2, 3].map((seed) => ({ kind: seed, vector: unitVector(seed) })))
  const packed = packPassages(passages)
  for (let shift = 0; shift < 4; shift++)
    expect(unpackPassages(Buffer.concat([Buffer.alloc(shift), packed]).subarray(shift))).toEqual(passages)
  expect(unpackPassages(packPassages(NO_PASSAGES))).toEqual(NO_PASSAGES)
})
