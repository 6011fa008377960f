/**
 * /dashboard/offers: the list, the calendar, and each offer's own page. A form sends the version it was opened with, so
 * that nobody overwrites what a colleague has just saved without seeing it.
 */
import type { Context } from 'hono'
import { z } from 'zod'
import type { Variant } from '../../../catalog/catalog.schema.ts'
import { findVariants } from '../../../catalog/chosen-variant.ts'
import { productPath } from '../../../catalog/profile.ts'
import { offerTypeWords, offerVariantWords } from '../../../catalog/promoted-offer.ts'
import { ProductSlugInput } from '../../../catalog/relationships.schema.ts'
import { findNamedProduct, relatedProducts, relationshipsOf } from '../../../catalog/relationships.service.ts'
import type { HttpEnv } from '../../../http/env.ts'
import { AppError } from '../../../lib/errors.ts'
import { formatUsd } from '../../../lib/money.ts'
import {
  OFFER,
  type OfferTerms,
  SETTABLE_STATUSES,
  type SettableStatus,
  statusNow,
} from '../../../offers/offer.model.ts'
import {
  CHANGED_SINCE,
  changeOfferPrices,
  createOffer,
  lastChangeOf,
  MOST_OFFERS,
  type Offer,
  type OfferWithClicks,
  offersBetween,
  pageOffers,
  setOfferStatuses,
  surveyOffers,
  updateOffer,
  viewOffer,
} from '../../../offers/offers.service.ts'
import { importOffers } from '../../../offers/offers-file.service.ts'
import { requireProducer } from '../../../orgs/producer.ts'
import { Moment, momentWords } from '../../components/moment.tsx'
import { countOf, formatCount } from '../../format.ts'
import type { Page } from '../../kit/console.tsx'
import { type FormState, UNTOUCHED } from '../../kit/fields.tsx'
import { Fields, type FormSpec } from '../../kit/form.tsx'
import {
  type Asked,
  choice,
  column,
  defineList,
  type ListColumn,
  listHref,
  pickedIn,
  readAsked,
} from '../../kit/list.tsx'
import { Action, DataTable, Empty, LinkButton, noted, Panel, State, Stats } from '../../kit/parts.tsx'
import { sendPage } from '../../page.http.ts'
import {
  type Dashboard,
  type DashboardDeps,
  type Visitor,
  type VisitorSeen,
  WhoMay,
  whoMay,
} from '../guard.tsx'
import { CLAIM_PATH, claimPath, NEW_OFFER_PATH, OFFERS_PATH, offerPath } from '../paths.ts'
import { CALENDAR_PATH, calendarPage, MOST_LINES, Runs, readMonth } from './calendar.tsx'
import {
  FORM_ID,
  OFFER_FORM,
  OfferFields,
  OfferForm,
  PREVIEW_PATH,
  Preview,
  valuesOf,
} from './offer.form.tsx'
import { SAID, STATUS_WORDS, type Standing, standingOf } from './standing.ts'

/** A list to choose from holds at most this many; sellers with more type a name. */
const MOST_CHOICES = 300

const LIST = defineList(OFFERS_PATH, 'offer', {
  search: 'Headline or promo code',
  pageSize: 25,
  filters: {
    status: choice('State', STATUS_WORDS),
    product: 'text',
    ends: choice('Ends', { '7': 'Within 7 days', '30': 'Within 30 days' }, 'Any time'),
  },
})

const FILE_PATH = `${OFFERS_PATH}/import`
const FILE = {
  ...({ path: FILE_PATH, list: OFFERS_PATH, noun: 'offer', right: 'edit' } as const),
  title: 'Import offers',
  lead: 'Make and change many offers from a file. You see what would change before you save.',
  columns: {
    offer_id: 'The offer to change; leave it empty for a new one.',
    product_slug: 'The product of a new offer. You need a verified claim to it.',
    ...Object.fromEntries(
      OFFER.keys.map((key) => [OFFER.names[key], `${OFFER.fields[key].sent.description}.`]),
    ),
    status: 'draft or active for a new offer; active, paused or expired for one that is there.',
  },
}

const statusPath = (id: string) => `${offerPath(id)}/status`

const StatusForm = z.object({
  status: z.enum(SETTABLE_STATUSES),
  from: z.enum(['list', 'offer']).default('list'),
  /** The query of the list that the button stood in. */
  back: z.string().default(''),
})

