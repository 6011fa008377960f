/** The fields of a request that a producer tries out, on their agent or on their rules: the same words and bounds for both. */
import { MAX_QUANTITY } from '../../rfq/rfq.schema.ts'
import { Field, type FormState } from '../kit/fields.tsx'

export const REQUEST_LABELS = {
  product_slug: 'Product',
  quantity: 'Quantity',
  delivery_region: 'Deliver to',
  deadline_iso: 'Needed by',
} as const

export function QuantityField({ state }: { state: FormState }) {
  return (
    <Field
      state={state}
      name="quantity"
      label={REQUEST_LABELS.quantity}
      type="number"
      autocomplete="off"
      min={1}
      max={MAX_QUANTITY}
      value="1"
      hint="Units"
    />
  )
}

export function RegionField({ state, value }: { state: FormState; value?: string }) {
  return (
    <Field
      state={state}
      name="delivery_region"
      label={REQUEST_LABELS.delivery_region}
      autocomplete="off"
      maxlength={60}
      value={value}
      hint="Such as CA-US, or empty"
    />
  )
}

/** Thousands may be set apart; nothing typed is one. What is no number is left to the schema to refuse. */
export function typedQuantity(typed: string | undefined): number {
  const text = typed?.trim() ?? ''
  return text === '' ? 1 : Number(text.replaceAll(',', ''))
}
