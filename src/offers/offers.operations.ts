/**
 * What producers do with offers, by REST (interface 2.7, 4 and 7) and by tool. A tool's edit and status go in one call
 * and one transaction, because a model that must make two may stop after the first.
 */
import { z } from 'zod'
import { offerVariantData } from '../catalog/promoted-offer.ts'
import { ProductSlugInput, RELATIONSHIP_TYPES } from '../catalog/relationships.schema.ts'
import {
  BODY_REFUSALS,
  DEACTIVATED,
  DoneSchema,
  FROM_ANOTHER_SITE,
  NO_ORGANIZATION,
  NOT_SIGNED_IN,
  ONLY_READS,
  published,
  type Refusal,
} from '../http/operation.ts'
import { defineOperation } from '../operations/define-operation.ts'
import { limit, nextOffset, offset, page } from '../tools/params.ts'
import {
  OFFER,
  OFFER_STATUSES,
  OfferCreateCall,
  OfferCreateRequest,
  OfferEditRequest,
  OfferStatusRequest,
  OfferUpdateRequest,
} from './offer.model.ts'
import {
  createOffer as create,
  LISTED_OFFERS,
  listOffers as list,
  MOST_OFFERS,
  type Offer,
  pageOffers,
  updateOffer as update,
} from './offers.service.ts'
import { createdText, offerPageText, updatedText } from './offers.text.ts'

/** An offer as it is stored: prices in cents, where everything else on the wire is in dollars. */
const SHOWN_VARIANT = {
  variant: z.string().optional().describe('Name of the variant it is for; absent for all'),
  variant_id: z.string().optional().describe('Its id in the product'),
  variant_listed: z.literal(false).optional().describe('False: the catalog no longer lists that variant'),
}
const OfferRow = z
  .object({
    id: z.string().describe('Id of the offer'),
    product_slug: z.string().describe('`<category>/<slug>` of the product'),
    ...{ ...OFFER.answer('cents'), ...SHOWN_VARIANT },
    status: z.enum(OFFER_STATUSES).describe('Current status: an offer past its end is expired'),
    created_at: z.iso.datetime().describe('When it was created'),
  })
  .meta({ id: 'Offer', description: 'An offer as it is stored: prices in cents' })
const OfferList = z
  .object({
    offers: z.array(OfferRow).describe('The newest 100, newest first'),
    products: z
      .array(
        z.object({
          product_slug: z.string().describe('`<category>/<slug>`'),
          relationship_type: z.enum(RELATIONSHIP_TYPES).describe('How the organization is related to it'),
        }),
      )
      .describe('Products you can create offers for: those with a verified relationship'),
  })
  .meta({ id: 'OfferList', description: 'Your offers and products' })
const OfferCreated = z
  .object({ offer_id: z.string().describe('Id of the new offer') })
  .meta({ id: 'OfferCreated', description: 'The offer was created as a draft' })
/** As a model reads it. */
const OfferData = z.object({
  offer_id: z.string(),
  product_slug: z.string(),
  status: z.enum(OFFER_STATUSES),
  ...{ ...OFFER.answer('dollars'), ...SHOWN_VARIANT },
  created_at: z.string(),
})

function offerWire(offer: Offer, prices: 'dollars' | 'cents') {
  const { productSlug: product_slug, status, createdAt, ofVariant } = offer
  const { variant: variant_id, ...terms } = OFFER.write(offer, prices)
  const variant = ofVariant && { ...offerVariantData(ofVariant), variant_id }
  return { product_slug, status, ...terms, ...variant, created_at: createdAt.toISOString() }
}

const offerData = (offer: Offer) => ({ offer_id: offer.id, ...offerWire(offer, 'dollars') })

const OFFER_ID = { description: "Id of one of the organization's offers, from the list" }
const NOT_THEIRS: Refusal = {
  status: 404,
  when: 'your organization has no such offer',
  code: 'not_found',
}
const FULL: Refusal = {
  status: 409,
  when: `your organization has ${MOST_OFFERS} unexpired offers`,
  code: 'conflict',
}
const WRITES = [...BODY_REFUSALS, NOT_SIGNED_IN, DEACTIVATED, ONLY_READS, FROM_ANOTHER_SITE]
const REST = { tag: 'Offers', caller: 'session or link token' } as const
const DONE = {
  status: 200 as const,
  description: 'Done',
  schema: DoneSchema,
  of: () => ({ ok: true }),
}

export const createOffer = defineOperation({
  right: 'edit',
  run: create,
  shows: ({ status }) => status === 'active',
  rest: [
    {
      ...REST,
      id: 'createOffer',
      method: 'post',
      path: '/api/offers/create/',
      summary: 'Create an offer',
      description:
        'Your organization needs a verified relationship to the product: it sells or makes it. ' +
        'The offer starts as a draft; publish it by setting its status to `active`.',
      input: OfferCreateRequest,
      body: published(OfferCreateRequest, {
        id: 'OfferCreateRequest',
        description: 'The offer. Lengths are counted after text is cleaned; null means left out',
        fields: {
          ...OFFER.published,
          product_slug: { pattern: '^\\s*([a-z0-9]+(-[a-z0-9]+)*/)?[a-z0-9]+(-[a-z0-9]+)*\\s*$' },
        },
      }),
      answer: {
        ...{ status: 201, description: 'The offer was created', schema: OfferCreated },
        of: ({ id }) => ({ offer_id: id }),
      },
      refusals: [
        ...WRITES,
        {
          status: 400,
          when: '`expires_at` is not after `starts_at`',
          field: 'expires_at',
          words: 'must be after starts_at',
        },
        {
          status: 403,
          when: 'your organization has no verified relationship to the product, or there is no such product',
          code: 'no_verified_relationship',
        },
        NO_ORGANIZATION,
        FULL,
      ],
    },
  ],
  tool: {
    name: 'create_offer',
    title: 'Create an offer',
    description:
      'Creates a promoted offer: a draft, hidden from buyers, or published at once with status active. update_offer publishes a draft later. The product needs a verified relationship in list_my_products (claim_product requests one). Prices are dollars.',
    audience: 'producers',
    effects: { readOnly: false, destructive: false, idempotent: false },
    input: OfferCreateCall,
    output: OfferData,
    answer: (offer, { clock }) => ({ text: createdText(offer, clock.now()), data: offerData(offer) }),
  },
})

