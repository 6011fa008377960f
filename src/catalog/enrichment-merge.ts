/** What an approved proposal makes of a product; pure. */
import { isDeepStrictEqual } from 'node:util'
import { type Product, type Spec, VERIFICATION_STATUSES, type VerificationStatus } from './catalog.schema.ts'
import {
  factsOfProposal,
  type ProposableField,
  type Proposal,
  type ProposedFields,
} from './enrichment.schema.ts'

/** Fields replace what was there; specs are merged by name, so that one corrected spec does not cost the others. */
export function mergeFields(
  product: Product,
  fields: ProposedFields,
  said: { source: string; verifiedAt: string },
): Product {
  const facts = factsOfProposal(fields)
  const provenance = { ...product.provenance }
  for (const field of Object.keys(fields)) provenance[field] = said
  return {
    ...product,
    ...facts,
    ...('specs' in fields && { specs: mergeSpecs(product.specs, facts.specs ?? null) }),
    provenance,
  }
}

/** Null takes all away. Names are compared as people read them. */
function mergeSpecs(known: Spec[], stated: Spec[] | null): Spec[] {
  if (stated === null) return []
  const key = ({ name }: Spec) => name.toLowerCase()
  const byName = new Map(known.map((spec) => [key(spec), spec]))
  for (const spec of stated) byName.set(key(spec), spec)
  return [...byName.values()]
}

/**
 * Never lowered but once: what the manufacturer has confirmed and somebody else has changed since is no longer confirmed
 * as a whole.
 */
export function nextStatus(
  current: VerificationStatus,
  approval: { byManufacturer: boolean; confirms: boolean; changes: boolean },
): VerificationStatus {
  const { byManufacturer, confirms, changes } = approval
  if (current === 'manufacturer_verified' && !byManufacturer && changes) return 'manufacturer_enriched'
  const earned: VerificationStatus = confirms
    ? 'manufacturer_verified'
    : byManufacturer
      ? 'manufacturer_enriched'
      : 'producer_enriched'
  const rank = (status: VerificationStatus) => VERIFICATION_STATUSES.indexOf(status)
  return rank(earned) > rank(current) ? earned : current
}

/** Divides a proposal into the parts that were chosen and the rest. */
export function splitProposal(proposal: Proposal, chosen: ReadonlySet<string>): [Proposal, Proposal] {
  const half = (wanted: (part: string) => boolean): Proposal => ({
    ...proposal,
    fields: Object.fromEntries(Object.entries(proposal.fields).filter(([name]) => wanted(name))),
    images: wanted('images') ? proposal.images : [],
    confirmsProfile: proposal.confirmsProfile && wanted('confirms_profile'),
  })
  return [half((part) => chosen.has(part)), half((part) => !chosen.has(part))]
}

/** What a proposal asks for beside what is there: of specs, only those it names. */
export function proposedBeside(
  name: ProposableField,
  { current, proposed }: { current: unknown; proposed: unknown },
): { current: unknown; proposed: unknown } {
  if (name !== 'specs' || !Array.isArray(proposed)) return { current, proposed }
  const known = new Map((current as Spec[]).map((spec) => [spec.name.toLowerCase(), spec]))
  const touched = (proposed as Spec[]).flatMap((spec) => known.get(spec.name.toLowerCase()) ?? [])
  return { current: touched, proposed }
}

export function isSameProposal(a: Proposal, b: Proposal): boolean {
  const content = ({ fields, images, evidence, note, confirmsProfile }: Proposal) =>
    [fields, images, evidence, note, confirmsProfile] as const
  return isDeepStrictEqual(content(a), content(b))
}
