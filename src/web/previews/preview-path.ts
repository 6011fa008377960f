/**
 * The addresses of link previews. Pages name theirs in their head. Every product and category address has a preview
 * address, so no look-up is needed to write it.
 */
export const PREVIEW_SIZE = { width: 1200, height: 630 } as const

/** For pages without a picture of their own. */
export const SOUK_PREVIEW = '/previews/souk.png'
export const SOUK_PREVIEW_ALT = 'Souk: a product catalog for people and their agents'

export function productPreviewPath(product: { slug: string; category: { slug: string } }): string {
  return `/previews/p/${product.category.slug}/${product.slug}.png`
}

export function categoryPreviewPath(category: { slug: string }): string {
  return `/previews/c/${category.slug}.png`
}
