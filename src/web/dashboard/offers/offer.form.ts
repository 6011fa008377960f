/**
 * The form of an offer: the schema of REST and tools judges it, too. A preview is made of what can be read already,
 * because it is looked at while one still types.
 */
import { z } from 'zod'
import type { PromotedOffer } from '../../../catalog/promoted-offer.ts'
import { cleanLine } from '../../../lib/text.ts'
import { invalidInput } from '../../../lib/validate.ts'
import {
  MAX_HEADLINE,
  OFFER,
  type OfferCreate,
  OfferCreateRequest,
  type OfferTerms,
} from '../../../offers/offer.model.ts'
import { choiceField, requestOf, typedOf } from '../../kit/entity-form.ts'

type Form = Record<string, string>

export const FIELD_LABELS: Record<string, string> = { product_slug: 'Product', ...OFFER.labels }

export const typeField = (type: string) => choiceField(OFFER.names.offerTypes, type)

function inputOf(form: Form): Record<string, unknown> {
  return { product_slug: form.product_slug ?? '', ...requestOf(OFFER, form) }
}

/** In the words of the form; the schema's own where they are for people already. */
const SAID: Record<string, string> = {
  product_slug: 'Choose the product that the offer is for.',
  price_usd: 'Price must be dollars, such as 24.99.',
  list_price_usd: 'List price must be dollars, such as 34.99.',
  starts_at: 'Starts must be a date and time, such as 2026-11-27 00:00.',
  expires_at: 'Ends must be a date and time, such as 2026-11-30 23:59.',
}

function saidOf(issue: z.core.$ZodIssue): string {
  const field = String(issue.path[0] ?? '')
  if (issue.code === 'custom' && issue.message === 'must be after starts_at')
    return 'Ends must be after Starts.'
  const { message } = invalidInput(new z.ZodError([issue]))
  return SAID[field] ?? `${FIELD_LABELS[field] ?? 'This'} ${message.slice(`${field}: `.length)}`
}

export type OfferForm =
  | { kind: 'preview'; form: Form }
  | { kind: 'save'; form: Form; offer: OfferCreate; show: boolean; version: Date | null }

/** `preview` is sent by the button of that name; then nothing is judged. */
export const OfferForm = z.record(z.string(), z.string()).transform((form, check): OfferForm => {
  if (form.preview !== undefined) return { kind: 'preview', form }
  const parsed = OfferCreateRequest.safeParse(inputOf(form), { reportInput: true })
  if (parsed.success)
    return {
      ...{ kind: 'save', form, offer: parsed.data, show: form.save === 'show' },
      version: versionOf(form.version),
    }
  for (const issue of parsed.error.issues)
    check.issues.push({ code: 'custom', path: issue.path, message: saidOf(issue), input: undefined })
  return z.NEVER
})

/** A version that cannot be read is none that anybody was shown, and so is older than any. */
function versionOf(text: string | undefined): Date | null {
  if (text === undefined) return null
  const time = Date.parse(text)
  return new Date(Number.isNaN(time) ? 0 : time)
}

/** What the form is filled in with. */
export const valuesOf = (terms: OfferTerms): Form => typedOf(OFFER, terms)

export type Draft = {
  offer: PromotedOffer
  destination: string | null
  /** Below zero for too many. */
  headlineLeft: number
}

const UNREADABLE = { product_slug: 'a', headline: 'Your headline', destination_url: 'https://a.example/' }

/** The offer as buyers would see it, without what cannot be read yet. */
export function draftOf(form: Form, seller: PromotedOffer['seller']): Draft {
  const typed = [...cleanLine(form.headline ?? '')]
  const given = { ...inputOf(form), headline: typed.slice(0, MAX_HEADLINE).join('') }
  const { input, terms } = readable(given)
  const { destinationUrl, ...shown } = terms
  return {
    offer: { id: 'preview', ...shown, seller },
    destination: 'destination_url' in input ? destinationUrl : null,
    headlineLeft: MAX_HEADLINE - typed.length,
  }
}

/** Without what is refused, until nothing is: how fields go together is looked at when each is right. */
function readable(input: Record<string, unknown>): { input: Record<string, unknown>; terms: OfferTerms } {
  const parsed = OfferCreateRequest.safeParse({ ...UNREADABLE, ...input })
  if (parsed.success) return { input, terms: parsed.data.terms }
  const wrong = new Set(parsed.error.issues.map(({ path }) => path[0]))
  return readable(Object.fromEntries(Object.entries(input).filter(([name]) => !wrong.has(name))))
}
