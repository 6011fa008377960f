/**
 * An organization's own products, with what stands between each of them and a buyer. All is read in a fixed number of
 * statements; issues and readiness are then computed, never stored, so they cannot be out of date.
 */

import { setImmediate } from 'node:timers/promises'
import type { RelationshipStatus, RelationshipType } from '../catalog/relationships.schema.ts'
import { WAITING_SUBMISSIONS } from '../catalog/waiting-limits.ts'
import { withinTime } from '../db/within-time.ts'
import { DAY_MS } from '../lib/clock.ts'
import { cleanLine } from '../lib/text.ts'
import type { OfferStatus } from '../offers/offer.model.ts'
import type { Org } from '../orgs/orgs.schema.ts'
import { type Act, type Caller, requireProducer } from '../orgs/producer.ts'
import { findOwnRules, type PricingContext } from '../pricing/pricing.service.ts'
import { isVerified, NO_INTEGRATION_FACTS, type OrgFacts, type ProductFacts } from './facts.ts'
import type { Severity } from './issue-rule.ts'
import { productIssues, worstOf } from './issues.ts'
import {
  countOffers,
  findClaims,
  findMatching,
  findOpenOffers,
  findOrgRow,
  findProfiles,
  findProposals,
  findRejectedSubmissions,
} from './my-products.queries.ts'
import { type RfqReadiness, rfqReadiness } from './rfq-readiness.ts'

export type MyProductsContext = Pick<PricingContext, 'db' | 'clock' | 'pricingSecrets'>

/** No more are judged at once; nobody looks at the issues of more products than this in one list. */
export const MOST_JUDGED = 5_000
const JUDGED_IN_A_GO = 250
export const TOO_LONG = { message: 'this is taking too long right now; try again in a moment' }
const RECENT_MS = 30 * DAY_MS
/** After this time, a rejected proposal is no longer shown as an issue. */
const REJECTIONS_TOLD_MS = 60 * DAY_MS
/** As many as may wait for review, so as many as can come back at once. */
const MOST_REJECTIONS = WAITING_SUBMISSIONS.max

export type MyProduct = {
  facts: ProductFacts
  offersByStatus: Record<OfferStatus, number>
  rfq: RfqReadiness
  issues: number
  worst: Severity | null
}

export type MyProductsQuery = {
  relationshipType: RelationshipType | null
  verificationStatus: RelationshipStatus | null
  query: string | null
  /** Null: with and without. */
  hasIssues: boolean | null
  limit: number
  offset: number
}

export type MyProducts = {
  products: MyProduct[]
  total: number
  /** Proposals of new products that wait for review. */
  submissionsPending: number
  /** Those that came back lately and were not proposed again. */
  submissionsRejected: number
  /** False when the organization has more products than are judged at once, so that `total` counts only those. */
  complete: boolean
}

export async function listMyProducts(
  ctx: MyProductsContext,
  act: Pick<Act, 'caller'>,
  query: MyProductsQuery,
): Promise<MyProducts> {
  const { org } = await requireProducer(ctx, act.caller, 'read')
  const now = ctx.clock.now()
  const { hasIssues, limit, offset } = query
  // Whether a product has issues is known only when it is judged, so then the page is cut afterwards.
  const span = hasIssues === null ? { limit, offset } : { limit: MOST_JUDGED, offset: 0 }
  const words = cleanLine(query.query ?? '')
    .split(' ')
    .filter(Boolean)
  const { facts, submissionsPending, total, products } = await withinTime(ctx.db, TOO_LONG, async (tx) => {
    const within = { ...ctx, db: tx }
    const read = await readOrg(within, org, act.caller, now)
    const { ids, total } = await findMatching(tx, org.id, { ...query, words }, span)
    return { ...read, total, products: await readProducts(within, { org, facts: read.facts, ids, now }) }
  })
  const judged = await judgeAll(products, (product) => ({
    product,
    issues: productIssues(product, facts, now),
  }))
  const wanted = hasIssues === null ? judged : judged.filter(({ issues }) => issues.length > 0 === hasIssues)
  const shown = hasIssues === null ? wanted : wanted.slice(offset, offset + limit)
  const productIds = shown.map(({ product }) => product.id)
  const countsOf = byProduct(await countOffers(ctx.db, { orgId: org.id, productIds }, now))
  return {
    products: shown.map(({ product, issues }) => ({
      facts: product,
      offersByStatus: tally(countsOf.get(product.id) ?? []),
      rfq: rfqReadiness(product, facts, now),
      issues: issues.length,
      worst: worstOf(issues),
    })),
    total: hasIssues === null ? total : wanted.length,
    submissionsPending,
    submissionsRejected: facts.rejectedSubmissions.length,
    complete: hasIssues === null || total <= MOST_JUDGED,
  }
}

