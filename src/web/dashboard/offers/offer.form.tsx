/**
 * The form of an offer with its preview. The schema of REST and tools judges what is saved; a preview is made of what
 * can be read already, because people look at it while they type.
 */
import { z } from 'zod'
import type { Variant } from '../../../catalog/catalog.schema.ts'
import { variantChoices, variantLabel } from '../../../catalog/chosen-variant.ts'
import { isSale, offerTypeWords, type PromotedOffer } from '../../../catalog/promoted-offer.ts'
import { findVariant } from '../../../catalog/variants.ts'
import { cleanLine } from '../../../lib/text.ts'
import {
  MAX_HEADLINE,
  OFFER,
  type OfferCreate,
  OfferCreateRequest,
  type OfferTerms,
} from '../../../offers/offer.model.ts'
import { momentWords } from '../../components/moment.tsx'
import { OfferList } from '../../components/offer-list.tsx'
import { capital, countOf } from '../../format.ts'
import { Carried, type FormState, Hidden } from '../../kit/fields.tsx'
import {
  entityFields,
  type FieldSpec,
  Fields,
  type FormSpec,
  formOf,
  requestOf,
  typedOf,
} from '../../kit/form.tsx'
import { Panel } from '../../kit/parts.tsx'
import { webUrl } from '../../safe.ts'
import type { Visitor } from '../guard.tsx'
import { OFFERS_PATH } from '../paths.ts'

type Form = Record<string, string>

export const PREVIEW_PATH = `${OFFERS_PATH}/preview`
/** What the script replaces with a newer preview. */
const PREVIEW_ID = 'offer-preview'
export const FORM_ID = 'offer-form'

const TERMS = entityFields(OFFER, {
  detail: { kind: 'long' },
  destination_url: { kind: 'url', hint: 'Where a click leads: the page where people can use the offer.' },
  list_price_usd: { hint: 'The price before the offer, in US dollars.' },
  starts_at: { hint: 'In UTC. Leave it empty to start now.' },
  expires_at: { hint: 'In UTC. Leave it empty for no end.' },
  promo_code: { hint: 'What to type at checkout.' },
  variant: { hint: 'Its options (Red / M), SKU or id. Leave it empty for all variants.' },
  offer_types: {
    options: (OFFER.fields.offerTypes.choices ?? []).map((type) => [type, capital(offerTypeWords(type))]),
  },
})

export const OFFER_FORM: FormSpec = {
  product_slug: { kind: 'product', label: 'Product', required: true, empty: 'text' },
  ...TERMS,
}

const Terms = formOf(OFFER_FORM, OfferCreateRequest, {
  product_slug: 'Choose the product that the offer is for.',
})

export type OfferForm =
  | { kind: 'preview'; form: Form }
  | { kind: 'save'; form: Form; offer: OfferCreate; publish: boolean; version: Date | null }

/** `preview` is sent by the button of that name; then nothing is judged. */
export const OfferForm = z.record(z.string(), z.string()).transform((form, check): OfferForm => {
  if (form.preview !== undefined) return { kind: 'preview', form }
  const parsed = Terms.safeParse(form)
  const version = form.version === undefined ? null : new Date(Date.parse(form.version) || 0)
  if (parsed.success)
    return { kind: 'save', form, offer: parsed.data, publish: form.save === 'show', version }
  check.issues.push(...parsed.error.issues.map((issue) => ({ ...issue, input: undefined })))
  return z.NEVER
})

/** What the form is filled in with. */
export const valuesOf = (terms: OfferTerms): Form => typedOf(OFFER_FORM, OFFER.write(terms, 'dollars'))

type Draft = { offer: PromotedOffer; destination: string | null; headlineLeft: number }

const UNREADABLE = { product_slug: 'a', headline: 'Your headline', destination_url: 'https://a.example/' }

/** The offer as buyers would see it, without what cannot be read yet. */
function draftOf({ org }: Visitor, form: Form, variants: readonly Variant[]): Draft {
  const typed = [...cleanLine(form.headline ?? '')]
  const headline = typed.slice(0, MAX_HEADLINE).join('')
  const { input, terms } = readable({ ...requestOf(OFFER_FORM, form), headline })
  const { destinationUrl, variant: named, ...shown } = terms
  const variant = named === null ? null : findVariant(variants, named)
  const { name, orgType, verificationStatus } = org
  const verified = verificationStatus === 'verified'
  const seller = { name, orgType, verified, domain: verified ? org.domain : null }
  return {
    offer: {
      ...{ id: 'preview', ...shown, seller },
      ...(variant && { variant: { id: variant.id, name: variantLabel(variant), isListed: true } }),
    },
    destination: 'destination_url' in input ? destinationUrl : null,
    headlineLeft: MAX_HEADLINE - typed.length,
  }
}

