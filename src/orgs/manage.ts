/**
 * Deeds on an organization itself: its data, its team, its tokens. They happen one after the other, in one transaction,
 * with the organization locked before the right is looked at, so that two of them never judge by what the other is
 * about to change (two owners who demote each other leave one).
 */
import { AppError } from '../lib/errors.ts'
import type { OrgsContext } from './context.ts'
import { lockOrg } from './orgs.queries.ts'
import { type Caller, type Producer, requireProducer } from './producer.ts'

/** All of it or nothing. */
export function together<T>(ctx: OrgsContext, work: (inTx: OrgsContext) => Promise<T>): Promise<T> {
  return ctx.db.transaction().execute((tx) => work({ ...ctx, db: tx }))
}

/** The organization the caller manages, locked. `inTx` is a transaction that holds no organization yet. */
export async function lockManaged(
  inTx: OrgsContext,
  caller: Caller,
  options: { orLinkToken?: boolean } = {},
): Promise<Producer> {
  const { org } = await requireProducer(inTx, caller, 'read')
  await lockOrg(inTx.db, org.id)
  const producer = await requireProducer(inTx, caller, 'manage', options)
  if (producer.org.id !== org.id)
    throw new AppError('conflict', `you no longer belong to ${org.name}; nothing was done`, {
      code: 'conflict',
    })
  return producer
}
