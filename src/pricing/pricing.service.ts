/**
 * What a producer lets the service quote for one product. The rules can be read back, the floors (reserve price and
 * margin) cannot: they are sealed before they are stored and opened only to compute a quote, and no log, audit record,
 * response or export holds them.
 */
import { isDeepStrictEqual } from 'node:util'
import type { ProductSlug } from '../catalog/relationships.schema.ts'
import { findProduct, verifiedRelationships } from '../catalog/relationships.service.ts'
import type { Db } from '../db/database.ts'
import type { SealedColumn } from '../db/reseal.ts'
import type { Clock } from '../lib/clock.ts'
import type { SecretBox } from '../lib/crypto.ts'
import { AppError } from '../lib/errors.ts'
import { changeVolumeDiscounts, getIntegration } from '../orgs/integration.service.ts'
import { type Act, recordAction, requireProducer } from '../orgs/producer.ts'
import {
  findOrgPricing,
  findProductPricing,
  lockProductPricing,
  type PricingRow,
  saveProductPricing,
} from './pricing.queries.ts'
import {
  FLOORS,
  type PricingChange,
  type ProductPricing,
  type ProductRules,
  readRules,
  readVolumeDiscounts,
  type ShownRules,
  type StoredFloors,
  StoredRules,
  type VolumeTier,
} from './pricing.schema.ts'

export const PRICING_FLOORS: SealedColumn = {
  table: 'product_pricing',
  column: 'floors_box',
  key: ['org_id', 'product_id'],
  purpose: 'pricing floors',
}

export type PricingContext = { db: Db; clock: Clock; pricingSecrets: SecretBox }

/** Fields that are absent stay as they are; null clears. False when everything was so already. */
export async function setProductRules(
  ctx: PricingContext,
  act: Act,
  { productSlug, rules }: { productSlug: ProductSlug; rules: ProductRules },
): Promise<boolean> {
  const nothingGiven = isEmpty(given(rules))
  return ctx.db.transaction().execute(async (tx) => {
    const producer = await requireProducer({ db: tx }, act.caller, 'manage')
    const product = await requireOwnProduct(tx, producer.org.id, productSlug)
    if (nothingGiven) return false
    const at = ctx.clock.now()
    const key = { orgId: producer.org.id, productId: product.id }
    const stored = await lockProductPricing(tx, { ...key, at })
    const { reserve_price_usd, min_margin_pct, ...shown } = rules
    const changed = changesOf(stored.rules, given(shown))
    const floorsBox = changedFloors(ctx, stored.floorsBox, given({ reserve_price_usd, min_margin_pct }))
    const sameFloors = floorsBox === undefined
    if (sameFloors && isEmpty(changed)) return false
    await saveProductPricing(tx, {
      ...key,
      rules: { ...stored.rules, ...changed },
      floorsBox: sameFloors ? stored.floorsBox : floorsBox,
      at,
    })
    // Which rules were changed, never to what.
    await recordAction(tx, { producer, act, at }, 'pricing.changed', {
      product_slug: `${product.category}/${product.slug}`,
      rules: Object.keys(changed).sort(),
      ...(!sameFloors && { limits: 'set' }),
    })
    return true
  })
}

/** Those that are not so already; a rule that was never set is the same as one that was cleared. */
function changesOf<T extends object>(stored: Record<string, unknown>, rules: T): Partial<T> {
  const changed = Object.entries(rules).filter(
    ([name, value]) => !isDeepStrictEqual(stored[name] ?? null, value ?? null),
  )
  return Object.fromEntries(changed) as Partial<T>
}

/** A new box, null for none; undefined when they are as they were, and the old one stays. */
function changedFloors(
  ctx: Pick<PricingContext, 'pricingSecrets'>,
  box: string | null,
  floors: StoredFloors,
): string | null | undefined {
  if (isEmpty(floors)) return undefined
  const before = openFloors(ctx, box)
  if (before && isEmpty(changesOf(before, floors))) return undefined
  return sealFloors(ctx, { ...requireFloors(before, floors), ...floors })
}

export async function getProductRules(
  ctx: { db: Db },
  act: Pick<Act, 'caller'>,
  productSlug: ProductSlug,
): Promise<{ productSlug: string; rules: ShownRules }> {
  const { org } = await requireProducer(ctx, act.caller, 'read')
  const product = await requireOwnProduct(ctx.db, org.id, productSlug)
  const [row] = await findProductPricing(ctx.db, product.id, [org.id])
  return { productSlug: `${product.category}/${product.slug}`, rules: shownRules(row?.rules ?? {}) }
}

/** By product, of those that have any: what a list of products says of them. No box is opened. */
export async function listProductRules(
  ctx: { db: Db },
  act: Pick<Act, 'caller'>,
  productIds: readonly string[],
): Promise<Map<string, ShownRules>> {
  const { org } = await requireProducer(ctx, act.caller, 'read')
  const rows = productIds.length === 0 ? [] : await findOrgPricing(ctx.db, org.id, productIds)
  return new Map(rows.map(({ productId, rules }) => [productId, shownRules(rules)]))
}

