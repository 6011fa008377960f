/** Shops and their prices, cheapest first. */
import type { Shop } from '../../catalog/catalog.schema.ts'
import { formatUsd } from '../../lib/money.ts'
import { webUrl } from '../safe.ts'

export function ShopTable({ shops }: { shops: Shop[] }) {
  const lowest = lowestOfSeveral(shops)
  return (
    <table class="shops">
      <caption class="hidden">Shops and their prices</caption>
      <thead>
        <tr>
          <th scope="col">Shop</th>
          <th scope="col">Price</th>
        </tr>
      </thead>
      <tbody>
        {cheapestFirst(shops).map((shop) => (
          <tr>
            <td>
              <ShopName {...shop} />
            </td>
            <td>
              <span data-usd>{shop.priceCents === null ? 'See shop' : formatUsd(shop.priceCents)}</span>
              {shop.priceCents !== null && shop.priceCents === lowest && <span class="lowest">Lowest</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The shop's name, which it chose itself, and the host that its link really leads to. */
export function ShopName({ name, url }: Pick<Shop, 'name' | 'url'>) {
  const href = webUrl(url)
  if (href === null) return <>{name}</>
  return (
    <>
      <a href={href} rel="nofollow noopener">
        {name}
      </a>
      <span class="host">{new URL(href).host}</span>
    </>
  )
}

/** Shops without a price come last. */
export function cheapestFirst(shops: Shop[]): Shop[] {
  const asked = ({ priceCents }: Shop) => priceCents ?? Number.MAX_SAFE_INTEGER
  return shops.toSorted((a, b) => asked(a) - asked(b))
}

/** The lowest price, if another shop charges more. */
function lowestOfSeveral(shops: Shop[]): number | null {
  const prices = shops.flatMap(({ priceCents }) => (priceCents === null ? [] : [priceCents]))
  const lowest = Math.min(...prices)
  return prices.some((price) => price > lowest) ? lowest : null
}
