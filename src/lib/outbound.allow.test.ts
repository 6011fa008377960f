import { expect, test } from 'vitest'
import { parseOutboundAllow } from './outbound.allow.ts'

test('both forms are read, spelt as URLs spell them', () => {
  expect(
    parseOutboundAllow(
      ' 127.0.0.1:4900,[0:0::1]:80, NAS.:8080,,Shop.Example=10.0.0.7:4901,b.example=[::1]:443 ',
    ),
  ).toEqual([
    { kind: 'reach', host: '127.0.0.1', port: 4900 },
    { kind: 'reach', host: '::1', port: 80 },
    { kind: 'reach', host: 'nas', port: 8080 },
    { kind: 'pin', host: 'shop.example', address: '10.0.0.7', port: 4901 },
    { kind: 'pin', host: 'b.example', address: '::1', port: 443 },
  ])
  expect(parseOutboundAllow('')).toEqual([])
  expect(parseOutboundAllow(' , ')).toEqual([])
})

test.each([
  ['127.0.0.1', 'is not host:port'],
  ['localhost:', 'is not host:port'],
  [':80', 'is not host:port'],
  ['::1:80', 'brackets'],
  ['localhost:http', 'is not host:port'],
  ['localhost:0', 'out of range'],
  ['localhost:65536', 'out of range'],
  ['localhost:6667', 'not allowed for web requests'],
  ['http://localhost:80', 'without a scheme'],
  ['user@localhost:80', 'is not a host'],
  ['local/host:80', 'is not a host'],
  ['*.example:80', 'is not a host'],
  ['[fe80::1%eth0]:80', 'is not a host'],
  ['[::1]x:80', 'is not host:port'],
  ['300.1.1.1:80', 'is not a host'],
  ['=127.0.0.1:80', 'before ='],
  ['10.0.0.1=127.0.0.1:80', 'before ='],
  ['shop.example:443=127.0.0.1:80', 'before ='],
  ['shop.example=127.0.0.1', 'is not host:port'],
  ['shop.example=other.example:80', 'literal address'],
])('%s stops the start with one line that names it', (entry, why) => {
  const parse = () => parseOutboundAllow(`127.0.0.1:4900,${entry}`)
  expect(parse).toThrow(why)
  expect(parse).toThrow(JSON.stringify(entry))
  expect(parse).toThrow(/^SOUK_OUTBOUND_ALLOW: .+$/)
})

test('a name cannot be sent to two places', () => {
  expect(() => parseOutboundAllow('a.example=10.0.0.1:80,A.example.=10.0.0.2:80')).toThrow(
    'SOUK_OUTBOUND_ALLOW: a.example has two addresses',
  )
})
