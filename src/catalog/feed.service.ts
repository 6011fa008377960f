/**
 * What a source's file has and what it has no longer. A reading of the whole file comes before anything is written: it
 * notes each known product that a row means, so that the caller can judge how much is missing. After the import, the
 * products that no row meant are marked as the source says, in the name of that import: undoing it brings them back. A
 * product that returns is as it was before, unless the file says otherwise.
 */
import type { Db, Tx } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { conflict } from '../lib/errors.ts'
import { idsOf } from '../lib/ids.ts'
import { OPERATOR_SOURCE, type Product } from './catalog.schema.ts'
import {
  countInFeed,
  countProductsOf,
  countUnseen,
  deleteFeed,
  findReturned,
  findShared,
  findTurning,
  findUnseen,
  insertKeyed,
  insertMade,
  insertSlugs,
  nextPass,
  reopenFeed,
  updateGone,
  updateSeen,
} from './feed.queries.ts'
import { inTransaction, tryAgain } from './import-run.ts'
import {
  closeImport,
  findFinishedImport,
  findImport,
  findInUse,
  keepBefore,
  openImport,
} from './imports.queries.ts'
import { updateHidden } from './manage-products.queries.ts'
import { diffProducts, priceView } from './product-diff.ts'
import { type ChangeRecord, insertChanges, lockProducts, updateProducts } from './upsert.queries.ts'

/** What becomes of a product that is no longer in the file. */
export const GONE = ['keep', 'discontinue', 'remove'] as const
export type Gone = (typeof GONE)[number]

type Context = { db: Db; clock: Clock }

/** A reading of a whole file of a source, before its import. */
export type Pass = { source: string; pass: string; known: number; seen: number }

const PORTION = 500

export async function beginPass({ db }: Context, source: string): Promise<Pass> {
  await insertKeyed(db, source, '0')
  return { source, pass: await nextPass(db), known: await countInFeed(db, source), seen: 0 }
}

/** Notes what rows mean: `keys` is what the source calls their products. */
export async function noteRows(
  { db }: Context,
  pass: Pass,
  rows: ReadonlyArray<{ keys: readonly string[]; slug: string | null }>,
): Promise<void> {
  const keys = rows.flatMap((row) => row.keys)
  const slugs = rows.flatMap((row) => (row.keys.length === 0 && row.slug !== null ? [row.slug] : []))
  await insertSlugs(db, pass.source, slugs)
  pass.seen += await updateSeen(db, { ...pass, keys, slugs })
}

/** A row that cannot be read still names its product: that one is not gone, although it does not count as seen. */
export async function spareRows({ db }: Context, pass: Pass, ids: readonly string[]): Promise<void> {
  const keys = ids.flatMap((id) => [`id:${id}`, `sku:${id}`])
  await updateSeen(db, { ...pass, keys, slugs: [] })
}

/** How many products no row of the reading means. */
export function countMissing({ db }: Context, { source, pass }: Pass): Promise<number> {
  return countUnseen(db, source, pass)
}

/**
 * Products that are in the file again are as they were. Comes before the import of the file, in its name, so that what the
 * file says of them stands.
 */
export async function welcomeBack(
  ctx: Context,
  { source, pass }: Pass,
  { fingerprint, fileName }: { fingerprint: string; fileName: string },
): Promise<number> {
  if (await findFinishedImport(ctx.db, fingerprint)) return 0
  const { id: importId } = await openImport(ctx.db, { fingerprint, source, fileName })
  return inPortions(async () => {
    const at = ctx.clock.now()
    return inTransaction(ctx.db, { dryRun: false }, async (tx) => {
      const returned = await findReturned(tx, source, pass, PORTION)
      const products = await lockProducts(tx, { ids: idsOf(returned) })
      const asOf = new Map(returned.map(({ id, goneAs }) => [id, goneAs]))
      const made = products.filter(
        ({ discontinued, provenance }) => discontinued && provenance.discontinued?.source === source,
      )
      await setDiscontinued(tx, made, { importId, source, discontinued: false, at })
      const hidden = products.filter(({ id }) => asOf.get(id) === 'remove')
      await setHidden(tx, hidden, { importId, hide: false, at })
      await updateGone(tx, { source, ids: [...asOf.keys()], as: null, at: null })
      return returned.length
    })
  })
}

export type GoneCounts = { discontinued: number; removed: number; kept: number }

/**
 * Marks what no row meant, in the name of the import. Products that another source has too are left alone; what people
 * hold (a claim, an offer, a request, a save) is discontinued and never removed. Done twice, it does nothing more.
 */
