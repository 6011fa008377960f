/**
 * Takes a file of prices. Rows that are right are saved together, in one transaction with one record; the others are left
 * out and named with their line and what is wrong. A dry run answers the same and saves nothing.
 */
import type { Variant } from '../catalog/catalog.schema.ts'
import { requireVariant, variantLabel } from '../catalog/chosen-variant.ts'
import type { ByteStream } from '../catalog/import/bytes.ts'
import { inTransaction } from '../catalog/import-run.ts'
import { AppError } from '../lib/errors.ts'
import { type Act, boundTo, type Producer, recordAction, requireProducer } from '../orgs/producer.ts'
import {
  findNamedProducts,
  findPricing,
  lockProductPricing,
  type NamedProduct,
  type OwnProduct,
  type StoredPricing,
  saveProductPricing,
} from './pricing.queries.ts'
import { type ShownRules, StoredRules } from './pricing.schema.ts'
import { type Change, changeOf, type PricingContext, personOf, warningsOf } from './pricing.service.ts'
import {
  type FileProblem,
  type FileRow,
  type ReadFile,
  readPricingFile,
  variantRowProblem,
} from './pricing-file.ts'

export type ImportedRow = { line: number; productSlug: string; title: string; rules: string[] }
export type ImportedPricing = {
  dryRun: boolean
  /** Saved, or to be saved. */
  changed: ImportedRow[]
  unchanged: number
  failed: FileProblem[]
  columns: ReadFile['columns']
}

type Wish = {
  dryRun: boolean
  confirmed: boolean
  /** Whether it is what somebody has agreed to: else nothing is saved. */
  isAgreed?: (imported: Omit<ImportedPricing, 'dryRun'>) => boolean
}

export async function importPricing(
  ctx: PricingContext,
  act: Act,
  file: { content: ByteStream } & Wish,
): Promise<ImportedPricing> {
  // Nobody's file is read before they may send one.
  const asked = await requireProducer(ctx, act.caller, 'manage')
  const read = await readPricingFile(file.content)
  // What is not saved leaves nothing, not even the rows that were held for it.
  return inTransaction(ctx.db, { dryRun: (imported: ImportedPricing) => imported.dryRun }, async (tx) => {
    const caller = boundTo(act.caller, asked.org.id)
    const producer = await requireProducer({ db: tx }, caller, 'manage')
    return take({ ...ctx, db: tx }, { producer, act }, read, file)
  })
}

/** `variant`: the one that the row is for; null for the product. */
type Found = { row: FileRow; product: OwnProduct; variant: Variant | null }

async function take(
  ctx: PricingContext,
  { producer, act }: { producer: Producer; act: Act },
  { rows, problems, columns }: ReadFile,
  { dryRun, confirmed, isAgreed = () => true }: Wish,
): Promise<ImportedPricing> {
  const orgId = producer.org.id
  const at = ctx.clock.now()
  const failed = [...problems]
  const named = await matched(ctx, orgId, rows, failed)
  const stored = await storedOf(ctx, { orgId, at, dryRun }, named)
  const found = named.filter(({ row, product, variant }) => {
    const isPriced =
      variant === null ||
      row.rules.price_usd !== undefined ||
      pricesIn(stored.get(product.id)).some((entry) => entry.variant === variant.id)
    if (!isPriced)
      failed.push({
        ...{ line: row.line, product: product.productSlug, field: 'price_usd' },
        problem: 'is missing: this variant has no price yet',
      })
    return isPriced
  })
  const groups = [...Map.groupBy(found, ({ product }) => product.id).values()]
  const changes = groups.flatMap((group) => {
    const [first] = group
    if (!first) return []
    const { row, product } = first
    const before = stored.get(product.id) ?? { productId: product.id, rules: {}, floorsBox: null }
    const change = changeOf(ctx, before, rulesOf(group, before))
    return change ? [{ row, product, change, rows: group.length }] : []
  })
  const changedRows = changes.reduce((sum, { rows }) => sum + rows, 0)
  const warnings = confirmed
    ? []
    : await warningsOf(
        ctx,
        producer,
        changes.map(({ change }) => change),
      )
  const warned = new Map(warnings.map(({ productId, problem }) => [productId, problem]))
  const kept = changes.filter(({ row, product }) => {
    const problem = warned.get(product.id)
    if (problem === undefined) return true
    failed.push({ line: row.line, product: product.productSlug, field: 'confirm', problem })
    return false
  })
  const imported = {
    changed: kept.map(({ row: { line }, product: { productSlug, title }, change }) => ({
      ...{ line, productSlug, title, rules: change.names },
    })),
    unchanged: found.length - changedRows,
    failed: failed.sort((a, b) => a.line - b.line),
    columns,
  }
  const isKept = !dryRun && isAgreed(imported)
  if (isKept && kept.length > 0) {
    const written: Change[] = kept.map(({ change }) => change)
    await saveProductPricing(ctx.db, { orgId, by: personOf(act), at }, written)
    await recordAction(ctx.db, { producer, act, at }, 'pricing.imported', {
      products: kept.length,
      rules: [...new Set(written.flatMap(({ names }) => names))].sort(),
    })
  }
  return { dryRun: !isKept, ...imported }
}

