/**
 * /quotes: asking sellers for quotes, and reading what they answer as it arrives. A request is made by a post alone and has
 * a page of its own, so that reloading, sharing and coming back ask nobody again. Closing the page ends nothing.
 */

import type { Context, Hono } from 'hono'
import { z } from 'zod'
import type { Person } from '../../accounts/actor.ts'
import { getProfile } from '../../catalog/catalog.service.ts'
import { type ProductProfile, productPath, slugOf } from '../../catalog/profile.ts'
import { findNamedProduct } from '../../catalog/relationships.service.ts'
import { findVariant } from '../../catalog/variants.ts'
import type { HttpEnv } from '../../http/env.ts'
import { keepSecret } from '../../http/secret-path.ts'
import { AppError, invalid } from '../../lib/errors.ts'
import { isUuid } from '../../lib/ids.ts'
import { regionName } from '../../lib/regions.ts'
import { usd } from '../../lib/words.ts'
import { SHARED_PATH } from '../../rfq/buyer.routes.ts'
import { Choice, chooseQuote } from '../../rfq/choose.service.ts'
import { waitForRfq } from '../../rfq/follow.ts'
import { countMessage } from '../../rfq/hourly-limit.service.ts'
import { factsOf, type RequestFacts } from '../../rfq/outcome.ts'
import {
  countRfqTasks,
  DiscontinuedError,
  getRfqTask,
  listRfqTasks,
  type RfqTask,
} from '../../rfq/rfq.service.ts'
import { quotesSeen } from '../../rfq/rfq-notices.service.ts'
import {
  listShares,
  MAX_SHARE_DAYS,
  revokeShare,
  type Share,
  ShareInput,
  shareRfq,
} from '../../rfq/share.service.ts'
import { Moment, momentWords } from '../components/moment.tsx'
import { SEARCH_PATH } from '../components/search-box.tsx'
import type { PageDeps } from '../deps.ts'
import { countOf, formatCount } from '../format.ts'
import { Form, type FormState, Select } from '../kit/fields.tsx'
import { choice, defineList, uncounted } from '../kit/list.tsx'
import { LinkLine } from '../kit/parts.tsx'
import {
  anybody,
  createPages,
  type FrameProps,
  listOfPerson,
  type PersonPage,
  type PersonSeen,
} from '../kit/person.tsx'
import { SharedLinks } from '../shared-links.tsx'
import { onward } from '../signed-in.ts'
import type { Site } from '../site.ts'
import { Hole, streamPage } from '../stream-page.tsx'
import { ASK_FORM, ASK_PATH, AskForm, AskRequest, QUOTES_PATH } from './ask-form.tsx'
import { askOnce } from './ask-once.ts'
import { Outcome } from './outcome.tsx'
import { followLive, RequestPage, StillOpen } from './request.page.tsx'

type Deps = Pick<PageDeps, 'site' | 'config' | 'accounts' | 'rfq' | 'offers' | 'a2a'>

const TITLE = 'Your quotes'
const STATE_WORDS = {
  submitted: 'Under way',
  completed: 'Finished',
  canceled: 'Canceled',
  failed: "Couldn't be finished",
}
const LIST = defineList(QUOTES_PATH, 'request', {
  search: 'Product',
  pageSize: 20,
  filters: { state: choice('Status', STATE_WORDS) },
})
const MAX_VALUE = 300
/** Sellers who let us answer by their rules have answered by then, and the page is whole, with the right title. */
const SOON_MS = 200

