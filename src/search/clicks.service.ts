/** A click on a result, tied to the search that showed it: what ranking is judged by in service. */
import { createNetworkCount } from '../accounts/network-limit.ts'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { isUuid, newId } from '../lib/ids.ts'
import type { Catalog } from './catalog.ts'
import { insertClick } from './query-log.queries.ts'
import type { QueryLog } from './query-log.ts'

export type ClickRecorder = (click: { queryId: string; slug: string; ip: string | null }) => Promise<void>

export function createClickRecorder(ctx: {
  db: Db
  clock: Clock
  queryLog: QueryLog
  open: () => Catalog | null
}): ClickRecorder {
  const counts = createNetworkCount(ctx.clock)
  return async ({ queryId, slug, ip }) => {
    // Anybody can report clicks: past what one network may, they are taken and not kept.
    if (!counts(ip)) return
    // Both forms of a slug are accepted: `slug` and `category/slug`.
    const name = slug.slice(slug.lastIndexOf('/') + 1)
    const product = await ctx.open()?.read((index) => index.at(index.findBySlug(name) ?? -1))
    if (!product)
      throw new AppError('not_found', `there is no product ${slug}`, { code: 'not_found', field: 'slug' })
    const click = { id: newId(), at: ctx.clock.now(), queryId, productId: product.id }
    const known = isUuid(queryId) && ((await insertClick(ctx.db, click)) || (await insertLater(click)))
    if (!known)
      throw new AppError('not_found', 'there is no search with this query_id', {
        code: 'not_found',
        field: 'query_id',
      })
  }

  /** The search may be so recent that it is not written yet. */
  async function insertLater(click: Parameters<typeof insertClick>[1]): Promise<boolean> {
    await ctx.queryLog.settled()
    return insertClick(ctx.db, click)
  }
}
