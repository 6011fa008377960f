import { expect, test } from 'vitest'
import { checkSignature } from './inspector.signature.ts'
import { keptHeaders, signHeaders } from './request.ts'

const SECRET = 'planted-hmac-0d4e8b2a6c'
const BODY = '{"text":"größer"}'
const NOW = new Date('2026-11-16T10:00:00.700Z')
const hmac = (secret: string | null) => ({ authType: 'hmac' as const, secret, secretLost: false })
const signed = signHeaders({ authType: 'hmac', secret: SECRET, rawBody: BODY, now: NOW })
const sent = { headers: keptHeaders({ Accept: 'application/json', ...signed }), body: BODY }

test('of a signature only the beginning is kept, of a token nothing', () => {
  const whole = signed['X-Service-Signature'] ?? ''
  expect(whole).toHaveLength(64)
  expect(keptHeaders(signed)).toEqual({
    'X-Service-Signature': `${whole.slice(0, 8)}…`,
    'X-Service-Timestamp': '1794823200',
  })
  expect(keptHeaders({ Authorization: `Bearer ${SECRET}` })).toEqual({ Authorization: '[hidden]' })
})

test('a signature made with the secret of today is right, and its bytes are counted as bytes', () => {
  expect(checkSignature(sent, hmac(SECRET))).toEqual({
    kind: 'hmac',
    timestamp: '1794823200',
    begins: signed['X-Service-Signature']?.slice(0, 8),
    bytes: '1794823200.'.length + BODY.length + 2,
    current: true,
  })
})

test.each([
  ['another secret', hmac('another-secret-of-today')],
  ['a token instead', { authType: 'bearer' as const, secret: SECRET, secretLost: false }],
  ['no secret', { authType: 'none' as const, secret: null, secretLost: false }],
  ['no agent', null],
])('with %s registered since, it was made with one that was replaced', (_, now) => {
  expect(checkSignature(sent, now)).toMatchObject({ current: false })
})

test('a changed body does not fit', () => {
  expect(checkSignature({ ...sent, body: BODY.replace('g', 'G') }, hmac(SECRET))).toMatchObject({
    current: false,
  })
})

test('what cannot be compared is not judged', () => {
  const hidden = { ...sent.headers, 'X-Service-Signature': '[hidden]' }
  expect(checkSignature({ headers: hidden, body: BODY }, hmac(SECRET))).toMatchObject({
    begins: null,
    current: null,
  })
  expect(checkSignature(sent, { ...hmac(null), secretLost: true })).toMatchObject({ current: null })
})

test('a token, no proof and nothing sent are told apart', () => {
  expect(checkSignature({ headers: { Authorization: '[hidden]' }, body: BODY }, null)).toEqual({
    kind: 'bearer',
  })
  expect(checkSignature({ headers: { Accept: 'application/json' }, body: BODY }, null)).toEqual({
    kind: 'none',
  })
  expect(checkSignature({ headers: null, body: BODY }, hmac(SECRET))).toBeNull()
})
