/**
 * What an operator does to products, one or thousands: hide them at once and show them again, archive, move to another
 * category, delete. Each portion is one transaction with its record in the audit log and in `changes`, which pages,
 * caches and the search index follow. What is so already is left alone.
 */
import { type AuditActor, recordAudit } from '../accounts/audit.service.ts'
import type { Db, Tx } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { counted } from '../lib/words.ts'
import { keepAddresses, leaveGone } from './addresses.queries.ts'
import { findCategories } from './catalog.queries.ts'
import { type Category, OPERATOR_SOURCE, type Product } from './catalog.schema.ts'
import { deleteProducts as deleteRows, keepDeletedKeys } from './imports.queries.ts'
import {
  endOffers,
  findAllTwins,
  findHanging,
  type Hanging,
  type Twins,
  updateCategoryOf,
  updateHidden,
} from './manage-products.queries.ts'
import { diffProducts, priceView } from './product-diff.ts'
import { forChosen, type Selection } from './select-products.ts'
import { type ChangeRecord, insertChanges, lockProducts, updateProducts } from './upsert.queries.ts'

export type ManageContext = { db: Db; clock: Clock }
export type Managed = { changed: number; unchanged: number }
type Ask = { by: AuditActor; selection: Selection }

export const NOTHING_NAMED = { ids: [], slugs: [], gtins: [], brandIds: [], mpns: [] }

export function hideProducts(ctx: ManageContext, ask: Ask): Promise<Managed> {
  return manage(ctx, ask, 'product.hidden', async (tx, products, at) => {
    const hidden = await updateHidden(tx, idsOf(products), { hide: true, at })
    const changed = products.filter(({ id }) => hidden.has(id))
    await insertChanges(tx, changed.map(asRemoved), at)
    return changed
  })
}

/** As if they came anew: every node reads them again, and those that have no vectors yet get them. */
export function showProducts(ctx: ManageContext, ask: Ask): Promise<Managed> {
  return manage(ctx, ask, 'product.shown', async (tx, products, at) => {
    const shown = await updateHidden(tx, idsOf(products), { hide: false, at })
    const changed = products.filter(({ id }) => shown.has(id))
    const changes = changed.map(
      (product): ChangeRecord => ({
        productId: product.id,
        categoryId: product.categoryId,
        aspect: 'created',
        before: null,
        after: { title: product.title, ...priceView(product) },
      }),
    )
    await insertChanges(tx, changes, at)
    return changed
  })
}

/** No longer made: the pages stay. */
export function archiveProducts(ctx: ManageContext, ask: Ask): Promise<Managed> {
  return manage(ctx, ask, 'product.archived', async (tx, products, at) => {
    const changed = products.filter(({ discontinued }) => !discontinued)
    const archived = changed.map((product) => {
      const provenance = {
        ...product.provenance,
        discontinued: { source: OPERATOR_SOURCE, verifiedAt: null },
      }
      return { ...product, discontinued: true, provenance, updatedAt: at }
    })
    await updateProducts(tx, archived)
    await insertChanges(tx, changesBetween(changed, archived), at)
    return changed
  })
}

/**
 * Their old addresses lead on. `isByHand`: somebody chose the place for these products, and files do not move them back; a
 * category that goes into another is not that, since its name goes with it.
 */
export async function moveProducts(
  ctx: ManageContext,
  ask: Ask & { to: string; isByHand?: boolean },
): Promise<Managed> {
  const { isByHand = true } = ask
  const { id: categoryId, slug } = await requireCategory(ctx.db, ask.to)
  return manage(
    ctx,
    ask,
    'product.moved',
    async (tx, products, at) => {
      const changed = products.filter((product) => product.categoryId !== categoryId)
      const ids = idsOf(changed)
      await keepAddresses(tx, ids, at)
      await updateCategoryOf(tx, ids, { categoryId, at, saidBy: isByHand ? OPERATOR_SOURCE : null })
      const moved = changed.map((product) => ({ ...product, categoryId }))
      await insertChanges(tx, changesBetween(changed, moved), at)
      return changed
    },
    { to: slug },
  )
}

async function manage(
  ctx: ManageContext,
  { by, selection }: Ask,
  action: string,
  change: (tx: Tx, products: Product[], at: Date) => Promise<Product[]>,
  detail: Record<string, unknown> = {},
): Promise<Managed> {
  const counts = await forChosen(ctx, selection, async (tx, ids) => {
    const at = ctx.clock.now()
    const products = await lockProducts(tx, { ...NOTHING_NAMED, ids })
    const changed = await change(tx, products, at)
    if (changed.length > 0) {
      const slugs = changed.map(({ slug }) => slug)
      await recordAudit(tx, { actor: by, action, at, detail: { ...detail, product_slugs: slugs } })
    }
    return { changed: changed.length, unchanged: products.length - changed.length }
  })
  return {
    changed: counts.reduce((sum, one) => sum + one.changed, 0),
    unchanged: counts.reduce((sum, one) => sum + one.unchanged, 0),
  }
}

