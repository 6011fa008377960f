/**
 * The vectors by themselves: the nearest hundred by signs first, as a large index finds them, beside the exact scan of the same
 * index, in turn, and how many of the exact ones are found. The queries are those of the demo catalog.
 */
import os from 'node:os'
import { readDemoSet } from '../../eval/judged.ts'
import { createLocalEmbedder } from '../../src/search/embed/local-embedder.ts'
import { MINILM_DIMS } from '../../src/search/embed/minilm.ts'
import { createVectorIndex, type VectorIndex } from '../../src/search/vectors/vector-index.ts'
import type { Figures } from '../figures.ts'
import { figureOf, printTable, ratioOf } from '../measure.ts'
import { inFull, inShort } from '../scale/rows.ts'
import { makeProducts } from './products.ts'

const ROUNDS = 5
/** Of each round: an exact scan of a million takes a fifth of a second. */
const QUERIES = 40
const NEAREST = 100
/** Of both indexes together, with room for what else runs. */
const BYTES_EACH = 5_000

type Times = { exact: number[]; signs: number[] }

export async function benchVectors(sizes: number[]): Promise<Figures> {
  const rounds = await embedQueries()
  const rows: string[][] = []
  const figures: Figures = {}
  for (const size of sizes) {
    if (size * BYTES_EACH > os.freemem()) {
      rows.push([inFull(size), `needs ${(size * BYTES_EACH) / 1e9} GB of free memory`])
      continue
    }
    const { bytesEach, times, ratio, recalls } = measure(size, rounds)
    const recall = recalls.reduce((sum, one) => sum + one) / recalls.length
    rows.push([
      inFull(size),
      ...[times.exact, times.signs].flatMap((ms) => [0.5, 0.99].map((share) => at(ms, share).toFixed(2))),
      `${ratio.value.toFixed(1)} ×`,
      `± ${ratio.spread.toFixed(1)}`,
      recall.toFixed(4),
      Math.min(...recalls).toFixed(2),
      bytesEach.toFixed(0),
    ])
    const name = inShort(size).toLowerCase()
    figures[`search.exact_of_signs_${name}`] = ratio
    figures[`search.signs_recall_${name}`] = figureOf([recall])
  }
  printTable(
    'The nearest 100 of one reading, ms: all vectors exactly, and by signs first',
    ['vectors', 'exact p50', 'p99', 'signs p50', 'p99', 'faster', 'spread', 'recall', 'worst', 'bytes each'],
    rows,
  )
  return figures
}

function measure(size: number, rounds: Float32Array[][]) {
  const signs = createVectorIndex({ dims: MINILM_DIMS, capacity: size })
  const exact = createVectorIndex({ dims: MINILM_DIMS, capacity: size, exactUpTo: size })
  for (const { vectors } of makeProducts(size, 'full')) {
    signs.add(vectors.full)
    exact.add(vectors.full)
  }
  for (const query of rounds[0] ?? []) signs.search(query, NEAREST)
  const times: Times = { exact: [], signs: [] }
  const sums: Times = { exact: [], signs: [] }
  const recalls: number[] = []
  for (const queries of rounds) {
    const exactly = time(exact, queries)
    const bySigns = time(signs, queries)
    times.exact.push(...exactly.ms)
    times.signs.push(...bySigns.ms)
    sums.exact.push(exactly.sum)
    sums.signs.push(bySigns.sum)
    for (const [n, nearest] of exactly.found.entries())
      recalls.push(nearest.filter((slot) => bySigns.found[n]?.includes(slot)).length / nearest.length)
  }
  return { bytesEach: signs.bytes() / size, times, ratio: ratioOf(sums.exact, sums.signs), recalls }
}

function time(index: VectorIndex, queries: Float32Array[]) {
  const ms: number[] = []
  const found: Uint32Array[] = []
  for (const query of queries) {
    const asked = performance.now()
    found.push(index.search(query, NEAREST).slots)
    ms.push(performance.now() - asked)
  }
  return { ms, sum: ms.reduce((all, one) => all + one, 0), found }
}

function at(ms: number[], share: number): number {
  return ms.toSorted((a, b) => a - b)[Math.floor((ms.length - 1) * share)] ?? 0
}

/** Other ones in each round, drawn evenly from all kinds. */
async function embedQueries(): Promise<Float32Array[][]> {
  const texts = readDemoSet().queries.map(({ text }) => text)
  const step = Math.floor(texts.length / (ROUNDS * QUERIES))
  const embedder = createLocalEmbedder()
  const rounds: Float32Array[][] = []
  for (let round = 0; round < ROUNDS; round++) {
    const queries = Array.from({ length: QUERIES }, (_, n) => texts[(n * ROUNDS + round) * step] ?? '')
    rounds.push(await Promise.all(queries.map(embedder.embedQuery)))
  }
  await embedder.close()
  return rounds
}
