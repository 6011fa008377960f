/**
 * Brings stated products into the catalog: finds what each row means, merges it over what is known, and writes what
 * really changed together with its record in `changes`, all in one transaction. Rows that say nothing new write nothing,
 * so an import can be repeated.
 *
 * What a source calls a product decides first, and always within that source. A slug that is stated, a gtin, or brand and
 * part number join a row to a product of another source, but never two products of one source to one: then the row keeps
 * to itself and gives up the number. A title alone joins nothing. A variant's numbers join too: its gtin as a product's
 * does, its sku within one source, where the title is the same besides.
 */

import { isDeepStrictEqual } from 'node:util'
import type { Db } from '../db/database.ts'
import { createBreather } from '../lib/breathe.ts'
import { sha256 } from '../lib/crypto.ts'
import { idsOf, newId } from '../lib/ids.ts'
import { slugify } from '../lib/text.ts'
import { keepAddresses } from './addresses.queries.ts'
import {
  type Category,
  EMPTY_FACTS,
  FIELD_NAMES,
  OPERATOR_SOURCE,
  type Product,
  type ProductFacts,
  type Variant,
} from './catalog.schema.ts'
import { plainName } from './import/values.ts'
import {
  findKeys,
  findWrittenBy,
  insertKeys,
  keepBefore,
  keepCreated,
  ownersWithKeys,
  type ProductKey,
} from './imports.queries.ts'
import { diffProducts, priceView } from './product-diff.ts'
import { brandKey, gtinForms, gtinKey } from './product-identity.ts'
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
import { namedForAll, originalSpan, sameVariant, withVariants } from './variants.ts'

/** `keys` is what the source calls the product, the strongest first; none for a row that its slug names. */
type UpsertRow = { line: number; input: ProductInput; keys: string[] }
/** `further`: the same import wrote this product before. `deleted`: the operator deleted it, and it stays out. */
export type Outcome = 'created' | 'updated' | 'unchanged' | 'further' | 'deleted'
export type UpsertResult =
  | {
      line: number
      slug: string
      outcome: Outcome
      /** What joined it to a product of another source. */
      joinedBy: 'slug' | 'gtin' | 'mpn' | null
      /** Its id is that of a product, and its title has no word of that product's. */
      isStrange: boolean | null
      notes: InputProblem[]
    }
  | { line: number; problem: InputProblem }

type UpsertOptions = {
  categoryOf(input: ProductInput, keys: string[]): Category | { problem: InputProblem }
  /** Who says so; kept with each field. */
  source: string
  now: Date
  /** The import that can be taken back as a whole; null for a product that somebody made. */
  importId: string | null
  /** Takes what the rows say even where somebody edited it by hand, or an operator approved it. */
  overwritesEdits?: boolean
}

