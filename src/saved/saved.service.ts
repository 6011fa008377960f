/**
 * A person's saved products: private lists with a note and a price to wait for, and what has changed since. Every function
 * acts on the rows of the person it is given and on no others. A write is one transaction with its audit record, which
 * names the product and never what the person noted.
 */
import { isDeepStrictEqual } from 'node:util'
import { recordOwn } from '../accounts/audit.service.ts'
import type { Visit } from '../accounts/context.ts'
import { chooseVariant } from '../catalog/chosen-variant.ts'
import { canonicalSlug, productPath } from '../catalog/profile.ts'
import { isSale, type OfferLookup } from '../catalog/promoted-offer.ts'
import type { Db } from '../db/database.ts'
import { type Clock, isoDay } from '../lib/clock.ts'
import { toWire } from '../lib/entity.ts'
import { type AppError, conflict, notFound, unauthenticated } from '../lib/errors.ts'
import { idsOf, newId } from '../lib/ids.ts'
import { centsToDollars, dollarsOf } from '../lib/money.ts'
import { notifyAll } from '../notices/notices.service.ts'
import { requireInCategory } from '../search/named-product.ts'
import type { Search } from '../search/search.service.ts'
import {
  countByList,
  deleteEntries,
  findEntries,
  findEntry,
  findListName,
  findNetChanges,
  findVariantChanges,
  findWatched,
  insertEntry,
  type KeptVariant,
  lockOwner,
  saveReached,
  saveStock,
  saveWas,
  updateEntry,
  type VariantChange,
  type Watched,
} from './saved.queries.ts'
import {
  type ListCount,
  MAX_LISTS,
  MAX_SAVED,
  priceNow,
  type SavedEntry,
  type SavedVariant,
  type WatchedChange,
} from './saved.schema.ts'
import { NOT_LISTED, NOT_STATED } from './saved.words.ts'

export type SavedContext = {
  db: Db
  clock: Clock
  search: Pick<Search, 'index' | 'reading'>
  offers: OfferLookup
}

/** Whose list it is, and where the call came from. */
export type Owner = { userId: string; visit: Visit }
type NamedBy = { category: string; slug: string }

/** What holds now, offers included. */
export type SavedNow = {
  onSale: boolean
  /** The lowest that is known: a shop's price or a live offer's. */
  bestPriceCents: number | null
  /** Null without a target, or without a price to compare with. */
  targetReached: boolean | null
}

export type SavedView = SavedEntry & SavedNow & { changes: WatchedChange[] }

type SaveInput = NamedBy & {
  list: string
  note?: string
  targetPriceCents?: number
  /** However it is named; null for the product as such. */
  variant?: string | null
}

/** Saving again on the same list replaces only what is given, and keeps the first date and price. */
export async function saveProduct(
  ctx: SavedContext,
  owner: Owner,
  input: SaveInput,
): Promise<{ entry: SavedEntry & SavedNow; outcome: 'added' | 'updated' | 'unchanged' }> {
  const product = await requireInCategory(ctx, input)
  const { userId } = owner
  return ctx.db.transaction().execute(async (tx) => {
    await requireOwner(tx, userId)
    const at = ctx.clock.now()
    const list = (await findListName(tx, userId, input.list)) ?? input.list
    const place = { userId, list, productId: product.id }
    const known = await findEntry(tx, place)
    const note = input.note ?? known?.note ?? null
    const targetPriceCents = input.targetPriceCents ?? known?.targetPriceCents ?? null
    const variant = await variantOf(tx, { productId: product.id, named: input.variant, known })
    const sameVariant = (variant?.id ?? null) === (known?.variant?.id ?? null)
    if (known && note === known.note && targetPriceCents === known.targetPriceCents && sameVariant)
      return { entry: { ...known, ...nowOf(ctx, known) }, outcome: 'unchanged' }
    if (known) await updateEntry(tx, { id: known.id, userId }, { list, note, targetPriceCents, variant, at })
    else {
      await requireRoom(tx, userId, list)
      if (!(await insertEntry(tx, { id: newId(), ...place, note, targetPriceCents, variant, at })))
        throw gone(input)
    }
    const outcome = known ? 'updated' : 'added'
    await record(tx, owner, at, `saved.${outcome}`, { product_slug: canonicalSlug(product) })
    const stored = await findEntry(tx, place)
    if (!stored) throw gone(input)
    const entry = sameVariant ? stored : await comparedWithNow(tx, owner, stored)
    await seeReached(ctx, tx, entry, at)
    return { entry: { ...entry, ...nowOf(ctx, entry) }, outcome }
  })
}

