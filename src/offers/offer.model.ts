/**
 * An offer's fields and the requests of interface 2.7, read strictly and named in the interface's own words: a refusal
 * says which field and which limit. Dollars become cents here, text is cleaned here, and nothing below sees the wire's
 * names again. Text is counted in code points, as people count characters, after cleaning. Unknown fields are ignored.
 */
import { z } from 'zod'
import { MAX_VARIANT, VARIANT } from '../catalog/chosen-variant.ts'
import { ProductSlugInput } from '../catalog/relationships.schema.ts'
import type { OffersTable } from '../db/tables.producers.ts'
import { defineEntity } from '../lib/entity.ts'
import { dollarsToCents } from '../lib/money.ts'
import { isPublicHost, NOT_PUBLIC } from '../lib/public-link.ts'
import { cleanLine, cleanText } from '../lib/text.ts'
import { lengthFrom } from '../lib/validate.ts'

export const OFFER_TYPES = [
  'percentage_off',
  'fixed_amount_off',
  'free_shipping',
  'bogo',
  'bundle',
  'free_gift',
] as const
type OfferType = (typeof OFFER_TYPES)[number]

export type OfferStatus = OffersTable['status']['__select__']
export const OFFER_STATUSES = [
  'draft',
  'active',
  'paused',
  'expired',
] as const satisfies readonly OfferStatus[]
/** What an offer can be set to; `draft` is only where it starts. */
export const SETTABLE_STATUSES = ['active', 'paused', 'expired'] as const
export type SettableStatus = (typeof SETTABLE_STATUSES)[number]

export const MAX_HEADLINE = 60
export const MAX_DETAIL = 200
export const MAX_PROMO_CODE = 60
const MAX_URL = 2_000
const MAX_PRICE_USD = 99_999_999.99
export const MAX_PRICE_CENTS = 9_999_999_999
const [EARLIEST, LATEST] = [Date.UTC(1970, 0, 1), Date.UTC(9999, 0, 1)]

const headline = z.string().transform(cleanLine).superRefine(lengthFrom(1, MAX_HEADLINE))

const optionalText = (max: number, clean: (text: string) => string) =>
  z
    .string()
    .transform(clean)
    .superRefine(lengthFrom(0, max))
    .transform((text) => (text === '' ? null : text))

/** Kept exactly as given: sellers' own tracking hangs on it. */
const destinationUrl = z
  .string()
  .max(MAX_URL)
  .transform((text) => text.trim())
  .refine(isDestination, 'must be an http or https URL without a user name or password')
  .refine((text) => !isDestination(text) || isPublicHost(new URL(text)), NOT_PUBLIC)

function isDestination(text: string): boolean {
  // URL drops tabs and line breaks and takes backslashes for slashes: what it would have to put right is not an address.
  if (!/^https?:\/\/[^\s\\]+$/i.test(text) || /\p{Cc}/u.test(text) || !text.isWellFormed()) return false
  const url = URL.parse(text)
  return url !== null && url.hostname !== '' && url.username === '' && url.password === ''
}

const price = z
  .number()
  .min(0)
  .max(MAX_PRICE_USD)
  .transform((dollars, ctx) => {
    const cents = dollarsToCents(dollars)
    if (cents !== null) return cents
    ctx.addIssue({ code: 'custom', message: 'must be dollars with at most two decimals', input: dollars })
    return z.NEVER
  })

const moment = z.string().transform((text, ctx) => {
  const time = z.iso.datetime({ offset: true }).safeParse(text).success ? Date.parse(text) : Number.NaN
  if (time >= EARLIEST && time < LATEST) return new Date(time)
  const message = 'must be an ISO 8601 date and time with Z or an offset, such as 2026-11-27T00:00:00Z'
  ctx.addIssue({ code: 'custom', message, input: text })
  return z.NEVER
})

/** The whole list is the offending input: `offer_types`, not `offer_types.0`. */
const offerTypes = z
  .array(z.unknown().meta({ type: 'string', enum: OFFER_TYPES }))
  .transform((types, ctx): string[] => {
    const known = types.filter((type): type is OfferType => OFFER_TYPES.some((one) => one === type))
    if (known.length === types.length) return [...new Set(known)]
    ctx.addIssue({ code: 'invalid_value', values: [...OFFER_TYPES], input: types })
    return z.NEVER
  })

const counted = (max: number) => `at most ${max} characters after cleaning`
const DATE = 'ISO 8601 with Z or an offset, from 1970 on'

