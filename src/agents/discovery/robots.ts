/**
 * `/robots.txt` (RFC 9309, where the longest rule that fits decides). Everything public is open to every crawler; pages
 * of an account, and links that count a click, are not for crawling. Of the API, what agents use without a person's
 * session stays open. `Agentmap` is the line by which Agentic Resource Discovery finds a site's `ard.json`.
 */
import type { ListingSite } from './listings/listing.ts'

const CLOSED = ['/account', '/admin', '/api/', '/auth/', '/dashboard', '/dev/', '/go/', '/oauth/', '/org/']
const OPEN = ['/api/search', '/api/oauth/']

export function renderRobots({ baseUrl, mcpUrl }: Pick<ListingSite, 'baseUrl' | 'mcpUrl'>): string {
  return [
    `# Agents: begin at ${baseUrl}/llms.txt. The tool server (MCP) is ${mcpUrl}/mcp/`,
    '',
    'User-agent: *',
    'Allow: /',
    ...CLOSED.map((path) => `Disallow: ${path}`),
    ...OPEN.map((path) => `Allow: ${path}`),
    '',
    `Sitemap: ${baseUrl}/sitemap.xml`,
    `Agentmap: ${baseUrl}/.well-known/ard.json`,
    '',
  ].join('\n')
}
