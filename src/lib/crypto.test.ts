import { describe, expect, test } from 'vitest'
import { createSecretBox, equalInConstantTime, hashToken, hmacSha256Hex, newToken } from './crypto.ts'

const OLD = 'old-secret-old-secret-old-secret-old'
const NEW = 'new-secret-new-secret-new-secret-new'

describe('secret box', () => {
  test('opens what it sealed, and never seals the same way twice', () => {
    const box = createSecretBox(NEW, 'rfq')
    expect(box.open(box.seal('s3cret ü'))).toBe('s3cret ü')
    expect(box.seal('a')).not.toBe(box.seal('a'))
  })

  test('after rotation old boxes still open, and new ones are sealed with the new key', () => {
    const before = createSecretBox(OLD, 'rfq').seal('kept')
    const rotated = createSecretBox(`${NEW},${OLD}`, 'rfq')
    expect(rotated.open(before)).toBe('kept')
    expect(createSecretBox(NEW, 'rfq').open(rotated.seal('fresh'))).toBe('fresh')
  })

  test('a box of another key, another purpose, or with one flipped byte does not open', () => {
    const sealed = createSecretBox(NEW, 'rfq').seal('kept')
    expect(() => createSecretBox(OLD, 'rfq').open(sealed)).toThrow()
    expect(() => createSecretBox(NEW, 'mail').open(sealed)).toThrow()
    const [version, keyId, data = ''] = sealed.split('.')
    for (let at = 0; at < Buffer.from(data, 'base64url').length; at++) {
      const bytes = Buffer.from(data, 'base64url')
      bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
      expect(() =>
        createSecretBox(NEW, 'rfq').open([version, keyId, bytes.toString('base64url')].join('.')),
      ).toThrow()
    }
  })
})

describe('tokens', () => {
  test('carry their prefix and 256 random bits, and are stored as a hash', () => {
    const token = newToken('souk_link')
    expect(token).toMatch(/^souk_link_[\w-]{43}$/)
    expect(hashToken(token)).toMatch(/^[0-9a-f]{64}$/)
    expect(hashToken(token)).not.toContain(token)
  })

  test('comparison takes strings of any length', () => {
    expect(equalInConstantTime('abc', 'abc')).toBe(true)
    expect(equalInConstantTime('abc', 'abcd')).toBe(false)
    expect(equalInConstantTime('', '')).toBe(true)
  })

  test('HMAC agrees with the value of RFC 4231, case 2', () => {
    expect(hmacSha256Hex('Jefe', 'what do ya want for nothing?')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    )
  })
})
