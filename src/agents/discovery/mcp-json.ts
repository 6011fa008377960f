/**
 * The tool server on paper. `/.well-known/mcp.json` has everything that somebody wants to know before they connect: every
 * tool as tools/list describes it, who sees it, how to sign in, what to paste into which client. The server card (SEP-2127)
 * is the standard's own short form, which leaves the tools to the connection; it stands at the path that the standard
 * reserves, `{endpoint}/server-card`, and at the well-known one of its earlier drafts.
 */
import { hostNameOf } from '../../config.ts'
import { RESOURCE_METADATA } from '../../oauth/metadata.ts'
import { SCOPE } from '../../oauth/oauth.schema.ts'
import { connectorFetch, connectorSearch } from '../mcp/connector.tools.ts'
import { INSTRUCTIONS } from '../mcp/methods.ts'
import { LEGACY_VERSIONS, MODERN_VERSION, SERVER_INFO } from '../mcp/protocol.ts'
import { REQUESTS_A_DAY } from '../mcp/quota.ts'
import { offerRegistry, offerToolset, TOOLSETS, type Toolset } from '../mcp/registry.ts'
import { clientBlocks, toolAddresses } from './clients.ts'

type Site = { baseUrl: string; mcpUrl: string }

export const SERVER_CARD_TYPE = 'application/mcp-server-card+json'
export const SERVER_CARD_SUFFIX = '/server-card'
/** At most 100 characters, says the card's schema. */
export const SHORT_DESCRIPTION =
  'Product search, comparison, offers and binding quotes from sellers, for agents that shop.'
const CARD_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'
const TRANSPORT = 'streamable-http'
/** Newest first, as clients look for the best that they know. */
const VERSIONS = [MODERN_VERSION, ...LEGACY_VERSIONS.toReversed()]

export function writeMcpJson(site: Site): Record<string, unknown> {
  const { baseUrl } = site
  const { tools, olderPath, connector } = toolAddresses(site)
  const offered = [...offerRegistry().byName.values()]
  const seenBy = (audience: string) =>
    offered.filter(({ tool }) => tool.audience === audience).map(({ tool }) => tool.name)
  return {
    ...SERVER_INFO,
    description: SHORT_DESCRIPTION,
    documentation: `${baseUrl}/docs`,
    serverCard: tools + SERVER_CARD_SUFFIX,
    endpoint: tools,
    transport: TRANSPORT,
    protocolVersions: VERSIONS,
    otherEndpoints: [
      { url: olderPath, transport: TRANSPORT, description: 'The same, at the path of an earlier revision' },
      {
        url: connector,
        transport: TRANSPORT,
        description: 'Two read-only tools, for clients that need exactly these',
        tools: [connectorSearch.name, connectorFetch.name],
      },
      ...(Object.keys(TOOLSETS) as Toolset[]).map((name) => ({
        url: `${site.mcpUrl}${TOOLSETS[name].path}`,
        transport: TRANSPORT,
        description: `Of the same tools, ${TOOLSETS[name].about}`,
        tools: [...offerToolset(name).byName.keys()],
      })),
    ],
    authentication: {
      type: 'oauth2.1',
      required: true,
      scopes: [SCOPE],
      resource: tools,
      resourceMetadata: resourceMetadataUrl(tools),
      authorizationServers: [baseUrl],
      authorizationServerMetadata: `${baseUrl}/.well-known/oauth-authorization-server`,
    },
    quota: {
      requests: REQUESTS_A_DAY,
      period: 'UTC day',
      countedBy: 'person, over all their clients',
      headers: ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
    },
    instructions: INSTRUCTIONS,
    clients: clientBlocks(site),
    // Beside the tools, because these are, word for word, what tools/list gives.
    audiences: { everyone: seenBy('everyone'), producers: seenBy('producers') },
    tools: offered.map(({ description }) => description),
  }
}

export function writeServerCard(site: Site): Record<string, unknown> {
  return {
    $schema: CARD_SCHEMA,
    name: `${reverseDomain(publisherOf(site))}/${SERVER_INFO.name}`,
    version: SERVER_INFO.version,
    title: SERVER_INFO.title,
    description: SHORT_DESCRIPTION,
    websiteUrl: site.baseUrl,
    // The connector is another server: a client may take any of these for the same.
    remotes: [{ type: TRANSPORT, url: toolAddresses(site).tools, supportedProtocolVersions: VERSIONS }],
  }
}

/** RFC 9728: the well-known part comes between the host and the path. */
function resourceMetadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource)
  return origin + RESOURCE_METADATA + pathname
}

/** Whose it is, in the letters that URNs and names of servers allow: hosts may have others, such as `_`. */
export function publisherOf({ baseUrl }: { baseUrl: string }): string {
  return hostNameOf(baseUrl).replaceAll(/[^a-z0-9.-]+/g, '-')
}

/** `souk.example.com` is `com.example.souk`. */
function reverseDomain(host: string): string {
  return host.split('.').toReversed().join('.')
}
