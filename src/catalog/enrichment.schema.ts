/**
 * What a producer may propose for a profile, in the words of the import contract and read by its code, so that there
 * is one contract; and what an approved proposal makes of a product. What reviewers and shoppers say (rating, themes)
 * and what we say (verdict) is not a producer's to propose. A stored value is the cleaned one in the contract's form;
 * specs alone are a list, because jsonb forgets the order of keys.
 */

import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { invalid } from '../lib/errors.ts'
import { dollarsOf } from '../lib/money.ts'
import { cleanLine, cleanText, shorten } from '../lib/text.ts'
import { startOf, webLink } from './bounded-input.ts'
import {
  type Product,
  type ProductFacts,
  type ProductImage,
  type Shop,
  type Spec,
  VERIFICATION_STATUSES,
  type VerificationStatus,
} from './catalog.schema.ts'
import { checkProductInput } from './product-input.ts'
import { PageQuery, ProductSlugInput } from './relationships.schema.ts'

/** The contract's name of each field, and the facts it stands for. */
const PROPOSABLE = {
  title: ['title'],
  model: ['model'],
  description: ['description'],
  specs: ['specs'],
  best_for: ['bestFor'],
  not_for: ['notFor'],
  where_to_buy: ['whereToBuy'],
  price: ['priceLowCents', 'priceHighCents'],
  list_price: ['listPriceCents'],
  released: ['released'],
  discontinued: ['discontinued'],
  gtin: ['gtin'],
  mpn: ['mpn'],
  sku: ['sku'],
} as const satisfies Record<string, ReadonlyArray<keyof ProductFacts>>

export type ProposableField = keyof typeof PROPOSABLE
export const PROPOSABLE_FIELDS = Object.keys(PROPOSABLE) as ProposableField[]
export type ProposedFields = Partial<Record<ProposableField, unknown>>

export const ENRICHMENT_STATUSES = ['pending', 'approved', 'rejected', 'withdrawn'] as const
export type EnrichmentStatus = (typeof ENRICHMENT_STATUSES)[number]

/** What is proposed, cleaned: a proposal without its history. */
export type Proposal = {
  fields: ProposedFields
  images: ProductImage[]
  evidence: string[]
  note: string | null
  confirmsProfile: boolean
}

const MAX_ALT = 300
const MAX_NOTE = 1_000
const MAX_EVIDENCE = 5
const MAX_IMAGES = 12

/** A note about a proposal; an empty note counts as absent. */
export const EnrichmentNote = z
  .string()
  .max(MAX_NOTE)
  .transform((text) => cleanText(text) || null)
  .nullish()
  .transform((text) => text ?? null)

/** What an image shows. */
export const ImageAlt = z
  .string()
  .transform((text) => shorten(cleanLine(startOf(text, MAX_ALT)), MAX_ALT) || null)
  .nullish()
  .transform((alt) => alt ?? null)

const image = z.object({ url: webLink(['https:']), alt: ImageAlt })

/** `POST /api/org/enrichment/` and the tool `submit_enrichment`. */
export const SubmitEnrichment = z.object({
  product_slug: ProductSlugInput,
  fields: z.record(z.string(), z.unknown()).nullish(),
  images: z.array(image).max(MAX_IMAGES).nullish(),
  evidence_url: webLink().nullish(),
  evidence: z.array(webLink()).max(MAX_EVIDENCE).nullish(),
  note: EnrichmentNote,
  confirms_profile: z.boolean().nullish(),
})
export type SubmitEnrichment = z.output<typeof SubmitEnrichment>

export const EnrichmentQuery = PageQuery.extend({ product_slug: ProductSlugInput.optional() })
export const ReviewQuery = PageQuery.extend({ status: z.enum(ENRICHMENT_STATUSES).default('pending') })
export const EnrichmentId = z.object({ enrichment_id: z.string().min(1).max(100) })
export const Rejection = EnrichmentId.extend({ note: EnrichmentNote })
export const Approval = Rejection.extend({ fields: z.array(z.string().max(100)).min(1).max(50).nullish() })

