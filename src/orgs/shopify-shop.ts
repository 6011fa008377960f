/** Reads a Shopify shop the ways people write it, and keeps one: `acme.myshopify.com`. */
const SHOP = /^[a-z0-9][a-z0-9-]*\.myshopify\.com$/
const SUFFIX = '.myshopify.com'
/** A DNS label. */
const MAX_NAME = 63

/** Null when it is none. */
export function parseShopifyShop(given: string): string | null {
  const host = given
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/[/?#].*$/s, '')
  const shop = host.includes('.') ? host : `${host}${SUFFIX}`
  return SHOP.test(shop) && shop.length <= MAX_NAME + SUFFIX.length ? shop : null
}
