/**
 * What an operator does to categories: edit, hide and show, merge into another, delete. A category that is hidden hides its
 * products. Old addresses lead on, of its products too. Products move in portions before a category goes; cut off in
 * between, the same command goes on.
 */
import { z } from 'zod'
import { type AuditActor, recordAudit } from '../accounts/audit.service.ts'
import type { Tx } from '../db/database.ts'
import { AppError, conflict, invalid } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import { cleanLine, shorten } from '../lib/text.ts'
import { parseInput } from '../lib/validate.ts'
import { leaveCategoryAddress, passCategoryAddresses } from './addresses.queries.ts'
import type { Category } from './catalog.schema.ts'
import {
  deleteCategoryRow,
  hasProducts,
  keepCategoryName,
  type LockedCategory,
  lockCategories,
  passCategoryNames,
  updateCategory,
  updateCategoryHidden,
} from './categories.queries.ts'
import { CategoryInput } from './categories.service.ts'
import { type ManageContext, moveProducts, requireCategory, undoing } from './manage-products.service.ts'
import { inTransactionOfItsOwn } from './select-products.ts'
import { insertChanges } from './upsert.queries.ts'

const MOST_ABOVE = 12

const CategoryEdit = z.strictObject({
  ...CategoryInput.partial().shape,
  path: z
    .array(
      z
        .string()
        .transform((text) => shorten(cleanLine(text), 100))
        .refine((text) => text.length > 0, 'must not be empty'),
    )
    .max(MOST_ABOVE)
    .optional(),
})

type Ask = { by: AuditActor; slug: string; undoOf?: string }

/** Fields that are not named stay as they are. */
export async function editCategory(
  ctx: ManageContext,
  { by, slug, fields, undoOf }: Ask & { fields: Readonly<Record<string, unknown>> },
): Promise<{ slug: string; changed: boolean; batch: string | null }> {
  const parsed = parseInput(CategoryEdit, fields)
  const stated = Object.fromEntries(Object.entries(parsed).filter(([name]) => name in fields))
  return inTransactionOfItsOwn(ctx, async (tx) => {
    const at = ctx.clock.now()
    const next: Partial<Category> = stated
    const found = await lockCategories(tx, [slug, ...(next.slug === undefined ? [] : [next.slug])])
    const category = locked(found, slug)
    if (next.slug !== undefined && next.slug !== slug && found.has(next.slug))
      throw conflict(`the category ${next.slug} already exists; merge the two instead`, { field: 'slug' })
    const edited = { ...category, ...next }
    const [before, after] = [viewOf(category), viewOf(edited)]
    if (JSON.stringify(before) === JSON.stringify(after)) return { slug, changed: false, batch: null }
    await updateCategory(tx, edited, at)
    if (nameOf(edited).join('\n') !== nameOf(category).join('\n'))
      await keepCategoryName(tx, { names: nameOf(category), categoryId: category.id })
    if (edited.slug !== slug) await leaveCategoryAddress(tx, { slug, categoryId: category.id, at })
    await recordChange(tx, category.id, { aspect: 'text', before, after }, at)
    const batch = newId()
    const [was, is] = [pickedFrom(before, stated), pickedFrom(after, stated)]
    const detail = {
      category: slug,
      fields: Object.keys(stated),
      before: was,
      after: is,
      slug: edited.slug,
      batch,
    }
    await recordAudit(tx, {
      actor: by,
      action: 'category.edited',
      at,
      detail: { ...detail, ...undoing(undoOf) },
    })
    return { slug: edited.slug, changed: true, batch }
  })
}

function pickedFrom(view: ReturnType<typeof viewOf>, stated: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(view).filter(([name]) => name in stated))
}

/** Gives the batch that takes it back; null when it was so before. */
export async function setCategoryHidden(
  ctx: ManageContext,
  { by, slug, hide, undoOf }: Ask & { hide: boolean },
): Promise<string | null> {
  return inTransactionOfItsOwn(ctx, async (tx) => {
    const at = ctx.clock.now()
    const category = locked(await lockCategories(tx, [slug]), slug)
    if (category.isHidden === hide) return null
    await updateCategoryHidden(tx, category.id, { hide, at })
    // "text" has the products of one that is shown again looked at for their vectors.
    const aspect = hide ? 'removed' : 'text'
    await recordChange(tx, category.id, { aspect, before: null, after: null }, at)
    const action = hide ? 'category.hidden' : 'category.shown'
    const batch = newId()
    const detail = { category: slug, slug, batch, ...undoing(undoOf) }
    await recordAudit(tx, { actor: by, action, at, detail })
    return batch
  })
}

/** Answers with how many products moved. */
export async function mergeCategories(
  ctx: ManageContext,
  { by, slug, into }: Ask & { into: string },
): Promise<number> {
  await requireCategory(ctx.db, slug)
  await requireCategory(ctx.db, into)
  if (slug === into) throw invalid('into', 'a category cannot be merged into itself')
  let moved = 0
  for (;;) {
    const { changed } = await moveProducts(ctx, {
      ...{ by, to: into, isByHand: false },
      selection: { category: slug },
    })
    moved += changed
    // An import may put products into it all the while.
    if (await closeCategory(ctx, { by, slug, into })) return moved
  }
}

/** Only one without products; hidden ones count. */
export async function deleteCategory(ctx: ManageContext, { by, slug }: Ask): Promise<void> {
  const closed = await closeCategory(ctx, { by, slug, into: null })
  if (!closed) throw conflict(`${slug} still has products: move them (--move-to), or hide it`)
}

/** False while there are products in it. */
function closeCategory(
  ctx: ManageContext,
  { by, slug, into }: Ask & { into: string | null },
): Promise<boolean> {
  return inTransactionOfItsOwn(ctx, async (tx) => {
    const at = ctx.clock.now()
    const found = await lockCategories(tx, [slug, ...(into === null ? [] : [into])])
    const category = locked(found, slug)
    const target = into === null ? null : locked(found, into)
    if (await hasProducts(tx, category.id)) return false
    if (target) {
      const pair = { from: category.id, into: target.id }
      await passCategoryAddresses(tx, pair)
      await passCategoryNames(tx, pair)
      await keepCategoryName(tx, { names: nameOf(category), categoryId: target.id })
    }
    await leaveCategoryAddress(tx, { slug, categoryId: target?.id ?? null, at })
    await deleteCategoryRow(tx, category.id)
    await recordChange(
      tx,
      category.id,
      { aspect: 'removed', before: { label: category.label }, after: null },
      at,
    )
    const action = target ? 'category.merged' : 'category.deleted'
    await recordAudit(tx, { actor: by, action, at, detail: { category: slug, ...(target && { into }) } })
    return true
  })
}

function locked(found: Map<string, LockedCategory>, slug: string): LockedCategory {
  const category = found.get(slug)
  if (!category) throw new AppError('not_found', `there is no category ${slug}`, { field: 'category' })
  return category
}

function nameOf({ path, label }: Category): string[] {
  return [...path, label]
}

function viewOf({ slug, label, description, path }: Category) {
  return { slug, label, description, path }
}

function recordChange(
  tx: Tx,
  categoryId: string,
  change: { aspect: 'text' | 'removed'; before: unknown; after: unknown },
  at: Date,
): Promise<void> {
  return insertChanges(tx, [{ productId: null, categoryId, ...change }], at)
}
