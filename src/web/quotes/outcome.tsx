/**
 * What came of a request: the ranked quotes, or why there are none and what to do instead. The same piece ends a page that
 * was followed live and makes up a page that is opened later. Figures are the seller's answer as it was checked, and what
 * the seller left out is said to be missing. Terms are the seller's own words and marked as such.
 */
import type { Child } from 'hono/jsx'
import { usd } from '../../lib/words.ts'
import { shownName, standingOf } from '../../orgs/shown-org.ts'
import type { ArrivedQuote } from '../../rfq/follow.ts'
import { answersOf, type Listing } from '../../rfq/outcome.ts'
import type { Quote } from '../../rfq/quote.schema.ts'
import type { RfqTask } from '../../rfq/rfq.service.ts'
import { Fact } from '../components/fact.tsx'
import { Moment } from '../components/moment.tsx'
import { capital, countOf, formatCount } from '../format.ts'
import { webUrl } from '../safe.ts'
import { askAgainPath } from './ask-form.tsx'

export const VERIFY_PATH = '/verify-quote'

/** A product may have a thousand sellers; people compare fewer than these, and a signature alone is a kilobyte. */
export const SHOWN_QUOTES = 50

/** The window's title. */
export function standingWords({ state, quotes }: Pick<RfqTask, 'state' | 'quotes'>, title: string): string {
  if (state === 'submitted') return `Asking for quotes: ${title}`
  if (state === 'canceled') return `Canceled: quotes for ${title}`
  if (state === 'failed') return `Failed: quotes for ${title}`
  return quotes.length === 0 ? `No quotes for ${title}` : `${countOf(quotes.length, 'quote')} for ${title}`
}

type OutcomeProps = { task: RfqTask; title: string; now: Date }

export function Outcome(props: OutcomeProps) {
  const { heading, body } = ending(props)
  return (
    <section
      class="ended"
      aria-labelledby="ended-title"
      data-page-title={standingWords(props.task, props.title)}
    >
      <div class="section-head">
        <div role="status">
          <h2 id="ended-title">{heading}</h2>
        </div>
        <a href={askAgainPath(props.task)}>Ask again</a>
      </div>
      {body}
    </section>
  )
}

function ending({ task, now }: OutcomeProps): { heading: string; body: Child } {
  const { state, quotes, quantity, productSlug } = task
  if (state === 'canceled')
    return {
      heading: 'This request was canceled',
      body: <p>Sellers were asked to stop, and we kept no quotes.</p>,
    }
  if (state === 'failed')
    return {
      heading: "We couldn't finish this request",
      body: <p>This was our fault, not the sellers'. Ask again in a moment.</p>,
    }
  if (quotes.length > 0) {
    const left = quotes.length - SHOWN_QUOTES
    return {
      heading: `${countOf(quotes.length, 'quote')}, best first`,
      body: (
        <>
          <p class="soft">
            Ranked by stock, your date, total price and delivery. Sellers can't pay for a better rank.
          </p>
          <ol class="quotes">
            {quotes.slice(0, SHOWN_QUOTES).map((quote) => (
              <RankedCard quote={quote} quantity={quantity} now={now} />
            ))}
          </ol>
          {left > 0 && <p class="soft">{countOf(left, 'more quote')} with a lower rank not shown.</p>}
        </>
      ),
    }
  }
  const { asked } = answersOf(task)
  const elsewhere = task.outcome?.listed ?? []
  return {
    heading: asked === 0 ? 'Nobody sells this here yet' : 'No seller gave a quote',
    body: (
      <>
        <p>{reason(task)}</p>
        {elsewhere.length > 0 && (
          <>
            <h3>Where else to buy it</h3>
            <ul class="rows">
              {elsewhere.map((shop) => (
                <ShopRow {...shop} />
              ))}
            </ul>
          </>
        )}
        <p>
          <a href={`/p/${productSlug}#similar`}>See similar products</a>
        </p>
      </>
    ),
  }
}

function reason({ outcome }: RfqTask): string {
  if (!outcome) return 'This was long ago, so we no longer know who we asked. Ask again.'
  const asked = outcome.sellers.length
  if (asked === 0) return 'No seller of this product takes requests on Souk yet.'
  const declined = outcome.sellers.filter(({ outcome }) => outcome === 'declined').length
  const sellers = countOf(asked, 'seller')
  if (declined === asked)
    return `We asked ${sellers}, and ${asked === 1 ? 'it' : 'all'} declined. Try another quantity, place or date.`
  const rest = declined === 0 ? '' : ` ${declined} declined, and`
  return `We asked ${sellers}:${rest} ${asked - declined} didn't send a usable answer. Try again later.`
}

