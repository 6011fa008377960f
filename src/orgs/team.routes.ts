/** The team and its invitations. */
import type { Hono } from 'hono'
import { readJson } from '../http/body.ts'
import type { HttpEnv } from '../http/env.ts'
import type { OrgsContext } from './context.ts'
import { acceptInvitation } from './invitations.service.ts'
import { AcceptBody, LeaveBody, TeamMemberBody } from './orgs.input.ts'
import type { ProducerDoor } from './producer.http.ts'
import { leaveOrg, listTeam, setTeamMember } from './team.service.ts'

export function mountTeam(app: Hono<HttpEnv>, ctx: OrgsContext, door: ProducerDoor): void {
  app.get('/api/org/team', async (c) => {
    const { caller } = await door.sessionOrBearer(c)
    const { members, invitations } = await listTeam(ctx, caller)
    return c.json({
      members: members.map(({ userId, email, name, role, joinedAt }) => {
        return { user_id: userId, email, name, role, joined_at: joinedAt.toISOString() }
      }),
      invitations: invitations.map(({ id, email, role, expiresAt }) => {
        return { id, email, role, expires_at: expiresAt.toISOString() }
      }),
    })
  })

  app.patch('/api/org/team', async (c) => {
    const deed = await door.sessionOrBearer(c)
    const { outcome, linkTokensRevoked } = await setTeamMember(ctx, deed, await readJson(c, TeamMemberBody))
    return c.json({ ok: true, invited: outcome === 'invited', link_tokens_revoked: linkTokensRevoked })
  })

  app.post('/api/org/leave', async (c) => {
    const deed = await door.sessionOnly(c)
    const { org_id: orgId } = await readJson(c, LeaveBody)
    await leaveOrg(ctx, deed, orgId)
    return c.json({ ok: true })
  })

  app.post('/api/org/invitations/accept', async (c) => {
    const deed = await door.sessionOnly(c)
    const { token } = await readJson(c, AcceptBody)
    const { orgId, role } = await acceptInvitation(ctx, deed, token)
    return c.json({ org_id: orgId, role })
  })
}
