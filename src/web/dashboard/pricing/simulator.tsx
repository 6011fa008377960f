/**
 * What Souk would answer a buyer for one product: the price, how it came about, and the price of several quantities at
 * a glance. A form that only asks, so that its address can be kept and sent to a colleague.
 */
import { formatUsd } from '../../../lib/money.ts'
import { DECLINE_TEXTS } from '../../../pricing/pricing.schema.ts'
import { totalOf } from '../../../rfq/quote.schema.ts'
import type { RfqRequest } from '../../../rfq/rfq.schema.ts'
import type { Simulated } from '../../../rfq/simulate.service.ts'
import { Moment } from '../../components/moment.tsx'
import { countOf, formatCount, formatDate } from '../../format.ts'
import { Field, type FormState } from '../../kit/fields.tsx'
import { DataTable, Panel, State } from '../../kit/parts.tsx'
import { OFFERS_PATH, ORGANIZATION_PATH } from '../paths.ts'
import { QuantityField, REQUEST_LABELS, RegionField } from '../request.fields.tsx'

export type Simulation = {
  state: FormState
  /** Null when what was asked cannot be. */
  answer: { request: RfqRequest; simulated: Simulated } | null
  glance: Array<{ quantity: number; simulated: Simulated }>
}

type SimulatorProps = { path: string; isManaged: boolean; simulation: Simulation }

export function Simulator({ path, isManaged, simulation }: SimulatorProps) {
  const { state, answer, glance } = simulation
  return (
    <Panel
      title="Simulator"
      lead={`What Souk would answer a buyer now. Nothing is stored or sent.${
        isManaged ? '' : ' Managed pricing is off, so no buyer gets this answer at present.'
      }`}
    >
      <form class="filters" method="get" action={`${path}#simulator`}>
        <QuantityField state={state} />
        <RegionField state={state} />
        <Field
          state={state}
          name="deadline_iso"
          label={REQUEST_LABELS.deadline_iso}
          type="date"
          autocomplete="off"
          hint="A day, or empty"
        />
        <button class="button" type="submit">
          Simulate
        </button>
      </form>
      {answer && <Answer {...answer} />}
      {glance.length > 0 && <Glance glance={glance} />}
    </Panel>
  )
}

function Answer({ request, simulated }: NonNullable<Simulation['answer']>) {
  return (
    <div class="simulated">
      <h3>{askedWords(request)}</h3>
      {simulated.kind === 'decline' ? (
        <Decline simulated={simulated} />
      ) : (
        <Quote {...{ request, simulated }} />
      )}
      <Steps simulated={simulated} />
    </div>
  )
}

function askedWords({ quantity, delivery_region: region, deadline_iso: deadline }: RfqRequest): string {
  const day = deadline === null ? null : formatDate(deadline.slice(0, 10))
  return [countOf(quantity, 'unit'), region && `to ${region}`, day && `by ${day}`].filter(Boolean).join(' ')
}

function Quote({
  request,
  simulated,
}: {
  request: RfqRequest
  simulated: Extract<Simulated, { kind: 'quote' }>
}) {
  const { answer, quote } = simulated
  const meets = quote.kind === 'quote' ? quote.meetsDeadline : null
  const total = totalOf(answer, request.quantity)
  return (
    <>
      <p class="line">
        <strong class="price">{formatUsd(answer.priceCents)}</strong>
        <span>{request.quantity === 1 ? 'for one unit' : 'for each unit'}</span>
        <State tone={answer.inStock ? 'good' : 'mixed'}>
          {answer.inStock ? 'Would quote' : 'Would quote, out of stock: listed last'}
        </State>
        {meets !== null && (
          <State tone={meets ? 'good' : 'bad'}>{meets ? 'In time' : 'Too late for that day'}</State>
        )}
      </p>
      <p>
        {formatUsd(total)} in all, {shippingWords(answer.shippingCostCents)}.
        {answer.listPriceCents !== null && ` List price ${formatUsd(answer.listPriceCents)}.`}
        {answer.terms !== null && ` ${answer.terms}`}
      </p>
      <p class="soft">
        The buyer would be sent to <span class="break">{answer.claimUrl}</span>. The price would hold until{' '}
        <Moment at={answer.offerExpiresAt} />.
      </p>
    </>
  )
}

function shippingWords(cents: number | null): string {
  if (cents === null) return 'shipping not stated'
  return cents === 0 ? 'with free shipping' : `with ${formatUsd(cents)} for shipping`
}

/** Why, and where to mend it. */
function Decline({ simulated }: { simulated: Extract<Simulated, { kind: 'decline' }> }) {
  const { reason, quote } = simulated
  return (
    <>
      <p>
        <State tone="bad">Would decline</State>
      </p>
      <p>
        {reason} {quote === null && <WhereToMend reason={reason} />}
        {reason === DECLINE_TEXTS.limits_lost && 'Enter both limits above, or remove them.'}
      </p>
    </>
  )
}

function WhereToMend({ reason }: { reason: string }) {
  return /price/.test(reason) ? (
    <a href={OFFERS_PATH}>Go to your offers</a>
  ) : (
    <a href={ORGANIZATION_PATH}>Prove your domain or give a website</a>
  )
}

function Steps({ simulated: { calculation } }: { simulated: Simulated }) {
  if (calculation === null)
    return <p class="soft">Owners and admins are also shown how the price is worked out.</p>
  if (calculation.steps.length === 0) return null
  return (
    <div>
      <h4>How it is worked out</h4>
      <ol class="worked-out">
        {calculation.steps.map(({ label, unitPriceCents }) => (
          <li>
            {label}: <strong>{formatUsd(unitPriceCents)}</strong>
          </li>
        ))}
        {calculation.limited && <li>Raised to your own limit</li>}
      </ol>
    </div>
  )
}

function lessWords(share: number): string {
  if (share >= 1) return 'The same'
  const tenths = Math.round((1 - share) * 1000)
  return tenths === 0 ? 'Under 0.1% less' : `${tenths / 10}% less`
}

/** The bar repeats what the words beside it say, so it is hidden from screen readers. */
function Glance({ glance }: Pick<Simulation, 'glance'>) {
  const unitOf = ({ simulated }: { simulated: Simulated }) =>
    simulated.kind === 'quote' ? simulated.answer.priceCents : null
  const [one] = glance
  const single = one ? unitOf(one) : null
  return (
    <div class="glance">
      <h3>At a glance</h3>
      <DataTable
        caption="Unit price by quantity"
        columns={[
          { label: 'Quantity' },
          { label: 'Unit price', kind: 'number' },
          { label: 'All units', kind: 'number' },
          { label: 'Against one unit' },
        ]}
        rows={glance.map((row) => {
          const unit = unitOf(row)
          const share = unit === null || single === null || single === 0 ? null : unit / single
          return [
            formatCount(row.quantity),
            unit === null ? 'Declined' : formatUsd(unit),
            unit === null ? '–' : formatUsd(unit * row.quantity),
            share === null ? (
              '–'
            ) : (
              <span class="against">
                <span>{lessWords(share)}</span>
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
