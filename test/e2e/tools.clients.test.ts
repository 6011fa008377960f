/**
 * Clients we did not write, with a token in hand: each lists the tools and calls every one. They hold each answer against
 * the tool's output schema themselves, and throw when it does not fit; that they do is tried on an answer made wrong.
 */
import {
  type ClientOptions,
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, describe, expect, test } from 'vitest'
import { TOOLS } from '../../src/agents/mcp/registry.ts'
import { createSampleWorld, listenOn, serveTools } from './tools.live.ts'
import { type Arguments, argumentsOf, type Role, SAMPLES } from './tools.samples.ts'

const world = await createSampleWorld()
const url = await serveTools(world)
const self = { name: 'real-client', version: '1.0.0' }

type Result = { content?: unknown; structuredContent?: unknown; isError?: unknown }
type Client = {
  version(): string | undefined
  instructions(): string | undefined
  names(): Promise<string[]>
  call(name: string, args: Arguments): Promise<Result>
  close(): Promise<void>
}

async function openV1(address: string, requestInit: RequestInit): Promise<Client> {
  const client = new ClientV1(self)
  const transport = new TransportV1(new URL(address), { requestInit })
  await client.connect(transport)
  return {
    version: () => transport.protocolVersion,
    instructions: () => client.getInstructions(),
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => (await client.callTool({ name, arguments: args })) as Result,
    close: () => client.close(),
  }
}

const openV2 =
  (options: ClientOptions) =>
  async (address: string, requestInit: RequestInit): Promise<Client> => {
    const client = new ClientV2(self, options)
    await client.connect(new TransportV2(new URL(address), { requestInit }))
    return {
      version: () => client.getNegotiatedProtocolVersion(),
      instructions: () => client.getInstructions(),
      names: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, args) => (await client.callTool({ name, arguments: args })) as Result,
      close: () => client.close(),
    }
  }

const CLIENTS = [
  { client: 'v1', speaks: '2025-11-25', open: openV1 },
  { client: 'v2 as it comes', speaks: '2025-11-25', open: openV2({}) },
  {
    client: 'v2 of the new revision',
    speaks: '2026-07-28',
    open: openV2({ versionNegotiation: { mode: 'auto' } }),
  },
]

const EVERYONE = TOOLS.filter(({ audience }) => audience === 'everyone').map(({ name }) => name)

describe.each(CLIENTS)('the client $client', ({ speaks, open }) => {
  const opened = new Map<Role, Promise<Client>>()
  afterAll(async () => {
    for (const client of opened.values()) await (await client).close()
  })
  const clientOf = (role: Role): Promise<Client> => {
    const authorization = `Bearer ${world.people[role].token}`
    const client = opened.get(role) ?? open(url, { headers: { authorization } })
    opened.set(role, client)
    return client
  }

  test(`connects in ${speaks} and reads the instructions`, async () => {
    const client = await clientOf('consumer')
    expect(client.version()).toBe(speaks)
    expect(client.instructions()).toContain('search_products')
  })

  test('sees 10 tools as a consumer and 29 as a producer', async () => {
    expect(await (await clientOf('consumer')).names()).toEqual(EVERYONE)
    expect(await (await clientOf('producer')).names()).toEqual(TOOLS.map(({ name }) => name))
  })

  test.each(SAMPLES.map((sample, at) => [sample.tool, at, sample] as const))(
    'calls %s (call %i)',
    async (tool, _at, sample) => {
      const client = await clientOf(sample.as)
      const { content, structuredContent, isError } = await client.call(tool, argumentsOf(sample, world))
      const text = JSON.stringify(content)
      expect(isError ?? false, text).toBe(false)
      expect(content).toEqual([{ type: 'text', text: expect.stringMatching(sample.says) }])
      expect(structuredContent).toBeTypeOf('object')
    },
  )

  test('hears a refusal as a result', async () => {
    const client = await clientOf('consumer')
    const refused = await client.call('get_product', { category: 'kettles', slug: 'no-such' })
    expect(refused.isError).toBe(true)
  })

  test('would not take an answer that breaks the output schema', async () => {
    const broken = await open(await spoilt(), {
      headers: { authorization: `Bearer ${world.people.consumer.token}` },
    })
    await broken.names()
    await expect(broken.call('list_categories', {})).rejects.toThrow(/schema/i)
    await broken.close()
  })
})

test('the calls cover every tool', () => {
  expect(new Set(SAMPLES.map(({ tool }) => tool))).toEqual(new Set(TOOLS.map(({ name }) => name)))
})

/** The tool server through somebody who turns the numbers of categories into texts. */
function spoilt(): Promise<string> {
  return listenOn(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
    const answer = await fetch(url, {
      method: request.method ?? 'POST',
      headers: headers as Record<string, string>,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    const text = (await answer.text()).replaceAll(/"product_count":(\d+)/g, '"product_count":"$1"')
    const type = answer.headers.get('content-type')
    response.writeHead(answer.status, type === null ? {} : { 'Content-Type': type }).end(text)
  }).then((origin) => `${origin}/mcp`)
}
