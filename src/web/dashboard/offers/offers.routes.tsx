/**
 * /dashboard/offers: the list, the calendar, and each offer's own page. Pages read and forms act through the functions
 * that REST and tools call; a form tells the version it was opened with, so that nobody overwrites unseen what a
 * colleague has just saved.
 */
import type { Context } from 'hono'
import { z } from 'zod'
import { ProductSlugInput } from '../../../catalog/relationships.schema.ts'
import { relatedProducts, relationshipsOf } from '../../../catalog/relationships.service.ts'
import type { HttpEnv } from '../../../http/env.ts'
import { AppError } from '../../../lib/errors.ts'
import { type OfferTerms, SETTABLE_STATUSES } from '../../../offers/offer.model.ts'
import {
  CHANGED_SINCE,
  createOffer,
  lastChangeOf,
  MOST_OFFERS,
  type Offer,
  offersBetween,
  pageOffers,
  surveyOffers,
  updateOffer,
  viewOffer,
} from '../../../offers/offers.service.ts'
import { requireProducer } from '../../../orgs/producer.ts'
import type { FormState } from '../../kit/fields.tsx'
import { aboveAll } from '../../kit/parts.tsx'
import { doneWords, sendPage } from '../../page.http.ts'
import type { DashboardDeps } from '../deps.ts'
import type { Dashboard } from '../guard.ts'
import { renderNotAllowed, type Visitor } from '../page.tsx'
import { NEW_OFFER_PATH, OFFERS_PATH, offerPath } from '../paths.ts'
import { MOST_LINES, renderCalendar } from './calendar.page.tsx'
import { renderList } from './list.page.tsx'
import { readMonth } from './month.ts'
import { type NewPageProps, renderNew } from './new.page.tsx'
import { draftFor } from './offer.fields.tsx'
import { OfferForm } from './offer.form.ts'
import { type OfferPageProps, renderOffer } from './offer.page.tsx'
import {
  CALENDAR_PATH,
  listPath,
  MOST_CHOICES,
  type OffersFilter,
  PAGE_SIZE,
  PREVIEW_PATH,
  readFilter,
  statusPath,
} from './offers.filter.ts'
import { Preview } from './preview.tsx'
import { DONE, standingOf } from './standing.ts'

type C = Context<HttpEnv>

const StatusForm = z.object({
  status: z.enum(SETTABLE_STATUSES),
  from: z.enum(['list', 'offer']).default('list'),
  /** What of the list was shown. */
  back: z.string().default(''),
})

