/**
 * One request to the A2A face on its way through the protocol library: who calls, in which protocol, and when they hang
 * up. The library hands our handler its own context object; this travels in that object's state. The handler notes here
 * what the library's error envelope has no room for.
 */
import { ServerCallContext } from '@a2a-js/sdk/server'
import type { A2aProtocol } from '../../db/tables.agents.ts'
import type { Asker } from '../../rfq/rfq.service.ts'
import type { A2aCaller } from './context.ts'

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
