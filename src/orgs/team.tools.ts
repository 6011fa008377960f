/**
 * The team as tools: the same two functions as REST. Addresses are shown to members alone, as there. A person is named by
 * the address, so that a model needs no ids.
 */
import { z } from 'zod'
import { fitItems, TEXT_ROOM } from '../lib/fit-text.ts'
import { inlineText, untrusted } from '../lib/untrusted.ts'
import { counted } from '../lib/words.ts'
import { defineTool } from '../tools/define-tool.ts'
import type { OrgsContext } from './context.ts'
import { TeamMemberBody } from './orgs.input.ts'
import { ORG_ROLES } from './orgs.schema.ts'
import { shownName } from './shown-org.ts'
import {
  listTeam,
  setTeamMember as setMember,
  TEAM_OUTCOMES,
  type Team,
  type TeamOutcome,
} from './team.service.ts'

const NoInput = z.object({})
const role = z.enum(ORG_ROLES)
const TeamOutput = z.object({
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
          'Live link tokens they made; they end with the role of owner or admin. For owners and admins',
        ),
    }),
  ),
  invitations: z
    .array(z.object({ email: z.string(), role, expires_at: z.string() }))
    .describe('Not answered yet'),
})

export const listTeamMembers = defineTool<OrgsContext, typeof NoInput, typeof TeamOutput>({
  name: 'list_team_members',
  title: 'Team members',
  description:
    'Lists the people of your organization with their roles, and the invitations that are still open. Use it before set_team_member, which invites, changes or removes somebody. Roles: owner and admin manage, editor keeps offers and product data, viewer reads. Owners and admins also see how many link tokens each person made, which end when that person is removed or becomes editor or viewer.',
  audience: 'producers',
  effects: { readOnly: true },
  input: NoInput,
  output: TeamOutput,
  async run(ctx, { caller }) {
    const team = await listTeam(ctx, caller)
    return {
      text: teamText(team),
      data: {
        members: team.members.map(({ email, name, role, joinedAt, linkTokens }) => ({
          email,
          name,
          role,
          joined_at: joinedAt.toISOString(),
          ...(linkTokens !== undefined && { link_tokens: linkTokens }),
        })),
        invitations: team.invitations.map(({ email, role, expiresAt }) => {
          return { email, role, expires_at: expiresAt.toISOString() }
        }),
      },
    }
  },
})

const MemberInput = TeamMemberBody.extend({
  // Its pattern is blind to case, which JSON Schema cannot say: a client would refuse what we take.
  email: TeamMemberBody.shape.email.meta({ description: 'Mail address of the person', pattern: undefined }),
  role: TeamMemberBody.shape.role.describe('none removes a member or takes an invitation back'),
})
const MemberOutput = z.object({
  email: z.string(),
  role: MemberInput.shape.role,
  outcome: z.enum(TEAM_OUTCOMES).describe('withdrawn: an open invitation was taken back'),
  link_tokens_revoked: z
    .int()
    .optional()
    .describe('Link tokens that ended because their maker may not make any now; absent when none did'),
})

export const setTeamMember = defineTool<OrgsContext, typeof MemberInput, typeof MemberOutput>({
  name: 'set_team_member',
  title: 'Set team member',
  description:
    'Gives a person a role in your organization: changes or removes a member, and invites by mail whoever is not one. Owners and admins only; only an owner makes or unmakes an owner, and the last owner stays. Inviting an address again sends a new mail. Removing somebody, or making an owner or admin an editor or viewer, revokes the link tokens that person made: programs that use them stop working, and list_team_members says how many there are. Ask the user before you remove anybody, end link tokens or make an owner.',
  audience: 'producers',
  effects: { readOnly: false, destructive: true, idempotent: false },
  openWorld: true,
  input: MemberInput,
  output: MemberOutput,
  async run(ctx, { caller, visit }, { email, role }) {
    const { outcome, linkTokensRevoked } = await setMember(ctx, { caller, visit }, { email, role })
    const text = `${outcomeText(outcome, mailText(email), role)}${revokedText(linkTokensRevoked ?? 0)}`
    return { text, data: { email, role, outcome, link_tokens_revoked: linkTokensRevoked } }
  },
})

const LONGEST_MAIL = 254

/** An address may hold characters that mean something in Markdown. */
function mailText(email: string): string {
  return inlineText(email, LONGEST_MAIL)
}

function outcomeText(outcome: TeamOutcome, mail: string, role: TeamMemberBody['role']): string {
  const words: Record<TeamOutcome, string> = {
    invited: `Invited ${mail} as ${role} by mail. They join by the link in it, within a week; until then list_team_members shows the invitation.`,
    changed: `${mail} is now ${role}.`,
    removed: `${mail} no longer belongs to the organization.`,
    withdrawn: `The invitation of ${mail} was taken back; its link no longer works.`,
    unchanged: `Nothing was changed: ${mail} is ${role} already.`,
  }
  return words[outcome]
}

function revokedText(count: number): string {
  if (count === 0) return ''
  return ` ${counted(count, 'link token')} they had made ${count === 1 ? 'was' : 'were'} revoked: programs that used ${count === 1 ? 'it' : 'them'} are refused. An owner or admin can make new ones on the dashboard.`
}

const NEXT = 'Next: set_team_member with email and role to invite or change somebody, role none to remove.'

function teamText({ orgName, members, invitations }: Team): string {
  const people = members.map(({ email, name, role, joinedAt, linkTokens = 0 }) => {
    const who = name === '' ? '' : ` (${inlineText(name, 80)})`
    const made = linkTokens === 0 ? '' : ` · made ${counted(linkTokens, 'link token')}`
    return `- ${mailText(email)}${who} · ${role} · since ${day(joinedAt)}${made}`
  })
  const invited = invitations.map(({ email, role, expiresAt }) => {
    return `- ${mailText(email)} · invited as ${role} · open until ${day(expiresAt)}`
  })
  const lines = [...people, ...invited]
  return fitItems(lines.length, TEXT_ROOM, (shown) => {
    const left = lines.length - shown
    return [
      '# Your team',
      untrusted('its owner', [{ label: 'Organization', text: shownName(orgName) }]),
      `${counted(members.length, 'member')}, ${counted(invitations.length, 'open invitation')}.`,
      lines.slice(0, shown).join('\n'),
      left > 0 ? `${left} more in the data; there are no further pages.` : '',
      NEXT,
    ]
      .filter(Boolean)
      .join('\n\n')
  })
}

function day(at: Date): string {
  return at.toISOString().slice(0, 10)
}
