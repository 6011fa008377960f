/** The fields of an offer with its preview beside them. The preview follows the typing where there is a script. */
import type { Child } from 'hono/jsx'
import { offerTypeWords } from '../../../catalog/promoted-offer.ts'
import { MAX_DETAIL, MAX_HEADLINE, MAX_PROMO_CODE, OFFER_TYPES } from '../../../offers/offer.model.ts'
import { capital } from '../../format.ts'
import { Check, Field, type FormState, TextArea } from '../../kit/fields.tsx'
import { Panel } from '../../kit/parts.tsx'
import { ForOrg, type Visitor } from '../page.tsx'
import { type Draft, draftOf, FIELD_LABELS, typeField } from './offer.form.ts'
import { PREVIEW_PATH } from './offers.filter.ts'
import { leftWords, PREVIEW_ID, Preview } from './preview.tsx'

export const FORM_ID = 'offer-form'

type OfferFormProps = {
  visitor: Visitor
  action: string
  state: FormState
  now: Date
  /** The product, and whatever else the form carries. */
  product: Child
  /** The buttons that save. */
  buttons: Child
}

export function OfferFields({ visitor, action, state, now, product, buttons }: OfferFormProps) {
  const draft = draftFor(visitor, state)
  const field = (name: string) => ({ state, name, label: FIELD_LABELS[name] ?? name, autocomplete: 'off' })
  return (
    <div class="side-by-side offer-sides">
      <Panel title="Terms">
        <form
          class="fields"
          id={FORM_ID}
          method="post"
          action={action}
          data-preview={PREVIEW_PATH}
          data-preview-into={PREVIEW_ID}
        >
          <ForOrg visitor={visitor} />
          {product}
          <Field
            {...field('headline')}
            required
            hint={`At most ${MAX_HEADLINE} characters: ${leftWords(draft.headlineLeft)}.`}
          />
          <TextArea
            {...field('detail')}
            rows={2}
            hint={`At most ${MAX_DETAIL} characters. Leave it empty for none.`}
          />
          <Field
            {...field('destination_url')}
            type="url"
            required
            hint="Where a click leads: the page where the offer can be taken."
          />
          <div class="pair">
            <Field {...field('price_usd')} hint="In dollars, such as 24.99." />
            <Field {...field('list_price_usd')} hint="In dollars, before the offer." />
          </div>
          <div class="pair">
            <Field {...field('starts_at')} type="datetime-local" hint="In UTC. Empty: at once." />
            <Field {...field('expires_at')} type="datetime-local" hint="In UTC. Empty: no end." />
          </div>
          <Field
            {...field('promo_code')}
            hint={`What to type at the checkout, at most ${MAX_PROMO_CODE} characters.`}
          />
          <fieldset class="boxes">
            <legend>{FIELD_LABELS.offer_types}</legend>
            {OFFER_TYPES.map((type) => (
              <Check state={state} name={typeField(type)} label={capital(offerTypeWords(type))} />
            ))}
          </fieldset>
          <div class="console-actions">
            {buttons}
            <button class="button plain" type="submit" name="preview" value="1" formnovalidate>
              Preview
            </button>
          </div>
        </form>
      </Panel>
      <Panel title="Preview" lead="As the product's page will show it.">
        <Preview draft={draft} now={now} typing />
      </Panel>
    </div>
  )
}

export function draftFor({ org }: Visitor, { values }: Pick<FormState, 'values'>): Draft {
  const { name, orgType, verificationStatus } = org
  const verified = verificationStatus === 'verified'
  return draftOf(values, { name, orgType, verified, domain: verified ? org.domain : null })
}