const BULK_PATH = `${OFFERS_PATH}/status`
const BULK_BUTTONS = [
  ['active', 'Publish the selected'],
  ['paused', 'Pause the selected'],
  ['expired', 'End the selected'],
] as const
const BulkForm = z.record(z.string(), z.string()).transform((form, check) => {
  const status = SETTABLE_STATUSES.find((one) => one === form.status)
  const offerIds = pickedIn(form)
  if (status && offerIds.length > 0) return { status, offerIds }
  const message = status ? 'Select at least one offer.' : 'Choose what to do.'
  check.issues.push({ code: 'custom', path: [status ? '' : 'status'], message, input: form })
  return z.NEVER
})

const PRICES_PATH = `${OFFERS_PATH}/prices`
const PRICES: FormSpec = {
  change_pct: {
    ...{ kind: 'number', label: 'Change price by (%)', min: -99, max: 1_000, step: 0.01 },
    hint: 'Such as -5 or 3. Offers without a price stay as they are.',
  },
}
const PricesForm = z.record(z.string(), z.string()).transform((form, check) => {
  const offerIds = pickedIn(form)
  const typed = (form.change_pct ?? '').trim()
  const pct = Number(typed)
  const refuse = (field: string, message: string) =>
    check.issues.push({ code: 'custom', path: [field], message, input: form })
  if (offerIds.length === 0) refuse('', 'Select at least one offer.')
  if (typed === '' || !(pct > -100 && pct <= 1_000)) refuse('change_pct', 'Enter a number from -99 to 1,000.')
  return { offerIds, pct }
})

/** What the file has, by the names that it is read by again. */
const FILE_COLUMNS = (now: Date): Array<ListColumn<Offer>> => [
  { label: 'Product', csv: ({ productTitle }) => productTitle },
  { label: 'offer_id', csv: ({ id }) => id },
  { label: 'product_slug', csv: ({ productSlug }) => productSlug },
  ...OFFER.keys.map((key) => ({
    label: OFFER.names[key],
    csv: (offer: Offer) => {
      const value = OFFER.write(offer, 'dollars')[OFFER.names[key]]
      return Array.isArray(value)
        ? value.join('; ')
        : typeof value === 'number'
          ? value
          : ((value as string) ?? null)
    },
  })),
  { label: 'status', csv: (offer) => statusNow(offer, now) },
]

