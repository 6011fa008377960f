/**
 * Keeps a node's index in step with the catalog: read from files or filled from the database at start while the service is
 * already up, then fed from the log of changes, and written to files now and then. Changes that arrive while it is first filled wait until it is full, so none is overwritten by older rows.
 * Replaced products leave their slots behind; when those outnumber the living, a new index is filled beside the old
 * one, which serves and follows the changes until the new one has caught up.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { listCategories, listTouched } from '../catalog/catalog.service.ts'
import { type ChangeEvent, currentPosition } from '../catalog/changes.follower.ts'
import { listRates } from '../catalog/rates.service.ts'
import type { Db } from '../db/database.ts'
import { inBackground } from '../lib/background.ts'
import { createBreather } from '../lib/breathe.ts'
import type { Log } from '../lib/log.ts'
import { createProgress } from '../lib/progress.ts'
import { type CatalogIndex, createCatalogIndex } from './catalog-index.ts'
import { requestEmbedding } from './embed-products.ts'
import { type CatalogPage, type Elsewhere, readCatalog, readSome } from './read-catalog.ts'
import { findUnlike } from './stored/audit.queries.ts'
import { createIndexFiles, type IndexFiles } from './stored/index-files.ts'
import { findChangedSince } from './stored/index-marks.queries.ts'
import { readTuning } from './tuning.service.ts'
import { type VectorSource, vectorsInMemory } from './vectors/vector-source.ts'

export type IndexKeeper = {
  /** Null until it has been filled for the first time. */
  current(): CatalogIndex | null
  /** 0 to 1: how much of the catalog it has taken in, while it is filled. */
  share(): number
  /** Fills it from the database; call after the follower has taken its position. */
  fill(): Promise<void>
  /** Resolves when what the events tell of can be found. */
  apply(events: ChangeEvent[]): Promise<void>
  /** Resolves when no filling, rebuilding or comparing is under way. */
  settled(): Promise<void>
  /** Writes it to its files now; false when there are none, or another node has just written there. */
  write(): Promise<boolean>
  /** Gives up what is being filled: of a large catalog that takes minutes, and nobody will ask it any more. */
  stop(): Promise<void>
}

/** Read and parsed in one go, a page must not hold up who is served. */
const PAGE = 100
/** A small index is not worth rebuilding for a few thousand dead slots. */
const SPARE_SLOTS = 5_000
/** When more has changed since files were written, filling anew is as fast. */
const LEAST_FOLLOWED = 5_000
const FOLLOWED_SHARE = 0.3
const FIRST_WRITE_MS = 10_000
const WRITE_EVERY_MS = 5 * 60_000
/** Writing takes at most one part in so many of a node's time. */
const WRITING_SHARE = 30

export type Stored = {
  folder: string
  /** Resolves when all that was committed before the call has been applied. */
  catchUp(): Promise<void>
  /** From so many slots on, files hold what is only read for candidates (tests). */
  leaveFrom?: number
}

