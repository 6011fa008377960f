/**
 * What an account's end means for its organizations: one with another owner stays as it is, else its longest-serving
 * admin becomes owner, else it is deactivated. Link tokens that the person made end, also when the account is only
 * deactivated. The page says so before, and each step is in the organization's history.
 */
import { type AuditActor, recordAudit } from '../accounts/audit.service.ts'
import type { Visit } from '../accounts/context.ts'
import type { AccountHooks } from '../accounts/hooks.ts'
import type { Db } from '../db/database.ts'
import type { OrgsContext } from './context.ts'
import { countLinkTokensOf } from './link-tokens.queries.ts'
import { endLinkTokensOf } from './link-tokens.service.ts'
import {
  deleteMember,
  findRole,
  hasOtherOwner,
  longestServingAdmin,
  membershipsOf,
  revokeInvitationsBy,
  updateRole,
} from './members.queries.ts'
import { lockOrg, updateOrg } from './orgs.queries.ts'
import { ORG_ROLES } from './orgs.schema.ts'
import type { Doing } from './producer.ts'
import { alongWith } from './team.service.ts'

type Fate = { kind: 'stays' } | { kind: 'inherited'; by: string } | { kind: 'deactivated' }

const WORDS: Record<Fate['kind'], string> = {
  stays: 'it stays with its other owners.',
  inherited: 'its longest-serving admin becomes its owner.',
  deactivated: 'it is deactivated because it has no other owner or admin: its offers are no longer live.',
}

export function createOrgAccountHooks(
  ctx: Pick<OrgsContext, 'clock' | 'orgHooks'>,
): Pick<
  AccountHooks,
  'ownedOrganizations' | 'countLinkTokens' | 'onDeactivate' | 'beforeDelete' | 'exportData'
> {
  return {
    countLinkTokens: countLinkTokensOf,
    async onDeactivate(db, userId, { actor, visit }) {
      for (const orgId of await orgIdsOf(db, userId)) {
        await lockOrg(db, orgId)
        const doing = doingIn(orgId, actor, ctx.clock.now(), visit)
        await endLinkTokensOf(db, doing, userId, { via: 'operator', because: 'maker_deactivated' })
      }
    },
    async ownedOrganizations(db, userId) {
      const owned = (await membershipsOf(db, userId)).filter(({ role }) => role === 'owner')
      return Promise.all(
        owned.map(async ({ orgId, name }) => {
          const { kind } = await fateOf(db, orgId, userId)
          return { id: orgId, name, fate: WORDS[kind] }
        }),
      )
    },
    async beforeDelete(db, userId) {
      for (const orgId of await orgIdsOf(db, userId)) await leave(ctx, db, { orgId, userId })
    },
    async exportData(db, userId) {
      const memberships = await membershipsOf(db, userId)
      const organizations = memberships.map(({ orgId, name, role, joinedAt }) => {
        return { org_id: orgId, name, role, joined_at: joinedAt.toISOString() }
      })
      return { organizations }
    },
  }
}

/** Always in the same order: two accounts that end at once wait for each other in no circle. */
async function orgIdsOf(db: Db, userId: string): Promise<string[]> {
  return (await membershipsOf(db, userId)).map(({ orgId }) => orgId).sort()
}

const NO_VISIT: Visit = { ip: null, userAgent: null, requestId: null }

function doingIn(orgId: string, by: AuditActor, at: Date, visit: Visit = NO_VISIT): Doing {
  return { producer: { org: { id: orgId }, by }, act: { visit }, at }
}

async function fateOf(db: Db, orgId: string, userId: string): Promise<Fate> {
  if (await hasOtherOwner(db, orgId, userId)) return { kind: 'stays' }
  const admin = await longestServingAdmin(db, orgId)
  return admin === null ? { kind: 'deactivated' } : { kind: 'inherited', by: admin }
}

async function leave(
  ctx: Pick<OrgsContext, 'clock' | 'orgHooks'>,
  db: Db,
  { orgId, userId }: { orgId: string; userId: string },
): Promise<void> {
  const org = await lockOrg(db, orgId)
  const role = await findRole(db, orgId, userId)
  if (!org || !role) return
  const at = ctx.clock.now()
  const actor = { kind: 'user', id: userId } as const
  const record = (action: string, detail: Record<string, unknown>) =>
    recordAudit(db, { actor, action, at, orgId, detail })
  // As when they are removed: nobody ends an account to come back by an invitation that it had sent.
  const invitations = await revokeInvitationsBy(db, { orgId, userId, roles: ORG_ROLES, now: at })
  const reason = 'account_deleted'
  const tokens = await endLinkTokensOf(db, doingIn(orgId, actor, at), userId, { reason })
  await deleteMember(db, orgId, userId)
  await record('team.removed', { user_id: userId, role, reason, ...alongWith(invitations, tokens) })
  if (role !== 'owner') return
  const fate = await fateOf(db, orgId, userId)
  if (fate.kind === 'inherited') {
    await updateRole(db, orgId, fate.by, 'owner')
    const change = { user_id: fate.by, from: 'admin', to: 'owner', reason: 'last_owner_left' }
    await record('team.role_changed', change)
  }
  if (fate.kind === 'deactivated' && org.deactivatedAt === null) {
    await updateOrg(db, orgId, { deactivatedAt: at }, at)
    await record('org.deactivated', { reason: 'last_owner_left' })
    await ctx.orgHooks.changed(db, orgId, at)
  }
}