export async function upsertProducts(
  tx: Db,
  rows: UpsertRow[],
  options: UpsertOptions,
): Promise<UpsertResult[]> {
  const { source, importId } = options
  const brands = await resolveBrands(tx, rows, importId)
  const children = Map.groupBy(rows, ({ input }) => input.group)
  const breathe = createBreather()
  const planned: Array<PlannedRow | Unplanned> = []
  for (const row of rows) {
    // The row of a product comes before those of its variants, and is known by their numbers.
    const below = row.keys.flatMap((key) => children.get(key) ?? [])
    const numbers = [row, ...below].flatMap(({ input }) => numbersIn(input))
    planned.push(plan(row, brands, numbers, options))
    await breathe()
  }
  const able = planned.flatMap((row) => ('problem' in row ? [] : [row]))
  const keys = await findKeys(
    tx,
    source,
    able.flatMap((row) => [...row.keys, ...skuKeys(row.numbers)]),
  )
  const gtins = await findKeys(
    tx,
    ANY_SOURCE,
    able.flatMap((row) => gtinKeys(row.numbers)),
  )
  const ids = [...keys.values(), ...gtins.values()]
  const stored = await lockProducts(tx, { ...identifiersOf(able), ids })
  const owners = await ownersWithKeys(tx, source, idsOf(stored))
  const known = createKnownProducts(stored, { keys, gtins }, owners, source)
  const ours = new Set(importId ? await findWrittenBy(tx, importId, idsOf(stored)) : [])
  const upsert = (row: PlannedRow | Unplanned): UpsertResult => {
    if ('problem' in row) return row
    const { product: existing, joinedBy, input, notes } = known.match(row)
    const { product: next, kept } = merge(existing, { ...row, input }, known.freeSlug(row), options)
    const differences = existing ? diffProducts(existing, next) : null
    // A row that became a variant has no key for the product as a whole.
    known.name(input.group === row.input.group ? row.keys : [], next.id)
    if (input.group !== null || input.facts.variants) known.number(input, next.id)
    const isKnown = existing && hasId(row.keys) && !joinedBy && !isSettled(existing, 'title')
    const isStrange = isKnown ? !sharesWord(existing.title, input.facts.title) : null
    const said = [...notes, ...kept]
    const told = { line: row.line, slug: next.slug, joinedBy, isStrange, notes: said }
    const isFurther = ours.has(next.id)
    if (differences?.length === 0) return { ...told, outcome: isFurther ? 'further' : 'unchanged' }
    known.put(next)
    if (importId) ours.add(next.id)
    return { ...told, outcome: isFurther ? 'further' : existing ? 'updated' : 'created' }
  }
  const results: UpsertResult[] = []
  for (const row of planned) {
    results.push(upsert(row))
    await breathe()
  }
  const before = new Map(stored.map((product) => [product.id, product]))
  await writeAll(tx, known.written(), before, options)
  await insertKeys(tx, { source, importId, keys: known.newKeys() })
  await insertKeys(tx, { source: ANY_SOURCE, importId, keys: known.newGtins() })
  return results
}

function sharesWord(a: string, b: string): boolean {
  const words = new Set(wordsOf(a))
  return words.size === 0 || wordsOf(b).some((word) => words.has(word))
}

function wordsOf(title: string): string[] {
  return title
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 2)
}

type PlannedRow = UpsertRow & {
  category: Category
  brandId: string | null | undefined
  slugs: string[]
  /** Of the variants that it speaks of. */
  numbers: Numbers[]
}
type Unplanned = { line: number; problem: InputProblem }

function plan(
  { line, input: stated, keys }: UpsertRow,
  brands: Map<string, Brand>,
  numbers: Numbers[],
  { categoryOf, source }: UpsertOptions,
): PlannedRow | Unplanned {
  const input = stated.group === null ? stated : namedForAll(stated)
  const category = categoryOf(input, keys)
  if ('problem' in category) return { line, problem: category.problem }
  const brandId =
    input.brand === undefined
      ? undefined
      : input.brand === null
        ? null
        : (brands.get(brandKey(input.brand))?.id ?? null)
  return { line, input, keys, category, brandId, slugs: slugsFor(input, source, keys), numbers }
}

const MAX_SLUG = 80
const SHORT_ID = 20

/** The slug that it asks for or that its title makes, and one that nobody else has. */
function slugsFor(input: ProductInput, source: string, keys: string[]): string[] {
  const wished = input.slug ?? slugify(titleForSlug(input))
  const [key] = keys
  if (key === undefined) return [wished || `product-${newId()}`]
  const id = slugify(key.replace(/^\w+:/, ''))
  const isOwn = !key.startsWith('name:') && id !== '' && id.length <= SHORT_ID
  const end = isOwn
    ? id
    : sha256(JSON.stringify([source, key]))
        .toString('hex')
        .slice(0, 8)
  const told = (start: string) => `${start.slice(0, MAX_SLUG - end.length - 1).replace(/-+$/, '')}-${end}`
  const last = sha256(JSON.stringify([source, key, 'last']))
    .toString('hex')
    .slice(0, 16)
  return wished === ''
    ? [told('product'), `product-${last}`]
    : [wished, told(wished), `${wished.slice(0, 60).replace(/-+$/, '')}-${last}`]
}

function titleForSlug({ brand, facts }: ProductInput): string {
  return brand && !facts.title.toLowerCase().includes(brand.toLowerCase())
    ? `${brand} ${facts.title}`
    : facts.title
}

