/**
 * `/search`, the results, and `/sets`, the page about plans with the form for one. A bundle plan is shown above the results. If it
 * takes longer than a moment, the results are sent first and the plan follows in the same page.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context, Hono } from 'hono'
import { listCategories } from '../../catalog/catalog.service.ts'
import { clientIp } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { sayWhen } from '../../http/error-response.ts'
import { requireLeft } from '../../http/rate-limit-headers.ts'
import { AppError } from '../../lib/errors.ts'
import { countLeft } from '../../plans/quota.service.ts'
import { MAX_QUERY } from '../../search/search.schema.ts'
import type { SearchInput } from '../../search/search.service.ts'
import { SEARCH_PATH } from '../components/search-box.tsx'
import type { PageDeps } from '../deps.ts'
import { sentence } from '../format.ts'
import { sendPage } from '../page.http.ts'
import { SETS_PATH } from '../plans/address.ts'
import { showDay } from '../plans/day.section.tsx'
import { renderSetsPage } from '../plans/sets.page.tsx'
import { findSignedIn } from '../signed-in.ts'
import { streamPage } from '../stream-page.tsx'
import { addressOf, isTooLong, type ReadAddress, readAddress, type SearchAddress } from './address.ts'
import {
  renderAskPage,
  renderLaterPage,
  renderTooLongPage,
  renderUnknownCategoryPage,
  TOO_LONG,
} from './ask.page.tsx'
import { askedSearch, labelOf, showResults } from './find-results.ts'
import { findPlan } from './plan.ts'
import { createPlanMemory } from './plan-memory.ts'
import { renderPlanPart, renderResultsPage } from './results.page.tsx'
import { createWrittenPages } from './written-pages.ts'

type Deps = Pick<
  PageDeps,
  'site' | 'config' | 'searchLimit' | 'accounts' | 'search' | 'bundles' | 'planOfDay' | 'offers'
>

/** Without a language model a plan takes less than this, and the page is sent whole. The plan of the day is left out then. */
const PATIENCE_MS = 400

export function mountSearchPage(app: Hono<HttpEnv>, deps: Deps): void {
  const { site, accounts, bundles, offers } = deps
  const { search } = deps.search
  const memory = createPlanMemory(accounts.clock)
  const written = createWrittenPages()

  app.get(SEARCH_PATH, async (c) => {
    const read = readAddress(new URL(c.req.url).searchParams)
    const { q, bundle } = read.address
    if (q !== '' && !isTooLong(q)) {
      try {
        return await answer(c, read)
      } catch (error) {
        if (error instanceof AppError) return refuse(c, read.address, error)
        throw error
      }
    }
    if (bundle) {
      const errors = { q: q === '' ? 'Enter what you need.' : TOO_LONG }
      return sendPage(c, await setsPage(c, { q }, errors), { status: 400 })
    }
    if (q === '') return sendPage(c, renderAskPage(site, await listCategories(accounts)))
    return sendPage(c, renderTooLongPage(site, q), { status: 400 })
  })

  app.get(SETS_PATH, async (c) =>
    sendPage(c, await setsPage(c, { q: c.req.query('q')?.slice(0, MAX_QUERY) ?? '' })),
  )
  app.get('/bundle', (c) => c.redirect(`${SETS_PATH}${new URL(c.req.url).search}`, 301))

  async function answer(c: Context<HttpEnv>, { address, typed }: ReadAddress): Promise<Response> {
    const asked = { ...askedSearch(address), ip: clientIp(c, deps.config.trustProxy) }
    const answered = search.remembered(asked) ?? (await workOut(c, asked))
    const found = await findPlan(c, { accounts, bundles, search, memory }, address)
    const isForAll = 'now' in found && found.now.kind === 'none' && Object.keys(typed.errors).length === 0
    const key = addressOf(address, { page: address.page })
    const known = isForAll ? written.find(key, answered) : null
    if (known !== null) return sendPage(c, known)
    const results = await showResults({ db: accounts.db, search, offers }, address, answered)
    if (address.page > results.pages) return c.redirect(addressOf(address, { page: results.pages }))
    const page = { site, address, typed, results }
    if ('now' in found) {
      const html = renderResultsPage({ ...page, plan: found.now })
      if (isForAll) written.keep(key, answered, html)
      return sendPage(c, html)
    }
    const soon = await Promise.race([found.later, sleep(PATIENCE_MS, null)])
    if (soon !== null) return sendPage(c, renderResultsPage({ ...page, plan: soon }))
    return streamPage(c, renderResultsPage({ ...page, plan: { kind: 'planning' } }), async (write) =>
      write(renderPlanPart(await found.later, address)),
    )
  }

  function workOut(c: Context<HttpEnv>, asked: SearchInput) {
    requireLeft(c, deps.searchLimit.take(asked.ip ?? null))
    return search.search(asked)
  }

  async function refuse(c: Context<HttpEnv>, address: SearchAddress, error: AppError): Promise<Response> {
    if (error.kind === 'unavailable') {
      c.header('Retry-After', String(error.retryAfterSeconds ?? 1))
      const text = 'The catalog is loading. This takes a few seconds after a restart.'
      return sendPage(c, renderLaterPage({ site, address, title: 'Search is starting', text }), {
        status: 503,
      })
    }
    if (error.kind === 'rate_limited') {
      sayWhen(c, error)
      const page = { site, address, title: 'Too many searches', text: sentence(error.message) }
      return sendPage(c, renderLaterPage(page), { status: 429 })
    }
    if (error.field !== 'filters.category') throw error
    const near = (error.valid ?? []).map((slug) => ({ slug, label: labelOf(search, slug) }))
    return sendPage(c, renderUnknownCategoryPage({ site, address, near }), { status: 400 })
  }

  async function setsPage(c: Context<HttpEnv>, values: { q: string }, errors = {}): Promise<string> {
    const user = (await findSignedIn(c, accounts))?.actor.user ?? null
    const plan = await Promise.race([deps.planOfDay.find(), sleep(PATIENCE_MS, null)])
    const left = user?.emailVerified ? await countLeft(accounts, user.id, 'served') : null
    const day = await showDay(accounts, plan)
    return renderSetsPage({ site, user, left, state: { values, errors }, day })
  }
}
