/**
 * Asking sellers for quotes, and reading what they answer as it arrives. A request is made by a post alone and has a page
 * of its own, so that reloading, sharing and coming back ask nobody again. Whoever closes the page ends nothing.
 */
import type { Context, Hono } from 'hono'
import type { Person } from '../../accounts/actor.ts'
import type { AccountsContext } from '../../accounts/context.ts'
import type { AgentsContext } from '../../agents/context.ts'
import { getProfile } from '../../catalog/catalog.service.ts'
import { type ProductProfile, slugOf } from '../../catalog/profile.ts'
import { findNamedProduct } from '../../catalog/relationships.service.ts'
import type { Config } from '../../config.ts'
import { visitOf } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { readForm } from '../../http/form.ts'
import { requireSameOrigin } from '../../http/same-origin.ts'
import { AppError } from '../../lib/errors.ts'
import type { LiveOffers } from '../../offers/live-offers.ts'
import type { RfqContext } from '../../rfq/context.ts'
import { soldElsewhere } from '../../rfq/find-retailers.service.ts'
import { waitForRfq } from '../../rfq/follow.ts'
import { countMessage } from '../../rfq/hourly-limit.service.ts'
import {
  countAsked,
  countRfqTasks,
  DiscontinuedError,
  getRfqTask,
  listRfqTasks,
  type RfqTask,
} from '../../rfq/rfq.service.ts'
import { countOf } from '../format.ts'
import { answerForm } from '../kit/answer-form.ts'
import { sendPage } from '../page.http.ts'
import { findSignedIn } from '../signed-in.ts'
import type { Site } from '../site.ts'
import { streamPage } from '../stream-page.tsx'
import { renderAskPage } from './ask.page.tsx'
import { askOnce } from './ask-once.ts'
import { ASK_PATH, AskRequest, QUOTES_PATH } from './ask-request.ts'
import { renderQuoteList, renderQuotesForStrangers } from './list.page.tsx'
import { followLive } from './live.tsx'
import type { Nothing } from './outcome.tsx'
import { renderEndedRequest, renderOpenRequest, titleOf } from './request.page.tsx'

type Deps = {
  site: Site
  config: Config
  accounts: AccountsContext
  rfq: RfqContext
  offers: LiveOffers
  a2a: Pick<AgentsContext, 'stopping'>
}

const PAGE_SIZE = 20
const FORM_FIELDS = ['product_slug', 'quantity', 'delivery_region', 'deadline_iso']
const MAX_VALUE = 300
/** Sellers who let us answer by their rules have answered by then: the page is whole at once, with the right title. */
const AT_ONCE_MS = 200

