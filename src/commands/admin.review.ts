/**
 * `souk admin …` about what waits for the operator: claims to products, proposals for profiles and proposed products, and
 * the decision on each. A list has one of them a line, columns separated by tabs, the name that a decision takes first;
 * what is proposed stands below it as JSON.
 */
import { EnrichmentNote } from '../catalog/enrichment.schema.ts'
import {
  approveEnrichment,
  listForReview,
  type ReviewEntry,
  rejectEnrichment,
} from '../catalog/enrichment-review.service.ts'
import {
  listPendingRelationships,
  type PendingClaim,
  rejectRelationship,
  verifyRelationship,
} from '../catalog/relationships.service.ts'
import { SubmissionNote } from '../catalog/submissions.schema.ts'
import {
  approveSubmission,
  listSubmissions,
  rejectSubmission,
  type WaitingSubmission,
} from '../catalog/submissions-review.service.ts'
import { AppError } from '../lib/errors.ts'
import { printable } from '../lib/text.ts'
import { parseInput } from '../lib/validate.ts'
import { RELATIONSHIP_HOOKS as relationshipHooks } from '../org-hooks.ts'
import type { AdminDeed } from './admin.ts'
import { provedDomain } from './proved-domain.ts'

const LISTED = 1_000
const by = { kind: 'operator', id: null } as const

/** What is printed of a list goes to the standard output, what is said of a decision beside it. */
const list = (text: string) => process.stdout.write(text)
const say = (text: string) => process.stderr.write(`${text}\n`)

/** By how each is used. */
const ACTIONS: Record<string, AdminDeed['run']> = {
  async relationships(ctx) {
    list((await listPendingRelationships(ctx)).map(claimLine).join(''))
  },
  async 'verify-relationship ID'(ctx, [id = '']) {
    const known = await verifyRelationship({ ...ctx, relationshipHooks }, id)
    say(`${known.productSlug}: ${known.type} is verified.`)
  },
  async 'reject-relationship ID NOTE'(ctx, [id = '', note = '']) {
    const decision = { by, note: parseInput(SubmissionNote, note) }
    const { productSlug, type } = await rejectRelationship({ ...ctx, relationshipHooks }, id, decision)
    say(`${productSlug}: ${type} is refused; its organization sees why.`)
  },
  async enrichments(ctx) {
    const { entries } = await listForReview(ctx, { status: 'pending', limit: LISTED, offset: 0 })
    list(entries.map(enrichmentLines).join(''))
  },
  async 'approve-enrichment ID'(ctx, [id = '']) {
    const { productSlug, verificationStatus, approved } = await approveEnrichment(ctx, { by, id })
    say(`${productSlug} has ${approved.join(', ')} now, and is ${verificationStatus}.`)
  },
  async 'reject-enrichment ID NOTE'(ctx, [id = '', note = '']) {
    await rejectEnrichment(ctx, { by, id, note: parseInput(EnrichmentNote, note) })
    say('It is rejected; its organization sees the note.')
  },
  async submissions(ctx) {
    list((await listSubmissions(ctx, { limit: LISTED })).map(submissionLines).join(''))
  },
  async 'approve-submission ID@VERSION'(ctx, [named = '']) {
    const { id, version } = readNamed(named)
    if (version === undefined) throw versionMissing()
    const decision = { by, id, version }
    const { productSlug, orgName } = await approveSubmission({ ...ctx, relationshipHooks }, decision)
    say(`${productSlug} is in the catalog now, as ${printable(orgName)} proposed it.`)
  },
  async 'reject-submission ID NOTE'(ctx, [named = '', note = '']) {
    await rejectSubmission(ctx, { by, ...readNamed(named), note: parseInput(SubmissionNote, note) })
    say('It is rejected; its organization sees the note.')
  },
}

export const REVIEW_DEEDS: Record<string, AdminDeed> = Object.fromEntries(
  Object.entries(ACTIONS).map(([usage, run]) => {
    const [name = '', ...takes] = usage.split(' ')
    return [name, { usage, takes: takes.length, run }]
  }),
)

function linesOf(rows: string[][]): string {
  return rows.map((columns) => `${columns.map(printable).join('\t')}\n`).join('')
}

function claimLine(claim: PendingClaim): string {
  const { id, type, productSlug, orgName, orgDomain, orgVerified, evidenceUrl, createdAt } = claim
  const domain = provedDomain(orgDomain, orgVerified)
  return linesOf([[id, type, productSlug, orgName, domain, evidenceUrl ?? '-', createdAt.toISOString()]])
}

/** Each part below it: its name, what is there, what is proposed. */
function enrichmentLines({ id, org, product, changes, ...entry }: ReviewEntry): string {
  const slug = `${product.category.slug}/${product.slug}`
  const head = [id, slug, entry.createdAt.toISOString(), org.name, provedDomain(org.domain, org.verified)]
  const parts = [
    ...changes.map(({ field, current, proposed }) => [field, current, proposed]),
    ...entry.images.map((image) => ['image', null, image]),
    ...(entry.confirmsProfile ? [['confirms_profile', false, true]] : []),
    ...entry.evidence.map((url) => ['evidence', null, url]),
    ...(entry.note === null ? [] : [['note', null, entry.note]]),
  ]
  const lines = parts.map(([name, ...values]) => {
    return ['', String(name), ...values.map((value) => JSON.stringify(value))]
  })
  return linesOf([head, ...lines])
}

/** As the list prints it; a version is needed only for what makes a product. */
function readNamed(named: string): { id: string; version?: number } {
  const [, id = named, version] = /^(.*)@([0-9]{1,9})$/.exec(named) ?? []
  return { id, ...(version !== undefined && { version: Number(version) }) }
}

function versionMissing(): AppError {
  return new AppError(
    'invalid',
    'name what you looked at, ID@VERSION, as `admin submissions` lists it: its producer may have changed it since',
  )
}

/** Each field below it. */
function submissionLines(entry: WaitingSubmission): string {
  const { category, ...fields } = entry.product
  const { relationshipType, orgName } = entry
  const head = [`${entry.id}@${entry.version}`, String(category), entry.createdAt.toISOString()]
  const who = [relationshipType, orgName, provedDomain(entry.orgDomain, entry.orgVerified)]
  const said = { ...fields, ...(entry.productUrl !== null && { product_url: entry.productUrl }) }
  const lines = Object.entries(said).map(([name, value]) => ['', name, JSON.stringify(value)])
  return linesOf([[...head, ...who], ...lines])
}