export async function markGone(
  ctx: Context,
  { source, pass }: Pass,
  { importId, as }: { importId: string; as: Gone },
): Promise<GoneCounts> {
  await insertKeyed(ctx.db, source, pass)
  await insertMade(ctx.db, source, importId, pass)
  const counts = { discontinued: 0, removed: 0, kept: 0 }
  await inPortions(async () => {
    const at = ctx.clock.now()
    const done = await inTransaction(ctx.db, { dryRun: false }, async (tx) => {
      const found = await findImport(tx, importId, { hold: true })
      if (found?.state === 'undone') throw conflict('this import was undone while it ran')
      const ids = await findUnseen(tx, source, pass, PORTION)
      const shared = await findShared(tx, source, ids)
      const inUse = as === 'remove' ? await findInUse(tx, ids) : new Set<string>()
      const products = await lockProducts(tx, { ids: ids.filter((id) => !shared.has(id)) })
      const going = as === 'remove' ? products.filter(({ id }) => !inUse.has(id)) : []
      const ending = as === 'keep' ? [] : products.filter((product) => !going.includes(product))
      const removed = await setHidden(tx, going, { importId, hide: true, at })
      const open = ending.filter(
        ({ discontinued, provenance }) =>
          !discontinued && provenance.discontinued?.source !== OPERATOR_SOURCE,
      )
      await setDiscontinued(tx, open, { importId, source, discontinued: true, at })
      await updateGone(tx, { source, ids, as: 'keep', at })
      await updateGone(tx, { source, ids: idsOf(ending), as: 'discontinue', at })
      await updateGone(tx, { source, ids: idsOf(going), as: 'remove', at })
      return { ids: ids.length, discontinued: open.length, removed }
    })
    counts.discontinued += done.discontinued
    counts.removed += done.removed
    counts.kept += done.ids - done.discontinued - done.removed
    return done.ids
  })
  return counts
}

/** How many products hang on a source. */
export function countSourceProducts(ctx: { db: Db }, source: string): Promise<number> {
  return countProductsOf(ctx.db, source)
}

/** All products of a source that ends, as one import that can be undone. */
export async function endFeed(
  ctx: Context,
  { source, as, fingerprint }: { source: string; as: Gone; fingerprint: string },
): Promise<GoneCounts & { importId: string }> {
  const { id: importId } = await openImport(ctx.db, { fingerprint, source, fileName: null })
  await reopenFeed(ctx.db, source)
  const pass = await beginPass(ctx, source)
  const counts = await markGone(ctx, pass, { importId, as })
  const report = { categories: [], currencies: {}, joinedRows: [], twins: { total: 0, twins: [] }, notes: 0 }
  await closeImport(ctx.db, importId, { at: ctx.clock.now(), report })
  return { ...counts, importId }
}

export function forgetFeed(tx: Db, source: string): Promise<void> {
  return deleteFeed(tx, source)
}

/** Answers how many there were in all. */
async function inPortions(portion: () => Promise<number>): Promise<number> {
  for (let total = 0; ; ) {
    const count = await tryAgain(portion)
    total += count
    if (count === 0) return total
  }
}

type Write = { importId: string; at: Date }

async function setDiscontinued(
  tx: Tx,
  products: Product[],
  { importId, source, discontinued, at }: Write & { source: string; discontinued: boolean },
): Promise<void> {
  if (products.length === 0) return
  const after = products.map((product) => {
    const { discontinued: _, ...others } = product.provenance
    const provenance = discontinued ? { ...others, discontinued: { source, verifiedAt: null } } : others
    return { ...product, discontinued, provenance, updatedAt: at }
  })
  await keepBefore(tx, importId, idsOf(products))
  await updateProducts(tx, after)
  const changes = products.flatMap((product, index) => {
    const next = after[index] ?? product
    const { id: productId, categoryId } = next
    return diffProducts(product, next).map((difference) => ({ productId, categoryId, ...difference }))
  })
  await insertChanges(tx, changes, at)
}

/** Answers how many were not so before. */
async function setHidden(
  tx: Tx,
  products: Product[],
  { importId, hide, at }: Write & { hide: boolean },
): Promise<number> {
  const turning = await findTurning(tx, idsOf(products), hide)
  await keepBefore(tx, importId, [...turning])
  await updateHidden(tx, [...turning], { hide, at })
  const changes = products
    .filter(({ id }) => turning.has(id))
    .map((product): ChangeRecord => {
      const { id: productId, categoryId, title } = product
      return hide
        ? { productId, categoryId, aspect: 'removed', before: { title }, after: null }
        : {
            ...{ productId, categoryId, aspect: 'created', before: null },
            after: { title, ...priceView(product) },
          }
    })
  await insertChanges(tx, changes, at)
  return turning.size
}
