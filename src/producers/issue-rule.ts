/**
 * What a rule about a producer's catalog is: a name that stays, how bad it is, how to put it right, and a pure look at
 * the facts. critical: nothing of the organization works, or what it set is lost; error: something is not shown or not
 * quoted; warning: it is shown, but does harm or will soon; suggestion: it would sell better. Messages are our own words: nothing anybody wrote
 * is in them.
 */
import { DAY_MS } from '../lib/clock.ts'
import type { OfferFacts, OrgFacts, ProductFacts, RejectedSubmission } from './facts.ts'

export const SEVERITIES = ['critical', 'error', 'warning', 'suggestion'] as const
export type Severity = (typeof SEVERITIES)[number]

type Rule = { id: string; severity: Severity; fix: string }
/** `note` is somebody else's words. */
type Found = { message: string; note: string | null }
export type OrgRule = Rule & { find(org: OrgFacts, now: Date): string | null }
/** About one of the products that were proposed for the catalog and are not in it. */
export type SubmissionRule = Rule & { find(submission: RejectedSubmission): Found }
export type ProductRule = Rule & {
  find(product: ProductFacts, org: OrgFacts, now: Date): Found | string | null
}
export type OfferRule = Rule & { find(offer: OfferFacts, product: ProductFacts, now: Date): string | null }

export function daysBetween(then: Date, now: Date): number {
  return (now.getTime() - then.getTime()) / DAY_MS
}

export function day(at: Date): string {
  return at.toISOString().slice(0, 10)
}
