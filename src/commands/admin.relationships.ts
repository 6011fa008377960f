/** `souk admin …` about who sells or makes what: the claims that wait, and the decision. */
import {
  listPendingRelationships,
  type PendingClaim,
  rejectRelationship,
  verifyRelationship,
} from '../catalog/relationships.service.ts'
import { SubmissionNote } from '../catalog/submissions.schema.ts'
import { printable } from '../lib/text.ts'
import { parseInput } from '../lib/validate.ts'
import { RELATIONSHIP_HOOKS } from '../org-hooks.ts'
import type { AdminDeed } from './admin.ts'
import { provedDomain } from './proved-domain.ts'

export const RELATIONSHIP_DEEDS: Record<string, AdminDeed> = {
  relationships: {
    usage: 'relationships',
    takes: 0,
    run: async (ctx) => {
      const claims = await listPendingRelationships(ctx)
      process.stdout.write(claims.map(claimLine).join(''))
    },
  },
  'verify-relationship': {
    usage: 'verify-relationship ID',
    takes: 1,
    run: async (ctx, [id = '']) => {
      const known = await verifyRelationship({ ...ctx, relationshipHooks: RELATIONSHIP_HOOKS }, id)
      process.stderr.write(`${known.productSlug}: ${known.type} is verified.\n`)
    },
  },
  'reject-relationship': {
    usage: 'reject-relationship ID NOTE',
    takes: 2,
    run: async (ctx, [id = '', note = '']) => {
      const { productSlug, type } = await rejectRelationship(
        { ...ctx, relationshipHooks: RELATIONSHIP_HOOKS },
        id,
        { by: { kind: 'operator', id: null }, note: parseInput(SubmissionNote, note) },
      )
      process.stderr.write(`${productSlug}: ${type} is refused; its organization sees why.\n`)
    },
  },
}

/** One claim a line, columns separated by tabs, the id first: it is what verify-relationship takes. */
function claimLine(claim: PendingClaim): string {
  const { id, type, productSlug, orgName, orgDomain, orgVerified, evidenceUrl, createdAt } = claim
  const columns = [
    id,
    type,
    productSlug,
    orgName,
    provedDomain(orgDomain, orgVerified),
    evidenceUrl ?? '-',
    createdAt.toISOString(),
  ]
  return `${columns.map(printable).join('\t')}\n`
}
