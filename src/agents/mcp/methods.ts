/** What the two families of the protocol can be asked, beside calling a tool. */
import { createCallTool } from './call-tool.ts'
import type { ToolsContext } from './context.ts'
import type { Method, Methods } from './exchange.ts'
import { type Family, LIST_TTL_MS, MODERN_META, type Offer } from './offered.ts'
import { CODES, LATEST_LEGACY, LEGACY_VERSIONS, MODERN_VERSION, RpcError, SERVER_INFO } from './protocol.ts'

export function createMethods(
  ctx: ToolsContext,
  offer: Offer<ToolsContext>,
  {
    instructions,
    capabilities = { legacy: { tools: {} }, modern: { tools: {} } },
  }: { instructions: string; capabilities?: Record<Family, Record<string, unknown>> },
): Methods {
  const listTools: Method = ({ params = {} }, { family, actor }) => {
    // Everything is on the first page, so there is no cursor that could be one of ours.
    if (params.cursor != null && params.cursor !== '')
      throw new RpcError(CODES.invalidParams, 'params.cursor: is not one of ours')
    return offer.list(family, actor.user.accountType === 'producer')
  }
  const callTool = createCallTool(ctx, offer)
  const shared: Array<[string, Method]> = [
    ['tools/list', listTools],
    ['tools/call', callTool],
  ]
  const discovery = JSON.stringify({
    resultType: 'complete',
    supportedVersions: [MODERN_VERSION],
    capabilities: capabilities.modern,
    instructions,
    ttlMs: LIST_TTL_MS,
    cacheScope: 'public',
    _meta: MODERN_META,
  })
  const initialize: Method = ({ params = {} }) => {
    const { protocolVersion } = params
    if (typeof protocolVersion !== 'string')
      throw new RpcError(CODES.invalidParams, 'params.protocolVersion: a text is required')
    return JSON.stringify({
      protocolVersion: LEGACY_VERSIONS.includes(protocolVersion) ? protocolVersion : LATEST_LEGACY,
      capabilities: capabilities.legacy,
      serverInfo: SERVER_INFO,
      instructions,
    })
  }
  return {
    legacy: new Map([...shared, ['initialize', initialize], ['ping', () => '{}']]),
    modern: new Map([...shared, ['server/discover', () => discovery]]),
  }
}
