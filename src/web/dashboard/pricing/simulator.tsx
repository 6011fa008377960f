/**
 * The simulator shows what Souk would answer a buyer for one product: the price, how it is calculated, and the price of
 * several quantities. Its form only asks, so the address can be kept and sent to a colleague.
 */
import type { Variant } from '../../../catalog/catalog.schema.ts'
import { variantChoices } from '../../../catalog/chosen-variant.ts'
import { formatUsd } from '../../../lib/money.ts'
import { regionName } from '../../../lib/regions.ts'
import type { BaseSource } from '../../../pricing/base-price.ts'
import { DECLINE_TEXTS } from '../../../pricing/pricing.schema.ts'
import { totalOf } from '../../../rfq/quote.schema.ts'
import type { RfqRequest } from '../../../rfq/rfq.schema.ts'
import type { Simulated } from '../../../rfq/simulate.service.ts'
import { Moment } from '../../components/moment.tsx'
import { countOf, formatCount, formatDate } from '../../format.ts'
import type { FormState } from '../../kit/fields.tsx'
import { Fields } from '../../kit/form.tsx'
import { DataTable, Panel, State, Submit } from '../../kit/parts.tsx'
import { OFFERS_PATH, ORGANIZATION_PATH } from '../paths.ts'
import { REQUEST_FIELDS } from '../request.form.ts'

export type Simulation = {
  state: FormState
  /** Null when the form was filled in wrongly. */
  answer: { request: RfqRequest; simulated: Simulated } | null
  glance: Array<{ quantity: number; simulated: Simulated }>
}

type SimulatorProps = {
  path: string
  isManaged: boolean
  variants: readonly Variant[]
  simulation: Simulation
}

export function Simulator({ path, isManaged, variants, simulation }: SimulatorProps) {
  const { state, answer, glance } = simulation
  return (
    <Panel
      title="Simulator"
      lead={`See what Souk would answer a buyer now. Nothing is saved or sent.${
        isManaged ? '' : ' Managed pricing is off, so buyers don’t get this answer yet.'
      }`}
    >
      <form class="filters" method="get" action={`${path}#simulator`}>
        <Fields
          of={{
            ...REQUEST_FIELDS,
            variant: { kind: 'choice', label: 'Variant', options: variantChoices(variants) },
          }}
          state={state}
          only={[
            ...(variants.length > 0 ? ['variant'] : []),
            ...['quantity', 'delivery_region', 'deadline_iso'],
          ]}
        />
        <Submit>Simulate</Submit>
      </form>
      {answer && <Answer {...answer} />}
      {glance.length > 0 && <Glance glance={glance} />}
    </Panel>
  )
}

function Answer({ request, simulated }: NonNullable<Simulation['answer']>) {
  const { quantity, delivery_region: region, deadline_iso: deadline } = request
  const asked = [
    countOf(quantity, 'unit'),
    region && `to ${regionName(region)}`,
    deadline && `by ${formatDate(deadline.slice(0, 10))}`,
  ]
  return (
    <div class="simulated">
      <h3>{asked.filter(Boolean).join(' ')}</h3>
      {simulated.kind === 'quote' ? <Quote {...{ quantity, simulated }} /> : <Decline {...simulated} />}
      {simulated.calculation === null ? (
        <p class="soft">Owners and admins also see how the price is calculated.</p>
      ) : (
        <Steps calculation={simulated.calculation} title="How we calculate it" base={simulated.base} />
      )}
    </div>
  )
}

const SHIPPING_NOTES = { flat: '', region: ' for this region', free_above: ' because of the order value' }

type QuoteProps = { quantity: number; simulated: Extract<Simulated, { kind: 'quote' }> }

