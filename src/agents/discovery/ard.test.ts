/**
 * ard.json by the rules of its specification (0.91: what an entry must and should have) together with the closed top level
 * that readers of its older name insist on; the server card by those of SEP-2127.
 */
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { writeArd } from './ard.ts'
import { writeServerCard } from './mcp-json.ts'

const SITES = [
  'https://souk.example',
  'http://localhost:3000',
  'http://127.0.0.1:3000',
  'http://[::1]:3000',
  'https://10.example:8443',
  'http://souk_app:3000',
].map((baseUrl) => ({ baseUrl, mcpUrl: `${baseUrl}/agents` }))

const Entry = z.strictObject({
  identifier: z.string().regex(/^urn:air:[a-zA-Z0-9.-]+(:[a-zA-Z0-9._-]+)+$/),
  displayName: z.string().min(1),
  type: z.string().regex(/^[a-z]+\/[a-z0-9.+-]+$/),
  url: z.url(),
  description: z.string().min(1),
  tags: z.array(z.string().min(1)),
  capabilities: z.array(z.string().min(1)).min(1).optional(),
  representativeQueries: z.array(z.string().min(1)).min(2).max(5),
  version: z.string().optional(),
})

const Manifest = z.strictObject({
  specVersion: z.literal('1.0'),
  host: z.strictObject({
    displayName: z.string().min(1),
    identifier: z.string().regex(/^[a-zA-Z0-9.-]+$/),
    documentationUrl: z.url(),
  }),
  entries: z.array(Entry).min(1),
})

const ServerCard = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'),
  name: z
    .string()
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  websiteUrl: z.url(),
  remotes: z
    .array(
      z.strictObject({
        type: z.literal('streamable-http'),
        url: z.string().regex(/^https?:\/\/\S+$/),
        supportedProtocolVersions: z.array(z.iso.date()).min(1),
      }),
    )
    .length(1),
})

describe.each(SITES)('at $baseUrl', (site) => {
  test('the list of resources keeps to the specification', () => {
    expect(Manifest.safeParse(writeArd(site)).error?.issues ?? []).toEqual([])
  })

  test('no two resources share a name or a place', () => {
    const { entries } = writeArd(site)
    expect(new Set(entries.map(({ identifier }) => identifier)).size).toBe(entries.length)
    expect(new Set(entries.map(({ url }) => url)).size).toBe(entries.length)
  })

  test('the server card keeps to its schema', () => {
    expect(ServerCard.safeParse(writeServerCard(site)).error?.issues ?? []).toEqual([])
  })
})

test.each([
  ['https://souk.shop.example', 'example.shop.souk/souk', 'souk.shop.example'],
  ['http://localhost:3000', 'localhost/souk', 'localhost'],
  ['http://127.0.0.1:3000', 'localhost/souk', 'localhost'],
  ['http://[::1]:3000', 'localhost/souk', 'localhost'],
])('at %s things are named by the domain, and by localhost without one', (baseUrl, card, host) => {
  const site = { baseUrl, mcpUrl: baseUrl }
  expect(writeServerCard(site).name).toBe(card)
  expect(writeArd(site).host.identifier).toBe(host)
  expect(writeArd(site).entries[0]?.identifier).toBe(`urn:air:${host}:mcp:souk`)
})

test('every face and every file for machines is in the list', () => {
  const site = { baseUrl: 'https://souk.example', mcpUrl: 'https://tools.example' }
  expect(writeArd(site).entries.map(({ type, url }) => [url, type])).toEqual([
    ['https://tools.example/mcp/server-card', 'application/mcp-server-card+json'],
    ['https://souk.example/.well-known/mcp.json', 'application/json'],
    ['https://souk.example/.well-known/agent-card.json', 'application/a2a-agent-card+json'],
    ['https://souk.example/.well-known/ucp', 'application/json'],
    ['https://souk.example/openapi.json', 'application/vnd.oai.openapi+json'],
    ['https://souk.example/llms.txt', 'text/plain'],
    ['https://souk.example/llms-full.txt', 'text/plain'],
    ['https://souk.example/feeds/products.jsonl', 'application/jsonl'],
    ['https://souk.example/feeds/google.tsv', 'text/tab-separated-values'],
  ])
})