export function mountQuotes(app: Hono<HttpEnv>, deps: Deps): void {
  const { site, accounts, rfq } = deps
  const pages = createPages(app, deps, anybody(accounts))

  type Asking = Awaited<ReturnType<ReturnType<typeof anybody>>>
  pages.page(QUOTES_PATH, async (seen) => {
    const { user } = seen
    if (user === null)
      return { title: TITLE, lead: 'Sign in to see the quotes you requested.', body: <ForStrangers /> }
    return listOfPerson<Asking, RfqTask, typeof LIST.filters>(LIST, undefined, async ({ asked }) => {
      const { q, filters, limit, offset, before } = asked
      // Old addresses name the request that they go on after.
      const after = before !== null && isUuid(before) ? await placeOf(before, user.id) : undefined
      const found = await listRfqTasks(rfq, {
        ...{ userId: user.id, limit: limit + 1, offset, search: q || null },
        ...(filters.state !== '' && { state: filters.state }),
        ...(after && { before: after }),
      })
      return {
        title: TITLE,
        lead: 'Your requests to sellers, newest first.',
        ...uncounted(found, asked),
        columns: [
          { label: 'Product', csv: ({ productTitle }) => productTitle },
          { label: 'product_slug', csv: ({ productSlug }) => productSlug },
          { label: 'Variant', csv: ({ variant }) => variant?.name ?? null },
          { label: 'Quantity', csv: ({ quantity }) => quantity },
          { label: 'Deliver to', csv: ({ deliveryRegion }) => deliveryRegion },
          { label: 'Status', csv: ({ state }) => STATE_WORDS[state] },
          { label: 'Quotes', csv: ({ quotes }) => quotes.length },
          { label: 'Best total (USD)', csv: ({ quotes: [best] }) => best?.total_usd ?? null },
          { label: 'Requested', csv: ({ createdAt }) => createdAt },
          { label: 'id', csv: ({ rfqId }) => rfqId },
        ],
        empty: [<p>No requests yet. Find a product and ask everyone who sells it.</p>, <FindProduct />],
        draw: (tasks) => (
          <ul class="rows">
            {tasks.map((task) => (
              <TaskRow task={task} />
            ))}
          </ul>
        ),
      }
    })(seen)
  })

  pages.page(ASK_PATH, async ({ c }) => {
    const values = Object.fromEntries(
      ['product_slug', 'variant', ...Object.keys(ASK_FORM)].flatMap((name) => {
        const value = c.req.query(name)
        return value === undefined ? [] : [[name, value.slice(0, MAX_VALUE)]]
      }),
    )
    const profile = await profileNamed(values.product_slug ?? '')
    const status = profile === null && values.product_slug ? 404 : 200
    return { ...askPage(profile, { values, errors: {} }), status }
  })

  pages.action(QUOTES_PATH, {
    schema: AskRequest,
    page: async ({ state, form }: PersonSeen<object>) =>
      askPage(await profileNamed(form.product_slug ?? ''), state),
    async act({ user, visit, input }) {
      const profile = await profileNamed(input.product_slug)
      if (profile === null)
        throw new AppError('not_found', "We can't find this product.", { field: 'product_slug' })
      if (profile.discontinued) throw new DiscontinuedError(slugOf(profile))
      const variant = input.variant === null ? null : findVariant(profile.variants, input.variant)
      if (input.variant !== null && variant === null) throw invalid('variant', 'Choose one of the variants.')
      const asker = { userId: user?.id ?? null, clientId: null, face: 'web' as const, visit }
      try {
        const { rfqId } = await askOnce(rfq, asker, {
          request: { ...input, product_slug: slugOf(profile), variant: variant?.id ?? null },
          count: () => countMessage(rfq, { user, visit }).catch(inPageWords(user)),
        })
        return `${QUOTES_PATH}/${rfqId}`
      } catch (error) {
        if (!(error instanceof AppError) || error.field !== 'deadline_iso') throw error
        const text = 'This day is past. Choose today, by UTC, or a later day.'
        throw new AppError(error.kind, text, { field: error.field })
      }
    },
  })

  const askedFor = `${QUOTES_PATH}/:id`
  app.use(`${askedFor}/*`, keepSecret)
  pages.page(askedFor, requestPage)

  pages.action(`${askedFor}/choose`, {
    schema: ChoiceForm,
    async act({ c, user, visit, input }) {
      const whose = whoseOf(c, user)
      try {
        await chooseQuote(rfq, { ...whose, visit, ...input })
      } catch (error) {
        if (!(error instanceof AppError) || error.kind !== 'conflict') throw error
        const words = choiceRefusal(factsOf(await getRfqTask(rfq, whose)), input, rfq.clock.now())
        throw new AppError(error.kind, words ?? error.message, { code: error.code })
      }
      return `${QUOTES_PATH}/${whose.id}?done=chosen`
    },
  })

  pages.action(`${askedFor}/shares`, {
    schema: ShareForm,
    async act({ c, user, visit, input }) {
      const whose = whoseOf(c, user)
      await shareRfq(rfq, { ...whose, visit, ...input })
      return `${QUOTES_PATH}/${whose.id}?done=shared#share`
    },
  })

  pages.action(`${askedFor}/shares/:share/revoke`, {
    async act({ c, user, visit }) {
      const whose = whoseOf(c, user)
      await revokeShare(rfq, { ...whose, visit, shareId: c.req.param('share') ?? '' })
      return `${QUOTES_PATH}/${whose.id}?done=revoked#share`
    },
  })

  /** Followed live by who opens it while it runs; whole after that, and for a form that is refused. */
  async function requestPage({ c, user, state }: PersonSeen<{ user: Person | null }>) {
    const whose = whoseOf(c, user)
    const { userId } = whose
    const task = await waitForRfq(rfq, { ...whose, ms: SOON_MS })
    const profile = await profileNamed(task.productSlug)
    const own = userId !== null && (await countRfqTasks(rfq, { userId, contextId: task.contextId })) > 0
    const title = profile?.title ?? task.productSlug
    const page = { site, task, profile, title, own }
    const ending = async (ended: RfqTask) => (
      <Outcome task={ended} title={title} now={rfq.clock.now()}>
        {ended.quotes.length > 0 && (
          <SharePanel rfqId={ended.rfqId} shares={await listShares(rfq, whose)} state={state} site={site} />
        )}
      </Outcome>
    )
    if (task.state === 'submitted' && c.req.method !== 'POST') {
      const open = String(
        <RequestPage {...page}>
          <Hole />
        </RequestPage>,
      )
      return streamPage(c, open, (write, gone) =>
        followLive(deps, {
          ...{ task, userId, title, gone, write },
          ending: async (ended) => String(await ending(ended)),
        }),
      )
    }
    if (task.state !== 'submitted') await quotesSeen(rfq, { ...task, userId })
    const body =
      task.state === 'submitted' ? <StillOpen path={`${QUOTES_PATH}/${task.rfqId}`} /> : await ending(task)
    const frame = ({ children }: FrameProps) => <RequestPage {...page}>{children}</RequestPage>
    return { title, frame, body, said: SAID }
  }

  async function profileNamed(name: string): Promise<ProductProfile | null> {
    const product = await findNamedProduct(rfq, name)
    return product && getProfile(rfq, product)
  }

  async function placeOf(id: string, userId: string) {
    const { finishedAt, createdAt } = await getRfqTask(rfq, { id, userId })
    return { changedAt: finishedAt ?? createdAt, id }
  }
}

