/** The tool server: every tool by its own schema, and the protocol around it, of both families. */
import type { Maker, Turn } from './attempt.ts'
import { type Caller, callerFor } from './callers.ts'
import { fuzzed, type Good } from './making.ts'
import { fill, type Schema } from './schema.ts'

export type ToolOffer = { name: string; inputSchema: Schema }

const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']
const METHODS = [
  'initialize',
  'ping',
  'tools/list',
  'notifications/initialized',
  'notifications/cancelled',
  'resources/list',
  'resources/read',
  'prompts/list',
  'completion/complete',
  'logging/setLevel',
  'server/discover',
  'tasks/get',
  'subscriptions/listen',
  'sampling/createMessage',
  'no/such',
  '__proto__',
  'constructor',
]
/** Each asks several shops and waits for them: a few are enough. */
const SLOW = new Set(['find_retailers'])
const SLOW_SHARE = 0.1

export function createToolsMaker(offers: readonly ToolOffer[]): Maker {
  const all = offers.map(({ name }) => name)

  function call(turn: Turn, caller: Caller, id: unknown): Record<string, unknown> {
    let offer = turn.pick(offers)
    while (SLOW.has(offer.name) && !turn.chance(SLOW_SHARE)) offer = turn.pick(offers)
    const { inputSchema, name } = offer
    const follow = (ref: string) =>
      (inputSchema.$defs as Record<string, Schema> | undefined)?.[ref.split('/').at(-1) ?? '']
    const filling = { turn, sells: caller.sells, follow }
    return {
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: fill(filling, inputSchema) },
    }
  }

  function protocol(turn: Turn): Record<string, unknown> {
    const method = turn.pick(METHODS)
    const params = {
      protocolVersion: turn.pick(VERSIONS),
      capabilities: {},
      clientInfo: { name: 'fuzz', version: '1' },
      cursor: 'x',
      name: turn.pick(all),
      uri: 'souk://products/a',
      _meta: { progressToken: 1 },
    }
    return {
      jsonrpc: '2.0',
      ...(!method.startsWith('notifications/') && { id: 1 }),
      method,
      ...(turn.chance(0.8) && { params }),
    }
  }

  function make(turn: Turn): Good {
    const caller = callerFor(turn, '/mcp', ["producer's agent", "producer's agent", 'agent'])
    const ids = [1, 'a', 0, -5, 'x'.repeat(300), 2 ** 53]
    const draw = turn.random()
    const about = draw < 0.75 ? call(turn, caller, turn.pick(ids)) : protocol(turn)
    const batch = draw > 0.96
    const modern = turn.chance(0.15)
    return {
      face: 'tools',
      operation: `tools ${batch ? 'batch' : about.method === 'tools/call' ? String((about.params as { name: string }).name) : about.method}`,
      method: 'POST',
      path: turn.pick(['/mcp/', '/mcp', '/mcp/', '/sse/', '/mcp/connector/']),
      caller,
      headers: {
        accept: turn.pick([
          'application/json, text/event-stream',
          'application/json',
          'text/event-stream',
          '*/*',
        ]),
        ...(turn.chance(0.5) && { 'mcp-protocol-version': turn.pick(VERSIONS) }),
        ...(modern && modernHeaders(about)),
      },
      json: batch ? [about, call(turn, caller, 2), protocol(turn)] : modern ? asModern(about) : about,
    }
  }

  return { face: 'tools', weight: 26, run: (turn) => turn.send(fuzzed(turn, make(turn))) }
}

const MODERN = '2026-07-28'

function modernHeaders({ method, params }: Record<string, unknown>): Record<string, string> {
  const { name } = (params ?? {}) as { name?: string }
  return {
    'mcp-protocol-version': MODERN,
    'mcp-method': String(method),
    ...(name !== undefined && { 'mcp-name': name }),
  }
}

/** The newer family says who it is in every request. */
function asModern(message: Record<string, unknown>): Record<string, unknown> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return { ...message, params: { ...((message.params as object | undefined) ?? {}), _meta } }
}
