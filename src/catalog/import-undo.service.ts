/**
 * Imports as wholes: what each one wrote, and taking one back. What it added goes, what it changed is as it was, down to
 * the moment of its last change, as long as nothing newer touched it; what was touched stays and is named. One
 * transaction with its record in the audit log and in `changes`, so that pages, caches and the search index follow.
 */
import { type AuditActor, recordAudit } from '../accounts/audit.service.ts'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError, conflict } from '../lib/errors.ts'
import { isUuid } from '../lib/ids.ts'
import {
  closeUndone,
  countMadeCategories,
  deleteKeys,
  deleteMadeCategories,
  deleteProducts,
  findFinishedImport,
  findHiddenSince,
  findImport,
  findImports,
  findTaken,
  findUndoable,
  findWritten,
  freeNumbers,
  type ImportRecord,
  lockWritten,
  type ProductNumbers,
  productsBefore,
  restoreBrands,
  restoreProducts,
  type Undoable,
  type Written,
} from './imports.queries.ts'
import { diffProducts, priceView } from './product-diff.ts'
import { type ChangeRecord, insertChanges, lockProducts } from './upsert.queries.ts'

export type { ImportRecord, Written }

export type Undone = {
  removed: number
  restored: number
  categoriesRemoved: number
  /** What stays as it is, and why. */
  kept: Array<{ name: string; why: string }>
}

/** How long an import can be taken back; then what was before is swept. */
export const UNDO_KEPT_MS = 90 * 86_400_000
/** Of what stays, so many are kept with the import. */
const KEPT_SHOWN = 200

/** Products that are read and compared at a time. */
const PORTION = 1_000

export function listImports(
  ctx: { db: Db },
  asked: Parameters<typeof findImports>[1],
): Promise<ImportRecord[]> {
  return findImports(ctx.db, asked)
}

export async function getImport(
  ctx: { db: Db },
  id: string,
  { limit }: { limit: number },
): Promise<ImportRecord & { written: Written[] }> {
  const found = isUuid(id) ? await findImport(ctx.db, id) : null
  if (!found) throw unknownImport(id)
  return { ...found, written: await findWritten(ctx.db, id, limit) }
}

/** What an import said at its end, if it came to it and stands. */
export async function getFinishedImport(
  ctx: { db: Db },
  fingerprint: string,
): Promise<{ importId: string; created: number; updated: number; unchanged: number; failed: number } | null> {
  const found = await findFinishedImport(ctx.db, fingerprint)
  if (!found) return null
  const { created = 0, updated = 0, unchanged = 0, failed = 0 } = found.counts
  return { importId: found.id, created, updated, unchanged, failed }
}

export async function undoImport(
  ctx: { db: Db; clock: Clock },
  { by, id }: { by: AuditActor; id: string },
): Promise<Undone> {
  return ctx.db.transaction().execute(async (tx) => {
    const found = isUuid(id) ? await findImport(tx, id, { hold: true }) : null
    if (!found) throw unknownImport(id)
    if (found.state === 'undone') throw conflict('this import was already undone')
    const at = ctx.clock.now()
    if (isTooOld(found, at)) throw tooOld()
    await lockWritten(tx, id)
    const written = await whatCanBeUndone(tx, id)
    const able = written.filter(({ why }) => why === null)
    const made = able.filter(({ isNew }) => isNew).map((one) => one.id)
    const changed = able.filter(({ isNew }) => !isNew).map((one) => one.id)
    await removeMade(tx, made, at)
    await restoreChanged(tx, id, changed, at)
    const kept = written.flatMap((one) => (one.why === null ? [] : [one.id]))
    await deleteKeys(tx, id, kept)
    const categories = await deleteMadeCategories(tx, id)
    await insertChanges(
      tx,
      categories.removed.map((categoryId) => ({ ...REMOVED, productId: null, categoryId })),
      at,
    )
    await restoreBrands(tx, id)
    const undone: Undone = {
      removed: made.length,
      restored: changed.length,
      categoriesRemoved: categories.removed.length,
      kept: [
        ...written.flatMap(({ slug, why }) => (why && slug ? [{ name: slug, why }] : [])),
        ...categories.kept.map(({ slug }) => ({
          name: slug,
          why: 'there are products in it, or it has changed',
        })),
      ],
    }
    const { removed, restored } = undone
    const told = { ...undone, kept: undone.kept.slice(0, KEPT_SHOWN), keptTotal: undone.kept.length }
    await closeUndone(tx, id, { at, undone: told })
    const detail = { import_id: id, source: found.source, removed, restored, kept: undone.kept.length }
    await recordAudit(tx, { actor: by, action: 'import.undone', at, detail })
    return undone
  })
}