const SAID = {
  chosen: 'Your choice is recorded. It is not an order: buy from the seller before the quote expires.',
  shared: 'The link is ready. Copy it below.',
  revoked: 'The link no longer works.',
}

function whoseOf(c: Context<HttpEnv>, user: Person | null) {
  return { id: c.req.param('id') ?? '', userId: user?.id ?? null }
}

const ChoiceForm: z.ZodType<Choice> = z.object({
  quote_id: Choice.shape.quote_id,
  total_usd: z.coerce.number().pipe(Choice.shape.total_usd),
})

const ShareForm = z.object({ days: z.coerce.number().pipe(ShareInput.shape.days.unwrap()) })

/** Why a choice is refused, to the buyer; null for what the page need not say in words of its own. */
function choiceRefusal(
  { chosen, quotes }: RequestFacts,
  { quote_id, total_usd }: Choice,
  now: Date,
): string | null {
  const quote = quotes.find((one) => one.quote_id === quote_id)
  if (!quote) return null
  if (chosen !== null && chosen.quote_id !== quote_id)
    return 'Another quote was already chosen, so nothing was changed.'
  if (quote.total_usd !== total_usd)
    return `The total of this quote is ${usd(quote.total_usd)}. Check it, then choose again.`
  const end = new Date(quote.offer_expires_at)
  if (end <= now)
    return `This quote expired on ${momentWords(end)}, so it was not chosen. Choose another, or ask again.`
  return null
}

