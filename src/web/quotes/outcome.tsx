/**
 * What came of a request: the ranked quotes with who gave none and who lists it for less, or why there are no quotes and
 * what to do instead. Everything said here is a fact of `factsOf`, which every other face gives too. The same piece ends a
 * page that was followed live and makes up a page that is opened later. Terms are the seller's own words and marked as
 * such. A quote can be chosen while it is in stock and valid and none is chosen yet.
 */

import type { Child } from 'hono/jsx'
import { usd } from '../../lib/words.ts'
import { shownName, shownOrg, standingOf } from '../../orgs/shown-org.ts'
import type { ArrivedQuote } from '../../rfq/follow.ts'
import { type AskedSeller, factsOf, type Listing, type RequestFacts, spreadNote } from '../../rfq/outcome.ts'
import type { Quote } from '../../rfq/quote.schema.ts'
import type { RfqTask } from '../../rfq/rfq.service.ts'
import { Fact } from '../components/fact.tsx'
import { Moment, untilWords } from '../components/moment.tsx'
import { Was } from '../components/price.tsx'
import { capital, countOf, formatCount, sentence } from '../format.ts'
import { Hidden } from '../kit/fields.tsx'
import { LinkLine, Submit } from '../kit/parts.tsx'
import { webUrl } from '../safe.ts'
import { askAgainPath, QUOTES_PATH } from './ask-form.tsx'
import { Proof } from './proof.tsx'

/** A product may have a thousand sellers; people compare fewer than these, and a signature alone is a kilobyte. */
export const SHOWN_QUOTES = 50

/** The window's title. */
export function standingWords({ state, quotes }: Pick<RfqTask, 'state' | 'quotes'>, title: string): string {
  if (state === 'submitted') return `Asking for quotes: ${title}`
  if (state === 'canceled') return `Canceled: quotes for ${title}`
  if (state === 'failed') return `Failed: quotes for ${title}`
  return quotes.length === 0 ? `No quotes for ${title}` : `${countOf(quotes.length, 'quote')} for ${title}`
}

type OutcomeProps = { task: RfqTask; title: string; now: Date; children?: Child }

/** `children` follow the quotes. */
export function Outcome({ task, title, now, children }: OutcomeProps) {
  const { heading, body } = ending(task, now)
  return (
    <section class="ended" aria-labelledby="ended-title" data-page-title={standingWords(task, title)}>
      <div class="section-head">
        <div role="status">
          <h2 id="ended-title">{heading}</h2>
        </div>
        <a href={askAgainPath(task)}>Ask again</a>
      </div>
      {body}
      {children}
    </section>
  )
}

function ending(task: RfqTask, now: Date): { heading: string; body: Child } {
  if (task.state === 'canceled')
    return {
      heading: 'This request was canceled',
      body: <p>Sellers were asked to stop, and we kept no quotes.</p>,
    }
  if (task.state === 'failed')
    return {
      heading: "We couldn't finish this request",
      body: <p>This was our fault, not the sellers'. Ask again in a moment.</p>,
    }
  const facts = factsOf(task)
  const { asked, total_quotes: count } = facts
  if (count === 0)
    return {
      heading: asked === 0 ? 'Nobody sells this here yet' : 'No seller gave a quote',
      body: [
        <p>{reason(facts)}</p>,
        <NotQuoted {...facts} />,
        <Listed {...facts} />,
        <LinkLine to={`/p/${task.productSlug}#similar`}>See similar products</LinkLine>,
      ],
    }
  const from = asked === null ? '' : ` from ${countOf(asked, 'seller')}`
  return {
    heading: `${countOf(count, 'quote')}${from}`,
    body: [
      <Summary {...facts} now={now} />,
      <Listed {...facts} />,
      <Cards facts={facts} rfqId={task.rfqId} now={now} />,
      <NotQuoted {...facts} />,
    ],
  }
}

function reason(facts: RequestFacts): string {
  const { sellers } = facts
  if (sellers === null) return `${UNKNOWN} Ask again.`
  if (sellers.length === 0) return 'No seller of this product takes requests on Souk yet.'
  const asked = `We asked ${countOf(sellers.length, 'seller')}, and ${sellers.length === 1 ? 'it gave no quote' : 'none gave a quote'}. ${answeredWords(facts)}`
  const refused = sellers.some(({ outcome }) => outcome === 'declined' || outcome === 'not_delivered_there')
  return `${asked} ${refused ? 'Try another quantity, place or date.' : 'Try again later.'}`
}

/** "3 of 5 sellers answered." */
export function answeredWords({ asked, answered }: Pick<RequestFacts, 'asked' | 'answered'>): string {
  return `${formatCount(answered ?? 0)} of ${countOf(asked ?? 0, 'seller')} answered.`
}

