/** What the description says of the service as a whole: what it is, where everything else is, how callers sign in. */
import type { ZodOpenApiObject } from 'zod-openapi'
import type { OperationTag } from '../../../http/operation.ts'
import { sessionCookieName } from '../../../http/session-cookie.ts'

export function aboutService(baseUrl: string): Pick<ZodOpenApiObject, 'info' | 'externalDocs'> {
  return {
    info: {
      title: 'Souk',
      version: '1.0.0',
      summary: 'A product catalog where AI agents shop',
      description: describeService(baseUrl),
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The operator of this service', url: baseUrl },
    },
    externalDocs: { description: 'This description as a page', url: `${baseUrl}/docs` },
  }
}

function describeService(baseUrl: string): string {
  const at = (path: string) => `[${path}](${baseUrl}${path})`
  return [
    'Search, product and category reads, producers’ offers, and how producers answer requests for quotes.',
    'Every path answers with and without its trailing slash, and every refusal has the form of `Error`. ' +
      'Answers may gain fields; those described here stay.',
    `Agents may prefer the tool server (MCP), described in ${at('/.well-known/mcp.json')}, ` +
      `or the agent (A2A), whose card is ${at('/.well-known/agent-card.json')}. ` +
      'What sellers promote for a product is at `/offers/{slug}.json`. ' +
      `All products with a verdict each are listed in ${at('/llms.txt')}.`,
  ].join('\n\n')
}

const TAG_WORDS: Record<OperationTag, string> = {
  Search: 'Finding products, and sets of them, by what they are wanted for',
  Products: 'Products and categories, for people and for machines. Nobody has to sign in',
  Offers: 'What sellers promote: for shoppers to read, and for producers to make and manage',
  Organizations: 'Producers: registering, and how they answer requests for quotes',
}

export const TAGS = Object.entries(TAG_WORDS).map(([name, description]) => ({ name, description }))

/** Interface, part 5. */
export function securitySchemes(baseUrl: string) {
  return {
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: sessionCookieName(baseUrl),
      description: `The cookie of a browser that is signed in at ${baseUrl}/auth/signin; a program alone cannot get one`,
    },
    linkToken: {
      type: 'http',
      scheme: 'bearer',
      description:
        'A link token of a producer organization, made by its owner or an admin for a shop’s plugin',
    },
  } as const
}