/** What is to be stored: the one that is named, or else the one that is watched already. */
async function variantOf(
  tx: Db,
  asked: { productId: string; named: string | null | undefined; known: SavedEntry | null },
): Promise<KeptVariant | null> {
  const { productId, named, known } = asked
  // The one that is watched stays, also when the catalog has dropped it.
  if (named === undefined || named === known?.variant?.id) return known?.variant ?? null
  return chooseVariant({ db: tx }, { productId, named })
}

async function comparedWithNow(tx: Db, { userId }: Owner, entry: SavedEntry): Promise<SavedEntry> {
  const was = priceNow(entry)
  await saveWas(tx, { id: entry.id, userId }, was)
  return { ...entry, was }
}

/** Without a list, from every one; answers with the lists it was on, and with what stood there. */
export async function removeSaved(
  ctx: SavedContext,
  owner: Owner,
  input: NamedBy & { list?: string },
): Promise<{ productSlug: string; lists: string[]; entries: SavedEntry[] }> {
  const product = await requireInCategory(ctx, input)
  const productSlug = canonicalSlug(product)
  const { userId } = owner
  return ctx.db.transaction().execute(async (tx) => {
    await requireOwner(tx, userId)
    const place = { userId, productId: product.id, list: input.list ?? null }
    const entries = await findEntries(tx, place)
    const lists = await deleteEntries(tx, place)
    if (lists.length === 0) {
      const where = input.list === undefined ? 'among your saved products' : 'on this list'
      throw notFound(`${productSlug} is not ${where}; see list_saved_products`)
    }
    await record(tx, owner, ctx.clock.now(), 'saved.removed', { product_slug: productSlug })
    return { productSlug, lists, entries }
  })
}

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

type EditInput = NamedBy & {
  /** The list it is on. */
  list: string
  /** The list it moves to. */
  to: string
  note: string | null
  targetPriceCents: number | null
  /** However it is named; null for the product as such. */
  variant: string | null
}

/**
 * Changes all of an entry that a person sees before them at once, which empties what was emptied and may move it to another
 * list. Tools need none of this: they name what they change.
 */
export async function editSaved(ctx: SavedContext, owner: Owner, input: EditInput): Promise<SavedEntry> {
  const product = await requireInCategory(ctx, input)
  const { userId } = owner
  const { note, targetPriceCents } = input
  return ctx.db.transaction().execute(async (tx) => {
    await requireOwner(tx, userId)
    const nameOf = async (list: string) => (await findListName(tx, userId, list)) ?? list
    const place = { userId, list: await nameOf(input.list), productId: product.id }
    const known = await findEntry(tx, place)
    if (!known) throw notFound(`${canonicalSlug(product)} is not on this list`)
    const list = await nameOf(input.to)
    if (list !== known.list) {
      if (await findEntry(tx, { ...place, list }))
        throw conflict(`it is already on the list ${list}`, { field: 'list' })
      // The list it leaves is no more when nothing else is on it.
      const lists = await countByList(tx, userId)
      requireList(
        lists.filter(({ name, count }) => name !== known.list || count > 1),
        list,
      )
    }
    const at = ctx.clock.now()
    const variant = await variantOf(tx, { productId: product.id, named: input.variant, known })
    await updateEntry(tx, { id: known.id, userId }, { list, note, targetPriceCents, variant, at })
    await record(tx, owner, at, 'saved.updated', { product_slug: canonicalSlug(product) })
    const stored = await findEntry(tx, { ...place, list })
    if (!stored) throw gone(input)
    const sameVariant = (variant?.id ?? null) === (known.variant?.id ?? null)
    const entry = sameVariant ? stored : await comparedWithNow(tx, owner, stored)
    await seeReached(ctx, tx, entry, at)
    return entry
  })
}

export type RemovedEntry = NamedBy &
  Pick<SavedEntry, 'list' | 'note' | 'targetPriceCents' | 'was' | 'savedAt'> & {
    variant: KeptVariant | null
  }

/** Puts back what was just removed, with the date and the price it had. What was saved again meanwhile stays as it is. */
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
    const { note, targetPriceCents, variant, was, savedAt } = removed
    const at = ctx.clock.now()
    const entry = { id: newId(), ...place, note, targetPriceCents, variant, at, first: { was, savedAt } }
    if (!(await insertEntry(tx, entry))) throw gone(removed)
    await record(tx, owner, at, 'saved.added', { product_slug: canonicalSlug(product) })
    const restored = await findEntry(tx, place)
    if (!restored) throw gone(removed)
    await seeReached(ctx, tx, restored, at)
    return restored
  })
}

export type SavedPage = { entries: SavedView[]; total: number; lists: ListCount[] }

