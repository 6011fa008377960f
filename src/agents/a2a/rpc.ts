/** The JSON-RPC envelope (2.0), read before anything in it is believed. Batches are not part of A2A. */
import { type RpcError, type RpcId, rpcError } from './errors.ts'

export type Envelope = { id: RpcId; method: string; request: Record<string, unknown> }

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
  const { jsonrpc, method, id = null } = request
  if (!isId(id)) return rpcError(null, -32600, 'id must be a text, a whole number or null')
  if (jsonrpc !== '2.0') return rpcError(id, -32600, 'jsonrpc must be "2.0"')
  if (typeof method !== 'string' || method === '') return rpcError(id, -32600, 'method must be a text')
  return { id, method, request }
}

function isId(id: unknown): id is RpcId {
  return id === null || typeof id === 'string' || Number.isInteger(id)
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