async function resolveBrands(
  tx: Db,
  rows: UpsertRow[],
  importId: string | null,
): Promise<Map<string, Brand>> {
  const wanted = new Map<string, Brand>()
  for (const { input } of rows) {
    if (!input.brand) continue
    const key = brandKey(input.brand)
    const domain = wanted.get(key)?.domain ?? input.brandDomain
    wanted.set(key, { id: wanted.get(key)?.id ?? newId(), key, name: input.brand, domain })
  }
  const stored = await upsertBrands(tx, [...wanted.values()], importId)
  return new Map(stored.map((brand) => [brand.key, brand]))
}

function identifiersOf(rows: PlannedRow[]) {
  const parts = rows.flatMap(({ brandId, input }) =>
    brandId && input.facts.mpn ? [{ brandId, mpn: input.facts.mpn.toLowerCase() }] : [],
  )
  return {
    slugs: rows.flatMap((row) => row.slugs),
    gtins: rows.flatMap(({ input }) => (input.facts.gtin ? gtinForms(input.facts.gtin) : [])),
    brandIds: parts.map((part) => part.brandId),
    mpns: parts.map((part) => part.mpn),
  }
}

/** Whose keys are the barcodes of variants: they mean the same in every file. No source has an empty name. */
const ANY_SOURCE = ''

type Numbers = Pick<Variant, 'id' | 'sku' | 'gtin'>

/** The variants that a row speaks of; a row of its own may be one of a product that another file has in full. */
function numbersIn({ id, group, facts }: ProductInput): Numbers[] {
  if (facts.variants !== undefined) return facts.variants
  const { sku = null, gtin = null } = facts
  return [{ id: id ?? sku ?? group ?? '', sku, gtin }]
}

function skuKeys(numbers: Numbers[]): string[] {
  return numbers.flatMap(({ sku }) => (sku === null ? [] : [`variant:${sku}`.slice(0, MAX_SKU_KEY)]))
}

function gtinKeys(numbers: Numbers[]): string[] {
  return numbers.flatMap(({ gtin }) => (gtin === null ? [] : [`gtin:${gtinKey(gtin)}`]))
}

const MAX_SKU_KEY = 200

/** "Rain jacket - Red / M" is called as the rain jacket of which that is a variant. */
function isCalled(product: Product, input: ProductInput, { options }: Variant): boolean {
  const { title } = namedForAll({ ...input, options }).facts
  return plainName(title) === plainName(product.title)
}

type Found = {
  product: Product | null
  joinedBy: 'slug' | 'gtin' | 'mpn' | null
  /** Without the numbers that belong to another product. */
  input: ProductInput
  notes: InputProblem[]
}

