/** The JSON-RPC envelope (2.0), read before anything in it is believed. Batches are not part of A2A. */
import { type RpcError, type RpcId, rpcError } from './errors.ts'

export type Envelope = { id: RpcId; method: string; request: Record<string, unknown> }

/** It is said again with every answer, and a stream has hundreds of them: a long one would be sent back as often. */
const MAX_ID = 1_000

/** Whoever reads it, here or in the protocol library, goes one call deeper for each level, and calls have an end. */
const MAX_DEPTH = 100

export function readEnvelope(body: Uint8Array): Envelope | RpcError {
  let request: unknown
  try {
    request = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return rpcError(null, -32700, 'the body is not valid JSON')
  }
  if (Array.isArray(request))
    return rpcError(null, -32600, 'batches are not taken; send one request at a time')
  if (!isObject(request)) return rpcError(null, -32600, 'the body must be a JSON-RPC request object')
  if (isDeeper(request, MAX_DEPTH))
    return rpcError(null, -32600, `the body is nested more than ${MAX_DEPTH} levels deep`)
  const { jsonrpc, method, id = null } = request
  if (!isId(id))
    return rpcError(null, -32600, `id must be a text of at most ${MAX_ID} characters, a whole number or null`)
  if (jsonrpc !== '2.0') return rpcError(id, -32600, 'jsonrpc must be "2.0"')
  if (typeof method !== 'string' || method === '') return rpcError(id, -32600, 'method must be a text')
  return { id, method, request }
}

/** Either version has it in `params` or in their configuration, by one of two names; null counts as not given. */
export function hasWrongHistoryLength(params: unknown): boolean {
  if (!isObject(params)) return false
  const places = [params, params.configuration].filter(isObject)
  return places
    .flatMap((place) => [place.historyLength, place.history_length])
    .some((length) => length !== undefined && length !== null && !isCount(length))
}

function isCount(value: unknown): boolean {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return Number.isInteger(number) && (number as number) >= 0
}

/** Level by level, without going deeper itself. */
function isDeeper(value: object, levels: number): boolean {
  let level: object[] = [value]
  for (let depth = 0; depth < levels; depth++) {
    level = level.flatMap((one) => Object.values(one).filter((inner) => typeof inner === 'object' && inner))
    if (level.length === 0) return false
  }
  return true
}

function isId(id: unknown): id is RpcId {
  return id === null || (typeof id === 'string' && id.length <= MAX_ID) || Number.isInteger(id)
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