/** What quotes are computed by, but for the floors. `product` is null where none was asked for. */
export type PricingRules = {
  /** Whether the service answers by them at all. */
  isManaged: boolean
  /** Those that can be used, of what is kept. */
  volumeDiscounts: VolumeTier[]
  /** What else the organization keeps among its rules; quotes make no use of it. */
  otherRules: Record<string, unknown>
  product: { productSlug: string; rules: ShownRules } | null
}

/** The organization's, and one product's beside them. */
export async function getPricingRules(
  ctx: { db: Db },
  act: Pick<Act, 'caller'>,
  productSlug: ProductSlug | null,
): Promise<PricingRules> {
  const product = productSlug && (await getProductRules(ctx, act, productSlug))
  const { isManaged, managedRules } = await getIntegration(ctx, act)
  const { volume_discounts, ...otherRules } = managedRules ?? {}
  return { isManaged, volumeDiscounts: readVolumeDiscounts(volume_discounts), otherRules, product }
}

/** The organization's tiers, or one product's rules: a call changes one of them. False when everything was so already. */
export async function setPricingRules(
  ctx: PricingContext,
  act: Act,
  { productSlug, rules, volumeDiscounts }: PricingChange,
): Promise<boolean> {
  const names = Object.keys(given(rules))
  if (productSlug && volumeDiscounts !== undefined)
    throw new AppError(
      'invalid',
      'volume_discounts: apply to all your products; set them in a call without product_slug',
      { field: 'volume_discounts' },
    )
  if (productSlug) return setProductRules(ctx, act, { productSlug, rules })
  if (names[0] !== undefined)
    throw new AppError('invalid', `${names[0]}: is set per product; send product_slug too`, {
      field: names[0],
    })
  return changeVolumeDiscounts(ctx, act, volumeDiscounts)
}

type Opening = Pick<PricingContext, 'db' | 'pricingSecrets'>

/** By organization: what the quote function computes with. Those without rules of their own are absent. */
export async function findRules(
  ctx: Opening,
  productId: string,
  orgIds: readonly string[],
): Promise<Map<string, ProductPricing>> {
  const rows = orgIds.length === 0 ? [] : await findProductPricing(ctx.db, productId, orgIds)
  return new Map(rows.map((row) => [row.orgId, pricingOf(ctx, row)]))
}

/** By product: one organization's own, in one statement. Each box among them is opened, so name no more than are judged. */
export async function findOwnRules(
  ctx: Opening,
  orgId: string,
  productIds: readonly string[],
): Promise<Map<string, ProductPricing>> {
  const rows = productIds.length === 0 ? [] : await findOrgPricing(ctx.db, orgId, productIds)
  return new Map(rows.map((row) => [row.productId, pricingOf(ctx, row)]))
}

function pricingOf(ctx: Opening, { rules, floorsBox }: Omit<PricingRow, 'orgId'>): ProductPricing {
  return readRules(shownRules(rules), openFloors(ctx, floorsBox))
}

/** Another's product, and one that is not known to be theirs, is not there. */
export async function requireOwnProduct(db: Db, orgId: string, slug: ProductSlug) {
  const product = await findProduct({ db }, slug)
  const related = product ? await verifiedRelationships({ db }, { orgId, productId: product.id }) : []
  if (product && related.length > 0) return product
  throw new AppError('not_found', 'your organization has no verified relationship to this product', {
    code: 'not_found',
    field: 'product_slug',
  })
}

function shownRules(stored: Record<string, unknown>): ShownRules {
  const { reserve_price_usd: _, min_margin_pct: __, ...shown } = StoredRules.parse(stored)
  return shown
}

/**
 * Null when the box cannot be opened, because its key is no longer in SOUK_SECRET. That is one producer's trouble: a
 * request goes to many, and the others' answers must not hang on it.
 */
function openFloors(
  { pricingSecrets }: Pick<PricingContext, 'pricingSecrets'>,
  box: string | null,
): StoredFloors | null {
  if (box === null) return {}
  try {
    return JSON.parse(pricingSecrets.open(box)) as StoredFloors
  } catch {
    return null
  }
}

/** What one floor is set beside. Where that is lost it is not dropped unseen: both must be given. */
function requireFloors(floors: StoredFloors | null, changed: StoredFloors): StoredFloors {
  if (floors) return floors
  if (FLOORS.every((name) => name in changed)) return {}
  throw new AppError(
    'conflict',
    `the earlier limits can no longer be read; send both ${FLOORS.join(' and ')}, null for none`,
    { code: 'conflict' },
  )
}

function sealFloors({ pricingSecrets }: Pick<PricingContext, 'pricingSecrets'>, floors: StoredFloors) {
  const none = Object.values(floors).every((value) => value === null)
  return none ? null : pricingSecrets.seal(JSON.stringify(floors))
}

function given<T extends object>(rules: T): Partial<T> {
  return Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined)) as Partial<T>
}

function isEmpty(values: object): boolean {
  return Object.keys(values).length === 0
}