const UNKNOWN = 'This was long ago, so we no longer know who we asked.'

/** What sets the first apart, how far the totals are apart, and until when. */
function Summary(facts: RequestFacts & { now: Date }) {
  const { why_first, spread, best_expires_at, sellers, quotes, now } = facts
  const end = best_expires_at === null ? null : new Date(best_expires_at)
  return (
    <div class="summary">
      {spread !== null && (
        <p>
          {why_first && `Why first: ${sentence(why_first)} `}
          {spread.low_usd === spread.high_usd
            ? `${quotes.length > 1 ? 'All totals are' : 'The total is'} ${usd(spread.low_usd)}. `
            : `Totals from ${usd(spread.low_usd)} to ${usd(spread.high_usd)}${spreadNote(facts)}. `}
          {end !== null && (
            <>
              The best quote {end > now ? `expires ${untilWords(end, now)}` : 'expired'}, on{' '}
              <Moment at={end} />.
            </>
          )}
        </p>
      )}
      {spread === null && <p>Nobody has it in stock now.</p>}
      <p class="soft">
        {sellers === null ? UNKNOWN : answeredWords(facts)} Ranked by stock, your date, stated shipping, total
        price and delivery. Sellers can't pay for a better rank.
      </p>
    </div>
  )
}

/** The chosen one stands alone above the others, which can then no longer be chosen. */
function Cards({ facts, rfqId, now }: { facts: RequestFacts; rfqId: string; now: Date }) {
  const { quotes, quantity, chosen } = facts
  const others = quotes.filter(({ quote_id }) => quote_id !== chosen?.quote_id)
  const own = quotes.find(({ quote_id }) => quote_id === chosen?.quote_id)
  const left = others.length - SHOWN_QUOTES
  const choosable = chosen === null && quotes.some((quote) => isOpen(quote, now))
  return (
    <>
      {chosen && own && (
        <section class="chosen" aria-labelledby="chosen-title">
          <h3 id="chosen-title">Your choice</h3>
          <p>
            You chose this quote on <Moment at={new Date(chosen.chosen_at)} />, for {usd(chosen.total_usd)} in
            total{own.shipping_cost_usd === undefined && ', before shipping'}.{' '}
            {new Date(chosen.offer_expires_at) > now ? (
              <strong>This is not an order yet: buy it from the seller before the quote expires.</strong>
            ) : (
              <strong>This was not an order, and the quote has expired. Ask again for new quotes.</strong>
            )}
          </p>
          <ol class="quotes" start={own.rank}>
            <RankedCard quote={own} quantity={quantity} now={now} buy />
          </ol>
        </section>
      )}
      {chosen && others.length > 0 && <h3>Other quotes</h3>}
      {choosable && (
        <p>
          Choose the quote you want. A choice is not an order: we tell the seller that its quote was chosen,
          but not who you are, and you buy from the seller before the quote expires.
        </p>
      )}
      <ol class="quotes">
        {others.slice(0, SHOWN_QUOTES).map((quote) => (
          <RankedCard quote={quote} quantity={quantity} now={now} buy={chosen === null}>
            {choosable && isOpen(quote, now) && <Choose quote={quote} rfqId={rfqId} />}
          </RankedCard>
        ))}
      </ol>
      {left > 0 && <p class="soft">{countOf(left, 'more quote')} with a lower rank not shown.</p>}
    </>
  )
}

function isOpen({ in_stock, offer_expires_at }: Quote, now: Date): boolean {
  return in_stock && new Date(offer_expires_at) > now
}

/** `total_usd` is what the buyer saw: a choice of another total is refused. */
function Choose({ quote, rfqId }: { quote: Quote; rfqId: string }) {
  return (
    <form method="post" action={`${QUOTES_PATH}/${rfqId}/choose`}>
      <Hidden name="quote_id" value={quote.quote_id} />
      <Hidden name="total_usd" value={String(quote.total_usd)} />
      <Submit>
        Choose this quote<span class="hidden"> by {shownName(quote.org.name)}</span>
      </Submit>
    </form>
  )
}

/** Who was asked and is not among the quotes. */
function NotQuoted({ sellers }: RequestFacts) {
  const silent = (sellers ?? []).filter(({ outcome }) => outcome !== 'quoted' && outcome !== 'out_of_stock')
  if (silent.length === 0) return null
  return (
    <section aria-labelledby="silent-title">
      <h3 id="silent-title">Asked, but no quote</h3>
      <ul class="rows">
        {silent.slice(0, SHOWN_QUOTES).map((seller) => (
          <SilentRow {...seller} />
        ))}
      </ul>
      <More left={silent.length - SHOWN_QUOTES} noun="seller" />
    </section>
  )
}

