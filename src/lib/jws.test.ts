import { createPublicKey, sign, verify } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  canonicalJson,
  exportSigningKey,
  importSigningKey,
  newSigningKey,
  publicJwk,
  signJws,
  verifyJws,
} from './jws.ts'

// RFC 8037, appendix A: key, thumbprint, and a signature over a header of the algorithm alone.
const RFC_X = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'
const RFC_D = 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A'
const RFC_KID = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'
const RFC_INPUT = 'eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc'
const RFC_SIGNATURE = 'hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg'
const rfcKey = importSigningKey(JSON.stringify({ kty: 'OKP', crv: 'Ed25519', d: RFC_D, x: RFC_X }))

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const TYP = 'thing+jws'

describe('keys', () => {
  test('are named by the thumbprint of RFC 7638, as in RFC 8037', async () => {
    expect(publicJwk(rfcKey)).toEqual({
      kty: 'OKP',
      crv: 'Ed25519',
      x: RFC_X,
      kid: RFC_KID,
      alg: 'EdDSA',
      use: 'sig',
    })
  })

  test('a new key is a new key, and comes back from its stored form', async () => {
    const key = newSigningKey()
    const back = importSigningKey(exportSigningKey(key))
    expect(publicJwk(back)).toEqual(publicJwk(key))
    expect(newSigningKey().kid).not.toBe(key.kid)
    expect(verifyJws(await signJws('x', TYP, back), TYP, { keys: [publicJwk(key)] }).ok).toBe(true)
  })

  test('what is published does not hold the private part', async () => {
    const { d } = JSON.parse(exportSigningKey(rfcKey))
    expect(d).toBe(RFC_D)
    expect(JSON.stringify(publicJwk(rfcKey))).not.toContain(d)
  })

  test('a key of another kind is refused', async () => {
    expect(() => importSigningKey(JSON.stringify({ kty: 'oct', k: 'c2VjcmV0' }))).toThrow()
    expect(() =>
      importSigningKey(JSON.stringify({ kty: 'OKP', crv: 'X25519', d: RFC_D, x: RFC_X })),
    ).toThrow()
  })
})

describe('signing', () => {
  test('RFC 8037 A.4: the same key gives the signature printed there', async () => {
    expect(sign(null, Buffer.from(RFC_INPUT), rfcKey.privateKey).toString('base64url')).toBe(RFC_SIGNATURE)
    expect(
      verify(null, Buffer.from(RFC_INPUT), rfcKey.publicKey, Buffer.from(RFC_SIGNATURE, 'base64url')),
    ).toBe(true)
    // The same payload part, under our own header.
    expect((await signJws('Example of Ed25519 signing', TYP, rfcKey)).split('.')[1]).toBe(
      RFC_INPUT.split('.')[1],
    )
  })

  test('the parts verify with plain node:crypto and a key made from the published form', async () => {
    const key = newSigningKey()
    const [header = '', payload = '', signature = ''] = (await signJws('{"a":1}', TYP, key)).split('.')
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
      alg: 'EdDSA',
      kid: key.kid,
      typ: TYP,
    })
    const { kty, crv, x } = publicJwk(key)
    const publicKey = createPublicKey({ key: { kty, crv, x }, format: 'jwk' })
    const signed = Buffer.from(`${header}.${payload}`, 'ascii')
    expect(verify(null, signed, publicKey, Buffer.from(signature, 'base64url'))).toBe(true)
    expect(Buffer.from(payload, 'base64url').toString()).toBe('{"a":1}')
  })

  test('the same payload and key always give the same text', async () => {
    expect(await signJws('x', TYP, rfcKey)).toBe(await signJws('x', TYP, rfcKey))
  })
})