export function mountOffers(dashboard: Dashboard, { ctx }: DashboardDeps): void {
  const showList = dashboard.list<OfferWithClicks, (typeof LIST)['filters']>(
    LIST,
    'read',
    async ({ c, visitor, state, asked }) => {
      const [{ offers, total }, survey] = await Promise.all([
        findPage(visitor, asked),
        surveyOffers(ctx, visitor, { mostProducts: MOST_CHOICES + 1 }),
      ])
      const related = await relatedAmong(visitor, offers)
      const now = ctx.clock.now()
      const standing = (offer: Offer) => standingOf(offer, { now, related: related.has(offer.productId) })
      const back = listHref(LIST, asked).split('?')[1] ?? ''
      const products = survey.products.map(({ productSlug, title }) => [productSlug, title] as const)
      const { product } = asked.filters
      const known = product === '' || products.some(([slug]) => slug === product)
      return {
        title: 'Offers',
        lead: `${survey.unexpired} of ${MOST_OFFERS} offers in use.`,
        said: {
          ...SAID,
          priced: `${countOf(Number(c.req.query('changed')) || 0, 'price')} changed.`,
        },
        actions: [
          <LinkButton to={CALENDAR_PATH} label="Calendar" />,
          visitor.may('edit') && <LinkButton to={FILE_PATH} label="Import a file" />,
          visitor.may('edit') && <LinkButton to={NEW_OFFER_PATH} primary label="New offer" />,
        ],
        ...{ rows: offers, total, order: 'newest first' },
        columns: [
          {
            label: 'Offer',
            cell: (offer) => noted(<a href={offerPath(offer.id)}>{offer.headline}</a>, forWords(offer)),
          },
          {
            label: 'State',
            csv: (offer) => standing(offer).word,
            cell: (offer) => {
              const { tone, word, note } = standing(offer)
              return noted(<State tone={tone}>{word}</State>, tone === 'bad' && note)
            },
          },
          {
            label: 'Price',
            cell: ({ priceCents, listPriceCents }) =>
              priceCents === null ? (
                <span class="soft">No price</span>
              ) : (
                noted(formatUsd(priceCents), listPriceCents !== null && `list ${formatUsd(listPriceCents)}`)
              ),
          },
          { label: 'Runs', cell: (offer) => <Runs {...offer} /> },
          {
            ...{ label: 'Clicks', kind: 'number', csv: ({ clicks }) => clicks.ever },
            cell: ({ clicks }) => noted(formatCount(clicks.recent), `${formatCount(clicks.ever)} in all`),
          },
          ...FILE_COLUMNS(now),
          visitor.may('edit') &&
            column.actions('Actions', (offer) => (
              <OfferActions {...{ offer, now, back }} standing={standing(offer)} />
            )),
        ],
        filters: {
          product: {
            label: 'Product',
            ...(products.length <= MOST_CHOICES && {
              options: known ? products : [...products, [product, product] as const],
            }),
          },
        },
        bulk: visitor.may('edit')
          ? {
              action: BULK_PATH,
              key: ({ id }) => id,
              name: ({ headline }) => headline,
              buttons: [
                BULK_BUTTONS.map(([status, words]) => (
                  <button class="button plain" type="submit" name="status" value={status}>
                    {words}
                  </button>
                )),
                <details class="folded" open={c.req.path === PRICES_PATH}>
                  <summary>Change their prices</summary>
                  <div class="filters">
                    <Fields of={PRICES} state={c.req.path === PRICES_PATH ? state : UNTOUCHED} />
                    <p>
                      <button class="button plain" type="submit" formaction={PRICES_PATH}>
                        Change the prices
                      </button>
                    </p>
                  </div>
                </details>,
              ],
            }
          : undefined,
        empty: [
          <p>
            No offers yet. An offer appears on the page of a product that you sell or make, under your name.
            We count its clicks here.
          </p>,
          visitor.may('edit') ? (
            <LinkButton to={NEW_OFFER_PATH} primary label="Create your first offer" />
          ) : (
            <WhoMay visitor={visitor} right="edit" what="create one" />
          ),
        ],
      }
    },
  )

  async function showNew({ c, visitor, state }: VisitorSeen): Promise<Page> {
    const [relationships, { unexpired }] = await Promise.all([
      relationshipsOf(ctx, visitor.org.id),
      surveyOffers(ctx, visitor, { mostProducts: 0 }),
    ])
    const verified = relationships.filter(({ status }) => status === 'verified')
    const titles = new Map(verified.map(({ productSlug, title }) => [productSlug, title]))
    const products = [...titles].sort(([, a], [, b]) => a.localeCompare(b, 'en'))
    const filled = state === UNTOUCHED ? askedFor(products, c.req.query('product')) : state
    const { org } = visitor
    const instead = !visitor.may('edit') ? (
      <Empty>You can't create offers for {org.name} right now.</Empty>
    ) : products.length === 0 ? (
      <Empty to={CLAIM_PATH} label="Claim a product">
        You can create offers for products with a verified claim. {org.name} has none yet.
      </Empty>
    ) : unexpired >= MOST_OFFERS ? (
      <Empty to={OFFERS_PATH} label="See your offers">
        {org.name} has {MOST_OFFERS} offers that have not ended, which is the most it can have. End one that
        you no longer need, then come back.
      </Empty>
    ) : null
    return {
      title: 'New offer',
      lead: 'Buyers see it once you publish it.',
      errors: filled.errors,
      body: instead ?? (
        <>
          <OfferFields
            {...{ visitor, state: filled, now: ctx.clock.now(), action: NEW_OFFER_PATH }}
            variants={await variantsOf(filled.values.product_slug)}
            products={products.length > MOST_CHOICES ? undefined : products}
            saves={[
              ['draft', 'Save draft'],
              ['show', 'Save and publish'],
            ]}
          />
          <p class="row-note">
            Product missing? <a href={CLAIM_PATH}>Claim it first</a>
          </p>
        </>
      ),
    }
  }

  async function showOffer(
    { c, visitor, state }: VisitorSeen,
    clash?: { mine: OfferTerms; who: string },
  ): Promise<Page> {
    const offer = await viewOffer(ctx, visitor, idOf(c))
    const now = ctx.clock.now()
    const standing = standingOf(offer, {
      now,
      related: (await relatedAmong(visitor, [offer])).has(offer.productId),
    })
    const variants = await variantsOf(offer.productSlug)
    const [category = '', slug = ''] = offer.productSlug.split('/')
    // Only the form of the terms is filled in again; a state that could not be set has no field.
    const typed = state.values.headline === undefined ? { ...state, values: valuesOf(offer) } : state
    const version = clash ? undefined : typed.values.version
    const kept = { product_slug: offer.productSlug, version: version ?? offer.updatedAt.toISOString() }
    return {
      title: offer.headline,
      lead: (
        <>
          For <a href={productPath({ slug, category: { slug: category } })}>{offer.productTitle}</a>
          {offer.ofVariant && `, ${offerVariantWords(offer.ofVariant)}`}
        </>
      ),
      said: SAID,
      ...(clash && { status: 409 as const }),
      body: [
        clash && <Differences {...clash} theirs={offer} />,
        <Stats
          items={[
            {
              label: 'State',
              value: plain(<State tone={standing.tone}>{standing.word}</State>),
              note: standing.note,
            },
            { label: 'Clicks in 30 days', value: formatCount(offer.clicks.recent) },
            { label: 'Clicks in all', value: formatCount(offer.clicks.ever) },
            { label: 'Last changed', value: plain(<Moment at={offer.updatedAt} />) },
          ]}
        />,
        standing.kind === 'unrelated' && (
          <p class="aside">
            Buyers do not see this offer, because your claim to the product is no longer verified.{' '}
            {visitor.may('edit') && <a href={claimPath(offer.productSlug)}>Claim the product again</a>}
          </p>
        ),
        visitor.may('edit') ? (
          <>
            <OfferActions offer={offer} standing={standing} now={now} />
            <OfferFields
              {...{ visitor, state: typed, now, kept, variants, action: offerPath(offer.id) }}
              saves={[
                ['terms', clash ? 'Save mine anyway' : 'Save'],
                ...(standing.kind === 'draft' ? [['show', 'Save and publish'] as const] : []),
              ]}
            />
          </>
        ) : (
          <div class="side-by-side offer-sides">
            <Panel title="Terms" lead={`${whoMay('edit')} can change these.`}>
              <TermTable caption="What the offer says" keys={OFFER.keys} columns={[['Value', offer]]} />
            </Panel>
            <Panel title="Preview" lead="How buyers see it on the product page.">
              <Preview visitor={visitor} values={valuesOf(offer)} variants={variants} now={now} />
            </Panel>
          </div>
        ),
      ],
    }
  }

  dashboard.page(CALENDAR_PATH, 'read', async ({ c, visitor }) => {
    const now = ctx.clock.now()
    const month = readMonth(c.req.query('month'), now)
    const offers = await offersBetween(ctx, visitor, { ...month, limit: MOST_LINES + 1 })
    return calendarPage({ visitor, month, offers, related: await relatedAmong(visitor, offers), now })
  })
  dashboard.page(NEW_OFFER_PATH, 'edit', showNew)
  // Before the address of one offer, which would take it for an id.
  dashboard.action(PRICES_PATH, {
    ...{ right: 'edit', schema: PricesForm, shows: true },
    async act({ act, input }) {
      const changed = await changeOfferPrices(ctx, act, input)
      return `${OFFERS_PATH}?done=${changed === 0 ? 'same' : `priced&changed=${changed}`}`
    },
  })
  dashboard.csv(FILE, (act, wish) => importOffers(ctx, act, wish))
  dashboard.action(BULK_PATH, {
    ...{ right: 'edit', schema: BulkForm, shows: true },
    async act({ act, input: { status, offerIds } }) {
      const changed = await setOfferStatuses(ctx, act, { offerIds, status })
      return `${OFFERS_PATH}?done=${changed === 0 ? 'same' : 'many'}`
    },
  })

  dashboard.page(offerPath(':id'), 'read', (seen) => showOffer(seen))

  dashboard.action(NEW_OFFER_PATH, {
    ...{ schema: OfferForm, shows: true },
    async act({ c, act, visitor, input }) {
      if (input.kind === 'preview') {
        await requireProducer(ctx, act.caller, 'edit')
        return showNew({ c, visitor, state: { values: input.form, errors: {} } })
      }
      const status = input.publish ? 'active' : 'draft'
      const offer = await createOffer(ctx, act, { ...input.offer, status })
      return `${offerPath(offer.id)}?done=${input.publish ? await standingWord(visitor, offer) : 'draft'}`
    },
  })

  dashboard.action(PREVIEW_PATH, {
    ...{ schema: z.record(z.string(), z.string()), page: showNew, right: 'edit', from: OFFERS_PATH },
    async act({ c, act, visitor, input }) {
      await requireProducer(ctx, act.caller, 'edit')
      const now = ctx.clock.now()
      const variants = await variantsOf(input.product_slug)
      return sendPage(c, String(<Preview {...{ visitor, variants, now }} values={input} typing />))
    },
  })

  dashboard.action(offerPath(':id'), {
    ...{ schema: OfferForm, shows: true },
    async act({ c, act, visitor, input }) {
      const seen = { c, visitor, state: { values: input.form, errors: {} } }
      if (input.kind === 'preview') {
        await requireProducer(ctx, act.caller, 'edit')
        return showOffer(seen)
      }
      const { terms } = input.offer
      try {
        const { offer, changed } = await updateOffer(ctx, act, {
          ...{ offerId: idOf(c), edit: terms },
          ...(input.publish && { status: 'active' as const }),
          ...(input.version && { ifUpdatedAt: input.version }),
        })
        const word = changed.length === 0 ? 'same' : changed.includes('status') ? null : 'saved'
        return `${offerPath(offer.id)}?done=${word ?? (await standingWord(visitor, offer))}`
      } catch (error) {
        if (!(error instanceof AppError) || error.field !== CHANGED_SINCE) throw error
        const by = await lastChangeOf(ctx, visitor.caller, idOf(c))
        const own = by?.userId === visitor.actor.user.id
        return showOffer(seen, {
          mine: terms,
          who: own ? 'You, in another window,' : (by?.name ?? 'Somebody'),
        })
      }
    },
  })

  dashboard.action(statusPath(':id'), {
    schema: StatusForm,
    from: (c) => offerPath(idOf(c)),
    page: (seen) => (seen.state.values.from === 'offer' ? showOffer(seen) : showListAgain(seen)),
    shows: true,
    async act({ c, act, visitor, input: { status, from, back } }) {
      const { offer } = await updateOffer(ctx, act, { offerId: idOf(c), status })
      const done = await standingWord(visitor, offer)
      if (from === 'offer') return `${offerPath(offer.id)}?done=${done}`
      return listHref(LIST, readAsked(LIST, new URLSearchParams(back)), { done })
    },
  })

  /** The list that a refused button stood in; an offer of somebody else is not found there either. */
  async function showListAgain(seen: VisitorSeen): Promise<Page | Response> {
    await viewOffer(ctx, seen.visitor, idOf(seen.c))
    return showList(seen, new URLSearchParams(seen.state.values.back ?? ''))
  }

  /** A product that does not exist has no offers. */
  async function findPage(visitor: Visitor, { q, filters, limit, offset }: Asked<(typeof LIST)['filters']>) {
    const slug = filters.product === '' ? undefined : ProductSlugInput.safeParse(filters.product)
    const nothing = { offers: [], total: 0 }
    if (slug?.success === false) return nothing
    try {
      return await pageOffers(ctx, visitor, {
        ...(filters.status !== '' && { status: filters.status }),
        ...(slug && { productSlug: slug.data }),
        ...(filters.ends !== '' && { expiringWithinDays: Number(filters.ends) }),
        ...(q !== '' && { text: q }),
        ...{ limit, offset },
      })
    } catch (error) {
      if (error instanceof AppError && error.field === 'product_slug') return nothing
      throw error
    }
  }

  async function variantsOf(productSlug = ''): Promise<Variant[]> {
    const product = await findNamedProduct(ctx, productSlug)
    return product ? ((await findVariants(ctx.db, [product.id])).get(product.id) ?? []) : []
  }

  function relatedAmong({ org }: Visitor, offers: readonly Offer[]): Promise<Set<string>> {
    const productIds = [...new Set(offers.map(({ productId }) => productId))]
    return relatedProducts(ctx, { orgId: org.id, productIds })
  }

  async function standingWord(visitor: Visitor, offer: Offer): Promise<string> {
    const related = (await relatedAmong(visitor, [offer])).has(offer.productId)
    return standingOf(offer, { now: ctx.clock.now(), related }).kind
  }
}

