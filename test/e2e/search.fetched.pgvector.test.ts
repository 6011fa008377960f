/** SOUK_SEARCH=postgres with pgvector inside this process (PGlite), beside an index in memory over the same products. */
import { expect, test } from 'vitest'
import { readDemoSet } from '../../eval/judged.ts'
import { mean, score } from '../../eval/metrics.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createFetchedCatalog } from '../../src/search/fetched/fetched-catalog.ts'
import { fillWords } from '../../src/search/fetched/words-writer.ts'
import { loadLearned } from '../../src/search/rank/rank.ts'
import { createSearch, type Search } from '../../src/search/search.service.ts'
import { vectorTable } from '../../src/search/vectors/pgvector-tables.queries.ts'
import { SILENT } from '../harness.ts'
import { createVectorWorld } from '../pgvector.world.ts'
import { keptLog, NO_SALES, slugs } from './search.world.ts'

test('with vectors it is within .01 nDCG of an index in memory, and finds similar products', async () => {
  const { database, embedder, products, inMemory } = await createVectorWorld()
  await fillWords(database.db, products)
  const catalog = createFetchedCatalog(
    { db: database.db, log: SILENT },
    { reads: database.db, vectors: vectorTable(embedder), answerWithinMs: 60_000 },
  )
  await catalog.refresh()
  const deps = {
    ...{ embedder, learned: loadLearned(), sales: NO_SALES, clock: systemClock, log: SILENT },
    queryLog: keptLog(),
  }
  const fetched = createSearch({ ...deps, index: catalog.held, open: catalog.open })
  const memory = createSearch({ ...deps, index: () => inMemory })
  const known = new Set(products.map(({ slug }) => slug))
  const queries = readDemoSet()
    .queries.filter(({ grades }) => [...grades.keys()].some((slug) => known.has(slug)))
    .filter((_, at) => at % 8 === 0)
  const ask = async (search: Search, text: string) => {
    const { results, mode } = await search.search({ query: text, limit: 10, face: 'rest' })
    expect(mode).toBe('semantic')
    return slugs(results)
  }
  const scored: Array<[own: number, other: number]> = []
  for (const { text, grades } of queries) {
    // A search does not wait long for the embedder, and remembers what it has made.
    await embedder.embedQuery(text)
    const [own, other] = [await ask(fetched, text), await ask(memory, text)]
    scored.push([score(own, grades).ndcg10, score(other, grades).ndcg10])
  }
  const [own, other] = [mean(scored.map(([a]) => a)), mean(scored.map(([, b]) => b))]
  process.stdout.write(
    `${queries.length} queries of ${products.length} products: nDCG@10 ${own.toFixed(4)}, in memory ${other.toFixed(4)}\n`,
  )
  expect(own).toBeGreaterThan(other - 0.01)
  const slug = products[0]?.slug ?? ''
  const like = async (search: Search) => slugs(await search.similar({ slug, limit: 3 }))
  expect(await like(fetched)).toEqual(await like(memory))
}, 300_000)
