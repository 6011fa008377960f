/**
 * `souk admin …` about what waits for the operator's decision: new names of verified organizations, claims to sell or make
 * a product, proposals for a product's profile and for new products. A list has the id first: it is what a decision takes.
 */
import { EnrichmentNote } from '../catalog/enrichment.schema.ts'
import {
  approveEnrichment,
  listForReview,
  type ReviewEntry,
  rejectEnrichment,
} from '../catalog/enrichment-review.service.ts'
import { MistakeClosing } from '../catalog/mistakes.schema.ts'
import { closeMistake, listMistakes } from '../catalog/mistakes.service.ts'
import {
  listPendingRelationships,
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
import { ORG_HOOKS as orgHooks, RELATIONSHIP_HOOKS as relationshipHooks } from '../org-hooks.ts'
import { approveRename, declineRename, listRenames } from '../orgs/renames.service.ts'
import { type AdminActions, LISTED, OPERATOR, printLine, provedDomain } from './admin.action.ts'
import { say } from './terminal.ts'

export const REVIEW_ACTIONS: AdminActions = {
  async renames(ctx) {
    for (const { id, orgId, orgDomain, orgVerified, orgName, name, createdAt } of await listRenames(ctx))
      printLine(id, orgId, provedDomain(orgDomain, orgVerified), createdAt, orgName, name)
  },
  async 'approve-rename ID'(ctx, id = '') {
    const { from, to } = await approveRename({ ...ctx, orgHooks }, id)
    say(`${printable(from)} is now called ${printable(to)}.`)
  },
  async 'decline-rename ID NOTE'(ctx, id = '', note = '') {
    const { from } = await declineRename({ ...ctx, orgHooks }, id, parseInput(SubmissionNote, note))
    say(`${printable(from)} keeps its name; its team sees why.`)
  },
  async reports(ctx) {
    for (const { id, kind, productSlug, createdAt, email, text } of await listMistakes(ctx, {
      limit: LISTED,
    }))
      printLine(id, kind, productSlug, createdAt, email ?? '-', text)
  },
  async 'close-report ID OUTCOME NOTE (fixed or rejected)'(ctx, id = '', outcome = '', note = '') {
    const closing = parseInput(MistakeClosing, { outcome, note })
    const { productSlug } = await closeMistake(ctx, { id, by: OPERATOR, ...closing })
    say(`The report on ${productSlug} is closed as ${closing.outcome}.`)
  },
  async relationships(ctx) {
    for (const { id, type, productSlug, orgName, ...claim } of await listPendingRelationships(ctx)) {
      const domain = provedDomain(claim.orgDomain, claim.orgVerified)
      printLine(id, type, productSlug, orgName, domain, claim.evidenceUrl ?? '-', claim.createdAt)
    }
  },
  async 'verify-relationship ID'(ctx, id = '') {
    const known = await verifyRelationship({ ...ctx, relationshipHooks }, id)
    say(`${known.productSlug}: ${known.type} is verified.`)
  },
  async 'reject-relationship ID NOTE'(ctx, id = '', note = '') {
    const decision = { by: OPERATOR, note: parseInput(SubmissionNote, note) }
    const { productSlug, type } = await rejectRelationship({ ...ctx, relationshipHooks }, id, decision)
    say(`${productSlug}: ${type} is rejected; the organization sees why.`)
  },
  async enrichments(ctx) {
    const { entries } = await listForReview(ctx, { status: 'pending', limit: LISTED, offset: 0 })
    for (const entry of entries) printEnrichment(entry)
  },
  async 'approve-enrichment ID'(ctx, id = '') {
    const { productSlug, verificationStatus, approved } = await approveEnrichment(ctx, { by: OPERATOR, id })
    say(`${productSlug} now has ${approved.join(', ')} and is ${verificationStatus}.`)
  },
  async 'reject-enrichment ID NOTE'(ctx, id = '', note = '') {
    await rejectEnrichment(ctx, { by: OPERATOR, id, note: parseInput(EnrichmentNote, note) })
    say('Rejected; the organization sees your note.')
  },
  async submissions(ctx) {
    for (const entry of await listSubmissions(ctx, { limit: LISTED })) printSubmission(entry)
  },
  async 'approve-submission ID@VERSION'(ctx, named = '') {
    const { id, version } = readNamed(named)
    if (version === undefined)
      throw new AppError(
        'invalid',
        'give the version you reviewed as ID@VERSION (see `admin submissions`): the producer may have changed it since',
      )
    const decision = { by: OPERATOR, id, version }
    const { productSlug, orgName } = await approveSubmission({ ...ctx, relationshipHooks }, decision)
    say(`${productSlug} is now in the catalog, as proposed by ${printable(orgName)}.`)
  },
  async 'reject-submission ID NOTE'(ctx, named = '', note = '') {
    await rejectSubmission(ctx, { by: OPERATOR, ...readNamed(named), note: parseInput(SubmissionNote, note) })
    say('Rejected; the organization sees your note.')
  },
}

/** One proposal a line, then one line for each part: its name, what is there, what is proposed, as JSON. */
function printEnrichment({ id, org, product, changes, ...entry }: ReviewEntry): void {
  const slug = `${product.category.slug}/${product.slug}`
  printLine(id, slug, entry.createdAt, org.name, provedDomain(org.domain, org.verified))
  const parts: unknown[][] = [
    ...changes.map(({ field, current, proposed }) => [field, current, proposed]),
    ...entry.images.map((image) => ['image', null, image]),
    ...(entry.confirmsProfile ? [['confirms_profile', false, true]] : []),
    ...entry.evidence.map((url) => ['evidence', null, url]),
    ...(entry.note === null ? [] : [['note', null, entry.note]]),
  ]
  for (const [name, ...values] of parts) printLine('', name, ...values.map((value) => JSON.stringify(value)))
}

/** As the list prints it; a version is needed only for what makes a product. */
function readNamed(named: string): { id: string; version?: number } {
  const [, id = named, version] = /^(.*)@([0-9]{1,9})$/.exec(named) ?? []
  return { id, ...(version !== undefined && { version: Number(version) }) }
}

/** One proposal a line, then one line for each field: its name and what is proposed, as JSON. */
function printSubmission({ id, version, product, productUrl, ...entry }: WaitingSubmission): void {
  const { category, ...fields } = product
  const domain = provedDomain(entry.orgDomain, entry.orgVerified)
  printLine(`${id}@${version}`, category, entry.createdAt, entry.relationshipType, entry.orgName, domain)
  const said = { ...fields, ...(productUrl !== null && { product_url: productUrl }) }
  for (const [name, value] of Object.entries(said)) printLine('', name, JSON.stringify(value))
}
