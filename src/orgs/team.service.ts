/**
 * Who belongs to an organization and as what. One function for REST and tools decides: a member's role changes, anybody
 * else is invited by mail. Only an owner makes or unmakes an owner, and the last owner stays. Link tokens that somebody
 * made end with their right to make them.
 */
import { emailKey } from '../accounts/accounts.schema.ts'
import type { SessionActor } from '../accounts/actor.ts'
import { auditActor } from '../accounts/audit.service.ts'
import { conflict, forbidden, notFound } from '../lib/errors.ts'
import { isUuid } from '../lib/ids.ts'
import type { OrgsContext } from './context.ts'
import { invite, withdrawInvitation } from './invitations.service.ts'
import { countLinkTokensByMaker } from './link-tokens.queries.ts'
import { endLinkTokensOf } from './link-tokens.service.ts'
import {
  alignAccountType,
  deleteMember,
  findOpenInvitation,
  findRole,
  hasOtherOwner,
  listLiveInvitations,
  listMembers,
  lockPerson,
  type Member,
  type OpenInvitation,
  revokeInvitationsBy,
  updateRole,
} from './members.queries.ts'
import { lockOrg } from './orgs.queries.ts'
import type { TeamMemberBody } from './orgs.schema.ts'
import { ORG_ROLES, type OrgRole } from './orgs.schema.ts'
import {
  type Act,
  type Caller,
  hasRight,
  lockManaged,
  type Producer,
  recordAction,
  requireProducer,
  together,
  unknownCaller,
} from './producer.ts'

/** `linkTokens`: how many live ones they made; left out for callers who may not see tokens. */
type TeamMember = Member & { linkTokens?: number }
export type Team = { orgName: string; members: TeamMember[]; invitations: OpenInvitation[] }

export async function listTeam(ctx: OrgsContext, caller: Caller): Promise<Team> {
  const { org, role } = await requireProducer(ctx, caller, 'read')
  const seesTokens = role !== null && hasRight(role, 'oversee')
  const [members, invitations, tokens] = await Promise.all([
    listMembers(ctx.db, org.id),
    listLiveInvitations(ctx.db, org.id, ctx.clock.now()),
    seesTokens ? countLinkTokensByMaker(ctx.db, org.id) : null,
  ])
  return {
    orgName: org.name,
    members: members.map((member) => ({
      ...member,
      ...(tokens && { linkTokens: tokens.get(member.userId) ?? 0 }),
    })),
    invitations,
  }
}

/** What became of a wish about the team. An address that is invited already gets a new invitation and mail. */
export const TEAM_OUTCOMES = ['invited', 'changed', 'removed', 'withdrawn', 'unchanged'] as const
export type TeamOutcome = (typeof TEAM_OUTCOMES)[number]
/** `linkTokensRevoked`: link tokens revoked because their creator lost the right to have them; absent for none. */
export type TeamChange = { outcome: TeamOutcome; linkTokensRevoked?: number }

type NewRole = TeamMemberBody['role']
/** What a change of the team works with; everything is locked. */
export type TeamAction = { producer: Producer; act: Act; at: Date }

/** `takenFor`: what the caller last saw the address to be; when that is no longer so, nothing is done. */
export async function setTeamMember(
  ctx: OrgsContext,
  act: Act,
  { email, role, takenFor }: TeamMemberBody & { takenFor?: 'member' | 'outsider' },
): Promise<TeamChange> {
  const { caller } = act
  // Before anything is locked: a stranger who names somebody must not make that person wait.
  await requireProducer(ctx, caller, 'manage')
  return together(ctx, async (inTx) => {
    const person = await lockPerson(inTx.db, { emailKey: emailKey(email) })
    const producer = await lockManaged(inTx, caller)
    const team: TeamAction = { producer, act, at: ctx.clock.now() }
    const current = person && (await findRole(inTx.db, producer.org.id, person.id))
    requireAsSeen(current, takenFor)
    if (person && current) return changeMember(inTx, team, { userId: person.id, from: current, to: role })
    const open = await findOpenInvitation(inTx.db, producer.org.id, emailKey(email))
    requireOwnerFor(producer, open?.role, role)
    if (role === 'none') {
      await withdrawInvitation(inTx, team, open)
      return { outcome: 'withdrawn' }
    }
    await invite(inTx, team, { email, role, replaces: open, invitedBy: producer.by.id })
    return { outcome: 'invited' }
  })
}

