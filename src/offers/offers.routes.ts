/** The four offer routes of the interface: create, edit, list, update. */
import type { Hono } from 'hono'
import { readJson } from '../http/body.ts'
import type { HttpEnv } from '../http/env.ts'
import type { ProducerDoor } from '../orgs/producer.http.ts'
import { OfferCreateRequest, OfferEditRequest, OfferStatusRequest } from './offers.schema.ts'
import { createOffer, listOffers, type Offer, type OffersContext, updateOffer } from './offers.service.ts'

/** `shown` resolves when this node shows what was just written. */
export function mountOffers(
  app: Hono<HttpEnv>,
  ctx: OffersContext,
  door: ProducerDoor,
  shown: () => Promise<void>,
): void {
  app.post('/api/offers/create', async (c) => {
    const deed = await door.sessionOrBearer(c)
    const { id } = await createOffer(ctx, deed, await readJson(c, OfferCreateRequest))
    return c.json({ offer_id: id }, 201)
  })
  app.patch('/api/offers/edit', async (c) => {
    const deed = await door.sessionOrBearer(c)
    await updateOffer(ctx, deed, await readJson(c, OfferEditRequest))
    await shown()
    return c.json({ ok: true })
  })
  app.patch('/api/offers/update', async (c) => {
    const deed = await door.sessionOrBearer(c)
    await updateOffer(ctx, deed, await readJson(c, OfferStatusRequest))
    await shown()
    return c.json({ ok: true })
  })
  app.get('/api/offers/list', async (c) => {
    const { offers, products } = await listOffers(ctx, await door.sessionOrBearer(c))
    return c.json({
      offers: offers.map(offerRow),
      products: products.map(({ productSlug, type }) => ({
        product_slug: productSlug,
        relationship_type: type,
      })),
    })
  })
}

/** The raw stored shape: prices in cents (interface 2.7). */
function offerRow(offer: Offer) {
  return {
    id: offer.id,
    product_slug: offer.productSlug,
    headline: offer.headline,
    detail: offer.detail,
    destination_url: offer.destinationUrl,
    price_usd: offer.priceCents,
    list_price_usd: offer.listPriceCents,
    status: offer.status,
    starts_at: offer.startsAt,
    expires_at: offer.expiresAt,
    created_at: offer.createdAt,
    promo_code: offer.promoCode,
    offer_types: offer.offerTypes,
  }
}
