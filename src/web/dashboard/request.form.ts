/** The request that sellers try their agent or their rules with: one form, judged by the schema of real requests. */
import { MAX_QUANTITY, RfqRequest } from '../../rfq/rfq.schema.ts'
import { type FormSpec, formOf } from '../kit/form.tsx'

export const REQUEST_FIELDS: FormSpec = {
  product_slug: {
    ...{ kind: 'text', label: 'Product', max: 200 },
    hint: 'Leave empty for your newest product.',
  },
  quantity: { kind: 'number', label: 'Quantity', min: 1, max: MAX_QUANTITY, hint: 'Units. Defaults to 1.' },
  delivery_region: {
    ...{ kind: 'region', label: 'Deliver to', max: 60 },
    hint: 'Optional, such as California or Germany.',
  },
  variant: { kind: 'choice', label: 'Variant' },
  deadline_iso: { kind: 'date', label: 'Needed by', hint: 'Optional.' },
}

export const RequestForm = formOf(REQUEST_FIELDS, RfqRequest)