function requireAsSeen(current: OrgRole | null, takenFor: 'member' | 'outsider' | undefined): void {
  if (takenFor === 'outsider' && current)
    throw conflict(`this person is already a member (${current}); nothing was changed`, { field: 'email' })
  if (takenFor === 'member' && !current) throw conflict('they are no longer on the team; nothing was changed')
}

/**
 * Everybody may go, of a deactivated organization too, but for the last owner. The organization is named, so that who
 * has selected another one meanwhile does not leave that. What they invited to goes with them, as when they are removed.
 */
export async function leaveOrg(
  ctx: OrgsContext,
  act: Act & { caller: SessionActor },
  orgId: string,
): Promise<void> {
  const { user } = act.caller
  await together(ctx, async ({ db }) => {
    if (!(await lockPerson(db, { userId: user.id }))) throw unknownCaller()
    const org = isUuid(orgId) ? await lockOrg(db, orgId) : null
    const role = org && (await findRole(db, org.id, user.id))
    if (!org || !role) throw notFound('you belong to no organization with this org_id')
    if (role === 'owner' && !(await hasOtherOwner(db, org.id, user.id)))
      throw conflict('you are the last owner; make someone else an owner first')
    const at = ctx.clock.now()
    const revoked = await revokeInvitationsBy(db, { orgId, userId: user.id, roles: ORG_ROLES, now: at })
    const doing = { producer: { org, by: auditActor(act.caller) }, act, at }
    const ended = await endLinkTokensOf(db, doing, user.id, { reason: 'maker_left' })
    await deleteMember(db, org.id, user.id)
    await alignAccountType(db, user.id, at)
    await recordAction(db, doing, 'team.left', { user_id: user.id, role, ...alongWith(revoked, ended) })
  })
}

async function changeMember(
  { db }: OrgsContext,
  { producer, act, at }: TeamAction,
  { userId, from, to }: { userId: string; from: OrgRole; to: NewRole },
): Promise<TeamChange> {
  if (from === to) return { outcome: 'unchanged' }
  const { org } = producer
  requireOwnerFor(producer, from, to)
  if (from === 'owner' && !(await hasOtherOwner(db, org.id, userId)))
    throw conflict('this is the last owner; make someone else an owner first')
  const roles = ORG_ROLES.filter((role) => !mayInvite(to, role))
  const revoked = await revokeInvitationsBy(db, { orgId: org.id, userId, roles, now: at })
  const doing = { producer, act, at }
  const mayMakeTokens = to !== 'none' && hasRight(to, 'manage')
  const why = { reason: to === 'none' ? 'maker_removed' : 'maker_demoted' } as const
  const ended = mayMakeTokens ? 0 : await endLinkTokensOf(db, doing, userId, why)
  const along = alongWith(revoked, ended)
  const tokens = ended > 0 ? { linkTokensRevoked: ended } : {}
  if (to !== 'none') {
    await updateRole(db, org.id, userId, to)
    await recordAction(db, doing, 'team.role_changed', { user_id: userId, from, to, ...along })
    return { outcome: 'changed', ...tokens }
  }
  await deleteMember(db, org.id, userId)
  await alignAccountType(db, userId, at)
  await recordAction(db, doing, 'team.removed', { user_id: userId, role: from, ...along })
  return { outcome: 'removed', ...tokens }
}

/** What ended with somebody's right, for the record. */
export function alongWith(invitations: number, linkTokens: number): Record<string, number> {
  return {
    ...(invitations > 0 && { invitations_revoked: invitations }),
    ...(linkTokens > 0 && { link_tokens_revoked: linkTokens }),
  }
}

/** Who loses a right loses what they gave away with it, or an admin could come back by an invitation of their own. */
function mayInvite(role: NewRole, as: OrgRole): boolean {
  return role === 'owner' || (role === 'admin' && as !== 'owner')
}

/** An invitation to be owner counts as one: an admin neither makes it nor takes it back. */
function requireOwnerFor(producer: Producer, from: OrgRole | undefined, to: NewRole): void {
  if (producer.role === 'owner' || (from !== 'owner' && to !== 'owner')) return
  throw forbidden(`only an owner can add or remove owners; you are ${producer.role}`)
}
