/**
 * One request to the A2A face on its way through the protocol library: who calls, in which protocol, and when they hang
 * up. The library hands our handler its own context object; this travels in that object's state. The handler notes here
 * what the library's error envelope has no room for.
 */
import { ServerCallContext } from '@a2a-js/sdk/server'
import type { Person } from '../../accounts/actor.ts'
import type { Visit } from '../../accounts/context.ts'
import type { A2aProtocol } from '../../db/tables.ts'
import { toolServerResource } from '../../oauth/resources.ts'
import type { Asker } from '../../rfq/rfq.service.ts'
import { badTokenChallenge, findBearer } from '../bearer.ts'
import type { AgentsContext } from '../context.ts'

export type A2aCaller = {
  /** Null for a stranger. */
  user: Person | null
  clientId: string | null
  /** What the client calls itself; for a stranger by its user agent, if it names one. */
  agent: string
  visit: Visit
}

export type Call = {
  caller: A2aCaller
  protocol: A2aProtocol
  /** Aborted when the client has gone. */
  signal: AbortSignal
  /** The library has understood the parameters: an error from now on is ours, one before it is the client's. */
  reached: boolean
  /** When trying again makes sense, in case the answer is a refusal. */
  retryAfterSeconds?: number
  /** Tells the log; the client learns nothing of it. */
  logFault(error: unknown): void
}

const KEY = 'souk.call'

export function toCallContext(call: Call): ServerCallContext {
  return new ServerCallContext({ requestedVersion: call.protocol, state: new Map([[KEY, call]]) })
}

export function callOf(context: ServerCallContext): Call {
  const call = context.state.get(KEY)
  if (call === undefined) throw new Error('a call without its state')
  return call as Call
}

export function userIdOf({ caller }: Call): string | null {
  return caller.user?.id ?? null
}

export function askerOf({ caller }: Call): Asker {
  return { userId: caller.user?.id ?? null, clientId: caller.clientId, face: 'a2a', visit: caller.visit }
}

/** The challenge is for the WWW-Authenticate header of a refusal. */
type Admission = { caller: A2aCaller } | { challenge: string }

/**
 * A stranger, or the person that the bearer token speaks for. A token is optional, but one that is sent must be good: a
 * caller who meant to act as somebody never silently acts as a stranger.
 */
export async function admit(
  ctx: Pick<AgentsContext, 'findAccessToken' | 'config'>,
  { authorization, visit }: { authorization: string | undefined; visit: Visit },
): Promise<Admission> {
  if (authorization === undefined)
    return { caller: { user: null, clientId: null, agent: visit.userAgent ?? 'unknown', visit } }
  const resource = toolServerResource(ctx.config.mcpUrl)
  const found = await findBearer({ ...ctx, resource }, authorization)
  if (!found) return { challenge: badTokenChallenge(resource, `${new URL(resource).pathname}/`) }
  return { caller: { user: found.user, clientId: found.clientId, agent: found.clientName, visit } }
}
