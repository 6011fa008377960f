/**
 * The same tools behind other servers, beside a running Souk on its data folder: `tools.ts bare|sdk-v2|sdk-v1 FOLDER`.
 * `bare` is the floor: node:http, a table of tools, the same zod schema, JSON. The others are the protocol's own libraries,
 * one server object for each request, as their documentation says for servers without sessions.
 */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import type { AccessTokenActor } from '../../src/accounts/actor.ts'
import { INSTRUCTIONS } from '../../src/agents/mcp/methods.ts'
import { offerTools } from '../../src/agents/mcp/offered.ts'
import { SERVER_INFO } from '../../src/agents/mcp/protocol.ts'
import { TOOLS } from '../../src/agents/mcp/registry.ts'
import { loadConfig } from '../../src/config.ts'
import { connectDatabase } from '../../src/db/connect.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { createOutbound } from '../../src/lib/outbound.ts'
import { projectFile } from '../../src/lib/paths.ts'
import type { ToolAnswer, ToolCall } from '../../src/tools/define-tool.ts'

const [kind = 'bare', dataDir = ''] = process.argv.slice(2)
const context = await createContext()
const offer = offerTools(TOOLS)

const user = {
  id: '',
  email: '',
  name: '',
  emailVerified: true,
  accountType: 'producer',
  isAdmin: false,
} as const
const caller: AccessTokenActor = {
  kind: 'access_token',
  user,
  clientId: 'bench',
  clientName: 'bench',
  selectedOrgId: null,
  scope: 'mcp',
  resource: null,
}
const call: ToolCall = {
  caller,
  visit: { ip: null, userAgent: null, requestId: null },
  signal: () => new AbortController().signal,
  progress() {},
}

const LISTENERS: Record<string, () => RequestListener> = { bare, 'sdk-v2': sdkV2, 'sdk-v1': sdkV1 }
const server = createServer(LISTENERS[kind]?.() ?? bare())
server.listen(0, '127.0.0.1', () => console.log(`port ${(server.address() as AddressInfo).port}`))
process.on('SIGTERM', () => process.exit(0))

function bare(): RequestListener {
  const list = offer.list('legacy', true)
  const toResult = async (params: { name: string; arguments: unknown }) => {
    const tool = offer.byName.get(params.name)?.tool
    if (!tool) throw new Error('no such tool')
    return JSON.stringify(resultOf(await tool.run(context, call, tool.input.parse(params.arguments))))
  }
  return (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', async () => {
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
      const result = method === 'tools/list' ? list : await toResult(params)
      const body = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`
      response.writeHead(200, {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
      })
      response.end(body)
    })
  }
}

function sdkV2(): RequestListener {
  const handler = createMcpHandler(() => {
    const mcp = new McpServer(SERVER_INFO, { instructions: INSTRUCTIONS })
    for (const tool of TOOLS)
      mcp.registerTool(
        tool.name,
        {
          title: tool.title,
          description: tool.description,
          inputSchema: tool.input,
          outputSchema: tool.output,
        },
        async (input: unknown) => resultOf(await tool.run(context, call, input)),
      )
    return mcp
  })
  return getRequestListener((request) => handler.fetch(request))
}

function sdkV1(): RequestListener {
  return (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', async () => {
      const mcp = new McpServerV1(SERVER_INFO, { instructions: INSTRUCTIONS })
      for (const tool of TOOLS)
        mcp.registerTool(
          tool.name,
          {
            title: tool.title,
            description: tool.description,
            inputSchema: tool.input as never,
            outputSchema: tool.output as never,
          },
          (async (input: unknown) => resultOf(await tool.run(context, call, input))) as never,
        )
      const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
      response.on('close', () => {
        void transport.close()
        void mcp.close()
      })
      await mcp.connect(transport as never)
      await transport.handleRequest(request, response, JSON.parse(Buffer.concat(chunks).toString('utf8')))
    })
  }
}

function resultOf({ text, data }: ToolAnswer) {
  return { content: [{ type: 'text' as const, text }], structuredContent: data }
}

/** From the build: Node runs TypeScript as it is, but no JSX, and a node has pages. */
async function createContext() {
  const built: string = projectFile('dist', 'parts.js')
  const { createParts } = (await import(built)) as typeof import('../../src/parts.ts')
  const log = createLog('error')
  const config = loadConfig({ SOUK_DATA_DIR: dataDir })
  const { db, pool } = await connectDatabase(config, { log, role: 'command' })
  const parts = createParts({
    db,
    pool,
    clock: systemClock,
    log,
    config,
    secret: 'x'.repeat(32),
    outbound: createOutbound({ allow: [] }),
    resolveTxt: async () => [],
    demo: true,
    hearsOfTokens: false,
  })
  await parts.start()
  await parts.search.fill()
  return parts.tools.context
}
