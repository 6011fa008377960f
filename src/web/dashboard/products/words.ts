/** How the pages about an organization's products say what the services know. */
import type { VerificationStatus } from '../../../catalog/catalog.schema.ts'
import type { RelationshipType, VerifiedVia } from '../../../catalog/relationships.schema.ts'
import { AppError } from '../../../lib/errors.ts'
import type { RfqReadiness } from '../../../producers/rfq-readiness.ts'
import type { FormState } from '../../kit/fields.tsx'
import { aboveAll, type Tone } from '../../kit/parts.tsx'
import { AGENT_PATH, pricingPath } from '../paths.ts'

export const CLAIM_WORDS: Record<RelationshipType, string> = {
  sells: 'You sell it',
  manufactured_by: 'You make it',
}

export const PROOF_WORDS: Record<VerifiedVia, string> = {
  brand_domain: 'your domain is the one the catalog has for the brand',
  shop_link: 'a where-to-buy link of the product leads to your domain',
  operator: 'the operator has checked it',
}

export const PROFILE_WORDS: Record<VerificationStatus, { tone: Tone; words: string }> = {
  base: { tone: 'quiet', words: 'Not confirmed' },
  producer_enriched: { tone: 'mixed', words: 'Added to by a seller' },
  manufacturer_enriched: { tone: 'good', words: 'Added to by the maker' },
  manufacturer_verified: { tone: 'good', words: 'Confirmed by the maker' },
}

type Fix = { words: string; href: (slug: string) => string }

/** What it is, and what to do about it; where that leads is null where there is no page for it. */
export const READY_WORDS: Record<RfqReadiness, { tone: Tone; words: string; fix: Fix | null }> = {
  ready: { tone: 'good', words: 'Ready', fix: null },
  organization_deactivated: { tone: 'bad', words: 'Not asked', fix: null },
  claim_not_verified: { tone: 'mixed', words: 'Waits for the claim', fix: null },
  no_way_to_answer: {
    tone: 'bad',
    words: 'Nobody answers',
    fix: { words: 'Choose who answers', href: () => AGENT_PATH },
  },
  no_quote_possible: {
    tone: 'bad',
    words: 'No price to quote',
    fix: { words: 'Set its price', href: pricingPath },
  },
  out_of_stock: {
    tone: 'mixed',
    words: 'Quoted as out of stock',
    fix: { words: 'Set its stock', href: pricingPath },
  },
  agent_unreachable: {
    tone: 'bad',
    words: 'Agent unreachable',
    fix: { words: 'See your agent', href: () => AGENT_PATH },
  },
}

/** Services have other nouns for the things. */
export function inOurNouns({ errors }: FormState): FormState['errors'] {
  const { '': said = '' } = aboveAll(errors)
  return {
    '': said.replace(/\b(?:enrichment|submission)\b/, 'proposal').replace(/\brelationship\b/, 'claim'),
  }
}

/**
 * A service's refusal in the form's own words: services name fields as the interface does (`fields.gtin: …`), forms by
 * their labels. `place` says which field of the form that is; null for one it does not have.
 */
export function forForm(
  error: unknown,
  place: (field: string) => { name: string; label: string } | null,
): unknown {
  if (!(error instanceof AppError) || error.field === undefined) return error
  const { kind, code, max, valid, field } = error
  const at = place(field)
  const said = error.message.startsWith(`${field}: `) ? error.message.slice(field.length + 2) : error.message
  if (!at) return new AppError(kind, said, { code, max, valid, cause: error })
  return new AppError(kind, `${at.label}: ${said}`, { code, max, valid, field: at.name, cause: error })
}
