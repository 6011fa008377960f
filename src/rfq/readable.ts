/** Who may see a request for quote: its owner, or for a stranger's whoever knows its id, which cannot be guessed. */
import { AppError } from '../lib/errors.ts'
import { isUuid } from '../lib/ids.ts'
import type { RfqContext } from './context.ts'
import { findRfq, type RfqRow } from './rfq.queries.ts'

/** Somebody else's is not there. */
export async function requireReadable(
  ctx: Pick<RfqContext, 'db'>,
  { id, userId }: { id: string; userId: string | null },
): Promise<RfqRow> {
  const rfq = isUuid(id) ? await findRfq(ctx.db, id) : null
  if (rfq && (rfq.user_id === null || rfq.user_id === userId)) return rfq
  throw new AppError('not_found', 'there is no such request for quote', { code: 'not_found' })
}
