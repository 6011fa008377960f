/**
 * One product as the operator states it: fields of the import contract, checked as an import checks them. What is not
 * named stays; null takes a value away. A number or a slug that another product has is refused. Kept as the operator's
 * word for each field.
 */
import { type AuditActor, recordAudit } from '../accounts/audit.service.ts'
import type { Tx } from '../db/database.ts'
import { AppError } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import { keepAddresses } from './addresses.queries.ts'
import { FIELD_NAMES, OPERATOR_SOURCE, type Product, type ProductFacts } from './catalog.schema.ts'
import { findChosenBySlug } from './manage-products.queries.ts'
import {
  changesBetween,
  type ManageContext,
  NOTHING_NAMED,
  requireCategory,
} from './manage-products.service.ts'
import { checkProductInput, INPUT_FIELDS, type InputProblem, type ProductInput } from './product-input.ts'
import { gtinForms, isSameGtin } from './product-numbers.ts'
import { inTransactionOfItsOwn } from './select-products.ts'
import { insertChanges, lockProducts, updateProducts, upsertBrands } from './upsert.queries.ts'
import { brandKey } from './upsert.service.ts'

/** What a file says of its rows, not of the product. */
const OF_FILES = ['id', 'aliases', 'group', 'options']
export const EDITABLE: readonly string[] = INPUT_FIELDS.filter((field) => !OF_FILES.includes(field))

export type Edited = { slug: string; category: string; changed: boolean; notes: InputProblem[] }

export async function editProduct(
  ctx: ManageContext,
  { by, slug, fields }: { by: AuditActor; slug: string; fields: Readonly<Record<string, unknown>> },
): Promise<Edited> {
  const unknown = Object.keys(fields).find((name) => !EDITABLE.includes(name))
  if (unknown !== undefined)
    throw new AppError('invalid', `a product has no field ${unknown}`, { field: unknown, valid: EDITABLE })
  return inTransactionOfItsOwn(ctx, async (tx) => {
    const at = ctx.clock.now()
    const named = await findChosenBySlug(tx, slug)
    if (!named) throw noProduct(slug)
    const { input, notes } = checked(fields, named.category)
    const brandId = 'brand' in fields ? await brandOf(tx, input) : undefined
    const category = await requireCategory(tx, input.category)
    const [product] = await lockProducts(tx, { ...NOTHING_NAMED, ids: [named.id] })
    if (!product) throw noProduct(slug)
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
    if (changed) {
      const hasMoved = next.slug !== product.slug || next.categoryId !== product.categoryId
      if (hasMoved) await keepAddresses(tx, [product.id], at)
      await updateProducts(tx, [next])
      await insertChanges(tx, changes, at)
      const detail = { product_slug: product.slug, fields: Object.keys(fields) }
      await recordAudit(tx, { actor: by, action: 'product.edited', at, detail })
    }
    return {
      slug: next.slug,
      category: 'category' in fields ? category.slug : named.category,
      changed,
      notes,
    }
  })
}

export function noProduct(slug: string): AppError {
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
  throw new AppError('invalid', [field, `${problem}; ${fix}`].filter(Boolean).join(' '), {
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
    ids: [],
    slugs: [slug],
    gtins: gtin === null ? [] : gtinForms(gtin),
    brandIds: isPart ? [brandId] : [],
    mpns: isPart ? [mpn.toLowerCase()] : [],
  })
  const other = found.find((product) => product.id !== id)
  if (!other) return
  const field = other.slug === slug ? 'slug' : isSameGtin(other.gtin, gtin) ? 'gtin' : 'mpn'
  throw new AppError(
    'conflict',
    `this ${field} belongs to ${other.slug}; merge the two if they are the same`,
    {
      code: 'conflict',
      field,
    },
  )
}
