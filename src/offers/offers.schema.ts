/**
 * The offer requests of interface 2.7, read strictly and named in the interface's own words: a refusal says which field
 * and which limit. Dollars become cents here, text is cleaned here, and nothing below sees the wire's names again.
 * Text is counted in code points, as people count characters, after cleaning. Unknown fields are ignored.
 */
import { z } from 'zod'
import { ProductSlugInput } from '../catalog/relationships.schema.ts'
import type { OffersTable } from '../db/tables.producers.ts'
import { dollarsToCents } from '../lib/money.ts'
import { isPublicHost, NOT_PUBLIC } from '../lib/public-link.ts'
import { cleanLine, cleanText } from '../lib/text.ts'

export const OFFER_TYPES = [
  'percentage_off',
  'fixed_amount_off',
  'free_shipping',
  'bogo',
  'bundle',
  'free_gift',
] as const
export type OfferType = (typeof OFFER_TYPES)[number]

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
export const MAX_PRICE_USD = 99_999_999.99
const [EARLIEST, LATEST] = [Date.UTC(1970, 0, 1), Date.UTC(9999, 0, 1)]

const atMost = (max: number) => (text: string, ctx: z.RefinementCtx) => {
  if ([...text].length > max)
    ctx.addIssue({ code: 'too_big', maximum: max, origin: 'string', inclusive: true, input: text })
}

const headline = z
  .string()
  .transform(cleanLine)
  .superRefine((text, ctx) => {
    if (text === '')
      ctx.addIssue({ code: 'too_small', minimum: 1, origin: 'string', inclusive: true, input: text })
    atMost(MAX_HEADLINE)(text, ctx)
  })

const optionalText = (max: number, clean: (text: string) => string) =>
  z
    .string()
    .transform(clean)
    .superRefine(atMost(max))
    .transform((text) => (text === '' ? null : text))

const detail = optionalText(MAX_DETAIL, cleanText)
const promoCode = optionalText(MAX_PROMO_CODE, cleanLine)

/** Kept exactly as given: sellers' own tracking hangs on it. */
const destinationUrl = z
  .string()
  .max(MAX_URL)
  .transform((text) => text.trim())
  .refine(isDestination, 'must be an http or https address, without a user name or password')
  .refine((text) => !isDestination(text) || isPublicHost(new URL(text)), NOT_PUBLIC)

function isDestination(text: string): boolean {
  // URL drops tabs and line breaks and takes backslashes for slashes: what it would have to mend is not an address.
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
  const message = 'must be a date and time of ISO 8601 with Z or an offset, such as 2026-11-27T00:00:00Z'
  ctx.addIssue({ code: 'custom', message, input: text })
  return z.NEVER
})

/** The whole list is the offending input: `offer_types`, not `offer_types.0`. */
const offerTypes = z
  .array(z.unknown().meta({ type: 'string', enum: OFFER_TYPES }))
  .transform((types, ctx): OfferType[] => {
    const known = types.filter((type): type is OfferType => OFFER_TYPES.some((one) => one === type))
    if (known.length === types.length) return [...new Set(known)]
    ctx.addIssue({ code: 'invalid_value', values: [...OFFER_TYPES], input: types })
    return z.NEVER
  })

/** On create, null means what leaving it out means. */
const orNull = <Output>(schema: z.ZodType<Output>) =>
  schema.nullish().transform((value): Output | null => value ?? null)

/**
 * What a model reads of each field, beside what the schema itself shows: limits that are counted after cleaning, and
 * values that are judged as a whole.
 */
const SAID = {
  headline: { description: `One line, at most ${MAX_HEADLINE} characters`, maxLength: MAX_HEADLINE },
  detail: { description: `At most ${MAX_DETAIL} characters` },
  destination_url: { description: 'Where a click leads: an http or https address of the offer' },
  price_usd: { description: 'Dollars, at most two decimals' },
  list_price_usd: { description: 'The price before the offer, in dollars' },
  starts_at: { description: 'ISO 8601 with Z or an offset; none: at once' },
  expires_at: { description: 'ISO 8601 with Z or an offset, after starts_at; none: no end' },
  promo_code: { description: `At most ${MAX_PROMO_CODE} characters` },
  offer_types: { description: 'What kind of saving it is' },
}

