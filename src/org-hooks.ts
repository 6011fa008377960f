/**
 * What features do when something below them changes: an organization, its relationship to a product, or a product. The server and
 * the command line hand it in.
 */
import { enrichingOrgChanged } from './catalog/enrichment.service.ts'
import type { MergeHooks } from './catalog/manage-products.service.ts'
import { type RelationshipHooks, unproveClaimsOf, verifyClaimsOf } from './catalog/relationships.service.ts'
import { alteringShelves, OFFER_RELATIONSHIP_HOOKS, recordSellerChange } from './offers/shelves.service.ts'
import type { OrgHooks } from './orgs/context.ts'

export const RELATIONSHIP_HOOKS: RelationshipHooks = OFFER_RELATIONSHIP_HOOKS

export const MERGE_HOOKS: MergeHooks = { carrying: alteringShelves }

export const ORG_HOOKS: OrgHooks = {
  domainVerified: (tx, orgId, at) => verifyClaimsOf(tx, { orgId, at }, RELATIONSHIP_HOOKS),
  domainLost: (tx, orgId, at) => unproveClaimsOf(tx, { orgId, at }, RELATIONSHIP_HOOKS),
  async changed(tx, orgId, at) {
    await enrichingOrgChanged(tx, orgId, at)
    await recordSellerChange(tx, { orgId, at })
  },
}
