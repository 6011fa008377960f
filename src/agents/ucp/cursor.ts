/**
 * Where the next page begins, for one list or for several that are read side by side. A cursor belongs to the question
 * that it came from: sent with another, it is refused, because it would skip products without anybody noticing.
 */
import { sha256 } from '../../lib/crypto.ts'
import { AppError } from '../../lib/errors.ts'

/** `question`: everything that decides which products there are and in what order. */
export function writeCursor(question: unknown, offsets: readonly number[]): string {
  return Buffer.from([markOf(question), ...offsets].join('.')).toString('base64url')
}

/** `deepest`: how many products there may be before the page, over all lists; no cursor was given beyond that. */
export function readCursor(
  cursor: string | undefined,
  question: unknown,
  { lists, deepest }: { lists: number; deepest: number },
): number[] {
  if (cursor === undefined) return Array<number>(lists).fill(0)
  const [mark, ...texts] = Buffer.from(cursor, 'base64url').toString('latin1').split('.')
  const offsets = texts.map((text) => (/^\d{1,8}$/.test(text) ? Number(text) : Number.NaN))
  const good = offsets.length === lists && depthOf(offsets) <= deepest
  if (good && mark === markOf(question)) return offsets
  throw new AppError(
    'invalid',
    'pagination.cursor: is not one that was given for this query and these filters; leave it out to start anew',
    { field: 'pagination.cursor' },
  )
}

export function depthOf(offsets: readonly number[]): number {
  return offsets.reduce((sum, offset) => sum + offset, 0)
}

function markOf(question: unknown): string {
  return sha256(JSON.stringify(question)).toString('base64url').slice(0, 16)
}
