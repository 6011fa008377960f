/**
 * What an operator does to brands: edit, one or from a file, merge into another, delete. A name or a domain is part of every profile of the
 * brand, so all of them are told as changed, in the transaction that changes it.
 */
import { z } from 'zod'
import { type AuditActor, recordAudit } from '../accounts/audit.service.ts'
import type { Tx } from '../db/database.ts'
import { AppError, conflict, invalid } from '../lib/errors.ts'
import { isUuid, newId } from '../lib/ids.ts'
import { cleanLine, shorten } from '../lib/text.ts'
import { parseInput } from '../lib/validate.ts'
import { OPERATOR_SOURCE } from './catalog.schema.ts'
import type { ByteStream } from './import/bytes.ts'
import { isCleared, readSheet, type SheetRow } from './import/sheet.ts'
import {
  countOfBrand,
  deleteBrandRow,
  findBrandByKey,
  findSharedParts,
  lockBrands,
  rebrandProducts,
  updateBrand,
} from './manage-lists.queries.ts'
import { type ManageContext, type ManageDoing, recordFile, undoing } from './manage-products.service.ts'
import { brandKey } from './product-identity.ts'
import { inTransactionOfItsOwn } from './select-products.ts'
import { type RowDone, type SheetOutcome, type SheetWish, takeSheet } from './sheet-batch.ts'
import { type Brand, upsertBrands } from './upsert.queries.ts'

type Ask = { by: AuditActor; id: string; undoOf?: string }

