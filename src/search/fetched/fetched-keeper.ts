/**
 * Keeps the search of a node that holds no catalog in step with it: sees to it that the database has the words and the
 * vectors, and that the node forgets what it knew when something has changed.
 */
import type { ChangeEvent } from '../../catalog/changes.follower.ts'
import type { Db } from '../../db/database.ts'
import { inBackground } from '../../lib/background.ts'
import type { Log } from '../../lib/log.ts'
import { requestEmbedding } from '../embed-products.ts'
import type { IndexKeeper } from '../index-keeper.ts'
import type { PgvectorLimits } from '../vectors/pgvector-meaning.ts'
import { findUncopied, hasIndexes, vectorTable } from '../vectors/pgvector-tables.queries.ts'
import { vectorsInDatabase } from '../vectors/vector-source.ts'
import { createFetchedCatalog, type FetchedCatalog } from './fetched-catalog.ts'
import { createWordsWriter } from './words-writer.ts'

export type FetchedKeeper = Pick<IndexKeeper, 'current' | 'fill' | 'apply' | 'settled' | 'stop'> &
  Pick<FetchedCatalog, 'open'>

const PAGE = 500

export function createFetchedKeeper(
  ctx: { db: Db; log: Log },
  {
    reads,
    model,
    limits,
  }: {
    reads: Db
    /** Of the vectors in the database; null where words alone decide. */
    model: { id: string; dims: number } | null
    limits?: PgvectorLimits
  },
): FetchedKeeper {
  const table = model && vectorTable(model)
  const source = model && vectorsInDatabase(ctx.db, model, limits)
  const writer = createWordsWriter(ctx)
  const catalog = createFetchedCatalog(ctx, {
    reads,
    vectors: table,
    ...(limits?.answerWithinMs !== undefined && { answerWithinMs: limits.answerWithinMs }),
  })
  let filled: Promise<void> | null = null
  let copied: Promise<void> | null = null
  let stopped = false

  async function fill(): Promise<void> {
    await Promise.all([writer.fill(), prepareVectors()])
    await catalog.refresh()
    if (source) await requestEmbedding(ctx)
  }

  async function prepareVectors(): Promise<void> {
    if (!source || !table) return
    await source.prepare()
    const copying = copyVectors()
    // Without an index every search would read all rows.
    if (!(await hasIndexes(ctx.db, table))) return copying
    copied = copying
    inBackground(ctx.log, 'copying vectors', copying)
  }

  /** Those that were made while no node of this mode was there. */
  async function copyVectors(): Promise<void> {
    if (!source || !table) return
    for (;;) {
      const ids = await findUncopied(ctx.db, table, PAGE)
      if (ids.length > 0) await source.find(ids)
      if (ids.length < PAGE || stopped) break
    }
    if (!stopped) await source.filled()
  }

  async function apply(events: ChangeEvent[]): Promise<void> {
    await filled?.catch(() => {})
    if (!catalog.open() || stopped) return
    const embedded = events.flatMap(({ aspect, productId }) =>
      aspect === 'embedded' && productId !== null ? [productId] : [],
    )
    for (let from = 0; source && from < embedded.length; from += PAGE)
      await source.find(embedded.slice(from, from + PAGE))
    if (events.some(({ aspect }) => aspect !== 'embedded')) await writer.catchUp()
    await catalog.refresh()
    // The job finds out by the text whether there is anything to do.
    if (source && events.some(({ aspect }) => aspect === 'created' || aspect === 'text'))
      await requestEmbedding(ctx)
  }

  return {
    current: catalog.held,
    open: catalog.open,
    fill() {
      filled = fill()
      return filled
    },
    apply,
    async settled() {
      await filled?.catch(() => {})
      await copied?.catch(() => {})
    },
    async stop() {
      stopped = true
      writer.stop()
      await filled?.catch(() => {})
      await copied?.catch(() => {})
    },
  }
}
