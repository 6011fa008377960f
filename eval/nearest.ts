/**
 * How many of the nearest hundred products of a judged query the two-step scan finds: `npm run eval -- nearest`, with more
 * sets by `--judged DIR …`. Each set is asked as it is, and among 60,000 products whose vectors are shaken ones of it
 * (cosine about .9), because a small set makes most of its products candidates. The measure is the exact scan.
 */
import { parseArgs } from 'node:util'
import { normalize } from '../src/search/embed/embedder.ts'
import { createLocalEmbedder } from '../src/search/embed/local-embedder.ts'
import { fullText } from '../src/search/product-text.ts'
import { createVectorIndex, rowsOf, type VectorIndex } from '../src/search/vectors/vector-index.ts'
import { type JudgedSet, readDemoSet, readJudgedSet } from './judged.ts'
import { mean } from './metrics.ts'
import { withMemory } from './vector-cache.ts'

const NEAREST = 100
const LARGE = 60_000
/** In 384 dimensions a vector of such numbers is .48 long. */
const LARGEST_NOISE = 0.0425

export async function reportNearest(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { judged: { type: 'string', multiple: true } } })
  const embedder = withMemory(createLocalEmbedder())
  process.stdout.write('set          products  queries  found of 100  worst\n')
  for (const set of [readDemoSet(), ...(values.judged ?? []).map(readJudgedSet)]) {
    const vectors = await embedder.embedDocuments(set.products.map(fullText))
    const queries = await Promise.all(set.queries.map(({ text }) => embedder.embedQuery(text)))
    for (const size of [vectors.length, LARGE]) report(set, size, foundOf(grown(vectors, size), queries))
  }
  await embedder.close()
}

function report({ name, queries }: JudgedSet, size: number, found: number[]): void {
  const columns = [
    name.padEnd(12),
    String(size).padStart(8),
    String(queries.length).padStart(8),
    mean(found).toFixed(2).padStart(13),
    String(Math.min(...found)).padStart(6),
  ]
  process.stdout.write(`${columns.join(' ')}\n`)
}

/** For each query. */
function foundOf(vectors: Float32Array[], queries: Float32Array[]): number[] {
  const make = (exactUpTo: number) =>
    createVectorIndex({ dims: vectors[0]?.length ?? 0, rows: rowsOf(vectors), exactUpTo })
  // Signs are taken as in a large index, though the set may be small.
  const [exact, signs] = [make(Number.MAX_SAFE_INTEGER), make(Math.min(20_000, vectors.length >> 2))]
  for (const vector of vectors) for (const index of [exact, signs]) index.add(vector)
  const nearest = (index: VectorIndex, query: Float32Array) => index.search(query, NEAREST).slots
  return queries.map((query) => {
    const found = new Set(nearest(signs, query))
    return nearest(exact, query).filter((slot) => found.has(slot)).length
  })
}

/** The vectors, then shaken ones; the same at every run. */
function grown(vectors: Float32Array[], size: number): Float32Array[] {
  let state = 1
  const noise = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state / 2 ** 31 - 1) * LARGEST_NOISE
  }
  const model = (n: number) => vectors[n % vectors.length] ?? new Float32Array(0)
  return Array.from({ length: size }, (_, n) =>
    n < vectors.length ? model(n) : normalize(model(n).map((value) => value + noise())),
  )
}
