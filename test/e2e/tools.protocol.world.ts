/** Messages of both families of the protocol to the tool server, for tests of the protocol itself. */
import { createToolsWorld } from '../tools.world.ts'

export const MODERN = '2026-07-28'
export const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

export type Rpc = {
  jsonrpc: string
  id: unknown
  result?: Record<string, unknown>
  error?: { code: number; message: string; data?: Record<string, unknown> }
}

export const ask = (method: string, params?: Record<string, unknown>, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params && { params }),
})

export async function createProtocolWorld() {
  const world = await createToolsWorld()
  const consumer = await world.person()
  const producer = await world.person({ producer: true })

  async function legacy(message: unknown, headers: Record<string, string> = {}, token = consumer.token) {
    const response = await world.rpc(token, message, headers)
    const text = await response.text()
    return { status: response.status, body: (text ? JSON.parse(text) : null) as Rpc }
  }

  function modern(
    method: string,
    params: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ) {
    const named: Record<string, string> = typeof params.name === 'string' ? { 'mcp-name': params.name } : {}
    return legacy(ask(method, { ...params, _meta: META }), {
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...named,
      ...headers,
    })
  }

  return { ...world, consumer, producer, legacy, modern }
}
