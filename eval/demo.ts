/** The demo catalog ready to be searched with the vectors that come with it, without a database. */
import { type CatalogIndex, createCatalogIndex } from '../src/search/catalog-index.ts'
import { createLocalEmbedder } from '../src/search/embed/local-embedder.ts'
import { MINILM_DIMS, minilmId } from '../src/search/embed/minilm.ts'
import { textHash } from '../src/search/product-text.ts'
import type { Search } from '../src/search/search.service.ts'
import { readShippedVectors } from '../src/search/shipped-vectors.ts'
import { readDemoSet } from './judged.ts'
import { createIndexSearch } from './world.ts'

export function createDemoIndex(products = readDemoSet().products): CatalogIndex {
  const shipped = readShippedVectors(minilmId())
  const index = createCatalogIndex(MINILM_DIMS)
  for (const product of products) index.put(product, shipped?.find(textHash(product)) ?? null)
  return index
}

export async function createDemoSearch(
  embedder = createLocalEmbedder(),
  index = createDemoIndex(),
): Promise<Search & { close(): Promise<void> }> {
  const search = createIndexSearch(index, embedder)
  // Loading the model may take longer than a query waits for it.
  await embedder.embedQuery('souk')
  return { ...search, close: () => embedder.close() }
}
