/**
 * Puts search together for one node: the embedder that is configured, the index and who keeps it, the job that embeds,
 * the log of queries. The service is up before the index is full; a remote embedder that does not answer is asked
 * again in the background, and until then words alone decide.
 */

import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'
import type { ChangeEvent } from '../catalog/changes.follower.ts'
import type { Config } from '../config.ts'
import { type Db, openDatabase } from '../db/database.ts'
import type { Job } from '../jobs/runner.ts'
import { inBackground } from '../lib/background.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { parseOutboundAllow } from '../lib/outbound.allow.ts'
import { createOutbound } from '../lib/outbound.ts'
import { createProgress, type Progress } from '../lib/progress.ts'
import { wholeCatalog } from './catalog.ts'
import type { CatalogIndex } from './catalog-index.ts'
import { categoriesLike } from './category-meaning.ts'
import { type ClickRecorder, createClickRecorder } from './clicks.service.ts'
import type { Embedder } from './embed/embedder.ts'
import { createLocalEmbedder } from './embed/local-embedder.ts'
import { connectRemoteEmbedder } from './embed/remote-embedder.ts'
import { createEmbedJob, takeReadyVectors } from './embed-products.ts'
import type { NodeSearch } from './facts.service.ts'
import { createFetchedKeeper, type FetchedKeeper } from './fetched/fetched-keeper.ts'
import type { SaleLookup } from './filters.ts'
import { createIndexKeeper, type IndexKeeper, type Stored } from './index-keeper.ts'
import { createSearchSweep } from './query-log.job.ts'
import { createQueryLog } from './query-log.ts'
import { loadLearned } from './rank/rank.ts'
import { createSearch, type Search } from './search.service.ts'
import { readShippedVectors } from './shipped-vectors.ts'
import { similarIds } from './similar.ts'
import { type MaybePromise, MeaningUnavailable } from './vectors/meaning-index.ts'
import { requirePgvector, vectorsInDatabase } from './vectors/vector-source.ts'

type Context = { db: Db; clock: Clock; log: Log }

/** Of an index in memory, or of what a node that fetches products holds. */
type Keeper = Pick<IndexKeeper, 'current' | 'fill' | 'apply' | 'stop'> &
  Partial<Pick<IndexKeeper, 'share'> & Pick<FetchedKeeper, 'open'>>

export type SearchRuntime = {
  search: Search
  recordClick: ClickRecorder
  /** Ids of the products most like one, nearest first, still made; null while its vector or the index cannot be asked. */
  similarIds(slug: string, limit: number): MaybePromise<string[] | null>
  /** For each group of titles the category that holds such products, where one does; nothing without an embedder. */
  categoriesLike(groups: readonly (readonly string[])[]): Promise<Array<string | null>>
  jobs: Job[]
  /** Why a search would not be answered yet; null when it would. */
  notReady(): string | null
  /** How far it has come. */
  facts(): NodeSearch
  /** Give it the changes as they are committed. */
  apply(events: ChangeEvent[]): Promise<void>
  /** Throws, with what to do, when vectors cannot be kept where the configuration says. */
  check(): Promise<void>
  /** Fills the index; call after the follower has taken its position. */
  fill(): Promise<void>
  stop(): Promise<void>
}

const RECONNECT_MS = 15_000
const REFILL_MS = 2_000
const PROGRESS = { whole: 'Embedding products', sentences: 'Embedding sentences of products' }
/** For an index of words alone, whose vectors are all empty. */
const NO_MODEL = { id: 'none', dims: 16 }

