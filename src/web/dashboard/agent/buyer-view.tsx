/**
 * What a buyer would see of the answer to a test, and what they would not be told: an answer that leaves something open
 * ranks below one that says it.
 */
import { usd } from '../../../lib/words.ts'
import type { BuyerView } from '../../../rfq/buyer-view.service.ts'
import type { WireAnswer } from '../../../rfq/quote.schema.ts'
import { Moment } from '../../components/moment.tsx'
import { countOf } from '../../format.ts'
import { Facts, LinkLine, Panel } from '../../kit/parts.tsx'
import { ORGANIZATION_PATH } from '../paths.ts'

type Seen = { view: BuyerView; answer: WireAnswer; quantity: number }

export function BuyerSees({ view, answer, quantity }: Seen) {
  const { seller, others, listed } = view
  const shipping = answer.shipping_cost_usd
  const total = answer.price_usd * quantity + (shipping ?? 0)
  const host = URL.parse(answer.claim_url)?.host
  return (
    <Panel title="What a buyer would see" id="buyer">
      <Facts
        facts={[
          [
            'Seller',
            seller.domain === null
              ? `${seller.name}, without a verified domain`
              : `${seller.name} (${seller.domain})`,
          ],
          ['Product', `${quantity} × ${view.title}`],
          ['Price', `${usd(answer.price_usd)} each`],
          ['Shipping', shipping == null ? 'Not stated' : shipping === 0 ? 'Free' : usd(shipping)],
          ['Total', shipping == null ? `${usd(total)}, shipping not included` : usd(total)],
          ['Stock', answer.in_stock ? 'In stock' : 'Out of stock'],
          [
            'Delivery',
            answer.estimated_shipping_days == null
              ? 'Not stated'
              : countOf(answer.estimated_shipping_days, 'day'),
          ],
          ['Holds until', <Moment at={new Date(answer.offer_expires_at)} />],
          ['Link to buy', host ?? 'None'],
        ]}
      />
      <h3>What this test doesn’t show</h3>
      <ul class="plain-list">
        {gapsOf({ view, answer, quantity }).map((gap) => (
          <li>{gap}</li>
        ))}
        <li>
          {others === 0
            ? 'No other seller would be asked today, so you would be the only quote.'
            : `${countOf(others, 'other seller')} would be asked too. We don’t know their answers, so this says nothing about your rank.`}
        </li>
        {listed !== null && (
          <li>
            {listed.priceCents / 100 < answer.price_usd
              ? `Buyers are told that ${listed.shop} lists it for ${usd(listed.priceCents / 100)}, which is less than your price.`
              : `The lowest price listed elsewhere is ${usd(listed.priceCents / 100)} at ${listed.shop}, which is not below yours.`}
          </li>
        )}
      </ul>
      {seller.domain === null && <LinkLine to={ORGANIZATION_PATH}>Verify your domain</LinkLine>}
    </Panel>
  )
}

/** What the answer leaves open, and what follows from it. */
function gapsOf({ view, answer }: Seen): string[] {
  return [
    ...(answer.in_stock ? [] : ['Quotes that are out of stock are listed last.']),
    ...(answer.shipping_cost_usd == null
      ? ['You state no shipping cost. Quotes that state it come first, even when their total is higher.']
      : []),
    ...(answer.estimated_shipping_days == null
      ? ['You state no delivery time. A buyer with a deadline gets your quote after those that meet it.']
      : []),
    ...(view.seller.domain === null
      ? ['Buyers can’t see that you are genuine: your domain isn’t verified.']
      : []),
  ]
}
