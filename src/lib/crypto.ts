/**
 * Everything that needs node:crypto: random tokens, hashes at rest, constant-time comparison, and sealed boxes
 * (AES-256-GCM) for the secrets we must be able to use again. Keys derive from SOUK_SECRET, which may list several
 * secrets, newest first: the first seals, any opens, and each box carries the id of its key, so keys can be rotated.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

/** 256 random bits, safe in a URL, a header and a cookie. The prefix tells people and secret scanners what it is. */
export function newToken(prefix: string): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`
}

/** What is stored of a token: it is long and random, so a plain hash cannot be searched back. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

export function sha256(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(data).digest()
}

export function hmacSha256Hex(secret: string, text: string | Uint8Array): string {
  return createHmac('sha256', secret).update(text).digest('hex')
}

/** Compares without telling by its duration where the first difference is; the lengths may differ. */
export function equalInConstantTime(a: string, b: string): boolean {
  return timingSafeEqual(sha256(a), sha256(b))
}

export type SecretBox = {
  /** How a box that was sealed with the newest key begins. */
  prefix: string
  /** How boxes begin that it can open. */
  prefixes: readonly string[]
  seal(plain: string): string
  /** Throws when the box was made with a key that is not configured, or was tampered with. */
  open(box: string): string
}

/** `purpose` separates the keys: a box sealed for one use cannot be opened for another. */
export function createSecretBox(secrets: string, purpose: string): SecretBox {
  const keys = secrets
    .split(',')
    .map((secret) => secret.trim())
    .filter(Boolean)
    .map((secret) => {
      const bytes = Buffer.from(hkdfSync('sha256', secret, 'souk', purpose, 32))
      // As a key object: raw bytes would be made one again for every box, at ten times the cost.
      return { id: sha256(bytes).toString('hex').slice(0, 8), key: createSecretKey(bytes) }
    })
  const [newest] = keys
  if (!newest) throw new Error('no secret to derive keys from')
  const prefixes = keys.map(({ id }) => `v1.${id}.`)
  const prefix = `v1.${newest.id}.`
  return {
    prefix,
    prefixes,
    seal(plain) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', newest.key, nonce)
      const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return prefix + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
    },
    open(box) {
      const [version, keyId, data] = box.split('.')
      const found = keys.find((candidate) => candidate.id === keyId)
      if (version !== 'v1' || !data || !found) throw new Error('sealed with a key that is not in SOUK_SECRET')
      const bytes = Buffer.from(data, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', found.key, bytes.subarray(0, 12))
      decipher.setAuthTag(bytes.subarray(12, 28))
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
    },
  }
}
