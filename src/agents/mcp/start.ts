/** Puts the tool server together for one node: the tools with all they need, who may come in, and how often. */
import { createImportSweepJob } from '../../catalog/imports.job.ts'
import { createProductReadsSweep } from '../../catalog/product-reads.ts'
import type { Job } from '../../jobs/runner.ts'
import type { OauthContext } from '../../oauth/context.ts'
import { createRememberedTokens } from '../../oauth/remembered-tokens.ts'
import { findTokenOwner } from '../../oauth/tokens.service.ts'
import type { AgentsContext } from '../context.ts'
import { connectorFetch, connectorSearch } from './connector.tools.ts'
import type { ToolFaces } from './mcp.routes.ts'
import { createMethods, INSTRUCTIONS } from './methods.ts'
import { type Offer, offerTools } from './offered.ts'
import { createToolQuota, createToolSweep } from './quota.ts'
import { offerRegistry, offerToolset, TOOLS, TOOLSETS, type Toolset } from './registry.ts'
import { createGuard, createToolServer, type ToolServer } from './server.ts'

type ToolsRuntime = {
  context: AgentsContext
  faces: ToolFaces
  jobs: Job[]
  /** An access token was revoked somewhere. */
  forgetTokens(): void
  stop(): Promise<void>
}

export function createToolsRuntime(
  context: AgentsContext,
  {
    oauth,
    hearsOfTokens,
  }: {
    oauth: OauthContext
    /** Whether this node hears of revoked tokens, so that it may remember good ones for a moment. */
    hearsOfTokens: boolean
  },
): ToolsRuntime {
  const { config, findAccessToken, reads } = context
  const quota = createToolQuota(oauth)
  const tokens = createRememberedTokens(oauth)
  const shared = {
    guard: createGuard(config),
    quota,
    resource: oauth.resource,
    instead: `Until then ${config.baseUrl}/llms.txt, product pages (add .md) and POST ${config.baseUrl}/api/search/ need no token.`,
    findToken: hearsOfTokens ? (token: string) => tokens.peek(token) ?? tokens.find(token) : findAccessToken,
    findOwner: (token: string) => findTokenOwner(oauth, token),
  }
  const serve = (offer: Offer<AgentsContext>, instructions: string, { onlyTools = false } = {}) =>
    createToolServer({ ...shared, methods: createMethods(context, offer, { instructions, onlyTools }) })
  const serveSet = (name: Toolset) =>
    serve(offerToolset(name), `${INSTRUCTIONS}\nHere are ${TOOLSETS[name].about}; all are at /mcp/.`)
  const serveWithFixtures = async () => {
    const { createMethodsWithFixtures } = await import('../../../test/kits/mcp/mount.ts')
    const methods = createMethodsWithFixtures(context, TOOLS, { instructions: INSTRUCTIONS })
    return createToolServer({ ...shared, methods, talkative: true })
  }
  return {
    context,
    faces: {
      tools: config.testFixtures ? soon(serveWithFixtures()) : serve(offerRegistry(), INSTRUCTIONS),
      connector: serve(
        offerTools([connectorSearch, connectorFetch]),
        'search finds products, fetch returns one full profile.',
        { onlyTools: true },
      ),
      shopping: serveSet('shopping'),
      selling: serveSet('selling'),
      readonly: serveSet('readonly'),
    },
    jobs: [createToolSweep(context), createProductReadsSweep(context), createImportSweepJob(context)],
    forgetTokens: tokens.forget,
    async stop() {
      await Promise.all([quota.stop(), reads.settled()])
    },
  }
}

/** A server that is still being made. */
function soon(made: Promise<ToolServer>): ToolServer {
  return { handle: async (request) => (await made).handle(request) }
}
