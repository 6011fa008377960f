/** `souk admin …` about products that producers propose: what waits, and the decision. */
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
import { RELATIONSHIP_HOOKS } from '../org-hooks.ts'
import type { AdminDeed } from './admin.ts'
import { provedDomain } from './proved-domain.ts'

const LISTED = 1_000
const OPERATOR = { kind: 'operator', id: null } as const

export const SUBMISSION_DEEDS: Record<string, AdminDeed> = {
  submissions: {
    usage: 'submissions',
    takes: 0,
    run: async (ctx) => {
      const waiting = await listSubmissions(ctx, { limit: LISTED })
      process.stdout.write(waiting.map(submissionLines).join(''))
    },
  },
  'approve-submission': {
    usage: 'approve-submission ID@VERSION',
    takes: 1,
    run: async (ctx, [named = '']) => {
      const deps = { ...ctx, relationshipHooks: RELATIONSHIP_HOOKS }
      const { id, version } = readNamed(named)
      if (version === undefined) throw versionMissing()
      const { productSlug, orgName } = await approveSubmission(deps, { by: OPERATOR, id, version })
      process.stderr.write(`${productSlug} is in the catalog now, as ${printable(orgName)} proposed it.\n`)
    },
  },
  'reject-submission': {
    usage: 'reject-submission ID NOTE',
    takes: 2,
    run: async (ctx, [named = '', note = '']) => {
      const decision = { by: OPERATOR, ...readNamed(named), note: parseInput(SubmissionNote, note) }
      await rejectSubmission(ctx, decision)
      process.stderr.write('It is rejected; its organization sees the note.\n')
    },
  },
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

/** One proposal a line, then one line for each field: its name and what is proposed, as JSON. */
function submissionLines(entry: WaitingSubmission): string {
  const { category, ...fields } = entry.product
  const head = [
    `${entry.id}@${entry.version}`,
    String(category),
    entry.createdAt.toISOString(),
    entry.relationshipType,
    entry.orgName,
    provedDomain(entry.orgDomain, entry.orgVerified),
  ]
  const said = { ...fields, ...(entry.productUrl !== null && { product_url: entry.productUrl }) }
  const lines = Object.entries(said).map(([name, value]) => ['', name, JSON.stringify(value)])
  return [head, ...lines].map((columns) => `${columns.map(printable).join('\t')}\n`).join('')
}
