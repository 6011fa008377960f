/**
 * The team and its invitations, over REST and as tools. Addresses are shown to members alone. Tools name a person by the
 * address, so that a model needs no ids.
 */

import { z } from 'zod'
import { isoDay } from '../lib/clock.ts'
import { wireOf } from '../lib/entity.ts'
import { fitItems, paragraphs, TEXT_ROOM } from '../lib/fit-text.ts'
import { inlineText, untrusted } from '../lib/untrusted.ts'
import { counted } from '../lib/words.ts'
import { defineOperation } from '../operations/define-operation.ts'
import { page } from '../tools/params.ts'
import type { OrgsContext } from './context.ts'
import { acceptInvitation } from './invitations.service.ts'
import { BY_EITHER, BY_SESSION, DONE } from './orgs.operations.ts'
import { ORG_ROLES, OrgId, TeamMemberBody } from './orgs.schema.ts'
import { type Act, bySession } from './producer.ts'
import { shownName } from './shown-org.ts'
import {
  leaveOrg,
  listTeam,
  setTeamMember,
  TEAM_OUTCOMES,
  type Team,
  type TeamOutcome,
} from './team.service.ts'

const role = z.enum(ORG_ROLES)
const TEAM = { ...BY_EITHER, path: '/api/org/team/' }
const MEMBER = ['email', 'name', 'role', 'joinedAt'] as const
const INVITATION = ['email', 'role', 'expiresAt'] as const

export const listMembers = defineOperation({
  right: 'read',
  run: (ctx: OrgsContext, { caller }: Act, _: object) => listTeam(ctx, caller),
  rest: [
    {
      ...TEAM,
      method: 'get',
      answer: {
        status: 200,
        of: ({ members, invitations }) => ({
          members: members.map((member) => wireOf(member, ['userId', ...MEMBER])),
          invitations: invitations.map((invitation) => wireOf(invitation, ['id', ...INVITATION])),
        }),
      },
    },
  ],
  tool: {
    name: 'list_team_members',
    title: 'Team members',
    description:
      'Lists your team members with their roles, and open invitations. Use it before set_team_member, which invites, changes or removes people. Roles: owner and admin manage, editor edits offers and product data, viewer reads. Owners and admins also see how many link tokens each person created; those end when the person is removed or becomes editor or viewer.',
    audience: 'producers',
    effects: { readOnly: true },
    input: z.object({}),
    output: z.object({
      ...page,
      members: z.array(
        z.object({
          email: z.string(),
          name: z.string(),
          role,
          joined_at: z.string(),
          link_tokens: z
            .int()
            .optional()
            .describe(
              'Live link tokens they created; these end with their owner or admin role. Shown to owners and admins',
            ),
        }),
      ),
      invitations: z
        .array(z.object({ email: z.string(), role, expires_at: z.string() }))
        .describe('Not accepted yet'),
    }),
    answer: (team) => ({
      text: teamText(team),
      data: {
        ...{ total: team.members.length, next_offset: null },
        members: team.members.map((member) => ({
          ...wireOf(member, MEMBER),
          ...(member.linkTokens !== undefined && { link_tokens: member.linkTokens }),
        })),
        invitations: team.invitations.map((invitation) => wireOf(invitation, INVITATION)),
      },
    }),
  },
})

const MemberInput = TeamMemberBody.extend({
  // Its pattern is blind to case, which JSON Schema cannot say: a client would refuse what we take.
  email: TeamMemberBody.shape.email.meta({ description: 'Email of the person', pattern: undefined }),
  role: TeamMemberBody.shape.role.describe('none removes a member or withdraws an invitation'),
})

