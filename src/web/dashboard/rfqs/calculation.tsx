/** How managed pricing arrives at its answer, for those who set the rules: as it would be calculated now. */
import { formatUsd } from '../../../lib/money.ts'
import type { Simulated } from '../../../rfq/simulate.service.ts'
import { DataTable } from '../../kit/parts.tsx'
import { PRICING_PATH } from '../paths.ts'

export type Calculated = NonNullable<Simulated['calculation']>

export function Calculation({ calculated: { steps, limited } }: { calculated: Calculated }) {
  if (steps.length === 0) return null
  return (
    <div>
      <h4>How your rules calculate it now</h4>
      <DataTable
        caption="Steps of the calculation"
        columns={[{ label: 'Step' }, { label: 'Price each', kind: 'number' }]}
        rows={steps.map(({ label, unitPriceCents }) => [label, formatUsd(unitPriceCents)])}
      />
      {limited && <p class="hint">The price is then raised to the lowest that you allow.</p>}
      <p class="hint">
        The rules or prices may have changed since this request. <a href={PRICING_PATH}>See your pricing</a>
      </p>
    </div>
  )
}
