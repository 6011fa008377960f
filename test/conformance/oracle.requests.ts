/**
 * Requests for both servers, in both families of the protocol, many of them as no client should send them. A request is told apart by its name, which the table of differences refers to.
 */
import type { Role } from '../e2e/tools.samples.ts'
import type { HttpRequest } from './oracle.exchange.ts'

export type Family = 'legacy' | 'modern'
export type Asked = { name: string; as: Role } & HttpRequest
type Headers = Record<string, string | null>
export type Message = Record<string, unknown>

const PLAIN = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'oracle', version: '1' },
}

/** A header of null is left out. */
function asked(name: string, body: unknown, headers: Headers = {}, as: Role = 'consumer'): Asked {
  const all = Object.entries<string | null>({ ...PLAIN, ...headers })
  return {
    name,
    as,
    method: 'POST',
    headers: Object.fromEntries(all.filter((one): one is [string, string] => one[1] !== null)),
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }
}

export function ask(
  family: Family,
  method: string,
  params: Message | undefined,
  { name = method, as = 'consumer' as Role, headers = {} as Headers, message = {} as Message } = {},
): Asked {
  if (family === 'legacy')
    return asked(
      `legacy ${name}`,
      { jsonrpc: '2.0', id: 1, method, params, ...message },
      { 'mcp-protocol-version': '2025-11-25', ...headers },
      as,
    )
  const meta = { ...META, ...(params?._meta as Message | undefined) }
  return asked(
    `modern ${name}`,
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta }, ...message },
    {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': typeof params?.name === 'string' ? params.name : null,
      ...headers,
    },
    as,
  )
}

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const PING = { jsonrpc: '2.0', id: 2, method: 'ping' }
const initialize = (protocolVersion: unknown, more: Message = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'oracle', version: '1' }, ...more },
})
const VERSIONS = [
  '2024-10-07',
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  '2025-11-25',
  '2026-07-28',
  '1999-01-01',
]
const category = { name: 'list_categories', arguments: {} }
const plain = (name: string, body: unknown, headers: Headers = {}) => asked(name, body, headers)
const withMethod = (method: string): Asked => ({
  ...asked(`${method}`, '', { 'content-type': null }),
  method,
  body: undefined,
})

export const HANDSHAKES: Asked[] = [
  ...VERSIONS.map((version) => plain(`initialize ${version}`, initialize(version))),
  plain('initialize with a header of another version', initialize('2025-06-18'), {
    'mcp-protocol-version': '2025-11-25',
  }),
  plain('initialize without a version', initialize(undefined)),
  plain('initialize without a client', initialize('2025-11-25', { clientInfo: undefined })),
  plain('initialized', { jsonrpc: '2.0', method: 'notifications/initialized' }),
  plain('cancelled', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }),
  plain('a notification nobody knows', { jsonrpc: '2.0', method: 'notifications/nonsense' }),
  plain('a response', { jsonrpc: '2.0', id: 1, result: {} }),
  ask('legacy', 'ping', undefined),
  ask('modern', 'ping', {}),
  ask('modern', 'server/discover', {}),
  ask('legacy', 'server/discover', {}),
]

export const MALFORMED: Asked[] = [
  plain('no JSON', '{"jsonrpc":'),
  plain('no body', ''),
  plain('a number', '42'),
  plain('a text', '"tools/list"'),
  plain('null', 'null'),
  plain('an empty object', {}),
  plain('wrong jsonrpc', { ...LIST, jsonrpc: '1.0' }),
  plain('no jsonrpc', { id: 1, method: 'tools/list' }),
  plain('no method', { jsonrpc: '2.0', id: 1 }),
  plain('method of a wrong type', { jsonrpc: '2.0', id: 1, method: 7 }),
  plain('id null', { ...LIST, id: null }),
  plain('id of a wrong type', { ...LIST, id: { a: 1 } }),
  plain('id a fraction', { ...LIST, id: 1.5 }),
  plain('id a text', { ...LIST, id: 'a' }),
  plain('params an array', { ...LIST, params: [] }),
  plain('empty array', []),
  plain('array of nonsense', [1, 'two']),
  plain('batch', [LIST, PING]),
  plain('batch of one', [PING]),
  plain('batch with a notification', [{ jsonrpc: '2.0', method: 'notifications/initialized' }, PING]),
  plain('batch of notifications', [{ jsonrpc: '2.0', method: 'notifications/initialized' }]),
  plain('batch with initialize', [initialize('2025-11-25'), PING]),
  plain('batch with an unknown method', [{ ...LIST, method: 'nonsense' }, PING]),
  plain('batch with a modern message', [{ ...LIST, params: { _meta: META } }], {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/list',
  }),
]

export const FAMILIES: Family[] = ['legacy', 'modern']

