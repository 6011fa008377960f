/** What an organization is inside the service, and what its people may be. */
import { z } from 'zod'
import type { OrgRole, OrgsTable, OrgType } from '../db/tables.producers.ts'

export type { OrgRole, OrgType }
export const ORG_TYPES = ['manufacturer', 'retailer', 'distributor'] as const satisfies readonly OrgType[]
/** Most powerful first. */
export const ORG_ROLES = ['owner', 'admin', 'editor', 'viewer'] as const satisfies readonly OrgRole[]

export type Org = {
  id: string
  name: string
  orgType: OrgType
  /** Bare and lower case; proved only when `verificationStatus` says so. */
  domain: string | null
  websiteUrl: string | null
  shopifyShop: string | null
  verificationStatus: 'pending' | 'verified'
  verifiedVia: OrgsTable['verified_via']
  verifiedAt: Date | null
  verificationToken: string
  deactivatedAt: Date | null
  createdAt: Date
}

/** Why an organization is not verified. */
export const PENDING_REASONS = ['no_domain', 'domain_taken', 'freemail_domain', 'domain_unproved'] as const
export type PendingReason = (typeof PENDING_REASONS)[number]

/** What registering answers with (interface 2.8). */
export const OrgRegistered = z
  .object({
    org_id: z.string().describe('Id of the new organization'),
    verification_status: z.enum(['pending', 'verified']).describe('Whether its domain is proved'),
    skipped_verification: z
      .boolean()
      .describe(
        "True when the caller's own verified email address is at the domain, which proves it at once",
      ),
    pending_reason: z
      .enum(PENDING_REASONS)
      .optional()
      .describe(
        'Why it is pending; absent when it is verified. `domain_taken`: another one has proved the domain',
      ),
    next_step: z.string().optional().describe('What to do about it, in words; absent when it is verified'),
  })
  .meta({ id: 'OrgRegistered', description: 'The organization was made, and the caller owns it' })
export type OrgRegistered = z.output<typeof OrgRegistered>