export const BrandEdit = z.object({
  name: z
    .string()
    .max(300)
    .transform((text) => shorten(cleanLine(text), 300))
    .refine((text) => text !== '', 'must not be empty'),
  domain: z
    .string()
    .trim()
    .toLowerCase()
    .max(500)
    .transform((text) => text.replace(/^https?:\/\//, '').split('/', 1)[0] ?? '')
    .refine(
      (text) => text === '' || /^([a-z0-9-]+\.)+[a-z0-9-]{2,}$/.test(text),
      'must be a domain such as acme.example',
    )
    .nullable()
    .transform((text) => text || null),
})

/** Who proves the domain is the brand's manufacturer, so a change of it is on record like any other. */
export async function editBrand(
  ctx: ManageContext,
  { by, id, undoOf, ...fields }: Ask & { name: string; domain: string | null },
): Promise<{ batch: string | null }> {
  const next = parseInput(BrandEdit, fields)
  return inTransactionOfItsOwn(ctx, async (tx) => {
    const batch = newId()
    const doing = { by, undoOf, batch, at: ctx.clock.now() }
    return { batch: (await editBrandIn(tx, doing, await locked(tx, id), next)) ? batch : null }
  })
}

/** False where it has these values. */
async function editBrandIn(
  tx: Tx,
  { by, batch, at, undoOf }: ManageDoing,
  brand: Brand,
  { name, domain }: z.output<typeof BrandEdit>,
): Promise<boolean> {
  const next = { id: brand.id, key: brandKey(name), name, domain }
  if (next.name === brand.name && next.domain === brand.domain) return false
  const other = next.key === brand.key ? null : await findBrandByKey(tx, next.key)
  if (other) throw conflict(`${other.name} is a brand already; merge the two instead`, { field: 'name' })
  await updateBrand(tx, next)
  await rebrandProducts(tx, { from: brand, into: next, saidBy: null, at })
  const [before, after] = [brand, next].map((one) => ({ name: one.name, domain: one.domain }))
  const detail = { brand_id: brand.id, before, after, batch, ...undoing(undoOf) }
  await recordAudit(tx, { actor: by, action: 'brand.edited', at, detail })
  return true
}

const FILE_NAMES = { id: 'id brand_id', name: 'name brand', domain: 'domain website' }
export const BRAND_COLUMNS = Object.keys(FILE_NAMES) as Array<keyof typeof FILE_NAMES>

/** A row with an id changes that brand; one without changes the brand of its name, or makes it. */
export async function importBrandsFile(
  ctx: ManageContext,
  { by, content, ...wish }: { by: AuditActor; content: ByteStream } & SheetWish,
): Promise<SheetOutcome> {
  const sheet = await readSheet(content, {
    names: FILE_NAMES,
    shown: ['Products', 'Since'],
    check: (fields) => (fields.has('name') ? null : 'no column names the brand; call it name'),
  })
  return takeSheet(ctx, sheet, wish, async () => {
    const doing = { by, batch: newId(), at: ctx.clock.now() }
    return {
      nameOf: ({ cells }) => cells.get('name') || null,
      row: (tx, row) => takeBrand(tx, doing, row),
      end: (tx, changed) => recordFile(tx, 'brand.imported', doing, changed),
    }
  })
}

async function takeBrand(tx: Tx, doing: ManageDoing, { cells }: SheetRow): Promise<RowDone> {
  const [id = '', name = '', domain = ''] = BRAND_COLUMNS.map((field) => cells.get(field))
  const known = id === '' ? await findBrandByKey(tx, brandKey(name)) : { id }
  const brand = known && (await locked(tx, known.id))
  const next = parseInput(BrandEdit, {
    // An empty cell says nothing.
    name: name || (brand?.name ?? ''),
    domain: domain === '' ? (brand?.domain ?? null) : isCleared(domain) ? null : domain,
  })
  if (brand) {
    const what = (['name', 'domain'] as const).filter((field) => next[field] !== brand[field])
    return (await editBrandIn(tx, doing, brand, next)) ? { name: next.name, what } : null
  }
  const made = { id: newId(), key: brandKey(next.name), ...next }
  await upsertBrands(tx, [made], null)
  const { batch, by: actor, at } = doing
  const detail = { brand_id: made.id, ...next, batch }
  await recordAudit(tx, { actor, action: 'brand.created', at, detail })
  return { name: next.name, what: ['new'] }
}

/** Files that go on naming the old brand do not take its products back: the brand is the operator's word then. */
export async function mergeBrands(
  ctx: ManageContext,
  { by, id, into }: Ask & { into: string },
): Promise<{ moved: number; name: string }> {
  if (id === into) throw invalid('into', 'a brand cannot be merged into itself')
  return inTransactionOfItsOwn(ctx, async (tx) => {
    const at = ctx.clock.now()
    const brands = await lockBrands(tx, [id, into].filter(isUuid))
    const [from, target] = [brands.get(id), brands.get(into)]
    if (!from) throw noBrand()
    if (!target) throw new AppError('not_found', 'there is no such brand', { field: 'into' })
    const shared = await findSharedParts(tx, from.id, target.id, 3)
    if (shared.length > 0)
      throw conflict(
        `${shared.join(', ')}: ${target.name} has a product with the same part number; merge these products first`,
        { field: 'into' },
      )
    const moved = await rebrandProducts(tx, { from, into: target, saidBy: OPERATOR_SOURCE, at })
    await deleteBrandRow(tx, from.id)
    if (target.domain === null && from.domain !== null)
      await updateBrand(tx, { ...target, domain: from.domain })
    const detail = { brand: from.name, into: target.name, brand_id: target.id, products: moved }
    await recordAudit(tx, { actor: by, action: 'brand.merged', at, detail })
    return { moved, name: target.name }
  })
}

/** Only one without products; hidden ones count. */
export async function deleteBrand(ctx: ManageContext, { by, id }: Ask): Promise<void> {
  await inTransactionOfItsOwn(ctx, async (tx) => {
    const at = ctx.clock.now()
    const brand = await locked(tx, id)
    if ((await countOfBrand(tx, brand.id)) > 0)
      throw conflict(`${brand.name} still has products: merge it into another brand, or edit them`)
    await deleteBrandRow(tx, brand.id)
    await recordAudit(tx, { actor: by, action: 'brand.deleted', at, detail: { brand: brand.name } })
  })
}

async function locked(tx: Tx, id: string): Promise<Brand> {
  const brand = isUuid(id) ? (await lockBrands(tx, [id])).get(id) : undefined
  if (!brand) throw noBrand()
  return brand
}

function noBrand(): AppError {
  return new AppError('not_found', 'there is no such brand')
}
