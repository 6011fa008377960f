/** The operator's deeds on organizations; part of the table in `admin.ts`. */
import { AppError } from '../lib/errors.ts'
import { printable } from '../lib/text.ts'
import { ORG_HOOKS as orgHooks } from '../org-hooks.ts'
import {
  deactivateOrg,
  listOrganizations,
  reactivateOrg,
  unverifyOrg,
  verifyOrg,
} from '../orgs/admin.service.ts'
import type { Org } from '../orgs/orgs.schema.ts'
import type { AdminDeed } from './admin.ts'

export const ORG_DEEDS: Record<string, AdminDeed> = {
  orgs: {
    usage: 'orgs',
    takes: 0,
    run: async (ctx) => {
      process.stdout.write((await listOrganizations(ctx)).map(orgLine).join(''))
    },
  },
  'verify-org': {
    usage: 'verify-org DOMAIN (or ID)',
    takes: 1,
    run: async (ctx, [which = '']) => {
      const { org, several = [] } = await verifyOrg({ ...ctx, orgHooks }, which)
      if (!org)
        throw new AppError(
          'conflict',
          `several organizations claim ${which}; name one by its id:\n${several.map(orgLine).join('').trimEnd()}`,
        )
      process.stderr.write(`${printable(org.name)} (${org.id}) is verified now, for ${org.domain}.\n`)
    },
  },
  'unverify-org': {
    usage: 'unverify-org ID',
    takes: 1,
    run: async (ctx, [id = '']) => {
      const { name, domain } = await unverifyOrg({ ...ctx, orgHooks }, id)
      process.stderr.write(
        `${printable(name)} is not verified any more; ${domain} is free for whoever proves it.\n`,
      )
    },
  },
  'deactivate-org': {
    usage: 'deactivate-org ID',
    takes: 1,
    run: async (ctx, [id = '']) => {
      const { org, changed } = await deactivateOrg({ ...ctx, orgHooks }, id)
      process.stderr.write(
        `${printable(org.name)} ${changed ? 'is deactivated now' : 'was deactivated before'}.\n`,
      )
    },
  },
  'reactivate-org': {
    usage: 'reactivate-org ID',
    takes: 1,
    run: async (ctx, [id = '']) => {
      const { org, changed } = await reactivateOrg({ ...ctx, orgHooks }, id)
      process.stderr.write(`${printable(org.name)} ${changed ? 'is active again' : 'was active already'}.\n`)
    },
  },
}

/** One organization a line, columns separated by tabs, the name last. */
function orgLine(org: Org): string {
  const active = org.deactivatedAt === null ? 'active' : 'deactivated'
  const marks = [org.orgType, org.verificationStatus, org.verifiedVia ?? '', active, org.domain ?? '']
  return `${[org.id, ...marks, org.createdAt.toISOString(), org.name].map(printable).join('\t')}\n`
}
