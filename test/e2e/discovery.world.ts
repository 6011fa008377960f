/**
 * Every file that an agent or crawler finds us by, and the links to our own service that stand in it. A link is an absolute
 * address of ours anywhere in a text, or what the head of a page needs or points to. Patterns with a hole (`…/p/{category}`) are none.
 */
import { parseDocument } from 'htmlparser2'
import { BASE_URL } from '../harness.ts'

export type DocumentKind = 'json' | 'openapi' | 'lines of json' | 'text' | 'sitemap' | 'page'

/** Without those that name a product or category. */
export const DOCUMENTS: ReadonlyArray<readonly [path: string, kind: DocumentKind]> = [
  ['/.well-known/mcp.json', 'json'],
  ['/mcp/server-card', 'json'],
  ['/.well-known/mcp/server-card.json', 'json'],
  ['/.well-known/agent-card.json', 'json'],
  ['/.well-known/agent.json', 'json'],
  ['/a2a/.well-known/agent-card.json', 'json'],
  ['/a2a/.well-known/agent.json', 'json'],
  ['/.well-known/oauth-authorization-server', 'json'],
  ['/.well-known/oauth-authorization-server.json', 'json'],
  ['/.well-known/oauth-authorization-server/mcp', 'json'],
  ['/.well-known/openid-configuration', 'json'],
  ['/.well-known/oauth-protected-resource', 'json'],
  ['/.well-known/oauth-protected-resource.json', 'json'],
  ['/.well-known/oauth-protected-resource/mcp', 'json'],
  ['/.well-known/oauth-protected-resource/mcp/', 'json'],
  ['/.well-known/oauth-protected-resource/mcp/connector', 'json'],
  ['/.well-known/oauth-protected-resource/sse', 'json'],
  ['/.well-known/jwks.json', 'json'],
  ['/.well-known/ucp', 'json'],
  ['/.well-known/ard.json', 'json'],
  ['/.well-known/ai-catalog.json', 'json'],
  ['/.well-known/security.txt', 'text'],
  ['/security.txt', 'text'],
  ['/openapi.json', 'openapi'],
  ['/llms.txt', 'text'],
  ['/llms-full.txt', 'text'],
  ['/robots.txt', 'text'],
  ['/sitemap.xml', 'sitemap'],
  ['/feeds/products.jsonl', 'lines of json'],
  ['/feeds/google.tsv', 'text'],
  ['/', 'page'],
  ['/docs', 'page'],
]

/** Keys, and a file that may name only https addresses while tests run on http. */
export const WITHOUT_LINKS = ['/.well-known/jwks.json', '/.well-known/security.txt', '/security.txt']

/** Each once, in the order in which they stand. */
export function linksIn(text: string, kind: DocumentKind, path: string): string[] {
  return [...new Set(found(text, kind, path).map((link) => link.replace(/#.*$/, '')))]
}

function found(text: string, kind: DocumentKind, path: string): string[] {
  if (kind === 'json') return stringsIn(JSON.parse(text)).flatMap(inText)
  if (kind === 'openapi') return inDescription(JSON.parse(text))
  if (kind === 'lines of json')
    return text
      .split('\n')
      .filter(Boolean)
      .flatMap((line) => stringsIn(JSON.parse(line)).flatMap(inText))
  if (kind === 'text') return inText(text)
  if (kind === 'sitemap') return elements(text, 'loc', true).flatMap(({ content }) => inText(content))
  return ['link', 'script']
    .flatMap((name) => elements(text, name, false))
    .map(({ attributes: { href, src } }) => href ?? src)
    .filter((address) => address !== undefined)
    .map((address) => new URL(address, BASE_URL + path).href)
    .filter((address) => new URL(address).origin === BASE_URL)
}

/** What the head of a page says of our files: where each is, and how it is sent. */
export function typedLinks(page: string): Array<{ address: string; type: string }> {
  return elements(page, 'link', false).flatMap(({ attributes: { href = '', type } }) =>
    type !== undefined && href.startsWith(`${BASE_URL}/`) ? [{ address: href, type }] : [],
  )
}

/** Ends where an address ends in prose, Markdown, JSON, a table or a shell's command. */
const LINK = new RegExp(
  `${BASE_URL.replaceAll('.', '\\.')}(?![\\w:@-]|\\.\\w)[^\\s"'\`<>()\\[\\]{}|\\\\^]*`,
  'g',
)

function inText(text: string): string[] {
  return [...text.matchAll(LINK)]
    .filter((match) => !['{', '<'].includes(text.charAt(match.index + match[0].length)))
    .map(([link]) => link.replace(/[.,;:!?*_]+$/, ''))
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

type Description = {
  paths?: Record<string, { get?: { parameters?: Array<{ name: string; example?: string }> } }>
}

/**
 * Its examples are about products of the demo catalog, so they count as well: whole addresses, those that answers give
 * without our name before them, and the paths with their parameters' examples in place. Only the ids of offers are of
 * the world in which the examples were recorded.
 */
function inDescription(description: Description): string[] {
  const named = stringsIn(examplesIn(description)).filter((text) => /^\/(?!\/)\S*$/.test(text))
  const filled = Object.entries(description.paths ?? {})
    .filter(([path, { get }]) => get && path.includes('{'))
    .map(([path, { get }]) =>
      path.replaceAll(
        /\{(\w+)\}/g,
        (hole, name) => get?.parameters?.find((one) => one.name === name)?.example ?? hole,
      ),
    )
  return [
    ...stringsIn(description).flatMap(inText),
    ...[...named, ...filled].map((path) => BASE_URL + path),
  ].filter((link) => !link.startsWith(`${BASE_URL}/go/`))
}

/** All that stands under `example` or `examples`, however deep. */
function examplesIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inside]) =>
    name === 'example' || name === 'examples' ? [inside] : examplesIn(inside),
  )
}

type Element = { attributes: Record<string, string>; content: string }
type Node = ReturnType<typeof parseDocument>['children'][number]

function elements(text: string, name: string, xmlMode: boolean): Element[] {
  const visit = (node: Node): Element[] => {
    if (!('children' in node)) return []
    const inside = node.children.flatMap(visit)
    return 'attribs' in node && node.name === name
      ? [{ attributes: node.attribs, content: node.children.map(textOf).join('') }, ...inside]
      : inside
  }
  return parseDocument(text, { xmlMode }).children.flatMap(visit)
}

function textOf(node: Node): string {
  return node.type === 'text' ? node.data : ''
}