/** "Rain jacket, Red / M" */
function forWords({ productTitle, ofVariant }: Offer): string {
  return ofVariant ? `${productTitle}, ${offerVariantWords(ofVariant)}` : productTitle
}

/** The product that a link named, if offers can be made for it; else why not. */
function askedFor(products: ReadonlyArray<readonly [string, string]>, asked: string | undefined): FormState {
  const named = ProductSlugInput.safeParse(asked ?? '')
  if (!named.success) return UNTOUCHED
  const { category, slug } = named.data
  const found = products.find(([product]) =>
    category === null ? product.endsWith(`/${slug}`) : product === `${category}/${slug}`,
  )
  if (found) return { values: { product_slug: found[0] }, errors: {} }
  const problem = 'You have no verified claim to that product. Claim it first, or choose another one.'
  return { values: {}, errors: products.length === 0 ? {} : { product_slug: problem } }
}

const idOf = (c: Context<HttpEnv>) => c.req.param('id') ?? ''

/** What is not a number, among figures. */
const plain = (value: unknown) => <span class="plain-figure">{value}</span>

type OfferActionsProps = {
  offer: Pick<Offer, 'id' | 'headline' | 'expiresAt'>
  standing: Standing
  now: Date
  /** The query of the list to come back to; undefined on the offer's own page. */
  back?: string
}

