/**
 * Sharing a plan: the part of its page that makes and revokes links, and what others see under one. A shared plan is a
 * snapshot: it says from when its prices are, leads to the products and nowhere to its owner, and is kept by no cache or
 * search engine.
 */
import type { Hono } from 'hono'
import { getProfile } from '../../catalog/catalog.service.ts'
import type { Config } from '../../config.ts'
import type { HttpEnv } from '../../http/env.ts'
import { keepSecret } from '../../http/secret-path.ts'
import { AppError } from '../../lib/errors.ts'
import { SHARED_PLANS_PATH } from '../../plans/plans.operations.ts'
import type { PlansContext } from '../../plans/plans.service.ts'
import { findShared, type PlanShare, type SharedPlan } from '../../plans/share.service.ts'
import { Moment } from '../components/moment.tsx'
import { capital, countOf } from '../format.ts'
import { Check, Form, UNTOUCHED } from '../kit/fields.tsx'
import { createPages, type FrameProps, type PersonPage } from '../kit/person.tsx'
import { Layout } from '../layout.tsx'
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
      {shares.length > 0 && (
        <ul class="plan-shares" aria-label="Links that work now">
          {shares.map(({ id, createdAt, withWords }, index) => (
            <li>
              <p class="share-link">
                <a id={`share-${index + 1}`} href={`${SHARED_PLANS_PATH}/${id}`}>
                  {site.baseUrl}
                  {SHARED_PLANS_PATH}/{id}
                </a>
                <span class="row-note">
                  {withWords ? 'With' : 'Without'} your words, from <Moment at={createdAt} />
                </span>
              </p>
              <form class="line" method="post" action={`${at}/${id}/revoke`}>
                <button type="button" data-copy={`share-${index + 1}`} hidden>
                  Copy<span class="hidden"> link {index + 1}</span>
                </button>
                <button class="plain" type="submit">
                  Revoke<span class="hidden"> link {index + 1}</span>
                </button>
              </form>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

type Deps = { site: Site; config: Config; plans: Pick<PlansContext, 'db'> }

export function mountSharedPlans(app: Hono<HttpEnv>, { site, config, plans }: Deps): void {
  const pages = createPages(app, { site, config }, async () => ({}))
  app.use(`${SHARED_PLANS_PATH}/:share/*`, keepSecret)
  pages.page(`${SHARED_PLANS_PATH}/:share`, async ({ c }) => {
    try {
      const shared = await findShared(plans, c.req.param('share') ?? '')
      return sharedPage(shared, await profilesOf(plans, shared))
    } catch (error) {
      if (error instanceof AppError && error.kind === 'not_found') return GONE
      throw error
    }
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

const GONE: PersonPage = {
  title: 'This link no longer works',
  lead: 'The owner has revoked the link or deleted the plan, or its address has a mistake.',
  status: 404,
  body: <p>Ask the person who sent it to you for a new link.</p>,
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
        <p>
          <a class="button" href={setsPath(query ?? '')}>
            Make your own
          </a>
        </p>
      </div>
    ),
  }
}
