/**
 * Passwords as argon2id hashes in PHC form, by default with OWASP's parameters (19 MiB, 2 passes, 1 lane). Each hash
 * carries its parameters, so they can change: old hashes still verify and are made again at the next sign-in.
 * Only two run at once in a process: each takes 19 MiB and a thread, and a flood of sign-ins must exhaust neither.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { createLimit } from '../lib/limit.ts'

/** Memory is in KiB. */
export type PasswordCost = { memory: number; passes: number }
type Parameters = PasswordCost & { parallelism: number }

const LANES = 1
const SALT_BYTES = 16
const TAG_BYTES = 32
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

const derive = promisify(argon2)
const limited = createLimit({
  ...{ atOnce: 2, waiting: 200 },
  tooMany: 'too many people are signing in right now; try again in a moment',
})

export async function hashPassword(password: string, cost: PasswordCost): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  return encode(cost, salt, await compute(password, salt, TAG_BYTES, { ...cost, parallelism: LANES }))
}

/**
 * Whether the password is the one that was hashed. With no hash (no such account, or one without a password) the same
 * work is done against a hash nobody knows the password of, and the answer is no: time tells nothing.
 */
export async function verifyPassword(
  password: string,
  hash: string | null,
  cost: PasswordCost,
): Promise<boolean> {
  const parsed = parse(hash ?? encode(cost, randomBytes(SALT_BYTES), randomBytes(TAG_BYTES)))
  const tag = await compute(password, parsed.salt, parsed.tag.length, parsed.parameters)
  return timingSafeEqual(tag, parsed.tag) && hash !== null
}

export function needsRehash(hash: string, cost: PasswordCost): boolean {
  const { parameters, tag } = parse(hash)
  return (
    tag.length !== TAG_BYTES ||
    parameters.memory !== cost.memory ||
    parameters.passes !== cost.passes ||
    parameters.parallelism !== LANES
  )
}

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

function encode({ memory, passes }: PasswordCost, salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${LANES}$${base64(salt)}$${base64(tag)}`
}

function parse(hash: string): { parameters: Parameters; salt: Buffer; tag: Buffer } {
  const match = PHC.exec(hash)
  if (!match) throw new Error('a stored password hash is malformed')
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