export function createIndexKeeper(
  ctx: { db: Db; log: Log },
  model: { id: string; dims: number },
  spareSlots = SPARE_SLOTS,
  source: VectorSource = vectorsInMemory(ctx.db, model),
  ready: CatalogIndex | null = null,
  stored: Stored | null = null,
  elsewhere: Elsewhere | null = null,
): IndexKeeper {
  const files: IndexFiles | null = stored && createIndexFiles(ctx, { ...stored, model })
  let index: CatalogIndex | null = null
  let share = 0
  let filled: Promise<void> | null = null
  let rebuilding: Promise<void> | null = null
  let missed: ChangeEvent[] = []
  let stopped = false
  let canLighten = true
  /** While it is copied for its files, the index stays as it is. */
  let held: Promise<void> | null = null
  let writing: Promise<boolean> | null = null
  let timer: NodeJS.Timeout | undefined
  /** Of an index that was read from files: it is compared with the catalog once. */
  let audited: Promise<void> | null = null
  /** That was written last. */
  let written: { index: CatalogIndex; version: number } | null = null

  /** Indexing a large import takes minutes; requests get their turn meanwhile. */
  const breathe = createBreather()

  async function whenFree(): Promise<void> {
    while (held) await held
  }

  async function put(target: CatalogIndex, { products, vectors }: CatalogPage): Promise<void> {
    await whenFree()
    for (const product of products) {
      target.take(product, vectors.get(product.facts.id) ?? null)
      await breathe()
      await whenFree()
    }
    await lighten(target)
  }

  /** Without room on the disk it stays in memory. */
  async function lighten(target: CatalogIndex): Promise<void> {
    if (!canLighten) return
    try {
      await files?.lighten(target)
    } catch (error) {
      canLighten = false
      ctx.log.warn({ err: error }, 'the search index stays in memory: its files cannot be written')
    }
  }

  /** Not as a change of the product: it has no new words, and would leave a slot behind each time. */
  async function putVectors(target: CatalogIndex, events: ChangeEvent[]): Promise<void> {
    const embedded = events.flatMap(({ aspect, productId }) =>
      aspect === 'embedded' ? (productId ?? []) : [],
    )
    if (embedded.length === 0) return
    const ids = [...new Set(embedded)]
    for (let from = 0; from < ids.length; from += PAGE) {
      const page = ids.slice(from, from + PAGE)
      const found = await source.find(page)
      await whenFree()
      for (const [id, vectors] of found) {
        target.setVectors(id, vectors)
        await breathe()
        await whenFree()
      }
      await lighten(target)
      // Another model has taken over, and those of this one are gone.
      const without = page.filter((id) => !found.has(id))
      if (without.length > 0) await put(target, await readSome(ctx, source, without))
    }
  }

  async function currentRates(): Promise<Record<string, number>> {
    return Object.fromEntries(Object.entries(await listRates(ctx)).map(([code, { rate }]) => [code, rate]))
  }

  let threads = elsewhere

  async function build(): Promise<CatalogIndex> {
    const started = performance.now()
    await source.prepare()
    const fresh = createCatalogIndex(source.createMeaning())
    fresh.setCategories(await listCategories(ctx))
    fresh.setRates(await currentRates())
    fresh.setTuning(await readTuning(ctx))
    fresh.whenDamaged(() => onDamage(fresh))
    const progress = createProgress('Filling the search index')
    const pages = readCatalog(ctx, source, threads)
    // Should they fail, where the database gives them no connections: the next filling does without.
    threads = null
    for await (const page of pages) {
      if (stopped) throw new Error('the search index was closed while loading')
      await put(fresh, page)
      share = page.share
      progress.update(fresh.size, share)
    }
    threads = elsewhere
    await source.filled()
    ctx.log.info({ products: fresh.size, ms: Math.round(performance.now() - started) }, 'search index loaded')
    return fresh
  }

  /** From its files, with what has changed since; null when filling it from the database is right, or faster. */
  async function open(): Promise<CatalogIndex | null> {
    const opened = await files?.read()
    if (!opened) return null
    const { index: fresh, position } = opened
    fresh.whenDamaged(() => onDamage(fresh))
    const most = Math.max(LEAST_FOLLOWED, fresh.size * FOLLOWED_SHARE)
    const changed = await findChangedSince(ctx.db, position, most)
    if (!changed) {
      ctx.log.info('too much has changed since the search index was written to files')
      return null
    }
    fresh.setCategories(await listCategories(ctx))
    fresh.setRates(await currentRates())
    fresh.setTuning(await readTuning(ctx))
    written = { index: fresh, version: fresh.version }
    await applyTo(fresh, changed)
    return fresh
  }

  /** What was changed past the log, by hand in the database, would be wrong for ever: a fill from files reads no products. */
  async function audit(fresh: CatalogIndex): Promise<void> {
    const unlike = await findUnlike(ctx.db, model.id, fresh, () => stopped)
    for (let from = 0; from < unlike.length && !stopped; from += PAGE)
      await apply(unlike.slice(from, from + PAGE))
    if (unlike.length > 0)
      ctx.log.warn({ products: unlike.length }, 'the search index lacked changes that nobody had logged')
    await files?.lookThrough(() => stopped).catch(() => onDamage(fresh))
  }

  /** Until a new one is there, what cannot be read is told by its codes in memory, or is not found. */
  function onDamage(damaged: CatalogIndex): void {
    if (stopped || rebuilding || damaged !== index) return
    ctx.log.warn('a file of the search index is damaged: filling it from the database')
    startRebuilding()
  }

  function startRebuilding(): void {
    rebuilding = rebuild()
      .catch((error) => {
        if (!stopped) ctx.log.error({ err: error }, 'the search index could not be rebuilt')
      })
      .finally(() => {
        rebuilding = null
      })
  }

  async function fill(): Promise<void> {
    const read = ready ? null : await open()
    index = ready ?? read ?? (await build())
    writeLater(FIRST_WRITE_MS)
    if (read) {
      audited = audit(read)
      inBackground(ctx.log, 'comparing the search index with the catalog', audited)
    }
    await requestEmbedding(ctx)
  }

  function writeLater(afterMs: number): void {
    if (!files || stopped) return
    timer = setTimeout(
      () => inBackground(ctx.log, 'writing the search index to files', writeInTurn()),
      afterMs,
    )
    timer.unref()
  }

  async function writeInTurn(): Promise<void> {
    const began = performance.now()
    try {
      await write()
    } finally {
      writeLater(Math.max(WRITE_EVERY_MS, WRITING_SHARE * (performance.now() - began)))
    }
  }

  async function write(): Promise<boolean> {
    if (!files || !stored || !index) return false
    const target = index
    if (written?.index === target && written.version === target.version) return false
    if (writing) return writing
    let version = -1
    writing = files.write(
      target,
      async () => {
        // All that was committed before this position has been applied once we have caught up.
        const position = await currentPosition(ctx.db)
        await stored.catchUp()
        await whenFree()
        const { promise, resolve } = Promise.withResolvers<void>()
        held = promise
        // Who was free before has done what it was about to do.
        await turn()
        version = target.version
        const letGo = () => {
          held = null
          resolve()
        }
        return { position, letGo }
      },
      () => stopped,
    )
    try {
      const done = await writing
      if (done) written = { index: target, version }
      return done
    } finally {
      writing = null
    }
  }

  async function applyTo(target: CatalogIndex, events: ChangeEvent[]): Promise<void> {
    const changed = events.filter(({ aspect }) => aspect !== 'embedded')
    const { products, categories } = await listTouched(ctx, changed)
    const ids = [...products]
    for (let from = 0; from < ids.length; from += PAGE) {
      const page = ids.slice(from, from + PAGE)
      const some = await readSome(ctx, source, page)
      const shown = new Set(some.ids)
      await whenFree()
      for (const id of page) if (!shown.has(id)) target.remove(id)
      await put(target, some)
    }
    await putVectors(target, events)
    if (changed.some(({ productId, categoryId }) => !productId && !categoryId)) {
      const [rates, tuning] = [await currentRates(), await readTuning(ctx)]
      await whenFree()
      target.setRates(rates)
      target.setTuning(tuning)
    }
    if (categories.size === 0) return
    // Last, so that the products of one with a new slug are found all the while.
    const [known, tuning] = [await listCategories(ctx), await readTuning(ctx)]
    await whenFree()
    target.setCategories(known)
    // A rule may name one of them.
    target.setTuning(tuning)
  }

  async function rebuild(): Promise<void> {
    missed = []
    const fresh = await build()
    while (missed.length > 0) await applyTo(fresh, missed.splice(0))
    index = fresh
  }

  async function apply(events: ChangeEvent[]): Promise<void> {
    await filled?.catch(() => {})
    if (!index) return
    if (rebuilding) missed.push(...events)
    let target: CatalogIndex
    do {
      target = index
      await applyTo(target, events)
      // Exchanged in the meantime: the new one may have been read before these events.
    } while (index !== target)
    if (!rebuilding && index.slots > 2 * index.size + spareSlots) startRebuilding()
    // A price or an offer says nothing the embedder would hear; the job finds out by the text, so asking is cheap.
    if (events.some((event) => event.aspect === 'created' || event.aspect === 'text'))
      await requestEmbedding(ctx)
  }

  async function settled(): Promise<void> {
    await filled?.catch(() => {})
    await audited?.catch(() => {})
    await rebuilding
  }

  return {
    current: () => index,
    share: () => share,
    fill() {
      filled = fill()
      return filled
    },
    apply,
    settled,
    write,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await Promise.all([settled(), writing?.catch(() => {})])
    },
  }
}
