/**
 * What a producer does with offers. Every route and tool comes through here: the caller and the organization are looked
 * at inside the transaction of the action, a change writes exactly one audit record, and a request that changes nothing
 * writes nothing. An organization's actions take turns (see `takeTurn`).
 */
import { isDeepStrictEqual } from 'node:util'
import { listAudit } from '../accounts/audit.service.ts'
import { chooseVariant } from '../catalog/chosen-variant.ts'
import type { ProductSlug, RelationshipType } from '../catalog/relationships.schema.ts'
import {
  findProduct,
  relationshipsOf,
  takeTurn,
  verifiedRelationships,
} from '../catalog/relationships.service.ts'
import type { Db } from '../db/database.ts'
import { type Clock, DAY_MS } from '../lib/clock.ts'
import { AppError, conflict, forbidden, notFound } from '../lib/errors.ts'
import { idsOf, isUuid, newId } from '../lib/ids.ts'
import type { OrgsContext } from '../orgs/context.ts'
import { type Act, type Doing, type Producer, recordAction, requireProducer } from '../orgs/producer.ts'
import { listTeam } from '../orgs/team.service.ts'
import {
  MAX_PRICE_CENTS,
  OFFER,
  type OfferCreate,
  type OfferTerms,
  type SettableStatus,
  statusNow,
} from './offer.model.ts'
import {
  countClicks,
  countOffers,
  countUnexpired,
  findOfferedProducts,
  findOffers,
  findOffersBetween,
  findOwnOffer,
  insertOffer,
  type Offer,
  type OfferedProduct,
  type OfferFilter,
  updateOfferRow,
} from './offers.queries.ts'
import { alteringShelves } from './shelves.service.ts'

export type { Offer, OfferedProduct }

type OffersContext = { db: Db; clock: Clock }

/** What one organization may have that is not expired. */
export const MOST_OFFERS = 500
export const LISTED_OFFERS = 100
/** What counts as lately. */
const RECENT_DAYS = 30

/**
 * A draft, which nobody sees until it is set active, unless it is to be shown at once. An unknown product cannot be
 * related to anybody, so it is 403 too.
 */
export async function createOffer(ctx: OffersContext, act: Act, offer: NewOffer): Promise<Offer> {
  return ctx.db.transaction().execute(async (tx) => {
    const producer = await requireProducer({ db: tx }, act.caller, 'edit')
    await takeTurn(tx, producer.org.id)
    return createIn(tx, { producer, act, at: ctx.clock.now() }, offer)
  })
}

export type NewOffer = OfferCreate & { status?: 'draft' | 'active' }

/** In the organization's turn. */
export async function createIn(
  tx: Db,
  { producer, act, at }: Doing & { producer: Producer },
  { productSlug, terms, status = 'draft' }: NewOffer,
): Promise<Offer> {
  const orgId = producer.org.id
  const product = await findProduct({ db: tx }, productSlug)
  const related = product ? await verifiedRelationships({ db: tx }, { orgId, productId: product.id }) : []
  if (!product || related.length === 0)
    throw forbidden(
      `${producer.org.name} has no verified relationship to this product: claim it first`,
      'no_verified_relationship',
      { field: 'product_slug' },
    )
  await requireRoom(tx, orgId, at)
  const variant = await variantFor(tx, { productId: product.id, named: terms.variant })
  const [id, productId, canonical] = [newId(), product.id, `${product.category}/${product.slug}`]
  await alteringShelves(tx, { productIds: [productId], at }, () =>
    insertOffer(tx, { ...terms, ...variant, id, orgId, productId, status, at }),
  )
  await recordAction(tx, { producer, act, at }, 'offer.created', {
    offer_id: id,
    product_slug: canonical,
    ...(status !== 'draft' && { status }),
  })
  return shownAt(at, {
    ...{ ...terms, ...variant },
    ...{ id, orgId, productId, productSlug: canonical, productTitle: product.title },
    ...{ status, createdAt: at, updatedAt: at },
  })
}

export type OfferChange = {
  offerId: string
  edit?: Partial<OfferTerms>
  status?: SettableStatus
  /** The version that the change was made from: if the offer has changed since, it is refused. */
  ifUpdatedAt?: Date
}

/**
 * Terms, status or both, in one transaction: the offer after it, and the wire's names of what is not as it was. Another
 * organization's offer returns not_found. A no-op update never conflicts.
 */
export async function updateOffer(
  ctx: OffersContext,
  act: Act,
  change: OfferChange,
): Promise<{ offer: Offer; changed: string[] }> {
  return ctx.db.transaction().execute(async (tx) => {
    const producer = await requireProducer({ db: tx }, act.caller, 'edit', { absent: 'not_found' })
    await takeTurn(tx, producer.org.id)
    return changeIn(tx, { producer, act, at: ctx.clock.now() }, change)
  })
}

