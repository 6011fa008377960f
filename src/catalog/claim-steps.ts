/** What becomes of a claim, for whoever made it: how it was proved, or each way in which it can still be. */
import { inlineText } from '../lib/untrusted.ts'
import type { RelationshipStatus, RelationshipType, VerifiedVia } from './relationships.schema.ts'

export type ClaimStanding = {
  type: RelationshipType
  status: RelationshipStatus
  verifiedVia: VerifiedVia | null
  /** Whether an operator has been given something to look at. */
  hasEvidence: boolean
  orgDomain: string | null
  orgVerified: boolean
  brandDomain: string | null
}

const PROOFS: Record<VerifiedVia, string> = {
  brand_domain: "your domain is the brand's",
  shop_link: 'a where-to-buy link of the product leads to your domain',
  operator: 'an operator has looked at it',
}

const PROVE_DOMAIN =
  'POST /api/org/verify-domain/ of this service says which DNS record or file to put up, and checks it'

/** Our own words, one step a line; what to do first comes first. */
export function claimSteps(claim: ClaimStanding): string[] {
  if (claim.status === 'verified') {
    const proof = claim.verifiedVia === null ? [] : [`Verified: ${PROOFS[claim.verifiedVia]}.`]
    return [...proof, 'You can now use create_offer, set_pricing_rules and submit_enrichment for it.']
  }
  return [domainStep(claim), operatorStep(claim)]
}

function domainStep({ type, orgDomain, orgVerified, brandDomain }: ClaimStanding): string {
  const brand = brandDomain === null ? null : `the brand's domain, ${inlineText(brandDomain)}`
  const shop = type === 'sells' ? "the host of one of the product's where-to-buy links" : null
  const proving = [brand, shop].filter((way) => way !== null).join(', or ')
  if (proving === '')
    return 'Domain: the catalog knows no domain of the brand, so a domain cannot prove this claim.'
  if (orgDomain !== null && orgVerified)
    return `Domain: yours is proved, but is not what would verify this at once: ${proving}.`
  const first = orgDomain === null ? 'give your organization a domain and prove it' : 'prove your domain'
  return `Domain: ${first} (${PROVE_DOMAIN}). The claim is verified by itself if it is ${proving}.`
}

function operatorStep({ hasEvidence }: ClaimStanding): string {
  return hasEvidence
    ? 'Operator: otherwise an operator looks at your evidence; list_my_products shows when it is verified.'
    : 'Operator: otherwise an operator decides. Send claim_product again with evidence_url, a page that shows it.'
}