export const MISDIRECTED: Asked[] = FAMILIES.flatMap((family) => [
  ask(family, 'nonsense', {}),
  ask(family, 'logging/setLevel', { level: 'info' }),
  ask(family, 'tools/list', { cursor: 'made-up' }, { name: 'tools/list with a cursor' }),
  ask(family, 'tools/list', { cursor: 5 }, { name: 'tools/list with a cursor of a wrong type' }),
  ask(family, 'tools/call', { name: 'search_product' }, { name: 'tool unknown, near one' }),
  ask(family, 'tools/call', { name: 'teleport' }, { name: 'tool unknown, near none' }),
  ask(family, 'tools/call', { name: '__proto__' }, { name: 'tool unknown, of every object' }),
  ask(family, 'tools/call', { name: 'list_team_members' }, { name: 'tool of producers, by a consumer' }),
  ask(family, 'tools/call', {}, { name: 'tool without a name' }),
  ask(family, 'tools/call', { name: 7 }, { name: 'tool name of a wrong type' }),
  ask(family, 'tools/call', { ...category, arguments: 'x' }, { name: 'arguments a text' }),
  ask(family, 'tools/call', { ...category, arguments: [] }, { name: 'arguments an array' }),
  ask(family, 'tools/call', { ...category, arguments: null }, { name: 'arguments null' }),
  ask(family, 'tools/call', { name: category.name }, { name: 'arguments left out' }),
])

export const HEADERS: Asked[] = [
  ask(
    'modern',
    'tools/list',
    {},
    { name: 'without version header', headers: { 'mcp-protocol-version': null } },
  ),
  ask(
    'modern',
    'tools/list',
    {},
    { name: 'version header differs', headers: { 'mcp-protocol-version': '2025-11-25' } },
  ),
  ask('modern', 'tools/list', {}, { name: 'without Mcp-Method', headers: { 'mcp-method': null } }),
  ask('modern', 'tools/list', {}, { name: 'Mcp-Method differs', headers: { 'mcp-method': 'tools/call' } }),
  ask('modern', 'tools/call', category, { name: 'without Mcp-Name', headers: { 'mcp-name': null } }),
  ask('modern', 'tools/call', category, { name: 'Mcp-Name differs', headers: { 'mcp-name': 'get_product' } }),
  ask('modern', 'tools/call', category, {
    name: 'Mcp-Name encoded',
    headers: { 'mcp-name': `=?base64?${btoa(category.name)}?=` },
  }),
  ask('modern', 'tools/call', category, {
    name: 'Mcp-Name encoded badly',
    headers: { 'mcp-name': '=?base64?***?=' },
  }),
  ask(
    'modern',
    'tools/list',
    {},
    { name: 'notification', message: { id: undefined, method: 'notifications/cancelled' } },
  ),
  plain('modern without _meta', LIST, { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }),
  ask(
    'modern',
    'tools/list',
    { _meta: { 'io.modelcontextprotocol/clientCapabilities': undefined } },
    { name: 'without capabilities' },
  ),
  ask(
    'modern',
    'tools/list',
    { _meta: { 'io.modelcontextprotocol/clientCapabilities': 'all' } },
    { name: 'capabilities a text' },
  ),
  ask(
    'modern',
    'tools/list',
    { _meta: { 'io.modelcontextprotocol/clientInfo': undefined } },
    { name: 'without client info' },
  ),
  ask(
    'modern',
    'tools/list',
    { _meta: { 'io.modelcontextprotocol/protocolVersion': '2030-01-01' } },
    { name: 'of a version to come', headers: { 'mcp-protocol-version': '2030-01-01' } },
  ),
  ask('modern', 'initialize', {
    protocolVersion: '2026-07-28',
    capabilities: {},
    clientInfo: { name: 'a', version: '1' },
  }),
  ask('modern', 'subscriptions/listen', {}, { name: 'subscriptions/listen' }),
  ...['2024-11-05', '2025-03-26', '2025-06-18', '1999-01-01', 'nonsense', ''].map((version) =>
    ask('legacy', 'tools/call', category, {
      name: `tools/call of version "${version}"`,
      headers: { 'mcp-protocol-version': version },
    }),
  ),
  ask('legacy', 'tools/call', category, {
    name: 'without a version',
    headers: { 'mcp-protocol-version': null },
  }),
  ask('legacy', 'tools/call', category, { name: 'with a session', headers: { 'mcp-session-id': 'made-up' } }),
]

const ACCEPTS = {
  both: PLAIN.accept,
  json: 'application/json',
  events: 'text/event-stream',
  anything: '*/*',
  nothing: null,
  pictures: 'image/png',
}
const TYPES = {
  'with a charset': 'application/json; charset=utf-8',
  'in capitals': 'Application/JSON',
  text: 'text/plain',
  form: 'application/x-www-form-urlencoded',
  'of a dialect': 'application/vnd.api+json',
  missing: null,
}

export const TRANSPORT: Asked[] = [
  ...['GET', 'DELETE', 'PUT', 'PATCH'].map(withMethod),
  ...FAMILIES.flatMap((family) => [
    ...Object.entries(ACCEPTS).map(([name, accept]) =>
      ask(family, 'tools/call', category, { name: `Accept ${name}`, headers: { accept } }),
    ),
    ...Object.entries(TYPES).map(([name, type]) =>
      ask(family, 'tools/call', category, {
        name: `Content-Type ${name}`,
        headers: { 'content-type': type },
      }),
    ),
  ]),
]
