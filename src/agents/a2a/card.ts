/**
 * The agent card: what an agent reads before it talks to us. Made once from the configuration, in three forms. Who asks
 * for a version gets that version's card; who asks for none gets both in one, because readers of 0.3 never ask: each
 * version's readers find their own fields and pass over the others'. Where both use a name for different things (a
 * security scheme), one object carries both readings.
 */
import { AgentCard } from '@a2a-js/sdk'
import type { Context } from 'hono'
import type { Config } from '../../config.ts'
import type { A2aProtocol } from '../../db/tables.ts'
import type { HttpEnv } from '../../http/env.ts'
import { type Prepared, prepare, sendPrepared } from '../../http/prepared.ts'
import { authorizationServerMetadata } from '../../oauth/metadata.ts'
import { SCOPE } from '../../oauth/oauth.schema.ts'
import { readVersion } from './rpc.ts'
import { SKILLS } from './skills/skill.ts'

type CardConfig = Pick<Config, 'baseUrl' | 'mcpUrl'>
type CardForm = A2aProtocol | 'hybrid'

const OAUTH = 'oauth2'
const BINDING = 'JSONRPC'
const SCOPES = { [SCOPE]: "Act for the user's account, here and on the tool server" }
/** Names our pointer to the tool server among a card's extensions. */
const TOOL_SERVER = 'urn:souk:tool-server'

export function createCard({ baseUrl, mcpUrl }: CardConfig): AgentCard {
  const { authorizationUrl, tokenUrl } = oauthUrls(baseUrl)
  return {
    name: 'Souk',
    description:
      'A product catalog and marketplace for agents: find and compare products, read offers and changes, and request binding quotes from all sellers of a product. Write plain sentences, or put a skill id and its parameters in the message metadata to be exact.',
    version: '1.0.0',
    provider: { organization: 'Souk', url: baseUrl },
    documentationUrl: `${baseUrl}/`,
    // The first of a binding counts. Clients of HTTP+JSON put a path right behind the address.
    supportedInterfaces: [
      { url: `${baseUrl}/a2a/`, protocolBinding: BINDING, protocolVersion: '1.0', tenant: '' },
      { url: `${baseUrl}/a2a`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0', tenant: '' },
      { url: `${baseUrl}/a2a/`, protocolBinding: BINDING, protocolVersion: '0.3', tenant: '' },
    ],
    capabilities: {
      streaming: true,
      pushNotifications: true,
      extendedAgentCard: false,
      extensions: [
        {
          uri: TOOL_SERVER,
          description: 'The same service as MCP tools.',
          required: false,
          params: { url: `${mcpUrl}/mcp/`, protocol: 'mcp', transport: 'streamable-http' },
        },
      ],
    },
    securitySchemes: {
      [OAUTH]: {
        scheme: {
          $case: 'oauth2SecurityScheme',
          value: {
            description: ACCESS,
            flows: {
              flow: {
                $case: 'authorizationCode',
                value: {
                  authorizationUrl,
                  tokenUrl,
                  refreshUrl: tokenUrl,
                  scopes: SCOPES,
                  pkceRequired: true,
                },
              },
            },
            oauth2MetadataUrl: `${baseUrl}/.well-known/oauth-authorization-server`,
          },
        },
      },
    },
    // One of them is enough, and the first asks for nothing.
    securityRequirements: [{ schemes: {} }, { schemes: { [OAUTH]: { list: [SCOPE] } } }],
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: SKILLS.map((skill) => ({
      ...skill,
      inputModes: [],
      outputModes: [],
      securityRequirements: [],
    })),
    signatures: [],
  }
}

const ACCESS =
  'Optional. With a token, tasks are private and can be listed, and you can send more messages an hour.'

function oauthUrls(baseUrl: string): { authorizationUrl: string; tokenUrl: string } {
  const metadata = authorizationServerMetadata(baseUrl)
  return {
    authorizationUrl: String(metadata.authorization_endpoint),
    tokenUrl: String(metadata.token_endpoint),
  }
}

function writeCard(card: AgentCard, config: CardConfig, form: CardForm): Record<string, unknown> {
  const current = AgentCard.toJSON(card) as Record<string, unknown>
  if (form === '1.0') return current
  const old = writeOldCard(card, config)
  if (form === '0.3') return old
  const schemes = current.securitySchemes as Record<string, object>
  const oldSchemes = old.securitySchemes as Record<string, object>
  return {
    ...current,
    ...old,
    capabilities: current.capabilities,
    securitySchemes: { [OAUTH]: { ...schemes[OAUTH], ...oldSchemes[OAUTH] } },
  }
}

function writeOldCard(card: AgentCard, { baseUrl }: CardConfig): Record<string, unknown> {
  const { authorizationUrl, tokenUrl } = oauthUrls(baseUrl)
  const url = `${baseUrl}/a2a/`
  const { streaming, pushNotifications, extensions } = card.capabilities ?? { extensions: [] }
  return {
    protocolVersion: '0.3.0',
    name: card.name,
    description: card.description,
    version: card.version,
    url,
    preferredTransport: BINDING,
    additionalInterfaces: [{ url, transport: BINDING }],
    provider: card.provider,
    documentationUrl: card.documentationUrl,
    capabilities: { streaming, pushNotifications, stateTransitionHistory: false, extensions },
    supportsAuthenticatedExtendedCard: false,
    securitySchemes: {
      [OAUTH]: {
        type: 'oauth2',
        description: ACCESS,
        flows: {
          authorizationCode: { authorizationUrl, tokenUrl, refreshUrl: tokenUrl, scopes: SCOPES },
        },
        oauth2MetadataUrl: `${baseUrl}/.well-known/oauth-authorization-server`,
      },
    },
    security: [{}, { [OAUTH]: [SCOPE] }],
    defaultInputModes: card.defaultInputModes,
    defaultOutputModes: card.defaultOutputModes,
    skills: SKILLS,
  }
}

/**
 * The card over HTTP: prepared once in each form, kept by caches for a few minutes and asked about after that. It can
 * change with the program and the configuration alone, so it is as old as the process. Clients that are given the
 * address of the endpoint look for the card below it.
 */
export const CARD_PATHS = ['', '/a2a'].flatMap((below) => [
  `${below}/.well-known/agent-card.json`,
  `${below}/.well-known/agent.json`,
])

const HEADERS = {
  'Cache-Control': 'public, max-age=300',
  Vary: 'A2A-Version, Accept-Encoding',
  'Access-Control-Allow-Origin': '*',
}

/** Sends readers that name no version the form that is kept for them. */
export function createCardSender(card: AgentCard, config: CardConfig, since: Date) {
  const write = (form: CardForm): Prepared =>
    prepare({
      body: JSON.stringify(writeCard(card, config, form)),
      contentType: 'application/json',
      lastModified: since,
      headers: HEADERS,
    })
  const forms = { hybrid: write('hybrid'), '1.0': write('1.0'), '0.3': write('0.3') }

  return (unnamed: CardForm) =>
    (c: Context<HttpEnv>): Promise<Response> => {
      // A reader from the future finds in the card which versions there are.
      return sendPrepared(c, forms[readVersion(c.req.header('a2a-version')) ?? unnamed])
    }
}
