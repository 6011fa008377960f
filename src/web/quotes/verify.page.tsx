/**
 * The page that checks quotes. What it shows of one is what was signed and nothing else: whatever stood around the
 * signature may have been changed by anybody. A promise that has expired is still proved, and both are said.
 */

import type { Child } from 'hono/jsx'
import { productPath } from '../../catalog/profile.ts'
import { usd } from '../../lib/words.ts'
import { shownOrg } from '../../orgs/shown-org.ts'
import type { QuotePromise } from '../../rfq/quote.schema.ts'
import type { QuoteProof } from '../../rfq/quote-signature.ts'
import { Moment } from '../components/moment.tsx'
import { NarrowPage } from '../components/narrow-page.tsx'
import { countOf, formatCount } from '../format.ts'
import { ErrorSummary, Form, type FormState, Labelled } from '../kit/fields.tsx'
import type { Site } from '../site.ts'
import { VERIFY_PATH } from './quote-card.tsx'

export type CheckedQuote = {
  proof: QuoteProof
  /** Null when it is not in the catalog any more. */
  product: { title: string; category: string; slug: string } | null
}

type VerifyPage = {
  site: Site
  state: FormState
  checked: CheckedQuote[]
  /** How many more there were than are checked at once. */
  left: number
}

export function renderVerifyPage({ site, state, checked, left }: VerifyPage): string {
  return String(
    <NarrowPage
      site={site}
      title="Check a quote"
      lead="Every quote asked for here is signed. Paste one to see whether it is real, and what was promised."
    >
      <ErrorSummary errors={state.errors} />
      {checked.length > 0 && <Verdicts checked={checked} left={left} />}
      <Form action={VERIFY_PATH} label="Check">
        <QuoteField state={state} />
      </Form>
      <section class="account-part" aria-labelledby="elsewhere-title">
        <h2 id="elsewhere-title">Check it without us</h2>
        <p>
          Our keys are at <a href="/.well-known/jwks.json">/.well-known/jwks.json</a>; any JOSE library can
          check a signature with them (Ed25519), and keys that were replaced stay there.
        </p>
        <p>
          With a copy of this program, <code>npm run souk -- verify-quote quote.json --jwks jwks.json</code>{' '}
          does it without asking anybody.
        </p>
      </section>
    </NarrowPage>,
  )
}

function QuoteField({ state }: { state: FormState }) {
  return (
    <Labelled
      state={state}
      name="quote"
      label="Quote"
      hint="The signature, the quote as JSON, or a whole answer that holds quotes."
    >
      {(control) => (
        <textarea
          class="kept"
          rows={6}
          required
          spellcheck={false}
          autocomplete="off"
          autocapitalize="none"
          {...control}
        >
          {/* A browser drops a line break at the beginning: this one is for it to drop. */}
          {`\n${state.values.quote ?? ''}`}
        </textarea>
      )}
    </Labelled>
  )
}

function Verdicts({ checked, left }: Pick<VerifyPage, 'checked' | 'left'>) {
  return (
    <section class="verdicts" aria-labelledby="verdicts-title">
      <div role="status">
        <h2 id="verdicts-title">{verdictWords(checked)}</h2>
      </div>
      {left > 0 && <p>{countOf(left, 'more signature')} left out: check them separately.</p>}
      {checked.map((one, index) => (
        <Verdict {...one} number={checked.length === 1 ? null : index + 1} />
      ))}
    </section>
  )
}

function verdictWords(checked: CheckedQuote[]): string {
  const proved = checked.filter(({ proof }) => proof.ok).length
  if (checked.length > 1) return `${formatCount(proved)} of ${countOf(checked.length, 'quote')} proved`
  return proved === 1 ? 'This quote is real' : 'This quote is not proved'
}

function Verdict({ proof, product, number }: CheckedQuote & { number: number | null }) {
  const which = number === null ? '' : `Quote ${number}: `
  if (!proof.ok)
    return (
      <div class="verdict">
        {number !== null && <h3>{which}not proved</h3>}
        <p class="failed">{proof.message}</p>
        <p>Do not rely on it. Ask whoever gave it to you for the whole quote, as it came from here.</p>
      </div>
    )
  return (
    <div class="verdict">
      {number !== null && <h3>{which}proved</h3>}
      <p class="verified">
        {proof.expired
          ? 'It was promised here, and the offer has ended since.'
          : 'It was promised here, and the offer stands.'}
      </p>
      <Promised promise={proof.promise} product={product} kid={proof.kid} />
    </div>
  )
}

type PromisedProps = { promise: QuotePromise; product: CheckedQuote['product']; kid: string }

function Promised({ promise, product, kid }: PromisedProps) {
  return (
    <table class="specs">
      <caption class="hidden">What was promised by {shownOrg(promise.org)}</caption>
      <tbody>
        <Row name="Product">
          {product ? (
            <a href={productPath({ slug: product.slug, category: { slug: product.category } })}>
              {product.title}
            </a>
          ) : (
            promise.product_slug
          )}
        </Row>
        <Row name="Seller">{shownOrg(promise.org)}</Row>
        <Row name="Price">{usd(promise.price_usd)} each</Row>
        <Row name="Quantity">{formatCount(promise.quantity)}</Row>
        <Row name="Total">
          {usd(promise.total_usd)}
          {promise.shipping_cost_usd === undefined ? ', shipping not stated' : ' with shipping'}
        </Row>
        <Row name="Issued">
          <When iso={promise.issued_at} />
        </Row>
        <Row name="Expires">
          <When iso={promise.offer_expires_at} />
        </Row>
        {promise.terms !== undefined && <Row name="Seller’s words">{promise.terms}</Row>}
        <Row name="Issued by">{promise.issuer}</Row>
        <Row name="Key">
          <code>{kid}</code>
        </Row>
      </tbody>
    </table>
  )
}

function Row({ name, children }: { name: string; children?: Child }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{children}</td>
    </tr>
  )
}

function When({ iso }: { iso: string }) {
  const at = new Date(iso)
  return Number.isNaN(at.getTime()) ? <span>{iso}</span> : <Moment at={at} />
}
