/**
 * What a producer lets the service quote: rules of the organization for all its products, and of each product. The rules can
 * be read back, the floors (reserve price and margin) cannot: they are sealed before they are stored and opened only to
 * compute a quote, and no log, audit record, response or export holds them. Owners and admins are told that floors are
 * set, when, by whom, and how many requests they held up.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Variant } from '../catalog/catalog.schema.ts'
import { getProfiles } from '../catalog/catalog.service.ts'
import { findVariants, requireVariant, variantLabel } from '../catalog/chosen-variant.ts'
import type { ProductSlug } from '../catalog/relationships.schema.ts'
import { findProduct, verifiedRelationships } from '../catalog/relationships.service.ts'
import type { Db } from '../db/database.ts'
import type { SealedColumn } from '../db/reseal.ts'
import { type Clock, DAY_MS } from '../lib/clock.ts'
import type { SecretBox } from '../lib/crypto.ts'
import { fromWire } from '../lib/entity.ts'
import { conflict, invalid, notFound } from '../lib/errors.ts'
import { idsOf } from '../lib/ids.ts'
import { usd } from '../lib/words.ts'
import { getIntegration, keepVolumeDiscounts } from '../orgs/integration.service.ts'
import { type Act, hasRight, type Producer, recordAction, requireProducer } from '../orgs/producer.ts'
import { basePriceOf, stepsOf } from './base-price.ts'
import {
  type ChangedPricing,
  findDefaults,
  findFloors,
  findOfferPrices,
  findOwnProducts,
  findPricing,
  lockDefaults,
  lockProductPricing,
  type OwnProductsPage,
  type PricingRow,
  type StoredPricing,
  saveDefaults,
  saveProductPricing,
} from './pricing.queries.ts'
import {
  FLOORS,
  type Floors,
  ORG_RULES,
  type OrgRules,
  type PricingChange,
  type ProductPricing,
  type ProductRules,
  readRules,
  readVolumeDiscounts,
  type ShownRules,
  type StoredFloors,
  StoredOrgRules,
  StoredRules,
  type VolumeTier,
  withDefaults,
} from './pricing.schema.ts'
import { limitPasses } from './quote.ts'

export const PRICING_FLOORS: SealedColumn = {
  table: 'product_pricing',
  column: 'floors_box',
  key: ['org_id', 'product_id'],
  purpose: 'pricing floors',
}

export type PricingContext = { db: Db; clock: Clock; pricingSecrets: SecretBox }

/** The organization's rules, or one product's: a call changes one of them. False when everything was so already. */
export async function setPricingRules(
  ctx: PricingContext,
  act: Act,
  { productSlug, rules, volumeDiscounts, confirmed }: PricingChange,
): Promise<boolean> {
  if (productSlug && volumeDiscounts !== undefined)
    throw invalid(
      'volume_discounts',
      'volume_discounts: apply to all your products; set them in a call without product_slug',
    )
  if (productSlug) return setProductRules(ctx, act, { productSlug, rules, confirmed })
  const ownOnly = Object.keys(given(rules)).find((name) => !ORG_RULES.some((rule) => rule === name))
  if (ownOnly !== undefined) throw invalid(ownOnly, `${ownOnly}: is set per product; send product_slug too`)
  return setOrgRules(ctx, act, { rules: given(rules), volumeDiscounts })
}

async function setOrgRules(
  ctx: PricingContext,
  act: Act,
  { rules, volumeDiscounts: tiers }: { rules: OrgRules } & Pick<PricingChange, 'volumeDiscounts'>,
): Promise<boolean> {
  return ctx.db.transaction().execute(async (tx) => {
    const producer = await requireProducer({ db: tx }, act.caller, 'manage')
    const at = ctx.clock.now()
    const orgId = producer.org.id
    const names: string[] = []
    if (tiers !== undefined && (await keepVolumeDiscounts(tx, { orgId, tiers, at })))
      names.push('volume_discounts')
    const stored = isEmpty(rules) ? {} : await lockDefaults(tx, { orgId, at })
    const changed = changesOf(stored, rules)
    if (!isEmpty(changed)) {
      const kept = Object.entries({ ...stored, ...changed }).filter(([, value]) => value !== null)
      await saveDefaults(tx, { orgId, rules: Object.fromEntries(kept), at })
      names.push(...Object.keys(changed))
    }
    if (names.length === 0) return false
    await recordAction(tx, { producer, act, at }, 'pricing.changed', { rules: names.sort() })
    return true
  })
}

