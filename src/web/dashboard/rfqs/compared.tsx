/** What quotes are compared by, in order, with the organization's own values: where it stands, and where it lost. */
import type { Child } from 'hono/jsx'
import { usd } from '../../../lib/words.ts'
import { arrivalDay } from '../../../pricing/pricing.schema.ts'
import type { InspectedRfq, OwnPromise } from '../../../rfq/inspector.service.ts'
import { deadlineOf } from '../../../rfq/rfq.schema.ts'
import { Day } from '../../components/moment.tsx'
import { countOf, formatCount } from '../../format.ts'
import { DataTable, State } from '../../kit/parts.tsx'
import { formatMs } from '../attempts/readable.ts'
import { decidedBy, MEASURE_NAMES, MEASURES, type Measure } from './why.ts'

const HEALTH = {
  active: 'Active',
  pending: 'Pending, no valid answer yet',
  unreachable: 'Unreachable',
} as const

/** Nothing without a quote that was ranked. */
export function Compared({ inspected }: { inspected: InspectedRfq }) {
  const { rfq, promised } = inspected
  if (promised === null) return null
  const decided = rfq.lossReason === null ? null : decidedBy(rfq.lossReason)
  return (
    <details>
      <summary>What is compared, in this order, and yours</summary>
      <DataTable
        caption="What quotes are compared by"
        columns={[{ label: 'First comes' }, { label: 'Yours' }]}
        rows={MEASURE_NAMES.map((measure) => [
          MEASURES[measure].name,
          <span>
            {ownValue(measure, inspected, promised)}
            {measure === decided && (
              <>
                {' '}
                <State tone="mixed">Decided here</State>
              </>
            )}
          </span>,
        ])}
      />
      <p class="hint">
        The first line in which two quotes differ decides between them. Nothing can be paid for a better
        place. <a href="/docs/rfq#ranking">How quotes are ranked</a>
      </p>
    </details>
  )
}

function ownValue(measure: Measure, inspected: InspectedRfq, { promise }: OwnPromise): Child {
  const { rfq, health } = inspected
  const { shipping_cost_usd: shipping, estimated_shipping_days: days } = promise
  switch (measure) {
    case 'stock':
      return promise.in_stock ? 'Yes' : 'No'
    case 'deadline':
      return <Arrival deadlineIso={rfq.deadlineIso} days={days} from={new Date(promise.issued_at)} />
    case 'shipping':
      return shipping === undefined ? 'Not stated' : usd(shipping)
    case 'total':
      return `${usd(promise.total_usd)}${shipping === undefined ? ', before shipping' : ''}`
    case 'days':
      return days === undefined ? 'Not stated' : countOf(days, 'business day')
    case 'health':
      return health === null ? 'Not known' : healthWords(health)
    case 'verified':
      return promise.org.verified ? 'Yes' : 'No'
    case 'link':
      return promise.claim_host === undefined ? 'Yes' : `No, it leads to ${promise.claim_host}`
    case 'speed':
      return rfq.kind === 'managed' || rfq.responseMs === null ? 'At once' : formatMs(rfq.responseMs)
  }
}

function healthWords({ status, failuresInARow }: NonNullable<InspectedRfq['health']>): string {
  const failures = failuresInARow === 0 ? '' : `, ${formatCount(failuresInARow)} failed in a row`
  return `${HEALTH[status]}${failures}`
}

type ArrivalProps = { deadlineIso: string | null; days: number | undefined; from: Date }

/** Counted as the ranking does it, from when the quotes were ranked. */
function Arrival({ deadlineIso, days, from }: ArrivalProps) {
  if (deadlineIso === null) return <>The buyer named none</>
  if (days === undefined) return <>No delivery time stated, which counts as too late</>
  const arrives = arrivalDay(from, days)
  return (
    <>
      {arrives <= deadlineOf(deadlineIso) ? 'Yes' : 'No'}, on <Day at={arrives} />
    </>
  )
}