export type Deleted = {
  deleted: number
  /** Asked for by force, but a promise hangs on them: hidden, and their addresses say that they were removed. */
  hidden: string[]
  /** What stays, and what hangs on it. */
  kept: Array<{ slug: string; why: string }>
}

/**
 * Products on which nothing hangs go. `force` ends what hangs on the others and removes it with them, except requests for
 * quote: what was asked and promised is never deleted with a product.
 */
export async function deleteProducts(
  ctx: ManageContext,
  { by, selection, force = false }: Ask & { force?: boolean },
): Promise<Deleted> {
  const portions = await forChosen(ctx, selection, async (tx, ids) => {
    const at = ctx.clock.now()
    const products = await lockProducts(tx, { ...NOTHING_NAMED, ids })
    const hanging = await findHanging(tx, ids)
    const isPromised = ({ id }: Product) => (hanging.get(id)?.rfqs ?? 0) > 0
    const isFree = ({ id }: Product) => !hanging.has(id)
    const going = products.filter((product) => isFree(product) || (force && !isPromised(product)))
    const hidden = force ? products.filter(isPromised) : []
    await leaveGone(tx, idsOf([...going, ...hidden]), null, at)
    await keepDeletedKeys(tx, idsOf(going), at)
    await deleteRows(tx, idsOf(going))
    await updateHidden(tx, idsOf(hidden), { hide: true, at })
    await endOffers(tx, idsOf(hidden), at)
    await insertChanges(tx, [...going, ...hidden].map(asRemoved), at)
    const slugsOf = (some: Product[]) => some.map(({ slug }) => slug)
    if (going.length + hidden.length > 0) {
      const detail = { product_slugs: slugsOf(going), hidden: slugsOf(hidden), force }
      await recordAudit(tx, { actor: by, action: 'product.deleted', at, detail })
    }
    const kept = force ? [] : products.filter((product) => !isFree(product))
    return {
      deleted: going.length,
      hidden: slugsOf(hidden),
      kept: kept.map(({ id, slug }) => ({ slug, why: hangingWords(hanging.get(id)) })),
    }
  })
  return {
    deleted: portions.reduce((sum, one) => sum + one.deleted, 0),
    hidden: portions.flatMap(({ hidden }) => hidden),
    kept: portions.flatMap(({ kept }) => kept),
  }
}

function hangingWords(hanging: Hanging | undefined): string {
  const {
    rfqs = 0,
    claims = 0,
    offers = 0,
    pricing = 0,
    enrichments = 0,
    submissions = 0,
    saved = 0,
  } = {
    ...hanging,
  }
  const said: Array<[number, string]> = [
    [rfqs, 'quote request'],
    [claims, 'claim'],
    [offers, 'offer'],
    [pricing, 'pricing rule'],
    [enrichments + submissions, 'proposal'],
    [saved, 'save'],
  ]
  return said.flatMap(([count, noun]) => (count > 0 ? [counted(count, noun)] : [])).join(', ')
}

/** Products that may be the same: of one brand and title. */
export function listTwins(
  ctx: { db: Db },
  page: { limit: number },
): Promise<{ total: number; twins: Twins[] }> {
  return findAllTwins(ctx.db, page)
}

/** Hidden ones too. */
export async function requireCategory(db: Db, slug: string): Promise<Category> {
  const categories = await findCategories(db, { withHidden: true })
  const found = categories.find((category) => category.slug === slug)
  if (!found) throw new AppError('not_found', `there is no category ${slug}`, { field: 'category' })
  return found
}

export function asRemoved({ id, categoryId, title }: Product): ChangeRecord {
  return { productId: id, categoryId, aspect: 'removed', before: { title }, after: null }
}

/** `after` in the order of `before`. */
export function changesBetween(before: Product[], after: Product[]): ChangeRecord[] {
  return before.flatMap((product, at) => {
    const next = after[at] ?? product
    const { id: productId, categoryId } = next
    return diffProducts(product, next).map((difference) => ({ productId, categoryId, ...difference }))
  })
}

function idsOf(products: Product[]): string[] {
  return products.map(({ id }) => id)
}