function ShopRow({ seller, url, promoted, price_usd: price }: Listing) {
  const href = webUrl(url)
  return (
    <li>
      <p>
        {href === null ? (
          seller
        ) : (
          <a href={href} rel={promoted ? 'sponsored nofollow noopener' : 'nofollow noopener'}>
            {seller}
          </a>
        )}
        <span class="row-note">{promoted ? 'Sponsored offer' : href !== null && new URL(href).host}</span>
      </p>
      <span class="price">{price === null ? 'See shop' : usd(price)}</span>
    </li>
  )
}

type CardProps = { quote: ArrivedQuote; quantity: number; children?: Child }

/** A quote before it has a rank: there is nothing to choose yet, so there is no button. */
export function ArrivedCard(props: CardProps) {
  return (
    <li class="quote">
      <h3>{shownName(props.quote.org.name)}</h3>
      <Price {...props} />
      <Terms {...props} />
    </li>
  )
}

function RankedCard({ quote, quantity, now }: { quote: Quote; quantity: number; now: Date }) {
  const ended = new Date(quote.offer_expires_at) <= now
  const best = quote.rank === 1 && quote.in_stock
  const name = shownName(quote.org.name)
  const buyAt = ended ? null : webUrl(quote.claim_url)
  return (
    <li class={best ? 'quote best' : 'quote'}>
      <h3>
        <span class="soft">{quote.rank}.</span> {name}
      </h3>
      {best && <p class="badge sale">Best quote</p>}
      {ended && <p class="badge">Offer ended</p>}
      <Price quote={quote} quantity={quantity} />
      {quote.rank_reasons.length > 0 && (
        <ul class="reasons" aria-label="Why it has this rank">
          {quote.rank_reasons.map((why) => (
            <li>{capital(why)}</li>
          ))}
        </ul>
      )}
      <Terms quote={quote} quantity={quantity}>
        <Fact name={ended ? 'Price was valid until' : 'Price valid until'}>
          <Moment at={new Date(quote.offer_expires_at)} />
        </Fact>
      </Terms>
      {quote.terms !== undefined && (
        <figure class="words">
          <figcaption>In the seller’s words</figcaption>
          <blockquote>{quote.terms}</blockquote>
        </figure>
      )}
      {buyAt !== null && (
        <p>
          <a class="button" href={buyAt} rel="nofollow noopener">
            Buy at {name}
          </a>
          {quote.claim_host !== undefined && <span class="row-note">Opens {quote.claim_host}</span>}
        </p>
      )}
      <details class="proof">
        <summary>
          Signature<span class="hidden"> of the quote by {name}</span>
        </summary>
        <p class="soft">Keep it to prove what the seller promised.</p>
        {/* It scrolls, so the keyboard must reach it. */}
        <section class="signature" aria-label={`Signature by ${name}`} tabindex={0}>
          <code id={`signature-${quote.rank}`}>{quote.signature}</code>
        </section>
        <form method="post" action={VERIFY_PATH}>
          <input type="hidden" name="quote" value={quote.signature} />
          <button class="plain" type="submit">
            Check signature<span class="hidden"> of the quote by {name}</span>
          </button>{' '}
          <button type="button" data-copy={`signature-${quote.rank}`} hidden>
            Copy
          </button>
        </form>
      </details>
    </li>
  )
}

/** The seller and the price of each. */
function Price({ quote, quantity }: CardProps) {
  const { price_usd: price, list_price_usd: list, org } = quote
  return (
    <>
      <p class="soft">
        {capital(org.org_type)},{' '}
        {org.verified ? <strong class="verified">{standingOf(org)}</strong> : 'not verified'}
      </p>
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
    </>
  )
}

function Terms({ quote, quantity, children }: CardProps) {
  const { shipping_cost_usd: shipping, estimated_shipping_days: days } = quote
  const delivery = days === 0 ? 'Same business day' : `In ${countOf(days ?? 0, 'business day')}`
  return (
    <dl class="facts">
      <Fact name={quantity === 1 ? 'Total' : `Total for ${formatCount(quantity)}`}>
        {usd(quote.total_usd)}
        {shipping === undefined && ' + shipping'}
      </Fact>
      <Fact name="Shipping">
        {shipping === undefined ? 'Not stated' : shipping === 0 ? 'Free' : usd(shipping)}
      </Fact>
      <Fact name="Delivery">{days === undefined ? 'Not stated' : delivery}</Fact>
      <Fact name="Stock">{quote.in_stock ? 'In stock' : 'Out of stock'}</Fact>
      {children}
    </dl>
  )
}
