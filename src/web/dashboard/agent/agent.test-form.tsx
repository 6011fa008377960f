/**
 * A press of a button sends the agent one request as a buyer's would be. What to ask for is chosen here, or left to the
 * service; what is typed is checked before anything is sent.
 */
import { z } from 'zod'
import { RfqRequest } from '../../../rfq/rfq.schema.ts'
import { type AskedTest, MOST_TESTS } from '../../../rfq/test-rfq.service.ts'
import { Field, type FormState } from '../../kit/fields.tsx'
import { labelledIssues } from '../../kit/labelled-issues.ts'
import { ActionForm, type Visitor } from '../page.tsx'
import { AGENT_PATH } from '../paths.ts'
import { QuantityField, REQUEST_LABELS, RegionField, typedQuantity } from '../request.fields.tsx'

export const TEST_PATH = `${AGENT_PATH}/test`

/** What can be asked for: names to choose from, as many as a list can usefully hold. */
export type TestableProduct = { slug: string; title: string }

export const TestForm = z.record(z.string(), z.string()).transform((form, check): AskedTest => {
  const typed = form.product_slug?.trim() ?? ''
  const parsed = RfqRequest.safeParse(
    {
      product_slug: typed || 'any',
      quantity: typedQuantity(form.quantity),
      delivery_region: form.delivery_region,
    },
    { reportInput: true },
  )
  if (parsed.success)
    return {
      ...(typed && { productSlug: typed }),
      quantity: parsed.data.quantity,
      deliveryRegion: parsed.data.delivery_region,
    }
  for (const [field, message] of Object.entries(labelledIssues(parsed.error, REQUEST_LABELS)))
    check.issues.push({ code: 'custom', path: [field], message, input: undefined })
  return z.NEVER
})

type TestFormProps = {
  visitor: Visitor
  state: FormState
  products: TestableProduct[]
  isManaged: boolean
  label?: string
}

export function TestNow({ visitor, state, products, isManaged, label = 'Test now' }: TestFormProps) {
  return (
    <>
      <p class="soft">
        {isManaged
          ? 'Shows what Souk would answer a buyer for you now. Nothing is sent.'
          : `Sends your agent one request, signed and worded as a real one, and shows what was sent and what came back. No buyer sees it, and a bad answer is not held against your agent. ${MOST_TESTS} tests an hour are possible.`}
      </p>
      <ActionForm visitor={visitor} action={TEST_PATH} label={label} kind="plain">
        <div class="filters">
          <Field
            state={state}
            name="product_slug"
            label={REQUEST_LABELS.product_slug}
            autocomplete="off"
            list="test-products"
            maxlength={200}
            hint="Empty: your newest"
          />
          <QuantityField state={state} />
          <RegionField state={state} value="CA-US" />
        </div>
        <datalist id="test-products">
          {products.map(({ slug, title }) => (
            <option value={slug}>{title}</option>
          ))}
        </datalist>
      </ActionForm>
    </>
  )
}
