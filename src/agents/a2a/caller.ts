/**
 * Who is calling: a stranger, or whoever the bearer token speaks for. A token is optional, but one that is sent must be
 * good; a caller who meant to act as somebody never silently acts as a stranger. Tokens are those of the tool server
 * (RFC 8707): the two faces are one service, and one consent covers both.
 */
import type { Visit } from '../../accounts/context.ts'
import { protectedResourceChallenge } from '../../oauth/metadata.ts'
import { toolServerResource } from '../../oauth/resources.ts'
import type { A2aCaller, A2aContext } from './context.ts'

/** The challenge is for the WWW-Authenticate header of a refusal. */
export type Admission = { caller: A2aCaller } | { challenge: string }

export async function admit(
  ctx: Pick<A2aContext, 'findAccessToken' | 'config'>,
  { authorization, visit }: { authorization: string | undefined; visit: Visit },
): Promise<Admission> {
  if (authorization === undefined) return { caller: { user: null, clientId: null, visit } }
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  const found = token === undefined ? null : await ctx.findAccessToken(token)
  const resource = toolServerResource(ctx.config.mcpUrl)
  // A token bound to no resource is good for all that its scope names.
  if (!found || (found.resource !== null && found.resource !== resource))
    return {
      challenge: protectedResourceChallenge({ resource }, `${new URL(resource).pathname}/`, {
        code: 'invalid_token',
        description: 'the token is not valid, has expired or is for another service',
      }),
    }
  return { caller: { user: found.user, clientId: found.clientId, visit } }
}
