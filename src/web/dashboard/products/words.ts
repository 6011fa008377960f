/** How the pages about an organization's products say what the services know. */
import type { VerificationStatus } from '../../../catalog/catalog.schema.ts'
import type { RelationshipStatus, RelationshipType } from '../../../catalog/relationships.schema.ts'
import type { RfqReadiness } from '../../../producers/rfq-readiness.ts'
import type { FormState } from '../../kit/fields.tsx'
import type { Word } from '../../kit/parts.tsx'
import { AGENT_PATH, pricingPath } from '../paths.ts'

export const CLAIM_WORDS: Record<RelationshipType, string> = {
  sells: 'You sell it',
  manufactured_by: 'You make it',
}

export const CLAIM_STATUS = {
  verified: { tone: 'good', words: 'Verified' },
  pending: { tone: 'mixed', words: 'Not verified yet' },
} as const

/** "You sell it, not verified yet" */
export function claimWords({ type, status }: { type: RelationshipType; status: RelationshipStatus }): string {
  return `${CLAIM_WORDS[type]}, ${CLAIM_STATUS[status].words.toLowerCase()}`
}

export const PROFILE_WORDS: Record<VerificationStatus, Word> = {
  base: { tone: 'quiet', words: 'Not confirmed' },
  producer_enriched: { tone: 'mixed', words: 'Improved by a seller' },
  manufacturer_enriched: { tone: 'good', words: 'Improved by the manufacturer' },
  manufacturer_verified: { tone: 'good', words: 'Confirmed by the manufacturer' },
}

type Fix = { words: string; href: (slug: string) => string }
const atAgent = (words: string): Fix => ({ words, href: () => AGENT_PATH })
const atPricing = (words: string): Fix => ({ words, href: pricingPath })

/** Whether a product gets quotes, and what to do about it; null where no page helps. */
export const READY_WORDS: Record<RfqReadiness, Word & { fix: Fix | null }> = {
  ready: { tone: 'good', words: 'Ready', fix: null },
  organization_deactivated: { tone: 'bad', words: 'Deactivated', fix: null },
  claim_not_verified: { tone: 'mixed', words: 'Needs a verified claim', fix: null },
  no_way_to_answer: { tone: 'bad', words: 'No one to answer', fix: atAgent('Choose who answers') },
  no_quote_possible: { tone: 'bad', words: 'No price to quote', fix: atPricing('Set a price') },
  out_of_stock: { tone: 'mixed', words: 'Quoted as out of stock', fix: atPricing('Update stock') },
  agent_unreachable: { tone: 'bad', words: 'Agent unreachable', fix: atAgent('Check your agent') },
}

/** Services call a proposal an enrichment or a submission, and a claim a relationship. */
export function inOurNouns({ errors }: FormState): FormState['errors'] {
  const said = (text: string) =>
    text.replace(/\b(enrichment|submission)\b/i, 'proposal').replace(/\brelationship\b/i, 'claim')
  return Object.fromEntries(Object.entries(errors).map(([name, text]) => [name, said(text)]))
}
