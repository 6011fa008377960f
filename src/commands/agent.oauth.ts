/**
 * Signing in from the terminal: the tool server names its authorization server (RFC 9728, RFC 8414), this program registers
 * there as a public client (RFC 7591), and the person allows it in their browser, which comes back to a port of this
 * machine (RFC 8252) with a code that only this process can redeem (PKCE). Tokens go to one file that only their owner
 * reads, one entry a tool server, and to no address but that of the server they are for.
 */

import { spawn } from 'node:child_process'
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import fs from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { parseJson } from '../lib/bounded-json.ts'
import { isLoopback } from '../lib/loopback.ts'
import { isRecord } from '../lib/validate.ts'
import { fetchJson } from './agent.client.ts'

export type Grant = {
  clientId: string
  tokenEndpoint: string
  resource: string
  accessToken: string
  refreshToken: string | null
}
export type Terminal = {
  env: Record<string, string | undefined>
  say(line: string): unknown
  /** Shows an address to the person; false when that cannot be done here. */
  open(address: string): boolean
}

/** How long the person may take in the browser. */
const CONSENT_MS = 5 * 60_000

export function tokenFile(env: Terminal['env']): string {
  const home = env.HOME ?? env.USERPROFILE ?? '.'
  return path.join(env.XDG_CONFIG_HOME || path.join(home, '.config'), 'souk', 'agent-tokens.json')
}

export function readGrant(env: Terminal['env'], url: string): Grant | null {
  const grant = readAll(tokenFile(env))[url]
  return isRecord(grant) && typeof grant.accessToken === 'string' ? (grant as Grant) : null
}

/** Null removes it. Written beside and renamed, so that a crash leaves the old file or the new one. */
export function writeGrant(env: Terminal['env'], url: string, grant: Grant | null): void {
  const file = tokenFile(env)
  const { [url]: _, ...others } = readAll(file)
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const half = `${file}.${process.pid}`
  fs.writeFileSync(half, `${JSON.stringify(grant ? { ...others, [url]: grant } : others, null, 2)}\n`, {
    mode: 0o600,
  })
  fs.renameSync(half, file)
}

function readAll(file: string): Record<string, unknown> {
  let text: string
  try {
    text = fs.readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
  const value = parseJson(text)
  if (isRecord(value)) return value
  throw new Error(`${file} is not readable as JSON; delete it and sign in again`)
}

export async function signIn(url: string, challenge: string, terminal: Terminal): Promise<Grant> {
  const { resource, server, scope } = await discover(url, challenge)
  const back = await listenForCode()
  try {
    const clientId = await register(server.registration, back.redirectUri)
    const verifier = randomBytes(32).toString('base64url')
    const state = randomBytes(16).toString('base64url')
    const address = new URL(server.authorization)
    const query = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: back.redirectUri,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state,
      resource,
      ...(scope && { scope }),
    }
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
    const opened = terminal.open(address.href)
    terminal.say(
      opened ? 'Waiting for you to allow access in your browser:' : 'Open this address in a browser:',
    )
    terminal.say(`  ${address.href}`)
    const code = await back.code({ state, issuer: server.issuer })
    return await redeem(
      server.token,
      { clientId, resource },
      {
        grant_type: 'authorization_code',
        code,
        redirect_uri: back.redirectUri,
        code_verifier: verifier,
      },
    )
  } finally {
    back.close()
  }
}

/** Null when the authorization server takes the refresh token no more: the person has to sign in again. */
export async function refresh(grant: Grant): Promise<Grant | null> {
  if (grant.refreshToken === null) return null
  try {
    return await redeem(grant.tokenEndpoint, grant, {
      grant_type: 'refresh_token',
      refresh_token: grant.refreshToken,
    })
  } catch {
    return null
  }
}

async function redeem(
  endpoint: string,
  {
    clientId,
    resource,
    refreshToken = null,
  }: { clientId: string; resource: string; refreshToken?: string | null },
  fields: Record<string, string>,
): Promise<Grant> {
  const answer = await fetchJson(endpoint, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...fields, client_id: clientId, resource }).toString(),
  })
  if (typeof answer.access_token !== 'string') throw new Error(`${endpoint} gave no access token`)
  return {
    clientId,
    tokenEndpoint: endpoint,
    resource,
    accessToken: answer.access_token,
    refreshToken: typeof answer.refresh_token === 'string' ? answer.refresh_token : refreshToken,
  }
}

type AuthorizationServer = { issuer: string; authorization: string; token: string; registration: string }

