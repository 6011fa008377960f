import { classifyInboundRequest } from '@modelcontextprotocol/server'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { classify } from './dispatch.ts'

const method = fc.constantFrom('ping', 'tools/list', 'tools/call', 'initialize', 'server/discover', '')
const meta = fc.oneof(
  fc.constant({}),
  fc.constant({ progressToken: 1 }),
  fc.constant({
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }),
  fc.jsonValue(),
)
const params = fc.oneof(
  fc.constant(undefined),
  fc.record({ name: fc.string(), arguments: fc.object({ maxDepth: 1 }) }, { requiredKeys: [] }),
  fc.record({ _meta: meta }),
  fc.jsonValue(),
)
const message = fc.record(
  {
    jsonrpc: fc.constantFrom<unknown>('2.0', '2.0', '2.0', '1.0', 2),
    id: fc.oneof(fc.integer(), fc.string(), fc.double(), fc.constant(null), fc.constant({})),
    method: fc.oneof(method, method, fc.jsonValue()),
    params,
    result: fc.constant({}),
    extra: fc.jsonValue(),
  },
  { requiredKeys: ['jsonrpc', 'method'] },
)
const version = fc.constantFrom(undefined, '2025-11-25', '2024-11-05', '2026-07-28', ' 2025-11-25', 'x', '')

test('whatever is told without the library’s classifier, it would have told the same', () => {
  fc.assert(
    fc.property(fc.oneof(message, message, fc.jsonValue()), version, (raw, protocolVersionHeader) => {
      // As it comes over the wire: what is undefined is not there.
      const body: unknown = JSON.parse(JSON.stringify(raw))
      const headers: Record<string, string | undefined> = { 'mcp-protocol-version': protocolVersionHeader }
      const ours = classify(body, (name) => headers[name])
      const theirs = classifyInboundRequest({ httpMethod: 'POST', protocolVersionHeader, body })
      const core = ({ kind, reason }: { kind: string; reason?: string }) => ({ kind, reason })
      expect(core(ours)).toEqual(core(theirs))
    }),
    { numRuns: 1_000 },
  )
})
