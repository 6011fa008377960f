/**
 * How fast products are embedded after an import, beside how it was done before: the whole vectors, by which they are found
 * by meaning, and everything. Profiles are as shops have them: a title, twenty specs and a description of 300 to 1,500
 * characters. And how long a query waits for its vector meanwhile.
 */
import { readDemoSet } from '../eval/judged.ts'
import type { ProductProfile } from '../src/catalog/profile.ts'
import { createLocalEmbedder } from '../src/search/embed/local-embedder.ts'
import { makeVectors } from '../src/search/embed-products.ts'
import { startBefore } from './embedding/before.ts'
import type { Figures } from './figures.ts'
import { figureOf, median, printTable, ratioOf } from './measure.ts'

const PROFILES = 500
const A_ROUND = 50
const SPECS = 20

export async function benchEmbedding({ quick }: { quick: boolean }): Promise<Figures> {
  const profiles = shopProfiles()
  const before = startBefore()
  const embedder = createLocalEmbedder()
  const rates = { before: [] as number[], whole: [] as number[], everything: [] as number[] }
  const least = { cosine: 1 }
  const rounds = quick ? 3 : PROFILES / A_ROUND
  await makeVectors(profiles.slice(0, 4), before)
  for (let round = 0; round < rounds; round++) {
    const some = profiles.slice(round * A_ROUND, (round + 1) * A_ROUND)
    const was = await timed(rates.before, () => makeVectors(some, before))
    // Threads end when they have nothing to do for a while.
    await embedder.embedDocuments(Array.from({ length: 256 }, (_, at) => `${at}`))
    await timed(rates.whole, () => makeVectors(some, embedder, 'whole'))
    const now = await timed(rates.everything, () => makeVectors(some, embedder))
    for (const [at, { vectors }] of now.entries())
      least.cosine = Math.min(least.cosine, cosine(vectors.full, was[at]?.vectors.full))
  }
  await before.close()
  const { alone, beside } = await queryTimes(embedder, profiles)
  await embedder.close()
  if (least.cosine < 0.999) throw new Error(`a vector is not what it was before: cosine ${least.cosine}`)
  const row = (name: string, own: number[]) => [
    name,
    median(own).toFixed(1),
    `${ratioOf(own, rates.before).value.toFixed(2)} ×`,
  ]
  printTable(
    `Embedding ${rounds * A_ROUND} products of shops`,
    ['', 'products/s', 'of before'],
    [
      row('before: everything, in one thread', rates.before),
      row('whole vectors', rates.whole),
      row('everything', rates.everything),
    ],
  )
  printTable(
    'A new query, ms',
    ['', 'median', '95 of 100'],
    [
      ['alone', median(alone).toFixed(1), most(alone).toFixed(1)],
      ['while products are embedded', median(beside).toFixed(1), most(beside).toFixed(1)],
    ],
  )
  return {
    'embedding.whole_of_before': ratioOf(rates.whole, rates.before),
    'embedding.everything_of_before': ratioOf(rates.everything, rates.before),
    'embedding.whole_per_second': figureOf(rates.whole),
    'embedding.everything_per_second': figureOf(rates.everything),
    'embedding.query_beside_ms': figureOf([most(beside)]),
  }

  async function timed<T>(into: number[], work: () => Promise<T[]>): Promise<T[]> {
    const started = performance.now()
    const made = await work()
    into.push((made.length * 1_000) / (performance.now() - started))
    return made
  }
}

/** Mixes words of the demo catalog, so that sentences repeat no more often than those of a real file. */
function shopProfiles(): ProductProfile[] {
  const { products } = readDemoSet()
  const sentences = products.flatMap(({ description }) => description?.match(/[^.!?]+[.!?]/g) ?? [])
  const specs = products.flatMap((product) => product.specs)
  let seed = 7
  const any = (count: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % count
  }
  return products.slice(0, PROFILES).map((product, at) => {
    const length = 300 + any(1_200)
    let description = ''
    while (description.length < length)
      description += ` ${sentences[any(sentences.length)]?.trim().replace('.', `, ${at}.`)}`
    const some = Array.from({ length: SPECS }, () => specs[any(specs.length)] ?? { name: '', value: '' })
    return {
      ...product,
      description: description.trim(),
      specs: some,
      verdict: null,
      bestFor: [],
      themes: [],
    }
  })
}

/** Each query is new. */
async function queryTimes(embedder: ReturnType<typeof createLocalEmbedder>, profiles: ProductProfile[]) {
  const ask = async (query: string) => {
    const started = performance.now()
    await embedder.embedQuery(query)
    return performance.now() - started
  }
  await ask('a first query loads the model')
  const alone: number[] = []
  for (let at = 0; at < 100; at++) alone.push(await ask(`waterproof jacket number ${at} for cold days`))
  let busy = true
  const filling = makeVectors(profiles.slice(0, A_ROUND * 2), embedder).finally(() => {
    busy = false
  })
  const beside: number[] = []
  while (busy) beside.push(await ask(`quiet keyboard number ${beside.length} for the office`))
  await filling
  return { alone, beside }
}

function most(times: number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0
}

function cosine(a: Float32Array, b: Float32Array = new Float32Array(a.length)): number {
  return a.reduce((sum, value, dim) => sum + value * (b[dim] ?? 0), 0)
}