function pricesIn(stored: StoredPricing | undefined) {
  return StoredRules.parse(stored?.rules ?? {}).variant_prices ?? []
}

/** What the rows of one product say together. Prices of variants that no row names stay as they are. */
function rulesOf(group: readonly Found[], before: StoredPricing): ShownRules {
  const rules = group.find(({ variant }) => variant === null)?.row.rules ?? {}
  const ofVariants = group.flatMap(({ row, variant }) => (variant ? [{ variant, rules: row.rules }] : []))
  if (ofVariants.length === 0) return rules
  const prices = new Map(pricesIn(before).map((entry) => [entry.variant, entry]))
  for (const { variant, rules } of ofVariants) {
    const { price_usd = prices.get(variant.id)?.price_usd ?? null, stock } = rules
    const left = stock === undefined ? (prices.get(variant.id)?.stock ?? null) : stock
    if (price_usd === null) prices.delete(variant.id)
    else prices.set(variant.id, { variant: variant.id, name: variantLabel(variant), price_usd, stock: left })
  }
  return { ...rules, variant_prices: prices.size === 0 ? null : [...prices.values()] }
}

/** Rows with the product that each names; what names none, or one that is named already, is added to `failed`. */
async function matched(
  { db }: Pick<PricingContext, 'db'>,
  orgId: string,
  rows: readonly FileRow[],
  failed: FileProblem[],
): Promise<Found[]> {
  const of = (by: 'slug' | 'number') =>
    rows.flatMap(({ product }) => (product.by === by ? [product.name.toLowerCase()] : []))
  const products = await findNamedProducts(db, orgId, { slugs: of('slug'), numbers: of('number') })
  const bySlug = new Map<string, NamedProduct[]>()
  const byNumber = new Map<string, NamedProduct[]>()
  const byVariant = new Map<string, Array<{ product: NamedProduct; variant: Variant }>>()
  for (const product of products) {
    for (const name of product.names) bySlug.set(name, [...(bySlug.get(name) ?? []), product])
    for (const name of new Set(product.numbers)) byNumber.set(name, [...(byNumber.get(name) ?? []), product])
    for (const variant of product.variants)
      for (const name of new Set([variant.sku, variant.gtin]))
        if (name !== null)
          byVariant.set(name.toLowerCase(), [
            ...(byVariant.get(name.toLowerCase()) ?? []),
            { product, variant },
          ])
  }
  const lineOf = new Map<string, number>()
  return rows.flatMap((row) => {
    const { by, name } = row.product
    const own = (by === 'slug' ? bySlug : byNumber).get(name.toLowerCase()) ?? []
    // A number that no product has may be that of a variant, and names both.
    const ofVariants = own.length === 0 && by === 'number' ? (byVariant.get(name.toLowerCase()) ?? []) : []
    const [found, another] =
      ofVariants.length > 0 ? ofVariants : own.map((product) => ({ product, variant: null }))
    const refuse = (problem: string, field = by === 'slug' ? 'product_slug' : 'sku') => {
      failed.push({ line: row.line, product: name, field, problem })
      return []
    }
    if (!found) return refuse('is not a product that your organization is verified to sell or make')
    if (another)
      return refuse(
        ofVariants.length > 0
          ? 'names several variants; use product_slug and variant'
          : 'names several of your products; use <category>/<slug>',
      )
    const { product } = found
    const named = variantOf(row, found)
    if ('problem' in named) return refuse(named.problem, named.field)
    const { variant } = named
    const key = JSON.stringify([product.id, variant?.id ?? null])
    const earlier = lineOf.get(key)
    if (earlier !== undefined)
      return refuse(`names the same ${variant ? 'variant' : 'product'} as line ${earlier}`)
    lineOf.set(key, row.line)
    return [{ row, product, variant }]
  })
}

/** The variant that a row is for, or what is wrong with it. */
function variantOf(
  { variant: name, rules }: FileRow,
  { product, variant }: { product: NamedProduct; variant: Variant | null },
): { variant: Variant | null } | { field: string; problem: string } {
  try {
    const meant = name === null ? variant : requireVariant(product.variants, name)
    return (meant && variantRowProblem(rules)) ?? { variant: meant }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { field: 'variant', problem: error.message.replace(/^variant: /, '') }
  }
}

/** Held where they are to be written. */
async function storedOf(
  { db }: Pick<PricingContext, 'db'>,
  { orgId, at, dryRun }: { orgId: string; at: Date; dryRun: boolean },
  found: readonly Found[],
): Promise<Map<string, StoredPricing>> {
  const productIds = [...new Set(found.map(({ product }) => product.id))]
  const rows: StoredPricing[] = dryRun
    ? await findPricing(db, { orgIds: [orgId], productIds })
    : await lockProductPricing(db, { orgId, productIds, at })
  return new Map(rows.map((row) => [row.productId, row]))
}
