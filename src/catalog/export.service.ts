/** Writes the catalog in the form the import reads, so that it can be moved, edited and brought back. */
import type { Db } from '../db/database.ts'
import { centsToDollars, dollarsOf } from '../lib/money.ts'
import type { Variant } from './catalog.schema.ts'
import { listCategories, streamProfiles } from './catalog.service.ts'
import type { ProductProfile } from './profile.ts'

export async function* exportProducts(ctx: { db: Db }): AsyncGenerator<string> {
  for await (const profile of streamProfiles(ctx)) {
    const variants = profile.variants.map(toVariantRecord)
    const record = { ...toImportRecord(profile), ...(variants.length > 0 && { variants }) }
    yield `${JSON.stringify(record)}\n`
  }
}

export async function* exportCategories(ctx: { db: Db }): AsyncGenerator<string> {
  for (const { slug, label, description, path } of await listCategories(ctx))
    yield `${JSON.stringify({ slug, label, description, ...(path.length > 0 && { path }) })}\n`
}

export function toImportRecord(profile: ProductProfile): Record<string, unknown> {
  const record: Record<string, unknown> = {
    slug: profile.slug,
    category: profile.category.slug,
    title: profile.title,
    brand: profile.brand?.name ?? null,
    brand_domain: profile.brand?.domain ?? null,
    model: profile.model,
    description: profile.description,
    verdict: profile.verdict,
    specs: Object.fromEntries(profile.specs.map(({ name, value }) => [name, value])),
    themes: profile.themes,
    price: price(profile),
    list_price: dollarsOf(profile.listPriceCents),
    rating: profile.rating,
    review_count: profile.reviewCount,
    images: profile.images,
    where_to_buy: profile.whereToBuy.map(({ name, url, priceCents }) => ({
      name,
      url,
      price: dollarsOf(priceCents),
    })),
    best_for: profile.bestFor,
    not_for: profile.notFor,
    gtin: profile.gtin,
    mpn: profile.mpn,
    sku: profile.sku,
    released: profile.released,
    discontinued: profile.discontinued,
  }
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null))
}

export function toVariantRecord({ id, sku, gtin, options, priceCents, listPriceCents, ...rest }: Variant) {
  const { image, availability } = rest
  return {
    id,
    sku,
    gtin,
    options: Object.fromEntries(options.map(({ name, value }) => [name, value])),
    price: dollarsOf(priceCents),
    list_price: dollarsOf(listPriceCents),
    ...(image !== undefined && { image }),
    ...(availability !== undefined && { availability }),
  }
}

function price({ priceLowCents, priceHighCents }: ProductProfile): { low: number; high: number } | null {
  if (priceLowCents === null || priceHighCents === null) return null
  return { low: centsToDollars(priceLowCents), high: centsToDollars(priceHighCents) }
}