/** Drops refused fields until nothing is refused: rules between fields apply once each field is right. */
function readable(input: Record<string, unknown>): { input: Record<string, unknown>; terms: OfferTerms } {
  const parsed = OfferCreateRequest.safeParse({ ...UNREADABLE, ...input })
  if (parsed.success) return { input, terms: parsed.data.terms }
  const wrong = new Set(parsed.error.issues.map(({ path }) => path[0]))
  return readable(Object.fromEntries(Object.entries(input).filter(([name]) => !wrong.has(name))))
}

type PreviewProps = {
  visitor: Visitor
  values: Form
  /** Those of the product, as far as it is known. */
  variants: readonly Variant[]
  now: Date
  typing?: boolean
}

/** The offer as the product page shows it. `typing` adds what helps while the form is open. */
export function Preview({ visitor, values, variants, now, typing = false }: PreviewProps) {
  const { offer, destination, headlineLeft } = draftOf(visitor, values, variants)
  const href = destination === null ? null : webUrl(destination)
  return (
    <div id={PREVIEW_ID} class="preview">
      <OfferList profile={{ slug: '', offers: [offer] }} href={() => href} />
      <ul class="plain-list row-note">
        {typing && <li>Headline: {leftWords(headlineLeft)}.</li>}
        <li>In lists, the product is marked “{isSale(offer) ? 'On sale' : 'Offer'}”.</li>
        <li>{windowWords(offer, now)}</li>
        {href === null && <li>Add a destination to turn the headline into a link.</li>}
      </ul>
    </div>
  )
}

function leftWords(left: number): string {
  return `${countOf(Math.abs(left), 'character')} ${left < 0 ? 'too many' : 'left'}`
}

function windowWords({ startsAt, expiresAt }: PromotedOffer, now: Date): string {
  if (expiresAt !== null && expiresAt <= now) return 'It has ended, so buyers do not see it.'
  if (startsAt !== null && startsAt > now) return `Buyers see it from ${momentWords(startsAt)}.`
  return expiresAt === null ? 'Buyers see it until you end it.' : `Ends ${momentWords(expiresAt)}.`
}

/** With the one that the offer is for, also when the catalog has dropped it. */
function choicesFor(variants: readonly Variant[], chosen: string | undefined): FieldSpec['options'] {
  const gone = chosen && !variants.some(({ id }) => id === chosen)
  const choices = variantChoices(variants, 'All variants')
  return gone ? [...choices, [chosen, `${cleanLine(chosen)}, no longer listed`]] : choices
}

type Save = readonly [value: string, label: string]
type OfferFieldsProps = {
  visitor: Visitor
  action: string
  state: FormState
  now: Date
  /** An offer that exists keeps its product; the version tells whether somebody changed it meanwhile. */
  kept?: { product_slug: string; version: string }
  /** The products to choose from; without them the name is typed. */
  products?: ReadonlyArray<readonly [slug: string, title: string]>
  /** Of the product, to choose from where it is settled. */
  variants: readonly Variant[]
  saves: readonly Save[]
}

/** The form, and beside it the preview, which follows the typing where there is a script. */
export function OfferFields(props: OfferFieldsProps) {
  const { visitor, action, state, now, kept, products, variants, saves } = props
  const { values } = state
  const left = MAX_HEADLINE - [...cleanLine(values.headline ?? '')].length
  const form: FormSpec = {
    ...OFFER_FORM,
    ...(products && {
      product_slug: {
        ...{ kind: 'choice', label: 'Product', options: [['', 'Choose a product'], ...products] },
      },
    }),
    ...(kept && {
      variant: { kind: 'choice', label: 'Variant', options: choicesFor(variants, values.variant) },
    }),
    headline: {
      ...{ kind: 'text', label: 'Headline', required: true },
      hint: `At most ${MAX_HEADLINE} characters: ${leftWords(left)}.`,
    },
  }
  const fields = (...only: string[]) => <Fields of={form} state={state} only={only} />
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
          <Carried />
          {kept
            ? Object.entries(kept).map(([name, value]) => <Hidden name={name} value={value} />)
            : fields('product_slug')}
          {(!kept || variants.length > 0 || values.variant) && fields('variant')}
          {fields('headline', 'detail', 'destination_url')}
          <div class="pair">{fields('price_usd', 'list_price_usd')}</div>
          <div class="pair">{fields('starts_at', 'expires_at')}</div>
          {fields('promo_code', 'offer_types')}
          <div class="console-actions">
            {saves.map(([value, label], index) => (
              <button class={index === 0 ? 'button' : 'button plain'} type="submit" name="save" value={value}>
                {label}
              </button>
            ))}
            <button class="button plain" type="submit" name="preview" value="1" formnovalidate>
              Preview
            </button>
          </div>
        </form>
      </Panel>
      <Panel title="Preview" lead="How buyers see it on the product page.">
        <Preview visitor={visitor} values={values} variants={variants} now={now} typing />
      </Panel>
    </div>
  )
}
