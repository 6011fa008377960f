/**
 * The 2026-07-28 revision repeats in headers what the body says, so that proxies can route without reading it; a request
 * whose headers are missing or say something else is refused. The library's classifier compares what is there; this
 * asks for what must be there, the parameters included that a tool's schema marks with `x-mcp-header`.
 */
import type { JsonSchema } from './offered.ts'
import { CODES, RpcError, type RpcMessage } from './protocol.ts'

const ENCODED = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/
const DECIMAL = /^-?\d+(?:\.\d+)?$/
const NAMED_BY: Record<string, string> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
}

type Mirrored = { param: string; header: string }

export function requireHeaders(message: RpcMessage, header: (name: string) => string | undefined): void {
  for (const name of ['MCP-Protocol-Version', 'Mcp-Method'])
    if (header(name.toLowerCase()) === undefined) throw mismatch(`the header ${name} is missing`)
  const field = Object.hasOwn(NAMED_BY, message.method) ? NAMED_BY[message.method] : undefined
  if (field === undefined) return
  const named = message.params?.[field]
  const said = header('mcp-name')
  if (typeof named !== 'string') return
  if (said === undefined) throw mismatch('the header Mcp-Name is missing')
  if (decodeHeader(said.trim()) !== named)
    throw mismatch(`the header Mcp-Name does not match params.${field}`)
}

/** The parameters of a tool that are repeated in headers, by their schema. */
export function mirroredParams({ properties = {} }: JsonSchema): Mirrored[] {
  return Object.entries(properties).flatMap(([param, schema]) => {
    const suffix = schema['x-mcp-header']
    return typeof suffix === 'string' ? [{ param, header: `Mcp-Param-${suffix}` }] : []
  })
}

/** What is not given is not looked for in the headers either. */
export function requireMirrored(
  mirrored: readonly Mirrored[],
  given: Record<string, unknown>,
  header: (name: string) => string | undefined,
): void {
  for (const { param, header: name } of mirrored) {
    const value = given[param]
    if (value === undefined || value === null) continue
    const said = header(name.toLowerCase())
    if (said === undefined) throw mismatch(`the header ${name} is missing`)
    if (!isSame(decodeHeader(said.trim()), value))
      throw mismatch(`the header ${name} does not match params.arguments.${param}`)
  }
}

/** Numbers by their value: 42 may be written 42.0. */
function isSame(said: string | null, value: unknown): boolean {
  if (said !== null && typeof value === 'number') return DECIMAL.test(said) && Number(said) === value
  return said === String(value)
}

/** As it is, or undone if it is encoded; null when the encoding is broken. */
function decodeHeader(value: string): string | null {
  if (!value.startsWith('=?base64?') || !value.endsWith('?=')) return value
  const encoded = ENCODED.exec(value)?.[1]
  if (encoded === undefined || encoded.length % 4 !== 0) return null
  const bytes = Buffer.from(encoded, 'base64')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

function mismatch(what: string): RpcError {
  return new RpcError(CODES.headerMismatch, `Header mismatch: ${what}`, { status: 400 })
}
