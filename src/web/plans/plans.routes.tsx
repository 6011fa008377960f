/**
 * /plans: what a person has planned, and a page for each plan on which it is changed. Only its owner sees it; to anybody
 * else it is not there.
 */

import type { Hono } from 'hono'
import { z } from 'zod'
import { getProfiles } from '../../catalog/catalog.service.ts'
import type { ProductProfile } from '../../catalog/profile.ts'
import type { HttpEnv } from '../../http/env.ts'
import { usd } from '../../lib/words.ts'
import { toSummary } from '../../plans/answer.ts'
import { type AskContext, askSellers, findAsked, type PlanQuotes } from '../../plans/ask.service.ts'
import type { PlanResponse } from '../../plans/plans.schema.ts'
import { deletePlan, editPlan, findPlan, listPlans } from '../../plans/plans.service.ts'
import { countLeft } from '../../plans/quota.service.ts'
import { listPlanShares, revokeShare, sharePlan } from '../../plans/share.service.ts'
import { waitForRfq } from '../../rfq/follow.ts'
import { Moment } from '../components/moment.tsx'
import type { PageDeps } from '../deps.ts'
import { capital } from '../format.ts'
import type { FormState } from '../kit/fields.tsx'
import { daysSince, defineList, WAITING, within } from '../kit/list.tsx'
import { LinkButton, LinkLine } from '../kit/parts.tsx'
import { type FrameProps, listOfPerson, ownPages, type PersonPage, type PersonSeen } from '../kit/person.tsx'
import { Layout } from '../layout.tsx'
import type { SignedInBrowser } from '../signed-in.ts'
import { Hole, streamPage } from '../stream-page.tsx'
import { PLANS_PATH, planPath, planQuotesPath, SETS_PATH } from './address.ts'
import { AskAllRequest, AskingAll, AskSection, isWaiting, QuotedPlan } from './asking.tsx'
import { EditForm, editedPath, editedWords, inPageWords } from './edit-form.ts'
import { PlanBody } from './plan.page.tsx'
import type { PlanProfiles } from './plan-parts.tsx'
import { plansLeftWords } from './plans-left.ts'
import { ShareSection } from './sharing.tsx'

type Deps = Pick<PageDeps, 'site' | 'config' | 'accounts' | 'plans' | 'rfq' | 'a2a'>
type Seen = PersonSeen<SignedInBrowser>
type Summary = ReturnType<typeof toSummary>

const LIST = defineList(PLANS_PATH, 'plan', {
  search: 'What you asked for',
  pageSize: 20,
  filters: { older: { ...WAITING, label: 'Last changed', any: 'Any time' } },
})

const FOUND = 5
/** After the sellers' time, for a node that is busy. */
const LATE_MS = 2_000

const SAID = {
  shared: 'The link is ready. Copy it below.',
  revoked: 'The link no longer works.',
  limited: "You've reached the limit of requests, so not everything was asked for. Ask for the rest later.",
}

