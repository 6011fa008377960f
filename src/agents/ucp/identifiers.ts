/**
 * What a product may be asked for by: its id (`category/slug`), its handle (the slug alone), the address of its page in
 * any form, and the ids of its variants. All of them stand in the product that is answered.
 */
import { type ProductSlug, ProductSlugInput } from '../../catalog/relationships.schema.ts'

export type Identifier = {
  product: ProductSlug
  /** The end of a variant's id; null when the product itself is named. */
  variant: string | null
}

const VARIANT = /^(.+):(listed|offer-[0-9a-f-]{36})$/
const PAGE = /^\/p\/([a-z0-9-]+\/[a-z0-9-]+?)(?:\.(?:md|json))?\/?$/

/** Null for what can be none of them. */
export function readIdentifier(text: string, baseUrl: string): Identifier | null {
  const given = text.trim()
  const [, named = given, variant = null] = VARIANT.exec(given) ?? []
  const slug = variant === null ? (slugOfPage(named, baseUrl) ?? named) : named
  const parsed = ProductSlugInput.safeParse(slug)
  return parsed.success ? { product: parsed.data, variant } : null
}

function slugOfPage(text: string, baseUrl: string): string | null {
  const url = URL.parse(text)
  const home = new URL(baseUrl)
  const root = home.pathname.replace(/\/$/, '')
  if (url?.origin !== home.origin || !url.pathname.startsWith(`${root}/`)) return null
  return PAGE.exec(url.pathname.slice(root.length))?.[1] ?? null
}
