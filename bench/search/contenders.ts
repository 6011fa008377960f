/**
 * The engines that are compared, each used as its documentation says and none made slower than it need be: the others
 * get our stop words, since common words would otherwise fill their result lists, and Orama no tables for sorting.
 * All are given the same texts and the same vectors; ours also the vectors of short texts and sentences. Ours is
 * the whole search function of the service; what it leaves out is the embedding, which the caller provides.
 */

import { create, insert, search } from '@orama/orama'
import MiniSearch from 'minisearch'
import type { ProductProfile } from '../../src/catalog/profile.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { createCatalogIndex } from '../../src/search/catalog-index.ts'
import { MINILM_DIMS } from '../../src/search/embed/minilm.ts'
import { NO_SALES } from '../../src/search/filters.ts'
import { FIELDS, type Field } from '../../src/search/lexical/fields.ts'
import { STOP_WORDS } from '../../src/search/lexical/tokenize.ts'
import { loadLearned } from '../../src/search/rank/rank.ts'
import { lexicalDoc } from '../../src/search/read-product.ts'
import { createSearch } from '../../src/search/search.service.ts'
import type { SyntheticProduct, VectorNeeds } from './products.ts'

/** Each field as one text, which is what the others take. */
function textsOf(profile: ProductProfile): Partial<Record<Field, string>> {
  const texts = Object.entries(lexicalDoc(profile)).map(([field, text]) => [field, [text].flat().join('. ')])
  return Object.fromEntries(texts)
}

export type Embed = (text: string) => Promise<Float32Array>
export type Engine = {
  add(product: SyntheticProduct): void
  /** Answers with the slugs of the best ten. Made anew for each round, because ours remembers answers. */
  searcher(embed: Embed): (text: string) => Promise<string[]>
}

const LIMIT = 10
/** Below this cosine Orama leaves a product out. Its default of .8 would leave out every product for nearly every query. */
const ORAMA_SIMILARITY = 0.4

export const ENGINES = {
  souk: { create: createSouk, needs: 'all' },
  orama: { create: createOrama, needs: 'full' },
  minisearch: { create: createMiniSearch, needs: 'none' },
  scan: { create: createScan, needs: 'full' },
} satisfies Record<string, { create(): Engine; needs: VectorNeeds }>
export type EngineName = keyof typeof ENGINES

function createSouk(): Engine {
  const index = createCatalogIndex(MINILM_DIMS)
  return {
    add: ({ profile, vectors }) => index.put(profile, vectors),
    searcher(embed) {
      const souk = createSearch({
        index: () => index,
        embedder: { embedQuery: embed },
        learned: loadLearned(),
        sales: NO_SALES,
        queryLog: { add: () => {}, settled: async () => {} },
        clock: systemClock,
        log: createLog('error'),
      })
      return async (query) =>
        (await souk.search({ query, limit: LIMIT, face: 'rest' })).results.map(({ slug }) => slug)
    },
  }
}

function createOrama(): Engine {
  const orama = create({
    schema: {
      title: 'string',
      brand: 'string',
      model: 'string',
      category: 'string',
      specs: 'string',
      themes: 'string',
      text: 'string',
      vector: `vector[${MINILM_DIMS}]`,
    },
    sort: { enabled: false },
    components: { tokenizer: { stopWords: [...STOP_WORDS] } },
  })
  return {
    add({ profile, vectors }) {
      void insert(orama, { id: profile.slug, ...textsOf(profile), vector: [...vectors.full] })
    },
    searcher: (embed) => async (term) => {
      const value = [...(await embed(term))]
      const vector = { value, property: 'vector' }
      const found = await search(orama, {
        mode: 'hybrid',
        term,
        vector,
        similarity: ORAMA_SIMILARITY,
        limit: LIMIT,
      })
      return found.hits.map(({ id }) => id)
    },
  }
}

function createMiniSearch(): Engine {
  const mini = new MiniSearch({
    fields: [...FIELDS],
    processTerm: (term) => {
      const word = term.toLowerCase()
      return STOP_WORDS.has(word) ? null : word
    },
  })
  return {
    add: ({ profile }) => mini.add({ id: profile.slug, ...textsOf(profile) }),
    searcher: () => async (text) =>
      mini
        .search(text)
        .slice(0, LIMIT)
        .map(({ id }) => String(id)),
  }
}

/** Vectors alone, in one array so that the processor reads ahead, and four sums at a time so that it need not wait. */
function createScan(): Engine {
  let vectors = new Float32Array(1024 * MINILM_DIMS)
  const slugs: string[] = []
  return {
    add({ profile, vectors: { full } }) {
      const size = slugs.push(profile.slug) - 1
      if (vectors.length < (size + 1) * MINILM_DIMS) {
        const larger = new Float32Array(vectors.length * 2)
        larger.set(vectors)
        vectors = larger
      }
      vectors.set(full, size * MINILM_DIMS)
    },
    searcher: (embed) => async (text) => {
      const query = await embed(text)
      const best: Array<{ slot: number; score: number }> = []
      for (let slot = 0; slot < slugs.length; slot++) {
        const score = dot(query, vectors, slot * MINILM_DIMS)
        if (best.length === LIMIT && score <= (best[LIMIT - 1]?.score ?? 0)) continue
        best.push({ slot, score })
        best.sort((a, b) => b.score - a.score)
        best.length = Math.min(best.length, LIMIT)
      }
      return best.map(({ slot }) => slugs[slot] ?? '')
    },
  }
}

function dot(query: Float32Array, rows: Float32Array, at: number): number {
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  for (let dim = 0; dim < MINILM_DIMS; dim += 4) {
    a += (query[dim] as number) * (rows[at + dim] as number)
    b += (query[dim + 1] as number) * (rows[at + dim + 1] as number)
    c += (query[dim + 2] as number) * (rows[at + dim + 2] as number)
    d += (query[dim + 3] as number) * (rows[at + dim + 3] as number)
  }
  return a + b + c + d
}