const NEXT: Partial<Record<Standing['kind'], readonly [SettableStatus, string]>> = {
  draft: ['active', 'Publish'],
  paused: ['active', 'Resume'],
  ended: ['active', 'Publish again'],
}

function OfferActions({ offer, standing: { kind }, now, back }: OfferActionsProps) {
  const about = `“${offer.headline}”`
  const button = (status: SettableStatus) => ({
    ...{ to: statusPath(offer.id), about },
    fields: { status, from: back === undefined ? 'offer' : 'list', back },
  })
  const [status, label] = NEXT[kind] ?? (['paused', 'Pause'] as const)
  if (kind === 'ended' && offer.expiresAt !== null && offer.expiresAt <= now)
    return back === undefined ? (
      <p class="soft">To publish it again, give it a later end.</p>
    ) : (
      <a href={offerPath(offer.id)}>
        Publish again<span class="hidden"> {about}</span>
      </a>
    )
  if (kind === 'ended') return <Action {...button(status)} label={label} />
  return (
    <div class="offer-actions">
      <Action {...button(status)} label={label} />
      <Action {...button('expired')} ask="End" label="End it now" kind="danger">
        <p>
          Buyers stop seeing it, and it no longer counts toward your limit. You can publish it again later.
        </p>
      </Action>
    </div>
  )
}

