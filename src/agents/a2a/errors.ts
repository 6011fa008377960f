/**
 * From our errors to those of A2A. The protocol's own codes where it has one; two of ours, from the range JSON-RPC leaves
 * to servers, where it has none. What is not an AppError is a fault of ours: the log hears of it, the client does not.
 */
import {
  A2AError,
  JsonRpcTransportError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors'
import type { A2aProtocol } from '../../db/tables.ts'
import { asAppError, STATUS } from '../../http/error-response.ts'
import { AppError, type ErrorKind } from '../../lib/errors.ts'
import type { Call } from './call.ts'

/** Ours: too many messages, and a token that is not valid. */
const RATE_LIMITED = -32029
export const UNAUTHENTICATED = -32041

/** JSON-RPC errors travel with 200, but for those that HTTP's own clients act upon. */
const INTERNAL = -32603
const HTTP_STATUS: Record<number, 400 | 401 | 429 | 500> = {
  [-32700]: 400,
  [-32600]: 400,
  [-32009]: 400,
  [INTERNAL]: 500,
  [RATE_LIMITED]: 429,
  [UNAUTHENTICATED]: 401,
}

/** 0.3 puts what is wrong with an envelope into the body alone. */
const IN_THE_BODY: ReadonlySet<number> = new Set([-32700, -32600])

/** The protocol has one code for every fault. HTTP has another status for one that passes and says when. */
export function statusOf(
  code: number,
  { passes = false, protocol = '1.0' }: { passes?: boolean; protocol?: A2aProtocol },
): 200 | 400 | 401 | 429 | 500 | 503 {
  if (protocol === '0.3' && IN_THE_BODY.has(code)) return 200
  return code === INTERNAL && passes ? 503 : (HTTP_STATUS[code] ?? 200)
}

export type RpcId = string | number | null
export type RpcError = { jsonrpc: '2.0'; id: RpcId; error: { code: number; message: string; data?: unknown } }

export function rpcError(id: RpcId, code: number, message: string): RpcError {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

/** Ours and the library's may repeat a name as it was sent, and strict readers take no JSON with half a surrogate pair. */
export function wellFormed(error: RpcError): RpcError {
  return { ...error, error: { ...error.error, message: error.error.message.toWellFormed() } }
}

export function taskNotFound(message = 'there is no such task'): TaskNotFoundError {
  return new TaskNotFoundError(message)
}

export function invalidParams(message: string, field?: string): RequestMalformedError {
  return new RequestMalformedError({ message, ...(field !== undefined && { metadata: { field } }) })
}

/** Notifications tell of the end of a request for quote; a question waits for its asker. */
export function notPushable(): PushNotificationNotSupportedError {
  return new PushNotificationNotSupportedError(
    'notifications are only sent for requests for quote; this task is waiting for your answer or has ended',
  )
}

const CALLERS_MISTAKE: ReadonlySet<ErrorKind> = new Set([
  'invalid',
  'not_found',
  'unprocessable',
  'too_large',
])
const NOT_NOW: ReadonlySet<ErrorKind> = new Set(['conflict', 'forbidden', 'unauthenticated'])

/** `not_found` is about what a message names; tasks that are not there are handled before. */
export function toA2aError(error: unknown, call: Call): A2AError {
  if (error instanceof A2AError) return error
  const known = asAppError(error)
  if (STATUS[known.kind] >= 500) call.logFault(error)
  if (CALLERS_MISTAKE.has(known.kind)) return invalidParams(wordsOf(known), known.field)
  if (NOT_NOW.has(known.kind)) return new UnsupportedOperationError(known.message)
  call.retryAfterSeconds = known.retryAfterSeconds
  if (known.kind === 'rate_limited')
    return new JsonRpcTransportError({
      jsonrpc: '2.0',
      id: null,
      error: { code: RATE_LIMITED, message: known.message },
    })
  return new A2AError(known.message)
}

function wordsOf({ message, valid }: AppError): string {
  return valid === undefined || valid.some((value) => message.includes(value))
    ? message
    : `${message}; try ${valid.join(', ')}`
}

/** Somebody else's task and one that never was look the same. */
export async function asTaskNotFound<Result>(work: Promise<Result>, words?: string): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (error instanceof AppError && error.kind === 'not_found') throw taskNotFound(words ?? error.message)
    throw error
  }
}