/** Fields that are absent stay as they are; null clears. False when everything was so already. */
export async function setProductRules(
  ctx: PricingContext,
  act: Act,
  { productSlug, rules, confirmed }: { productSlug: ProductSlug; rules: ProductRules; confirmed: boolean },
): Promise<boolean> {
  return ctx.db.transaction().execute(async (tx) => {
    const producer = await requireProducer({ db: tx }, act.caller, 'manage')
    const product = await requireOwnProduct(tx, producer.org.id, productSlug)
    if (isEmpty(given(rules))) return false
    const at = ctx.clock.now()
    const productIds = [product.id]
    const [stored] = await lockProductPricing(tx, { orgId: producer.org.id, productIds, at })
    const found = stored && (await withVariants(tx, stored, rules))
    const change = stored && found && changeOf(ctx, stored, found)
    if (!change) return false
    const [warning] = confirmed ? [] : await warningsOf({ ...ctx, db: tx }, producer, [change])
    if (warning)
      throw conflict(`${warning.problem} Nothing was saved; send confirm true to save it anyway.`, {
        field: 'confirm',
      })
    await saveProductPricing(tx, { orgId: producer.org.id, by: personOf(act), at }, [change])
    // Which rules were changed, never to what.
    await recordAction(tx, { producer, act, at }, 'pricing.changed', {
      product_slug: `${product.category}/${product.slug}`,
      rules: change.names,
      ...(change.floorsChanged && { limits: 'set' }),
    })
    return true
  })
}

/** Rules whose prices of variants name them by id. What was set before stays, also for a variant that the catalog dropped. */
async function withVariants(db: Db, stored: StoredPricing, rules: ProductRules): Promise<ProductRules> {
  if (!rules.variant_prices?.length) return rules
  const variants = (await findVariants(db, [stored.productId])).get(stored.productId) ?? []
  const known = shownRules(stored.rules).variant_prices ?? []
  return { ...rules, variant_prices: foundPrices(variants, known, rules.variant_prices) }
}

type VariantPrices = NonNullable<ProductRules['variant_prices']>

/** Throws for a variant that the product does not have, and for one that is named twice. */
export function foundPrices(
  variants: readonly Variant[],
  known: VariantPrices,
  given: VariantPrices,
): VariantPrices {
  const rows = given.map((entry, at) => {
    const kept = known.find(({ variant }) => variant === entry.variant)
    const listed = variants.find(({ id }) => id === entry.variant)
    if (kept && !listed) return { ...entry, name: kept.name }
    const found = requireVariant(variants, entry.variant, `variant_prices.${at}.variant`)
    return { ...entry, variant: found.id, name: variantLabel(found) }
  })
  const twice = rows.findIndex(({ variant }, at) => rows.findIndex((row) => row.variant === variant) < at)
  if (twice < 0) return rows
  const field = `variant_prices.${twice}.variant`
  throw invalid(field, `${field}: another entry already has this variant`)
}

export function personOf({ caller }: Act): string | null {
  return caller.kind === 'link_token' ? null : caller.user.id
}

export type Change = ChangedPricing & {
  /** Which of the shown rules. */
  names: string[]
  /** A price or a limit is among what was changed: the two are held against each other. */
  priced: boolean
}