/** What an offer says; everything of it but its status. */
export const OFFER = defineEntity({
  headline: {
    ...{ input: headline, as: 'text', label: 'Headline', shown: 'What is offered, in one line' },
    sent: { description: `One line, at most ${MAX_HEADLINE} characters`, maxLength: MAX_HEADLINE },
    published: { description: `One line, ${counted(MAX_HEADLINE)}`, pattern: '\\S', maxLength: null },
  },
  detail: {
    ...{ input: optionalText(MAX_DETAIL, cleanText), as: 'text', absent: null },
    ...{ label: 'Detail', shown: 'More about it' },
    sent: { description: `At most ${MAX_DETAIL} characters` },
    published: { description: `Text, ${counted(MAX_DETAIL)}` },
  },
  destinationUrl: {
    ...{ input: destinationUrl, as: 'text', label: 'Destination', shown: 'Where a click leads' },
    sent: { description: 'Where a click leads: an http or https address of the offer' },
    published: {
      description:
        'Where a click leads: an http or https address, without a user name or password. Host names may be in any script',
      pattern: '^\\s*[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\\\]+\\s*$',
    },
  },
  priceCents: {
    ...{ input: price, as: 'cents', absent: null, label: 'Price', shown: 'Offer price' },
    sent: { description: 'Dollars, at most two decimals' },
  },
  listPriceCents: {
    ...{ input: price, as: 'cents', absent: null, label: 'List price', shown: 'Regular price' },
    sent: { description: 'The price before the offer, in dollars' },
  },
  startsAt: {
    ...{ input: moment, as: 'moment', absent: null },
    ...{ label: 'Starts', shown: 'When it starts; null for now' },
    sent: { description: 'ISO 8601 with Z or an offset; default: now' },
    published: { description: `${DATE}; default: now`, format: 'date-time' },
  },
  expiresAt: {
    ...{ input: moment, as: 'moment', absent: null },
    ...{ label: 'Ends', shown: 'When it ends; null for no end' },
    sent: { description: 'ISO 8601 with Z or an offset, after starts_at; default: no end' },
    published: { description: `${DATE}; default: no end`, format: 'date-time' },
  },
  promoCode: {
    ...{ input: optionalText(MAX_PROMO_CODE, cleanLine), as: 'text', absent: null },
    ...{ label: 'Promo code', shown: 'Code to enter at checkout' },
    sent: { description: `At most ${MAX_PROMO_CODE} characters` },
    published: { description: `One line, ${counted(MAX_PROMO_CODE)}` },
  },
  variant: {
    ...{ input: optionalText(MAX_VARIANT, cleanLine), as: 'text', absent: null },
    ...{ label: 'Variant', shown: 'The variant it is for' },
    sent: { description: `${VARIANT}; default: all variants` },
  },
  offerTypes: {
    ...{ input: offerTypes, as: 'texts', absent: [] as string[], choices: OFFER_TYPES },
    ...{ label: 'Type of discount', shown: 'Type of discount' },
    sent: { description: 'Type of discount' },
  },
})
/** `variant` is however the seller names it, until the service has found it: then its id. */
export type OfferTerms = ReturnType<typeof OFFER.readNew>

const NewOffer = z.object({
  product_slug: ProductSlugInput.describe('<category>/<slug>, or the slug alone, of one of your products'),
  ...OFFER.create,
})

export const OfferCreateRequest = NewOffer.transform((request) => ({
  productSlug: request.product_slug,
  terms: OFFER.readNew(request),
})).superRefine(inOrder)

/** As a tool takes it: to be shown at once is one call, because a model that must make two may stop after the first. */
export const OfferCreateCall = NewOffer.extend({
  status: z
    .enum(['draft', 'active'])
    .default('draft')
    .describe('active publishes it at once; draft keeps it hidden'),
})
  .transform(({ status, ...request }) => ({
    ...{ productSlug: request.product_slug, terms: OFFER.readNew(request), status },
  }))
  .superRefine(inOrder)

function inOrder(
  { terms: { startsAt, expiresAt } }: { terms: OfferTerms },
  ctx: { addIssue(issue: { code: 'custom'; path: string[]; message: string; input?: unknown }): void },
): void {
  if (startsAt && expiresAt && expiresAt <= startsAt)
    ctx.addIssue({ code: 'custom', path: ['expires_at'], message: 'must be after starts_at' })
}
export type OfferCreate = z.output<typeof OfferCreateRequest>

const offerId = z.string().min(1)

/** Only what is present is changed. The order of the dates is not looked at (interface 4, rule 3). */
export const OfferEditRequest = z
  .object({ offer_id: offerId, ...OFFER.edit })
  .transform(({ offer_id, ...request }) => ({ offerId: offer_id, edit: OFFER.read(request) }))

export const OfferStatusRequest = z
  .object({ offer_id: offerId, status: z.enum(SETTABLE_STATUSES) })
  .transform(({ offer_id, status }) => ({ offerId: offer_id, status }))

/** Both at once; with neither nothing changes, as with an empty edit. */
export const OfferUpdateRequest = z
  .object({
    offer_id: offerId.max(100).describe('id of the offer, from list_offers'),
    ...OFFER.edit,
    status: z
      .enum(SETTABLE_STATUSES)
      .optional()
      .describe('active publishes it, paused hides it, expired ends it'),
  })
  .transform(({ offer_id, status, ...request }) => ({
    offerId: offer_id,
    edit: OFFER.read(request),
    ...(status && { status }),
  }))

/** An offer past its end reads as expired everywhere at once, whatever was last set. */
export function statusNow(offer: { status: OfferStatus; expiresAt: Date | null }, now: Date): OfferStatus {
  return offer.expiresAt !== null && offer.expiresAt <= now ? 'expired' : offer.status
}
