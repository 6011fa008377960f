/**
 * Takes the demo away for good: sellers, accounts and requests in one transaction, which also marks the demo catalog as
 * removed, then its products and categories by the ordinary deletion, which keeps what something real hangs on. A removal
 * that was cut off is finished by the next one.
 */
import type { AuditActor } from '../accounts/audit.service.ts'
import { markDemoRemoved, parseDemoFile, readDemoFiles } from '../catalog/demo.service.ts'
import { deleteCategory } from '../catalog/manage-categories.service.ts'
import { type Deleted, deleteProducts } from '../catalog/manage-products.service.ts'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { alteringShelves } from '../offers/shelves.service.ts'
import {
  countDemo,
  type DemoCounts,
  deleteDemoAccounts,
  deleteRequests,
  deleteSellers,
  deleteSights,
  findDemoSlugs,
  findEmptyCategories,
  findOffered,
} from './remove.queries.ts'
import { deactivateSellers, saveLoaded } from './sellers.queries.ts'

type Context = { db: Db; clock: Clock }

export type DemoRemoved = DemoCounts & { categories: number; kept: Deleted['kept'] }

/** What `removeDemo` would remove. */
export function previewRemoval(ctx: Pick<Context, 'db'>): Promise<DemoCounts> {
  return countDemo(ctx.db)
}

export async function removeDemo(ctx: Context, by: AuditActor): Promise<DemoRemoved> {
  const { sellersKept } = await countDemo(ctx.db)
  const gone = await ctx.db.transaction().execute(async (tx) => {
    const at = ctx.clock.now()
    await markDemoRemoved({ db: tx })
    await deleteSights(tx)
    await saveLoaded(tx, null)
    const requests = await deleteRequests(tx)
    const productIds = await findOffered(tx)
    const sellers = await alteringShelves(tx, { productIds, at }, () => deleteSellers(tx))
    await deactivateSellers(tx, at)
    return { requests, sellers, accounts: await deleteDemoAccounts(tx) }
  })
  const slugs = await findDemoSlugs(ctx.db)
  const { deleted, kept } = await deleteProducts(ctx, { by, selection: { slugs } })
  const empty = await findEmptyCategories(ctx.db, readDemoFiles().map(parseDemoFile))
  for (const slug of empty) await deleteCategory(ctx, { by, slug })
  return { ...gone, sellersKept, products: deleted, categories: empty.length, kept }
}
