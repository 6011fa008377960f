/** The operator's deeds on accounts; part of the table in `admin.ts`. */
import {
  type AccountLine,
  deactivateAccount,
  listAccounts,
  makeAdmin,
  reactivateAccount,
  revokeAdmin,
  verifyAccount,
} from '../accounts/admin.service.ts'
import { printable } from '../lib/text.ts'
import { revokeAllGrants } from '../oauth/grants.service.ts'
import { ORG_HOOKS } from '../org-hooks.ts'
import { createOrgAccountHooks } from '../orgs/account-hooks.ts'
import type { AdminDeed } from './admin.ts'

const say = (text: string) => process.stderr.write(`${text}\n`)

export const USER_DEEDS: Record<string, AdminDeed> = {
  users: {
    usage: 'users',
    takes: 0,
    run: async (ctx) => {
      const lines = await listAccounts(ctx, ctx.config.adminEmails)
      process.stdout.write(lines.map(accountLine).join(''))
    },
  },
  'make-admin': {
    usage: 'make-admin EMAIL',
    takes: 1,
    run: async (ctx, [email = '']) => {
      const { verified } = await makeAdmin(ctx, email)
      say(`${email} is an operator now.`)
      if (!verified) say('Its address is not confirmed: make sure that the account is theirs.')
    },
  },
  'revoke-admin': {
    usage: 'revoke-admin EMAIL',
    takes: 1,
    run: async (ctx, [email = '']) => {
      const { changed, named } = await revokeAdmin(ctx, email)
      if (named)
        say(`${email} is named in SOUK_ADMIN_EMAILS and stays an operator until it is taken out there.`)
      else say(`${email} ${changed ? 'is no operator any more' : 'was no operator'}.`)
    },
  },
  'verify-user': {
    usage: 'verify-user EMAIL',
    takes: 1,
    run: async (ctx, [email = '']) => {
      const { changed } = await verifyAccount(ctx, email)
      say(`${email} ${changed ? 'is confirmed now' : 'was confirmed before'}.`)
    },
  },
  'deactivate-user': {
    usage: 'deactivate-user EMAIL',
    takes: 1,
    run: async (ctx, [email = '']) => {
      const hooks = {
        async revokeAccess(db: typeof ctx.db, userId: string) {
          await revokeAllGrants({ ...ctx, db }, userId)
        },
        onDeactivate: createOrgAccountHooks({ ...ctx, orgHooks: ORG_HOOKS }).onDeactivate,
      }
      const { changed } = await deactivateAccount({ ...ctx, hooks }, email)
      say(`${email} ${changed ? 'is deactivated now' : 'was deactivated before'}.`)
    },
  },
  'reactivate-user': {
    usage: 'reactivate-user EMAIL',
    takes: 1,
    run: async (ctx, [email = '']) => {
      const { changed } = await reactivateAccount(ctx, email)
      say(`${email} ${changed ? 'is active again' : 'was active already'}.`)
    },
  },
}

/** One account a line, columns separated by tabs, for people and for scripts. */
function accountLine({ email, name, accountType, createdAt, ...line }: AccountLine): string {
  // In one column, so that scripts find the others where they were: nobody signs in by it, confirmed or not.
  const state = line.deactivatedAt !== null ? 'deactivated' : line.verified ? 'confirmed' : 'unconfirmed'
  const marks = [accountType, state, line.admin ? 'operator' : '']
  return `${[email, ...marks, createdAt.toISOString(), name].map(printable).join('\t')}\n`
}