/** Throws what is wrong with it; a proposal that proposes nothing is wrong too. */
export function readProposal(input: SubmitEnrichment): Proposal {
  const stated = [...(input.evidence_url ? [input.evidence_url] : []), ...(input.evidence ?? [])]
  const proposal = {
    fields: readFields(input.fields ?? {}),
    images: distinctImages(input.images ?? []),
    evidence: [...new Set(stated)],
    note: input.note,
    confirmsProfile: input.confirms_profile ?? false,
  }
  if (proposal.evidence.length > MAX_EVIDENCE)
    throw invalid('evidence', `evidence: must have at most ${MAX_EVIDENCE} entries`, { max: MAX_EVIDENCE })
  if (partsOf(proposal).length === 0)
    throw invalid('fields', 'propose something: fields, images, or confirms_profile', {
      valid: PROPOSABLE_FIELDS,
    })
  return proposal
}

/** What an operator can approve by itself: each field, the images, the confirmation. */
export function partsOf({ fields, images, confirmsProfile }: Proposal): string[] {
  return [
    ...PROPOSABLE_FIELDS.filter((name) => Object.hasOwn(fields, name)),
    ...(images.length > 0 ? ['images'] : []),
    ...(confirmsProfile ? ['confirms_profile'] : []),
  ]
}

export function distinctImages(images: ProductImage[]): ProductImage[] {
  const byUrl = new Map<string, ProductImage>()
  for (const entry of images) if (!byUrl.has(entry.url)) byUrl.set(entry.url, entry)
  return [...byUrl.values()]
}

function readFields(raw: Record<string, unknown>): ProposedFields {
  for (const name of Object.keys(raw)) {
    if (Object.hasOwn(PROPOSABLE, name)) continue
    const field = `fields.${shorten(cleanLine(startOf(name, 80)), 80)}`
    const why = name === 'images' ? 'send images in images, not in fields' : 'cannot be proposed'
    throw invalid(field, `${field}: ${why}`, { valid: PROPOSABLE_FIELDS })
  }
  const facts = factsOf(raw)
  const fields: ProposedFields = {}
  for (const name of PROPOSABLE_FIELDS)
    if (Object.hasOwn(raw, name))
      fields[name] = raw[name] === null && name === 'specs' ? null : fieldValue(name, facts)
  if (Array.isArray(fields.specs) && fields.specs.length === 0)
    throw invalid('fields.specs', 'fields.specs: must have at least one spec')
  // An approval reads the stored values again: what could not be approved any more is refused now.
  factsOfProposal(fields)
  return fields
}

/** The facts that contract values state, by the import's own code. */
function factsOf(raw: Record<string, unknown>): Partial<ProductFacts> {
  const checked = checkProductInput({ category: 'any', title: 'any', ...raw })
  if ('input' in checked) return checked.input.facts
  const { field, problem, fix } = checked.problem
  const named = field === null ? 'fields' : `fields.${field}`
  throw invalid(named, `${named}: ${problem}; ${fix}`)
}

/** A field's stored value; of a whole product, its value now. */
export function fieldValue(name: ProposableField, facts: Partial<ProductFacts>): unknown {
  if (name === 'price')
    return facts.priceLowCents == null
      ? null
      : { low: dollarsOf(facts.priceLowCents), high: dollarsOf(facts.priceHighCents) }
  if (name === 'list_price') return dollarsOf(facts.listPriceCents)
  if (name === 'where_to_buy') return (facts.whereToBuy ?? []).map(shopValue)
  const [key] = PROPOSABLE[name]
  return facts[key] ?? null
}

/** Back from stored values to the facts they state. */
function factsOfProposal({ specs, ...fields }: ProposedFields): Partial<ProductFacts> {
  const listed = Array.isArray(specs)
    ? { specs: Object.fromEntries((specs as Spec[]).map(({ name, value }) => [name, value])) }
    : {}
  const facts = factsOf({ ...fields, ...listed })
  const keys = Object.keys(fields).concat(Object.keys(listed)) as ProposableField[]
  const stated = keys.flatMap((name) => PROPOSABLE[name].map((key) => [key, facts[key]]))
  return Object.fromEntries(stated)
}

function shopValue({ name, url, priceCents }: Shop): Record<string, unknown> {
  return { name, url: URL.parse(url)?.href ?? url, price: dollarsOf(priceCents) }
}

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