async function discover(url: string, challenge: string) {
  const named = /\bresource_metadata="([^"]+)"/.exec(challenge)?.[1]
  const { origin, pathname } = new URL(url)
  const metadata = await fetchJson(
    own(named ?? `${origin}/.well-known/oauth-protected-resource${pathname.replace(/\/$/, '')}`, origin),
  )
  const { resource, authorization_servers: servers, scopes_supported: scopes } = metadata
  // Somebody else's resource would get a token that this server could use there.
  if (typeof resource !== 'string' || new URL(resource).origin !== origin)
    throw new Error(`${origin} names another resource in its metadata; no token is asked for`)
  const issuer = Array.isArray(servers) ? String(servers[0]) : origin
  const scope = Array.isArray(scopes) ? scopes.filter((one) => typeof one === 'string').join(' ') : ''
  return { resource, scope, server: await readServer(issuer) }
}

/** The metadata stands on the tool server's own host. */
function own(address: string, origin: string): string {
  if (new URL(address).origin === origin) return address
  throw new Error(`${origin} keeps its metadata on another host; no token is asked for`)
}

async function readServer(issuer: string): Promise<AuthorizationServer> {
  const { origin, pathname } = new URL(issuer)
  const below = pathname.replace(/\/$/, '')
  const metadata = await fetchJson(`${origin}/.well-known/oauth-authorization-server${below}`)
  if (metadata.issuer !== issuer)
    throw new Error(`${origin} is not the authorization server it is said to be`)
  const methods = metadata.code_challenge_methods_supported
  if (!Array.isArray(methods) || !methods.includes('S256'))
    throw new Error(`${origin} does not support PKCE, which signing in from a terminal needs; use --token`)
  const endpoint = (name: string) => {
    const address = metadata[name]
    if (typeof address !== 'string')
      throw new Error(`${origin} has no ${name}; ask its operator for a token and use --token`)
    const { protocol, hostname } = new URL(address)
    if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname)))
      throw new Error(`${address} is not https; no token is asked for`)
    return address
  }
  return {
    issuer,
    authorization: endpoint('authorization_endpoint'),
    token: endpoint('token_endpoint'),
    registration: endpoint('registration_endpoint'),
  }
}

async function register(endpoint: string, redirectUri: string): Promise<string> {
  const { client_id } = await fetchJson(endpoint, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Souk command line',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }),
  })
  if (typeof client_id !== 'string') throw new Error(`${endpoint} gave no client id`)
  return client_id
}

const PAGE = (text: string) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Souk command line</title>
<p style="font: 1.1rem system-ui; margin: 3rem">${text}</p></html>
`

/** Where the browser comes back to. Only the answer to our own question counts; anything else is told to try again. */
async function listenForCode() {
  let take: (query: URLSearchParams) => string = () => 'This sign-in is not expected. Close this window.'
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const known = request.method === 'GET' && pathname === '/callback'
    response.writeHead(known ? 200 : 404, {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      Connection: 'close',
    })
    response.end(PAGE(known ? take(searchParams) : 'Not found.'))
  })
  const port = await listen(server)
  return {
    redirectUri: `http://127.0.0.1:${port}/callback`,
    code: ({ state, issuer }: { state: string; issuer: string }) =>
      new Promise<string>((resolve, reject) => {
        const late = setTimeout(
          () => reject(new Error('nobody allowed access within 5 minutes; run the command again')),
          CONSENT_MS,
        )
        take = (query) => {
          if (!same(query.get('state') ?? '', state)) return 'This is not the sign-in that was started here.'
          clearTimeout(late)
          const from = query.get('iss')
          const code = query.get('code')
          if (from !== null && from !== issuer)
            reject(new Error('the answer came from another authorization server; nothing was signed in'))
          else if (code !== null) resolve(code)
          else
            reject(
              new Error(
                query.get('error') === 'access_denied'
                  ? 'access was not allowed; run the command again to change that'
                  : `signing in failed: ${query.get('error_description') ?? query.get('error') ?? 'no code'}`,
              ),
            )
          return code !== null && (from === null || from === issuer)
            ? 'You are signed in. Go back to the terminal and close this window.'
            : 'You are not signed in. The terminal says why.'
        }
      }),
    close: () => server.close(),
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

function same(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => createHash('sha256').update(text).digest())
  return one !== undefined && other !== undefined && timingSafeEqual(one, other)
}

/** The program of the desktop that opens addresses; BROWSER names another. */
export function openBrowser(env: Terminal['env'], address: string): boolean {
  const usual = { darwin: 'open', win32: 'explorer.exe' }[process.platform as string] ?? 'xdg-open'
  const program = env.BROWSER || usual
  if (process.platform === 'linux' && !env.BROWSER && !env.DISPLAY && !env.WAYLAND_DISPLAY) return false
  const child = spawn(program, [address], { stdio: 'ignore', detached: true })
  // That it is missing shows later; the address is on the screen in any case.
  child.on('error', () => {})
  child.unref()
  return true
}