export type UndoPreview = {
  removed: number
  restored: number
  /** Those it made; they go where nothing else is in them. */
  categories: number
  kept: Undone['kept']
}

/** What taking an import back would do as things are. */
export async function previewUndo(ctx: { db: Db }, id: string): Promise<UndoPreview> {
  const written = await whatCanBeUndone(ctx.db, id)
  const able = written.filter(({ why }) => why === null)
  return {
    removed: able.filter(({ isNew }) => isNew).length,
    restored: able.filter(({ isNew }) => !isNew).length,
    categories: await countMadeCategories(ctx.db, id),
    kept: written.flatMap(({ slug, why }) => (why && slug ? [{ name: slug, why }] : [])),
  }
}

/** Each that stays keeps its number, and so may be in the way of another: until nothing more has to stay. */
async function whatCanBeUndone(db: Db, id: string): Promise<Undoable[]> {
  let written = await findUndoable(db, id)
  for (;;) {
    const able = written.flatMap((one) => (one.why === null ? [one.id] : []))
    const taken = await findTaken(db, id, able)
    if (taken.size === 0) return written
    const why = 'its number belongs to another product now'
    written = written.map((one) => (taken.has(one.id) ? { ...one, why } : one))
  }
}

/** Whether what was before it is still kept. */
export function isTooOld({ finishedAt }: Pick<ImportRecord, 'finishedAt'>, now: Date): boolean {
  return finishedAt !== null && finishedAt.getTime() <= now.getTime() - UNDO_KEPT_MS
}

const REMOVED = { aspect: 'removed', before: null, after: null } as const satisfies Partial<ChangeRecord>

async function removeMade(tx: Db, ids: string[], at: Date): Promise<void> {
  for (const portion of portions(ids)) {
    const products = await lockProducts(tx, { ids: portion })
    await deleteProducts(tx, portion)
    const changes = products.map(({ id, categoryId, title }) => ({
      ...REMOVED,
      productId: id,
      categoryId,
      before: { title },
    }))
    await insertChanges(tx, changes, at)
  }
}

async function restoreChanged(tx: Db, importId: string, ids: string[], at: Date): Promise<void> {
  const freed = new Map<string, ProductNumbers>()
  for (const portion of portions(ids))
    for (const numbers of await freeNumbers(tx, importId, portion)) freed.set(numbers.id, numbers)
  for (const portion of portions(ids)) {
    const before = new Map(
      (await productsBefore(tx, importId, portion)).map((product) => [product.id, product]),
    )
    const now = (await lockProducts(tx, { ids: portion })).map((one) => ({ ...one, ...freed.get(one.id) }))
    const turned = new Map(
      (await findHiddenSince(tx, importId, portion)).map(({ id, wasHidden }) => [id, wasHidden]),
    )
    await restoreProducts(tx, importId, portion)
    const changes = now.flatMap((product): ChangeRecord[] => {
      const old = before.get(product.id)
      const { id: productId, categoryId, title } = old ?? product
      const wasHidden = turned.get(product.id)
      // As if it came anew, or went: every node reads it again.
      if (wasHidden === false)
        return [
          {
            ...{ productId, categoryId, aspect: 'created', before: null },
            after: { title, ...priceView(old ?? product) },
          },
        ]
      if (wasHidden === true) return [{ ...REMOVED, productId, categoryId, before: { title } }]
      const differences = old ? diffProducts(product, old) : []
      return differences.map((difference) => ({
        productId: product.id,
        categoryId: old?.categoryId ?? product.categoryId,
        ...difference,
      }))
    })
    await insertChanges(tx, changes, at)
  }
}

function* portions(ids: string[]): Generator<string[]> {
  for (let at = 0; at < ids.length; at += PORTION) yield ids.slice(at, at + PORTION)
}

function tooOld(): AppError {
  return conflict('this import is more than 90 days old, so it can no longer be undone')
}

function unknownImport(id: string): AppError {
  return new AppError('not_found', `there is no import ${id}; see \`souk import list\``)
}
