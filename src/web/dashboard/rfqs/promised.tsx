/**
 * The organization's quote as the buyer has it. What the buyer was told of its place, and with it the signature, is shown
 * only where it compares with nobody.
 */
import { usd } from '../../../lib/words.ts'
import type { OwnPromise } from '../../../rfq/inspector.service.ts'
import { Fact } from '../../components/fact.tsx'
import { Moment } from '../../components/moment.tsx'
import { countOf, formatCount } from '../../format.ts'
import { Panel } from '../../kit/parts.tsx'
import { VERIFY_PATH } from '../../quotes/quote-card.tsx'

export function Promised({ promised }: { promised: OwnPromise }) {
  const { promise, expired, signature } = promised
  const { quantity, shipping_cost_usd: shipping, estimated_shipping_days: days } = promise
  return (
    <Panel title="Your quote, as the buyer has it">
      <dl class="facts">
        <Fact name="Price each">{usd(promise.price_usd)}</Fact>
        <Fact name={`Total for ${formatCount(quantity)}`}>
          {usd(promise.total_usd)}
          {shipping === undefined && ' + shipping'}
        </Fact>
        <Fact name="Shipping">
          {shipping === undefined ? 'Not stated' : shipping === 0 ? 'Free' : usd(shipping)}
        </Fact>
        <Fact name="Delivery">{days === undefined ? 'Not stated' : countOf(days, 'business day')}</Fact>
        <Fact name="Stock">{promise.in_stock ? 'In stock' : 'Out of stock'}</Fact>
        <Fact name={expired ? 'Held until' : 'Holds until'}>
          <Moment at={new Date(promise.offer_expires_at)} />
        </Fact>
      </dl>
      {promise.terms !== undefined && <p>Your terms: {promise.terms}</p>}
      <Proof promised={promised} />
      {signature !== null && (
        <form method="post" action={VERIFY_PATH}>
          <input type="hidden" name="quote" value={signature} />
          <button class="button plain" type="submit">
            Check the signed quote
          </button>
        </form>
      )}
    </Panel>
  )
}

function Proof({ promised: { promise, signature } }: { promised: OwnPromise }) {
  return (
    <p class="hint">
      Signed in the name of this service <Moment at={new Date(promise.issued_at)} />
      {signature === null ? (
        <>
          ; the buyer holds the signature, which also covers how your quote compared with the others. When a
          buyer shows it to you, <a href={VERIFY_PATH}>check the quote</a>.
        </>
      ) : (
        '.'
      )}
    </p>
  )
}
