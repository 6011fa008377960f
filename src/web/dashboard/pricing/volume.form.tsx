/**
 * The organization's volume discounts: all of them in one form, with some empty rows for new ones, so that adding,
 * changing and removing are the same action and need no script. An emptied row is removed.
 */
import { z } from 'zod'
import { MAX_TIERS, VolumeDiscount, type VolumeTier } from '../../../pricing/pricing.schema.ts'
import { Field, type FormState } from '../../kit/fields.tsx'
import { labelledIssues } from '../../kit/labelled-issues.ts'
import { DataTable } from '../../kit/parts.tsx'
import { ActionForm, type Visitor } from '../page.tsx'
import { PRICING_PATH } from '../paths.ts'

export const VOLUME_PATH = `${PRICING_PATH}/volume`

const EMPTY_ROWS = 3
const COLUMNS = { min_qty: 'From quantity', discount_pct: 'Discount (%)' } as const
type ColumnName = keyof typeof COLUMNS

export const VolumeForm = z.record(z.string(), z.string()).transform((form, check) => {
  const refuse = (field: string, message: string) =>
    check.issues.push({ code: 'custom', path: [field], message, input: undefined })
  const tiers = new Map<number, z.output<typeof VolumeDiscount>>()
  for (const row of rowsOf(form)) {
    const typed = { min_qty: typedIn(form, 'min_qty', row), discount_pct: typedIn(form, 'discount_pct', row) }
    if (typed.min_qty === '' && typed.discount_pct === '') continue
    const given = { min_qty: numberOf(typed.min_qty), discount_pct: numberOf(typed.discount_pct) }
    const parsed = VolumeDiscount.safeParse(given, { reportInput: true })
    const at = `row ${row + 1}`
    if (!parsed.success) {
      const labels = { min_qty: `${COLUMNS.min_qty}, ${at}`, discount_pct: `${COLUMNS.discount_pct}, ${at}` }
      for (const [name, message] of Object.entries(labelledIssues(parsed.error, labels)))
        refuse(`${name}_${row}`, message)
    } else if (tiers.has(parsed.data.min_qty))
      refuse(`min_qty_${row}`, `${COLUMNS.min_qty}, ${at}: another row has this quantity already`)
    else tiers.set(parsed.data.min_qty, parsed.data)
  }
  return [...tiers.values()].sort((a, b) => a.min_qty - b.min_qty)
})

function rowsOf(form: Record<string, string>): number[] {
  const rows = Object.keys(form).flatMap((name) => {
    const digits = /^(?:min_qty|discount_pct)_(\d{1,2})$/.exec(name)?.[1]
    return digits === undefined ? [] : [Number(digits)]
  })
  return [...new Set(rows)].filter((row) => row < MAX_TIERS).sort((a, b) => a - b)
}

function typedIn(form: Record<string, string>, name: ColumnName, row: number): string {
  return form[`${name}_${row}`]?.trim() ?? ''
}

/** Nothing typed is nothing given, which the schema calls required. */
function numberOf(typed: string): number | undefined {
  return typed === '' ? undefined : Number(typed)
}

export function VolumeFields({
  visitor,
  tiers,
  state,
}: {
  visitor: Visitor
  tiers: readonly VolumeTier[]
  state: FormState
}) {
  const posted = rowsOf(state.values)
  const count = Math.min(MAX_TIERS, Math.max(tiers.length + EMPTY_ROWS, (posted.at(-1) ?? -1) + 1))
  const stored = (name: ColumnName, row: number) =>
    (name === 'min_qty' ? tiers[row]?.minQty : tiers[row]?.discountPct)?.toString()
  const cell = (name: ColumnName, row: number) => (
    <Field
      state={state}
      name={`${name}_${row}`}
      label={`${COLUMNS[name]}, row ${row + 1}`}
      labelHidden
      type="number"
      autocomplete="off"
      value={posted.length > 0 ? undefined : stored(name, row)}
      {...(name === 'min_qty' ? { min: 1, step: 1 } : { min: 0, max: 100, step: 0.01 })}
    />
  )
  return (
    <ActionForm visitor={visitor} action={VOLUME_PATH} label="Save discounts">
      <div class="tiers">
        <DataTable
          caption="Volume discounts"
          columns={[{ label: 'Row' }, { label: COLUMNS.min_qty }, { label: COLUMNS.discount_pct }]}
          rows={Array.from({ length: count }, (_, row) => [
            row + 1,
            cell('min_qty', row),
            cell('discount_pct', row),
          ])}
        />
      </div>
      <p class="hint">To remove a discount, empty its row. To add more, save: new rows come up.</p>
    </ActionForm>
  )
}
