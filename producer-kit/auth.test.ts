import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRfqHandler, decline, signRequest, verifyBearer, verifySignature } from './src/index.js'
import {
  CARD,
  independentSignature,
  independentVerdict,
  NOW,
  rfqBody,
  SECRET,
  TOKEN,
} from './test-support.ts'

const seconds = NOW / 1000
const bytes = (text: string) => new TextEncoder().encode(text)

function signed(body: string | Uint8Array, now = NOW) {
  const headers = signRequest({ secret: SECRET, rawBody: body, now })
  return { timestamp: headers['X-Service-Timestamp'], signature: headers['X-Service-Signature'] }
}

test('what the kit signs, a verifier written from the interface alone accepts, and the other way round', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 300 }),
      fc.string({ minLength: 16, maxLength: 80 }),
      fc.integer({ min: -400, max: 400 }),
      async (body, secret, shift) => {
        const headers = signRequest({ secret, rawBody: body, now: NOW })
        const timestamp = headers['X-Service-Timestamp']
        const signature = headers['X-Service-Signature']
        const nowSeconds = seconds + shift
        const input = { secret, timestamp, signature }
        expect(await independentVerdict({ ...input, body, nowSeconds })).toBe(Math.abs(shift) <= 300)
        expect(verifySignature({ ...input, rawBody: body, now: nowSeconds * 1000 })).toBe(
          Math.abs(shift) <= 300,
        )
        expect(signature).toBe(await independentSignature(secret, String(seconds), body))
      },
    ),
    { numRuns: 60 },
  )
})

test('the signature of a known body is the one any HMAC tool computes', () => {
  // printf '1772366400.{"a":1}' | openssl dgst -sha256 -hmac a-secret-between-us-two
  expect(signed('{"a":1}')).toEqual({
    timestamp: '1772366400',
    signature: '75e46b3ff2141bfb1d18aaa093740bd040943760f3a1f2a5d7c0b1b503582a37',
  })
})

test('one changed bit anywhere in the body is refused', () => {
  const body = bytes(rfqBody())
  const proof = signed(body)
  expect(verifySignature({ secret: SECRET, ...proof, rawBody: body, now: NOW })).toBe(true)
  for (let index = 0; index < body.length; index += 1) {
    const changed = Uint8Array.from(body)
    changed[index] = (changed[index] ?? 0) ^ 1
    expect(verifySignature({ secret: SECRET, ...proof, rawBody: changed, now: NOW })).toBe(false)
  }
})

test('a body that was parsed and written again is refused', () => {
  const body = JSON.stringify(JSON.parse(rfqBody()), null, 2)
  const proof = signed(body)
  const again = JSON.stringify(JSON.parse(body))
  expect(verifySignature({ secret: SECRET, ...proof, rawBody: body, now: NOW })).toBe(true)
  expect(verifySignature({ secret: SECRET, ...proof, rawBody: again, now: NOW })).toBe(false)
})

test.each([
  [-300, true],
  [300, true],
  [-301, false],
  [301, false],
])('a clock %i seconds away is accepted: %s', (away, accepted) => {
  const input = { secret: SECRET, ...signed('x'), rawBody: 'x', now: NOW + away * 1000 }
  expect(verifySignature(input)).toBe(accepted)
})

test('a timestamp that is not digits is refused, even when it is signed', async () => {
  for (const timestamp of [
    `${seconds}.0`,
    ` ${seconds}`,
    `+${seconds}`,
    '1e9',
    '0x69a42a40',
    'NaN',
    '',
    `${seconds}\n`,
  ]) {
    const signature = await independentSignature(SECRET, timestamp, bytes('x'))
    expect(verifySignature({ secret: SECRET, timestamp, signature, rawBody: 'x', now: NOW })).toBe(false)
  }
})

test('hexadecimal digits may be upper case; anything else is refused without an error', () => {
  const { timestamp, signature } = signed('x')
  const verdict = (given: string | undefined) =>
    verifySignature({ secret: SECRET, timestamp, signature: given, rawBody: 'x', now: NOW })
  expect(verdict(signature.toUpperCase())).toBe(true)
  for (const bad of [
    undefined,
    '',
    signature.slice(1),
    `${signature}00`,
    `sha256=${signature}`,
    'zz'.repeat(32),
    'é',
  ])
    expect(verdict(bad)).toBe(false)
})

test('while a secret is being changed, the new and the old one both count, and no third', () => {
  const input = { ...signed('x'), rawBody: 'x', now: NOW }
  expect(verifySignature({ ...input, secret: ['the-new-secret-of-ours', SECRET] })).toBe(true)
  expect(verifySignature({ ...input, secret: ['the-new-secret-of-ours'] })).toBe(false)
  expect(verifySignature({ ...input, secret: [] })).toBe(false)
})

test('a bearer token counts only whole, and its length is no hint', () => {
  const verdict = (authorization: string | undefined) => verifyBearer({ token: TOKEN, authorization })
  expect(verdict(`Bearer ${TOKEN}`)).toBe(true)
  expect(verdict(`bearer ${TOKEN}`)).toBe(true)
  for (const bad of [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    TOKEN,
    `Basic ${TOKEN}`,
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN} x`,
  ])
    expect(verdict(bad)).toBe(false)
  expect(verdict(`Bearer ${TOKEN.slice(0, -1)}`)).toBe(false)
  expect(verifyBearer({ token: '', authorization: 'Bearer ' })).toBe(false)
})

test('a missing or short secret stops the handler from being made', () => {
  const make = (auth: unknown) => () => createRfqHandler({ auth: auth as never, card: CARD, quote: decline })
  expect(make({ type: 'hmac', secret: undefined })).toThrow('at least 16 characters')
  expect(make({ type: 'hmac', secret: '' })).toThrow('at least 16 characters')
  expect(make({ type: 'hmac', secret: [] })).toThrow('at least 16 characters')
  expect(make({ type: 'bearer', token: 'fifteen-letters' })).toThrow('at least 16 characters')
  expect(make({ type: 'bearer', token: 'sixteen letters!!' })).toThrow('without spaces')
  expect(make({ type: 'HMAC', secret: SECRET })).toThrow("'bearer', 'hmac' or 'none'")
  expect(make(undefined)).toThrow("'bearer', 'hmac' or 'none'")
  expect(make({ type: 'hmac', secret: SECRET })).not.toThrow()
})
