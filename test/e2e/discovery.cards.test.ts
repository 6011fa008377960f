/**
 * What the files for agents say is what the faces do: mcp.json against the tool server, agent cards against both versions
 * of their protocol. And no request can change an address in any of them.
 */
import { AgentCard } from '@a2a-js/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { BASE_URL, createTestApp, testConfig } from '../harness.ts'
import { createToolsWorld, type ToolPerson, type ToolsWorld } from '../tools.world.ts'
import { CARD_RULES } from './discovery.a2a-rules.ts'
import { DOCUMENTS } from './discovery.world.ts'

type Listed = { name: string }
type McpJson = {
  name: string
  title: string
  version: string
  endpoint: string
  instructions: string
  protocolVersions: string[]
  otherEndpoints: Array<{ url: string; tools?: string[] }>
  authentication: Record<string, unknown> & { resourceMetadata: string; authorizationServerMetadata: string }
  quota: { requests: number; headers: string[] }
  tools: Listed[]
  audiences: { everyone: string[]; producers: string[] }
  clients: Array<{ id: string; text: string }>
}

let world: ToolsWorld
let people: { consumer: ToolPerson; producer: ToolPerson }
let file: McpJson

beforeAll(async () => {
  world = await createToolsWorld()
  people = { consumer: await world.person(), producer: await world.person({ producer: true }) }
  file = await read('/.well-known/mcp.json')
})

async function read<Content>(path: string, headers: Record<string, string> = {}): Promise<Content> {
  const answer = await world.app.request(path, { headers })
  expect(answer.status).toBe(200)
  return (await answer.json()) as Content
}

async function rpc(address: string, message: object, headers: Record<string, string> = {}) {
  const answer = await world.app.request(address, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${people.producer.token}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  })
  return { answer, result: ((await answer.json()) as { result: Record<string, unknown> }).result }
}

async function listFor({ token }: ToolPerson): Promise<Listed[]> {
  const { result } = await rpc(file.endpoint, { method: 'tools/list' }, { authorization: `Bearer ${token}` })
  return result.tools as Listed[]
}

describe('mcp.json', () => {
  test('has every tool exactly as the tool server lists it to a producer', async () => {
    expect(file.tools).toEqual(await listFor(people.producer))
  })

  test('tells who sees which tool', async () => {
    const names = async (person: ToolPerson) => (await listFor(person)).map(({ name }) => name)
    expect(file.audiences.everyone).toEqual(await names(people.consumer))
    const all = [...file.audiences.everyone, ...file.audiences.producers]
    expect(all.toSorted()).toEqual((await names(people.producer)).toSorted())
  })

  test('names the tools of each further endpoint that has its own', async () => {
    for (const { url, tools } of file.otherEndpoints) {
      const listed = (await rpc(url, { method: 'tools/list' })).result.tools as Listed[]
      expect(listed.map(({ name }) => name)).toEqual(tools ?? file.tools.map(({ name }) => name))
    }
    expect(file.otherEndpoints.map(({ url }) => url)).toEqual([
      `${BASE_URL}/sse`,
      `${BASE_URL}/mcp/connector`,
      `${BASE_URL}/mcp/shopping`,
      `${BASE_URL}/mcp/selling`,
      `${BASE_URL}/mcp/readonly`,
    ])
  })

  test('is about the server that answers the handshake', async () => {
    const { name, title, version, instructions } = file
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    }
    const { result } = await rpc(file.endpoint, { method: 'initialize', params })
    expect(result).toMatchObject({ serverInfo: { name, title, version }, instructions })
  })

  test('claims only versions of the protocol that are spoken', async () => {
    const [newest, ...older] = file.protocolVersions
    for (const protocolVersion of older) {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'a', version: '1' } }
      const { result } = await rpc(file.endpoint, { method: 'initialize', params })
      expect(result.protocolVersion).toBe(protocolVersion)
    }
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': newest,
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const headers = { 'MCP-Protocol-Version': newest ?? '', 'Mcp-Method': 'server/discover' }
    const { result } = await rpc(file.endpoint, { method: 'server/discover', params: { _meta } }, headers)
    expect(result.supportedVersions).toEqual([newest])
  })

  test('leads to the metadata by which a client signs in', async () => {
    const { authentication } = file
    const ofResource = await read<Record<string, unknown>>(authentication.resourceMetadata)
    expect(ofResource).toMatchObject({
      resource: file.endpoint,
      authorization_servers: authentication.authorizationServers,
      scopes_supported: authentication.scopes,
    })
    const ofServer = await read<Record<string, unknown>>(authentication.authorizationServerMetadata)
    expect([ofServer.issuer]).toEqual(authentication.authorizationServers)
  })

  test('tells the quota that every answer carries', async () => {
    const { answer } = await rpc(file.endpoint, { method: 'ping' })
    for (const name of file.quota.headers) expect(answer.headers.has(name), name).toBe(true)
    expect(answer.headers.get('x-ratelimit-limit')).toBe(String(file.quota.requests))
  })

  test('has lines for curl that the tool server answers as they stand', async () => {
    await world.searchRuntime.fill()
    const lines = file.clients.find(({ id }) => id === 'curl')?.text ?? ''
    const commands = lines.replaceAll('\\\n', '').split('\n')
    expect(commands).toHaveLength(2)
    for (const command of commands) {
      const [, address = '', body = ''] = /^curl -s (\S+) .* -d '(.*)'$/.exec(command) ?? []
      const headers = new Headers()
      for (const [, name = '', value = ''] of command.matchAll(/-H ["']([^:]+): ([^"']+)["']/g))
        headers.set(name, value.replace('$TOKEN', people.consumer.token))
      const answer = await world.app.request(address, { method: 'POST', headers, body })
      expect(answer.status).toBe(200)
      const { result } = (await answer.json()) as { result: { isError?: boolean } }
      expect(result).toBeDefined()
      expect(result.isError ?? false).toBe(false)
    }
  })
})