export function mountPlanPages(app: Hono<HttpEnv>, deps: Deps): void {
  const { site, plans, rfq, a2a } = deps
  const asking: AskContext = { ...rfq, ...plans }
  const pages = ownPages(app, deps, (c) => (c.req.method === 'GET' ? c.req.path : PLANS_PATH))

  pages.page(
    PLANS_PATH,
    listOfPerson<SignedInBrowser, Summary, typeof LIST.filters>(LIST, undefined, async ({ actor, asked }) => {
      const kept = (await listPlans(plans, { userId: actor.user.id })).map(toSummary)
      const now = plans.clock.now()
      const left = plansLeftWords(await countLeft(plans, actor.user.id, 'served'))
      return {
        title: 'Your plans',
        lead: `Only you can see these, unless you share one. ${left}`,
        said: { deleted: 'The plan is deleted.' },
        ...within(kept, asked, {
          words: ({ query, categories }) => `${query} ${categories.join(' ')}`,
          by: { older: ({ updated_at }) => daysSince(new Date(updated_at), now) },
        }),
        columns: [
          { label: 'Plan', csv: ({ query }) => query },
          { label: 'Categories', csv: ({ categories }) => categories.join('; ') },
          { label: 'Total (USD)', csv: ({ total }) => total },
          { label: 'Budget (USD)', csv: ({ budget }) => budget },
          { label: 'Last changed', csv: ({ updated_at }) => new Date(updated_at) },
        ],
        empty: [
          <p>No plans yet. Say what you need and your budget, and we plan the whole of it.</p>,
          <LinkButton to={SETS_PATH} primary label="Make a plan" />,
        ],
        draw: (shown) => (
          <>
            <ul class="rows">
              {shown.map(({ plan_id, query, total, budget, categories, updated_at }) => (
                <li>
                  <p>
                    <a href={planPath(plan_id)}>{capital(query)}</a>
                    <span class="row-note">
                      {categories.join(', ')} · <Moment at={new Date(updated_at)} />
                    </span>
                  </p>
                  <p class="row-end">
                    <span class="price">{usd(total)}</span>
                    {budget !== null && <span class="row-note">of {usd(budget)}</span>}
                  </p>
                </li>
              ))}
            </ul>
            <LinkLine to={SETS_PATH} button>
              Make another plan
            </LinkLine>
          </>
        ),
      }
    }),
  )

  const one = `${PLANS_PATH}/:id`
  const idOf = ({ c }: Pick<Seen, 'c'>) => c.req.param('id') ?? ''

  async function planPage({ c, actor, state }: Seen): Promise<PersonPage> {
    const userId = actor.user.id
    const plan = await findPlan(plans, { userId }, idOf({ c }))
    const told = editedWords(new URL(c.req.url).searchParams, plan)
    const inPlan = new Set(plan.categories.map(({ slug }) => slug))
    const found = (await likeTyped(state))
      .filter(({ category }) => !inPlan.has(category.slug))
      .slice(0, FOUND)
    return {
      title: capital(plan.query),
      lead: plan.overview,
      frame: PlanFrame,
      said: { ...SAID, ...(told !== null && { [c.req.query('done') ?? '']: told }) },
      body: (
        <PlanBody
          {...{ plan, state, found }}
          profiles={await profilesOf(plan)}
          categories={plans.search
            .index()
            .categories()
            .filter(({ slug }) => !inPlan.has(slug))}
          editsLeft={await countLeft(plans, userId, 'edited')}
          plansLeft={await countLeft(plans, userId, 'served')}
        >
          <AskSection plan={plan} quotes={await findAsked(asking, { userId }, plan.plan_id)} state={state} />
          <ShareSection
            planId={plan.plan_id}
            shares={await listPlanShares(plans, { userId }, plan.plan_id)}
            site={site}
          />
        </PlanBody>
      ),
    }
  }

  pages.page(one, planPage)

  pages.action(one, {
    ...{ schema: EditForm, page: planPage },
    async act({ c, actor, visit, input: { did, line, edits, revision } }) {
      const owner = { userId: actor.user.id, visit }
      const id = idOf({ c })
      try {
        const before = await findPlan(plans, owner, id)
        const { changed } = await editPlan(plans, owner, { id, edits, revision })
        const also = changed.map((one) => one.line)
        return editedPath(planPath(id), { did, line, was: before.total, also })
      } catch (error) {
        throw inPageWords(error)
      }
    },
  })

  pages.action(`${one}/delete`, {
    ...{ schema: z.object({}), page: planPage },
    async act({ c, actor, visit }) {
      await deletePlan(plans, { userId: actor.user.id, visit }, idOf({ c }))
      return `${PLANS_PATH}?done=deleted`
    },
  })

  pages.action(`${one}/shares`, {
    ...{ schema: z.object({ with_words: z.literal('on').optional() }), page: planPage },
    async act({ c, actor, visit, input }) {
      const id = idOf({ c })
      await sharePlan(plans, { userId: actor.user.id, visit }, { id, withWords: input.with_words === 'on' })
      return `${planPath(id)}?done=shared#share`
    },
  })

  pages.action(`${one}/shares/:share/revoke`, {
    ...{ schema: z.object({}), page: planPage },
    async act({ c, actor, visit }) {
      const id = idOf({ c })
      const shareId = c.req.param('share') ?? ''
      await revokeShare(plans, { userId: actor.user.id, visit }, { id, shareId })
      return `${planPath(id)}?done=revoked#share`
    },
  })

  /** Followed live by who opens it while sellers are asked. */
  async function quotesPage({ c, actor, state }: Seen): Promise<PersonPage | Response> {
    const userId = actor.user.id
    const plan = await findPlan(plans, { userId }, idOf({ c }))
    const quotes = await findAsked(asking, { userId }, plan.plan_id)
    const profiles = await profilesOf(plan)
    const title = `Quotes for: ${plan.query}`
    const waiting = quotes.lines.filter(isWaiting)
    const ending = (now: PlanQuotes) => <QuotedPlan {...{ plan, profiles, state }} quotes={now} />
    if (waiting.length === 0 || c.req.method === 'POST')
      return { title, frame: QuotesFrame, said: SAID, body: ending(quotes) }
    const open = String(
      <QuotesFrame site={site} title={title}>
        <AskingAll plan={plan} quotes={quotes} />
        <Hole />
      </QuotesFrame>,
    )
    return streamPage(c, open, async (write, gone) => {
      const signal = AbortSignal.any([gone, a2a.stopping])
      const ms = rfq.rfqDeadlineMs + LATE_MS
      await Promise.all(
        waiting.map(({ request_id: id }) => id && waitForRfq(rfq, { id, userId, ms, signal })),
      )
      await write(String(ending(await findAsked(asking, { userId }, plan.plan_id))))
    })
  }

  pages.page(`${one}/quotes`, quotesPage)

  pages.action(`${one}/quotes`, {
    ...{ schema: AskAllRequest, page: planPage },
    async act({ c, actor, visit, input }) {
      const id = idOf({ c })
      const lines = await askSellers(asking, { userId: actor.user.id, visit }, { id, ...input })
      const isLimited = lines.some(({ outcome, why }) => outcome === 'not_asked' && why?.includes('limit'))
      return `${planQuotesPath(id)}${isLimited ? '?done=limited' : ''}`
    },
  })

  /** Products like what was to be added and is no category. */
  async function likeTyped({ values, errors }: FormState): Promise<ProductProfile[]> {
    const query = values.add?.trim() ?? ''
    if (values.do !== 'add' || query === '' || errors.add === undefined) return []
    const near = await plans.search.candidates({ query, limit: 4 * FOUND, forShowing: true })
    const ids = near.map(({ product }) => product.id)
    return getProfiles(plans, ids)
  }

  async function profilesOf({ categories, upgrades }: PlanResponse): Promise<PlanProfiles> {
    const products = [
      ...categories.flatMap(({ product, alternatives }) => [
        product,
        ...alternatives.map((one) => one.product),
      ]),
      ...upgrades.map(({ product }) => product),
    ]
    const ids = await plans.search.reading((index) =>
      products.flatMap((one) => index.at(index.findBySlug(one?.slug ?? '') ?? -1)?.id ?? []),
    )
    const profiles = await getProfiles(plans, ids)
    return new Map(profiles.map((profile) => [profile.slug, profile]))
  }
}

function QuotesFrame({ site, title, children }: FrameProps) {
  return (
    <Layout site={site} title={`${title} · Souk`} description="Quotes for your plan" path={null}>
      <header class="page-head plan-head">
        <h1>{title}</h1>
      </header>
      {children}
    </Layout>
  )
}

function PlanFrame({ site, title, lead, children }: FrameProps) {
  return (
    <Layout
      site={site}
      title={`${title} · Souk`}
      description="Your plan"
      path={null}
      extraScript={site.kitScript}
    >
      <header class="page-head plan-head">
        <h1>{title}</h1>
        <p class="lead">{lead}</p>
      </header>
      {children}
    </Layout>
  )
}
