/** The words of the protocol that both families share: names, versions, error codes, and how an answer is written out. */

import type { AccessTokenActor } from '../../accounts/actor.ts'
import type { Visit } from '../../accounts/context.ts'
import { isRecord } from '../../lib/validate.ts'
import type { Family } from './offered.ts'

export const LEGACY_VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']
export const LATEST_LEGACY = '2025-11-25'
export const MODERN_VERSION = '2026-07-28'

export const SERVER_INFO = { name: 'souk', title: 'Souk', version: '1.0.0' }

export const CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** Of the 2026-07-28 revision. */
  headerMismatch: -32020,
  unsupportedVersion: -32022,
  /** Ours, outside of what JSON-RPC reserves. */
  quotaExceeded: 29429,
} as const

export type RpcId = string | number | null
export type RpcMessage = { id?: RpcId; method: string; params?: Record<string, unknown> }

/** Thrown by methods; `status` is for the families that tell errors by HTTP too. */
export class RpcError extends Error {
  readonly code: number
  readonly status: number
  readonly data: unknown

  constructor(
    code: number,
    message: string,
    { status = 200, data }: { status?: number; data?: unknown } = {},
  ) {
    super(message)
    this.name = 'RpcError'
    this.code = code
    this.status = status
    this.data = data
  }
}

/** `result` is JSON already: most of it was written out before anybody asked. */
export function resultText(id: RpcId | undefined, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id ?? null)},"result":${result}}`
}

export function errorText(
  id: RpcId | undefined,
  error: { code: number; message: string; data?: unknown },
): string {
  const { code, message, data } = error
  const written = JSON.stringify({ code, message, ...(data !== undefined && { data }) }, wellFormed)
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id ?? null)},"error":${written}}`
}

/** An error may repeat a name as it was sent, and strict readers take no JSON with half a surrogate pair in it. */
function wellFormed(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value
}

const LONGEST_TOKEN = 200

/** What notifications of progress are sent under; every one repeats it, so one that is very long is passed over. */
export function progressTokenOf(params: unknown): string | number | undefined {
  const token = isRecord(params) && isRecord(params._meta) ? params._meta.progressToken : undefined
  if (typeof token === 'number') return token
  return typeof token === 'string' && token.length <= LONGEST_TOKEN ? token : undefined
}

/** One message on its way to a method: who sent it, in which family of the protocol, and how to say something before the end. */
export type Notify = (method: string, params: Record<string, unknown>) => void

/** Family, version and what a batch takes away are filled in on the way. */
export type Exchange = {
  family: Family
  /** Of the protocol, as the message or its header names it. */
  version: string
  actor: AccessTokenActor
  /** Of the day's requests, after this one. */
  remaining: number
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
