/** What a product costs now, what it cost before, and how its price went. */
import type { Child } from 'hono/jsx'
import type { PriceHistory } from '../../catalog/price-history.ts'
import { priceNow } from '../../catalog/profile.buying.ts'
import { type ProductProfile, priceRange } from '../../catalog/profile.ts'
import { formatUsd } from '../../lib/money.ts'
import { countOf } from '../format.ts'
import { Day } from './moment.tsx'

type Priced = Pick<ProductProfile, 'priceLowCents' | 'priceHighCents' | 'listPriceCents' | 'offers'>

/** A live offer below the listed price is the price; the listed one is struck through. */
export function PriceTag(prices: Priced) {
  const now = priceNow(prices)
  if (now === null) return <span class="price">See sellers</span>
  const { cents, wasCents, offer } = now
  return (
    <span class="price">
      {offer ? formatUsd(cents) : priceRange(prices)}
      {wasCents !== null && <Was>{formatUsd(wasCents)}</Was>}
    </span>
  )
}

/** Whose price it is: an offer's and until when, or the shops'. */
export function PriceNote({ prices }: { prices: Priced }) {
  const now = priceNow(prices)
  if (now === null) return null
  const { offer } = now
  if (offer === null) return <span class="soft">listed by shops</span>
  return (
    <span class="soft">
      offer
      {offer.expiresAt !== null && (
        <>
          {' until '}
          <Day at={offer.expiresAt} />
        </>
      )}
      {offer.promoCode !== null && (
        <>
          {' with code '}
          <code>{offer.promoCode}</code>
        </>
      )}
    </span>
  )
}

const PLOT = { width: 300, height: 60 } as const

/** The price by day as a stepped line, with the lowest one in words. Nothing while it has never changed, or for less than two days. */
export function PriceChart({ since, until, steps, lowest, days }: PriceHistory) {
  if (steps.length < 2 || days < 2) return null
  const prices = steps.map(({ cents }) => cents)
  const [least, most] = [Math.min(...prices), Math.max(...prices)]
  const span = Math.max(1, until.getTime() - since.getTime())
  const x = (at: Date) => Math.round(((at.getTime() - since.getTime()) / span) * PLOT.width)
  const y = (cents: number) => Math.round(4 + ((most - cents) / (most - least)) * (PLOT.height - 8))
  const line = steps.map(({ at, cents }, index) => (index === 0 ? `M0 ${y(cents)}` : `H${x(at)}V${y(cents)}`))
  const isLowestNow = steps.at(-1)?.cents === lowest.cents
  const words = `Lowest in ${countOf(days, 'day')}: ${formatUsd(lowest.cents)}`
  return (
    <figure class="price-chart">
      <svg
        viewBox={`0 0 ${PLOT.width} ${PLOT.height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Price over ${countOf(days, 'day')}, from ${formatUsd(least)} to ${formatUsd(most)}`}
      >
        <path d={`${line.join('')}H${PLOT.width}`} />
      </svg>
      <figcaption class="soft">
        {isLowestNow ? (
          `${words}, now`
        ) : (
          <>
            {words}, from <Day at={lowest.at} />
          </>
        )}
        . Highest: {formatUsd(most)}.
      </figcaption>
    </figure>
  )
}

/** What a price is lower than. */
export function Was({ children }: { children?: Child }) {
  return (
    <s>
      <span class="hidden">instead of </span>
      {children}
    </s>
  )
}
