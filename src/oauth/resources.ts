/**
 * The one audience of our tokens: the tool server (RFC 8707, RFC 9728). Clients write its address with and without
 * the trailing slash, or by the path of the older revision; all are the same resource and are kept in one spelling,
 * while the metadata repeats the spelling that was asked for, because some clients compare it character by character.
 */
import { isSameMachine } from '../lib/loopback.ts'
import { OauthError } from './oauth.errors.ts'

const MCP = '/mcp'
const OLD_REVISION = '/sse'
const CONNECTOR = '/mcp/connector'
/** Some of the tools, at addresses of their own. */
const TOOLSETS = ['/mcp/shopping', '/mcp/selling', '/mcp/readonly']

export function toolServerResource(mcpUrl: string): string {
  return `${mcpUrl}${MCP}`
}

/** The paths under which the tool server is reached, as they stand in its address, without trailing slash. */
export function resourcePaths(resource: string): string[] {
  const prefix = new URL(resource).pathname.slice(0, -MCP.length)
  return [MCP, OLD_REVISION, CONNECTOR, ...TOOLSETS].map((path) => prefix + path)
}

/** The address as the metadata at `path` repeats it; null when the tool server is not there. */
export function resourceAt(resource: string, path: string): string | null {
  return resourcePaths(resource).includes(withoutSlash(path)) ? new URL(resource).origin + path : null
}

/** Every resource a request names must be ours; null when it names none. */
export function bindResource(resource: string, asked: readonly string[]): string | null {
  const named = asked.filter((text) => text !== '')
  if (named.length === 0) return null
  if (!named.every((text) => isOurs(resource, text)))
    throw new OauthError('invalid_target', `tokens are issued for ${resource} only`)
  return resource
}

function isOurs(resource: string, asked: string): boolean {
  const url = URL.parse(asked)
  if (url === null || asked.includes('#') || url.search !== '' || url.username !== '' || url.password !== '')
    return false
  const own = new URL(resource)
  if (url.origin !== own.origin && !isSameMachine(url, own)) return false
  return resourceAt(resource, url.pathname) !== null
}

function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path
}
