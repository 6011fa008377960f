/**
 * Keeps a node's index in step with the catalog: filled at start while the service is already up, then fed from the log
 * of changes. Changes that arrive while it is first filled wait until it is full, so none is overwritten by older rows.
 * Replaced products leave their slots behind; when those outnumber the living, a new index is filled beside the old
 * one, which serves and follows the changes until the new one has caught up.
 */
import { setImmediate as turn } from 'node:timers/promises'
import {
  getProfiles,
  getProfilesOfCategory,
  listCategories,
  streamProfiles,
} from '../catalog/catalog.service.ts'
import type { ChangeEvent } from '../catalog/changes.follower.ts'
import type { ProductProfile } from '../catalog/profile.ts'
import { listRates } from '../catalog/rates.service.ts'
import type { Db } from '../db/database.ts'
import { awaitLater } from '../lib/background.ts'
import type { Log } from '../lib/log.ts'
import { type CatalogIndex, createCatalogIndex } from './catalog-index.ts'
import { requestEmbedding } from './embed-products.ts'
import { type VectorSource, vectorsInMemory } from './vectors/vector-source.ts'

export type IndexKeeper = {
  /** Null until it has been filled for the first time. */
  current(): CatalogIndex | null
  /** Fills it from the database; call after the follower has taken its position. */
  fill(): Promise<void>
  /** Resolves when what the events tell of can be found. */
  apply(events: ChangeEvent[]): Promise<void>
  /** Resolves when no rebuilding is under way. */
  settled(): Promise<void>
  /** Gives up what is being filled: of a large catalog that takes minutes, and nobody will ask it any more. */
  stop(): Promise<void>
}

const PAGE = 200
/** Indexing a large import takes minutes; requests get their turn at least this often meanwhile. */
const TURN_AFTER_MS = 5
/** A small index is not worth rebuilding for a few thousand dead slots. */
const SPARE_SLOTS = 5_000

export function createIndexKeeper(
  ctx: { db: Db; log: Log },
  model: { id: string; dims: number },
  spareSlots = SPARE_SLOTS,
  source: VectorSource = vectorsInMemory(ctx.db, model),
): IndexKeeper {
  let index: CatalogIndex | null = null
  let filled: Promise<void> | null = null
  let rebuilding: Promise<void> | null = null
  let missed: ChangeEvent[] = []
  let stopped = false

  async function put(
    target: CatalogIndex,
    profiles: ProductProfile[],
    before?: Promise<void>,
  ): Promise<void> {
    const vectors = await source.find(profiles.map((profile) => profile.id))
    await before
    let since = performance.now()
    for (const profile of profiles) {
      target.put(profile, vectors.get(profile.id) ?? null)
      if (performance.now() - since < TURN_AFTER_MS) continue
      await turn()
      since = performance.now()
    }
  }

  /** Not as a change of the product: it has no new words, and would leave a slot behind each time. */
  async function putVectors(target: CatalogIndex, events: ChangeEvent[]): Promise<void> {
    const embedded = events.flatMap(({ aspect, productId }) =>
      aspect === 'embedded' ? (productId ?? []) : [],
    )
    if (embedded.length === 0) return
    const ids = [...new Set(embedded)]
    const found = await source.find(ids)
    for (const [id, vectors] of found) target.setVectors(id, vectors)
    // Another model has taken over, and those of this one are gone.
    const without = ids.filter((id) => !found.has(id))
    if (without.length > 0) await put(target, await getProfiles(ctx, without))
  }

  async function currentRates(): Promise<Record<string, number>> {
    return Object.fromEntries(Object.entries(await listRates(ctx)).map(([code, { rate }]) => [code, rate]))
  }

  async function build(): Promise<CatalogIndex> {
    const started = performance.now()
    await source.prepare()
    const fresh = createCatalogIndex(source.createMeaning())
    fresh.setCategories(await listCategories(ctx))
    fresh.setRates(await currentRates())
    let page: ProductProfile[] = []
    let before: Promise<void> | undefined
    for await (const profile of streamProfiles(ctx)) {
      if (stopped) throw new Error('the search index was closed while loading')
      page.push(profile)
      if (page.length < PAGE) continue
      // One page ahead: the database reads the next while this one is indexed.
      await before
      before = awaitLater(put(fresh, page))
      page = []
    }
    await put(fresh, page, before)
    await source.filled()
    ctx.log.info({ products: fresh.size, ms: Math.round(performance.now() - started) }, 'search index loaded')
    return fresh
  }

  async function fill(): Promise<void> {
    index = await build()
    await requestEmbedding(ctx)
  }

  async function applyTo(target: CatalogIndex, events: ChangeEvent[]): Promise<void> {
    const changed = events.filter(({ aspect }) => aspect !== 'embedded')
    const ids = [...new Set(changed.flatMap((event) => event.productId ?? []))]
    const categories = [
      ...new Set(changed.flatMap((event) => (event.productId === null ? (event.categoryId ?? []) : []))),
    ]
    for (let from = 0; from < ids.length; from += PAGE) {
      const page = ids.slice(from, from + PAGE)
      const profiles = await getProfiles(ctx, page)
      const found = new Set(profiles.map((profile) => profile.id))
      for (const id of page) if (!found.has(id)) target.remove(id)
      await put(target, profiles)
    }
    await putVectors(target, events)
    if (changed.some(({ productId, categoryId }) => !productId && !categoryId))
      target.setRates(await currentRates())
    if (categories.length === 0) return
    // A category's label is among the words of its products.
    for (const category of categories) await put(target, await getProfilesOfCategory(ctx, category))
    // Last, so that the products of one with a new slug are found all the while.
    target.setCategories(await listCategories(ctx))
  }

  async function rebuild(): Promise<void> {
    missed = []
    const fresh = await build()
    while (missed.length > 0) await applyTo(fresh, missed.splice(0))
    index = fresh
  }

  async function settled(): Promise<void> {
    await filled?.catch(() => {})
    await rebuilding
  }

  return {
    current: () => index,
    fill() {
      filled = fill()
      return filled
    },
    async apply(events) {
      await filled?.catch(() => {})
      if (!index) return
      if (rebuilding) missed.push(...events)
      let target: CatalogIndex
      do {
        target = index
        await applyTo(target, events)
        // Exchanged in the meantime: the new one may have been read before these events.
      } while (index !== target)
      if (!rebuilding && index.slots > 2 * index.size + spareSlots) {
        rebuilding = rebuild()
          .catch((error) => {
            if (!stopped) ctx.log.error({ err: error }, 'the search index could not be rebuilt')
          })
          .finally(() => {
            rebuilding = null
          })
      }
      // A price or an offer says nothing the embedder would hear; the job finds out by the text, so asking is cheap.
      if (events.some((event) => event.aspect === 'created' || event.aspect === 'text'))
        await requestEmbedding(ctx)
    },
    settled,
    stop() {
      stopped = true
      return settled()
    },
  }
}