/** The products a batch touches, as they will be after the rows so far: a later row sees what an earlier one did. */
function createKnownProducts(
  existing: Product[],
  stored: { keys: ReadonlyMap<string, string>; gtins: ReadonlyMap<string, string> },
  owners: { ofSource: Set<string>; ofAny: Set<string> },
  source: string,
) {
  const byId = new Map<string, Product>()
  const bySlug = new Map<string, Product>()
  const byGtin = new Map<string, Product>()
  const byPart = new Map<string, Product>()
  const byKey = new Map(stored.keys)
  const byBarcode = new Map(stored.gtins)
  const written = new Map<string, Product>()
  const newKeys: ProductKey[] = []
  const newGtins: ProductKey[] = []
  const partKey = (brandId: string, mpn: string) => `${brandId} ${mpn.toLowerCase()}`
  const index = (product: Product) => {
    byId.set(product.id, product)
    bySlug.set(product.slug, product)
    if (product.gtin) byGtin.set(gtinKey(product.gtin), product)
    if (product.brandId && product.mpn) byPart.set(partKey(product.brandId, product.mpn), product)
  }
  for (const product of existing) index(product)

  /** Before keys were kept, a product was known by the slug that its title made. */
  const isOurs = (product: Product | undefined) =>
    product !== undefined && !owners.ofAny.has(product.id) && product.provenance.title?.source === source

  const isOthers = (product: Product | undefined) =>
    product !== undefined && product.provenance.title?.source !== source

  /** The product that has the variant a row speaks of, and that variant. */
  function ownerOfVariant({ input, numbers }: PlannedRow, isFree: (owner: Product) => unknown) {
    const owners = (keys: string[], found: ReadonlyMap<string, string>) =>
      keys.flatMap((key) => byId.get(found.get(key) ?? '') ?? [])
    const coded = owners(gtinKeys(numbers), byBarcode)
    const others = owners(skuKeys(numbers), byKey)
    for (const product of [...coded, ...others]) {
      const variant = numbers.flatMap((one) => sameVariant(product.variants, one) ?? [])[0]
      if (!variant) continue
      const isByCode = coded.includes(product) && isFree(product)
      if (isByCode || isCalled(product, input, variant))
        return { product, variant, joinedBy: isByCode ? ('gtin' as const) : null }
    }
    return null
  }

  return {
    match(row: PlannedRow): Found {
      const { input, brandId, keys, slugs } = row
      const { gtin, mpn } = input.facts
      const gtinOwner = gtin ? byGtin.get(gtinKey(gtin)) : undefined
      const partOwner = brandId && mpn ? byPart.get(partKey(brandId, mpn)) : undefined
      const slugOwner = slugs[0] === undefined ? undefined : bySlug.get(slugs[0])
      const keyed = keys.flatMap((key) => byKey.get(key) ?? []).flatMap((id) => byId.get(id) ?? [])[0]
      const isFree = (owner: Product | undefined) =>
        owner !== undefined && !(hasId(keys) && owners.ofSource.has(owner.id)) ? owner : undefined
      const stated = keys.length === 0 && input.slug !== null ? slugOwner : undefined
      const named = keyed ?? stated ?? (isOurs(slugOwner) ? slugOwner : undefined)
      const mayJoin = input.slug === null || keys.length > 0
      const joined = mayJoin ? (isFree(gtinOwner) ?? isFree(partOwner)) : undefined
      const variant = named || joined || !mayJoin ? null : ownerOfVariant(row, isFree)
      const product = named ?? joined ?? variant?.product ?? null
      const notes: InputProblem[] = []
      const facts = { ...input.facts }
      for (const [field, owner] of [
        ['gtin', gtinOwner],
        ['mpn', partOwner],
      ] as const) {
        if (!owner || owner.id === product?.id) continue
        delete facts[field]
        notes.push({
          field,
          problem: 'was left out: it belongs to another product',
          fix: `correct the ${field}, or merge the two products if they are the same`,
          value: `${input.facts[field]}, of ${owner.slug}`,
        })
      }
      const joinedBy =
        named || !joined ? (isOthers(stated) ? 'slug' : null) : joined === isFree(gtinOwner) ? 'gtin' : 'mpn'
      const meant = { ...input, facts }
      if (!variant) return { product, joinedBy, input: meant, notes }
      const { id, options } = variant.variant
      const isRowOfItsOwn = input.group === null && facts.variants === undefined && row.numbers.length === 1
      const own = isRowOfItsOwn ? { ...meant, id, options, group: `id:${variant.product.id}` } : meant
      return { product, joinedBy: variant.joinedBy, input: own, notes }
    },
    freeSlug({ slugs, keys }: PlannedRow): string {
      // A row that its slug names has the one.
      return (keys.length === 0 ? slugs[0] : slugs.find((slug) => !bySlug.has(slug))) ?? `product-${newId()}`
    },
    put(product: Product) {
      index(product)
      written.set(product.id, product)
    },
    name(keys: string[], productId: string) {
      keep(keys, productId, byKey, newKeys)
      if (keys.length > 0) owners.ofAny.add(productId)
      if (hasId(keys)) owners.ofSource.add(productId)
    },
    /** By these numbers its variants are found. */
    number(input: ProductInput, productId: string) {
      keep(skuKeys(numbersIn(input)), productId, byKey, newKeys)
      keep(gtinKeys(numbersIn(input)), productId, byBarcode, newGtins)
    },
    written: () => [...written.values()],
    newKeys: () => newKeys,
    newGtins: () => newGtins,
  }
}

function keep(keys: string[], productId: string, known: Map<string, string>, fresh: ProductKey[]): void {
  for (const key of keys) {
    if (known.has(key)) continue
    known.set(key, productId)
    fresh.push({ key, productId })
  }
}

