/**
 * Passwords as argon2id hashes in PHC form, with OWASP's parameters (19 MiB, 2 passes, 1 lane). Each hash carries its
 * parameters, so stronger ones can come later: old hashes still verify and are made anew at the next sign-in.
 * Only two run at once in a process: each takes 19 MiB and a thread, and a flood of sign-ins must exhaust neither.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { createLimit } from '../lib/limit.ts'

type Parameters = { memory: number; passes: number; parallelism: number }

const CURRENT: Parameters = { memory: 19_456, passes: 2, parallelism: 1 }
const SALT_BYTES = 16
const TAG_BYTES = 32
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

const derive = promisify(argon2)
const limited = createLimit({
  ...{ atOnce: 2, waiting: 200 },
  tooMany: 'too many people are signing in at this moment; please try again',
})

export async function hashPassword(password: string, parameters = CURRENT): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const tag = await compute(password, salt, TAG_BYTES, parameters)
  const { memory, passes, parallelism } = parameters
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`
}

/**
 * Whether the password is the one that was hashed. With no hash (no such account, or one without a password) the same
 * work is done against a hash nobody knows the password of, and the answer is no: time tells nothing.
 */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  const parsed = parse(hash ?? NOBODY)
  const tag = await compute(password, parsed.salt, parsed.tag.length, parsed.parameters)
  return timingSafeEqual(tag, parsed.tag) && hash !== null
}

export function needsRehash(hash: string): boolean {
  const { parameters, tag } = parse(hash)
  return (
    tag.length !== TAG_BYTES ||
    parameters.memory !== CURRENT.memory ||
    parameters.passes !== CURRENT.passes ||
    parameters.parallelism !== CURRENT.parallelism
  )
}

/** Of the current parameters, so that it costs what a real one costs. */
const NOBODY = `$argon2id$v=19$m=${CURRENT.memory},t=${CURRENT.passes},p=${CURRENT.parallelism}$${base64(
  randomBytes(SALT_BYTES),
)}$${base64(randomBytes(TAG_BYTES))}`

/** One form for one password: keyboards and systems write the same letters in different code points. */
export function normalForm(password: string): string {
  return password.normalize('NFKC')
}

function compute(
  password: string,
  nonce: Buffer,
  tagLength: number,
  parameters: Parameters,
): Promise<Buffer> {
  const message = normalForm(password)
  return limited(() => derive('argon2id', { message, nonce, tagLength, ...parameters }))
}

function parse(hash: string): { parameters: Parameters; salt: Buffer; tag: Buffer } {
  const match = PHC.exec(hash)
  if (!match) throw new Error('a stored password hash is not in the form it should have')
  const [, memory, passes, parallelism, salt = '', tag = ''] = match
  return {
    parameters: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
