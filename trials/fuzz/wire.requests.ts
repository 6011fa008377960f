/** Requests that no HTTP client sends, byte by byte. Each is whole, or ends with its connection. */
import type { Turn } from './attempt.ts'
import { TARGETS } from './wire.targets.ts'

const CRLF = '\r\n'

type Wire = { name: string; make(turn: Turn, host: string): string | Buffer }

const request = (line: string, host: string, more: readonly string[] = [], body = '') =>
  [line, `Host: ${host}`, 'Connection: close', ...more, '', body].join(CRLF)
const get = (target: string, host: string, more?: readonly string[]) =>
  request(`GET ${target} HTTP/1.1`, host, more)
const post = (path: string, host: string, more: readonly string[], body: string) =>
  request(`POST ${path} HTTP/1.1`, host, more, body)
const JSON_TYPE = 'Content-Type: application/json'
const SEARCH = '{"query":"lamp"}'
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}${CRLF}${text}${CRLF}`

export const WIRES: readonly Wire[] = [
  {
    name: 'a strange target',
    make: (turn, host) => get(turn.pick(TARGETS), host, turn.pick([[], ['Accept: text/html']])),
  },
  {
    name: 'an absolute target',
    make: (turn, host) =>
      get(
        turn.pick([
          'http://elsewhere.example/',
          `http://${host}/search?q=a`,
          'https://a:b@c/',
          'http://',
          'http://[::1',
          'file:///etc/hosts',
          'x:y',
          '*',
        ]),
        host,
      ),
  },
  {
    name: 'a very long target',
    make: (turn, host) => get(`/${'a'.repeat(turn.pick([5_000, 15_000, 20_000]))}`, host),
  },
  {
    name: 'a target of raw bytes',
    make: (_, host) => Buffer.from(get('/p/\u00ff\u00fe/\u0080', host), 'latin1'),
  },
  {
    name: 'a header twice',
    make: (turn, host) =>
      post(
        '/api/search/',
        host,
        [
          JSON_TYPE,
          ...turn.pick([
            [JSON_TYPE, 'Content-Type: text/plain'],
            ['Authorization: Bearer a', 'Authorization: Bearer b'],
            ['Cookie: a=1', 'Cookie: souk_session=x'],
            ['Host: elsewhere.example'],
            ['X-Request-Id: a', 'X-Request-Id: b'],
            ['Origin: null', 'Origin: x'],
          ]),
          `Content-Length: ${SEARCH.length}`,
        ],
        SEARCH,
      ),
  },
  {
    name: 'two lengths',
    make: (_, host) => post('/api/search/', host, ['Content-Length: 16', 'Content-Length: 3'], SEARCH),
  },
  {
    name: 'length and chunks',
    make: (_, host) =>
      post(
        '/api/search/',
        host,
        [JSON_TYPE, 'Content-Length: 3', 'Transfer-Encoding: chunked'],
        `${chunk(SEARCH)}0${CRLF}${CRLF}`,
      ),
  },
  {
    name: 'chunks',
    make: (_, host) =>
      post(
        '/api/search/',
        host,
        [JSON_TYPE, 'Transfer-Encoding: chunked'],
        `${chunk(SEARCH.slice(0, 5))}${chunk(SEARCH.slice(5))}0${CRLF}${CRLF}`,
      ),
  },
  {
    name: 'chunks of a tool call',
    make: (_, host) =>
      post(
        '/mcp/',
        host,
        [JSON_TYPE, 'Transfer-Encoding: chunked'],
        `${chunk('{"jsonrpc":"2.0"')}0${CRLF}${CRLF}`,
      ),
  },
  {
    name: 'bad chunks',
    make: (turn, host) =>
      post(
        '/api/search/',
        host,
        ['Transfer-Encoding: chunked'],
        turn.pick([
          'zz\r\n',
          'ffffffffffffffff\r\na',
          '-1\r\n',
          '3\r\nabcdef\r\n0\r\n\r\n',
          `3;${'x'.repeat(20_000)}\r\nabc\r\n0\r\n\r\n`,
        ]),
      ),
  },
  {
    name: 'another transfer encoding',
    make: (turn, host) =>
      post(
        '/api/search/',
        host,
        [
          `Transfer-Encoding: ${turn.pick(['gzip', 'gzip, chunked', 'chunked, chunked', 'identity', 'xchunked'])}`,
        ],
        `0${CRLF}${CRLF}`,
      ),
  },
  {
    name: 'a length that lies',
    make: (turn, host) =>
      post(
        '/api/search/',
        host,
        [
          JSON_TYPE,
          `Content-Length: ${turn.pick(['3', '99', '-1', '1e3', '0x10', '99999999999999999999', ' ', '+5'])}`,
        ],
        SEARCH,
      ),
  },
  { name: 'a folded header', make: (_, host) => get('/', host, ['X-A: b', ' c: d', '\te']) },
  {
    name: 'a huge header',
    make: (turn, host) => get('/', host, [`X-A: ${'a'.repeat(turn.pick([8_000, 17_000, 60_000]))}`]),
  },
  {
    name: 'many headers',
    make: (turn, host) =>
      get(
        '/',
        host,
        Array.from({ length: turn.pick([150, 250, 1_000]) }, (_, n) => `X-${n}: 1`),
      ),
  },
  {
    name: 'a bad header',
    make: (turn, host) =>
      get('/', host, [
        turn.pick([
          'X A: b',
          ': b',
          'X-A b',
          'X-A\u0000: b',
          'X-A: b\u0000c',
          'X-A: b\rc',
          '\u00ff: a',
          'X-A:',
        ]),
      ]),
  },
  { name: 'no host', make: () => `GET / HTTP/1.1${CRLF}Connection: close${CRLF}${CRLF}` },
  {
    name: 'a strange host',
    make: (turn) =>
      get(
        turn.pick(['/', '/api/org/', '/mcp', '/search?q=a']),
        turn.pick([
          '',
          'a b',
          'x:y:z',
          '[',
          '%00',
          '..',
          'a/b',
          'a@b',
          '?',
          '#',
          'localhost:99999',
          '\u00ff',
          'x'.repeat(3_000),
        ]),
      ),
  },
  {
    name: 'another version',
    make: (turn, host) =>
      request(`GET / HTTP/${turn.pick(['1.0', '0.9', '2.0', '9.9', 'x', '1.1.1'])}`, host),
  },
  {
    name: 'a strange line',
    make: (turn, host) =>
      request(
        turn.pick([
          'GET',
          'GET /',
          'GET  / HTTP/1.1',
          ' / HTTP/1.1',
          '\u0000',
          'GET / HTTP/1.1 x',
          '\r\n\r\nGET / HTTP/1.1',
          'get / HTTP/1.1',
          'PRI * HTTP/2.0',
        ]),
        host,
      ),
  },
  {
    name: 'an odd method',
    make: (turn, host) =>
      request(
        `${turn.pick(['TRACE', 'CONNECT', 'OPTIONS', 'LOCK', 'SEARCH', 'LINK', 'HEAD', 'QUERY'])} ${turn.pick(['/', '*', '/api/search/', '/mcp', 'localhost:1', '/a2a'])} HTTP/1.1`,
        host,
      ),
  },
  {
    name: 'an upgrade',
    make: (turn, host) =>
      get(turn.pick(['/', '/mcp', '/api/org/']), host, [
        `Upgrade: ${turn.pick(['websocket', 'h2c', 'x'])}`,
        'Connection: Upgrade, HTTP2-Settings',
        'Sec-WebSocket-Key: YQ==',
        'Sec-WebSocket-Version: 13',
      ]),
  },
  {
    name: 'an expectation',
    make: (turn, host) =>
      post(
        '/api/search/',
        host,
        [
          JSON_TYPE,
          `Expect: ${turn.pick(['100-continue', '200-ok', 'x'])}`,
          `Content-Length: ${SEARCH.length}`,
        ],
        SEARCH,
      ),
  },
  {
    name: 'two at once',
    make: (_, host) =>
      `GET /healthz HTTP/1.1${CRLF}Host: ${host}${CRLF}${CRLF}${post('/api/search/', host, [JSON_TYPE, `Content-Length: ${SEARCH.length}`], SEARCH)}`,
  },
  {
    name: 'a body with GET',
    make: (_, host) => request('GET /api/org/ HTTP/1.1', host, ['Content-Length: 5'], 'abcde'),
  },
  { name: 'half a head', make: (turn, host) => get('/', host).slice(0, 5 + turn.below(20)) },
  {
    name: 'half a body',
    make: (_, host) => post('/api/search/', host, [JSON_TYPE, 'Content-Length: 400'], SEARCH),
  },
  {
    name: 'half a tool call',
    make: (_, host) =>
      post('/mcp', host, [JSON_TYPE, 'Authorization: Bearer x', 'Content-Length: 400'], SEARCH),
  },
  { name: 'noise', make: (turn) => Buffer.from(Array.from({ length: 200 }, () => turn.below(256))) },
  {
    name: 'another protocol',
    make: (turn) =>
      Buffer.from(turn.pick(['160301020001000100', '000000080004d2162f', '5353482d322e300d0a']), 'hex'),
  },
]