function Quote({ quantity, simulated: { answer, quote } }: QuoteProps) {
  const [meets, by] = quote.kind === 'quote' ? [quote.meetsDeadline, quote.shippingBy] : [null, null]
  const { priceCents, shippingCostCents: shipping, listPriceCents, inStock, terms } = answer
  return (
    <>
      <p class="line">
        <strong class="price">{formatUsd(priceCents)}</strong>
        <span>per unit</span>
        <State tone={inStock ? 'good' : 'mixed'}>
          {inStock ? 'Would quote' : 'Would quote as out of stock, ranked last'}
        </State>
        {meets !== null && <State tone={meets ? 'good' : 'bad'}>{meets ? 'On time' : 'Too late'}</State>}
      </p>
      <p>
        {formatUsd(totalOf(answer, quantity))} total,{' '}
        {shipping === null ? 'shipping not stated' : `with ${shippingWords(shipping)} shipping`}
        {by !== null && SHIPPING_NOTES[by]}.
        {listPriceCents !== null && ` List price ${formatUsd(listPriceCents)}.`}
        {terms !== null && ` ${terms}`}
      </p>
      <p class="soft">
        The quote links to <span class="break">{answer.claimUrl}</span> and is valid until{' '}
        <Moment at={answer.offerExpiresAt} />.
      </p>
    </>
  )
}

/** "free", "$4.50" */
export function shippingWords(cents: number): string {
  return cents === 0 ? 'free' : formatUsd(cents)
}

function Decline({ reason, quote }: Extract<Simulated, { kind: 'decline' }>) {
  return (
    <>
      <p>
        <State tone="bad">Would decline</State>
      </p>
      <p>
        {reason}{' '}
        {quote === null &&
          (reason.includes('price') ? (
            <a href={OFFERS_PATH}>Add an offer with a price</a>
          ) : (
            <a href={ORGANIZATION_PATH}>Verify your domain or add a website</a>
          ))}
        {reason === DECLINE_TEXTS.limits_lost && 'Enter both limits again, or remove them.'}
      </p>
    </>
  )
}

type StepsProps = {
  calculation: NonNullable<Simulated['calculation']>
  title: string
  base?: Simulated['base']
}

const SOURCE_WORDS: Record<BaseSource, string> = {
  own_price: 'your price',
  live_offer: 'your live offer',
  own_shop: 'the price at your shop',
  list_price: 'the list price',
  variant_price: "the catalog's price for this variant",
  highest_price: 'the highest known price',
}

/** How managed pricing gets to its price, for those who set the rules. */
export function Steps({ calculation: { steps, limited }, title, base = null }: StepsProps) {
  if (steps.length === 0) return null
  return (
    <div>
      <h4>{title}</h4>
      <ol class="worked-out">
        {steps.map(({ label, unitPriceCents }, at) => (
          <li>
            {label}: <strong>{formatUsd(unitPriceCents)}</strong>
            {at === 0 && base && ` (${SOURCE_WORDS[base.source]})`}
          </li>
        ))}
        {limited && <li>Raised or stopped by your price limit</li>}
      </ol>
    </div>
  )
}

function savingWords(share: number): string {
  if (share >= 1) return 'No discount'
  const tenths = Math.round((1 - share) * 1000)
  return tenths === 0 ? 'Under 0.1% less' : `${tenths / 10}% less`
}

/** The bar repeats the words beside it, so screen readers skip it. */
function Glance({ glance }: Pick<Simulation, 'glance'>) {
  const unitOf = (row?: { simulated: Simulated }) =>
    row?.simulated.kind === 'quote' ? row.simulated.answer.priceCents : null
  const single = unitOf(glance[0])
  return (
    <div class="glance">
      <h3>Price by quantity</h3>
      <DataTable
        caption="Unit price by quantity"
        columns={[
          { label: 'Quantity' },
          { label: 'Unit price', kind: 'number' },
          { label: 'Subtotal', kind: 'number' },
          { label: 'Compared with 1 unit' },
        ]}
        rows={glance.map((row) => {
          const unit = unitOf(row)
          if (unit === null) return [formatCount(row.quantity), 'Declined', '–', '–']
          const share = single === null || single === 0 ? null : unit / single
          return [
            formatCount(row.quantity),
            formatUsd(unit),
            formatUsd(unit * row.quantity),
            share === null ? (
              '–'
            ) : (
              <span class="against">
                <span>{savingWords(share)}</span>
                <svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                  <rect class="bar-track" width="100" height="1" />
                  <rect class="bar-fill" width={Math.round(share * 100)} height="1" />
                </svg>
              </span>
            ),
          ]
        })}
      />
    </div>
  )
}
