/**
 * An organization's own offers by the names of the interface (2.7), as zod and as the function that writes them. The row
 * is the raw stored shape: its prices are in cents, where everything else that goes over the wire is in dollars.
 */
import { z } from 'zod'
import { RELATIONSHIP_TYPES, type RelationshipType } from '../catalog/relationships.schema.ts'
import { OFFER_STATUSES } from './offers.schema.ts'
import type { Offer } from './offers.service.ts'

const cents = (description: string) => z.number().int().min(0).nullable().describe(`${description}, in cents`)

export const OfferRow = z
  .object({
    id: z.string().describe('Id of the offer'),
    product_slug: z.string().describe('`<category>/<slug>` of the product'),
    headline: z.string().describe('What is offered, in one line'),
    detail: z.string().nullable().describe('More about it'),
    destination_url: z.string().describe('Where a click leads'),
    price_usd: cents('What it costs now'),
    list_price_usd: cents('What it cost before'),
    status: z.enum(OFFER_STATUSES).describe('As it is at this moment: past its end an offer is expired'),
    starts_at: z.iso.datetime().nullable().describe('When it starts; null for at once'),
    expires_at: z.iso.datetime().nullable().describe('When it ends; null for no end'),
    created_at: z.iso.datetime().describe('When it was made'),
    promo_code: z.string().nullable().describe('What to type at the checkout'),
    offer_types: z.array(z.string()).describe('What kind of saving it is'),
  })
  .meta({ id: 'Offer', description: 'An offer as it is stored: prices in cents' })

export const OfferList = z
  .object({
    offers: z.array(OfferRow).describe('The newest 100, newest first'),
    products: z
      .array(
        z.object({
          product_slug: z.string().describe('`<category>/<slug>`'),
          relationship_type: z.enum(RELATIONSHIP_TYPES).describe('What the organization has to do with it'),
        }),
      )
      .describe('What offers can be made for: the products with a verified relationship'),
  })
  .meta({ id: 'OfferList', description: "The organization's offers and products" })
export type OfferList = z.output<typeof OfferList>

export const OfferCreated = z
  .object({ offer_id: z.string().describe('Id of the new offer') })
  .meta({ id: 'OfferCreated', description: 'The offer was made, as a draft' })
export type OfferCreated = z.output<typeof OfferCreated>

export function offerList(
  offers: readonly Offer[],
  products: ReadonlyArray<{ productSlug: string; type: RelationshipType }>,
): OfferList {
  return {
    offers: offers.map(offerRow),
    products: products.map(({ productSlug, type }) => ({
      product_slug: productSlug,
      relationship_type: type,
    })),
  }
}

function offerRow(offer: Offer): z.output<typeof OfferRow> {
  return {
    id: offer.id,
    product_slug: offer.productSlug,
    headline: offer.headline,
    detail: offer.detail,
    destination_url: offer.destinationUrl,
    price_usd: offer.priceCents,
    list_price_usd: offer.listPriceCents,
    status: offer.status,
    starts_at: offer.startsAt?.toISOString() ?? null,
    expires_at: offer.expiresAt?.toISOString() ?? null,
    created_at: offer.createdAt.toISOString(),
    promo_code: offer.promoCode,
    offer_types: offer.offerTypes,
  }
}
