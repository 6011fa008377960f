/**
 * What an operator does to products, one or thousands: hide them at once and show them again, archive, move to another
 * category, delete, edit one, merge two. Each portion is one transaction with its record in the audit log and in
 * `changes`, which pages, caches and the search index follow. What is so already is left alone.
 */
import { type AuditActor, recordAudit } from '../accounts/audit.service.ts'
import type { Db, Tx } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError, conflict, invalid } from '../lib/errors.ts'
import { idsOf, newId } from '../lib/ids.ts'
import { counted } from '../lib/words.ts'
import { keepAddresses, leaveGone, passAddresses } from './addresses.queries.ts'
import { findAnyProfilesById, findCategories } from './catalog.queries.ts'
import {
  type Category,
  FACT_KEYS,
  FIELD_NAMES,
  OPERATOR_SOURCE,
  type Product,
  type ProductFacts,
  VERIFICATION_STATUSES,
} from './catalog.schema.ts'
import { toImportRecord, toVariantRecord } from './export.service.ts'
import { deleteProducts as deleteRows, keepDeletedKeys } from './imports.queries.ts'
import {
  carryOver,
  endOffers,
  findAllTwins,
  findChosenBySlug,
  findHanging,
  findOrgsOn,
  type Hanging,
  lockSavers,
  type Twins,
  updateCategoryOf,
  updateHidden,
} from './manage-products.queries.ts'
import { diffProducts, priceView } from './product-diff.ts'
import { brandKey, gtinForms, isSameGtin } from './product-identity.ts'
import { checkProductInput, INPUT_FIELDS, type InputProblem, type ProductInput } from './product-input.ts'
import type { ProductProfile } from './profile.ts'
import { lockTurn } from './relationships.queries.ts'
import { forChosen, inTransactionOfItsOwn, type Selection } from './select-products.ts'
import {
  type ChangeRecord,
  insertChanges,
  lockProducts,
  updateProducts,
  upsertBrands,
} from './upsert.queries.ts'

export type ManageContext = { db: Db; clock: Clock }
/** `batch` names what was done, for taking it back; null when nothing changed. */
export type Managed = { changed: number; unchanged: number; batch: string | null }
type Ask = {
  by: AuditActor
  selection: Selection
  /** The batch that this takes back. */
  undoOf?: string
}

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
  return setDiscontinued(ctx, ask, true)
}

/** Made again. */
export function unarchiveProducts(ctx: ManageContext, ask: Ask): Promise<Managed> {
  return setDiscontinued(ctx, ask, false)
}

