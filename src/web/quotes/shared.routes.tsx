/**
 * /shared-quotes/{id}: what a buyer shows to others, so that they can check that the ranking is fair. The reader's browser
 * verifies it by a script of its own (client/verify-quotes.ts), which reads the places marked `data-signed` and compares
 * them with what was signed. Nothing leads from here to the request or to its buyer.
 */
import type { Hono } from 'hono'
import type { HttpEnv } from '../../http/env.ts'
import { usd } from '../../lib/words.ts'
import { shownName, standingOf } from '../../orgs/shown-org.ts'
import { SHARED_PATH } from '../../rfq/buyer.routes.ts'
import { readShare, type SharedRequest } from '../../rfq/share.service.ts'
import { Fact } from '../components/fact.tsx'
import { Moment } from '../components/moment.tsx'
import { Was } from '../components/price.tsx'
import type { PageDeps } from '../deps.ts'
import { capital, countOf, formatCount } from '../format.ts'
import type { FrameProps, PersonPage } from '../kit/person.tsx'
import { Layout } from '../layout.tsx'
import { mountShared } from '../shared-links.tsx'
import { deliveryOf, shippingOf, totalOf } from './outcome.tsx'
import { Proof } from './proof.tsx'

type Deps = Pick<PageDeps, 'site' | 'config' | 'rfq'>

export function mountSharedQuotes(app: Hono<HttpEnv>, deps: Deps): void {
  mountShared(app, deps, {
    path: SHARED_PATH,
    gone: 'The shared quotes have expired, their owner has revoked the link, or its address has a mistake.',
    read: async (id) => sharedPage(await readShare(deps.rfq, id)),
  })
}

type Shared = SharedRequest & { expires_at: string }

function sharedPage(shared: Shared): PersonPage {
  const { product_title: product, product_slug: slug, quotes } = shared
  const title = `${countOf(quotes.length, 'quote')} for ${product}`
  return {
    title,
    frame: ({ site, children }: FrameProps) => (
      <Layout
        site={site}
        title={`${title} · Souk`}
        description={`Quotes for ${product}, shared by their buyer.`}
        path={null}
        secret
        extraScript={site.verifyScript}
      >
        <article class="request">{children}</article>
      </Layout>
    ),
    body: [
      <header class="request-head">
        <div>
          <h1>Quotes for {product}</h1>
          <p>
            <a data-signed="product" href={`/p/${slug}`}>
              See the product
            </a>
          </p>
          <p>A buyer asked every seller and shares what they answered. These prices were for that buyer.</p>
          <dl class="facts">
            {shared.variant !== undefined && (
              <Fact name="Variant">
                <span data-signed="variant">{shared.variant}</span>
              </Fact>
            )}
            <Fact name="Quantity">
              <span data-signed="quantity">{formatCount(shared.quantity)}</span>
            </Fact>
            <Fact name="Completed">
              <span data-signed="time">
                <Moment at={new Date(shared.completed_at)} />
              </span>
            </Fact>
            <Fact name="Link works until">
              <Moment at={new Date(shared.expires_at)} />
            </Fact>
            <Fact name="Request">
              <code data-signed="request">{shared.rfq_id}</code>
            </Fact>
          </dl>
        </div>
      </header>,
      <section aria-labelledby="rule-title">
        <h2 id="rule-title">How they are ranked</h2>
        <p>{shared.ranking_rule}</p>
      </section>,
      <section class="verify" aria-labelledby="verify-title">
        <h2 id="verify-title">Check it yourself</h2>
        <p>
          Souk signs every quote with <a href="/.well-known/jwks.json">keys that everybody can read</a>. Your
          browser can check the signatures, that this page shows what was signed, and that the order follows
          the rule. To check a single quote on a page of its own, open its signature.
        </p>
        <p>
          <button class="button" type="button" data-verify hidden>
            Verify signatures
          </button>
        </p>
        <p role="status" data-verify-result />
      </section>,
      <section aria-labelledby="quotes-title">
        <h2 id="quotes-title">{countOf(quotes.length, 'quote')}, best first</h2>
        <ol class="quotes">
          {quotes.map((quote) => (
            <SharedCard quote={quote} quantity={shared.quantity} />
          ))}
        </ol>
      </section>,
    ],
  }
}

function SharedCard({ quote, quantity }: { quote: Shared['quotes'][number]; quantity: number }) {
  const { org, price_usd: price, list_price_usd: list } = quote
  const name = shownName(org.name)
  return (
    <li class="quote" data-quote>
      <h3>
        <span class="soft" data-signed="rank">
          {quote.rank}.
        </span>{' '}
        <span data-signed="seller">{name}</span>
      </h3>
      <p class="soft">
        <span data-signed="kind">{capital(org.org_type)}</span>,{' '}
        <span data-signed="standing">{org.verified ? standingOf(org) : 'not verified'}</span>
      </p>
      <p class="quote-price">
        <span class="price" data-signed="price">
          {usd(price)}
        </span>
        {quantity > 1 && ' each'}
        {list !== undefined && list > price && (
          <>
            {' '}
            <Was>
              <span data-signed="list price">{usd(list)}</span>
            </Was>
          </>
        )}
      </p>
      <dl class="facts">
        <Fact name={quantity === 1 ? 'Total' : `Total for ${formatCount(quantity)}`}>
          <span data-signed="total">{totalOf(quote)}</span>
        </Fact>
        <Fact name="Shipping">
          <span data-signed="shipping">{shippingOf(quote)}</span>
        </Fact>
        <Fact name="Delivery">
          <span data-signed="delivery">{deliveryOf(quote)}</span>
        </Fact>
        <Fact name="Stock">
          <span data-signed="stock">{quote.in_stock ? 'In stock' : 'Out of stock'}</span>
        </Fact>
        <Fact name="Price valid until">
          <span data-signed="expiry">
            <Moment at={new Date(quote.offer_expires_at)} />
          </span>
        </Fact>
      </dl>
      <p data-verdict hidden />
      <Proof quote={quote} name={name} />
    </li>
  )
}
