/**
 * Invitations to a team: a link in a mail, good for a week and for the person whose confirmed address it was sent to.
 * The token alone opens nothing. Of two who accept one at the same moment, one joins.
 */
import { emailKey } from '../accounts/accounts.schema.ts'
import type { SessionActor } from '../accounts/actor.ts'
import { auditActor } from '../accounts/audit.service.ts'
import { queueMail } from '../accounts/mail.job.ts'
import { countTry } from '../accounts/throttle.service.ts'
import { hashToken, newToken } from '../lib/crypto.ts'
import { type AppError, conflict, forbidden, notFound } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import type { OrgsContext } from './context.ts'
import {
  acceptOpenInvitation,
  alignAccountType,
  countTeam,
  findInvitationByToken,
  findRole,
  type InvitationRow,
  insertInvitation,
  insertMember,
  lockPerson,
  type OpenInvitation,
  revokeInvitation,
  selectOrg,
} from './members.queries.ts'
import { lockOrg } from './orgs.queries.ts'
import type { OrgRole } from './orgs.schema.ts'
import { type Act, recordAction, together, unknownCaller } from './producer.ts'
import { emailUnverified } from './register.service.ts'
import type { TeamAction } from './team.service.ts'

const LIFETIME_MS = 7 * 86_400_000
const TEAM_MAX = 200
export const JOIN_PATH = '/org/join'

/** In the transaction of the action, with the organization locked. A new one takes the place of the open one. */
export async function invite(
  ctx: OrgsContext,
  { producer, act, at }: TeamAction,
  input: { email: string; role: OrgRole; replaces: OpenInvitation | null; invitedBy: string | null },
): Promise<void> {
  const { org } = producer
  const { email, role, replaces, invitedBy } = input
  if (replaces) await revokeInvitation(ctx.db, replaces.id, at)
  if ((await countTeam(ctx.db, org.id, at)) >= TEAM_MAX)
    throw conflict(`a team has at most ${TEAM_MAX} members and invitations`, { max: TEAM_MAX })
  await countTry(ctx, { scope: 'mail', emailKey: emailKey(email), visit: act.visit })
  const token = newToken('souk_invite')
  const id = newId()
  const expiresAt = new Date(at.getTime() + LIFETIME_MS)
  await insertInvitation(ctx.db, {
    id,
    orgId: org.id,
    email,
    emailKey: emailKey(email),
    role,
    tokenHash: hashToken(token),
    invitedBy,
    createdAt: at,
    expiresAt,
  })
  await queueMail(ctx, {
    kind: 'invitation',
    to: email,
    link: `${ctx.config.baseUrl}${joinPath(token)}`,
    expiresAt,
    provedDomain: org.verificationStatus === 'verified' ? org.domain : null,
  })
  await recordAction(ctx.db, { producer, act, at }, 'team.invited', { invitation_id: id, role })
}

export function joinPath(token: string): string {
  return `${JOIN_PATH}?token=${encodeURIComponent(token)}`
}

export async function withdrawInvitation(
  ctx: OrgsContext,
  { producer, act, at }: TeamAction,
  open: OpenInvitation | null,
): Promise<void> {
  if (!open) throw notFound('nobody with this email is on the team or invited', { field: 'email' })
  await revokeInvitation(ctx.db, open.id, at)
  const detail = { invitation_id: open.id, role: open.role }
  await recordAction(ctx.db, { producer, act, at }, 'team.invitation_revoked', detail)
}

type InvitationState = 'open' | 'accepted' | 'revoked' | 'expired'
export type Invitation = {
  orgId: string
  orgName: string
  /** Null unless it is proved. */
  orgDomain: string | null
  email: string
  role: OrgRole
  /** Null when the account is gone. */
  inviter: { name: string; email: string } | null
  state: InvitationState
}

/** What a link stands for, without using it. */
export async function findInvitation(ctx: OrgsContext, token: string): Promise<Invitation | null> {
  const row = await findInvitationByToken(ctx.db, hashToken(token))
  if (!row) return null
  const { orgId, orgName, orgDomain, email, role, inviterName, inviterEmail } = row
  const inviter = inviterEmail === null ? null : { name: inviterName ?? '', email: inviterEmail }
  return { orgId, orgName, orgDomain, email, role, inviter, state: stateOf(row, ctx.clock.now()) }
}

/** What a deactivated account has sent is good for nothing while it is: nobody comes back by an invitation of their own. */
function stateOf(row: InvitationRow, now: Date): InvitationState {
  const { acceptedAt, revokedAt, expiresAt } = row
  if (acceptedAt !== null) return 'accepted'
  if (revokedAt !== null || row.inviterDeactivated) return 'revoked'
  return expiresAt <= now ? 'expired' : 'open'
}

export const DEAD_INVITATION: Record<Exclude<InvitationState, 'open'>, string> = {
  accepted: 'this invitation was already used',
  revoked: 'this invitation was withdrawn or replaced by a newer one',
  expired: 'this invitation has expired; ask for a new one',
}

export async function acceptInvitation(
  ctx: OrgsContext,
  act: Act & { caller: SessionActor },
  token: string,
): Promise<{ orgId: string; role: OrgRole }> {
  const { user, sessionId } = act.caller
  return together(ctx, async ({ db }) => {
    const at = ctx.clock.now()
    const found = await findInvitationByToken(db, hashToken(token))
    if (!found) throw gone('there is no such invitation')
    const person = await lockPerson(db, { userId: user.id })
    if (!person) throw unknownCaller()
    if (person.emailKey !== found.emailKey)
      throw forbidden('this invitation was sent to another email; sign in with that one')
    if (!person.emailVerified) throw emailUnverified('join an organization')
    const org = await lockOrg(db, found.orgId)
    if (!org) throw gone('there is no such invitation')
    // Only now, with everything locked, is its state certain.
    const invitation = await findInvitationByToken(db, hashToken(token))
    const state = invitation ? stateOf(invitation, at) : 'revoked'
    if (state !== 'open') throw gone(DEAD_INVITATION[state])
    if (org.deactivatedAt !== null)
      throw forbidden(`${org.name} is deactivated, so you cannot join it`, 'org_deactivated')
    if (!(await acceptOpenInvitation(db, found.id, at))) throw gone(DEAD_INVITATION.expired)
    await insertMember(db, { orgId: org.id, userId: user.id, role: found.role, now: at })
    await alignAccountType(db, user.id, at)
    if (!(await selectOrg(db, { sessionId, userId: user.id, orgId: org.id }))) throw unknownCaller()
    const role = (await findRole(db, org.id, user.id)) ?? found.role
    const detail = { invitation_id: found.id, user_id: user.id, role }
    await recordAction(db, { producer: { org, by: auditActor(act.caller) }, act, at }, 'team.joined', detail)
    return { orgId: org.id, role }
  })
}

function gone(message: string): AppError {
  return notFound(message, { field: 'token' })
}
