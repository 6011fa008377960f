/**
 * /quotes: asking sellers for quotes, and reading what they answer as it arrives. A request is made by a post alone and has
 * a page of its own, so that reloading, sharing and coming back ask nobody again. Closing the page ends nothing.
 */
import type { Hono } from 'hono'
import type { Person } from '../../accounts/actor.ts'
import type { AccountsContext } from '../../accounts/context.ts'
import type { AgentsContext } from '../../agents/context.ts'
import { getProfile } from '../../catalog/catalog.service.ts'
import { type ProductProfile, productPath, slugOf } from '../../catalog/profile.ts'
import { findNamedProduct } from '../../catalog/relationships.service.ts'
import type { Config } from '../../config.ts'
import type { HttpEnv } from '../../http/env.ts'
import { AppError } from '../../lib/errors.ts'
import { regionName } from '../../lib/regions.ts'
import { usd } from '../../lib/words.ts'
import type { LiveOffers } from '../../offers/live-offers.ts'
import type { RfqContext } from '../../rfq/context.ts'
import { waitForRfq } from '../../rfq/follow.ts'
import { countMessage } from '../../rfq/hourly-limit.service.ts'
import {
  countRfqTasks,
  DiscontinuedError,
  getRfqTask,
  listRfqTasks,
  type RfqTask,
} from '../../rfq/rfq.service.ts'
import { quotesSeen } from '../../rfq/rfq-notices.service.ts'
import { Moment } from '../components/moment.tsx'
import { SEARCH_PATH } from '../components/search-box.tsx'
import { countOf, formatCount } from '../format.ts'
import type { FormState } from '../kit/fields.tsx'
import { anybody, createPages, type PersonPage, type PersonSeen } from '../kit/person.tsx'
import { onward } from '../onward.ts'
import { sendPage } from '../page.http.ts'
import type { Site } from '../site.ts'
import { Hole, streamPage } from '../stream-page.tsx'
import { ASK_FORM, ASK_PATH, AskForm, AskRequest, QUOTES_PATH } from './ask-form.tsx'
import { askOnce } from './ask-once.ts'
import { Outcome } from './outcome.tsx'
import { followLive, RequestPage } from './request.page.tsx'

type Deps = {
  site: Site
  config: Config
  accounts: AccountsContext
  rfq: RfqContext
  offers: LiveOffers
  a2a: Pick<AgentsContext, 'stopping'>
}

const PAGE_SIZE = 20
const MAX_VALUE = 300
/** Sellers who let us answer by their rules have answered by then, and the page is whole, with the right title. */
const SOON_MS = 200

export function mountQuotes(app: Hono<HttpEnv>, deps: Deps): void {
  const { site, accounts, rfq } = deps
  const pages = createPages(app, deps, anybody(accounts))

  pages.page(QUOTES_PATH, async ({ c, user }) => {
    const title = 'Your quotes'
    if (user === null)
      return { title, lead: 'Sign in to see the quotes you requested.', body: <ForStrangers /> }
    const before = c.req.query('before') || null
    const found = await listRfqTasks(rfq, {
      userId: user.id,
      limit: PAGE_SIZE + 1,
      ...(before !== null && { before: await placeOf(before, user.id) }),
    })
    const listed = found.slice(0, PAGE_SIZE)
    const older = found.length > PAGE_SIZE ? listed.at(-1)?.rfqId : undefined
    return {
      title,
      lead: 'Your requests to sellers, newest first.',
      body: (
        <>
          {listed.length > 0 ? (
            <ul class="rows">
              {listed.map((task) => (
                <TaskRow task={task} />
              ))}
            </ul>
          ) : before !== null ? (
            <p>Nothing older.</p>
          ) : (
            <>
              <p>No requests yet. Find a product and ask everyone who sells it.</p>
              <FindProduct />
            </>
          )}
          <p class="line">
            {before !== null && <a href={QUOTES_PATH}>Newest requests</a>}
            {older && <a href={`${QUOTES_PATH}?before=${older}`}>Older requests</a>}
          </p>
        </>
      ),
    }
  })

  pages.page(ASK_PATH, async ({ c }) => {
    const values = Object.fromEntries(
      ['product_slug', ...Object.keys(ASK_FORM)].flatMap((name) => {
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
      const asker = { userId: user?.id ?? null, clientId: null, face: 'web' as const, visit }
      try {
        const { rfqId } = await askOnce(rfq, asker, {
          request: { ...input, product_slug: slugOf(profile) },
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

  pages.page(`${QUOTES_PATH}/:id`, async ({ c, user }) => {
    const userId = user?.id ?? null
    const task = await waitForRfq(rfq, { id: c.req.param('id') ?? '', userId, ms: SOON_MS })
    const profile = await profileNamed(task.productSlug)
    const own = userId !== null && (await countRfqTasks(rfq, { userId, contextId: task.contextId })) > 0
    const title = profile?.title ?? task.productSlug
    const page = { site, task, profile, title, own }
    if (task.state === 'submitted') {
      const open = String(
        <RequestPage {...page}>
          <Hole />
        </RequestPage>,
      )
      return streamPage(c, open, (write, gone) => followLive(deps, { task, userId, title, gone, write }))
    }
    await quotesSeen(rfq, { ...task, userId })
    const ended = String(
      <RequestPage {...page}>
        <Outcome task={task} title={title} now={rfq.clock.now()} />
      </RequestPage>,
    )
    return sendPage(c, ended)
  })

  async function profileNamed(name: string): Promise<ProductProfile | null> {
    const product = await findNamedProduct(rfq, name)
    return product && getProfile(rfq, product)
  }

  async function placeOf(id: string, userId: string) {
    const { finishedAt, createdAt } = await getRfqTask(rfq, { id, userId })
    return { changedAt: finishedAt ?? createdAt, id }
  }
}

function askPage(profile: ProductProfile | null, state: FormState): PersonPage {
  if (profile !== null)
    return {
      title: `Ask for quotes: ${profile.title}`,
      body: (
        <>
          <AskForm profile={profile} state={state} />
          <p>
            <a href={productPath(profile)}>Back to {profile.title}</a>
          </p>
        </>
      ),
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
    <p>
      <a class="button" href={SEARCH_PATH}>
        Find a product
      </a>
    </p>
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
          Quantity {formatCount(task.quantity)}, <Moment at={task.createdAt} />
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
      <p>
        <a class="button" href={onward('/auth/signin', QUOTES_PATH)}>
          Sign in
        </a>
      </p>
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
