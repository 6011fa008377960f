/**
 * One engine in a process of its own, told by messages what to do: build, get to know the queries, answer a round, answer
 * the judged queries. Needs
 * --expose-gc, since memory is only known once garbage is gone.
 */
import { readDemoSet } from '../../eval/judged.ts'
import { mean, type Scores, score } from '../../eval/metrics.ts'
import { createLocalEmbedder } from '../../src/search/embed/local-embedder.ts'
import { type Embed, ENGINES, type Engine, type EngineName } from './contenders.ts'
import { makeProducts } from './products.ts'

type BuildRequest = { build: EngineName; products: number; withinMs: number }
export type EngineRequest =
  | BuildRequest
  /** Embeds the queries and answers each once, to warm up. */
  | { learn: string[] }
  | { answer: string[] }
  /** Of the demo catalog's own queries. */
  | { judge: true }
export type Built = { microsPerProduct: number; rssPerProduct: number; heldPerProduct: number }
export type Quality = Pick<Scores, 'ndcg10' | 'hit1'>
export type EngineAnswer =
  | { built: Built }
  | { notBuilt: string }
  | { learnt: number }
  | { ms: number }
  | { quality: Quality }

let engine: Engine | null = null
const vectors = new Map<string, Promise<Float32Array>>()
const embed: Embed = (text) => vectors.get(text) ?? Promise.reject(new Error(`not learnt before: ${text}`))

process.on('message', async (request: EngineRequest) => {
  if ('build' in request) send(build(request))
  else if ('learn' in request) send({ learnt: await learn(request.learn) })
  else if ('judge' in request) send({ quality: await judge() })
  else send({ ms: await answer(request.answer) })
})
process.on('disconnect', () => process.exit(0))

function send(message: EngineAnswer): void {
  process.send?.(message)
}

function build({ build: name, products, withinMs }: BuildRequest): EngineAnswer {
  const made = ENGINES[name].create()
  // What the source holds is not the engine's: it has read the demo catalog before, and is not at its end after.
  const source = makeProducts(products + 1, ENGINES[name].needs)
  let next = source.next()
  const before = memory()
  let ms = 0
  for (let count = 0; count < products && !next.done; count++) {
    const started = performance.now()
    made.add(next.value)
    ms += performance.now() - started
    if (ms > withinMs)
      return { notBuilt: `${count.toLocaleString('en')} products in ${Math.round(ms / 1000)} s` }
    next = source.next()
  }
  const after = memory()
  source.return(undefined)
  engine = made
  return {
    built: {
      microsPerProduct: (ms * 1000) / products,
      rssPerProduct: (after.rss - before.rss) / products,
      heldPerProduct: (after.held - before.held) / products,
    },
  }
}

function memory(): { rss: number; held: number } {
  global.gc?.()
  global.gc?.()
  const { rss, heapUsed, external } = process.memoryUsage()
  return { rss, held: heapUsed + external }
}

/** By answering: an engine may ask for vectors of other texts than the query's own. */
async function learn(texts: string[]): Promise<number> {
  const embedder = createLocalEmbedder()
  const remember: Embed = (text) => {
    const vector = vectors.get(text) ?? embedder.embedQuery(text)
    vectors.set(text, vector)
    return vector
  }
  const found = await answerAll(texts, remember)
  await Promise.all(vectors.values())
  await embedder.close()
  return found
}

async function judge(): Promise<Quality> {
  const { queries } = readDemoSet()
  await learn(queries.map(({ text }) => text))
  const search = engine?.searcher(embed)
  const scores: Scores[] = []
  for (const { text, grades } of queries) scores.push(score((await search?.(text)) ?? [], grades))
  return { ndcg10: mean(scores.map(({ ndcg10 }) => ndcg10)), hit1: mean(scores.map(({ hit1 }) => hit1)) }
}

async function answer(texts: string[]): Promise<number> {
  const started = performance.now()
  await answerAll(texts, embed)
  return performance.now() - started
}

async function answerAll(texts: string[], embedding: Embed): Promise<number> {
  const search = engine?.searcher(embedding)
  if (!search) throw new Error('nothing was built')
  let found = 0
  for (const text of texts) found += (await search(text)).length
  return found
}
