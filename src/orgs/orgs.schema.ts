/** What an organization is inside the service, and what its people may be. */
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
