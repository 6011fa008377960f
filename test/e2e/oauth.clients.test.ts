/**
 * Clients we did not write, as they come: they discover, register (or point to their document), send the person to us,
 * redeem the code, refresh and revoke. Each does it for every spelling of the tool server's address.
 */
import {
  Client as ClientV2,
  type OAuthDiscoveryState,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import * as oauth from 'oauth4webapi'
import { afterAll, describe, expect, test } from 'vitest'
import { parseOutboundAllow } from '../../src/lib/outbound.allow.ts'
import { createOutbound } from '../../src/lib/outbound.ts'
import { listGrants } from '../../src/oauth/grants.service.ts'
import { findAccessToken } from '../../src/oauth/tokens.service.ts'
import { serve } from '../loopback.ts'
import { createTestCa } from '../tls.ts'
import { startLive } from './oauth.live.ts'

const REDIRECT = 'http://127.0.0.1:33418/callback'
const DOCUMENT = 'https://app.test/client.json'
const metadata = {
  client_name: 'Real client',
  redirect_uris: [REDIRECT],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}
const authority = createTestCa()
const documents = await serve(
  (_request, response) => {
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ client_id: DOCUMENT, ...metadata }))
  },
  authority.certFor(['app.test']),
)
afterAll(() => documents.close())
const live = await startLive({
  outbound: createOutbound({
    allow: parseOutboundAllow(`app.test=127.0.0.1:${documents.port}`),
    ca: authority.ca,
  }),
})
const person = live.browser('ada@people.example')
await person.signUp()

type Stored = {
  client?: object
  tokens?: Tokens
  verifier?: string
  sentTo?: URL
  discovered?: OAuthDiscoveryState
}
type Tokens = { access_token: string; token_type: string; refresh_token?: string }

/** Keeps in memory what an app keeps; the v1 and v2 clients ask for the same things. */
function createProvider(documentUrl: string | undefined) {
  const stored: Stored = {}
  return {
    stored,
    provider: {
      redirectUrl: REDIRECT,
      clientMetadata: metadata,
      ...(documentUrl !== undefined && { clientMetadataUrl: documentUrl }),
      state: () => 'a-state',
      clientInformation: () => stored.client as { client_id: string } | undefined,
      saveClientInformation: (client: object) => {
        stored.client = client
      },
      tokens: () => stored.tokens,
      saveTokens: (tokens: Tokens) => {
        stored.tokens = tokens
      },
      redirectToAuthorization: (url: URL) => {
        stored.sentTo = url
      },
      saveCodeVerifier: (verifier: string) => {
        stored.verifier = verifier
      },
      codeVerifier: () => stored.verifier ?? '',
      discoveryState: () => stored.discovered,
      saveDiscoveryState: (state: OAuthDiscoveryState) => {
        stored.discovered = state
      },
    },
  }
}

const SPELLINGS = ['/mcp', '/mcp/', '/sse', '/sse/']
const KINDS = [
  ['registering itself', undefined],
  ['with a document', DOCUMENT],
] as const
const ROWS = KINDS.flatMap(([kind, url]) => SPELLINGS.map((path) => [kind, path, url] as const))

async function goThrough(stored: Stored): Promise<URLSearchParams> {
  const { sentTo } = stored
  if (!sentTo) throw new Error('the client sent nobody to us')
  expect(sentTo.searchParams.get('scope')).toBe('mcp')
  const back = await person.follow(sentTo.href)
  expect(back.origin + back.pathname).toBe(REDIRECT)
  expect(back.searchParams.get('state')).toBe('a-state')
  return back.searchParams
}

/** An access token that is no longer good makes the client refresh without bothering anybody. */
async function forget(stored: Stored): Promise<Tokens> {
  const before = stored.tokens
  if (!before) throw new Error('the client has no tokens')
  stored.tokens = { ...before, access_token: 'souk_at_forgotten' }
  stored.sentTo = undefined
  return before
}

describe('MCP SDK v1', () => {
  test.each(ROWS)('%s, connects to %s', async (_kind, path, documentUrl) => {
    const { provider, stored } = createProvider(documentUrl)
    const url = new URL(live.baseUrl + path)
    const connect = async () => {
      const transport = new TransportV1(url, { authProvider: provider })
      const client = new ClientV1({ name: 'v1', version: '1.0.0' })
      return { transport, client, connected: client.connect(transport) }
    }
    const first = await connect()
    await expect(first.connected).rejects.toThrow(/unauthorized/i)
    const answer = await goThrough(stored)
    await first.transport.finishAuth(answer.get('code') ?? '')
    expect(stored.sentTo?.searchParams.get('resource')).toBe(url.href)
    const second = await connect()
    await second.connected
    expect((await second.client.listTools()).tools).toHaveLength(10)
    await second.client.close()

    const before = await forget(stored)
    const third = await connect()
    await third.connected
    await third.client.close()
    expect(stored.sentTo).toBeUndefined()
    expect(stored.tokens?.refresh_token).not.toBe(before.refresh_token)
    if (documentUrl) expect(stored.client).toMatchObject({ client_id: DOCUMENT })
  })
})