function SilentRow(seller: AskedSeller) {
  return (
    <li>
      <p>
        {shownOrg(seller)}
        <span class="row-note">{capital(seller.org_type)}</span>
      </p>
      <p class="row-end">{capital(seller.reason)}</p>
    </li>
  )
}

/** Listed prices below the best quote; all listings when nobody has it in stock. */
function Listed({ listed_elsewhere: listed, spread, quantity }: RequestFacts) {
  if (listed.length === 0) return null
  return (
    <section class={spread === null ? undefined : 'listed'} aria-labelledby="listed-title">
      <h3 id="listed-title">{spread === null ? 'Where else to buy it' : 'Listed for less elsewhere'}</h3>
      <ul class="plain-list">
        {listed.slice(0, SHOWN_QUOTES).map((listing) => (
          <ListedRow {...listing} quantity={quantity} />
        ))}
      </ul>
      <More left={listed.length - SHOWN_QUOTES} noun="listing" />
    </section>
  )
}

function ListedRow({ seller, org, url, price_usd: price, quantity }: Listing & { quantity: number }) {
  const href = webUrl(url)
  const name = shownName(seller)
  return (
    <li>
      {href === null ? (
        name
      ) : (
        <a href={href} rel={org ? `sponsored ${LEAVING}` : LEAVING}>
          {name}
        </a>
      )}{' '}
      {price === null
        ? 'sells it, price not stated'
        : `lists ${usd(price)}${quantity > 1 ? ' each' : ''}, not confirmed, shipping not stated`}
      <span class="row-note">
        {org ? ` Sponsored offer, ${standingOf(org)}` : href !== null && ` ${new URL(href).host}`}
      </span>
    </li>
  )
}

function More({ left, noun }: { left: number; noun: string }) {
  return left > 0 ? <p class="soft">{countOf(left, `more ${noun}`)} not shown.</p> : null
}

/** The address of a request gives the right to act on it, so no other site learns it. */
const LEAVING = 'nofollow noopener noreferrer'

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

type RankedProps = {
  quote: Quote
  quantity: number
  now: Date
  /** Whether the way to the seller is shown. */
  buy: boolean
  children?: Child
}

function RankedCard({ quote, quantity, now, buy, children }: RankedProps) {
  const ended = new Date(quote.offer_expires_at) <= now
  const best = quote.rank === 1 && quote.in_stock
  const name = shownName(quote.org.name)
  const buyAt = ended || !buy ? null : webUrl(quote.claim_url)
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
      {(buyAt !== null || children) && (
        <div class="quote-actions">
          {children}
          {buyAt !== null && (
            <p>
              <a class={children ? 'button plain' : 'button'} href={buyAt} rel={LEAVING}>
                Buy at {name}
              </a>
              {quote.claim_host !== undefined && <span class="row-note">Opens {quote.claim_host}</span>}
            </p>
          )}
        </div>
      )}
      <Proof quote={quote} name={name}>
        <p class="row-note">Quote {quote.quote_id}</p>
        {quote.offer_id !== undefined && <p class="row-note">Offer {quote.offer_id}</p>}
      </Proof>
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
            <Was>{usd(list)}</Was>
          </>
        )}
      </p>
    </>
  )
}

type Stated = Pick<Quote, 'total_usd' | 'shipping_cost_usd' | 'estimated_shipping_days'>

/** "$225", and that shipping comes on top where it is not stated. */
export function totalOf({ total_usd: total, shipping_cost_usd: shipping }: Stated): string {
  return usd(total) + (shipping === undefined ? ' + shipping' : '')
}

export function shippingOf({ shipping_cost_usd: shipping }: Stated): string {
  if (shipping === undefined) return 'Not stated'
  return shipping === 0 ? 'Free' : usd(shipping)
}

export function deliveryOf({ estimated_shipping_days: days }: Stated): string {
  if (days === undefined) return 'Not stated'
  return days === 0 ? 'Same business day' : `In ${countOf(days, 'business day')}`
}

function Terms({ quote, quantity, children }: CardProps) {
  return (
    <dl class="facts">
      <Fact name={quantity === 1 ? 'Total' : `Total for ${formatCount(quantity)}`}>{totalOf(quote)}</Fact>
      <Fact name="Shipping">{shippingOf(quote)}</Fact>
      <Fact name="Delivery">{deliveryOf(quote)}</Fact>
      <Fact name="Stock">{quote.in_stock ? 'In stock' : 'Out of stock'}</Fact>
      {children}
    </dl>
  )
}
