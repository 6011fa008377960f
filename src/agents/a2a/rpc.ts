/** The JSON-RPC envelope (2.0), read before anything in it is believed. Batches are not part of A2A. */

import { isLegacyJsonRpcMethod, isV1JsonRpcMethod } from '@a2a-js/sdk/compat/v0_3'
import type { A2aProtocol } from '../../db/tables.ts'
import { readBoundedJson } from '../../lib/bounded-json.ts'
import { isRecord } from '../../lib/validate.ts'
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
    return rpcError(null, -32600, 'batches are not supported; send one request at a time')
  if (!isRecord(request)) return rpcError(null, -32600, 'the body must be a JSON-RPC request object')
  const { jsonrpc, method, id = null } = request
  if (!isId(id))
    return rpcError(null, -32600, `id must be a text of at most ${MAX_ID} characters, a whole number or null`)
  if (jsonrpc !== '2.0') return rpcError(id, -32600, 'jsonrpc must be "2.0"')
  if (typeof method !== 'string' || method === '') return rpcError(id, -32600, 'method must be a text')
  return { id, method, request }
}

/** Either version has it in `params` or in their configuration, by one of two names; null counts as not given. */
export function hasWrongHistoryLength(params: unknown): boolean {
  if (!isRecord(params)) return false
  const places = [params, params.configuration].filter(isRecord)
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

/**
 * Which protocol a request speaks. The `A2A-Version` header decides, or the query parameter of the same name, which the
 * protocol allows where headers cannot be set. Without either the method's name decides, since the two versions share
 * none: clients of 0.3 have never heard of the header. An empty value counts as none.
 */
export const PROTOCOLS = ['1.0', '0.3'] as const satisfies readonly A2aProtocol[]

/** A patch number says nothing about the wire. */
const ASKED = /^(1\.0|0\.3)(?:\.\d+)?$/

/** What was asked for: undefined when nothing was, null when it is a version we do not speak. */
export function readVersion(given: string | undefined): A2aProtocol | null | undefined {
  const text = given?.trim()
  if (!text) return undefined
  const version = ASKED.exec(text)?.[1]
  return PROTOCOLS.find((protocol) => protocol === version) ?? null
}

export function protocolOfMethod(method: string): A2aProtocol {
  return isLegacyJsonRpcMethod(method) ? '0.3' : '1.0'
}

export function knowsMethod(protocol: A2aProtocol, method: string): boolean {
  return protocol === '0.3' ? isLegacyJsonRpcMethod(method) : isV1JsonRpcMethod(method)
}
