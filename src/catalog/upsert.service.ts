/**
 * Brings stated products into the catalog: finds what each row means (by slug, gtin, or brand and part number),
 * merges it over what is known, and writes what really changed together with its record in `changes`, all in one
 * transaction. Rows that say nothing new write nothing, so an import can be repeated.
 */
import type { Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { newId } from '../lib/ids.ts'
import { slugify } from '../lib/text.ts'
import { type Category, EMPTY_FACTS, FIELD_NAMES, type Product, type ProductFacts } from './catalog.schema.ts'
import type { CategoryIndex } from './category-index.ts'
import { diffProducts, priceView } from './product-diff.ts'
import type { InputProblem, ProductInput } from './product-input.ts'
import {
  type Brand,
  type ChangeRecord,
  insertChanges,
  insertProducts,
  lockProducts,
  updateProducts,
  upsertBrands,
} from './upsert.queries.ts'

export type UpsertRow = { line: number; input: ProductInput }
export type Outcome = 'created' | 'updated' | 'unchanged'
export type UpsertResult =
  | { line: number; slug: string; outcome: Outcome }
  | { line: number; problem: InputProblem }

export type UpsertOptions = {
  categories: CategoryIndex
  /** Who says so; kept with each field. */
  source: string
  now: Date
}

export async function upsertProducts(
  tx: Kysely<Tables>,
  rows: UpsertRow[],
  options: UpsertOptions,
): Promise<UpsertResult[]> {
  const brands = await resolveBrands(tx, rows)
  const planned = rows.map(({ line, input }) => plan(line, input, brands, options.categories))
  const stored = await lockProducts(tx, identifiersOf(planned))
  const known = createKnownProducts(stored)
  const results = planned.map((row) => {
    if ('problem' in row) return row
    const found = known.match(row)
    if ('problem' in found) return { line: row.line, problem: found.problem }
    const existing = found.product
    const next = merge(existing, row, options)
    const differences = existing ? diffProducts(existing, next) : null
    if (differences?.length === 0) return { line: row.line, slug: next.slug, outcome: 'unchanged' as const }
    known.put(next)
    return {
      line: row.line,
      slug: next.slug,
      outcome: existing ? ('updated' as const) : ('created' as const),
    }
  })
  const before = new Map(stored.map((product) => [product.id, product]))
  await writeAll(tx, known.written(), before, options.now)
  return results
}

type PlannedRow = {
  line: number
  input: ProductInput
  category: Category
  brandId: string | null | undefined
  slug: string
  slugStated: boolean
}

function plan(
  line: number,
  input: ProductInput,
  brands: Map<string, Brand>,
  categories: CategoryIndex,
): PlannedRow | { line: number; problem: InputProblem } {
  const category = categories.find(input.category)
  if (!category) {
    const near = categories.near(input.category)
    const fix =
      near.length > 0
        ? `did you mean ${near.join(' or ')}?`
        : 'name a category of the catalog, or add it with --categories FILE'
    return { line, problem: { field: 'category', problem: `there is no category "${input.category}"`, fix } }
  }
  const slug = input.slug ?? slugify(titleForSlug(input))
  if (slug === '')
    return {
      line,
      problem: {
        field: 'slug',
        problem: 'cannot be made from this title',
        fix: 'give a slug of lower-case letters, digits and hyphens',
      },
    }
  const brandId =
    input.brand === undefined
      ? undefined
      : input.brand === null
        ? null
        : (brands.get(brandKey(input.brand))?.id ?? null)
  return { line, input, category, brandId, slug, slugStated: input.slug !== null }
}

function titleForSlug({ brand, facts }: ProductInput): string {
  return brand && !facts.title.toLowerCase().includes(brand.toLowerCase())
    ? `${brand} ${facts.title}`
    : facts.title
}

export function brandKey(name: string): string {
  return name.trim().toLowerCase()
}

async function resolveBrands(tx: Kysely<Tables>, rows: UpsertRow[]): Promise<Map<string, Brand>> {
  const wanted = new Map<string, Brand>()
  for (const { input } of rows) {
    if (!input.brand) continue
    const key = brandKey(input.brand)
    const domain = wanted.get(key)?.domain ?? input.brandDomain
    wanted.set(key, { id: wanted.get(key)?.id ?? newId(), key, name: input.brand, domain })
  }
  const stored = await upsertBrands(tx, [...wanted.values()])
  return new Map(stored.map((brand) => [brand.key, brand]))
}

function identifiersOf(planned: Array<PlannedRow | { line: number; problem: InputProblem }>) {
  const rows = planned.flatMap((row) => ('problem' in row ? [] : [row]))
  const parts = rows.flatMap(({ brandId, input }) =>
    brandId && input.facts.mpn ? [{ brandId, mpn: input.facts.mpn.toLowerCase() }] : [],
  )
  return {
    slugs: rows.map((row) => row.slug),
    gtins: rows.flatMap(({ input }) => input.facts.gtin ?? []),
    brandIds: parts.map((part) => part.brandId),
    mpns: parts.map((part) => part.mpn),
  }
}

/** The products a batch touches, as they will be after the rows so far: a later row sees what an earlier one did. */
function createKnownProducts(existing: Product[]) {
  const bySlug = new Map<string, Product>()
  const byGtin = new Map<string, Product>()
  const byPart = new Map<string, Product>()
  const written = new Map<string, Product>()
  const partKey = (brandId: string, mpn: string) => `${brandId} ${mpn.toLowerCase()}`
  const index = (product: Product) => {
    bySlug.set(product.slug, product)
    if (product.gtin) byGtin.set(product.gtin, product)
    if (product.brandId && product.mpn) byPart.set(partKey(product.brandId, product.mpn), product)
  }
  for (const product of existing) index(product)
  return {
    match({
      input,
      brandId,
      slug,
      slugStated,
    }: PlannedRow): { product: Product | null } | { problem: InputProblem } {
      const gtinOwner = input.facts.gtin ? byGtin.get(input.facts.gtin) : undefined
      const partOwner = brandId && input.facts.mpn ? byPart.get(partKey(brandId, input.facts.mpn)) : undefined
      const slugOwner = bySlug.get(slug)
      // A slug we made ourselves is only a guess, and an identifier is stronger; a stated slug must agree with it.
      const product = slugStated ? slugOwner : (gtinOwner ?? partOwner ?? slugOwner)
      for (const [field, owner] of [
        ['gtin', gtinOwner],
        ['mpn', partOwner],
      ] as const) {
        if (!owner || owner.id === product?.id) continue
        return {
          problem: {
            field,
            problem: `belongs to another product, ${owner.slug}`,
            fix: `correct the ${field}, or use slug ${owner.slug} if it is the same product`,
          },
        }
      }
      return { product: product ?? null }
    },
    put(product: Product) {
      index(product)
      written.set(product.id, product)
    },
    written: () => [...written.values()],
  }
}

function merge(existing: Product | null, row: PlannedRow, { source, now }: UpsertOptions): Product {
  const { facts } = row.input
  const base: Product = existing ?? {
    ...EMPTY_FACTS,
    id: newId(),
    slug: row.slug,
    categoryId: row.category.id,
    brandId: null,
    verificationStatus: 'base',
    provenance: {},
    createdAt: now,
    updatedAt: now,
  }
  const provenance = { ...base.provenance }
  for (const field of statedFields(row)) provenance[field] = { source, verifiedAt: null }
  return {
    ...base,
    ...facts,
    categoryId: row.category.id,
    brandId: row.brandId === undefined ? base.brandId : row.brandId,
    provenance,
    updatedAt: now,
  }
}

/** The fields a row speaks of, by the names the outside knows them by. */
function statedFields({ input, brandId }: PlannedRow): string[] {
  const names = Object.keys(input.facts).map((field) => FIELD_NAMES[field as keyof ProductFacts])
  return [...new Set(brandId === undefined ? names : [...names, 'brand'])]
}

async function writeAll(
  tx: Kysely<Tables>,
  products: Product[],
  before: Map<string, Product>,
  now: Date,
): Promise<void> {
  const created = products.filter((product) => !before.has(product.id))
  const updated = products.filter((product) => before.has(product.id))
  await insertProducts(tx, created)
  await updateProducts(tx, updated)
  const changes: ChangeRecord[] = [
    ...created.map((product) => ({
      productId: product.id,
      categoryId: product.categoryId,
      aspect: 'created' as const,
      before: null,
      after: { title: product.title, ...priceView(product) },
    })),
    ...updated.flatMap((product) => {
      const old = before.get(product.id)
      const differences = old ? diffProducts(old, product) : []
      return differences.map((difference) => ({
        productId: product.id,
        categoryId: product.categoryId,
        ...difference,
      }))
    }),
  ]
  await insertChanges(tx, changes, now)
}