export const OfferCreateRequest = z
  .object({
    product_slug: ProductSlugInput.describe('<category>/<slug>, or the slug alone, of a product of yours'),
    headline: headline.meta(SAID.headline),
    detail: orNull(detail).meta(SAID.detail),
    destination_url: destinationUrl.meta(SAID.destination_url),
    price_usd: orNull(price).meta(SAID.price_usd),
    list_price_usd: orNull(price).meta(SAID.list_price_usd),
    starts_at: orNull(moment).meta(SAID.starts_at),
    expires_at: orNull(moment).meta(SAID.expires_at),
    promo_code: orNull(promoCode).meta(SAID.promo_code),
    offer_types: orNull(offerTypes).meta(SAID.offer_types),
  })
  .superRefine(({ starts_at, expires_at }, ctx) => {
    if (starts_at && expires_at && expires_at <= starts_at)
      ctx.addIssue({ code: 'custom', path: ['expires_at'], message: 'must be after starts_at' })
  })
  .transform((request) => ({
    productSlug: request.product_slug,
    terms: {
      headline: request.headline,
      detail: request.detail,
      destinationUrl: request.destination_url,
      priceCents: request.price_usd,
      listPriceCents: request.list_price_usd,
      startsAt: request.starts_at,
      expiresAt: request.expires_at,
      promoCode: request.promo_code,
      offerTypes: request.offer_types ?? [],
    } satisfies OfferTerms,
  }))
export type OfferCreate = z.output<typeof OfferCreateRequest>

/** What an offer says; everything of it but its status. */
export type OfferTerms = {
  headline: string
  detail: string | null
  destinationUrl: string
  priceCents: number | null
  listPriceCents: number | null
  startsAt: Date | null
  expiresAt: Date | null
  promoCode: string | null
  offerTypes: string[]
}

/** The wire's name of each term. */
export const TERM_NAMES: Record<keyof OfferTerms, string> = {
  headline: 'headline',
  detail: 'detail',
  destinationUrl: 'destination_url',
  priceCents: 'price_usd',
  listPriceCents: 'list_price_usd',
  startsAt: 'starts_at',
  expiresAt: 'expires_at',
  promoCode: 'promo_code',
  offerTypes: 'offer_types',
}

const offerId = z.string().min(1)

/** Only what is present is changed. The order of the dates is not looked at (interface 4, rule 3). */
const EDIT_FIELDS = {
  offer_id: offerId,
  headline: headline.optional().meta(SAID.headline),
  detail: detail.nullable().optional().meta(SAID.detail),
  destination_url: destinationUrl.optional().meta(SAID.destination_url),
  price_usd: price.nullable().optional().meta(SAID.price_usd),
  list_price_usd: price.nullable().optional().meta(SAID.list_price_usd),
  starts_at: moment.nullable().optional().meta(SAID.starts_at),
  expires_at: moment.nullable().optional().meta(SAID.expires_at),
  promo_code: promoCode.nullable().optional().meta(SAID.promo_code),
  offer_types: offerTypes.optional().meta(SAID.offer_types),
}

function presentTerms(request: Record<string, unknown>): Partial<OfferTerms> {
  const present = Object.entries(TERM_NAMES).flatMap(([term, name]) => {
    const value = request[name]
    return value === undefined ? [] : [[term, value] as const]
  })
  return Object.fromEntries(present) as Partial<OfferTerms>
}

export const OfferEditRequest = z
  .object(EDIT_FIELDS)
  .transform(({ offer_id, ...request }) => ({ offerId: offer_id, edit: presentTerms(request) }))
export type OfferEdit = z.output<typeof OfferEditRequest>

export const OfferStatusRequest = z
  .object({ offer_id: offerId, status: z.enum(SETTABLE_STATUSES) })
  .transform(({ offer_id, status }) => ({ offerId: offer_id, status }))

/** Both at once; with neither nothing changes, as with an empty edit. */
export const OfferUpdateRequest = z
  .object({
    ...EDIT_FIELDS,
    offer_id: offerId.max(100).describe('id of the offer, as list_offers gives it'),
    status: z
      .enum(SETTABLE_STATUSES)
      .optional()
      .describe('active shows it, paused hides it, expired ends it'),
  })
  .transform(({ offer_id, status, ...request }) => ({
    offerId: offer_id,
    edit: presentTerms(request),
    ...(status && { status }),
  }))

/** An offer past its end reads as expired everywhere at once, whatever was last set. */
export function statusNow(offer: { status: OfferStatus; expiresAt: Date | null }, now: Date): OfferStatus {
  return offer.expiresAt !== null && offer.expiresAt <= now ? 'expired' : offer.status
}
