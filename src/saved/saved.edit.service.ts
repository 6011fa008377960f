/**
 * What people do to an entry that they see before them: change all of it at once, which empties what was emptied and may
 * move it to another list, look at where a product is saved, and put back what was just removed, with the date and the
 * price it had. Tools need none of this: they name what they change.
 */
import { canonicalSlug } from '../catalog/product-words.ts'
import { AppError } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import { requireInCategory } from '../search/named-product.ts'
import {
  countByList,
  findEntries,
  findEntry,
  findListName,
  insertEntry,
  updateEntry,
} from './saved.queries.ts'
import type { ListCount, SavedEntry } from './saved.schema.ts'
import {
  gone,
  type NamedBy,
  type Owner,
  record,
  requireList,
  requireOwner,
  requireRoom,
  type SavedContext,
} from './saved.service.ts'

/** Where this person has a product, last saved first, and all lists they keep. */
export async function findSavedPlaces(
  ctx: Pick<SavedContext, 'db'>,
  { userId }: Pick<Owner, 'userId'>,
  productId: string,
): Promise<{ entries: SavedEntry[]; lists: ListCount[] }> {
  const [entries, lists] = await Promise.all([
    findEntries(ctx.db, { userId, list: null, productId }),
    countByList(ctx.db, userId),
  ])
  return { entries, lists }
}

export type EditInput = NamedBy & {
  /** The list it is on. */
  list: string
  /** The list it shall be on. */
  to: string
  note: string | null
  targetPriceCents: number | null
}

export async function editSaved(ctx: SavedContext, owner: Owner, input: EditInput): Promise<SavedEntry> {
  const product = await requireInCategory(ctx, input)
  const { userId } = owner
  const { note, targetPriceCents } = input
  return ctx.db.transaction().execute(async (tx) => {
    await requireOwner(tx, userId)
    const nameOf = async (list: string) => (await findListName(tx, userId, list)) ?? list
    const place = { userId, list: await nameOf(input.list), productId: product.id }
    const known = await findEntry(tx, place)
    if (!known) throw notThere(canonicalSlug(product))
    const list = await nameOf(input.to)
    if (list !== known.list) {
      if (await findEntry(tx, { ...place, list }))
        throw new AppError('conflict', `it is on the list ${list} already`, {
          code: 'conflict',
          field: 'list',
        })
      // The list it leaves is no more when nothing else is on it.
      const lists = await countByList(tx, userId)
      requireList(
        lists.filter(({ name, count }) => name !== known.list || count > 1),
        list,
      )
    }
    const at = ctx.clock.now()
    await updateEntry(tx, { id: known.id, userId }, { list, note, targetPriceCents, at })
    await record(tx, owner, at, 'saved.updated', { product_slug: canonicalSlug(product) })
    return { ...known, list, note, targetPriceCents }
  })
}

export type RemovedEntry = NamedBy &
  Pick<SavedEntry, 'list' | 'note' | 'targetPriceCents' | 'was' | 'savedAt'>

/** What was saved again meanwhile stays as it is. */
export async function restoreSaved(
  ctx: SavedContext,
  owner: Owner,
  removed: RemovedEntry,
): Promise<SavedEntry> {
  const product = await requireInCategory(ctx, removed)
  const { userId } = owner
  return ctx.db.transaction().execute(async (tx) => {
    await requireOwner(tx, userId)
    const list = (await findListName(tx, userId, removed.list)) ?? removed.list
    const place = { userId, list, productId: product.id }
    const known = await findEntry(tx, place)
    if (known) return known
    await requireRoom(tx, userId, list)
    const { note, targetPriceCents, was, savedAt } = removed
    const at = ctx.clock.now()
    const entry = { id: newId(), ...place, note, targetPriceCents, at, first: { was, savedAt } }
    if (!(await insertEntry(tx, entry))) throw gone(removed)
    await record(tx, owner, at, 'saved.added', { product_slug: canonicalSlug(product) })
    const restored = await findEntry(tx, place)
    if (!restored) throw gone(removed)
    return restored
  })
}

function notThere(productSlug: string): AppError {
  return new AppError('not_found', `${productSlug} is not on this list`, { code: 'not_found' })
}
