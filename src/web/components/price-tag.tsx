/** What a product costs, or where to find out. */
import { priceRange } from '../../catalog/profile.ts'

type PriceTagProps = { priceLowCents: number | null; priceHighCents: number | null }

export function PriceTag(prices: PriceTagProps) {
  return <span class="price">{priceRange(prices) ?? 'See sellers'}</span>
}
