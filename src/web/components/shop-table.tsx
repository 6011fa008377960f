/**
 * Where to buy, cheapest first. The host is shown beside the name, because the name is the shop's own word and the
 * host is where the link really leads. An address that is not http or https is not a link.
 */
import type { Shop } from '../../catalog/catalog.schema.ts'
import { formatUsd } from '../../lib/money.ts'
import { webUrl } from '../safe.ts'

export function ShopTable({ shops }: { shops: Shop[] }) {
  const sorted = shops.toSorted((a, b) => asked(a) - asked(b))
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
        {sorted.map((shop) => (
          <tr>
            <td>
              <ShopName {...shop} />
            </td>
            <td>
              {shop.priceCents === null ? 'See shop' : formatUsd(shop.priceCents)}
              {shop.priceCents !== null && shop.priceCents === lowest && <span class="lowest">Lowest</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function ShopName({ name, url }: Shop) {
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

function asked({ priceCents }: Shop): number {
  return priceCents ?? Number.MAX_SAFE_INTEGER
}

/** "Lowest" says something only when another shop asks more. */
function lowestOfSeveral(shops: Shop[]): number | null {
  const prices = shops.flatMap(({ priceCents }) => (priceCents === null ? [] : [priceCents]))
  const lowest = Math.min(...prices)
  return prices.some((price) => price > lowest) ? lowest : null
}
