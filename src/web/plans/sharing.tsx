/**
 * Sharing a plan: the part of its page that makes and revokes links, and what others see under one. A shared plan is a
 * snapshot: it says from when its prices are, leads to the products and nowhere to its owner, and is kept by no cache or
 * search engine.
 */

import type { Hono } from 'hono'
import { getProfile } from '../../catalog/catalog.service.ts'
import type { HttpEnv } from '../../http/env.ts'
import { SHARED_PLANS_PATH } from '../../plans/plans.operations.ts'
import type { PlansContext } from '../../plans/plans.service.ts'
import { findShared, type PlanShare, type SharedPlan } from '../../plans/share.service.ts'
import { Moment } from '../components/moment.tsx'
import type { PageDeps } from '../deps.ts'
import { capital, countOf } from '../format.ts'
import { Check, Form, UNTOUCHED } from '../kit/fields.tsx'
import { LinkLine } from '../kit/parts.tsx'
import type { FrameProps, PersonPage } from '../kit/person.tsx'
import { Layout } from '../layout.tsx'
import { mountShared, SharedLinks } from '../shared-links.tsx'
import type { Site } from '../site.ts'
import { planPath, setsPath } from './address.ts'
import { type PlanProfiles, PlanRows, SpendingBar, Sums } from './plan-parts.tsx'

type PanelProps = { planId: string; shares: PlanShare[]; site: Pick<Site, 'baseUrl'> }

export function ShareSection({ planId, shares, site }: PanelProps) {
  const at = `${planPath(planId)}/shares`
  return (
    <section id="share" aria-labelledby="share-title">
      <h2 id="share-title">Share this plan</h2>
      <p class="soft">
        Anyone with the link sees the plan as it is now: products, prices and reasons. Nothing about you.
      </p>
      <Form action={at} label="Create link" kind="plain">
        <Check state={UNTOUCHED} name="with_words" label="Include my words" />
      </Form>
      <SharedLinks
        {...{ at, shares, class: 'plan-shares', address: { baseUrl: site.baseUrl, path: SHARED_PLANS_PATH } }}
        note={({ createdAt, withWords }) => (
          <>
            {withWords ? 'With' : 'Without'} your words, from <Moment at={createdAt} />
          </>
        )}
      />
    </section>
  )
}

type Deps = Pick<PageDeps, 'site' | 'config' | 'plans'>

export function mountSharedPlans(app: Hono<HttpEnv>, deps: Deps): void {
  mountShared(app, deps, {
    path: SHARED_PLANS_PATH,
    gone: 'The owner has revoked the link or deleted the plan, or its address has a mistake.',
    async read(id) {
      const shared = await findShared(deps.plans, id)
      return sharedPage(shared, await profilesOf(deps.plans, shared))
    },
  })
}

async function profilesOf(ctx: Pick<PlansContext, 'db'>, { categories }: SharedPlan): Promise<PlanProfiles> {
  const found = await Promise.all(
    categories.map(({ slug: category, product }) =>
      product ? getProfile(ctx, { category, slug: product.slug }) : null,
    ),
  )
  return new Map(found.flatMap((profile) => (profile ? [[profile.slug, profile] as const] : [])))
}

function sharedPage(shared: SharedPlan, profiles: PlanProfiles): PersonPage {
  const { query, overview, categories, priced_at } = shared
  const title = query === null ? `A plan of ${countOf(categories.length, 'thing')}` : capital(query)
  return {
    title,
    frame: ({ site, children }: FrameProps) => (
      <Layout site={site} title={`${title} · Souk`} description="A shared plan" path={null} secret>
        <header class="page-head plan-head">
          <h1>{title}</h1>
          <p class="lead">{overview}</p>
        </header>
        {children}
      </Layout>
    ),
    body: (
      <div class="plan-page shared-plan">
        <section class="plan-money" aria-labelledby="money">
          <h2 class="hidden" id="money">
            Budget and total
          </h2>
          <Sums {...shared} />
          <SpendingBar {...shared} />
          <p class="soft">
            Somebody shares this plan with you. Its prices are from <Moment at={new Date(priced_at)} />; they
            may have changed since.
          </p>
        </section>
        <section class="plan-lines" aria-labelledby="lines">
          <h2 id="lines">{countOf(categories.length, 'thing')} in this plan</h2>
          <PlanRows rows={categories} profiles={profiles} />
        </section>
        <LinkLine to={setsPath(query ?? '')} button>
          Make your own
        </LinkLine>
      </div>
    ),
  }
}
