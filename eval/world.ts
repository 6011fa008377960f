/** A judged set made ready for searching: the same index, the same reading of queries as in service. */
import { systemClock } from '../src/lib/clock.ts'
import { createLog } from '../src/lib/log.ts'
import { type CatalogIndex, createCatalogIndex } from '../src/search/catalog-index.ts'
import type { Embedder } from '../src/search/embed/embedder.ts'
import { allowedSlots, NO_SALES } from '../src/search/filters.ts'
import { prepareQuery } from '../src/search/prepare.ts'
import { loadLearned, type RankQuery } from '../src/search/rank/rank.ts'
import { createSearch, type Search } from '../src/search/search.service.ts'
import type { MemoryMeaning } from '../src/search/vectors/memory-meaning.ts'
import type { JudgedQuery, JudgedSet } from './judged.ts'
import { embedProfiles } from './vector-cache.ts'

export type JudgedWorld = {
  name: string
  index: CatalogIndex & { meaning: MemoryMeaning }
  /** The whole search over it, with the weights in use. */
  search: Search
  queries: Array<{ judged: JudgedQuery; prepared: RankQuery; allowed: Uint8Array | undefined }>
}

export async function makeWorld(set: JudgedSet, embedder: Embedder): Promise<JudgedWorld> {
  const index = createCatalogIndex(embedder.dims)
  const vectors = await embedProfiles(embedder, set.products)
  for (const [at, profile] of set.products.entries()) index.put(profile, vectors[at] ?? null)
  const queries: JudgedWorld['queries'] = []
  for (const judged of set.queries) {
    const prepared = await prepareQuery(index, judged.text, embedder.embedQuery)
    const allowed = allowedSlots(index, {}, prepared.understood, NO_SALES)
    queries.push({ judged, prepared, allowed })
  }
  return { name: set.name, index, search: createIndexSearch(index, embedder), queries }
}

/** Without a database and without offers. */
export function createIndexSearch(index: CatalogIndex, embedder: Embedder): Search {
  return createSearch({
    index: () => index,
    embedder,
    learned: loadLearned(),
    sales: NO_SALES,
    queryLog: { add: () => {}, settled: async () => {} },
    clock: systemClock,
    log: createLog('silent'),
  })
}

export function slugsOf(index: CatalogIndex, slots: Iterable<number>): string[] {
  return [...slots].map((slot) => index.at(slot)?.slug ?? '')
}