export function mountOffers(dashboard: Dashboard, { ctx, site, shown }: DashboardDeps): void {
  dashboard.get(OFFERS_PATH, 'read', async (c, visitor) => {
    const filter = readFilter(new URL(c.req.url).searchParams)
    const done = doneWords(DONE, c.req.query('done'))
    const page = await listPage(visitor, filter, { done })
    const last = Math.max(1, Math.ceil(page.total / PAGE_SIZE))
    if (filter.page > last) return c.redirect(listPath({ ...filter, page: last }), 303)
    return sendPage(c, renderList(page))
  })

  dashboard.get(CALENDAR_PATH, 'read', async (c, visitor) => {
    const now = ctx.clock.now()
    const month = readMonth(c.req.query('month'), now)
    const offers = await offersBetween(ctx, visitor, { ...month, limit: MOST_LINES + 1 })
    const related = await relatedAmong(visitor, offers)
    return sendPage(c, renderCalendar({ site, visitor, month, offers, related, now }))
  })

  dashboard.get(NEW_OFFER_PATH, 'edit', async (c, visitor) => {
    const asked = c.req.query('product')
    const page = await newPage(visitor)
    return sendPage(c, renderNew({ ...page, state: askedFor(page, asked) }))
  })

  dashboard.post(NEW_OFFER_PATH, {
    schema: OfferForm,
    page: NEW_OFFER_PATH,
    async render({ visitor, state }) {
      if (!mayWrite(visitor)) return renderNotAllowed(site, visitor, 'edit')
      return renderNew({ ...(await newPage(visitor)), state })
    },
    async act({ c, act, visitor, input }) {
      if (input.kind === 'preview') {
        await requireProducer(ctx, act.caller, 'edit')
        const state = { values: input.form, errors: {} }
        return sendPage(c, renderNew({ ...(await newPage(visitor)), state }))
      }
      const status = input.show ? 'active' : 'draft'
      const offer = await createOffer(ctx, act, { ...input.offer, status })
      await shown()
      return `${offerPath(offer.id)}?done=${input.show ? await standingWord(visitor, offer) : 'draft'}`
    },
  })

  dashboard.post(PREVIEW_PATH, {
    schema: z.record(z.string(), z.string()),
    page: OFFERS_PATH,
    render: ({ visitor, state }) => preview(visitor, state.values),
    async act({ c, act, visitor, input }) {
      await requireProducer(ctx, act.caller, 'edit')
      return sendPage(c, preview(visitor, input))
    },
  })

  dashboard.get(offerPath(':id'), 'read', async (c, visitor) => {
    const done = doneWords(DONE, c.req.query('done'))
    return sendPage(c, renderOffer({ ...(await offerPage(c, visitor)), state: null, done }))
  })

  dashboard.post(offerPath(':id'), {
    schema: OfferForm,
    page: (c) => offerPath(idOf(c)),
    render: async ({ c, visitor, state }) => renderOffer({ ...(await offerPage(c, visitor)), state }),
    async act({ c, act, visitor, input }) {
      const state = { values: input.form, errors: {} }
      if (input.kind === 'preview') {
        await requireProducer(ctx, act.caller, 'edit')
        return sendPage(c, renderOffer({ ...(await offerPage(c, visitor)), state }))
      }
      const { terms } = input.offer
      try {
        const { offer, changed } = await updateOffer(ctx, act, {
          ...{ offerId: idOf(c), edit: terms },
          ...(input.show && { status: 'active' as const }),
          ...(input.version && { ifUpdatedAt: input.version }),
        })
        await shown()
        return `${offerPath(offer.id)}?done=${await savedWord(visitor, offer, changed)}`
      } catch (error) {
        if (!(error instanceof AppError) || error.field !== CHANGED_SINCE) throw error
        return showClash(c, visitor, { state, mine: terms })
      }
    },
  })

  dashboard.post(statusPath(':id'), {
    schema: StatusForm,
    page: (c) => offerPath(idOf(c)),
    async render({ c, visitor, state: { values, errors } }) {
      const page = await offerPage(c, visitor)
      const whole = aboveAll(errors)
      if (values.from === 'offer') return renderOffer({ ...page, state: null, errors: whole })
      const filter = readFilter(new URLSearchParams(values.back ?? ''))
      return renderList({ ...(await listPage(visitor, filter)), errors: whole })
    },
    async act({ c, act, visitor, input: { status, from, back } }) {
      const { offer } = await updateOffer(ctx, act, { offerId: idOf(c), status })
      await shown()
      const done = await standingWord(visitor, offer)
      if (from === 'offer') return `${offerPath(offer.id)}?done=${done}`
      return listPath(readFilter(new URLSearchParams(back)), { done })
    },
  })

  async function listPage(visitor: Visitor, filter: OffersFilter, { done }: { done?: string | null } = {}) {
    const [{ offers, total }, survey] = await Promise.all([
      findPage(visitor, filter),
      surveyOffers(ctx, visitor, { mostProducts: MOST_CHOICES + 1 }),
    ])
    const related = await relatedAmong(visitor, offers)
    const now = ctx.clock.now()
    return { site, visitor, filter, offers, total, related, survey, now, done: done ?? null }
  }

  /** A product that is none has no offers. */
  async function findPage(visitor: Visitor, { status, product, endsWithin, page }: OffersFilter) {
    const slug = product === null ? undefined : ProductSlugInput.safeParse(product)
    const nothing = { offers: [], total: 0 }
    if (slug?.success === false) return nothing
    try {
      return await pageOffers(ctx, visitor, {
        ...(status !== null && { status }),
        ...(slug && { productSlug: slug.data }),
        ...(endsWithin !== null && { expiringWithinDays: endsWithin }),
        ...{ limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE },
      })
    } catch (error) {
      if (error instanceof AppError && error.field === 'product_slug') return nothing
      throw error
    }
  }

  async function newPage(visitor: Visitor): Promise<Omit<NewPageProps, 'state'>> {
    const [relationships, { unexpired }] = await Promise.all([
      relationshipsOf(ctx, visitor.org.id),
      surveyOffers(ctx, visitor, { mostProducts: 0 }),
    ])
    const verified = relationships.filter(({ status }) => status === 'verified')
    const byProduct = new Map(verified.map((related) => [related.productId, related]))
    const products = [...byProduct.values()].sort((a, b) => a.title.localeCompare(b.title, 'en'))
    return { site, visitor, products, full: unexpired >= MOST_OFFERS, now: ctx.clock.now() }
  }

  async function offerPage(c: C, visitor: Visitor): Promise<Omit<OfferPageProps, 'state'>> {
    const offer = await viewOffer(ctx, visitor, idOf(c))
    const related = await relatedAmong(visitor, [offer])
    return { site, visitor, offer, related: related.has(offer.productId), now: ctx.clock.now() }
  }

  async function showClash(
    c: C,
    visitor: Visitor,
    { state, mine }: { state: FormState; mine: OfferTerms },
  ): Promise<Response> {
    const page = await offerPage(c, visitor)
    const by = await lastChangeOf(ctx, visitor.caller, page.offer.id)
    const own = by?.userId === visitor.actor.user.id
    const who = own ? 'You, in another window,' : (by?.name ?? 'Somebody')
    return sendPage(c, renderOffer({ ...page, state, clash: { mine, who } }), { status: 409 })
  }

  function preview(visitor: Visitor, values: FormState['values']): string {
    return String(<Preview draft={draftFor(visitor, { values })} now={ctx.clock.now()} typing />)
  }

  function relatedAmong({ org }: Visitor, offers: readonly Offer[]): Promise<Set<string>> {
    return relatedProducts(ctx, {
      orgId: org.id,
      productIds: [...new Set(offers.map(({ productId }) => productId))],
    })
  }

  async function standingWord(visitor: Visitor, offer: Offer): Promise<string> {
    const related = (await relatedAmong(visitor, [offer])).has(offer.productId)
    return standingOf(offer, { now: ctx.clock.now(), related }).kind
  }

  async function savedWord(visitor: Visitor, offer: Offer, changed: readonly string[]): Promise<string> {
    if (changed.length === 0) return 'same'
    return changed.includes('status') ? standingWord(visitor, offer) : 'saved'
  }
}

/** The product that a link named, if offers can be made for it; else why not. */
function askedFor({ products }: Pick<NewPageProps, 'products'>, asked: string | undefined): FormState {
  const named = ProductSlugInput.safeParse(asked ?? '')
  if (!named.success) return { values: {}, errors: {} }
  const { category, slug } = named.data
  const found = products.find(({ productSlug }) =>
    category === null ? productSlug.endsWith(`/${slug}`) : productSlug === `${category}/${slug}`,
  )
  if (found) return { values: { product_slug: found.productSlug }, errors: {} }
  const problem = 'You have no proved claim to that product. Claim it first, or choose another one.'
  return { values: {}, errors: products.length === 0 ? {} : { product_slug: problem } }
}

function mayWrite(visitor: Visitor): boolean {
  return visitor.may('edit') || visitor.org.deactivatedAt !== null
}

const idOf = (c: C) => c.req.param('id') ?? ''
