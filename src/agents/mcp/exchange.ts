/** One message on its way to a method: who sent it, in which family of the protocol, and how to say something before the end. */
import type { AccessTokenActor } from '../../accounts/actor.ts'
import type { Visit } from '../../accounts/context.ts'
import type { Family } from './offered.ts'
import type { RpcMessage } from './protocol.ts'

export type Notify = (method: string, params: Record<string, unknown>) => void

/** Family, version and what a batch takes away are filled in on the way. */
export type Exchange = {
  family: Family
  /** Of the protocol, as the message or its header names it. */
  version: string
  actor: AccessTokenActor
  visit: Visit
  /** Aborted when the client has gone or the node stops. Made when somebody asks: most tools do not. */
  signal(): AbortSignal
  /** Ahead of the result, on a stream; null for a client that reads none. */
  notify: Notify | null
  /** One of several messages in one request. */
  inBatch: boolean
  header(name: string): string | undefined
  logFault(error: unknown): void
}

/** Gives the result as JSON, or throws an RpcError. */
export type Method = (message: RpcMessage, exchange: Exchange) => string | Promise<string>
export type Methods = Record<Family, ReadonlyMap<string, Method>>
