/**
 * How many sellers were asked and what came of it, for whoever asked: it tells an empty answer because nobody sells the
 * product from one because all declined. Numbers only; who declined is between that seller and us.
 */
import { countVerdicts } from './attempts.queries.ts'
import type { RfqContext } from './context.ts'
import { requireReadable } from './readable.ts'

export type Asked = { asked: number; declined: number }

/** Somebody else's request is not there; of one so old that who was asked is forgotten, null. */
export async function countAsked(
  ctx: Pick<RfqContext, 'db'>,
  input: { id: string; userId: string | null },
): Promise<Asked | null> {
  const { id, attempts_deleted: isForgotten } = await requireReadable(ctx, input)
  if (isForgotten) return null
  const counts = await countVerdicts(ctx.db, id)
  const asked = counts.reduce((sum, { count }) => sum + count, 0)
  return { asked, declined: counts.find(({ verdict }) => verdict === 'declined')?.count ?? 0 }
}