export function createSearchRuntime(
  ctx: Context,
  options: {
    config: Config
    sales: SaleLookup
    demo: boolean
    embedder?: Embedder
    reconnectMs?: number
    /** Of this catalog, and filled (tests). */
    index?: CatalogIndex
    /** Where the index is kept in files; nowhere when absent. */
    stored?: Stored
    /** By which other threads read the catalog; they read nothing when absent. */
    connection?: pg.PoolConfig
  },
): SearchRuntime {
  const { config, reconnectMs = RECONNECT_MS } = options
  const outbound =
    config.embedder && createOutbound({ allow: parseOutboundAllow(hostAndPort(config.embedder.url)) })
  // Exchanged together: vectors of one model never meet an index of another.
  const inDatabase = config.search === 'postgres'
  const replica =
    inDatabase && config.readUrl !== null
      ? openDatabase({ connectionString: config.readUrl }, ctx.log, {
          ...{ poolSize: config.poolSize, watched: true, readOnly: true },
        })
      : null
  let node = nodeOf(config.embedder ? null : (options.embedder ?? createLocalEmbedder()), options.index)
  /** Being filled to take its place; it gets the changes too, or those of the meantime would be lost. */
  let coming: typeof node | null = null
  let retry: NodeJS.Timeout | undefined
  let stopped = false
  let filling: Promise<void> | undefined
  let warm = false

  function nodeOf(
    embedder: Embedder | null,
    ready?: CatalogIndex,
  ): { embedder: Embedder | null; keeper: Keeper } {
    const byPgvector = config.vectors === 'pgvector'
    if (inDatabase) {
      const reads = replica?.db ?? ctx.db
      // Vectors in memory would be a catalog in memory.
      const used = byPgvector ? embedder : null
      return { embedder: used, keeper: createFetchedKeeper(ctx, { reads, model: used }) }
    }
    const source = embedder && byPgvector ? vectorsInDatabase(ctx.db, embedder) : undefined
    // Rows of a table of vectors are numbered anew when it is made anew; words alone are soon replaced.
    const stored = embedder && !source ? options.stored : undefined
    const model = embedder ?? NO_MODEL
    // Rows of a table of vectors are brought by this thread.
    const elsewhere =
      options.connection && !source ? { connection: options.connection, model: model.id } : null
    const keeper = createIndexKeeper(ctx, model, undefined, source, ready, stored, elsewhere)
    return { embedder, keeper }
  }

  async function connect(): Promise<Embedder | null> {
    if (!config.embedder || !outbound) return null
    try {
      return await connectRemoteEmbedder({ ...config.embedder, outbound })
    } catch (error) {
      ctx.log.error(
        { err: error },
        'the embedding endpoint does not answer: searching by keywords until it does',
      )
      reconnectLater()
      return null
    }
  }

  function reconnectLater(): void {
    if (stopped) return
    retry = globalThis.setTimeout(
      () => inBackground(ctx.log, 'connecting the embedder', reconnect()),
      reconnectMs,
    )
    retry.unref()
  }

  async function reconnect(): Promise<void> {
    const embedder = await connect()
    if (!embedder || stopped) return
    coming = nodeOf(embedder)
    try {
      await coming.keeper.fill()
      node = coming
    } catch (error) {
      if (stopped) return
      ctx.log.error({ err: error }, 'the search index could not be loaded; trying again')
      reconnectLater()
    } finally {
      coming = null
    }
  }

  /** Tried until it is done: without an index there is no search, and the database may only be away for a moment. */
  async function fill(): Promise<void> {
    if (config.embedder) node = nodeOf(await connect())
    while (!stopped && !node.keeper.current()) {
      try {
        if (node.embedder && options.demo)
          await takeReadyVectors(ctx, node.embedder.id, () => readShippedVectors(node.embedder?.id ?? ''))
        await node.keeper.fill()
      } catch (error) {
        if (stopped) return
        ctx.log.error({ err: error }, 'the search index could not be loaded; trying again')
        await setTimeout(REFILL_MS)
      }
    }
    warmUp()
  }

  /** Loads the model, so that the first shopper need not wait for it. In an empty catalog nobody finds anything by it. */
  function warmUp(): void {
    if (warm || !index()?.size) return
    warm = true
    node.embedder?.embedQuery('souk').catch(() => {})
  }

  const index = () => node.keeper.current()
  const open = () => {
    if (node.keeper.open) return node.keeper.open()
    const current = index()
    return current && wholeCatalog(current)
  }
  const wordsAlone = inDatabase && config.vectors === 'memory'
  const queryLog = createQueryLog(ctx)
  const progress = new Map<keyof typeof PROGRESS, Progress>()
  return {
    search: createSearch({
      ...ctx,
      index,
      open,
      embedder: wordsAlone
        ? null
        : {
            embedQuery: (text) =>
              node.embedder?.embedQuery(text) ?? Promise.reject(new Error('no embedder is connected')),
          },
      learned: loadLearned(),
      sales: options.sales,
      queryLog,
    }),
    recordClick: createClickRecorder({ ...ctx, queryLog, open }),
    similarIds(slug, limit) {
      const found = open()?.read((current) => similarIds(current, slug, limit)) ?? null
      if (!(found instanceof Promise)) return found
      return found.catch((error) => {
        if (error instanceof MeaningUnavailable) return null
        throw error
      })
    },
    categoriesLike: async (groups) =>
      node.embedder ? categoriesLike(ctx, node.embedder, groups) : groups.map(() => null),
    jobs: [
      createEmbedJob(
        ctx,
        () => node.embedder,
        (stage, done, total) => {
          const shown = progress.get(stage) ?? createProgress(PROGRESS[stage])
          shown.update(done, done / total)
          if (done < total) progress.set(stage, shown)
          else progress.delete(stage)
        },
      ),
      createSearchSweep(ctx),
    ],
    notReady() {
      if (index()) return null
      const share = node.keeper.share?.() ?? 0
      const done = share > 0 ? `: ${Math.floor(share * 100)} % of the products are in it` : ''
      return `the search index is loading${done}`
    },
    facts() {
      const current = index()
      const indexed = current && {
        products: current.size,
        embedded: current.embedded,
        bytes: current.bytes(),
      }
      return { model: node.embedder?.id ?? null, indexed }
    },
    async apply(all) {
      // Offers are looked up when they are asked for; nothing of them is in the index.
      const events = all.filter(({ aspect }) => aspect !== 'offers')
      if (events.length > 0) await Promise.all([node.keeper.apply(events), coming?.keeper.apply(events)])
      warmUp()
    },
    async check() {
      if (config.vectors === 'pgvector') await requirePgvector(ctx.db)
      if (wordsAlone)
        ctx.log.warn(
          'SOUK_SEARCH=postgres without SOUK_VECTORS=pgvector: products are searched by words alone',
        )
    },
    fill() {
      filling = fill()
      return filling
    },
    async stop() {
      stopped = true
      clearTimeout(retry)
      await Promise.all([node.keeper.stop(), coming?.keeper.stop()])
      await filling
      await Promise.all([queryLog.settled(), node.embedder?.close(), outbound?.close(), replica?.close()])
    },
  }
}

/** As SOUK_OUTBOUND_ALLOW writes it. */
export function hostAndPort(address: string): string {
  const { hostname, port, protocol } = new URL(address)
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
}
