/** The four offer routes of the interface: create, edit, list, update. */
import type { Hono } from 'hono'
import { readJson } from '../http/body.ts'
import type { HttpEnv } from '../http/env.ts'
import type { ProducerDoor } from '../orgs/producer.http.ts'
import { OfferCreateRequest, OfferEditRequest, OfferStatusRequest } from './offers.schema.ts'
import { createOffer, listOffers, type OffersContext, updateOffer } from './offers.service.ts'
import { offerList } from './offers.wire.ts'

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
    return c.json(offerList(offers, products))
  })
}
