/**
 * Offers as tools: the same requests and functions as REST, in dollars throughout. An edit and a status go in one call
 * and one transaction, because a model that must make two may stop after the first.
 */
import { z } from 'zod'
import { ProductSlugInput } from '../catalog/relationships.schema.ts'
import { centsToDollars } from '../lib/money.ts'
import { defineTool } from '../tools/define-tool.ts'
import { limit, nextOffset, offset, page } from '../tools/params.ts'
import { OFFER_STATUSES, OfferCreateRequest, OfferUpdateRequest } from './offers.schema.ts'
import {
  createOffer as create,
  type Offer,
  type OffersContext,
  pageOffers,
  updateOffer as update,
} from './offers.service.ts'
import { draftText, offerPageText, updatedText } from './offers.text.ts'

const OfferData = z.object({
  offer_id: z.string(),
  product_slug: z.string(),
  status: z.enum(OFFER_STATUSES),
  headline: z.string(),
  detail: z.string().nullable(),
  destination_url: z.string(),
  price_usd: z.number().nullable(),
  list_price_usd: z.number().nullable(),
  starts_at: z.string().nullable(),
  expires_at: z.string().nullable(),
  promo_code: z.string().nullable(),
  offer_types: z.array(z.string()),
  created_at: z.string(),
})

function offerData(offer: Offer): z.input<typeof OfferData> {
  return {
    offer_id: offer.id,
    product_slug: offer.productSlug,
    status: offer.status,
    headline: offer.headline,
    detail: offer.detail,
    destination_url: offer.destinationUrl,
    price_usd: offer.priceCents === null ? null : centsToDollars(offer.priceCents),
    list_price_usd: offer.listPriceCents === null ? null : centsToDollars(offer.listPriceCents),
    starts_at: offer.startsAt?.toISOString() ?? null,
    expires_at: offer.expiresAt?.toISOString() ?? null,
    promo_code: offer.promoCode,
    offer_types: offer.offerTypes,
    created_at: offer.createdAt.toISOString(),
  }
}

const MAX_DAYS_AHEAD = 365
const ListInput = z.object({
  status: z.enum(OFFER_STATUSES).optional().describe('Only those; past its end an offer is expired'),
  product_slug: ProductSlugInput.optional().describe(
    'Only of this product: <category>/<slug>, or the slug alone',
  ),
  expiring_within_days: z
    .int()
    .min(1)
    .max(MAX_DAYS_AHEAD)
    .optional()
    .describe('Only those that end within so many days from now'),
  limit,
  offset,
})
const ListOutput = z.object({
  offers: z.array(
    OfferData.extend({
      clicks_30_days: z.int().describe('Clicks on its link in the last 30 days'),
      clicks_total: z.int(),
    }),
  ),
  ...page,
})

export const listOffers = defineTool<OffersContext, typeof ListInput, typeof ListOutput>({
  name: 'list_offers',
  title: 'List own offers',
  description:
    "Lists your organization's promoted offers, newest first, with status, prices, dates and clicks. Filter by status, product, or how soon they end. Use it to find an offer_id for update_offer, or to see how offers do.",
  audience: 'producers',
  effects: { readOnly: true },
  input: ListInput,
  output: ListOutput,
  async run(ctx, { caller }, { status, product_slug, expiring_within_days, limit, offset }) {
    const { offers, total } = await pageOffers(
      ctx,
      { caller },
      { status, productSlug: product_slug, expiringWithinDays: expiring_within_days, limit, offset },
    )
    return {
      text: offerPageText(offers, { total, offset, now: ctx.clock.now() }),
      data: {
        offers: offers.map((offer) => ({
          ...offerData(offer),
          clicks_30_days: offer.clicks.recent,
          clicks_total: offer.clicks.ever,
        })),
        total,
        next_offset: nextOffset(total, { offset, shown: offers.length }),
      },
    }
  },
})

export const createOffer = defineTool<OffersContext, typeof OfferCreateRequest, typeof OfferData>({
  name: 'create_offer',
  title: 'Create an offer',
  description:
    'Creates a promoted offer for a product your organization verifiably sells or makes, as a draft that nobody sees. Show it with update_offer and status active. The product must be one of list_my_products with a verified relationship (claim_product asks for one). Prices are dollars.',
  audience: 'producers',
  effects: { readOnly: false, destructive: false, idempotent: false },
  input: OfferCreateRequest,
  output: OfferData,
  async run(ctx, { caller, visit }, request) {
    const offer = await create(ctx, { caller, visit }, request)
    return { text: draftText(offer, ctx.clock.now()), data: offerData(offer) }
  },
})

const UpdateOutput = OfferData.extend({
  changed: z.array(z.string()).describe('What is not as it was; empty when it was all so already'),
})

export const updateOffer = defineTool<
  OffersContext & { shown(): Promise<void> },
  typeof OfferUpdateRequest,
  typeof UpdateOutput
>({
  name: 'update_offer',
  title: 'Update an offer',
  description:
    'Changes an offer of your organization: its terms, its status (active shows it, paused hides it, expired ends it), or both at once. Only what is given changes; null takes a detail, price, date or promo code away. Needs offer_id from list_offers or create_offer.',
  audience: 'producers',
  effects: { readOnly: false, destructive: true, idempotent: true },
  input: OfferUpdateRequest,
  output: UpdateOutput,
  async run(ctx, { caller, visit }, request) {
    const { offer, changed } = await update(ctx, { caller, visit }, request)
    await ctx.shown()
    return {
      text: updatedText(offer, changed, ctx.clock.now()),
      data: { ...offerData(offer), changed },
    }
  },
})