export function mountQuotes(app: Hono<HttpEnv>, deps: Deps): void {
  const { site, config, accounts, rfq } = deps

  app.get(QUOTES_PATH, async (c) => {
    const user = await userOf(c)
    if (user === null) return sendPage(c, renderQuotesForStrangers({ site }))
    const before = c.req.query('before') || null
    const found = await listRfqTasks(rfq, {
      userId: user.id,
      limit: PAGE_SIZE + 1,
      ...(before !== null && { before: await placeOf(before, user.id) }),
    })
    const listed = found.slice(0, PAGE_SIZE)
    const older = found.length > PAGE_SIZE ? (listed.at(-1)?.rfqId ?? null) : null
    return sendPage(c, renderQuoteList({ site, listed, older, paged: before !== null }))
  })

  app.get(ASK_PATH, async (c) => {
    const values = Object.fromEntries(
      FORM_FIELDS.flatMap((name) => {
        const value = c.req.query(name)
        return value === undefined ? [] : [[name, value.slice(0, MAX_VALUE)]]
      }),
    )
    const profile = await profileNamed(values.product_slug ?? '')
    const status = profile === null && values.product_slug ? 404 : 200
    return sendPage(c, renderAskPage({ site, profile, state: { values, errors: {} } }), { status })
  })

  app.post(QUOTES_PATH, async (c) => {
    requireSameOrigin(c, accounts.config.baseUrl)
    const form = await readForm(c)
    const user = await userOf(c)
    const visit = visitOf(c, config)
    const profile = await profileNamed(form.product_slug ?? '')
    return answerForm(c, form, {
      schema: AskRequest,
      render: (state) => renderAskPage({ site, profile, state }),
      act: async (request) => {
        if (profile === null)
          throw new AppError('not_found', 'There is no such product here.', { field: 'product_slug' })
        if (profile.discontinued) throw new DiscontinuedError(slugOf(profile))
        const asker = { userId: user?.id ?? null, clientId: null, face: 'web' as const, visit }
        try {
          const { rfqId } = await askOnce(rfq, asker, {
            request: { ...request, product_slug: slugOf(profile) },
            count: () => countMessage(rfq, { user, visit }).catch(inWordsOfThePage(user)),
          })
          return c.redirect(`${QUOTES_PATH}/${rfqId}`, 303)
        } catch (error) {
          throw error instanceof AppError && error.field === 'deadline_iso' ? dayIsPast(error) : error
        }
      },
    })
  })

  app.get(`${QUOTES_PATH}/:id`, async (c) => {
    const userId = (await userOf(c))?.id ?? null
    const asked = { id: c.req.param('id'), userId }
    const task = await waitForRfq(rfq, { ...asked, ms: AT_ONCE_MS })
    const profile = await profileNamed(task.productSlug)
    const own = userId !== null && (await countRfqTasks(rfq, { userId, contextId: task.contextId })) > 0
    const page = { site, task, profile, own }
    if (task.state !== 'submitted')
      return sendPage(
        c,
        renderEndedRequest({ ...page, nothing: await nothingOf(task, userId), now: rfq.clock.now() }),
      )
    return streamPage(c, renderOpenRequest(page), (write, gone) =>
      followLive(deps, { task, userId, title: titleOf(page), gone, write, nothingOf }),
    )
  })

  async function userOf(c: Context<HttpEnv>) {
    return (await findSignedIn(c, accounts))?.actor.user ?? null
  }

  async function profileNamed(name: string): Promise<ProductProfile | null> {
    const product = await findNamedProduct(rfq, name)
    return product && getProfile(rfq, product)
  }

  async function placeOf(id: string, userId: string) {
    const { finishedAt, createdAt } = await getRfqTask(rfq, { id, userId })
    return { changedAt: finishedAt ?? createdAt, id }
  }

  async function nothingOf(task: RfqTask, userId: string | null): Promise<Nothing | null> {
    if (task.state !== 'completed' || task.quotes.length > 0) return null
    const [asked, { sellers }] = await Promise.all([
      countAsked(rfq, { id: task.rfqId, userId }),
      soldElsewhere({ ...rfq, offers: deps.offers }, task.productSlug),
    ])
    return { asked, elsewhere: sellers }
  }
}

function dayIsPast({ kind, field }: AppError): AppError {
  return new AppError(kind, 'This day is past. Choose today, by UTC, or a later day.', { field })
}

/** Of the hour that the page shares with messages of agents. */
function inWordsOfThePage(user: Person | null) {
  return (error: unknown): never => {
    if (!(error instanceof AppError) || error.retryAfterSeconds === undefined) throw error
    const { kind, code, max, retryAfterSeconds } = error
    const wait = countOf(Math.ceil(retryAfterSeconds / 60), 'minute')
    const more = user === null ? 'sign in' : 'confirm your address'
    const text = user?.emailVerified
      ? `You have asked ${max} times this hour. Ask again in ${wait}.`
      : `Your network has asked ${max} times this hour. Ask again in ${wait}, or ${more} to ask more often.`
    throw new AppError(kind, text, { code, max, retryAfterSeconds })
  }
}
