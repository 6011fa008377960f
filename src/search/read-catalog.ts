/**
 * The catalog page by page, read for an index, in slug order. Reading takes two thirds of the time that filling an index
 * does, so pages of a large catalog are read in other threads, and this one only numbers what they found.
 */
import os from 'node:os'
import { Worker } from 'node:worker_threads'
import type pg from 'pg'
import { getTexts, getTextsBetween, listEachSlug } from '../catalog/catalog.service.ts'
import type { Db } from '../db/database.ts'
import { awaitLater } from '../lib/background.ts'
import { createProductReader, type ReadProduct } from './read-product.ts'
import type { ProductVectors, VectorRow } from './vectors/meaning-index.ts'
import type { VectorSource } from './vectors/vector-source.ts'

export type CatalogPage = {
  /** Read one after the other, unless another thread has done so. */
  products: Iterable<ReadProduct>
  vectors: ReadonlyMap<string, ProductVectors | VectorRow>
}

export type SlugSpan = { after: string; upTo: string | null }

/** How other threads reach the catalog. */
export type Elsewhere = {
  connection: pg.PoolConfig
  /** The model whose vectors they bring. */
  model: string
  /** From so many pages on they are used. */
  fromPages?: number
  threads?: number
}

export type ReaderData = Pick<Elsewhere, 'connection' | 'model'>
export type ReaderAnswer =
  | { products: ReadProduct[]; vectors: Array<[string, ProductVectors]> }
  | { error: string }

type Context = { db: Db }

const PAGE = 250
/** Starting a thread takes as long as reading so many. */
const FROM_PAGES = 20
const MOST_THREADS = 4
/** Pages that a thread has been asked for: while one is read, the database sends the next. */
const AHEAD = 2

/** `share` of the catalog has been read with the page. */
export async function* readCatalog(
  ctx: Context,
  source: VectorSource,
  elsewhere: Elsewhere | null,
): AsyncGenerator<CatalogPage & { share: number }> {
  const cuts = await listEachSlug(ctx, PAGE)
  const spans = [...cuts, null].map((upTo, at): SlugSpan => ({ after: cuts[at - 1] ?? '', upTo }))
  const { fromPages = FROM_PAGES, threads = threadsBeside() } = elsewhere ?? {}
  const isLarge = elsewhere && threads > 0 && spans.length >= fromPages
  const pages = isLarge ? readElsewhere(spans, elsewhere, threads) : readHere(ctx, source, spans)
  let read = 0
  for await (const page of pages) yield { ...page, share: ++read / spans.length }
}

/** One for each core: they go behind this thread, which has a third as much to do. On a single core they would gain nothing. */
function threadsBeside(): number {
  const cores = os.availableParallelism()
  return cores < 2 ? 0 : Math.min(MOST_THREADS, cores)
}

async function* readHere(
  ctx: Context,
  source: VectorSource,
  spans: readonly SlugSpan[],
): AsyncGenerator<CatalogPage> {
  const pageOf = async (span: SlugSpan) => toPage(source, await getTextsBetween(ctx, span))
  let next = spans[0] && awaitLater(pageOf(spans[0]))
  for (let at = 1; next; at++) {
    const page = await next
    // The database reads on while these are indexed.
    const span = spans[at]
    next = span && awaitLater(pageOf(span))
    yield page
  }
}

async function toPage(
  source: VectorSource,
  texts: Awaited<ReturnType<typeof getTexts>>,
): Promise<CatalogPage & { ids: string[] }> {
  const ids = texts.map(({ id }) => id)
  const vectors = await source.find(ids)
  return { ids, products: Iterator.from(texts).map(createProductReader()), vectors }
}

/** `ids` are those of the products that are shown. */
export async function readSome(
  ctx: Context,
  source: VectorSource,
  ids: string[],
): Promise<CatalogPage & { ids: string[] }> {
  return toPage(source, await getTexts(ctx, ids))
}

/** Pages come in their order, however many threads read them: equal products stand in the same order on every node. */
async function* readElsewhere(
  spans: readonly SlugSpan[],
  elsewhere: Elsewhere,
  count: number,
): AsyncGenerator<CatalogPage> {
  const readers = Array.from({ length: Math.min(count, spans.length) }, () => startReader(elsewhere))
  const asked: Array<Promise<CatalogPage>> = []
  const ask = (at: number) => {
    const span = spans[at]
    const reader = readers[at % readers.length]
    if (span && reader) asked.push(awaitLater(reader.read(span)))
  }
  try {
    for (let at = 0; at < readers.length * AHEAD; at++) ask(at)
    for (let at = readers.length * AHEAD; asked.length > 0; at++) {
      const page = await (asked.shift() as Promise<CatalogPage>)
      ask(at)
      yield page
    }
  } finally {
    for (const reader of readers) reader.end()
  }
}

function startReader({ connection, model }: Elsewhere): {
  read(span: SlugSpan): Promise<CatalogPage>
  end(): void
} {
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
  const script = new URL(`./catalog-reader.worker${extension}`, import.meta.url)
  // Copied, since one that follows the primary is read anew for each connection.
  const worker = new Worker(script, {
    workerData: { connection: { ...connection }, model } satisfies ReaderData,
  })
  const waiting: Array<{ resolve(page: CatalogPage): void; reject(error: Error): void }> = []
  let dead: Error | null = null
  const die = (error: Error) => {
    dead ??= error
    for (const { reject } of waiting.splice(0)) reject(dead)
  }
  // One after the other, in the order in which they were asked for.
  worker.on('message', (answer: ReaderAnswer) => {
    if ('error' in answer) die(new Error(answer.error))
    else waiting.shift()?.resolve({ products: answer.products, vectors: new Map(answer.vectors) })
  })
  worker.on('error', (error) => die(error instanceof Error ? error : new Error(String(error))))
  worker.on('exit', () => die(new Error('a thread that reads the catalog has ended')))
  return {
    read(span) {
      if (dead) return Promise.reject(dead)
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject })
        worker.postMessage(span)
      })
    },
    end() {
      worker.terminate().catch(() => {})
    },
  }
}
