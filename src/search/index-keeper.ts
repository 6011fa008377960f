/**
 * Keeps a node's index in step with the catalog: filled at start while the service is already up, then fed from the log
 * of changes. Changes that arrive while it is being filled wait until it is full, so none is overwritten by older rows.
 */
import { getProfiles, getProfilesOfCategory, streamProfiles } from '../catalog/catalog.service.ts'
import type { ChangeEvent } from '../catalog/changes.follower.ts'
import type { ProductProfile } from '../catalog/profile.ts'
import type { Db } from '../db/database.ts'
import type { Log } from '../lib/log.ts'
import { type CatalogIndex, createCatalogIndex } from './catalog-index.ts'
import { requestEmbedding } from './embed-products.ts'
import { findVectors } from './vectors.queries.ts'

export type IndexKeeper = {
  /** Null until it has been filled for the first time. */
  current(): CatalogIndex | null
  /** Fills it from the database; call after the follower has taken its position. */
  fill(): Promise<void>
  /** Resolves when what the events tell of can be found. */
  apply(events: ChangeEvent[]): Promise<void>
}

const PAGE = 200

export function createIndexKeeper(
  ctx: { db: Db; log: Log },
  model: { id: string; dims: number },
): IndexKeeper {
  let index: CatalogIndex | null = null
  let filled: Promise<void> | null = null

  async function put(target: CatalogIndex, profiles: ProductProfile[]): Promise<void> {
    const vectors = await findVectors(
      ctx.db,
      model.id,
      profiles.map((profile) => profile.id),
    )
    for (const profile of profiles) target.put(profile, vectors.get(profile.id) ?? null)
  }

  async function fill(): Promise<void> {
    const started = performance.now()
    const fresh = createCatalogIndex(model.dims)
    let page: ProductProfile[] = []
    for await (const profile of streamProfiles(ctx)) {
      page.push(profile)
      if (page.length < PAGE) continue
      await put(fresh, page)
      page = []
    }
    await put(fresh, page)
    index = fresh
    ctx.log.info({ products: fresh.size, ms: Math.round(performance.now() - started) }, 'search index filled')
    await requestEmbedding(ctx)
  }

  return {
    current: () => index,
    fill() {
      filled = fill()
      return filled
    },
    async apply(events) {
      await filled
      if (!index) return
      const ids = [...new Set(events.flatMap((event) => event.productId ?? []))]
      const categories = [
        ...new Set(events.flatMap((event) => (event.productId === null ? (event.categoryId ?? []) : []))),
      ]
      const profiles = await getProfiles(ctx, ids)
      const found = new Set(profiles.map((profile) => profile.id))
      for (const id of ids) if (!found.has(id)) index.remove(id)
      await put(index, profiles)
      // A category's label is among the words of its products.
      for (const category of categories) await put(index, await getProfilesOfCategory(ctx, category))
      // A price or an offer says nothing the embedder would hear; the job finds out by the text, so asking is cheap.
      if (events.some((event) => event.aspect === 'created' || event.aspect === 'text'))
        await requestEmbedding(ctx)
    },
  }
}
