/**
 * What variants cost a search: the same thousand products plain and with twelve variants each, the same queries, half of
 * them naming a colour and a size, in one process and in turn. Queries are embedded beforehand, so that the index is measured.
 */
import { readDemoSet } from '../eval/judged.ts'
import { createIndexSearch } from '../eval/world.ts'
import type { ProductProfile } from '../src/catalog/profile.ts'
import { createCatalogIndex } from '../src/search/catalog-index.ts'
import type { Embedder } from '../src/search/embed/embedder.ts'
import { createLocalEmbedder } from '../src/search/embed/local-embedder.ts'
import { MINILM_DIMS } from '../src/search/embed/minilm.ts'
import type { Search } from '../src/search/search.service.ts'
import type { Figures } from './figures.ts'
import { figureOf, median, printTable, ratioOf } from './measure.ts'
import { makeProducts } from './search/products.ts'

const PRODUCTS = 1_000
const ROUNDS = 9
const QUERIES = 60
const COLORS = ['Red', 'Blue', 'Moss', 'Slate']
const SIZES = ['S', 'M', 'L']

export async function benchVariants({ quick }: { quick: boolean }): Promise<Figures> {
  const texts = queryTexts()
  const embedder = await learned(texts)
  const sides = { plain: build(embedder, (profile) => profile), varied: build(embedder, withVariants) }
  const times = { plain: [] as number[], varied: [] as number[] }
  for (const side of ['plain', 'varied'] as const) await p50(sides[side], texts, -1)
  for (let round = 0; round < (quick ? 3 : ROUNDS); round++)
    for (const side of ['plain', 'varied'] as const) times[side].push(await p50(sides[side], texts, round))
  const ratio = ratioOf(times.varied, times.plain)
  printTable(
    `Search over ${PRODUCTS.toLocaleString('en')} products, p50 of ${texts.length} queries`,
    ['', 'ms', 'beside plain'],
    [
      ['plain', median(times.plain).toFixed(3), ''],
      ['12 variants each', figureOf(times.varied).value.toFixed(3), `${ratio.value.toFixed(2)} ×`],
    ],
  )
  return { 'variants.p50_of_plain': ratio }
}

function queryTexts(): string[] {
  const all = readDemoSet().queries.map(({ text }) => text)
  const step = Math.floor(all.length / QUERIES)
  const some = all.filter((_, at) => at % step === 0).slice(0, QUERIES)
  return some.map((text, at) =>
    at % 2 === 0 ? text : `${text} ${COLORS[at % 4]?.toLowerCase()}, size ${SIZES[at % 3]}`,
  )
}

async function learned(texts: readonly string[]): Promise<Embedder> {
  const local = createLocalEmbedder()
  const known = new Map<string, Promise<Float32Array>>()
  const embedQuery = (text: string) => {
    const vector = known.get(text) ?? local.embedQuery(text)
    known.set(text, vector)
    return vector
  }
  for (const text of texts) await embedQuery(text)
  return { ...local, embedQuery }
}

function build(embedder: Embedder, made: (profile: ProductProfile) => ProductProfile): Search {
  const index = createCatalogIndex(MINILM_DIMS)
  for (const { profile, vectors } of makeProducts(PRODUCTS, 'all')) index.put(made(profile), vectors)
  while (!index.words.tidy(1_000));
  return createIndexSearch(index, embedder)
}

function withVariants(profile: ProductProfile): ProductProfile {
  const variants = COLORS.flatMap((color, at) =>
    SIZES.map((size) => ({
      id: `${profile.slug}-${color}-${size}`,
      sku: `${profile.mpn ?? profile.slug}-${color.slice(0, 2)}-${size}`,
      gtin: null,
      options: [
        { name: 'Color', value: color },
        { name: 'Size', value: size },
      ],
      priceCents: profile.priceLowCents,
      listPriceCents: null,
      availability: at % 2 === 0 ? ('in_stock' as const) : ('out_of_stock' as const),
    })),
  )
  return { ...profile, variants }
}

/** An offset that is new to each round keeps the answers from being remembered. */
async function p50(search: Search, texts: readonly string[], round: number): Promise<number> {
  const each: number[] = []
  for (const query of texts) {
    const started = performance.now()
    await search.search({ query, limit: 10, offset: round + 1, face: 'rest' })
    each.push(performance.now() - started)
  }
  return median(each)
}
