/**
 * `/.well-known/ard.json` (Agentic Resource Discovery 0.91): one list of everything here that an agent can use, each with
 * questions that it answers, because registries find an entry by these. The same file is served by the name it had before,
 * `ai-catalog.json`, whose readers want the version and know no other members at the top. Names are ours (`urn:air:` and
 * the host), so they stay when an address changes.
 */
import { SKILL_IDS } from '../a2a/skills/skill.ts'
import { SERVER_INFO } from '../mcp/protocol.ts'
import { TOOLS } from '../mcp/registry.ts'
import { toolAddresses } from './clients.ts'
import { publisherOf, SERVER_CARD_SUFFIX, SERVER_CARD_TYPE, SHORT_DESCRIPTION } from './mcp-json.ts'

type ArdEntry = {
  identifier: string
  displayName: string
  /** A media type: what is found at the address. */
  type: string
  url: string
  description: string
  tags: string[]
  capabilities?: string[]
  /** Two to five, says the specification. */
  representativeQueries: string[]
  version?: string
}

type ArdManifest = {
  specVersion: string
  host: { displayName: string; identifier: string; documentationUrl: string }
  entries: ArdEntry[]
}

export const ARD_PATH = '/.well-known/ard.json'
export const AI_CATALOG_PATH = '/.well-known/ai-catalog.json'
export const AI_CATALOG_TYPE = 'application/ai-catalog+json'

export function writeArd(site: { baseUrl: string; mcpUrl: string }): ArdManifest {
  const publisher = publisherOf(site)
  return {
    specVersion: '1.0',
    host: { displayName: 'Souk', identifier: publisher, documentationUrl: `${site.baseUrl}/docs` },
    entries: entriesOf(site).map(({ name, ...entry }) => ({
      identifier: `urn:air:${publisher}:${name}`,
      ...entry,
    })),
  }
}

type Named = Omit<ArdEntry, 'identifier'> & { name: string }

function entriesOf({ baseUrl, mcpUrl }: { baseUrl: string; mcpUrl: string }): Named[] {
  const { version } = SERVER_INFO
  return [
    {
      name: 'mcp:souk',
      displayName: 'Souk tool server (MCP)',
      type: SERVER_CARD_TYPE,
      url: toolAddresses({ mcpUrl }).tools + SERVER_CARD_SUFFIX,
      description: SHORT_DESCRIPTION,
      tags: ['shopping', 'products', 'quotes', 'mcp'],
      capabilities: TOOLS.map(({ name }) => name),
      representativeQueries: [
        'find a quiet webcam under 120 dollars',
        'compare these two espresso machines and say which to buy',
        'get quotes from every seller for ten of this tent',
        'tell me when the headphones I saved get cheaper',
      ],
      version,
    },
    {
      name: 'mcp:reference',
      displayName: 'Souk tool reference and client settings',
      type: 'application/json',
      url: `${baseUrl}/.well-known/mcp.json`,
      description: 'Every tool with its schemas, how to sign in, and settings for common clients.',
      tags: ['mcp', 'reference', 'setup'],
      representativeQueries: [
        'which tools does Souk have and which parameters do they take',
        'how do I connect my client to the Souk tool server',
      ],
      version,
    },
    {
      name: 'a2a:souk',
      displayName: 'Souk shopping agent (A2A)',
      type: 'application/a2a-agent-card+json',
      url: `${baseUrl}/.well-known/agent-card.json`,
      description:
        'An agent that understands plain sentences: it recommends and looks up products, reads offers and gets quotes.',
      tags: ['shopping', 'products', 'quotes', 'a2a'],
      capabilities: [...SKILL_IDS],
      representativeQueries: [
        'recommend a two-person tent for autumn',
        'what offers are there on this air fryer',
        'get me binding quotes for 25 desk lamps delivered to Germany',
        'which prices have changed since last week',
      ],
      version,
    },
    {
      name: 'ucp:catalog',
      displayName: 'Souk catalog (Universal Commerce Protocol)',
      type: 'application/json',
      url: `${baseUrl}/.well-known/ucp`,
      description: 'The UCP profile of the catalog: search, lookup and single products.',
      tags: ['shopping', 'catalog', 'ucp'],
      representativeQueries: [
        'search a product catalog with the Universal Commerce Protocol',
        'look up products by their ids',
      ],
    },
    {
      name: 'api:rest',
      displayName: 'Souk REST API',
      type: 'application/vnd.oai.openapi+json',
      url: `${baseUrl}/openapi.json`,
      description: 'OpenAPI 3.1 description of search, product and category reads, offers and organizations.',
      tags: ['rest', 'openapi', 'products', 'offers'],
      representativeQueries: [
        'search products with an HTTP API without signing in',
        'publish an offer for a product that my company sells',
      ],
      version,
    },
    {
      name: 'text:index',
      displayName: 'Souk for language models (llms.txt)',
      type: 'text/plain',
      url: `${baseUrl}/llms.txt`,
      description: 'What Souk is and how to use it, with a one-line verdict on every product.',
      tags: ['llms.txt', 'products', 'index'],
      representativeQueries: [
        'which products does Souk know',
        'what is the verdict on this product in one line',
      ],
    },
    {
      name: 'text:full',
      displayName: 'All product profiles as text (llms-full.txt)',
      type: 'text/plain',
      url: `${baseUrl}/llms-full.txt`,
      description: 'The whole profile of every product in one file. Large.',
      tags: ['llms.txt', 'products', 'profiles'],
      representativeQueries: [
        'read everything Souk knows about its products',
        'download all product profiles',
      ],
    },
    {
      name: 'feed:products',
      displayName: 'Product feed, JSON lines',
      type: 'application/jsonl',
      url: `${baseUrl}/feeds/products.jsonl`,
      description: `One product per line, with the columns of OpenAI's product feed (Agentic Commerce Protocol).`,
      tags: ['feed', 'products', 'acp'],
      representativeQueries: ['get all products as JSON lines', 'a product feed for an agentic checkout'],
    },
    {
      name: 'feed:google',
      displayName: 'Product feed, tab-separated',
      type: 'text/tab-separated-values',
      url: `${baseUrl}/feeds/google.tsv`,
      description: 'One product per line, with the columns of Google Merchant Center.',
      tags: ['feed', 'products', 'google-merchant'],
      representativeQueries: ['get all products as a table', 'a product feed for Google Merchant Center'],
    },
  ]
}
