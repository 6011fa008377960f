/**
 * The names of this machine: a server whose base URL says localhost is opened as 127.0.0.1, by people and by clients we
 * did not write. People are led to the base URL, programs are answered for the name they used, and a server at a public
 * name knows nothing of it.
 */
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, test } from 'vitest'
import { asAddressed, namesApart } from '../../src/lib/loopback.ts'
import { signIn } from '../accounts.ts'
import { hiddenFields } from '../e2e/oauth.world.ts'
import { createTestApp, testConfig } from '../harness.ts'
import { listenFirst } from '../listen-first.ts'

const REDIRECT = 'http://127.0.0.1:33418/callback'
const { baseUrl: numeric, answerWith } = await listenFirst()
const port = new URL(numeric).port
const baseUrl = `http://localhost:${port}`
const souk = await createTestApp({ config: testConfig({ SOUK_BASE_URL: baseUrl }) })
answerWith(souk.app)
const { browser } = await signIn(souk, { verified: true })

/** The person allows it, in a browser at the base URL; gives the code. */
async function allow(sentTo: URL): Promise<string> {
  expect(sentTo.origin).toBe(baseUrl)
  const page = await browser.get(`${sentTo.pathname}${sentTo.search}`)
  const fields = hiddenFields(await page.text())
  const answer = await browser.post(sentTo.pathname, { ...Object.fromEntries(fields), decision: 'allow' })
  return new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? ''
}