export async function listSaved(
  ctx: SavedContext,
  { userId }: Pick<Owner, 'userId'>,
  input: {
    list?: string
    /** What the product's name or the note holds. */
    text?: string
    changedSince?: Date
    onlyChanged: boolean
    limit: number
    offset: number
  },
): Promise<SavedPage> {
  const { list = null, text = '', changedSince = null, onlyChanged, limit, offset } = input
  const [kept, lists] = await Promise.all([
    findEntries(ctx.db, { userId, list }),
    countByList(ctx.db, userId),
  ])
  const wanted = text.toLowerCase()
  const all = kept.filter(({ product, note }) =>
    `${product.title} ${note ?? ''}`.toLowerCase().includes(wanted),
  )
  const pageOf = <T>(entries: T[]) => entries.slice(offset, offset + limit)
  const asked = onlyChanged ? all : pageOf(all)
  const told = await withChanges(ctx, { userId, entries: asked, since: changedSince })
  const changed = told.filter(({ changes }) => changes.length > 0)
  return {
    entries: onlyChanged ? pageOf(changed) : told,
    total: onlyChanged ? changed.length : all.length,
    lists,
  }
}

/** A part of "export my data". */
export async function exportSaved(db: Db, userId: string): Promise<Record<string, unknown>> {
  const entries = await findEntries(db, { userId, list: null })
  const saved_products = entries.map(({ id: _, product, was, variant, ...entry }) => ({
    product_slug: canonicalSlug(product),
    title: product.title,
    ...(variant && { variant: variant.name }),
    ...toWire(entry),
    price_low_usd_when_saved: centsToDollars(was.priceLowCents),
    price_high_usd_when_saved: centsToDollars(was.priceHighCents),
  }))
  return { saved_products }
}

async function withChanges(
  ctx: SavedContext,
  { userId, entries, since }: { userId: string; entries: SavedEntry[]; since: Date | null },
): Promise<SavedView[]> {
  const entryIds = idsOf(entries)
  const asked = { userId, entryIds, since }
  const hasVariants = entries.some(({ variant }) => variant !== null)
  const [net, ofVariants] = await Promise.all([
    findNetChanges(ctx.db, asked),
    hasVariants ? findVariantChanges(ctx.db, asked) : [],
  ])
  const found = Map.groupBy(net, ({ entryId }) => entryId)
  const variantChange = new Map(ofVariants.map((change) => [change.entryId, change]))
  return entries.map((entry) => {
    const own = variantChange.get(entry.id)
    const changes = found.get(entry.id) ?? []
    // The price of the product is that of a variant only where it has none of its own.
    const { variant } = entry
    const isPriced = variant === null || (variant.isListed && variant.priceCents === null)
    const told = isPriced ? changes : changes.filter(({ aspect }) => aspect !== 'price')
    return { ...entry, ...nowOf(ctx, entry), changes: [...(own ? variantChanges(own) : []), ...told] }
  })
}

/** As the log would tell them of the variant. */
function variantChanges({ at, before, after }: VariantChange): WatchedChange[] {
  const price = (variant: SavedVariant | null) => {
    const dollars = dollarsOf(variant?.priceCents ?? null)
    return { low: dollars, high: dollars, list_price: null }
  }
  const stock = (variant: SavedVariant | null) => ({
    variant: variant === null ? NOT_LISTED : (variant.availability ?? NOT_STATED),
  })
  const views = [['price', price] as const, ['availability', stock] as const]
  return views.flatMap(([aspect, view]) => {
    const [was, is] = [view(before), view(after)]
    return isDeepStrictEqual(was, is)
      ? []
      : [{ aspect, at, before: was, after: is, ofVariant: true as const }]
  })
}

const LOOKED_AT = 1_000

/**
 * Tells people by email of prices that have come down to their target: once, and again only when the price had gone up
 * in between; and of variants that are in stock again. All prices are looked at, because an offer's window opens by the
 * clock alone. Answers how many are told.
 */
export async function lookForNews(ctx: Omit<SavedContext, 'search'>): Promise<number> {
  let [people, after]: [number, string | null] = [0, null]
  for (;;) {
    const watched: Watched[] = await findWatched(ctx.db, after, LOOKED_AT)
    people += await tellReached(ctx, watched)
    people += await tellStock(ctx, watched)
    after = watched.at(-1)?.id ?? null
    if (watched.length < LOOKED_AT) return people
  }
}

/** What a notice says of the product, and what it is a notice of: one thing, on however many lists. */
function noticed({ product, variant }: SavedEntry) {
  return {
    key: variant ? `${product.id} ${variant.id}` : product.id,
    named: {
      product_title: product.title,
      ...(variant && { variant: variant.name }),
      product_path: productPath({ slug: product.slug, category: { slug: product.category } }),
    },
  }
}

const isOut = ({ variant }: SavedEntry) => variant?.availability === 'out_of_stock'

