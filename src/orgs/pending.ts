/**
 * Why an organization is pending and what its people can do about it, in one place for every answer and page. It never
 * says who another organization is: others who claim its domain learn only that the domain is verified.
 */
import type { Db } from '../db/database.ts'
import { isFreemail } from './domain.ts'
import { isVerifiedElsewhere } from './orgs.queries.ts'
import type { Org, PendingReason } from './orgs.schema.ts'

export type Pending = { reason: PendingReason; nextStep: string }

/** Null for one that is verified. */
export async function whyPending(
  db: Db,
  org: Pick<Org, 'id' | 'domain' | 'verificationStatus'>,
): Promise<Pending | null> {
  const { id, domain, verificationStatus } = org
  if (verificationStatus === 'verified') return null
  if (domain === null) return { reason: 'no_domain', nextStep: SET_DOMAIN }
  if (await isVerifiedElsewhere(db, domain, id))
    return { reason: 'domain_taken', nextStep: domainTakenWords(domain) }
  const prove = `Verify ${domain}: POST /api/org/verify-domain/ or the dashboard gives you the DNS record or file to publish.`
  if (!isFreemail(domain)) return { reason: 'domain_unproved', nextStep: prove }
  return {
    reason: 'freemail_domain',
    nextStep: `${domain} is a public email domain, so it cannot verify you. Set your own domain with PATCH /api/org/ or on the dashboard, then verify it.`,
  }
}

/** Where proving the domain as usual leads nowhere. */
export function isStuck(pending: Pending | null): boolean {
  return pending?.reason === 'domain_taken' || pending?.reason === 'freemail_domain'
}

/** As a wire has it; nothing for one that is verified. */
export function pendingOnWire(pending: Pending | null) {
  return pending === null ? {} : { pending_reason: pending.reason, next_step: pending.nextStep }
}

const SET_DOMAIN =
  "Set the organization's domain with PATCH /api/org/ or on the dashboard, then verify it with POST /api/org/verify-domain/."

export function domainTakenWords(domain: string): string {
  return `Another organization has verified ${domain}. If it is yours, ask one of its owners or admins to invite you. If ${domain} should not be theirs, contact the operator of this service.`
}