test('the server card is about the same server', async () => {
  const card = await read<Record<string, unknown>>('/mcp/server-card')
  expect(card).toMatchObject({
    title: file.title,
    version: file.version,
    remotes: [{ url: file.endpoint, supportedProtocolVersions: file.protocolVersions }],
  })
})

describe('the agent card', () => {
  const PATHS = ['', '/a2a'].flatMap((below) => [
    `${below}/.well-known/agent-card.json`,
    `${below}/.well-known/agent.json`,
  ])
  const issuesOf = (rules: (typeof CARD_RULES)[keyof typeof CARD_RULES]['own'], card: unknown) =>
    rules.safeParse(card).error?.issues ?? []

  test.each(PATHS.flatMap((path) => (['0.3', '1.0'] as const).map((version) => [path, version] as const)))(
    '%s for version %s is a card of that version and nothing else',
    async (path, version) => {
      expect(issuesOf(CARD_RULES[version].own, await read(path, { 'A2A-Version': version }))).toEqual([])
    },
  )

  test.each(PATHS)('%s for who names no version is a card of both', async (path) => {
    const card = await read(path)
    expect(issuesOf(CARD_RULES['0.3'].shared, card)).toEqual([])
    expect(issuesOf(CARD_RULES['1.0'].shared, card)).toEqual([])
  })

  test('the library of 1.0 reads it without losing anything', async () => {
    const card = await read('/.well-known/agent-card.json', { 'A2A-Version': '1.0' })
    expect(AgentCard.toJSON(AgentCard.fromJSON(card))).toEqual(card)
  })

  test.each(['0.3', '1.0'] as const)('without its skills it is no card of %s', async (version) => {
    const card = await read<Record<string, unknown>>(PATHS[0] ?? '', { 'A2A-Version': version })
    for (const rules of Object.values(CARD_RULES[version]))
      for (const member of ['name', 'skills', 'capabilities', 'defaultInputModes'])
        expect(issuesOf(rules, { ...card, [member]: undefined }), member).not.toEqual([])
  })
})

describe('a tool server with an address below a path, which its proxy takes away', () => {
  const mcpUrl = 'https://tools.example/agents'
  let souk: Awaited<ReturnType<typeof createTestApp>>
  beforeAll(async () => {
    souk = await createTestApp({ config: testConfig({ SOUK_MCP_URL: `${mcpUrl}/` }) })
  })
  /** As the proxy hands it over: what is below the path without it, well-known files of the host as they are. */
  const ask = (address: string, init?: RequestInit) =>
    souk.app.request(address.replace(`${mcpUrl}/`, 'https://tools.example/'), init)

  test('is named with it in mcp.json, and its card is where that says', async () => {
    const { endpoint, serverCard, otherEndpoints } = (await (
      await souk.app.request('/.well-known/mcp.json')
    ).json()) as McpJson & { serverCard: string }
    const all = [endpoint, ...otherEndpoints.map(({ url }) => url)]
    expect(all).toEqual(
      ['mcp', 'sse', 'mcp/connector', 'mcp/shopping', 'mcp/selling', 'mcp/readonly'].map(
        (path) => `${mcpUrl}/${path}`,
      ),
    )
    expect(await (await ask(serverCard)).json()).toMatchObject({ remotes: [{ url: endpoint }] })
  })

  test.each(['/mcp', '/mcp/', '/sse', '/mcp/connector'])(
    'leads anyone who comes to %s without a token to a document about that address',
    async (path) => {
      const answer = await ask(mcpUrl + path, { method: 'POST', body: '{}' })
      expect(answer.status).toBe(401)
      const named =
        /resource_metadata="([^"]+)"/.exec(answer.headers.get('www-authenticate') ?? '')?.[1] ?? ''
      expect(named).toBe(`https://tools.example/.well-known/oauth-protected-resource/agents${path}`)
      expect(await (await ask(named)).json()).toMatchObject({ resource: mcpUrl + path })
    },
  )
})

describe.each([
  ['no proxy is trusted', '0'],
  ['a proxy is trusted', '1'],
])('when %s', (_when, trustProxy) => {
  let souk: Awaited<ReturnType<typeof createTestApp>>
  beforeAll(async () => {
    souk = await createTestApp({ config: testConfig({ SOUK_TRUST_PROXY: trustProxy }) })
    // The first to ask has the key made; later its members come from the database, in another order.
    await souk.app.request('/.well-known/jwks.json')
  })

  const lies = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-port': '666',
    forwarded: 'host=evil.example;proto=https',
    'x-original-host': 'evil.example',
  }

  test.each(DOCUMENTS)('what a request says of our address changes nothing in %s', async (path) => {
    const honest = await souk.app.request(`${BASE_URL}${path}`)
    expect(honest.status).toBe(200)
    const text = await honest.text()
    // As the server hands it over: the address of a request is made from its Host.
    const deceived = await souk.app.request(`http://evil.example${path}`, { headers: lies })
    expect(deceived.status).toBe(200)
    expect(await deceived.text()).toBe(text)
    expect(text).not.toContain('evil.example')
    expect(deceived.headers.get('etag')).toBe(honest.headers.get('etag'))
    expect(JSON.stringify([...deceived.headers])).not.toContain('evil.example')
  })
})