function setDiscontinued(ctx: ManageContext, ask: Ask, discontinued: boolean): Promise<Managed> {
  const action = discontinued ? 'product.archived' : 'product.unarchived'
  return manage(ctx, ask, action, async (tx, products, at) => {
    const changed = products.filter((product) => product.discontinued !== discontinued)
    const next = changed.map((product) => {
      const provenance = {
        ...product.provenance,
        discontinued: { source: OPERATOR_SOURCE, verifiedAt: null },
      }
      return { ...product, discontinued, provenance, updatedAt: at }
    })
    await updateProducts(tx, next)
    await insertChanges(tx, changesBetween(changed, next), at)
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
  const slugOf = new Map(
    (await findCategories(ctx.db, { withHidden: true })).map((category) => [category.id, category.slug]),
  )
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
    (changed) => ({ to: slug, from: slugsByCategory(changed, slugOf) }),
  )
}

function slugsByCategory(products: Product[], slugOf: Map<string, string>): Record<string, string[]> {
  const groups = Map.groupBy(products, ({ categoryId }) => slugOf.get(categoryId) ?? '')
  return Object.fromEntries([...groups].map(([category, some]) => [category, some.map(({ slug }) => slug)]))
}

async function manage(
  ctx: ManageContext,
  { by, selection, undoOf }: Ask,
  action: string,
  change: (tx: Tx, products: Product[], at: Date) => Promise<Product[]>,
  detailOf: (changed: Product[]) => Record<string, unknown> = () => ({}),
): Promise<Managed> {
  const batch = newId()
  const counts = await forChosen(ctx, selection, async (tx, ids) => {
    const at = ctx.clock.now()
    const products = await lockProducts(tx, { ids })
    const changed = await change(tx, products, at)
    if (changed.length > 0) {
      const slugs = changed.map(({ slug }) => slug)
      const detail = { ...detailOf(changed), product_slugs: slugs, batch, ...undoing(undoOf) }
      await recordAudit(tx, { actor: by, action, at, detail })
    }
    return { changed: changed.length, unchanged: products.length - changed.length }
  })
  const changed = counts.reduce((sum, one) => sum + one.changed, 0)
  return {
    changed,
    unchanged: counts.reduce((sum, one) => sum + one.unchanged, 0),
    batch: changed > 0 ? batch : null,
  }
}

/** One thing that is done to a category or a brand; `batch` names it. */
export type ManageDoing = { by: AuditActor; batch: string; at: Date; undoOf?: string }

export function undoing(undoOf: string | undefined): { undo_of?: string } {
  return undoOf === undefined ? {} : { undo_of: undoOf }
}

/** The record of a whole file, beside that of each row, which have its batch. */
export async function recordFile(
  tx: Tx,
  action: string,
  { by: actor, batch: file, at }: ManageDoing,
  changed: ReadonlyArray<{ what: string[] }>,
): Promise<void> {
  const created = changed.filter(({ what }) => what.includes('new')).length
  const detail = { created, changed: changed.length - created, file }
  await recordAudit(tx, { actor, action, at, detail })
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
  { by, selection, force = false }: Omit<Ask, 'undoOf'> & { force?: boolean },
): Promise<Deleted> {
  const portions = await forChosen(ctx, selection, async (tx, ids) => {
    const at = ctx.clock.now()
    const products = await lockProducts(tx, { ids })
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
  if (!hanging) return ''
  const said: Array<[number, string]> = [
    [hanging.rfqs, 'quote request'],
    [hanging.claims, 'claim'],
    [hanging.offers, 'offer'],
    [hanging.pricing, 'pricing rule'],
    [hanging.enrichments + hanging.submissions, 'proposal'],
    [hanging.saved, 'save'],
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

function asRemoved({ id, categoryId, title }: Product): ChangeRecord {
  return { productId: id, categoryId, aspect: 'removed', before: { title }, after: null }
}

/** `after` in the order of `before`. */
function changesBetween(before: Product[], after: Product[]): ChangeRecord[] {
  return before.flatMap((product, at) => {
    const next = after[at] ?? product
    const { id: productId, categoryId } = next
    return diffProducts(product, next).map((difference) => ({ productId, categoryId, ...difference }))
  })
}

/** What a file says of its rows, not of the product. */
const OF_FILES = ['id', 'aliases', 'group', 'options', 'availability']
const EDITABLE: readonly string[] = INPUT_FIELDS.filter((field) => !OF_FILES.includes(field))

export type Edited = {
  slug: string
  category: string
  changed: boolean
  /** For taking it back; null when nothing changed, or what was before is too long to be kept. */
  batch: string | null
  notes: InputProblem[]
}

/** Values longer than this are not kept with the record of an edit, which then cannot be taken back. */
const LONGEST_KEPT = 50_000

type EditAsk = {
  by: AuditActor
  slug: string
  fields: Readonly<Record<string, unknown>>
  /** Refused if it changed after this moment: what somebody looks at may be old. */
  seenAt?: Date
  undoOf?: string
}

/**
 * One product as the operator states it: fields of the import contract, checked as an import checks them. What is not
 * named stays; null takes a value away. A number or a slug that another product has is refused. Kept as the operator's
 * word for each field.
 */
export async function editProduct(
  ctx: ManageContext,
  { by, slug, fields, seenAt, undoOf }: EditAsk,
): Promise<Edited> {
  const unknown = Object.keys(fields).find((name) => !EDITABLE.includes(name))
  if (unknown !== undefined) throw invalid(unknown, `a product has no field ${unknown}`, { valid: EDITABLE })
  return inTransactionOfItsOwn(ctx, async (tx) => {
    const at = ctx.clock.now()
    const named = await findChosenBySlug(tx, slug)
    if (!named) throw noProduct(slug)
    const { input, notes } = checked(fields, named.category)
    const brandId = 'brand' in fields ? await brandOf(tx, input) : undefined
    const category = await requireCategory(tx, input.category)
    const [product] = await lockProducts(tx, { ids: [named.id] })
    if (!product) throw noProduct(slug)
    if (seenAt !== undefined && product.updatedAt.getTime() !== seenAt.getTime())
      throw conflict('this product changed after you opened it; compare, and send it again')
    const [was] = await findAnyProfilesById(tx, [product.id])
    const next: Product = {
      ...product,
      ...statedFacts(input, fields),
      slug: input.slug ?? product.slug,
      categoryId: 'category' in fields ? category.id : product.categoryId,
      brandId: brandId === undefined ? product.brandId : brandId,
      provenance: { ...product.provenance, ...provenanceOf(fields) },
      updatedAt: at,
    }
    await refuseTaken(tx, next)
    const changes = changesBetween([product], [next])
    const changed = changes.length > 0
    const batch = newId()
    let isKept = false
    if (changed) {
      const hasMoved = next.slug !== product.slug || next.categoryId !== product.categoryId
      if (hasMoved) await keepAddresses(tx, [product.id], at)
      await updateProducts(tx, [next])
      await insertChanges(tx, changes, at)
      const names = Object.keys(fields)
      const [is] = await findAnyProfilesById(tx, [product.id])
      const values = { before: statedOf(was, names), after: statedOf(is, names) }
      isKept = JSON.stringify(values).length <= LONGEST_KEPT
      const kept = isKept ? { ...values, batch, slug: next.slug } : {}
      const detail = { product_slug: product.slug, fields: names, ...kept, ...undoing(undoOf) }
      await recordAudit(tx, { actor: by, action: 'product.edited', at, detail })
    }
    return {
      slug: next.slug,
      category: 'category' in fields ? category.slug : named.category,
      changed,
      batch: isKept ? batch : null,
      notes,
    }
  })
}

/** What a profile says in these fields of the import contract; null where it says nothing. */
export function statedOf(
  profile: ProductProfile | undefined,
  names: readonly string[],
): Record<string, unknown> {
  const record = profile ? toEditRecord(profile) : {}
  return Object.fromEntries(names.map((name) => [name, record[name] ?? null]))
}

export function toEditRecord(profile: ProductProfile): Record<string, unknown> {
  return { ...toImportRecord(profile), variants: profile.variants.map(toVariantRecord) }
}

function noProduct(slug: string): AppError {
  return new AppError('not_found', `there is no product ${slug}`, { field: 'slug' })
}

/** A title must be there for the check; one that is not stated is not looked at again. */
function checked(
  fields: Readonly<Record<string, unknown>>,
  category: string,
): { input: ProductInput; notes: InputProblem[] } {
  const result = checkProductInput({ title: '-', category, ...fields })
  if (!('problem' in result)) return result
  const { field, problem, fix } = result.problem
  throw new AppError('invalid', [field, `${problem}; ${fix}`].filter(Boolean).join(': '), {
    ...(field !== null && { field }),
  })
}

function statedFacts(
  { facts }: ProductInput,
  fields: Readonly<Record<string, unknown>>,
): Partial<ProductFacts> {
  const stated = Object.entries(facts).filter(([name]) => FIELD_NAMES[name as keyof ProductFacts] in fields)
  return Object.fromEntries(stated)
}

function provenanceOf(fields: Readonly<Record<string, unknown>>): Product['provenance'] {
  const names = new Set([...Object.values(FIELD_NAMES), 'brand', 'category'])
  const said = Object.keys(fields).filter((name) => names.has(name))
  return Object.fromEntries(said.map((name) => [name, { source: OPERATOR_SOURCE, verifiedAt: null }]))
}

async function brandOf(tx: Tx, { brand, brandDomain }: ProductInput): Promise<string | null> {
  if (!brand) return null
  const key = brandKey(brand)
  const stored = await upsertBrands(tx, [{ id: newId(), key, name: brand, domain: brandDomain }], null)
  return stored.find((one) => one.key === key)?.id ?? null
}

async function refuseTaken(tx: Tx, { id, slug, gtin, brandId, mpn }: Product): Promise<void> {
  const isPart = brandId !== null && mpn !== null
  const found = await lockProducts(tx, {
    slugs: [slug],
    gtins: gtin === null ? [] : gtinForms(gtin),
    brandIds: isPart ? [brandId] : [],
    mpns: isPart ? [mpn.toLowerCase()] : [],
  })
  const other = found.find((product) => product.id !== id)
  if (!other) return
  const field = other.slug === slug ? 'slug' : isSameGtin(other.gtin, gtin) ? 'gtin' : 'mpn'
  throw conflict(`this ${field} belongs to ${other.slug}; merge the two if they are the same`, { field })
}

/** What features above do around a write that carries offers to other products. */
export type MergeHooks = {
  carrying<T>(tx: Db, about: { productIds: string[]; at: Date }, write: () => Promise<T>): Promise<T>
}

/**
 * Two products that are the same become one. What the one that stays does not know, it learns from the other; all that
 * hangs on the other hangs on it then; addresses of the other lead to it. One transaction, in the order of locks that
 * claims and offers take: the organizations' turns, the people, the products.
 */
export async function mergeProducts(
  ctx: ManageContext & { mergeHooks: MergeHooks },
  { by, from, into }: { by: AuditActor; from: string; into: string },
): Promise<{ slug: string; category: string }> {
  if (from === into) throw invalid('into', 'a product cannot be merged into itself')
  return inTransactionOfItsOwn(ctx, async (tx) => {
    const at = ctx.clock.now()
    const [goes, stays] = [await findChosenBySlug(tx, from), await findChosenBySlug(tx, into)]
    if (!goes) throw noProduct(from)
    if (!stays) throw noProduct(into)
    const products = await lockAll(tx, [goes.id, stays.id])
    const [old, kept] = [products.get(goes.id), products.get(stays.id)]
    if (!old) throw noProduct(from)
    if (!kept) throw noProduct(into)
    const pair = { from: old.id, into: kept.id }
    const merged = { ...learnt(kept, old), updatedAt: at }
    await ctx.mergeHooks.carrying(tx, { productIds: [kept.id], at }, async () => {
      await carryOver(tx, pair)
      await passAddresses(tx, pair)
      await leaveGone(tx, [old.id], kept.id, at)
      await deleteRows(tx, [old.id])
      await updateProducts(tx, [merged])
    })
    // Also where no fact is new: what hangs on it may be shown.
    const differences = changesBetween([kept], [merged])
    const touched = {
      productId: kept.id,
      categoryId: kept.categoryId,
      aspect: 'text' as const,
      before: {},
      after: {},
    }
    await insertChanges(tx, [asRemoved(old), ...(differences.length > 0 ? differences : [touched])], at)
    await recordAudit(tx, { actor: by, action: 'product.merged', at, detail: { from, into } })
    return { slug: kept.slug, category: stays.category }
  })
}

async function lockAll(tx: Tx, ids: string[]): Promise<Map<string, Product>> {
  for (const orgId of await findOrgsOn(tx, ids)) await lockTurn(tx, orgId)
  await lockSavers(tx, ids)
  const products = await lockProducts(tx, { ids })
  return new Map(products.map((product) => [product.id, product]))
}

/** Values that only mean something together. */
const TOGETHER: ReadonlyArray<ReadonlyArray<keyof ProductFacts>> = [
  ['priceLowCents', 'priceHighCents', 'listPriceCents'],
  ['rating', 'reviewCount'],
]
const APART = FACT_KEYS.filter((key) => !['title', 'discontinued', ...TOGETHER.flat()].includes(key))

/** What the first product is when it takes over what it does not know from the second. */
export function learnt(kept: Product, old: Product): Product {
  const brandId = kept.brandId ?? old.brandId
  const provenance = { ...kept.provenance }
  const facts: Record<string, unknown> = {}
  const pass = (name: string) => {
    const said = old.provenance[name]
    if (said) provenance[name] = said
  }
  if (kept.brandId === null && old.brandId !== null) pass('brand')
  for (const fields of [...TOGETHER, ...APART.map((key) => [key])]) {
    if (!fields.every((field) => isEmpty(kept[field]) || field === 'listPriceCents')) continue
    if (fields.every((field) => isEmpty(old[field]))) continue
    // A part number is its brand's.
    if (fields[0] === 'mpn' && old.brandId !== brandId) continue
    for (const field of fields) {
      facts[field] = old[field]
      pass(FIELD_NAMES[field])
    }
  }
  const verificationStatus = higherStatus(kept, old)
  return { ...kept, ...facts, brandId, provenance, verificationStatus }
}

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0)
}

/** What producers added to the other is shown with this one. Nobody has confirmed the two as one profile. */
function higherStatus(kept: Product, old: Product): Product['verificationStatus'] {
  const rank = ({ verificationStatus }: Product) => VERIFICATION_STATUSES.indexOf(verificationStatus)
  if (rank(old) <= rank(kept)) return kept.verificationStatus
  return old.verificationStatus === 'manufacturer_verified' ? 'manufacturer_enriched' : old.verificationStatus
}
