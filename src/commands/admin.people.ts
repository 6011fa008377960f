/** The operator's actions on accounts and organizations. */
import {
  type AccountLine,
  deactivateAccount,
  listAccounts,
  makeAdmin,
  reactivateAccount,
  revokeAdmin,
  verifyAccount,
} from '../accounts/admin.service.ts'
import type { Db } from '../db/database.ts'
import { AppError } from '../lib/errors.ts'
import { printable } from '../lib/text.ts'
import { revokeAllGrants } from '../oauth/grants.service.ts'
import { ORG_HOOKS as orgHooks } from '../org-hooks.ts'
import { createOrgAccountHooks } from '../orgs/account-hooks.ts'
import {
  deactivateOrg,
  listOrganizations,
  reactivateOrg,
  unverifyOrg,
  verifyOrg,
} from '../orgs/admin.service.ts'
import type { Org } from '../orgs/orgs.schema.ts'
import { DEMO_WORDS } from '../orgs/shown-org.ts'
import { type AdminActions, lineOf, printLine } from './admin.action.ts'
import { say } from './terminal.ts'

export const USER_ACTIONS: AdminActions = {
  async users(ctx) {
    for (const line of await listAccounts(ctx, ctx.config.adminEmails)) printLine(...accountCells(line))
  },
  async 'make-admin EMAIL'(ctx, email = '') {
    const { verified } = await makeAdmin(ctx, email)
    say(`${email} is now an operator.`)
    if (!verified) say('The email is not confirmed: make sure the account is theirs.')
  },
  async 'revoke-admin EMAIL'(ctx, email = '') {
    const { changed, named } = await revokeAdmin(ctx, email)
    if (named) say(`${email} is in SOUK_ADMIN_EMAILS and stays an operator until you remove it there.`)
    else say(`${email} ${changed ? 'is no longer an operator' : 'was not an operator'}.`)
  },
  async 'verify-user EMAIL'(ctx, email = '') {
    const { changed } = await verifyAccount(ctx, email)
    say(`${email} ${changed ? 'is now confirmed' : 'was already confirmed'}.`)
  },
  async 'deactivate-user EMAIL'(ctx, email = '') {
    const hooks = {
      async revokeAccess(db: Db, userId: string) {
        await revokeAllGrants({ ...ctx, db }, userId)
      },
      onDeactivate: createOrgAccountHooks({ ...ctx, orgHooks }).onDeactivate,
    }
    const { changed } = await deactivateAccount({ ...ctx, hooks }, email)
    say(`${email} ${changed ? 'is now deactivated' : 'was already deactivated'}.`)
  },
  async 'reactivate-user EMAIL'(ctx, email = '') {
    const { changed } = await reactivateAccount(ctx, email)
    say(`${email} ${changed ? 'is active again' : 'was already active'}.`)
  },
}

function accountCells({ email, name, accountType, createdAt, ...line }: AccountLine): unknown[] {
  // In one column, so that scripts find the others where they were: nobody signs in by it, confirmed or not.
  const state = line.deactivatedAt !== null ? 'deactivated' : line.verified ? 'confirmed' : 'unconfirmed'
  return [email, accountType, state, line.admin ? 'operator' : line.demo ? 'demo' : '', createdAt, name]
}

export const ORG_ACTIONS: AdminActions = {
  async orgs(ctx) {
    for (const org of await listOrganizations(ctx)) printLine(...orgCells(org))
  },
  async 'verify-org DOMAIN (or ID)'(ctx, which = '') {
    const { org, several = [] } = await verifyOrg({ ...ctx, orgHooks }, which)
    const lines = several.map((one) => lineOf(orgCells(one))).join('\n')
    if (!org)
      throw new AppError('conflict', `several organizations claim ${which}; choose one by its id:\n${lines}`)
    say(`${printable(org.name)} (${org.id}) is now verified for ${org.domain}.`)
  },
  async 'unverify-org ID'(ctx, id = '') {
    const { name, domain } = await unverifyOrg({ ...ctx, orgHooks }, id)
    say(`${printable(name)} is no longer verified; any organization can now verify ${domain}.`)
  },
  async 'deactivate-org ID'(ctx, id = '') {
    const { org, changed } = await deactivateOrg({ ...ctx, orgHooks }, id)
    say(`${printable(org.name)} ${changed ? 'is now deactivated' : 'was already deactivated'}.`)
  },
  async 'reactivate-org ID'(ctx, id = '') {
    const { org, changed } = await reactivateOrg({ ...ctx, orgHooks }, id)
    say(`${printable(org.name)} ${changed ? 'is active again' : 'was already active'}.`)
  },
}

function orgCells(org: Org): unknown[] {
  const { id, orgType, verificationStatus, verifiedVia, deactivatedAt, domain, createdAt, name } = org
  const active = deactivatedAt === null ? 'active' : 'deactivated'
  const shown = org.demo ? `${name} ${DEMO_WORDS}` : name
  return [id, orgType, verificationStatus, verifiedVia, active, domain, createdAt, shown]
}
