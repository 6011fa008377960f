/**
 * What a producer lets the service quote for one product. The rules can be read back, the floors (reserve price and
 * margin) cannot: they are sealed before they are stored and opened only to compute a quote, and no log, audit record,
 * response or export holds them.
 */

import type { ProductSlug } from '../catalog/relationships.schema.ts'
import { findProduct, verifiedRelationships } from '../catalog/relationships.service.ts'
import type { Db } from '../db/database.ts'
import type { SealedColumn } from '../db/reseal.ts'
import type { Clock } from '../lib/clock.ts'
import type { SecretBox } from '../lib/crypto.ts'
import { AppError } from '../lib/errors.ts'
import { dollarsToCents } from '../lib/money.ts'
import { type Deed, recordDeed, requireProducer } from '../orgs/producer.ts'
import { findProductPricing, lockProductPricing, saveProductPricing } from './pricing.queries.ts'
import {
  type Floors,
  type ManagedRules,
  type ProductRules,
  ProductRules as StoredRules,
} from './pricing.schema.ts'

export const PRICING_FLOORS: SealedColumn = {
  table: 'product_pricing',
  column: 'floors_box',
  key: ['org_id', 'product_id'],
  purpose: 'pricing floors',
}

export type PricingContext = { db: Db; clock: Clock; pricingSecrets: SecretBox }

const FLOORS = ['reserve_price_usd', 'min_margin_pct'] as const
type ShownRules = Omit<ProductRules, (typeof FLOORS)[number]>

/** Fields that are absent stay as they are; null clears. */
export async function setProductRules(
  ctx: PricingContext,
  deed: Deed,
  { productSlug, rules }: { productSlug: ProductSlug; rules: ProductRules },
): Promise<void> {
  const nothingGiven = isEmpty(given(rules))
  await ctx.db.transaction().execute(async (tx) => {
    const producer = await requireProducer({ db: tx }, deed.caller, 'manage')
    const product = await requireOwnProduct(tx, producer.org.id, productSlug)
    if (nothingGiven) return
    const at = ctx.clock.now()
    const key = { orgId: producer.org.id, productId: product.id }
    const stored = await lockProductPricing(tx, { ...key, at })
    const { reserve_price_usd, min_margin_pct, ...shown } = rules
    const changed = given({ reserve_price_usd, min_margin_pct })
    const floorsBox = isEmpty(changed)
      ? stored.floorsBox
      : sealFloors(ctx, { ...requireFloors(ctx, stored.floorsBox, changed), ...changed })
    await saveProductPricing(tx, { ...key, rules: { ...stored.rules, ...given(shown) }, floorsBox, at })
    // Which rules were touched, never to what.
    await recordDeed(tx, { producer, deed, at }, 'pricing.changed', {
      product_slug: `${product.category}/${product.slug}`,
      rules: Object.keys(given(shown)).sort(),
      ...(!isEmpty(changed) && { limits: 'set' }),
    })
  })
}

export async function getProductRules(
  ctx: { db: Db },
  deed: Pick<Deed, 'caller'>,
  productSlug: ProductSlug,
): Promise<{ productSlug: string; rules: ShownRules }> {
  const { org } = await requireProducer(ctx, deed.caller, 'read')
  const product = await requireOwnProduct(ctx.db, org.id, productSlug)
  const [row] = await findProductPricing(ctx.db, product.id, [org.id])
  return { productSlug: `${product.category}/${product.slug}`, rules: shownRules(row?.rules ?? {}) }
}

/** By organization: what the quote function computes with. Those without rules of their own are absent. */
export async function findRules(
  ctx: Pick<PricingContext, 'db' | 'pricingSecrets'>,
  productId: string,
  orgIds: readonly string[],
): Promise<Map<string, Omit<ManagedRules, 'volumeDiscounts'>>> {
  const rows = orgIds.length === 0 ? [] : await findProductPricing(ctx.db, productId, orgIds)
  return new Map(rows.map((row) => [row.orgId, readRules(row.rules, openFloors(ctx, row.floorsBox))]))
}

/** Another's product, and one that is not known to be theirs, is not there. */
export async function requireOwnProduct(db: Db, orgId: string, slug: ProductSlug) {
  const product = await findProduct({ db }, slug)
  const related = product ? await verifiedRelationships({ db }, { orgId, productId: product.id }) : []
  if (product && related.length > 0) return product
  throw new AppError('not_found', 'your organization has no verified relationship to such a product', {
    code: 'not_found',
  })
}

function shownRules(stored: Record<string, unknown>): ShownRules {
  const { reserve_price_usd: _, min_margin_pct: __, ...shown } = StoredRules.parse(stored)
  return shown
}

function readRules(
  stored: Record<string, unknown>,
  floors: StoredFloors | null,
): Omit<ManagedRules, 'volumeDiscounts'> {
  const rules = shownRules(stored)
  return {
    maxDiscountPct: rules.max_discount_pct ?? null,
    leadTimeDays: rules.lead_time_days ?? null,
    returnPolicyDays: rules.return_policy_days ?? null,
    inStock: rules.in_stock ?? null,
    deliveryRegions: rules.delivery_regions ?? null,
    shippingCents: centsOf(rules.shipping_cost_usd),
    floors: floors && floorsOf(floors),
  }
}

type StoredFloors = { reserve_price_usd?: number | null; min_margin_pct?: number | null }

function floorsOf({ reserve_price_usd, min_margin_pct }: StoredFloors): Floors {
  return { reservePriceCents: centsOf(reserve_price_usd), minMarginPct: min_margin_pct ?? null }
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
function requireFloors(
  ctx: Pick<PricingContext, 'pricingSecrets'>,
  box: string | null,
  changed: StoredFloors,
): StoredFloors {
  const floors = openFloors(ctx, box)
  if (floors) return floors
  if (FLOORS.every((name) => name in changed)) return {}
  throw new AppError(
    'conflict',
    `the limits set before can no longer be read; give both ${FLOORS.join(' and ')}, null for none`,
    { code: 'conflict' },
  )
}

function sealFloors({ pricingSecrets }: Pick<PricingContext, 'pricingSecrets'>, floors: StoredFloors) {
  const none = Object.values(floors).every((value) => value === null)
  return none ? null : pricingSecrets.seal(JSON.stringify(floors))
}

function centsOf(dollars: number | null | undefined): number | null {
  return dollars === null || dollars === undefined ? null : dollarsToCents(dollars)
}

function given<T extends object>(rules: T): Partial<T> {
  return Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined)) as Partial<T>
}

function isEmpty(values: object): boolean {
  return Object.keys(values).length === 0
}
