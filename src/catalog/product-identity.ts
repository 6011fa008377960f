/**
 * Whether a stated product is one that the catalog has; pure. Identifiers decide, then brand, model and title as
 * people read them. A producer's slug is a weak word: it may be a shop's own handle that happens to be somebody else's
 * slug, so it counts only where the category agrees.
 */
import { sha256 } from '../lib/crypto.ts'
import type { Product } from './catalog.schema.ts'
import { plainName } from './import/values.ts'
import type { InputProblem, ProductInput } from './product-input.ts'

export type KnownProduct = Pick<Product, 'id' | 'slug' | 'title' | 'model' | 'gtin' | 'mpn'> & {
  category: string
  brandKey: string | null
}

export type StatedProduct = { input: ProductInput; category: string }

/** Names what is stated, so that the same proposal twice is one. Hashed, because titles are longer than an index takes. */
export function identityKey({ input, category }: StatedProduct): string {
  const { gtin, mpn, model, title } = input.facts
  const brand = input.brand ? brandKey(input.brand) : null
  if (gtin) return `gtin:${gtinKey(gtin)}`
  const parts =
    brand !== null && mpn
      ? ['mpn', brand, mpnKey(mpn)]
      : ['name', brand ?? `in ${category}`, plainName(model ?? ''), plainName(title)]
  return `${parts[0]}:${sha256(JSON.stringify(parts)).toString('hex')}`
}

export type Lookups = ReturnType<typeof lookupsOf>

/** What has to be looked up to tell whether these products are known. */
export function lookupsOf(stated: readonly StatedProduct[]) {
  const inputs = stated.map(({ input }) => input)
  const branded = inputs.flatMap(({ brand, facts }) =>
    brand ? [{ brandKey: brandKey(brand), title: facts.title, mpn: facts.mpn }] : [],
  )
  return {
    slugs: inputs.flatMap(({ slug }) => slug ?? []),
    gtins: inputs.flatMap(({ facts }) => (facts.gtin ? gtinForms(facts.gtin) : [])),
    titles: branded.map(({ brandKey: key, title }) => ({ brandKey: key, title })),
    parts: branded.flatMap(({ brandKey: key, mpn }) => (mpn ? [{ brandKey: key, mpn }] : [])),
    brandlessTitles: inputs.flatMap(({ brand, facts }) => (brand ? [] : facts.title)),
  }
}

export type Match = { product: KnownProduct | null } | { problem: InputProblem }

/** Made once for many rows. */
export function createMatcher(known: readonly KnownProduct[]): (stated: StatedProduct) => Match {
  const bySlug = new Map(known.map((product) => [product.slug, product]))
  const byGtin = new Map(known.flatMap((product) => (product.gtin ? [[gtinKey(product.gtin), product]] : [])))
  const byPart = Map.groupBy(known, ({ brandKey: brand, mpn }) => (brand && mpn ? partKey(brand, mpn) : null))
  const byName = Map.groupBy(known, (product) => nameKey(product.brandKey, product.model, product.title))
  return ({ input, category }) => {
    const { gtin, mpn, model, title } = input.facts
    const brand = input.brand ? brandKey(input.brand) : null
    const gtinOwner = gtin ? byGtin.get(gtinKey(gtin)) : undefined
    const partOwner = brand && mpn ? spelledAs(byPart.get(partKey(brand, mpn)) ?? [], mpn) : undefined
    const namesakes = byName.get(nameKey(brand, model ?? null, title)) ?? []
    const namesake = namesakes.find(
      (product) =>
        (brand !== null || product.category === category) && differingNumber(product, { gtin, mpn }) === null,
    )
    const slugOwner = input.slug === null ? undefined : bySlug.get(input.slug)
    const identified = gtinOwner ?? partOwner
    if (slugOwner && slugOwner.category !== category && slugOwner.id !== identified?.id)
      return {
        problem: {
          field: 'slug',
          problem: `belongs to another product, ${slugOwner.category}/${slugOwner.slug}`,
          fix: `leave the slug out, or give category ${slugOwner.category} if it is the same product`,
        },
      }
    const differing =
      slugOwner && slugOwner.id !== identified?.id && differingNumber(slugOwner, { gtin, mpn })
    if (differing && !identified)
      return {
        problem: {
          field: differing,
          problem: `does not match ${slugOwner.category}/${slugOwner.slug}, the product with this slug`,
          fix: `leave the slug out if it is another product, or correct the ${differing}`,
        },
      }
    const product = slugOwner ?? identified ?? namesake ?? null
    for (const [field, owner] of [
      ['gtin', gtinOwner],
      ['mpn', partOwner],
    ] as const)
      if (owner && owner.id !== product?.id)
        return {
          problem: {
            field,
            problem: `belongs to another product, ${owner.category}/${owner.slug}`,
            fix: `correct the ${field}, or give slug ${owner.slug} if it is the same product`,
          },
        }
    return { product }
  }
}

