/**
 * The form of one product's rules. It holds all of them, so an empty field clears its rule. The two limits are the
 * exception: nobody is ever shown them, so an empty field leaves them alone, and a box takes one away.
 */
import { z } from 'zod'
import { readDollars, typedDollars } from '../../../lib/money.ts'
import { MAX_DAYS, ProductRules, type ShownRules } from '../../../pricing/pricing.schema.ts'
import { Check, Field, type FormState, Select, TextArea } from '../../kit/fields.tsx'
import { labelledIssues } from '../../kit/labelled-issues.ts'
import { ActionForm, type Visitor } from '../page.tsx'

const LABELS = {
  max_discount_pct: 'Largest discount (%)',
  lead_time_days: 'Delivery time (business days)',
  return_policy_days: 'Returns (days)',
  in_stock: 'Stock',
  delivery_regions: 'Delivered to',
  shipping_cost_usd: 'Shipping for the whole order (USD)',
  reserve_price_usd: 'Lowest price (USD)',
  min_margin_pct: 'Least margin (%)',
} as const
type RuleName = keyof typeof LABELS

export const LIMITS = ['reserve_price_usd', 'min_margin_pct'] as const

export const RulesForm = z.record(z.string(), z.string()).transform((form, check): ProductRules => {
  const refuse = (field: string, message: string) =>
    check.issues.push({ code: 'custom', path: [field], message, input: undefined })
  const typed = (name: RuleName) => form[name]?.trim() ?? ''
  const number = (name: RuleName) => (typed(name) === '' ? null : Number(typed(name)))
  const dollars = (name: RuleName) => (typed(name) === '' ? null : inDollars(typed(name)))
  const limit = (name: (typeof LIMITS)[number], read: (name: RuleName) => number | null) => {
    const clear = form[`clear_${name}`] === 'on'
    if (clear && typed(name) !== '')
      refuse(name, `${LABELS[name]}: give a new one, or tick the box to remove it, not both`)
    return clear ? null : (read(name) ?? undefined)
  }
  const lines = typed('delivery_regions')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  // "US, CA" would be read as California by the rule that knows "CA, US".
  const several = lines.find((line) => /[,;]/.test(line))
  if (several !== undefined)
    refuse('delivery_regions', `${LABELS.delivery_regions}: put each on a line of its own`)
  const parsed = ProductRules.safeParse(
    {
      max_discount_pct: number('max_discount_pct'),
      lead_time_days: number('lead_time_days'),
      return_policy_days: number('return_policy_days'),
      in_stock: form.in_stock ? form.in_stock === 'yes' : null,
      delivery_regions: lines.length === 0 || several !== undefined ? null : lines,
      shipping_cost_usd: dollars('shipping_cost_usd'),
      reserve_price_usd: limit('reserve_price_usd', dollars),
      min_margin_pct: limit('min_margin_pct', number),
    },
    { reportInput: true },
  )
  if (parsed.success) return parsed.data
  for (const [field, message] of Object.entries(labelledIssues(parsed.error, LABELS))) refuse(field, message)
  return z.NEVER
})

/** Not a number where it is no sum of money, which the schema then refuses beside the field. */
function inDollars(typed: string): number {
  const cents = readDollars(typed)
  return cents === null ? Number.NaN : cents / 100
}

export function RulesFields({
  visitor,
  action,
  rules,
  state,
}: {
  visitor: Visitor
  action: string
  rules: ShownRules
  state: FormState
}) {
  const filled = (name: keyof ShownRules) => rules[name]?.toString()
  const shipping = rules.shipping_cost_usd
  const stock = rules.in_stock == null ? '' : rules.in_stock ? 'yes' : 'no'
  return (
    <ActionForm visitor={visitor} action={action} label="Save rules">
      <Field
        state={state}
        name="max_discount_pct"
        label={LABELS.max_discount_pct}
        type="number"
        autocomplete="off"
        min={0}
        max={100}
        step={0.01}
        value={filled('max_discount_pct')}
        hint="No volume discount goes beyond it. Empty: no limit."
      />
      <Field
        state={state}
        name="lead_time_days"
        label={LABELS.lead_time_days}
        type="number"
        autocomplete="off"
        min={0}
        max={MAX_DAYS}
        value={filled('lead_time_days')}
        hint="Monday to Friday. Empty: not stated."
      />
      <Field
        state={state}
        name="return_policy_days"
        label={LABELS.return_policy_days}
        type="number"
        autocomplete="off"
        min={0}
        max={MAX_DAYS}
        value={filled('return_policy_days')}
        hint="0: no returns. Empty: not stated."
      />
      <Select
        state={state}
        name="in_stock"
        label={LABELS.in_stock}
        options={[
          ['', 'Not stated: counts as in stock'],
          ['yes', 'In stock'],
          ['no', 'Out of stock: quotes are listed last'],
        ]}
        value={stock}
      />
      <TextArea
        state={state}
        name="delivery_regions"
        label={LABELS.delivery_regions}
        rows={3}
        value={rules.delivery_regions?.join('\n')}
        hint="One on a line: US for a country, CA-US for a state. Empty: everywhere."
      />
      <Field
        state={state}
        name="shipping_cost_usd"
        label={LABELS.shipping_cost_usd}
        autocomplete="off"
        value={shipping == null ? undefined : typedDollars(Math.round(shipping * 100))}
        hint="0: free. Empty: not stated."
      />
      <Limits state={state} />
    </ActionForm>
  )
}

function Limits({ state }: { state: FormState }) {
  return (
    <fieldset class="fields limits">
      <legend>Limits</legend>
      <p class="hint">
        Kept encrypted and never shown again, not even on this page. Leave a field empty to keep what is set.
      </p>
      <Field
        state={state}
        name="reserve_price_usd"
        label={LABELS.reserve_price_usd}
        autocomplete="off"
        hint="No quote for one unit goes below it."
      />
      <Check state={state} name="clear_reserve_price_usd" label="Remove the lowest price" />
      <Field
        state={state}
        name="min_margin_pct"
        label={LABELS.min_margin_pct}
        type="number"
        autocomplete="off"
        min={0}
        max={99.99}
        step={0.01}
        hint="The share of the price that must lie above the lowest price."
      />
      <Check state={state} name="clear_min_margin_pct" label="Remove the least margin" />
    </fieldset>
  )
}
