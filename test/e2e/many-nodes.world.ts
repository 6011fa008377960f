/** How the tests of several nodes ask one of them, and what each face does when its database is away. */
import { BASE_URL } from '../../trials/cluster.ts'
import type { Person, Producer } from '../../trials/people.ts'

export const DESK = 'standing-desks/standing-desks-1'

type Sent = {
  method?: string
  headers?: Record<string, string>
  json?: unknown
  form?: Record<string, string>
}

export async function ask(node: string, path: string, { method, headers = {}, json, form }: Sent = {}) {
  const response = await fetch(`${node}${path}`, {
    method: method ?? (json === undefined && form === undefined ? 'GET' : 'POST'),
    redirect: 'manual',
    headers: {
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
      ...(form && { Origin: BASE_URL, 'Content-Type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
    body: json === undefined ? (form ? new URLSearchParams(form) : null) : JSON.stringify(json),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

export const statusOf = async (...request: Parameters<typeof ask>) => (await ask(...request)).status
export const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

export function callTool(node: string, { token }: Person, name = 'list_categories', args: object = {}) {
  const json = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name, arguments: args } }
  return ask(node, '/mcp', { headers: { ...bearer(token), Accept: 'application/json' }, json })
}

export const searchFor = (node: string, query: string) => ask(node, '/api/search/', { json: { query } })

export type Who = { shopper: Person; producer: Producer }

/** Each face's own way to say: not now, come back in a moment. */
export const REFUSALS: Array<
  [
    what: string,
    send: (node: string, who: Who) => ReturnType<typeof ask>,
    isItsForm: (text: string) => boolean,
  ]
> = [
  [
    'a page that nobody has asked for yet',
    (node) => ask(node, '/p/kettles/kettles-7', { headers: { Accept: 'text/html' } }),
    (text) => text.includes('<title>'),
  ],
  [
    'signing in',
    (node) =>
      ask(node, '/auth/signin', {
        headers: { Accept: 'text/html' },
        form: { email: 'ada@people.example', password: 'a password that is long enough' },
      }),
    (text) => text.includes('<title>'),
  ],
  [
    'a page of somebody who is signed in',
    (node, { shopper }) =>
      ask(node, '/account', { headers: { Accept: 'text/html', Cookie: shopper.cookie } }),
    (text) => text.includes('<title>'),
  ],
  [
    'a write by REST',
    (node, { producer }) =>
      ask(node, '/api/offers/create', {
        headers: bearer(producer.bearer),
        json: { product_slug: DESK, headline: 'Not now', destination_url: `https://${producer.domain}/` },
      }),
    (text) => typeof JSON.parse(text).error === 'string',
  ],
  ['a tool', (node, { shopper }) => callTool(node, shopper), (text) => JSON.parse(text).error.code < 0],
  [
    'a message by A2A',
    (node) =>
      ask(node, '/a2a/', {
        headers: { 'A2A-Version': '1.0' },
        json: {
          jsonrpc: '2.0',
          id: 7,
          method: 'SendMessage',
          params: {
            message: {
              messageId: 'm-1',
              role: 'ROLE_USER',
              parts: [{ text: 'a quote' }],
              metadata: { skill: 'request-for-quote', product_slug: DESK },
            },
          },
        },
      }),
    (text) => JSON.parse(text).error.code < 0,
  ],
  [
    'a token',
    (node) =>
      ask(node, '/api/oauth/token', {
        form: {
          grant_type: 'refresh_token',
          refresh_token: 'souk_rt_x',
          client_id: '00000000-0000-4000-8000-000000000000',
        },
      }),
    (text) => JSON.parse(text).error === 'temporarily_unavailable',
  ],
]
