/** `souk admin …` about new names of verified organizations: those that wait, and the decision. */
import { SubmissionNote } from '../catalog/submissions.schema.ts'
import { printable } from '../lib/text.ts'
import { parseInput } from '../lib/validate.ts'
import { ORG_HOOKS as orgHooks } from '../org-hooks.ts'
import { approveRename, declineRename, listRenames, type WaitingRename } from '../orgs/renames.service.ts'
import type { AdminDeed } from './admin.ts'
import { provedDomain } from './proved-domain.ts'

export const RENAME_DEEDS: Record<string, AdminDeed> = {
  renames: {
    usage: 'renames',
    takes: 0,
    run: async (ctx) => {
      process.stdout.write((await listRenames(ctx)).map(renameLine).join(''))
    },
  },
  'approve-rename': {
    usage: 'approve-rename ID',
    takes: 1,
    run: async (ctx, [id = '']) => {
      const { from, to } = await approveRename({ ...ctx, orgHooks }, id)
      process.stderr.write(`${printable(from)} is called ${printable(to)} now.\n`)
    },
  },
  'decline-rename': {
    usage: 'decline-rename ID NOTE',
    takes: 2,
    run: async (ctx, [id = '', note = '']) => {
      const { from } = await declineRename({ ...ctx, orgHooks }, id, parseInput(SubmissionNote, note))
      process.stderr.write(`${printable(from)} keeps its name; its people see why.\n`)
    },
  },
}

/** One request a line, columns separated by tabs, the id first: it is what approve-rename takes. */
function renameLine(rename: WaitingRename): string {
  const { id, orgId, orgDomain, orgVerified, orgName, name, createdAt } = rename
  const columns = [id, orgId, provedDomain(orgDomain, orgVerified), createdAt.toISOString(), orgName, name]
  return `${columns.map(printable).join('\t')}\n`
}
