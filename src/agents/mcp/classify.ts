/**
 * Which family of the protocol a request belongs to. The library's classifier decides; what is plainly a request of the
 * older family, as nearly all are today, is told without it, because checking a message against the library's
 * schemas costs as much as everything else on the way to a tool. A test holds the two against each other.
 */
import { classifyInboundRequest, type InboundClassificationOutcome } from '@modelcontextprotocol/server'
import { isRecord, LEGACY_VERSIONS } from './protocol.ts'

const PLAIN: InboundClassificationOutcome = { kind: 'legacy', reason: 'no-claim' }

export function classify(
  body: unknown,
  header: (name: string) => string | undefined,
): InboundClassificationOutcome {
  const version = header('mcp-protocol-version')
  if (isPlain(body) && (version === undefined || LEGACY_VERSIONS.includes(version))) return PLAIN
  return classifyInboundRequest({
    httpMethod: 'POST',
    protocolVersionHeader: version,
    mcpMethodHeader: header('mcp-method'),
    mcpNameHeader: header('mcp-name'),
    body,
  })
}

/** A request with nothing in it that any family gives a meaning of its own. */
function isPlain(body: unknown): boolean {
  if (!isRecord(body) || body.jsonrpc !== '2.0' || typeof body.method !== 'string') return false
  if (body.method === 'initialize') return false
  if (typeof body.id !== 'string' && !Number.isSafeInteger(body.id)) return false
  const { params } = body
  const known = params === undefined ? 3 : 4
  if (Object.keys(body).length !== known) return false
  return params === undefined || (isRecord(params) && !Object.hasOwn(params, '_meta'))
}