/** The same status for many, all or none; returns how many are not as they were. */
export async function setOfferStatuses(
  ctx: OffersContext,
  act: Act,
  { offerIds, status }: { offerIds: readonly string[]; status: NonNullable<OfferChange['status']> },
): Promise<number> {
  return ctx.db.transaction().execute(async (tx) => {
    const producer = await requireProducer({ db: tx }, act.caller, 'edit', { absent: 'not_found' })
    await takeTurn(tx, producer.org.id)
    let changed = 0
    for (const offerId of new Set(offerIds)) {
      const done = await changeIn(tx, { producer, act, at: ctx.clock.now() }, { offerId, status })
      if (done.changed.length > 0) changed++
    }
    return changed
  })
}

/**
 * A share more or less on the prices of many, all or none; returns how many changed. Those without a price have none
 * to change.
 */
export async function changeOfferPrices(
  ctx: OffersContext,
  act: Act,
  { offerIds, pct }: { offerIds: readonly string[]; pct: number },
): Promise<number> {
  return ctx.db.transaction().execute(async (tx) => {
    const producer = await requireProducer({ db: tx }, act.caller, 'edit', { absent: 'not_found' })
    const orgId = producer.org.id
    await takeTurn(tx, orgId)
    let changed = 0
    for (const offerId of new Set(offerIds)) {
      const { priceCents: before } = await requireOffer(tx, { offerId, orgId })
      if (before === null) continue
      const priceCents = Math.round(before * (1 + pct / 100))
      if (priceCents > MAX_PRICE_CENTS)
        throw new AppError('invalid', 'a price would be above the highest there can be; nothing was changed')
      const done = await changeIn(
        tx,
        { producer, act, at: ctx.clock.now() },
        { offerId, edit: { priceCents } },
      )
      if (done.changed.length > 0) changed++
    }
    return changed
  })
}

/** In the organization's turn. */
export async function changeIn(
  tx: Db,
  { producer, act, at }: Doing & { producer: Producer },
  { offerId, edit = {}, status, ifUpdatedAt }: OfferChange,
): Promise<{ offer: Offer; changed: string[] }> {
  const orgId = producer.org.id
  const before = await requireOffer(tx, { offerId, orgId })
  const variant =
    edit.variant === undefined || edit.variant === before.variant
      ? null
      : await variantFor(tx, { productId: before.productId, named: edit.variant })
  const after = { ...before, ...edit, ...variant, status: status ?? before.status }
  const fields = OFFER.keys.filter((term) => !isDeepStrictEqual(before[term], after[term]))
  const names = fields.map((term) => OFFER.names[term])
  const statusChanged = before.status !== after.status
  if (fields.length === 0 && !statusChanged) return { offer: shownAt(at, before), changed: [] }
  if (ifUpdatedAt && ifUpdatedAt.getTime() !== before.updatedAt.getTime())
    throw conflict('the offer has changed since you opened it, so nothing was saved', {
      field: CHANGED_SINCE,
    })
  // An expired offer that comes back takes room like a new one.
  if (statusNow(before, at) === 'expired' && statusNow(after, at) !== 'expired')
    await requireRoom(tx, orgId, at)
  const updatedAt = await alteringShelves(tx, { productIds: [before.productId], at }, () =>
    updateOfferRow(tx, { ...after, at }),
  )
  await recordAction(tx, { producer, act, at }, fields.length > 0 ? 'offer.edited' : 'offer.status_set', {
    offer_id: before.id,
    product_slug: before.productSlug,
    ...(fields.length > 0 && { fields: names }),
    ...(statusChanged && { from: before.status, to: after.status }),
  })
  const changed = statusChanged ? [...names, 'status'] : names
  return { offer: shownAt(at, { ...after, updatedAt }), changed }
}

/** What an offer keeps of the variant that its seller names. */
async function variantFor(
  tx: Db,
  asked: { productId: string; named: string | null },
): Promise<Pick<Offer, 'variant' | 'ofVariant'>> {
  const chosen = await chooseVariant({ db: tx }, asked)
  if (chosen === null) return { variant: null, ofVariant: null }
  const { id, name } = chosen
  return { variant: id, ofVariant: { id, name, isListed: true } }
}

/** What a refusal names that is for an older version. */
export const CHANGED_SINCE = 'if_updated_at'

export async function requireOffer(
  db: Db,
  { offerId, orgId }: { offerId: string; orgId: string },
): Promise<Offer> {
  const offer = isUuid(offerId) ? await findOwnOffer(db, { id: offerId, orgId }) : null
  if (offer) return offer
  throw notFound('your organization has no such offer', { field: 'offer_id' })
}

/** With the status it has at this moment. */
function shownAt(now: Date, offer: Offer): Offer {
  return { ...offer, status: statusNow(offer, now) }
}

async function requireRoom(tx: Db, orgId: string, at: Date): Promise<void> {
  if ((await countUnexpired(tx, orgId, at)) >= MOST_OFFERS)
    throw conflict(`an organization can have ${MOST_OFFERS} unexpired offers; end or delete one first`, {
      max: MOST_OFFERS,
    })
}

type ListOffersInput = Partial<OfferFilter>

