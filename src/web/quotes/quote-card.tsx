/**
 * A quote as a buyer compares it: who, for how much in all, how soon, until when. Figures are the seller's answer as it was
 * checked, and what the seller left out is said to be missing. Terms are the seller's own words and marked as such.
 */

import type { Child } from 'hono/jsx'
import { usd } from '../../lib/words.ts'
import { shownName, standingOf } from '../../orgs/shown-org.ts'
import type { ArrivedQuote } from '../../rfq/follow.ts'
import type { Quote } from '../../rfq/quote.schema.ts'
import { Fact } from '../components/fact.tsx'
import { Moment } from '../components/moment.tsx'
import { countOf, formatCount } from '../format.ts'
import { webUrl } from '../safe.ts'

export const VERIFY_PATH = '/verify-quote'

/** Before it has a place: nothing to choose yet, so nothing to press. */
export function ArrivedCard({ quote, quantity }: { quote: ArrivedQuote; quantity: number }) {
  return (
    <li class="quote">
      <h3>{shownName(quote.org.name)}</h3>
      <Standing quote={quote} />
      <Price quote={quote} quantity={quantity} />
      <Terms quote={quote} quantity={quantity} />
    </li>
  )
}

export function RankedCard({ quote, quantity, now }: { quote: Quote; quantity: number; now: Date }) {
  const ended = new Date(quote.offer_expires_at) <= now
  const best = quote.rank === 1 && quote.in_stock
  return (
    <li class={best ? 'quote best' : 'quote'}>
      <h3>
        <span class="soft">{quote.rank}.</span> {shownName(quote.org.name)}
      </h3>
      {best && <p class="badge sale">Best quote</p>}
      {ended && <p class="badge">Offer ended</p>}
      <Standing quote={quote} />
      <Price quote={quote} quantity={quantity} />
      {quote.rank_reasons.length > 0 && (
        <ul class="reasons" aria-label="Why it has this place">
          {quote.rank_reasons.map((reason) => (
            <li>{reason.charAt(0).toUpperCase() + reason.slice(1)}</li>
          ))}
        </ul>
      )}
      <Terms quote={quote} quantity={quantity}>
        <Fact name={ended ? 'Price held until' : 'Price holds until'}>
          <Moment at={new Date(quote.offer_expires_at)} />
        </Fact>
      </Terms>
      {quote.terms !== undefined && (
        <figure class="words">
          <figcaption>In the seller’s words</figcaption>
          <blockquote>{quote.terms}</blockquote>
        </figure>
      )}
      {!ended && <BuyLink quote={quote} />}
      <Proof quote={quote} />
    </li>
  )
}

type AnyQuote = Omit<ArrivedQuote, 'quote_id'>

function Standing({ quote: { org } }: { quote: AnyQuote }) {
  return (
    <p class="soft">
      {org.org_type.charAt(0).toUpperCase() + org.org_type.slice(1)},{' '}
      {org.verified ? <strong class="verified">{standingOf(org)}</strong> : 'not verified'}
    </p>
  )
}

function Price({ quote, quantity }: { quote: AnyQuote; quantity: number }) {
  const { price_usd: price, list_price_usd: list } = quote
  return (
    <p class="quote-price">
      <span class="price">{usd(price)}</span>
      {quantity > 1 && ' each'}
      {list !== undefined && list > price && (
        <>
          {' '}
          <s>
            <span class="hidden">instead of </span>
            {usd(list)}
          </s>
        </>
      )}
    </p>
  )
}

function Terms({ quote, quantity, children }: { quote: AnyQuote; quantity: number; children?: Child }) {
  const { shipping_cost_usd: shipping, estimated_shipping_days: days } = quote
  return (
    <dl class="facts">
      <Fact name={quantity === 1 ? 'Total' : `Total for ${formatCount(quantity)}`}>
        {usd(quote.total_usd)}
        {shipping === undefined && ' + shipping'}
      </Fact>
      <Fact name="Shipping">
        {shipping === undefined ? 'Not stated' : shipping === 0 ? 'Free' : usd(shipping)}
      </Fact>
      <Fact name="Delivery">{deliveryWords(days)}</Fact>
      <Fact name="Stock">{quote.in_stock ? 'In stock' : 'Out of stock'}</Fact>
      {children}
    </dl>
  )
}

function deliveryWords(days: number | undefined): string {
  if (days === undefined) return 'Time not stated'
  return days === 0 ? 'Same business day' : `In ${countOf(days, 'business day')}`
}

function BuyLink({ quote }: { quote: Quote }) {
  const href = webUrl(quote.claim_url)
  if (href === null) return null
  return (
    <p>
      <a class="button" href={href} rel="nofollow noopener">
        Buy at {shownName(quote.org.name)}
      </a>
      {quote.claim_host !== undefined && <span class="row-note">Leads to {quote.claim_host}</span>}
    </p>
  )
}

function Proof({ quote }: { quote: Quote }) {
  const id = `signature-${quote.rank}`
  return (
    <details class="proof">
      <summary>
        Signature<span class="hidden"> of the quote by {shownName(quote.org.name)}</span>
      </summary>
      <p class="soft">Keep it: it proves what you were promised.</p>
      {/* It scrolls, so the keyboard must reach it. */}
      <section class="signature" aria-label={`Signature by ${shownName(quote.org.name)}`} tabindex={0}>
        <code id={id}>{quote.signature}</code>
      </section>
      <form method="post" action={VERIFY_PATH}>
        <input type="hidden" name="quote" value={quote.signature} />
        <button class="plain" type="submit">
          Check the signature<span class="hidden"> of the quote by {shownName(quote.org.name)}</span>
        </button>{' '}
        <button type="button" data-copy={id} hidden>
          Copy
        </button>
      </form>
    </details>
  )
}
