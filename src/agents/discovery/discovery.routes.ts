/**
 * The small files an agent or crawler looks for, all public: pure functions of the configuration, written when first asked
 * for and then kept. Addresses in them come from the configuration alone, never from the request, so that nobody can
 * make a cache hold a file that leads elsewhere. Files over the whole catalog are in listings/; agent cards, OAuth
 * metadata and keys stand with the faces that they describe.
 */
import type { Hono } from 'hono'
import { cors } from 'hono/cors'
import type { Config } from '../../config.ts'
import type { HttpEnv } from '../../http/env.ts'
import { type Prepared, prepare, sendPrepared } from '../../http/prepared.ts'
import { type Clock, DAY_MS } from '../../lib/clock.ts'
import { AI_CATALOG_PATH, AI_CATALOG_TYPE, ARD_PATH, writeArd } from './ard.ts'
import type { ListingSite } from './listings/listing.ts'
import { SERVER_CARD_SUFFIX, SERVER_CARD_TYPE, writeMcpJson, writeServerCard } from './mcp-json.ts'

type DiscoveryDeps = {
  config: Pick<Config, 'baseUrl' | 'mcpUrl' | 'securityContact'>
  clock: Clock
}

export const JSON_TYPE = 'application/json'
const TEXT_TYPE = 'text/plain; charset=utf-8'
const HEADERS = { 'Cache-Control': 'public, max-age=300', Vary: 'Accept-Encoding' }
const OPEN = cors({ origin: '*', allowMethods: ['GET', 'HEAD'], exposeHeaders: ['ETag'] })

export function mountDiscovery(app: Hono<HttpEnv>, { config, clock }: DiscoveryDeps): void {
  const { get, fixed } = createPublicFiles(app)
  fixed(['/.well-known/mcp.json'], JSON_TYPE, () => pretty(writeMcpJson(config)))
  fixed([`/mcp${SERVER_CARD_SUFFIX}`, '/.well-known/mcp/server-card.json'], SERVER_CARD_TYPE, () =>
    pretty(writeServerCard(config)),
  )
  fixed([ARD_PATH], JSON_TYPE, () => pretty(writeArd(config)))
  fixed([AI_CATALOG_PATH], AI_CATALOG_TYPE, () => pretty(writeArd(config)))
  fixed(['/robots.txt'], TEXT_TYPE, () => renderRobots(config))
  get(['/.well-known/security.txt', '/security.txt'], createDaily(config, clock))
}

/** How such files are mounted: `fixed` ones are written when first asked for, because a start should not wait for them. */
export function createPublicFiles(app: Hono<HttpEnv>) {
  const get = (paths: string[], current: () => Prepared) => {
    for (const path of paths) {
      app.use(path, OPEN)
      app.get(path, (c) => sendPrepared(c, current()))
    }
  }
  const fixed = (paths: string[], contentType: string, write: () => string) => {
    let kept: Prepared | null = null
    get(paths, () => {
      kept ??= prepare({ body: write(), contentType, lastModified: null, headers: HEADERS })
      return kept
    })
  }
  return { get, fixed }
}

/** Written anew when a day begins. */
function createDaily(config: DiscoveryDeps['config'], clock: Clock): () => Prepared {
  let kept: { day: number; prepared: Prepared } | null = null
  return () => {
    const now = clock.now()
    const day = startOfDay(now)
    if (kept?.day !== day.getTime())
      kept = {
        day: day.getTime(),
        prepared: prepare({
          body: renderSecurityTxt(config, now),
          contentType: TEXT_TYPE,
          lastModified: null,
          headers: HEADERS,
        }),
      }
    return kept.prepared
  }
}

/** People look at these files as well. */
function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/**
 * `/robots.txt` (RFC 9309, where the longest rule that fits decides). Everything public is open to every crawler; pages
 * of an account, and links that count a click, are not for crawling. Of the API, what agents use without a person's
 * session stays open. `Agentmap` is the line by which Agentic Resource Discovery finds a site's `ard.json`.
 */
const CLOSED = [
  '/account',
  '/admin',
  '/api/',
  '/auth/',
  '/dashboard',
  '/demo/',
  '/dev/',
  '/go/',
  '/notices/',
  '/oauth/',
  '/org/',
]
const OPEN_BELOW = ['/api/search', '/api/oauth/']

export function renderRobots({ baseUrl, mcpUrl }: Pick<ListingSite, 'baseUrl' | 'mcpUrl'>): string {
  return [
    `# Agents: start at ${baseUrl}/llms.txt. The tool server (MCP) is ${mcpUrl}/mcp/`,
    '',
    'User-agent: *',
    'Allow: /',
    ...CLOSED.map((path) => `Disallow: ${path}`),
    ...OPEN_BELOW.map((path) => `Allow: ${path}`),
    '',
    `Sitemap: ${baseUrl}/sitemap.xml`,
    `Agentmap: ${baseUrl}/.well-known/ard.json`,
    '',
  ].join('\n')
}

/**
 * `security.txt` (RFC 9116): whom to tell of a hole. It must say until when it can be believed; written from the clock it is
 * never out of date, and it changes once a day only, so that who has it is answered 304.
 */
/** The standard wants less than a year; half of one leaves room for those who keep a copy. */
const DAYS_AHEAD = 180

export function renderSecurityTxt(
  { baseUrl, securityContact }: { baseUrl: string; securityContact: string },
  now: Date,
): string {
  const expires = new Date(startOfDay(now).getTime() + DAYS_AHEAD * DAY_MS)
  const lines = [
    `Contact: ${securityContact}`,
    `Expires: ${expires.toISOString()}`,
    'Preferred-Languages: en',
    // RFC 9116 2.5.2: an address on the web must be https here, so a service without it has none to give.
    ...(baseUrl.startsWith('https:') ? [`Canonical: ${baseUrl}/.well-known/security.txt`] : []),
  ]
  return `${lines.join('\n')}\n`
}

function startOfDay(time: Date): Date {
  return new Date(Math.floor(time.getTime() / DAY_MS) * DAY_MS)
}
