/**
 * The form that asks every seller of a product. It stands on the product's page, which is kept and the same for everybody,
 * so it holds nothing of its reader: no token, no date of today.
 */
import { categoryPath, type ProductProfile, slugOf } from '../../catalog/profile.ts'
import { MAX_QUANTITY } from '../../rfq/rfq.schema.ts'
import { Field, Form, type FormState, Hidden, UNTOUCHED } from '../kit/fields.tsx'
import { STATE_NAMES } from '../kit/region.ts'
import { MAX_PLACE, QUOTES_PATH } from './ask-request.ts'

export function AskForm({ profile, state = UNTOUCHED }: { profile: ProductProfile; state?: FormState }) {
  if (profile.discontinued) return <NotAsked profile={profile} />
  return (
    <div class="ask-sellers">
      <p class="soft">
        Everyone who sells this is asked at once. The answers are ranked and signed, and nothing is bought.
      </p>
      <Form action={QUOTES_PATH} label="Ask every seller">
        <Hidden name="product_slug" value={slugOf(profile)} />
        <Field
          state={state}
          name="quantity"
          label="Quantity"
          type="number"
          autocomplete="off"
          min={1}
          max={MAX_QUANTITY}
          value="1"
          required
        />
        <Field
          state={state}
          name="delivery_region"
          label="Deliver to (optional)"
          autocomplete="off"
          hint="A US state, or region and country by code, such as ON-CA."
          maxlength={MAX_PLACE}
          list="us-states"
        />
        <datalist id="us-states">
          {STATE_NAMES.map((name) => (
            <option value={name} />
          ))}
        </datalist>
        <Field
          state={state}
          name="deadline_iso"
          label="Needed by (optional)"
          type="date"
          autocomplete="off"
        />
      </Form>
    </div>
  )
}

function NotAsked({ profile }: { profile: ProductProfile }) {
  return (
    <p class="soft">
      This product is discontinued, so sellers are not asked for quotes.{' '}
      <a href={categoryPath(profile.category)}>See what is still made in {profile.category.label}</a>.
    </p>
  )
}
