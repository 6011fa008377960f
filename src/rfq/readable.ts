/**
 * Who may see a request for quote: its owner, or for a stranger's whoever knows its id, which cannot be guessed. When an
 * account goes, its requests stay for the producers that answered them, and nobody else sees them any more.
 */
import { AppError } from '../lib/errors.ts'
import { isUuid } from '../lib/ids.ts'
import type { RfqContext } from './context.ts'
import { findRfq, type RfqRow } from './rfq.queries.ts'

type Owned = Pick<RfqRow, 'anonymous' | 'user_id'>

export function isReadable({ anonymous, user_id: ownerId }: Owned, userId: string | null): boolean {
  return anonymous || (ownerId !== null && ownerId === userId)
}

/** Somebody else's is not there. */
export async function requireReadable(
  ctx: Pick<RfqContext, 'db'>,
  { id, userId }: { id: string; userId: string | null },
): Promise<RfqRow> {
  const rfq = isUuid(id) ? await findRfq(ctx.db, id) : null
  if (rfq && isReadable(rfq, userId)) return rfq
  throw noSuchRfq()
}

export function noSuchRfq(): AppError {
  return new AppError('not_found', 'there is no such request for quote', { code: 'not_found' })
}