export const setMember = defineOperation({
  right: 'manage',
  run: (ctx: OrgsContext, { caller, visit }: Act, member: TeamMemberBody) =>
    setTeamMember(ctx, { caller, visit }, member),
  rest: [
    {
      ...TEAM,
      method: 'patch',
      input: TeamMemberBody,
      answer: {
        status: 200,
        of: ({ outcome, linkTokensRevoked }) => ({
          ok: true,
          invited: outcome === 'invited',
          link_tokens_revoked: linkTokensRevoked,
        }),
      },
    },
  ],
  tool: {
    name: 'set_team_member',
    title: 'Set team member',
    description:
      "Sets a person's role in your organization: changes or removes a member, or invites a new one by email. Owners and admins only; only owners add or remove owners, and the last owner stays. Inviting an email again sends a new invitation. Removing someone, or making an owner or admin an editor or viewer, revokes the link tokens they created: programs using them stop working; list_team_members shows how many. Ask the user before you remove anyone, end link tokens or make someone an owner.",
    audience: 'producers',
    effects: { readOnly: false, destructive: true, idempotent: false },
    openWorld: true,
    input: MemberInput,
    output: z.object({
      email: z.string(),
      role: MemberInput.shape.role,
      outcome: z.enum(TEAM_OUTCOMES).describe('withdrawn: an open invitation was withdrawn'),
      link_tokens_revoked: z
        .int()
        .optional()
        .describe('Link tokens revoked because their creator lost the right to have them; absent if none'),
    }),
    answer: ({ outcome, linkTokensRevoked }, _ctx, { email, role }) => ({
      text: `${outcomeText(outcome, mailText(email), role)}${revokedText(linkTokensRevoked ?? 0)}`,
      data: { email, role, outcome, link_tokens_revoked: linkTokensRevoked },
    }),
  },
})

const leave = defineOperation({
  right: 'read',
  run: bySession((ctx: OrgsContext, act, { org_id }: { org_id: string }) => leaveOrg(ctx, act, org_id)),
  rest: [{ ...BY_SESSION, method: 'post', path: '/api/org/leave/', input: OrgId, answer: DONE }],
})

const join = bySession((ctx: OrgsContext, act, { token }: { token: string }) =>
  acceptInvitation(ctx, act, token),
)
const accept = defineOperation({
  right: 'person',
  run: join,
  rest: [
    {
      ...BY_SESSION,
      method: 'post',
      path: '/api/org/invitations/accept/',
      input: z.object({ token: z.string().min(1) }),
      answer: { status: 200, of: (joined) => wireOf(joined, ['orgId', 'role']) },
    },
  ],
})

export const TEAM_OPERATIONS = [listMembers, setMember, leave, accept]

const LONGEST_MAIL = 254

/** An address may hold characters that mean something in Markdown. */
function mailText(email: string): string {
  return inlineText(email, LONGEST_MAIL)
}

function outcomeText(outcome: TeamOutcome, mail: string, role: TeamMemberBody['role']): string {
  const words: Record<TeamOutcome, string> = {
    invited: `Invited ${mail} as ${role}. They have a week to join with the link in the email; until then list_team_members shows the invitation.`,
    changed: `${mail} is now ${role}.`,
    removed: `${mail} no longer belongs to the organization.`,
    withdrawn: `The invitation for ${mail} was withdrawn; its link no longer works.`,
    unchanged: `Nothing was changed: ${mail} is already ${role}.`,
  }
  return words[outcome]
}

function revokedText(count: number): string {
  if (count === 0) return ''
  return ` ${counted(count, 'link token')} they created ${count === 1 ? 'was' : 'were'} revoked: programs that used ${count === 1 ? 'it' : 'them'} stop working. An owner or admin can create new ones on the dashboard.`
}

const NEXT =
  'Next: set_team_member with email and role to invite or change someone, role none to remove them.'

function teamText({ orgName, members, invitations }: Team): string {
  const people = members.map(({ email, name, role, joinedAt, linkTokens = 0 }) => {
    const who = name === '' ? '' : ` (${inlineText(name, 80)})`
    const made = linkTokens === 0 ? '' : ` · made ${counted(linkTokens, 'link token')}`
    return `- ${mailText(email)}${who} · ${role} · since ${isoDay(joinedAt)}${made}`
  })
  const invited = invitations.map(({ email, role, expiresAt }) => {
    return `- ${mailText(email)} · invited as ${role} · open until ${isoDay(expiresAt)}`
  })
  const lines = [...people, ...invited]
  return fitItems(lines.length, TEXT_ROOM, (shown) => {
    const left = lines.length - shown
    return paragraphs([
      '# Your team',
      untrusted('its owner', [{ label: 'Organization', text: shownName(orgName) }]),
      `${counted(members.length, 'member')}, ${counted(invitations.length, 'open invitation')}.`,
      lines.slice(0, shown).join('\n'),
      left > 0 ? `${left} more in the data; there are no further pages.` : '',
      NEXT,
    ])
  })
}