/** The newest, each with the status it has at this moment, and the products that offers can be made for. */
export async function listOffers(
  ctx: OffersContext,
  act: Act,
  { limit = LISTED_OFFERS, offset = 0, ...filter }: ListOffersInput = {},
): Promise<{ offers: Offer[]; products: Array<{ productSlug: string; type: RelationshipType }> }> {
  const { org } = await requireProducer(ctx, act.caller, 'read')
  const now = ctx.clock.now()
  const offers = await findOffers(ctx.db, org.id, { ...filter, limit, offset }, now)
  const relationships = await relationshipsOf(ctx, org.id)
  return {
    offers: offers.map((offer) => shownAt(now, offer)),
    products: relationships.filter(({ status }) => status === 'verified'),
  }
}

export type OfferWithClicks = Offer & { clicks: { recent: number; ever: number } }
export type OffersPage = Pick<OfferFilter, 'status' | 'text' | 'limit' | 'offset'> & {
  productSlug?: ProductSlug
  expiringWithinDays?: number
}

/** A page of the newest, how many there are in all, and how often each was followed: lately, and since it was made. */
export async function pageOffers(
  ctx: OffersContext,
  act: Pick<Act, 'caller'>,
  { productSlug, expiringWithinDays, ...page }: OffersPage,
): Promise<{ offers: OfferWithClicks[]; total: number }> {
  const { org } = await requireProducer(ctx, act.caller, 'read')
  const now = ctx.clock.now()
  const product = productSlug && (await findProduct(ctx, productSlug))
  if (product === null) throw notFound('there is no such product', { field: 'product_slug' })
  const filter: OfferFilter = {
    ...page,
    ...(product && { productId: product.id }),
    ...(expiringWithinDays !== undefined && {
      expiresBefore: new Date(now.getTime() + expiringWithinDays * DAY_MS),
    }),
  }
  const [found, total] = await Promise.all([
    findOffers(ctx.db, org.id, filter, now),
    countOffers(ctx.db, org.id, filter, now),
  ])
  const clicks = await clicksOf(ctx, org.id, found)
  return { offers: found.map((offer) => ({ ...shownAt(now, offer), clicks: clicks(offer.id) })), total }
}

async function clicksOf(
  { db, clock }: OffersContext,
  orgId: string,
  offers: readonly Offer[],
): Promise<(offerId: string) => OfferWithClicks['clicks']> {
  const since = new Date(clock.now().getTime() - RECENT_DAYS * DAY_MS)
  const clicks = await countClicks(db, { orgId, offerIds: idsOf(offers), since })
  return (id) => clicks.get(id) ?? { recent: 0, ever: 0 }
}

/** One of the organization's own; another's is as unknown as one that never was. */
export async function viewOffer(
  ctx: OffersContext,
  { caller }: Pick<Act, 'caller'>,
  offerId: string,
): Promise<OfferWithClicks> {
  const { org } = await requireProducer(ctx, caller, 'read')
  const offer = await requireOffer(ctx.db, { offerId, orgId: org.id })
  const clicks = await clicksOf(ctx, org.id, [offer])
  return { ...shownAt(ctx.clock.now(), offer), clicks: clicks(offer.id) }
}

/** What an organization may still add, and the products it has made offers for. */
export async function surveyOffers(
  ctx: OffersContext,
  { caller }: Pick<Act, 'caller'>,
  { mostProducts }: { mostProducts: number },
): Promise<{ unexpired: number; products: OfferedProduct[] }> {
  const { org } = await requireProducer(ctx, caller, 'read')
  const [unexpired, products] = await Promise.all([
    countUnexpired(ctx.db, org.id, ctx.clock.now()),
    findOfferedProducts(ctx.db, { orgId: org.id, limit: mostProducts }),
  ])
  return { unexpired, products }
}

/** What runs at some time from `from` until `until`, or would if it were shown; the earliest first. */
export async function offersBetween(
  ctx: OffersContext,
  { caller }: Pick<Act, 'caller'>,
  span: { from: Date; until: Date; limit: number },
): Promise<Offer[]> {
  const { org } = await requireProducer(ctx, caller, 'read')
  return findOffersBetween(ctx.db, { orgId: org.id, ...span })
}

const LOOKED_AT = 100

/**
 * Who changed an offer last, for somebody whose own change came too late. Read from the organization's history, and only
 * from the latest of it: a change that somebody has just run into is not far back.
 * `userId` is null for a link token; `name` for a former member. Null when it is not known.
 */
export async function lastChangeOf(
  ctx: OrgsContext,
  caller: Act['caller'],
  offerId: string,
): Promise<{ userId: string | null; name: string | null } | null> {
  const { org } = await requireProducer(ctx, caller, 'read')
  const entries = await listAudit(ctx, { orgId: org.id, limit: LOOKED_AT })
  const found = entries.find(({ detail }) => detail.offer_id === offerId)
  if (!found) return null
  if (found.actor.kind === 'link_token') return { userId: null, name: 'A program with a link token' }
  const { members } = await listTeam(ctx, caller)
  const member = members.find(({ userId }) => userId === found.actor.id)
  return { userId: found.actor.id, name: member?.name ?? null }
}
