/**
 * Where the picture for links to a page is. Pages name it in their head; the routes beside this file answer it. Every
 * address of a product or a category has one, without asking whether there is anything to show.
 */
export const PREVIEW_SIZE = { width: 1200, height: 630 } as const

/** For every page that is about no one thing. */
export const SOUK_PREVIEW = '/previews/souk.png'
export const SOUK_PREVIEW_ALT = 'Souk: a product catalog for people and their agents'

export function productPreviewPath(product: { slug: string; category: { slug: string } }): string {
  return `/previews/p/${product.category.slug}/${product.slug}.png`
}

export function categoryPreviewPath(category: { slug: string }): string {
  return `/previews/c/${category.slug}.png`
}
