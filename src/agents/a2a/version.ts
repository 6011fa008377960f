/**
 * Which protocol a request speaks. The `A2A-Version` header decides, or the query parameter of the same name, which the
 * protocol allows where headers cannot be set. Without either the method's name decides, since the two versions share
 * none: clients of 0.3 have never heard of the header. An empty value counts as none.
 */
import { isLegacyJsonRpcMethod, isV1JsonRpcMethod } from '@a2a-js/sdk/compat/v0_3'
import type { A2aProtocol } from '../../db/tables.agents.ts'

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