/** The catalog may hold two part numbers that only marks tell apart. */
function spelledAs(owners: readonly KnownProduct[], mpn: string): KnownProduct | undefined {
  return owners.find((owner) => owner.mpn?.toLowerCase() === mpn.toLowerCase()) ?? owners[0]
}

function partKey(brand: string, mpn: string): string {
  return JSON.stringify([brand, mpnKey(mpn)])
}

function nameKey(brand: string | null, model: string | null, title: string): string {
  return JSON.stringify([brand, plainName(model ?? ''), plainName(title)])
}

/**
 * When two numbers mean the same product; pure. The number below the barcode is one number, written with more or fewer
 * zeros in front (GS1 General Specifications 3.3: a GTIN-12 is the GTIN-13 with a zero before it). A maker's own number
 * is written by shops in other letters, and with or without its hyphens. One rule for claims, proposals and imports.
 */
export type ProductNumbers = { gtin: string | null; mpn: string | null }

const GTIN_LENGTHS = [8, 12, 13, 14]
const LONGEST_GTIN = 14

/** The same for all ways to write one GTIN. */
export function gtinKey(gtin: string): string {
  return gtin.padStart(LONGEST_GTIN, '0')
}

/** All ways to write it, for looking it up where it is kept as it was stated. */
export function gtinForms(gtin: string): string[] {
  const digits = gtin.replace(/^0+/, '')
  return GTIN_LENGTHS.filter((length) => length >= digits.length).map((length) =>
    digits.padStart(length, '0'),
  )
}

/** The same for all ways to write one part number of one brand. */
export function mpnKey(mpn: string): string {
  const folded = mpn.normalize('NFKC').toLowerCase()
  // A number of marks alone has nothing else to be told by.
  return folded.replace(/[\s\-_./]/g, '') || folded
}

export function isSameGtin(a: string | null | undefined, b: string | null | undefined): boolean {
  return bothSame(a, b, gtinKey)
}

export function isSameMpn(a: string | null | undefined, b: string | null | undefined): boolean {
  return bothSame(a, b, mpnKey)
}

/** The first number that both have and that is not the same: variants of one model share a title, not their numbers. */
export function differingNumber(
  known: ProductNumbers,
  stated: { [Name in keyof ProductNumbers]?: string | null | undefined },
): keyof ProductNumbers | null {
  if (known.gtin && stated.gtin && !isSameGtin(known.gtin, stated.gtin)) return 'gtin'
  if (known.mpn && stated.mpn && !isSameMpn(known.mpn, stated.mpn)) return 'mpn'
  return null
}

/** False where one is not known. */
function bothSame(
  a: string | null | undefined,
  b: string | null | undefined,
  key: (text: string) => string,
): boolean {
  return a != null && b != null && key(a) === key(b)
}

export function brandKey(name: string): string {
  return name.trim().toLowerCase()
}
