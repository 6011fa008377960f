/**
 * Clients with a metadata document: served over TLS on loopback, reached by name through the allow list. Where a refusal
 * must come before any connection, connections are counted: an error from the network would prove nothing.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { parseOutboundAllow } from '../../src/lib/outbound.allow.ts'
import { createOutbound, type Outbound } from '../../src/lib/outbound.ts'
import { serve } from '../loopback.ts'
import { rehearse } from '../rehearse.ts'
import { createTestCa } from '../tls.ts'
import { createOauthWorld, pkce, REDIRECT, requestFor } from './oauth.world.ts'

const authority = createTestCa()
let respond: (request: IncomingMessage, response: ServerResponse) => void = () => {}
let asked = 0
const server = await serve(
  (request, response) => {
    asked += 1
    respond(request, response)
  },
  authority.certFor(['client.test', 'localhost']),
)
const real = createOutbound({
  allow: parseOutboundAllow(`client.test=127.0.0.1:${server.port},localhost:${server.port}`),
  ca: authority.ca,
})
/** How many times shorter than they are meant requests give up. */
let hurry = 1
const outbound: Outbound = {
  ...real,
  request: (input) => real.request({ ...input, timeoutMs: input.timeoutMs / hurry }),
}
afterAll(() => server.close())
const world = await createOauthWorld({ outbound })
const person = await world.addPerson()

let number = 0
/** A URL nobody asked for before, so that no test sees another's cached outcome. */
const freshUrl = () => `https://client.test/clients/${++number}.json`

