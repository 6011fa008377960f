/** Bad answers, each with the kind of finding that it must be; what is not said is as in a good one. */
import type { Answer, Attempt } from '../../trials/fuzz/attempt.ts'

export const ATTEMPT: Attempt = {
  face: 'rest',
  operation: 'GET /api/org/',
  method: 'GET',
  path: '/api/org/',
  headers: {},
  body: null,
  caller: { kind: 'shopper', headers: {}, sells: [], own: ['souk_at_of_the_caller_and_of_nobody_else'] },
  mutations: [],
}
export const SECRETS = {
  tokens: new Set(['souk_at_of_somebody_else_entirely_x']),
  inside: ['the secret of the node'],
}

export type Bad = {
  what: string
  kind: string
  about?: Partial<Attempt>
  answer: Partial<Answer>
  text?: string
  type?: string
}

export function answerOf({
  answer,
  text = '{"error":"no","code":"not_found"}',
  type = 'application/json',
}: Bad): Answer {
  const headers = {
    'content-type': [type],
    'x-request-id': ['of-a-test'],
    'x-content-type-options': ['nosniff'],
  }
  return {
    status: 404,
    body: Buffer.from(text),
    cut: false,
    requestId: 'of-a-test',
    ...answer,
    headers: { ...headers, ...answer.headers },
  }
}

const MCP = { path: '/mcp/' }
const PAGE = { path: '/search' }
const HTML = 'text/html; charset=UTF-8'
const page = (inner: string) => `<!doctype html><html><body>${inner}</body></html>`
const rpc = (inner: string) => `{"jsonrpc":"2.0","id":1,${inner}}`

export const BAD_ANSWERS: Bad[] = [
  { what: 'no answer in time', kind: 'hang', answer: { status: 0, cause: 'hangs' } },
  { what: 'a broken connection', kind: 'no answer', answer: { status: 0, cause: 'other side closed' } },
  { what: 'a server error', kind: 'server error', answer: { status: 500 } },
  {
    what: 'a node with too much to do',
    kind: 'turned away',
    answer: { status: 503, headers: { 'retry-after': ['1'] } },
  },
  { what: 'a 503 that does not say when', kind: 'server error', answer: { status: 503 } },
  { what: 'no request id', kind: 'no request id', answer: { headers: { 'x-request-id': [] } } },
  {
    what: 'no security headers',
    kind: 'no security headers',
    answer: { headers: { 'x-content-type-options': [] } },
  },
  {
    what: 'a header of the caller',
    kind: 'header injected',
    answer: { headers: { 'x-souk-injected': ['1'] } },
  },
  { what: 'a 405 that does not say what is allowed', kind: '405 without Allow', answer: { status: 405 } },
  {
    what: 'a way to elsewhere',
    kind: 'leads elsewhere',
    about: PAGE,
    answer: { status: 303, headers: { location: ['//elsewhere.example'] } },
  },
  { what: 'bytes that are no text', kind: 'not UTF-8', answer: { body: Buffer.from([0x22, 0xff, 0x22]) } },
  { what: 'malformed JSON', kind: 'not JSON', answer: {}, text: '{"error":' },
  { what: 'half a surrogate pair', kind: 'lone surrogate', answer: {}, text: '{"error":"\\ud800"}' },
  {
    what: 'a stack trace',
    kind: 'leak: stack trace',
    answer: {},
    text: 'Error\n    at work (file:///a.js:1:1)',
  },
  {
    what: 'words of SQL',
    kind: 'leak: SQL',
    answer: {},
    text: '{"error":"syntax error at or near \\"x\\""}',
  },
  { what: 'names of the database', kind: 'leak: database', answer: {}, text: '{"error":"pg_catalog"}' },
  { what: 'names of the program', kind: 'leak: program', answer: {}, text: '{"error":"TypeError: x"}' },
  { what: 'names of the system', kind: 'leak: system', answer: {}, text: '{"error":"connect ECONNREFUSED"}' },
  { what: 'a secret', kind: 'leak: inside', answer: {}, text: '{"error":"the secret of the node"}' },
  {
    what: 'a token of somebody else',
    kind: "leak: somebody's token",
    answer: {},
    text: '{"error":"souk_at_of_somebody_else_entirely_x"}',
  },
  {
    what: 'markup of the caller',
    kind: 'markup taken over',
    about: PAGE,
    answer: { status: 200 },
    text: page('<img src=x onerror=soukfuzz()>'),
    type: HTML,
  },
  {
    what: 'half a page',
    kind: 'page not whole',
    about: PAGE,
    answer: { status: 200 },
    text: '<!doctype html><p>',
    type: HTML,
  },
  { what: 'an error in words', kind: 'no envelope', answer: {}, text: 'Not found', type: 'text/plain' },
  { what: 'an envelope with more in it', kind: 'envelope', answer: {}, text: '{"error":"no","stack":"x"}' },
  { what: 'a code that nobody knows', kind: 'envelope', answer: {}, text: '{"error":"no","code":"E_OTHER"}' },
  {
    what: 'a 401 with another code',
    kind: 'envelope',
    answer: { status: 401 },
    text: '{"error":"no","code":"not_found"}',
  },
  {
    what: 'an OAuth error without a name',
    kind: 'no OAuth error',
    about: { path: '/api/oauth/token/' },
    answer: { status: 400 },
    text: '{}',
  },
  {
    what: 'an OAuth error without a description',
    kind: 'OAuth error',
    about: { path: '/api/oauth/token/' },
    answer: { status: 400 },
    text: '{"error":"x"}',
  },
  { what: 'an answer that is no JSON-RPC', kind: 'no JSON-RPC', about: MCP, answer: { status: 400 } },
  {
    what: 'a result that is an error, too',
    kind: 'JSON-RPC',
    about: MCP,
    answer: { status: 200 },
    text: rpc('"result":{},"error":{}'),
  },
  {
    what: 'an error of JSON-RPC without a code',
    kind: 'JSON-RPC error',
    about: MCP,
    answer: { status: 200 },
    text: rpc('"error":{"message":"x"}'),
  },
  {
    what: 'an internal error of JSON-RPC',
    kind: 'internal error',
    about: MCP,
    answer: { status: 200 },
    text: rpc('"error":{"code":-32603,"message":"x"}'),
  },
  {
    what: 'an internal error of a tool',
    kind: 'internal error',
    about: MCP,
    answer: { status: 200 },
    text: rpc('"result":{"isError":true,"_meta":{"souk/error":{"kind":"internal","error":"x"}}}'),
  },
]
