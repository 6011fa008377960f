/**
 * The protocol library's own server with the same tools, put together the way its documentation says: a fresh McpServer
 * for each request, both families of the protocol. It shares nothing with our dispatch but the tools themselves and who
 * is calling, so that where both say the same, it is the protocol that says so.
 */
import { getRequestListener } from '@hono/node-server'
import { createMcpHandler, McpServer, type ServerContext } from '@modelcontextprotocol/server'
import { afterAll } from 'vitest'
import type { AccessTokenActor } from '../../src/accounts/actor.ts'
import { bearerToken } from '../../src/agents/bearer.ts'
import type { AgentsContext } from '../../src/agents/context.ts'
import { INSTRUCTIONS } from '../../src/agents/mcp/methods.ts'
import { LIST_TTL_MS } from '../../src/agents/mcp/offered.ts'
import { SERVER_INFO } from '../../src/agents/mcp/protocol.ts'
import { TOOLS } from '../../src/agents/mcp/registry.ts'
import { findAccessToken } from '../../src/oauth/tokens.service.ts'
import type { Tool, ToolCall } from '../../src/tools/define-tool.ts'
import { listenOn, type SampleWorld } from '../e2e/tools.live.ts'

/** Answers with its address. */
export async function serveOracle({ tools, oauth }: SampleWorld): Promise<string> {
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const actor = authInfo?.extra?.actor as AccessTokenActor | undefined
      if (!actor) throw new Error('nobody is calling')
      return createServerFor(actor, tools.context)
    },
    { keepAliveMs: 0 },
  )
  afterAll(() => handler.close())
  const origin = await listenOn(
    getRequestListener(async (request) => {
      const token = bearerToken(request.headers.get('authorization') ?? '')
      const actor = token === null ? null : await findAccessToken(oauth, token)
      if (token === null || !actor) return new Response(null, { status: 401 })
      const authInfo = { token, clientId: actor.clientId, scopes: [actor.scope], extra: { actor } }
      return handler.fetch(request, { authInfo })
    }),
  )
  return `${origin}/mcp`
}

function createServerFor(actor: AccessTokenActor, ctx: AgentsContext): McpServer {
  const server = new McpServer(SERVER_INFO, {
    instructions: INSTRUCTIONS,
    cacheHints: {
      'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
      'server/discover': { ttlMs: LIST_TTL_MS, cacheScope: 'public' },
    },
  })
  for (const tool of TOOLS)
    if (tool.audience === 'everyone' || actor.user.accountType === 'producer')
      server.registerTool(tool.name, describe(tool), async (input: unknown, request: ServerContext) => {
        const { text, data } = await tool.run(ctx, toCall(actor, request), input)
        return { content: [{ type: 'text', text }], structuredContent: data }
      })
  return server
}

function describe({ title, description, input, output, effects, openWorld = false }: Tool<AgentsContext>) {
  const { readOnly } = effects
  const hints = readOnly ? {} : { destructiveHint: effects.destructive, idempotentHint: effects.idempotent }
  return {
    title,
    description,
    inputSchema: input,
    outputSchema: output,
    annotations: { readOnlyHint: readOnly, ...hints, openWorldHint: openWorld },
  }
}

function toCall(caller: AccessTokenActor, { mcpReq }: ServerContext): ToolCall {
  const progressToken = mcpReq._meta?.progressToken
  return {
    caller,
    visit: { ip: '127.0.0.1', userAgent: null, requestId: null },
    signal: () => mcpReq.signal,
    progress({ done, total, message }) {
      if (progressToken === undefined) return
      const params = { progressToken, progress: done, total, message }
      void mcpReq.notify({ method: 'notifications/progress', params })
    },
  }
}
