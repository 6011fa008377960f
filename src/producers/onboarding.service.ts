/**
 * How far somebody has come on the way from an account to an answered request for quote. Nothing of it is stored: each
 * look judges what is there, so a step that is undone later, such as a domain that was lost, is open again.
 *
 * That a test was made is no proof that it was answered, so the audit log is not asked: an agent is active only by a valid
 * answer, to a test or to a buyer. Managed pricing is asked here and now, by the function that answers buyers.
 */
import type { SessionActor } from '../accounts/actor.ts'
import type { Db } from '../db/database.ts'
import { withinTime } from '../db/within-time.ts'
import type { Org } from '../orgs/orgs.schema.ts'
import { type Caller, requireProducer } from '../orgs/producer.ts'
import type { IntegrationFacts, OrgFacts } from './facts.ts'
import { findMatching, hasQuoted } from './my-products.queries.ts'
import {
  MOST_JUDGED,
  type MyProductsContext,
  readOrg,
  readProducts,
  TOO_LONG,
} from './my-products.service.ts'
import { rfqReadiness } from './rfq-readiness.ts'

export const STEPS = ['email', 'organization', 'domain', 'products', 'answering', 'tested'] as const
export type StepName = (typeof STEPS)[number]

/** What stands in the way of answers, as far as it is known. */
export type Obstacle = 'nothing_set' | 'agent_pending' | 'agent_unreachable' | 'nothing_to_quote'

export type Onboarding = {
  steps: Array<{ name: StepName; done: boolean }>
  done: number
  complete: boolean
  /** Null when there is a way to answer. */
  obstacle: Obstacle | null
}

export type OnboardingFacts = {
  emailVerified: boolean
  /** Null for somebody who belongs to no organization. */
  org: {
    domainProved: boolean
    verifiedProducts: number
    integration: Pick<IntegrationFacts, 'isManaged' | 'hasCard' | 'status'>
    /** Managed pricing would quote one of its products at this moment. */
    quotesNow: boolean
    hasQuoted: boolean
  } | null
}

/** Enough at a time that the first go nearly always finds a product that can be quoted. */
const IN_A_GO = 100

export async function getOnboarding(ctx: MyProductsContext, caller: Caller): Promise<Onboarding> {
  const { org } = await requireProducer(ctx, caller, 'read')
  const now = ctx.clock.now()
  return withinTime(ctx.db, TOO_LONG, async (tx) => {
    const within = { ...ctx, db: tx }
    const { facts } = await readOrg(within, org, caller, now)
    const { integration } = facts
    return judgeOnboarding({
      emailVerified: facts.emailVerified,
      org: {
        domainProved: facts.verified,
        verifiedProducts: (await findVerified(tx, org.id, { limit: 0, offset: 0 })).total,
        integration,
        quotesNow: integration.isManaged && (await quotesAny(within, org, facts, now)),
        hasQuoted: await hasQuoted(tx, org.id),
      },
    })
  })
}

/** For somebody who belongs to no organization. */
export function getOnboardingAlone({ user }: Pick<SessionActor, 'user'>): Onboarding {
  return judgeOnboarding({ emailVerified: user.emailVerified, org: null })
}

export function judgeOnboarding({ emailVerified, org }: OnboardingFacts): Onboarding {
  const obstacle = org ? obstacleOf(org) : 'nothing_set'
  const done: Record<StepName, boolean> = {
    email: emailVerified,
    organization: org !== null,
    domain: org?.domainProved ?? false,
    products: (org?.verifiedProducts ?? 0) > 0,
    answering: obstacle === null,
    tested: obstacle === null || (org?.hasQuoted ?? false),
  }
  const steps = STEPS.map((name) => ({ name, done: done[name] }))
  const count = steps.filter((step) => step.done).length
  return { steps, done: count, complete: count === steps.length, obstacle }
}

function obstacleOf({ integration, quotesNow }: NonNullable<OnboardingFacts['org']>): Obstacle | null {
  const { isManaged, hasCard, status } = integration
  if (isManaged) return quotesNow ? null : 'nothing_to_quote'
  if (!hasCard) return 'nothing_set'
  if (status === 'active') return null
  return status === 'pending' ? 'agent_pending' : 'agent_unreachable'
}

async function quotesAny(ctx: MyProductsContext, org: Org, facts: OrgFacts, now: Date): Promise<boolean> {
  for (let offset = 0; offset < MOST_JUDGED; offset += IN_A_GO) {
    const { ids } = await findVerified(ctx.db, org.id, { limit: IN_A_GO, offset })
    const products = await readProducts(ctx, { org, facts, ids, now })
    if (products.some((product) => ANSWERED.has(rfqReadiness(product, facts, now)))) return true
    if (ids.length < IN_A_GO) return false
  }
  return false
}

const ANSWERED: ReadonlySet<string> = new Set(['ready', 'out_of_stock'])

function findVerified(db: Db, orgId: string, page: { limit: number; offset: number }) {
  return findMatching(db, orgId, { relationshipType: null, verificationStatus: 'verified', words: [] }, page)
}
