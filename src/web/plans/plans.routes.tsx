/**
 * /plans: what a person has planned, and a page for each plan on which it is changed. Only its owner sees it; to anybody
 * else it is not there.
 */
import type { Hono } from 'hono'
import { z } from 'zod'
import type { AccountsContext } from '../../accounts/context.ts'
import { getProfiles } from '../../catalog/catalog.service.ts'
import type { ProductProfile } from '../../catalog/profile.ts'
import type { Config } from '../../config.ts'
import type { HttpEnv } from '../../http/env.ts'
import { usd } from '../../lib/words.ts'
import { toSummary } from '../../plans/answer.ts'
import type { PlanResponse } from '../../plans/plans.schema.ts'
import { deletePlan, editPlan, findPlan, listPlans, type PlansContext } from '../../plans/plans.service.ts'
import { countEditsLeft } from '../../plans/quota.service.ts'
import { Moment } from '../components/moment.tsx'
import { capital } from '../format.ts'
import type { FormState } from '../kit/fields.tsx'
import { Empty } from '../kit/parts.tsx'
import { createPages, type FrameProps, type PersonPage, type PersonSeen, signedIn } from '../kit/person.tsx'
import { Layout } from '../layout.tsx'
import type { SignedInBrowser } from '../signed-in.ts'
import type { Site } from '../site.ts'
import { PLANS_PATH, planPath, SETS_PATH } from './address.ts'
import { EditForm, editedPath, editedWords, inPageWords } from './edit-form.ts'
import { PlanBody } from './plan.page.tsx'
import type { PlanProfiles } from './plan-parts.tsx'

type Deps = { site: Site; config: Config; accounts: AccountsContext; plans: PlansContext }
type Seen = PersonSeen<SignedInBrowser>

const FOUND = 5

export function mountPlanPages(app: Hono<HttpEnv>, deps: Deps): void {
  const { accounts, plans } = deps
  const pages = createPages(
    app,
    deps,
    signedIn(accounts, (c) => (c.req.method === 'GET' ? c.req.path : PLANS_PATH)),
  )

  pages.page(PLANS_PATH, async ({ actor }) => {
    const kept = (await listPlans(plans, { userId: actor.user.id })).map(toSummary)
    return {
      title: 'Your plans',
      lead: 'Only you can see these, unless you share one.',
      said: { deleted: 'The plan is deleted.' },
      body:
        kept.length === 0 ? (
          <Empty to={SETS_PATH} label="Make a plan">
            No plans yet. Say what you need and your budget, and we plan the whole of it.
          </Empty>
        ) : (
          <>
            <ul class="rows">
              {kept.map(({ plan_id, query, total, budget, categories, updated_at }) => (
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
            <p>
              <a class="button" href={SETS_PATH}>
                Make another plan
              </a>
            </p>
          </>
        ),
    }
  })

  const one = `${PLANS_PATH}/:id`
  const idOf = ({ c }: Pick<Seen, 'c'>) => c.req.param('id') ?? ''

  async function planPage({ c, actor, state }: Seen): Promise<PersonPage> {
    const userId = actor.user.id
    const plan = await findPlan(plans, { userId }, idOf({ c }))
    const found = await likeTyped(state)
    const told = editedWords(new URL(c.req.url).searchParams, plan)
    const inPlan = new Set(plan.categories.map(({ slug }) => slug))
    return {
      title: capital(plan.query),
      lead: plan.overview,
      frame: PlanFrame,
      said: told === null ? {} : { [c.req.query('done') ?? '']: told },
      body: (
        <PlanBody
          {...{ plan, state, found }}
          profiles={await profilesOf(plan)}
          categories={plans.search
            .index()
            .categories()
            .filter(({ slug }) => !inPlan.has(slug))}
          editsLeft={await countEditsLeft(plans, userId)}
        />
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

  /** Products like what was to be added and is no category. */
  async function likeTyped({ values, errors }: FormState): Promise<ProductProfile[]> {
    const query = values.add?.trim() ?? ''
    if (values.do !== 'add' || query === '' || errors.add === undefined) return []
    const near = await plans.search.candidates({ query, limit: FOUND, forShowing: true })
    return inOrder(near.map(({ product }) => product.id))
  }

  async function inOrder(ids: string[]): Promise<ProductProfile[]> {
    const found = new Map((await getProfiles(plans, ids)).map((profile) => [profile.id, profile]))
    return ids.flatMap((id) => found.get(id) ?? [])
  }

  async function profilesOf({ categories, upgrades }: PlanResponse): Promise<PlanProfiles> {
    const index = plans.search.index()
    const products = [
      ...categories.flatMap(({ product, alternatives }) => [
        product,
        ...alternatives.map((one) => one.product),
      ]),
      ...upgrades.map(({ product }) => product),
    ]
    const ids = products.flatMap((one) => index.at(index.findBySlug(one?.slug ?? '') ?? -1)?.id ?? [])
    const profiles = await getProfiles(plans, [...new Set(ids)])
    return new Map(profiles.map((profile) => [profile.slug, profile]))
  }
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