/** Thousands take a moment: others' requests get their turn in between. */
export async function judgeAll<Verdict>(
  products: readonly ProductFacts[],
  judge: (product: ProductFacts) => Verdict,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  for (const [index, product] of products.entries()) {
    if (index > 0 && index % JUDGED_IN_A_GO === 0) await setImmediate()
    verdicts.push(judge(product))
  }
  return verdicts
}

export async function readOrg(
  { db }: Pick<MyProductsContext, 'db'>,
  org: Org,
  caller: Caller,
  now: Date,
): Promise<{ facts: OrgFacts; submissionsPending: number }> {
  const since = new Date(now.getTime() - REJECTIONS_TOLD_MS)
  const { products, submissionsPending, integration } = await findOrgRow(db, org.id)
  const rejectedSubmissions = await findRejectedSubmissions(db, {
    orgId: org.id,
    since,
    limit: MOST_REJECTIONS,
  })
  const facts = {
    domain: org.domain,
    websiteUrl: org.websiteUrl,
    verified: org.verificationStatus === 'verified',
    deactivated: org.deactivatedAt !== null,
    emailVerified: hasVerifiedEmail(caller),
    products,
    integration: integration ?? NO_INTEGRATION_FACTS,
    rejectedSubmissions,
  }
  return { facts, submissionsPending }
}

export function hasVerifiedEmail(caller: Caller): boolean {
  return caller.kind === 'link_token' || caller.user.emailVerified
}

/** In the order of the ids; a product that is gone meanwhile is left out. */
export async function readProducts(
  ctx: MyProductsContext,
  { org, facts, ids, now }: { org: Pick<Org, 'id'>; facts: OrgFacts; ids: readonly string[]; now: Date },
): Promise<ProductFacts[]> {
  const { db } = ctx
  const key = { orgId: org.id, productIds: ids }
  const profiles = await findProfiles(db, ids)
  const offersOf = byProduct(await findOpenOffers(db, key, new Date(now.getTime() - RECENT_MS)))
  const proposals = await findProposals(db, key)
  const claimsOf = byProduct(await findClaims(db, key))
  // Only where managed pricing would be asked: no other floors are opened.
  const asked = facts.integration.isManaged && !facts.deactivated ? ids : []
  const answered = asked.filter((id) => isVerified({ relationships: claimsOf.get(id) ?? [] }))
  const pricingOf = await findOwnRules(ctx, org.id, answered)
  const profileOf = new Map(profiles.map((profile) => [profile.id, profile]))
  const proposalOf = new Map(proposals.map((proposal) => [proposal.productId, proposal]))
  return ids.flatMap((id): ProductFacts[] => {
    const profile = profileOf.get(id)
    if (!profile) return []
    const proposal = proposalOf.get(id)
    const rejectedAt = proposal?.lastStatus === 'rejected' ? proposal.lastReviewedAt : null
    return [
      {
        ...profile,
        relationships: claimsOf.get(id) ?? [],
        offers: offersOf.get(id) ?? [],
        pricing: pricingOf.get(id) ?? null,
        enrichment: {
          waitingSince: proposal?.waitingSince ?? null,
          rejected: rejectedAt && { at: rejectedAt, note: proposal?.lastNote ?? null },
        },
      },
    ]
  })
}

function tally(counts: ReadonlyArray<{ status: OfferStatus; count: number }>): Record<OfferStatus, number> {
  const tallied = { draft: 0, active: 0, paused: 0, expired: 0 }
  for (const { status, count } of counts) tallied[status] = count
  return tallied
}

function byProduct<Row extends { productId: string }>(rows: readonly Row[]): Map<string, Row[]> {
  return Map.groupBy(rows, ({ productId }) => productId)
}
