/**
 * Takes back what an operator did to the catalog: hidden, shown, archived, moved and edited things become what they were,
 * where nothing newer was done to them since. It goes by the record in the audit log, and is on record itself. What was
 * deleted or merged cannot be taken back.
 */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type AuditActor, type AuditRecord, listAuditBatch } from '../accounts/audit.service.ts'
import { AppError, conflict } from '../lib/errors.ts'
import { deleteBrand, editBrand } from './manage-brands.service.ts'
import { deleteCategory, editCategory, setCategoryHidden } from './manage-categories.service.ts'
import { getBrand, getManaged, listManagedCategories } from './manage-lists.service.ts'
import {
  archiveProducts,
  editProduct,
  hideProducts,
  type ManageContext,
  type Managed,
  moveProducts,
  showProducts,
  statedOf,
  unarchiveProducts,
} from './manage-products.service.ts'

export type ManagedAction = {
  action: string
  at: Date
  /** What it was done to. */
  names: string[]
}

type Undo = (
  ctx: ManageContext,
  ask: { by: AuditActor; undoOf: string; record: AuditRecord },
) => Promise<number>

const Slugs = z.object({ product_slugs: z.array(z.string()) })
const Moved = z.object({ to: z.string(), from: z.record(z.string(), z.array(z.string())) })
const Values = z.record(z.string(), z.unknown())
const Edited = z.object({ slug: z.string(), before: Values, after: Values })
const BrandEdited = z.object({
  brand_id: z.string(),
  before: z.object({ name: z.string(), domain: z.string().nullable() }),
  after: z.object({ name: z.string(), domain: z.string().nullable() }),
})

const onProducts =
  (work: (ctx: ManageContext, ask: Parameters<typeof hideProducts>[1]) => Promise<Managed>): Undo =>
  async (ctx, { by, undoOf, record }) => {
    const { product_slugs: slugs } = Slugs.parse(record.detail)
    return (await work(ctx, { by, undoOf, selection: { slugs } })).changed
  }

const hideCategory =
  (hide: boolean): Undo =>
  async (ctx, { by, undoOf, record }) => {
    const { category: slug } = z.object({ category: z.string() }).parse(record.detail)
    return (await setCategoryHidden(ctx, { by, undoOf, slug, hide })) === null ? 0 : 1
  }

const UNDO: Record<string, Undo> = {
  'product.hidden': onProducts(showProducts),
  'product.shown': onProducts(hideProducts),
  'product.archived': onProducts(unarchiveProducts),
  'product.unarchived': onProducts(archiveProducts),
  async 'product.moved'(ctx, { by, undoOf, record }) {
    const { to: category, from } = Moved.parse(record.detail)
    let changed = 0
    for (const [to, slugs] of Object.entries(from))
      changed += (
        await moveProducts(ctx, { by, undoOf, to, isByHand: false, selection: { slugs, category } })
      ).changed
    return changed
  },
  async 'product.edited'(ctx, { by, undoOf, record }) {
    const { slug, before, after } = Edited.parse(record.detail)
    const found = await getManaged(ctx, slug)
    if (!found) return 0
    requireSame(statedOf(found.profile, Object.keys(after)), after)
    // Every product has a slug and a category; what it did not say is taken away again.
    const seenAt = found.updatedAt
    return Number((await editProduct(ctx, { by, slug, fields: before, seenAt, undoOf })).changed)
  },
  'category.hidden': hideCategory(false),
  'category.shown': hideCategory(true),
  async 'category.edited'(ctx, { by, undoOf, record }) {
    const { slug, before, after } = Edited.parse(record.detail)
    const [now] = await listManagedCategories(ctx, { search: null, state: null, slug })
    if (!now) return 0
    const is = new Map(Object.entries(now))
    requireSame(Object.fromEntries(Object.keys(after).map((name) => [name, is.get(name)])), after)
    return Number((await editCategory(ctx, { by, slug, fields: before, undoOf })).changed)
  },
  async 'brand.edited'(ctx, { by, undoOf, record }) {
    const { brand_id: id, before, after } = BrandEdited.parse(record.detail)
    const now = await getBrand(ctx, id)
    if (!now) return 0
    requireSame({ name: now.name, domain: now.domain }, after)
    return (await editBrand(ctx, { by, id, ...before, undoOf })).batch === null ? 0 : 1
  },
  // Made by a file: they go again while they have no products.
  async 'category.created'(ctx, { by, record }) {
    const { slug } = z.object({ slug: z.string() }).parse(record.detail)
    const [now] = await listManagedCategories(ctx, { search: null, state: null, slug })
    if (now) await deleteCategory(ctx, { by, slug })
    return now ? 1 : 0
  },
  async 'brand.created'(ctx, { by, record }) {
    const { brand_id: id } = z.object({ brand_id: z.string() }).parse(record.detail)
    if (!(await getBrand(ctx, id))) return 0
    await deleteBrand(ctx, { by, id })
    return 1
  },
}

/** The batch of a record that can be taken back; null of any other. */
export function batchOf({ action, detail }: Pick<AuditRecord, 'action' | 'detail'>): string | null {
  return Object.hasOwn(UNDO, action) && typeof detail.batch === 'string' ? detail.batch : null
}

/** Null where there is no such batch, or it cannot be taken back. */
export async function viewManagedAction(
  ctx: Pick<ManageContext, 'db'>,
  batch: string,
): Promise<ManagedAction | null> {
  const records = await listAuditBatch(ctx, batch)
  const [first] = records
  if (!first || batchOf(first) === null) return null
  return { action: first.action, at: first.at, names: records.flatMap(({ detail }) => namesIn(detail)) }
}

function namesIn({
  product_slugs: slugs,
  product_slug: slug,
  category,
  before,
  name,
}: Record<string, unknown>) {
  if (Array.isArray(slugs)) return slugs.map(String)
  return [String(slug ?? category ?? (before as { name?: string } | undefined)?.name ?? name ?? '')]
}

/** `kept`: how many stay as they are, because something newer was done to them or they are gone. */
export async function undoManaged(
  ctx: ManageContext,
  { by, batch }: { by: AuditActor; batch: string },
): Promise<{ changed: number; kept: number }> {
  const action = await viewManagedAction(ctx, batch)
  if (!action) throw new AppError('not_found', 'this cannot be undone')
  let changed = 0
  const records = await listAuditBatch(ctx, batch)
  // The last first: what was made and then hidden is shown before it goes.
  for (const record of records.toReversed())
    try {
      changed += (await UNDO[record.action]?.(ctx, { by, undoOf: batch, record })) ?? 0
    } catch (error) {
      // Of many, one that cannot be taken back stays; alone, it says why.
      if (records.length === 1 || !(error instanceof AppError) || error.kind !== 'conflict') throw error
    }
  if (changed === 0) throw conflict('nothing is left to undo: it was undone, or changed again since')
  return { changed, kept: action.names.length - changed }
}

function requireSame(now: Record<string, unknown>, after: Record<string, unknown>): void {
  // As JSON has them, which is how the record keeps them.
  if (isDeepStrictEqual(JSON.parse(JSON.stringify(now)), after)) return
  throw conflict('this was edited again since; nothing was undone')
}