/** A name is no id: it may change, and two rows of one product may differ in it. */
function hasId(keys: string[]): boolean {
  return keys.some((key) => !key.startsWith('name:'))
}

type Merged = {
  product: Product
  /** The fields that are settled, and of which the row says something else. */
  kept: InputProblem[]
}

function merge(
  existing: Product | null,
  row: PlannedRow,
  slug: string,
  { source, now, overwritesEdits = false }: UpsertOptions,
): Merged {
  const base: Product = existing ?? {
    ...EMPTY_FACTS,
    id: newId(),
    slug,
    categoryId: row.category.id,
    brandId: null,
    verificationStatus: 'base',
    provenance: {},
    createdAt: now,
    updatedAt: now,
  }
  const isFree = (field: string) => overwritesEdits || source === OPERATOR_SOURCE || !isSettled(base, field)
  const kept = new Set<string>()
  const { facts, isLead } = withVariants(base, row.input)
  const stated: Partial<Product> = {
    ...facts,
    ...(isLead && { categoryId: row.category.id }),
    ...(isLead && row.brandId !== undefined && { brandId: row.brandId }),
  }
  for (const name of Object.keys(stated) as Array<keyof typeof NAMES>) {
    if (isFree(NAMES[name])) continue
    if (!isDeepStrictEqual(stated[name], base[name])) kept.add(NAMES[name])
    delete stated[name]
  }
  const provenance = { ...base.provenance }
  for (const field of isLead ? statedFields(row) : ['price', 'variants']) {
    if (!isFree(field)) continue
    const { original, group } = row.input
    if (field !== 'price' || original === null) provenance[field] = { source, verifiedAt: null }
    else {
      const before = base.provenance.price?.original
      const span = group === null ? original : originalSpan(original, before, { ...base, ...stated })
      provenance[field] = { source, verifiedAt: null, original: span }
    }
  }
  // A place that nobody chose by hand needs no source.
  if (isFree('category')) delete provenance.category
  return {
    product: { ...base, ...stated, provenance, updatedAt: now },
    kept: [...kept].map((field) => keptNote(field, base)),
  }
}

/** These change from day to day, so the newest file is right about them. */
const PASSING = new Set(['price', 'list_price', 'where_to_buy', 'discontinued', 'rating', 'review_count'])

/** Settled is what somebody edited by hand, and what an operator approved of an organization's details. */
function isSettled({ provenance }: Product, field: string): boolean {
  const said = provenance[field]
  if (!said) return false
  return said.source === OPERATOR_SOURCE || (said.verifiedAt !== null && !PASSING.has(field))
}

const NAMES = { ...FIELD_NAMES, categoryId: 'category', brandId: 'brand' }

function keptNote(field: string, { provenance }: Product): InputProblem {
  const isApproved = (provenance[field]?.verifiedAt ?? null) !== null
  return isApproved ? settledNote(field, 'comes from approved details') : editedNote(field)
}

export function editedNote(field: string): InputProblem {
  return settledNote(field, 'was edited by hand')
}

function settledNote(field: string, origin: string): InputProblem {
  const problem = `${origin} and was kept, although the file has another value`
  return { field, problem, fix: "import with --overwrite-edits to use the file's value" }
}

/** The fields a row speaks of, by the names the outside knows them by. */
function statedFields({ input, brandId }: PlannedRow): string[] {
  const names = Object.keys(input.facts).map((field) => FIELD_NAMES[field as keyof ProductFacts])
  return [...new Set(brandId === undefined ? names : [...names, 'brand'])]
}

async function writeAll(
  tx: Db,
  products: Product[],
  before: Map<string, Product>,
  { now, importId }: UpsertOptions,
): Promise<void> {
  const created = products.filter((product) => !before.has(product.id))
  const updated = products.filter((product) => before.has(product.id))
  if (importId) await keepBefore(tx, importId, idsOf(updated))
  const moved = updated.filter(({ id, slug, categoryId }) => {
    const old = before.get(id)
    return old?.slug !== slug || old.categoryId !== categoryId
  })
  await keepAddresses(tx, idsOf(moved), now)
  await insertProducts(tx, created)
  await updateProducts(tx, updated)
  if (importId) await keepCreated(tx, importId, idsOf(created))
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
