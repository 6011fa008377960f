/**
 * Compact JWS (RFC 7515) with Ed25519 (RFC 8037), and only that: the algorithm is fixed, so a header cannot talk a
 * verifier into another one. Keys are named by their RFC 7638 thumbprint, so a kid can never stand for two keys.
 * Payloads are canonical JSON, sorted as in RFC 8785: the same facts always give the same bytes.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { promisify } from 'node:util'

export type SigningKey = { kid: string; privateKey: KeyObject; publicKey: KeyObject }

/** What is published: nothing here is secret. */
export type PublicJwk = { kty: 'OKP'; crv: 'Ed25519'; x: string; kid: string; alg: 'EdDSA'; use: 'sig' }
/** A key as others may publish it; what does not fit is passed over. */
export type Jwks = { keys: ReadonlyArray<{ kty?: string; crv?: string; x?: string; kid?: string }> }

export type JwsFault = 'malformed' | 'wrong_algorithm' | 'wrong_type' | 'unknown_key' | 'bad_signature'
type Verified = { ok: true; kid: string; payload: Buffer } | { ok: false; reason: JwsFault }

const signAside = promisify(sign)

export function newSigningKey(): SigningKey {
  return toSigningKey(generateKeyPairSync('ed25519').privateKey)
}

/** The private JWK as text. It is a secret: seal it before it is stored. */
export function exportSigningKey(key: SigningKey): string {
  const { d, x } = key.privateKey.export({ format: 'jwk' })
  return JSON.stringify({ kty: 'OKP', crv: 'Ed25519', d, x })
}

export function importSigningKey(privateJwk: string): SigningKey {
  const { kty, crv, d, x } = JSON.parse(privateJwk)
  return toSigningKey(createPrivateKey({ key: { kty, crv, d, x }, format: 'jwk' }))
}

function toSigningKey(privateKey: KeyObject): SigningKey {
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error('a signing key must be Ed25519')
  const publicKey = createPublicKey(privateKey)
  return { kid: thumbprint(rawPublic(publicKey)), privateKey, publicKey }
}

export function publicJwk(key: SigningKey): PublicJwk {
  return { kty: 'OKP', crv: 'Ed25519', x: rawPublic(key.publicKey), kid: key.kid, alg: 'EdDSA', use: 'sig' }
}

function rawPublic(publicKey: KeyObject): string {
  const { x } = publicKey.export({ format: 'jwk' })
  if (x === undefined) throw new Error('not an Ed25519 key')
  return x
}

/** RFC 7638: only the members that make the key, in their order, without a blank. */
function thumbprint(x: string): string {
  return createHash('sha256')
    .update(canonicalJson({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url')
}

/** `typ` says what the payload is: what was signed as one thing is never accepted as another (RFC 8725, 3.11). */
/** Off the main thread: a request with a thousand quotes has a thousand signatures made. */
export async function signJws(payload: string | Uint8Array, typ: string, key: SigningKey): Promise<string> {
  const header = canonicalJson({ alg: 'EdDSA', kid: key.kid, typ })
  const input = `${base64url(header)}.${base64url(payload)}`
  const signature = await signAside(null, Buffer.from(input), key.privateKey)
  return `${input}.${signature.toString('base64url')}`
}

export function verifyJws(jws: string, typ: string, jwks: Jwks): Verified {
  const [headerPart, payloadPart, signaturePart, ...more] = jws.split('.')
  const header = readHeader(headerPart)
  const payload = fromBase64url(payloadPart)
  const signature = fromBase64url(signaturePart)
  if (!header || !payload || !signature || more.length > 0) return { ok: false, reason: 'malformed' }
  if (header.alg !== 'EdDSA') return { ok: false, reason: 'wrong_algorithm' }
  // A critical extension we do not know changes the meaning (RFC 7515, 4.1.11), and we know none.
  if (header.typ !== typ || Object.hasOwn(header, 'crit')) return { ok: false, reason: 'wrong_type' }
  const key = findKey(jwks, header.kid)
  if (!key) return { ok: false, reason: 'unknown_key' }
  if (!verify(null, Buffer.from(`${headerPart}.${payloadPart}`), key.publicKey, signature))
    return { ok: false, reason: 'bad_signature' }
  return { ok: true, kid: key.kid, payload }
}

function readHeader(part: string | undefined): Record<string, unknown> | null {
  try {
    const header: unknown = JSON.parse(fromBase64url(part)?.toString('utf8') ?? '')
    return isPlainObject(header) ? header : null
  } catch {
    return null
  }
}

function findKey(jwks: Jwks, kid: unknown): { kid: string; publicKey: KeyObject } | null {
  const found = jwks.keys.find((key) => key.kid !== undefined && key.kid === kid)
  if (!found?.kid || !found.x || found.kty !== 'OKP' || found.crv !== 'Ed25519') return null
  try {
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: found.x }, format: 'jwk' })
    return { kid: found.kid, publicKey }
  } catch {
    return null
  }
}

function base64url(data: string | Uint8Array): string {
  return Buffer.from(data).toString('base64url')
}

/** Buffer passes over what does not belong; here one value has one spelling, or a signature would have many. */
function fromBase64url(text: string | undefined): Buffer | null {
  if (text === undefined) return null
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : null
}

/** Members in the order of their names, no blanks, absent members left out. Throws on what JSON cannot say. */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isPlainObject(value)) throw new TypeError(`cannot be written as JSON: ${typeof value}`)
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`)
  return `{${members.join(',')}}`
}

/** False for a Date or a Map, which JSON would write as {}. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