/** What is to be written; null when everything is so already. */
export function changeOf(
  ctx: Pick<PricingContext, 'pricingSecrets'>,
  stored: StoredPricing,
  rules: ProductRules,
): Change | null {
  const { reserve_price_usd, min_margin_pct, ...shown } = rules
  const changed = changesOf(stored.rules, given(shown))
  const floorsBox = changedFloors(ctx, stored.floorsBox, given({ reserve_price_usd, min_margin_pct }))
  const floorsChanged = floorsBox !== undefined
  if (!floorsChanged && isEmpty(changed)) return null
  return {
    productId: stored.productId,
    rules: { ...stored.rules, ...changed },
    floorsBox: floorsChanged ? floorsBox : stored.floorsBox,
    floorsChanged,
    names: Object.keys(changed).sort(),
    priced: floorsChanged || 'price_usd' in changed || 'variant_prices' in changed,
  }
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

/**
 * Limits that leave no price to quote, or one above the list price. They are compared by their step, so that a warning says
 * no more of a floor than a simulation does.
 */
export async function warningsOf(
  ctx: PricingContext,
  { org }: Pick<Producer, 'org'>,
  changes: readonly Change[],
): Promise<Array<{ productId: string; problem: string }>> {
  const bounded = changes.flatMap(({ productId, priced, floorsBox, rules }) => {
    const floors = priced && floorsBox !== null ? openFloors(ctx, floorsBox) : null
    return floors ? [{ productId, rules: shownRules(rules), floors: fromWire<Floors>(floors, FLOORS) }] : []
  })
  if (bounded.length === 0) return []
  const productIds = bounded.map(({ productId }) => productId)
  const [profiles, offers] = await Promise.all([
    getProfiles(ctx, productIds),
    findOfferPrices(ctx.db, { orgId: org.id, productIds, now: ctx.clock.now() }),
  ])
  const profileOf = new Map(profiles.map((profile) => [profile.id, profile]))
  const domain = org.verificationStatus === 'verified' ? org.domain : null
  return bounded.flatMap(({ productId, rules, floors }) => {
    const profile = profileOf.get(productId)
    if (!profile) return []
    const { priceCents, variantPrices } = readRules(rules, {})
    const base = basePriceOf({ domain, offerPriceCents: offers.get(productId) ?? null }, priceCents, profile)
    if (!base) return []
    const prices = { basePriceCents: base.priceCents, stepsOfCents: stepsOf(profile) }
    const words = (what: string, cents: number) =>
      `These limits make the lowest price higher than the ${what} of ${usd(cents / 100)}`
    const below = variantPrices.find((own) =>
      limitPasses(own.priceCents, floors, { ...prices, basePriceCents: own.priceCents }),
    )
    if (below)
      return [
        {
          productId,
          problem: `${words(`price of ${below.name}`, below.priceCents)}, so Souk would decline requests for it.`,
        },
      ]
    if (limitPasses(base.priceCents, floors, prices))
      return [
        {
          productId,
          problem: `${words('base price', base.priceCents)}, so Souk would decline every request.`,
        },
      ]
    const list = profile.listPriceCents
    return list !== null && limitPasses(list, floors, prices)
      ? [{ productId, problem: `${words('list price', list)}, so every quote would be above it.` }]
      : []
  })
}

const HELD_UP_DAYS = 30

/** What owners and admins learn of the limits of a product. */
export type FloorFacts = {
  isSet: boolean
  setAt: Date | null
  setBy: string | null
  /** Requests of the last 30 days whose quote a limit raised or stopped. */
  heldUp: number
  lastHeldUpAt: Date | null
}
const NO_FLOORS: FloorFacts = { isSet: false, setAt: null, setBy: null, heldUp: 0, lastHeldUpAt: null }

export type OwnRules = {
  rules: ShownRules
  /** With the organization's where the product has none. */
  effective: ShownRules
  /** Null for members below admin and for link tokens. */
  floors: FloorFacts | null
}

const UNSET: OwnRules = { rules: {}, effective: {}, floors: null }

/** By product, of all that are named: what a list of products says of them. No box is opened. */
export async function listProductRules(
  ctx: Pick<PricingContext, 'db' | 'clock'>,
  act: Pick<Act, 'caller'>,
  productIds: readonly string[],
): Promise<Map<string, OwnRules>> {
  const { org, role } = await requireProducer(ctx, act.caller, 'read')
  if (productIds.length === 0) return new Map()
  const oversees = role !== null && hasRight(role, 'oversee')
  const since = new Date(ctx.clock.now().getTime() - HELD_UP_DAYS * DAY_MS)
  const [rows, floors] = await Promise.all([
    findPricing(ctx.db, { orgIds: [org.id], productIds }),
    oversees ? findFloors(ctx.db, { orgId: org.id, productIds, since }) : [],
  ])
  const rowOf = new Map(rows.map((row) => [row.productId, row]))
  const floorsOf = new Map(floors.map(({ productId, ...facts }) => [productId, { isSet: true, ...facts }]))
  return new Map(
    productIds.map((id) => {
      const rules = shownRules(rowOf.get(id)?.rules ?? {})
      return [
        id,
        {
          rules,
          effective: withDefaults(rules, orgRules(rowOf.get(id)?.defaults ?? {})),
          floors: oversees ? (floorsOf.get(id) ?? NO_FLOORS) : null,
        },
      ]
    }),
  )
}

export type PricedProducts = {
  products: Array<{ id: string; productSlug: string; title: string } & OwnRules>
  total: number
}

/** Products that the organization is verified to sell or make, by title, each with its rules. */
export async function pagePricedProducts(
  ctx: Pick<PricingContext, 'db' | 'clock'>,
  act: Pick<Act, 'caller'>,
  page: OwnProductsPage,
): Promise<PricedProducts> {
  const { org } = await requireProducer(ctx, act.caller, 'read')
  const { products, total } = await findOwnProducts(ctx.db, org.id, page)
  const rules = await listProductRules(ctx, act, idsOf(products))
  return { total, products: products.map((product) => ({ ...product, ...(rules.get(product.id) ?? UNSET) })) }
}

/** What quotes are computed by, but for the floors. `product` is null where none was asked for. */
export type PricingRules = {
  /** Whether the service answers by them at all. */
  isManaged: boolean
  /** Those that can be used, of what is kept. */
  volumeDiscounts: VolumeTier[]
  /** For every product that has no rule of its own. */
  defaults: OrgRules
  /** What else the organization keeps among its rules; quotes make no use of it. */
  otherRules: Record<string, unknown>
  product: ({ productSlug: string } & OwnRules) | null
}

/** The organization's, and one product's beside them. */
export async function getPricingRules(
  ctx: Pick<PricingContext, 'db' | 'clock'>,
  act: Pick<Act, 'caller'>,
  productSlug: ProductSlug | null,
): Promise<PricingRules> {
  const { org } = await requireProducer(ctx, act.caller, 'read')
  const product = productSlug && (await requireOwnProduct(ctx.db, org.id, productSlug))
  const [own, defaults, { isManaged, managedRules }] = await Promise.all([
    product && listProductRules(ctx, act, [product.id]),
    findDefaults(ctx.db, org.id),
    getIntegration(ctx, act),
  ])
  const rules = product && own?.get(product.id)
  const { volume_discounts, ...otherRules } = managedRules ?? {}
  return {
    isManaged,
    volumeDiscounts: readVolumeDiscounts(volume_discounts),
    defaults: orgRules(defaults),
    otherRules,
    product: product && rules ? { productSlug: `${product.category}/${product.slug}`, ...rules } : null,
  }
}

type Opening = Pick<PricingContext, 'db' | 'pricingSecrets'>

/** By organization: what the quote function computes with. Those without rules are absent. */
export async function findRules(
  ctx: Opening,
  productId: string,
  orgIds: readonly string[],
): Promise<Map<string, ProductPricing>> {
  const rows = orgIds.length === 0 ? [] : await findPricing(ctx.db, { orgIds, productIds: [productId] })
  return new Map(rows.map((row) => [row.orgId, pricingOf(ctx, row)]))
}

/** By product: one organization's own, in one statement. Each box among them is opened, so name no more than are judged. */
export async function findOwnRules(
  ctx: Opening,
  orgId: string,
  productIds: readonly string[],
): Promise<Map<string, ProductPricing>> {
  const rows = productIds.length === 0 ? [] : await findPricing(ctx.db, { orgIds: [orgId], productIds })
  return new Map(rows.map((row) => [row.productId, pricingOf(ctx, row)]))
}

function pricingOf(ctx: Opening, { rules, defaults, floorsBox }: PricingRow): ProductPricing {
  const [own, every] = [StoredRules.safeParse(rules), StoredOrgRules.safeParse(defaults)]
  // One seller's unreadable rules must not hold up a request that goes to many: nothing is quoted by them.
  if (!own.success || !every.success) return readRules({}, null)
  return readRules(withDefaults(withoutFloors(own.data), every.data), openFloors(ctx, floorsBox))
}

/** Another's product, and one that is not known to be theirs, is not there. */
export async function requireOwnProduct(db: Db, orgId: string, slug: ProductSlug) {
  const product = await findProduct({ db }, slug)
  const related = product ? await verifiedRelationships({ db }, { orgId, productId: product.id }) : []
  if (product && related.length > 0) return product
  const problem = 'your organization has no verified relationship to this product: claim it first'
  throw notFound(problem, { field: 'product_slug' })
}

function shownRules(stored: Record<string, unknown>): ShownRules {
  return withoutFloors(StoredRules.parse(stored))
}

function withoutFloors({ reserve_price_usd: _, min_margin_pct: __, ...shown }: ProductRules): ShownRules {
  return shown
}

function orgRules(stored: Record<string, unknown>): OrgRules {
  return StoredOrgRules.parse(stored)
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
  throw conflict(`the earlier limits can no longer be read; send both ${FLOORS.join(' and ')}, null for none`)
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
