/**
 * Who is calling: a stranger, or whoever the bearer token speaks for. A token is optional, but one that is sent must be
 * good; a caller who meant to act as somebody never silently acts as a stranger.
 */
import type { Visit } from '../../accounts/context.ts'
import { toolServerResource } from '../../oauth/resources.ts'
import { badTokenChallenge, findBearer } from '../bearer.ts'
import type { A2aCaller, A2aContext } from './context.ts'

/** The challenge is for the WWW-Authenticate header of a refusal. */
type Admission = { caller: A2aCaller } | { challenge: string }

export async function admit(
  ctx: Pick<A2aContext, 'findAccessToken' | 'config'>,
  { authorization, visit }: { authorization: string | undefined; visit: Visit },
): Promise<Admission> {
  if (authorization === undefined)
    return { caller: { user: null, clientId: null, agent: visit.userAgent ?? 'unknown', visit } }
  const resource = toolServerResource(ctx.config.mcpUrl)
  const found = await findBearer({ ...ctx, resource }, authorization)
  if (!found) return { challenge: badTokenChallenge(resource, `${new URL(resource).pathname}/`) }
  return { caller: { user: found.user, clientId: found.clientId, agent: found.clientName, visit } }
}
