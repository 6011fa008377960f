/**
 * What an operator does to categories: edit, one or from a file, hide and show, merge into another, delete. A category that is hidden hides its
 * products. Old addresses lead on, of its products too. Products move in portions before a category goes; cut off in
 * between, the same command goes on.
 */
import { isDeepStrictEqual } from 'node:util'
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
  insertCategory,
  keepCategoryName,
  type LockedCategory,
  lockCategories,
  passCategoryNames,
  updateCategory,
  updateCategoryHidden,
} from './categories.queries.ts'
import { CategoryInput } from './categories.service.ts'
import type { ByteStream } from './import/bytes.ts'
import { isCleared, readSheet, type SheetRow } from './import/sheet.ts'
import { categoryPath } from './import/values.ts'
import {
  type ManageContext,
  type ManageDoing,
  moveProducts,
  recordFile,
  requireCategory,
  undoing,
} from './manage-products.service.ts'
import { inTransactionOfItsOwn } from './select-products.ts'
import { type RowDone, type SheetOutcome, type SheetWish, takeSheet } from './sheet-batch.ts'
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
  const stated = statedBy(fields)
  return inTransactionOfItsOwn(ctx, async (tx) => {
    const doing = { by, undoOf, batch: newId(), at: ctx.clock.now() }
    const found = await lockCategories(tx, [slug, ...(stated.slug === undefined ? [] : [stated.slug])])
    const edited = await editCategoryIn(tx, doing, { found, category: locked(found, slug), stated })
    return edited === null
      ? { slug, changed: false, batch: null }
      : { slug: edited.slug, changed: true, batch: doing.batch }
  })
}

function statedBy(fields: Readonly<Record<string, unknown>>): Partial<Category> {
  const parsed = parseInput(CategoryEdit, fields)
  return Object.fromEntries(Object.entries(parsed).filter(([name]) => name in fields))
}

/** Null where it has these values. */
async function editCategoryIn(
  tx: Tx,
  { by, batch, at, undoOf }: ManageDoing,
  of: { found: Map<string, LockedCategory>; category: LockedCategory; stated: Partial<Category> },
): Promise<Category | null> {
  const { found, category, stated } = of
  const { slug } = category
  if (stated.slug !== undefined && stated.slug !== slug && found.has(stated.slug))
    throw conflict(`the category ${stated.slug} already exists; merge the two instead`, { field: 'slug' })
  const edited = { ...category, ...stated }
  const [before, after] = [viewOf(category), viewOf(edited)]
  if (JSON.stringify(before) === JSON.stringify(after)) return null
  await updateCategory(tx, edited, at)
  if (nameOf(edited).join('\n') !== nameOf(category).join('\n'))
    await keepCategoryName(tx, { names: nameOf(category), categoryId: category.id })
  if (edited.slug !== slug) await leaveCategoryAddress(tx, { slug, categoryId: category.id, at })
  await recordChange(tx, category.id, { aspect: 'text', before, after }, at)
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
  return edited
}

const FILE_NAMES = {
  slug: 'slug category',
  label: 'label name title',
  description: 'description',
  path: 'path above_it parents',
  status: 'status state',
}
export const CATEGORY_COLUMNS = Object.keys(FILE_NAMES) as Array<keyof typeof FILE_NAMES>

/** A row whose slug is known changes that category; another one makes it. */
export async function importCategoriesFile(
  ctx: ManageContext,
  { by, content, ...wish }: { by: AuditActor; content: ByteStream } & SheetWish,
): Promise<SheetOutcome> {
  const sheet = await readSheet(content, {
    names: FILE_NAMES,
    shown: ['Products', 'Changed'],
    check: (fields) => (fields.has('slug') ? null : 'no column says which category a row is; call it slug'),
  })
  return takeSheet(ctx, sheet, wish, async () => {
    const doing = { by, batch: newId(), at: ctx.clock.now() }
    return {
      nameOf: ({ cells }) => cells.get('slug') || null,
      row: (tx, row) => takeCategory(tx, doing, row),
      end: (tx, changed) => recordFile(tx, 'category.imported', doing, changed),
    }
  })
}

async function takeCategory(tx: Tx, doing: ManageDoing, { cells }: SheetRow): Promise<RowDone> {
  const text = (field: keyof typeof FILE_NAMES) => cells.get(field) ?? ''
  const slug = text('slug').toLowerCase()
  const status = text('status').toLowerCase()
  if (status !== '' && status !== 'shown' && status !== 'hidden')
    throw invalid('status', 'status: must be shown or hidden')
  // An empty cell says nothing.
  const fields = {
    ...(text('label') !== '' && { label: text('label') }),
    ...(text('description') !== '' && {
      description: isCleared(text('description')) ? '' : text('description'),
    }),
    ...(text('path') !== '' && {
      path: isCleared(text('path')) ? [] : (categoryPath(text('path')) ?? [text('path')]),
    }),
  }
  const found = await lockCategories(tx, [slug])
  const category = found.get(slug)
  const what: string[] = []
  if (category) {
    const stated = statedBy(fields)
    const before = viewOf(category)
    if ((await editCategoryIn(tx, doing, { found, category, stated })) !== null)
      what.push(
        ...Object.entries(stated).flatMap(([name, value]) =>
          isDeepStrictEqual(value, before[name as keyof typeof before]) ? [] : [name],
        ),
      )
  } else what.push('new')
  const stands = category ?? (await createCategory(tx, doing, { slug, ...fields }))
  const hide = status === '' ? stands.isHidden : status === 'hidden'
  if (await setHiddenIn(tx, doing, stands, hide)) what.push('status')
  return what.length === 0 ? null : { name: slug, what }
}

async function createCategory(
  tx: Tx,
  { by: actor, batch, at }: ManageDoing,
  fields: Readonly<Record<string, unknown>>,
): Promise<LockedCategory> {
  const { path, ...input } = parseInput(CategoryInput, fields)
  const { category } = await insertCategory(tx, { id: newId(), ...input, path: path ?? [] }, at)
  await recordChange(tx, category.id, { aspect: 'text', before: null, after: viewOf(category) }, at)
  const detail = { category: category.slug, ...viewOf(category), batch }
  await recordAudit(tx, { actor, action: 'category.created', at, detail })
  return { ...category, isHidden: false }
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
    const doing = { by, undoOf, batch: newId(), at: ctx.clock.now() }
    const category = locked(await lockCategories(tx, [slug]), slug)
    return (await setHiddenIn(tx, doing, category, hide)) ? doing.batch : null
  })
}

/** False where it was so before. */
async function setHiddenIn(
  tx: Tx,
  { by, batch, at, undoOf }: ManageDoing,
  { id, slug, isHidden }: LockedCategory,
  hide: boolean,
): Promise<boolean> {
  if (isHidden === hide) return false
  await updateCategoryHidden(tx, id, { hide, at })
  // "text" has the products of one that is shown again looked at for their vectors.
  await recordChange(tx, id, { aspect: hide ? 'removed' : 'text', before: null, after: null }, at)
  const action = hide ? 'category.hidden' : 'category.shown'
  await recordAudit(tx, {
    actor: by,
    action,
    at,
    detail: { category: slug, slug, batch, ...undoing(undoOf) },
  })
  return true
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
