/**
 * The shop's own decision: what does this order cost, or can we not fulfil it? Knows nothing of HTTP, so it is easy
 * to test and to swap for a look into a real shop system.
 */
import { readFileSync } from 'node:fs'

/**
 * @typedef {{ listPriceUsd?: number, priceUsd: number, volumePrices: { from: number, priceUsd: number }[], stock: number, weightLb: number }} Product
 * @typedef {{ country: string, freeFromUsd: number, baseUsd: number, perLbUsd: number, days: number, farDays: number, farStates: string[] }} Shipping
 * @typedef {{ products: Record<string, Product>, shipping: Shipping }} PriceList
 */

/** @returns {PriceList} */
export function readPriceList() {
  return JSON.parse(readFileSync(new URL('price-list.json', import.meta.url), 'utf8'))
}

/**
 * @param {PriceList} priceList
 * @param {import('souk-producer-kit').Rfq} rfq
 * @param {Date} today
 * @returns null when this shop cannot fulfil the order
 */
export function priceOrder({ products, shipping }, rfq, today) {
  const product = Object.hasOwn(products, rfq.productSlug) ? products[rfq.productSlug] : undefined
  const [state = '', country = shipping.country] = (rfq.deliveryRegion ?? '').split('-')
  if (!product || country !== shipping.country) return null

  const days = shipping.farStates.includes(state) ? shipping.farDays : shipping.days
  if (rfq.deadline && addBusinessDays(today, days) > rfq.deadline) return null

  const tiers = product.volumePrices.filter(({ from }) => rfq.quantity >= from)
  const priceUsd = Math.min(product.priceUsd, ...tiers.map((tier) => tier.priceUsd))
  const isFree = priceUsd * rfq.quantity >= shipping.freeFromUsd
  return {
    priceUsd,
    listPriceUsd: product.listPriceUsd,
    inStock: product.stock >= rfq.quantity,
    shippingCostUsd: isFree ? 0 : shipping.baseUsd + shipping.perLbUsd * product.weightLb * rfq.quantity,
    estimatedShippingDays: days,
  }
}

/**
 * @param {Date} from
 * @param {number} days
 */
function addBusinessDays(from, days) {
  const date = new Date(from)
  for (let left = days; left > 0; ) {
    date.setUTCDate(date.getUTCDate() + 1)
    if (date.getUTCDay() % 6 !== 0) left -= 1
  }
  return date
}
