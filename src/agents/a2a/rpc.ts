/** The JSON-RPC envelope (2.0), read before anything in it is believed. Batches are not part of A2A. */
import { readBoundedJson } from '../../lib/bounded-json.ts'
import { type RpcError, type RpcId, rpcError } from './errors.ts'

export type Envelope = { id: RpcId; method: string; request: Record<string, unknown> }

/** It is said again with every answer, and a stream has hundreds of them: a long one would be sent back as often. */
const MAX_ID = 1_000

export function readEnvelope(body: Buffer): Envelope | RpcError {
  const read = readBoundedJson(body)
  if ('flaw' in read) return rpcError(null, -32600, read.flaw)
  if ('notJson' in read) return rpcError(null, -32700, 'the body is not valid JSON')
  const request = read.value
  if (Array.isArray(request))
    return rpcError(null, -32600, 'batches are not taken; send one request at a time')
  if (!isObject(request)) return rpcError(null, -32600, 'the body must be a JSON-RPC request object')
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

function isId(id: unknown): id is RpcId {
  return id === null || (typeof id === 'string' && id.length <= MAX_ID) || Number.isInteger(id)
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