describe('verifying', async () => {
  const jws = await signJws('{"a":1}', TYP, rfcKey)
  const jwks = { keys: [publicJwk(newSigningKey()), publicJwk(rfcKey)] }
  const [header = '', payload = '', signature = ''] = jws.split('.')

  test('finds the key by its name and gives back the payload', async () => {
    expect(verifyJws(jws, TYP, jwks)).toEqual({ ok: true, kid: RFC_KID, payload: Buffer.from('{"a":1}') })
  })

  test('a flipped bit in any byte of any part is refused', async () => {
    for (const part of [0, 1, 2]) {
      const parts = [header, payload, signature]
      const bytes = Buffer.from(parts[part] ?? '', 'base64url')
      for (let at = 0; at < bytes.length; at++) {
        const flipped = Buffer.from(bytes)
        flipped[at] = (flipped[at] ?? 0) ^ 1
        const forged = parts.with(part, flipped.toString('base64url')).join('.')
        expect(verifyJws(forged, TYP, jwks).ok).toBe(false)
      }
    }
  })

  test('any changed character is refused', async () => {
    fc.assert(
      fc.property(fc.nat(jws.length - 1), fc.constantFrom(...'AZaz09-_.=+/ \n'), (at, character) => {
        const changed = jws.slice(0, at) + character + jws.slice(at + 1)
        return changed === jws || !verifyJws(changed, TYP, jwks).ok
      }),
      { numRuns: 1000 },
    )
  })

  test.each(['none', 'None', 'HS256', 'RS256', 'ES256', 'Ed448', 'eddsa', '', null, undefined])(
    'the algorithm %j is refused, whatever the signature',
    (alg) => {
      const forged = encode({ alg, kid: RFC_KID, typ: TYP })
      for (const end of [signature, ''])
        expect(verifyJws(`${forged}.${payload}.${end}`, TYP, jwks)).toEqual({
          ok: false,
          reason: 'wrong_algorithm',
        })
    },
  )

  test('a key that came inside the header is not used', async () => {
    const forger = newSigningKey()
    const head = encode({ alg: 'EdDSA', kid: forger.kid, typ: TYP, jwk: publicJwk(forger) })
    expect(verifyJws(`${head}.${payload}.${signature}`, TYP, jwks)).toEqual({
      ok: false,
      reason: 'unknown_key',
    })
    expect(verifyJws(await signJws('{"a":1}', TYP, forger), TYP, jwks)).toEqual({
      ok: false,
      reason: 'unknown_key',
    })
  })

  test('another key under the right name is refused', () => {
    const impostor = { ...publicJwk(newSigningKey()), kid: RFC_KID }
    expect(verifyJws(jws, TYP, { keys: [impostor] })).toEqual({ ok: false, reason: 'bad_signature' })
  })

  test('something signed as another type, or with a critical extension, is refused', () => {
    expect(verifyJws(jws, 'other+jws', jwks)).toEqual({ ok: false, reason: 'wrong_type' })
    const crit = encode({ alg: 'EdDSA', kid: RFC_KID, typ: TYP, crit: ['b64'], b64: false })
    expect(verifyJws(`${crit}.${payload}.${signature}`, TYP, jwks)).toEqual({
      ok: false,
      reason: 'wrong_type',
    })
  })

  test.each([
    [{ kty: 'EC', crv: 'P-256', x: RFC_X, kid: RFC_KID }],
    [{ kty: 'OKP', crv: 'Ed25519', kid: RFC_KID }],
    [{ kty: 'OKP', crv: 'Ed25519', x: 'short', kid: RFC_KID }],
    [{ kty: 'OKP', crv: 'Ed25519', x: RFC_X }],
  ])('the published key %j fits nothing', async (key) => {
    expect(verifyJws(jws, TYP, { keys: [key] })).toEqual({ ok: false, reason: 'unknown_key' })
  })

  test.each([
    '',
    'a',
    '..',
    `${header}.${payload}`,
    `${jws}.`,
    `${jws}.x`,
    `${header}.${payload}.${signature}=`,
    ` ${jws}`,
    `${encode([])}.${payload}.${signature}`,
    `${encode(null)}.${payload}.${signature}`,
    `bm90IGpzb24.${payload}.${signature}`,
  ])('%j is malformed', async (text) => {
    expect(verifyJws(text, TYP, jwks)).toEqual({ ok: false, reason: 'malformed' })
  })

  test('no text at all makes it fail with an error', async () => {
    fc.assert(fc.property(fc.string(), (text) => !verifyJws(text, TYP, jwks).ok))
  })
})

describe('canonical JSON', () => {
  test('sorts members by code units at every depth and leaves absent ones out', async () => {
    expect(canonicalJson({ b: [3, { d: null, c: 'é' }], a: 1.5, B: true, gone: undefined })).toBe(
      '{"B":true,"a":1.5,"b":[3,{"c":"é","d":null}]}',
    )
  })

  test('says what JSON says, whatever the order of the members', async () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.integer()), (value) => {
        const turned = Object.fromEntries(Object.entries(value).reverse())
        return canonicalJson(turned) === canonicalJson({ ...value })
      }),
    )
  })

  test.each([
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [1n],
    [undefined],
    [() => 1],
    [new Date(0)],
    [new Map()],
  ])('refuses %s', async (value) => expect(() => canonicalJson({ value: [value] })).toThrow(TypeError))
})
