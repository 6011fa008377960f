/**
 * Takes a file of prices. Rows that are right are saved together, in one transaction with one record; the others are left
 * out and named with their line and what is wrong. A dry run answers the same and saves nothing.
 */
import type { ByteStream } from '../catalog/import/bytes.ts'
import { type Act, boundTo, type Producer, recordAction, requireProducer } from '../orgs/producer.ts'
import {
  findNamedProducts,
  findPricing,
  lockProductPricing,
  type OwnProduct,
  type StoredPricing,
  saveProductPricing,
} from './pricing.queries.ts'
import { type Change, changeOf, type PricingContext, personOf, warningsOf } from './pricing.service.ts'
import { type FileProblem, type FileRow, type ReadFile, readPricingFile } from './pricing-file.ts'

export type ImportedRow = { line: number; productSlug: string; title: string; rules: string[] }
export type ImportedPricing = {
  dryRun: boolean
  /** Saved, or to be saved. */
  changed: ImportedRow[]
  unchanged: number
  failed: FileProblem[]
  columns: ReadFile['columns']
}

type Wish = { dryRun: boolean; confirmed: boolean }

export async function importPricing(
  ctx: PricingContext,
  act: Act,
  file: { content: ByteStream } & Wish,
): Promise<ImportedPricing> {
  // Nobody's file is read before they may send one.
  const asked = await requireProducer(ctx, act.caller, 'manage')
  const read = await readPricingFile(file.content)
  return ctx.db.transaction().execute(async (tx) => {
    const caller = boundTo(act.caller, asked.org.id)
    const producer = await requireProducer({ db: tx }, caller, 'manage')
    return take({ ...ctx, db: tx }, { producer, act }, read, file)
  })
}

type Found = { row: FileRow; product: OwnProduct }

async function take(
  ctx: PricingContext,
  { producer, act }: { producer: Producer; act: Act },
  { rows, problems, columns }: ReadFile,
  { dryRun, confirmed }: Wish,
): Promise<ImportedPricing> {
  const orgId = producer.org.id
  const at = ctx.clock.now()
  const failed = [...problems]
  const found = await matched(ctx, orgId, rows, failed)
  const stored = await storedOf(ctx, { orgId, at, dryRun }, found)
  const changes = found.flatMap(({ row, product }) => {
    const before = stored.get(product.id) ?? { productId: product.id, rules: {}, floorsBox: null }
    const change = changeOf(ctx, before, row.rules)
    return change ? [{ row, product, change }] : []
  })
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
  if (!dryRun && kept.length > 0) {
    const written: Change[] = kept.map(({ change }) => change)
    await saveProductPricing(ctx.db, { orgId, by: personOf(act), at }, written)
    await recordAction(ctx.db, { producer, act, at }, 'pricing.imported', {
      products: kept.length,
      rules: [...new Set(written.flatMap(({ names }) => names))].sort(),
    })
  }
  return {
    dryRun,
    changed: kept.map(({ row: { line }, product: { productSlug, title }, change }) => ({
      ...{ line, productSlug, title, rules: change.names },
    })),
    unchanged: found.length - changes.length,
    failed: failed.sort((a, b) => a.line - b.line),
    columns,
  }
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
  const bySlug = new Map<string, OwnProduct[]>()
  const byNumber = new Map<string, OwnProduct[]>()
  for (const product of products) {
    for (const name of product.names) bySlug.set(name, [...(bySlug.get(name) ?? []), product])
    for (const name of new Set(product.numbers)) byNumber.set(name, [...(byNumber.get(name) ?? []), product])
  }
  const lineOf = new Map<string, number>()
  return rows.flatMap((row) => {
    const { by, name } = row.product
    const [product, another] = (by === 'slug' ? bySlug : byNumber).get(name.toLowerCase()) ?? []
    const refuse = (problem: string) => {
      failed.push({ line: row.line, product: name, field: by === 'slug' ? 'product_slug' : 'sku', problem })
      return []
    }
    if (!product) return refuse('is not a product that your organization is verified to sell or make')
    if (another) return refuse('names several of your products; use <category>/<slug>')
    const earlier = lineOf.get(product.id)
    if (earlier !== undefined) return refuse(`names the same product as line ${earlier}`)
    lineOf.set(product.id, row.line)
    return [{ row, product }]
  })
}

/** Held where they are to be written. */
async function storedOf(
  { db }: Pick<PricingContext, 'db'>,
  { orgId, at, dryRun }: { orgId: string; at: Date; dryRun: boolean },
  found: readonly Found[],
): Promise<Map<string, StoredPricing>> {
  const productIds = found.map(({ product }) => product.id)
  const rows: StoredPricing[] = dryRun
    ? await findPricing(db, { orgIds: [orgId], productIds })
    : await lockProductPricing(db, { orgId, productIds, at })
  return new Map(rows.map((row) => [row.productId, row]))
}