function createProvider() {
  const stored: { client?: object; tokens?: object; verifier?: string; sentTo?: URL; state?: object } = {}
  const provider = {
    redirectUrl: REDIRECT,
    clientMetadata: {
      client_name: 'Real client',
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => stored.client as { client_id: string } | undefined,
    saveClientInformation: (client: object) => void Object.assign(stored, { client }),
    tokens: () => stored.tokens as { access_token: string; token_type: string } | undefined,
    saveTokens: (tokens: object) => void Object.assign(stored, { tokens }),
    redirectToAuthorization: (sentTo: URL) => void Object.assign(stored, { sentTo }),
    saveCodeVerifier: (verifier: string) => void Object.assign(stored, { verifier }),
    codeVerifier: () => stored.verifier ?? '',
    discoveryState: () => stored.state as never,
    saveDiscoveryState: (state: object) => void Object.assign(stored, { state }),
  }
  return { stored, provider }
}

const self = { name: 'real-client', version: '1.0.0' }
const CLIENTS = {
  async v1(url: URL, provider: object) {
    const transport = new TransportV1(url, { authProvider: provider as never })
    return {
      connect: () => new ClientV1(self).connect(transport),
      finish: (code: string) => transport.finishAuth(code),
      tools: async () => {
        const client = new ClientV1(self)
        await client.connect(new TransportV1(url, { authProvider: provider as never }))
        const { tools } = await client.listTools()
        await client.close()
        return tools.length
      },
    }
  },
  async v2(url: URL, provider: object) {
    const transport = new TransportV2(url, { authProvider: provider as never })
    return {
      connect: () => new ClientV2(self).connect(transport),
      finish: (code: string) => transport.finishAuth(code, baseUrl),
      tools: async () => {
        const client = new ClientV2(self)
        await client.connect(new TransportV2(url, { authProvider: provider as never }))
        const { tools } = await client.listTools()
        await client.close()
        return tools.length
      },
    }
  },
}

describe.each(Object.entries(CLIENTS))('the client %s', (_name, open) => {
  test.each(['127.0.0.1', 'localhost'])('that was given %s signs in and lists the tools', async (host) => {
    for (const path of ['/mcp', '/mcp/']) {
      const { stored, provider } = createProvider()
      const client = await open(new URL(`http://${host}:${port}${path}`), provider)
      await expect(client.connect()).rejects.toThrow(/Unauthorized|authorization/i)
      await client.finish(await allow(stored.sentTo as URL))
      expect(await client.tools()).toBe(10)
    }
  })
})

describe('documents and challenges', () => {
  const at = (host: string, path: string, init: RequestInit = {}) =>
    souk.app.request(`${baseUrl}${path}`, { ...init, headers: { host, ...init.headers } })

  test.each([`127.0.0.1:${port}`, `[::1]:${port}`, `localhost:${port}`, `127.9.9.9:${port}`])(
    'name the tool server as it was addressed: %s',
    async (host) => {
      const document = await at(host, '/.well-known/oauth-protected-resource/mcp')
      expect(await document.json()).toMatchObject({
        resource: `http://${host}/mcp`,
        authorization_servers: [baseUrl],
      })
      const refused = await at(host, '/mcp', { method: 'POST', body: '{}' })
      expect(refused.status).toBe(401)
      expect(refused.headers.get('www-authenticate')).toContain(
        `resource_metadata="http://${host}/.well-known/oauth-protected-resource/mcp"`,
      )
    },
  )

  test.each([
    'evil.example',
    `evil.example:${port}`,
    '127.0.0.1:1',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
  ])('never name a host that is not this machine at this port: %s', async (host) => {
    const document = await at(host, '/.well-known/oauth-protected-resource/mcp')
    expect(await document.json()).toMatchObject({ resource: `${baseUrl}/mcp` })
  })

  test('a page whose name was made to lead here is still turned away', async () => {
    expect((await at(`evil.example:${port}`, '/mcp', { method: 'POST', body: '{}' })).status).toBe(403)
  })
})

describe('people', () => {
  const open = (path: string, init: RequestInit = {}) =>
    fetch(`${numeric}${path}`, { redirect: 'manual', headers: { accept: 'text/html' }, ...init })

  test('who open a page as 127.0.0.1 are led to the base URL, path and query kept', async () => {
    for (const path of [
      '/',
      '/search?q=a+lamp&sort=rating',
      '/auth/signin?return_to=%2Faccount',
      '//evil.example/x',
    ]) {
      const answer = await open(path)
      expect([answer.status, answer.headers.get('location')]).toEqual([307, `${baseUrl}${path}`])
      expect(answer.headers.get('cache-control')).toContain('no-store')
    }
  })

  test('programs and forms are never led anywhere', async () => {
    expect((await open('/healthz')).status).toBe(200)
    expect((await open('/.well-known/agent.json')).status).toBe(200)
    expect((await open('/api/nothing')).status).toBe(404)
    expect((await open('/llms.txt', { headers: { accept: '*/*' } })).status).not.toBe(307)
    const form = await open('/auth/signin', { method: 'POST', body: new URLSearchParams({ email: 'a' }) })
    expect(form.status).not.toBe(307)
  })

  test('at the base URL nobody is led on', async () => {
    const answer = await fetch(`${baseUrl}/`, { redirect: 'manual', headers: { accept: 'text/html' } })
    expect(answer.status).toBe(200)
  })
})

test('a server at a public name keeps its rules', async () => {
  const strict = await createTestApp({ config: testConfig({ SOUK_BASE_URL: 'https://souk.example' }) })
  const headers = { host: '127.0.0.1:3000', accept: 'text/html' }
  expect((await strict.app.request('https://souk.example/', { headers })).status).toBe(200)
  const document = await strict.app.request('https://souk.example/.well-known/oauth-protected-resource/mcp', {
    headers,
  })
  expect(await document.json()).toMatchObject({ resource: 'https://souk.example/mcp' })
})

test('the log says at start that the names differ', () => {
  const apart = (host: string, address: string) => namesApart({ host, baseUrl: address })
  expect(apart('127.0.0.1', 'http://localhost:3000')).toContain('programs can use both names')
  expect(apart('::1', 'http://127.0.0.1:3000')).toContain('HOST is ::1')
  expect(apart('localhost', 'http://localhost:3000')).toBeNull()
  expect(apart('0.0.0.0', 'http://localhost:3000')).toBeNull()
  expect(apart('127.0.0.1', 'https://souk.example')).toBeNull()
  expect(asAddressed('https://souk.example/mcp', '127.0.0.1')).toBe('https://souk.example/mcp')
})
