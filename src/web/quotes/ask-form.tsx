/**
 * The form that asks every seller of a product, and how it is read. It stands on the product's page, which is cached and
 * the same for everybody, so it holds nothing of its reader: no token, no date of today.
 */
import { z } from 'zod'
import { MAX_VARIANT, variantChoices } from '../../catalog/chosen-variant.ts'
import { categoryPath, type ProductProfile, slugOf } from '../../catalog/profile.ts'
import { findVariant } from '../../catalog/variants.ts'
import { MAX_REGION, typedRegion } from '../../lib/regions.ts'
import { isDay, MAX_QUANTITY, type RfqRequest } from '../../rfq/rfq.schema.ts'
import type { AskedFor } from '../../rfq/rfq.service.ts'
import { formatCount } from '../format.ts'
import { Form, type FormState, Hidden } from '../kit/fields.tsx'
import { Fields, type FormSpec } from '../kit/form.tsx'
import { readPlace } from '../kit/region.ts'

export const QUOTES_PATH = '/quotes'
export const ASK_PATH = '/quotes/new'

export const ASK_FORM: FormSpec = {
  quantity: { kind: 'number', label: 'Quantity', min: 1, max: MAX_QUANTITY, required: true },
  delivery_region: { kind: 'region', label: 'Deliver to (optional)', max: MAX_REGION },
  deadline_iso: { kind: 'date', label: 'Needed by (optional)' },
}

/** The fields for one product: which variant comes first, where it has some. */
function fieldsFor({ variants }: ProductProfile): FormSpec {
  if (variants.length === 0) return ASK_FORM
  return {
    variant: { kind: 'choice', label: 'Variant', options: variantChoices(variants) },
    ...ASK_FORM,
  }
}

/** A link may name the variant in any way. */
function filledIn({ variants }: ProductProfile, values: FormState['values'] = {}): FormState['values'] {
  const variant = values.variant ? findVariant(variants, values.variant) : null
  return { quantity: '1', ...values, ...(variant && { variant: variant.id }) }
}

export function AskForm({ profile, state }: { profile: ProductProfile; state?: FormState }) {
  if (profile.discontinued)
    return (
      <p class="soft">
        This product is discontinued, so you can't request quotes.{' '}
        <a href={categoryPath(profile.category)}>See other products in {profile.category.label}</a>.
      </p>
    )
  return (
    <div class="ask-sellers">
      <p class="soft">
        We ask every seller now, rank their answers and sign them. You don't commit to buying anything.
      </p>
      <Form action={QUOTES_PATH} label="Ask every seller">
        <Hidden name="product_slug" value={slugOf(profile)} />
        <Fields
          of={fieldsFor(profile)}
          state={{ errors: {}, ...state, values: filledIn(profile, state?.values) }}
        />
      </Form>
    </div>
  )
}

const quantity = z
  .string()
  .default('1')
  .transform((text, context) => {
    const digits = text.trim().replaceAll(',', '')
    const count = /^\d{1,9}$/.test(digits) ? Number(digits) : 0
    if (count >= 1 && count <= MAX_QUANTITY) return count
    const message = `Enter a whole number from 1 to ${formatCount(MAX_QUANTITY)}.`
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })

const place = z
  .string()
  .max(MAX_REGION, `Use at most ${MAX_REGION} characters.`)
  .default('')
  .transform((text, context): string | null => {
    if (text.trim() === '') return null
    const read = readPlace(text)
    if ('region' in read) return read.region
    context.addIssue({ code: 'custom', message: read.problem })
    return z.NEVER
  })

export const AskRequest: z.ZodType<RfqRequest> = z.object({
  product_slug: z
    .string()
    .trim()
    .min(1, 'Choose a product first.')
    .max(200, "We can't find this product.")
    .default(''),
  quantity,
  delivery_region: place,
  deadline_iso: z
    .string()
    .default('')
    .transform((text) => text.trim() || null)
    .refine((text) => text === null || isDay(text), 'Enter a date as year, month and day: 2026-12-01.'),
  variant: z
    .string()
    .max(MAX_VARIANT, 'Choose one of the variants.')
    .default('')
    .transform((text) => text.trim() || null),
})

/** The filled form of a request that was made before. */
export function askAgainPath(task: AskedFor): string {
  const query = new URLSearchParams({ product_slug: task.productSlug, quantity: String(task.quantity) })
  if (task.deliveryRegion !== null) query.set('delivery_region', typedRegion(task.deliveryRegion))
  if (task.deadlineIso !== null) query.set('deadline_iso', task.deadlineIso.slice(0, 10))
  if (task.variant !== null) query.set('variant', task.variant.id)
  return `${ASK_PATH}?${query}`
}
