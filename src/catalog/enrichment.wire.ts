/** Enrichments in the interface's words: snake case, the contract's names, ISO times. For REST and for tools. */
import type { Spec } from './catalog.schema.ts'
import type { Enrichment, ListedEnrichment } from './enrichment.queries.ts'
import type { ProposedFields } from './enrichment.schema.ts'
import type { EnrichmentStanding } from './enrichment.service.ts'
import type { ReviewEntry } from './enrichment-review.service.ts'
import { productPath } from './profile.ts'

export function wireProposal(enrichment: ListedEnrichment) {
  const { id, ...rest } = wireEnrichment(enrichment)
  return { enrichment_id: id, product_slug: enrichment.productSlug, ...rest }
}

export function wireStanding(standing: EnrichmentStanding) {
  return {
    product_slug: standing.productSlug,
    verification_status: standing.verificationStatus,
    fields: standing.fields.map(({ field, source, verifiedAt }) => ({
      field,
      source,
      verified_at: verifiedAt,
    })),
    proposals: standing.proposals.map(wireProposal),
    total: standing.total,
  }
}

export function wireReview(entry: ReviewEntry, baseUrl: string) {
  const { org, product, changes } = entry
  const { id, fields: _, ...rest } = wireEnrichment(entry)
  return {
    enrichment_id: id,
    org: {
      id: org.id,
      name: org.name,
      org_type: org.orgType,
      verified: org.verified,
      active: !org.deactivated,
    },
    product: {
      slug: `${product.category.slug}/${product.slug}`,
      title: product.title,
      url: `${baseUrl}${productPath(product)}`,
      verification_status: product.verificationStatus,
    },
    changes: changes.map(({ field, current, proposed, saidBy }) => ({
      field,
      current: contractValue(field, current),
      proposed: contractValue(field, proposed),
      current_source: saidBy,
    })),
    current_images: product.additionalImages ?? [],
    ...rest,
  }
}

function wireEnrichment(enrichment: Enrichment) {
  return {
    id: enrichment.id,
    status: enrichment.status,
    fields: wireFields(enrichment.fields),
    images: enrichment.images,
    confirms_profile: enrichment.confirmsProfile,
    evidence: enrichment.evidence,
    note: enrichment.note,
    created_at: enrichment.createdAt.toISOString(),
    reviewed_at: enrichment.reviewedAt?.toISOString() ?? null,
    review_note: enrichment.reviewNote,
  }
}

function wireFields(fields: ProposedFields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, contractValue(name, value)]))
}

/** Specs are stored as a list, and `{ name: value }` in the contract. */
function contractValue(field: string, value: unknown): unknown {
  if (field !== 'specs' || !Array.isArray(value)) return value
  return Object.fromEntries((value as Spec[]).map((spec) => [spec.name, spec.value]))
}