async function tellStock(ctx: Omit<SavedContext, 'search'>, watched: readonly Watched[]): Promise<number> {
  const out = watched.filter((entry) => isOut(entry) && !entry.outOfStock)
  // A source that no longer says is no news.
  const back = watched.filter(({ outOfStock, variant }) => outOfStock && variant?.availability === 'in_stock')
  if (out.length + back.length === 0) return 0
  const at = ctx.clock.now()
  return ctx.db.transaction().execute(async (tx) => {
    if (out.length > 0) await saveStock(tx, out, true)
    const saved = back.length > 0 ? await saveStock(tx, back, false) : new Set()
    return notifyAll(
      tx,
      back
        .filter((entry) => saved.has(entry.id) && !entry.product.discontinued)
        .map((entry) => {
          const { key, named } = noticed(entry)
          const price = nowOf(ctx, entry).bestPriceCents
          return {
            ...{ kind: 'back_in_stock', userIds: [entry.userId], key: `${key} ${isoDay(at)}`, at },
            payload: { ...named, ...(price !== null && { price_cents: price }) },
          }
        }),
    )
  })
}

async function tellReached(ctx: Omit<SavedContext, 'search'>, targets: readonly Watched[]): Promise<number> {
  const now = targets.map((target) => ({ ...target, ...nowOf(ctx, target) }))
  const isBuyable = (target: Watched & SavedNow) =>
    target.targetReached && !target.product.discontinued && !isOut(target)
  const newly = now.filter((target) => isBuyable(target) && target.reachedAt === null)
  const noMore = now.filter((target) => !isBuyable(target) && target.reachedAt !== null)
  if (newly.length + noMore.length === 0) return 0
  const at = ctx.clock.now()
  return ctx.db.transaction().execute(async (tx) => {
    if (noMore.length > 0) await saveReached(tx, noMore, null)
    const saved = await saveReached(tx, newly, at)
    return notifyAll(
      tx,
      newly
        .filter(({ id }) => saved.has(id))
        .map((entry) => {
          const { key, named } = noticed(entry)
          const target = entry.targetPriceCents ?? 0
          return {
            // On several lists it is one thing, and a price that goes up and down is told once a day.
            ...{ kind: 'price_reached', userIds: [entry.userId], key: `${key} ${isoDay(at)}`, at },
            payload: { ...named, price_cents: entry.bestPriceCents ?? target, target_cents: target },
          }
        }),
    )
  })
}

/** Who sets a target or a variant sees how it stands, and is not told of it. */
async function seeReached(ctx: SavedContext, tx: Db, entry: SavedEntry, at: Date): Promise<void> {
  await saveReached(tx, [entry], nowOf(ctx, entry).targetReached && !isOut(entry) ? at : null)
  await saveStock(tx, [entry], isOut(entry))
}

function nowOf(ctx: Pick<SavedContext, 'offers'>, entry: SavedEntry): SavedNow {
  const { product, targetPriceCents, variant: own } = entry
  // An offer for another variant is none for this one.
  const live = ctx.offers.of(product.id).filter(({ variant }) => !own || !variant || variant.id === own.id)
  const { priceLowCents, priceHighCents } = priceNow(entry)
  const prices = [priceLowCents, priceHighCents, ...live.map(({ priceCents }) => priceCents)]
  const known = prices.filter((cents) => cents !== null)
  const bestPriceCents = known.length === 0 ? null : Math.min(...known)
  const comparable = targetPriceCents !== null && bestPriceCents !== null
  return {
    onSale: live.some(isSale),
    bestPriceCents,
    targetReached: comparable ? bestPriceCents <= targetPriceCents : null,
  }
}

/** A token may outlive its account by the length of one call. */
async function requireOwner(tx: Db, userId: string): Promise<void> {
  if (!(await lockOwner(tx, userId))) throw unauthenticated('this account was deleted')
}

async function requireRoom(tx: Db, userId: string, list: string): Promise<void> {
  const lists = await countByList(tx, userId)
  const total = lists.reduce((sum, { count }) => sum + count, 0)
  if (total >= MAX_SAVED)
    throw conflict(`you can save at most ${MAX_SAVED} products; remove one first with remove_saved_product`, {
      max: MAX_SAVED,
    })
  requireList(lists, list)
}

/** Throws where the list is new and one too many. */
function requireList(lists: ListCount[], list: string): void {
  if (lists.length >= MAX_LISTS && !lists.some(({ name }) => name === list))
    throw conflict(`you can have at most ${MAX_LISTS} lists; use an existing one`, {
      field: 'list',
      max: MAX_LISTS,
      valid: lists.map(({ name }) => name),
    })
}

function gone({ category, slug }: NamedBy): AppError {
  return notFound(`there is no product ${category}/${slug}`, { field: 'slug' })
}

function record(tx: Db, { userId, visit }: Owner, at: Date, action: string, detail: Record<string, unknown>) {
  return recordOwn(tx, { userId, at, visit }, action, detail)
}