export const updateOffer = defineOperation({
  right: 'edit',
  run: update,
  shows: true,
  rest: [
    {
      ...REST,
      id: 'editOffer',
      method: 'patch',
      path: '/api/offers/edit/',
      summary: 'Edit an offer',
      description:
        'Changes only the fields you send; null clears a field. A body without changes succeeds too. ' +
        'Does not check that `expires_at` is after `starts_at`.',
      input: OfferEditRequest,
      body: published(OfferEditRequest, {
        id: 'OfferEditRequest',
        description: 'The offer and its changes',
        fields: { ...OFFER.published, offer_id: OFFER_ID },
      }),
      answer: DONE,
      refusals: [
        ...WRITES,
        NOT_THEIRS,
        { ...FULL, when: `${FULL.when}, and the change would revive an expired one` },
      ],
    },
    {
      ...REST,
      id: 'setOfferStatus',
      method: 'patch',
      path: '/api/offers/update/',
      summary: 'Publish, pause or end an offer',
      description: 'An offer past its `expires_at` stays expired.',
      input: OfferStatusRequest,
      body: published(OfferStatusRequest, {
        id: 'OfferStatusRequest',
        description: 'The offer and its new status',
        fields: {
          offer_id: OFFER_ID,
          status: { description: '`active` publishes it, `paused` hides it, `expired` ends it' },
        },
      }),
      answer: DONE,
      refusals: [
        ...WRITES,
        NOT_THEIRS,
        { ...FULL, when: `${FULL.when}, and the change would revive an expired one` },
      ],
    },
  ],
  tool: {
    name: 'update_offer',
    title: 'Update an offer',
    description:
      'Changes the terms or status of one of your offers (active publishes it, paused hides it, expired ends it). Only fields you send change; null clears a detail, price, date or promo code. Needs offer_id from list_offers or create_offer.',
    audience: 'producers',
    effects: { readOnly: false, destructive: true, idempotent: true },
    input: OfferUpdateRequest,
    output: OfferData.extend({
      changed: z.array(z.string()).describe('Fields that changed; empty if none did'),
    }),
    answer: ({ offer, changed }, { clock }) => ({
      text: updatedText(offer, changed, clock.now()),
      data: { ...offerData(offer), changed },
    }),
  },
})

const listOffers = defineOperation({
  right: 'read',
  run: list,
  rest: [
    {
      ...REST,
      id: 'listOffers',
      method: 'get',
      path: '/api/offers/list/',
      summary: 'List your offers',
      description: `Your newest ${LISTED_OFFERS} offers, and the products you can create offers for. Prices are in cents.`,
      answer: {
        ...{ status: 200, description: 'Offers and products', schema: OfferList },
        of: ({ offers, products }) => ({
          offers: offers.map((offer) => ({ id: offer.id, ...offerWire(offer, 'cents') })),
          products: products.map(({ productSlug, type }) => ({
            product_slug: productSlug,
            relationship_type: type,
          })),
        }),
      },
      refusals: [NOT_SIGNED_IN, NO_ORGANIZATION],
    },
  ],
})

const MAX_DAYS_AHEAD = 365

export const pageOfOffers = defineOperation({
  right: 'read',
  run: pageOffers,
  tool: {
    name: 'list_offers',
    title: 'List your offers',
    description:
      "Lists your organization's promoted offers, newest first, with status, prices, dates and clicks. Filter by status, product, or how soon they end. Use it to find an offer_id for update_offer, or to see how offers perform.",
    audience: 'producers',
    effects: { readOnly: true },
    input: z
      .object({
        status: z.enum(OFFER_STATUSES).optional().describe('Only these; an offer past its end is expired'),
        product_slug: ProductSlugInput.optional().describe(
          'Only for this product: <category>/<slug>, or the slug alone',
        ),
        expiring_within_days: z
          .int()
          .min(1)
          .max(MAX_DAYS_AHEAD)
          .optional()
          .describe('Only those that end within this many days'),
        limit,
        offset,
      })
      .transform(({ product_slug, expiring_within_days, ...filter }) => ({
        ...filter,
        productSlug: product_slug,
        expiringWithinDays: expiring_within_days,
      })),
    output: z.object({
      offers: z.array(
        OfferData.extend({
          clicks_30_days: z.int().describe('Clicks on its link in the last 30 days'),
          clicks_total: z.int(),
        }),
      ),
      ...page,
    }),
    answer: ({ offers, total }, { clock }, { offset }) => ({
      text: offerPageText(offers, { total, offset, now: clock.now() }),
      data: {
        offers: offers.map((offer) => ({
          ...offerData(offer),
          clicks_30_days: offer.clicks.recent,
          clicks_total: offer.clicks.ever,
        })),
        total,
        next_offset: nextOffset(total, { offset, shown: offers.length }),
      },
    }),
  },
})

export const OFFER_OPERATIONS = [createOffer, updateOffer, listOffers]