function askPage(profile: ProductProfile | null, state: FormState): PersonPage {
  if (profile !== null)
    return {
      title: `Ask for quotes: ${profile.title}`,
      body: [
        <AskForm profile={profile} state={state} />,
        <LinkLine to={productPath(profile)}>Back to {profile.title}</LinkLine>,
      ],
    }
  const lead = state.values.product_slug?.trim()
    ? "This product isn't in the catalog. It may have been removed, or the link has a mistake."
    : 'You ask for quotes on a product page.'
  const body = (
    <>
      <p>Find the product, then ask everyone who sells it.</p>
      <FindProduct />
    </>
  )
  return { title: 'Ask for quotes', lead, body }
}

function FindProduct() {
  return (
    <LinkLine to={SEARCH_PATH} button>
      Find a product
    </LinkLine>
  )
}

function TaskRow({ task }: { task: RfqTask }) {
  const { state, quotes, deliveryRegion } = task
  const [best] = quotes
  const standing = {
    submitted: 'Asking sellers',
    canceled: 'Canceled',
    failed: "Couldn't be finished",
    completed: best ? `best of ${countOf(quotes.length, 'quote')}, in total` : 'No quotes',
  }
  return (
    <li>
      <p>
        <a href={`${QUOTES_PATH}/${task.rfqId}`}>{task.productTitle}</a>
        <span class="row-note">
          {task.variant !== null && `${task.variant.name}, `}
          {task.variant === null ? 'Quantity' : 'quantity'} {formatCount(task.quantity)},{' '}
          <Moment at={task.createdAt} />
          {deliveryRegion !== null && `, to ${regionName(deliveryRegion)}`}
        </span>
      </p>
      <p class="row-end">
        {best && <span class="price">{usd(best.total_usd)}</span>}
        <span class="row-note">{standing[state]}</span>
      </p>
    </li>
  )
}

function ForStrangers() {
  return (
    <>
      <LinkLine to={onward('/auth/signin', QUOTES_PATH)} button>
        Sign in
      </LinkLine>
      <p>
        No account yet? <a href={onward('/auth/signup', QUOTES_PATH)}>Create one</a>. You can also ask without
        an account: <a href={SEARCH_PATH}>find a product</a>, choose “Ask every seller” and save the address
        of the page with the answers.
      </p>
    </>
  )
}

/** What the hourly limit says: pages share it with messages of agents. */
function inPageWords(user: Person | null) {
  return (error: unknown): never => {
    if (!(error instanceof AppError) || error.retryAfterSeconds === undefined) throw error
    const { kind, code, max, retryAfterSeconds } = error
    const wait = countOf(Math.ceil(retryAfterSeconds / 60), 'minute')
    const more = user === null ? 'sign in' : 'confirm your email'
    const text = user?.emailVerified
      ? `You've asked ${max} times this hour. Try again in ${wait}.`
      : `Your network has asked ${max} times this hour. Try again in ${wait}, or ${more} to ask more often.`
    throw new AppError(kind, text, { code, max, retryAfterSeconds })
  }
}

type Props = { rfqId: string; shares: Share[]; state: FormState; site: Pick<Site, 'baseUrl'> }

const DAYS = [1, 7, MAX_SHARE_DAYS].map((days) => [String(days), countOf(days, 'day')] as const)

export function SharePanel({ rfqId, shares, state, site }: Props) {
  const at = `${QUOTES_PATH}/${rfqId}/shares`
  return (
    <section class="share" id="share" aria-labelledby="share-title">
      <h3 id="share-title">Share these quotes</h3>
      <p>
        Make a link to show others that the ranking is fair. It shows the product, the quantity and the signed
        quotes. It doesn't show your place, your date, the sellers' terms or where to buy, and nobody can
        choose with it.
      </p>
      <Form action={at} label="Create link" kind="plain">
        <Select state={state} name="days" label="The link works for" options={DAYS} value="7" />
      </Form>
      <SharedLinks
        {...{ at, shares, class: 'rows', address: { baseUrl: site.baseUrl, path: SHARED_PATH } }}
        note={({ expiresAt }) => (
          <>
            Works until <Moment at={expiresAt} />
          </>
        )}
      />
    </section>
  )
}