type Fields = Record<string, unknown>
const good = (url: string, changes: Fields = {}): Fields => ({
  client_id: url,
  client_name: 'Document client',
  client_uri: 'https://client.test/',
  redirect_uris: [REDIRECT, 'http://127.0.0.1/cb'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  ...changes,
})

function serving(body: unknown, status = 200, headers: Record<string, string> = {}): void {
  respond = (_request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

const ask = (url: string, redirectUri = REDIRECT) =>
  world.authorize(new URLSearchParams(requestFor(url, pkce().challenge, redirectUri)), person.cookie)

async function refusal(url: string, redirectUri?: string): Promise<string> {
  const answer = await world.nothingIssued(() => ask(url, redirectUri))
  expect(answer.status).toBe(400)
  expect(answer.headers.get('location')).toBeNull()
  return /invalid request: ([^<]*?)\. Ask/.exec(await answer.text())?.[1] ?? ''
}

beforeEach(() => {
  asked = 0
})

test('a good document is asked for once, and the person is shown its host', async () => {
  const url = freshUrl()
  serving(good(url))
  const page = await ask(url)
  expect(page.status).toBe(200)
  const html = await page.text()
  expect(html).toContain('Document client')
  expect(html).toContain('client.test')
  expect(html).toContain('client.example')
  expect(asked).toBe(1)
})

test('its redirect addresses hold as registered ones do', async () => {
  const url = freshUrl()
  serving(good(url))
  expect(await refusal(url, `${REDIRECT}/`)).toContain('redirect_uri')
  expect((await ask(url, 'http://127.0.0.1:49152/cb')).status).toBe(200)
})

describe('refused without a connection', () => {
  const { port } = server
  test.each([
    ['http', 'http://client.test/doc.json', 'must start with https'],
    ['localhost', 'https://localhost/doc.json', 'localhost is not accepted'],
    [
      'localhost though the operator opened it',
      `https://localhost:${port}/doc.json`,
      'localhost is not accepted',
    ],
    ['a name under localhost', 'https://app.localhost/doc.json', 'localhost is not accepted'],
    ['a loopback address', 'https://127.0.0.1/doc.json', 'which is not allowed'],
    ['a private address', 'https://10.1.2.3/doc.json', 'which is not allowed'],
    ['a link-local address', 'https://169.254.169.254/latest/meta-data', 'which is not allowed'],
    ['an IPv6 loopback', 'https://[::1]/doc.json', 'which is not allowed'],
    ['an IPv4 address in IPv6', 'https://[::ffff:7f00:1]/doc.json', 'which is not allowed'],
    ['an address as one number', 'https://2130706433/doc.json', 'not a normalized URL'],
    ['an address in octal', 'https://0177.0.0.1/doc.json', 'not a normalized URL'],
    ['no path', 'https://client.test/', 'must have a path'],
    ['a fragment', 'https://client.test/doc.json#x', 'must not have a fragment'],
    ['a user name', 'https://a@client.test/doc.json', 'must not contain a user name'],
    ['dots in the path', 'https://client.test/a/../doc.json', 'not a normalized URL'],
    ['the default port', 'https://client.test:443/doc.json', 'not a normalized URL'],
    ['capitals in the host', 'https://CLIENT.test/doc.json', 'not a normalized URL'],
  ])('%s', async (_what, url, reason) => {
    const before = server.accepted()
    expect(await refusal(url)).toContain(reason)
    expect(server.accepted()).toBe(before)
    expect(asked).toBe(0)
  })

  test.each([
    ['a private address', ['10.0.0.5']],
    ['a public and a private address', ['93.184.216.34', '192.168.1.1']],
    ['a loopback address', ['127.0.0.1']],
    ['a link-local address', ['fe80::1']],
  ])('a name that resolves to %s', async (_what, addresses) => {
    const rehearsal = rehearse({ names: { 'rebind.example': addresses } })
    const other = await createOauthWorld({ outbound: rehearsal.outbound })
    const { cookie } = await other.addPerson()
    const params = new URLSearchParams(requestFor('https://rebind.example/doc.json', pkce().challenge))
    const answer = await other.authorize(params, cookie)
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('which is not allowed')
    expect(rehearsal.resolved).toEqual(['rebind.example'])
    expect(rehearsal.dialled).toEqual([])
  })
})

describe('refused for what is there', () => {
  test.each<[string, (url: string) => void, string]>([
    ['a redirect', (url) => serving(good(url), 302, { Location: 'https://client.test/other' }), 'redirect'],
    ['another status', (url) => serving(good(url), 404), 'status 404'],
    ['64 KB', (url) => serving(good(url, { pad: 'x'.repeat(64 * 1024) })), 'KB|bytes|large|long'],
    [
      'another client_id',
      () => serving(good('https://client.test/else.json')),
      'client_id differs from its URL',
    ],
    [
      'a secret',
      (url) => serving(good(url, { token_endpoint_auth_method: 'client_secret_basic' })),
      'must be none',
    ],
    ['no redirect', (url) => serving(good(url, { redirect_uris: [] })), 'redirect_uris'],
    ['redirects missing', (url) => serving(good(url, { redirect_uris: undefined })), 'redirect_uris'],
    [
      'redirects of no use',
      (url) => serving(good(url, { redirect_uris: ['data:,x'] })),
      'no valid redirect URI',
    ],
    ['no name', (url) => serving(good(url, { client_name: undefined })), 'client_name'],
    ['an empty name', (url) => serving(good(url, { client_name: '<b></b>' })), 'client_name'],
    ['another grant', (url) => serving(good(url, { grant_types: ['implicit'] })), 'grant_types'],
    ['another response', (url) => serving(good(url, { response_types: ['token'] })), 'response_types'],
    ['no JSON', () => serving('<html>'), 'not JSON'],
    ['a list', () => serving([]), 'not an object'],
  ])('%s', async (_what, serveIt, reason) => {
    const url = freshUrl()
    serveIt(url)
    expect(await refusal(url)).toMatch(new RegExp(reason))
    expect(asked).toBe(1)
  })

  test('a document that takes longer than 5 s', async () => {
    const url = freshUrl()
    respond = (_request, response) => {
      response.writeHead(200)
      response.write('{')
    }
    hurry = 10
    expect(await refusal(url)).toContain('did not answer within 500 ms')
    hurry = 1
    server.hangUp()
  })
})

test('a document just under 64 KB is read', async () => {
  const url = freshUrl()
  const size = JSON.stringify(good(url, { pad: '' })).length
  serving(good(url, { pad: 'x'.repeat(64 * 1024 - 1 - size) }))
  expect((await ask(url)).status).toBe(200)
})

test('a good document is kept for 5 minutes', async () => {
  const url = freshUrl()
  serving(good(url))
  await ask(url)
  serving(good(url, { token_endpoint_auth_method: 'client_secret_post' }))
  world.clock.advance(5 * 60_000 - 1)
  expect((await ask(url)).status).toBe(200)
  expect(asked).toBe(1)
  world.clock.advance(1)
  expect(await refusal(url)).toContain('must be none')
  expect(asked).toBe(2)
})

test('a bad one is kept for 1 minute, and not asked for meanwhile', async () => {
  const url = freshUrl()
  serving('not yet', 500)
  expect(await refusal(url)).toContain('status 500')
  serving(good(url))
  world.clock.advance(60_000 - 1)
  expect(await refusal(url)).toContain('status 500')
  expect(asked).toBe(1)
  world.clock.advance(1)
  expect((await ask(url)).status).toBe(200)
})

test('requests that come together share one fetch', async () => {
  const url = freshUrl()
  respond = (_request, response) => {
    setTimeout(() => response.end(JSON.stringify(good(url))), 50)
  }
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(url)))
  expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(200))
  expect(asked).toBe(1)
})

test('one host is asked for 4 documents at once: the rest are told to come again', async () => {
  respond = (request, response) => {
    setTimeout(() => response.end(JSON.stringify(good(`https://client.test${request.url}`))), 200)
  }
  const urls = Array.from({ length: 10 }, freshUrl)
  const answers = await Promise.all(urls.map((url) => ask(url)))
  expect(answers.map((answer) => answer.status).sort()).toEqual([
    ...Array(4).fill(200),
    ...Array(6).fill(503),
  ])
  expect(asked).toBe(4)
})