/** The saved version beside the typed one; the form below still holds what was typed. */
function Differences({ mine, who, theirs }: { mine: OfferTerms; who: string; theirs: OfferWithClicks }) {
  const differing = OFFER.keys.filter((key) => JSON.stringify(mine[key]) !== JSON.stringify(theirs[key]))
  return (
    <section class="panel" role="alert" aria-labelledby="clash-title">
      <h2 id="clash-title">{who} changed this offer since you opened it</h2>
      <p>
        Their version was saved on <Moment at={theirs.updatedAt} />. Yours is not saved yet: it is still in
        the form below.
      </p>
      {differing.length === 0 ? (
        <p>The terms are the same as yours. Only the state changed.</p>
      ) : (
        <TermTable
          caption="Saved version beside yours"
          keys={differing}
          columns={[
            ['Saved', theirs],
            ['Yours', mine],
          ]}
        />
      )}
      <div class="console-actions">
        <button class="button" type="submit" form={FORM_ID} name="save" value="terms">
          Save mine anyway
        </button>
        <a class="button plain" href={offerPath(theirs.id)} data-forget>
          Take theirs
        </a>
      </div>
    </section>
  )
}

type TermTableProps = {
  caption: string
  keys: ReadonlyArray<keyof OfferTerms & string>
  columns: ReadonlyArray<readonly [label: string, terms: OfferTerms & Partial<Pick<Offer, 'ofVariant'>>]>
}

function TermTable({ caption, keys, columns }: TermTableProps) {
  return (
    <DataTable
      caption={caption}
      columns={[{ label: 'Term' }, ...columns.map(([label]) => ({ label }))]}
      rows={keys.map((key) => [
        OFFER_FORM[OFFER.names[key]]?.label,
        ...columns.map(([, terms]) => termText(terms, key)),
      ])}
    />
  )
}

const ABSENT: Partial<Record<keyof OfferTerms, string>> = {
  ...{
    variant: 'All variants',
    priceCents: 'Not stated',
    listPriceCents: 'Not stated',
    startsAt: 'Now',
    expiresAt: 'No end',
  },
}

function termText(terms: OfferTerms & Partial<Pick<Offer, 'ofVariant'>>, key: keyof OfferTerms): string {
  if (key === 'variant' && terms.ofVariant) return offerVariantWords(terms.ofVariant)
  const value = terms[key]
  if (value instanceof Date) return momentWords(value)
  if (typeof value === 'number') return formatUsd(value)
  if (Array.isArray(value)) return value.map(offerTypeWords).join(', ') || 'None'
  return value ?? ABSENT[key] ?? 'None'
}
