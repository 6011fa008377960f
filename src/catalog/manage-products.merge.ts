/**
 * Two products that are the same become one. What the one that stays does not know, it learns from the other; all that
 * hangs on the other hangs on it then; addresses of the other lead to it. One transaction, in the order of locks that
 * claims and offers take: the organizations' turns, the people, the products.
 */
import { type AuditActor, recordAudit } from '../accounts/audit.service.ts'
import type { Db, Tx } from '../db/database.ts'
import { AppError } from '../lib/errors.ts'
import { leaveGone, passAddresses } from './addresses.queries.ts'
import {
  FACT_KEYS,
  FIELD_NAMES,
  type Product,
  type ProductFacts,
  VERIFICATION_STATUSES,
} from './catalog.schema.ts'
import { deleteProducts } from './imports.queries.ts'
import { noProduct } from './manage-products.edit.ts'
import { carryOver, findChosenBySlug, findOrgsOn, lockSavers } from './manage-products.queries.ts'
import { asRemoved, changesBetween, type ManageContext, NOTHING_NAMED } from './manage-products.service.ts'
import { lockTurn } from './relationships.queries.ts'
import { inTransactionOfItsOwn } from './select-products.ts'
import { insertChanges, lockProducts, updateProducts } from './upsert.queries.ts'

/** What features above do around a write that carries offers to other products. */
export type MergeHooks = {
  carrying<T>(tx: Db, about: { productIds: string[]; at: Date }, write: () => Promise<T>): Promise<T>
}

export async function mergeProducts(
  ctx: ManageContext & { mergeHooks: MergeHooks },
  { by, from, into }: { by: AuditActor; from: string; into: string },
): Promise<{ slug: string; category: string }> {
  if (from === into)
    throw new AppError('invalid', 'a product cannot be merged into itself', { field: 'into' })
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
      await deleteProducts(tx, [old.id])
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
  const products = await lockProducts(tx, { ...NOTHING_NAMED, ids })
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