describe('MCP client v2', () => {
  test.each(ROWS)('%s, connects to %s', async (_kind, path, documentUrl) => {
    const { provider, stored } = createProvider(documentUrl)
    const url = new URL(live.baseUrl + path)
    const connect = async () => {
      const transport = new TransportV2(url, { authProvider: provider })
      const client = new ClientV2({ name: 'v2', version: '1.0.0' })
      return { transport, client, connected: client.connect(transport) }
    }
    const first = await connect()
    await expect(first.connected).rejects.toThrow(/unauthorized/i)
    await first.transport.finishAuth(await goThrough(stored))
    const second = await connect()
    await second.connected
    expect((await second.client.listTools()).tools).toHaveLength(10)
    await second.client.close()

    const before = await forget(stored)
    const third = await connect()
    await third.connected
    await third.client.close()
    expect(stored.sentTo).toBeUndefined()
    expect(stored.tokens?.refresh_token).not.toBe(before.refresh_token)
    if (documentUrl) expect(stored.client).toMatchObject({ client_id: DOCUMENT })
  })

  test('refuses an answer that names another issuer (mix-up)', async () => {
    const { provider, stored } = createProvider(undefined)
    const transport = new TransportV2(new URL(`${live.baseUrl}/mcp`), { authProvider: provider })
    const client = new ClientV2({ name: 'v2', version: '1.0.0' })
    await expect(client.connect(transport)).rejects.toThrow(/unauthorized/i)
    const answer = await goThrough(stored)
    expect(answer.get('iss')).toBe(live.baseUrl)
    answer.set('iss', 'https://evil.example')
    await expect(transport.finishAuth(answer)).rejects.toThrow(/iss/i)
    expect(stored.tokens).toBeUndefined()
  })
})

describe('oauth4webapi', () => {
  const insecure = { [oauth.allowInsecureRequests]: true }
  const none = oauth.None()

  test.each(ROWS)('%s, for %s: discovers, connects, refreshes, revokes', async (_kind, path, documentUrl) => {
    const resource = new URL(live.baseUrl + path)
    const found = await oauth.processResourceDiscoveryResponse(
      resource,
      await oauth.resourceDiscoveryRequest(resource, insecure),
    )
    const issuer = new URL(found.authorization_servers?.[0] ?? '')
    const as = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
    )
    const client: oauth.Client = documentUrl
      ? { client_id: documentUrl }
      : await oauth.processDynamicClientRegistrationResponse(
          await oauth.dynamicClientRegistrationRequest(as, metadata, insecure),
        )

    const verifier = oauth.generateRandomCodeVerifier()
    const state = oauth.generateRandomState()
    const request = new URL(as.authorization_endpoint ?? '')
    request.search = String(
      new URLSearchParams({
        response_type: 'code',
        client_id: client.client_id,
        redirect_uri: REDIRECT,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        resource: resource.href,
      }),
    )
    const back = await person.follow(request.href)
    const mixedUp = new URL(back)
    mixedUp.searchParams.set('iss', 'https://evil.example')
    expect(() => oauth.validateAuthResponse(as, client, mixedUp, state)).toThrow(/iss/)
    const answer = oauth.validateAuthResponse(as, client, back, state)
    const tokens = await oauth.processAuthorizationCodeResponse(
      as,
      client,
      await oauth.authorizationCodeGrantRequest(as, client, none, answer, REDIRECT, verifier, {
        additionalParameters: { resource: resource.href },
        ...insecure,
      }),
    )
    const actor = await findAccessToken(live.oauth, tokens.access_token)
    expect(actor).toMatchObject({ resource: `${live.baseUrl}/mcp`, user: { email: 'ada@people.example' } })
    const used = await oauth.protectedResourceRequest(
      tokens.access_token,
      'POST',
      resource,
      new Headers({ 'Content-Type': 'application/json' }),
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      insecure,
    )
    expect(used.status).toBe(200)

    const refreshed = await oauth.processRefreshTokenResponse(
      as,
      client,
      await oauth.refreshTokenGrantRequest(as, client, none, tokens.refresh_token ?? '', insecure),
    )
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(as, client, none, refreshed.refresh_token ?? '', insecure),
    )
    expect(await findAccessToken(live.oauth, refreshed.access_token)).toBeNull()
  })
})

test('the person sees the clients on the account page and disconnects one there', async () => {
  const page = await (await person.send(`${live.baseUrl}/account`)).text()
  expect(page).toContain('Connected apps')
  expect(page).toContain('app.test')
  const grantId = /name="grant_id" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const { rows } = await live.database.pool.query<{ id: string }>('select id from users')
  const userId = rows[0]?.id ?? ''
  const before = await listGrants(live.oauth, userId)
  await person.send(`${live.baseUrl}/account/grants/revoke`, new URLSearchParams({ grant_id: grantId }))
  expect((await listGrants(live.oauth, userId)).length).toBe(before.length - 1)
})

test('another account can be chosen from the consent page, and comes back to the same request', async () => {
  const other = live.browser('bob@people.example')
  await other.signUp()
  const registered = await fetch(`${live.baseUrl}/register`, {
    method: 'POST',
    body: JSON.stringify(metadata),
  })
  const { client_id } = (await registered.json()) as { client_id: string }
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT,
    code_challenge: 'a'.repeat(43),
    code_challenge_method: 'S256',
  })
  const page = await (await person.send(`${live.baseUrl}/oauth/authorize/?${query}`)).text()
  expect(page).toContain('ada@people.example')
  const returnTo = /name="return_to" value="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const out = await person.send(`${live.baseUrl}/auth/signout`, new URLSearchParams({ return_to: returnTo }))
  const signIn = new URL(out.headers.get('location') ?? '', live.baseUrl)
  expect([signIn.pathname, signIn.searchParams.get('return_to')]).toEqual(['/auth/signin', returnTo])
  const back = await other.follow(signIn.href)
  expect(back.searchParams.has('code')).toBe(true)
})
