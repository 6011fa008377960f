/** Tells sellers by email of live offers that end within two days, once for each end. Short offers say so from the start. */
import type { Db } from '../db/database.ts'
import { type Clock, DAY_MS } from '../lib/clock.ts'
import { notifyAll } from '../notices/notices.service.ts'
import { findEnding } from './shelves.queries.ts'

const SOON_MS = 2 * DAY_MS

export async function lookForEndingOffers({ db, clock }: { db: Db; clock: Clock }): Promise<number> {
  const at = clock.now()
  const ending = await findEnding(db, at, new Date(at.getTime() + SOON_MS))
  return notifyAll(
    db,
    ending.map(({ id, orgId, productTitle, expiresAt }) => ({
      ...{ kind: 'offer_expiring', orgId, key: `${id} ${expiresAt.toISOString()}`, at },
      payload: { product_title: productTitle, offer_id: id, expires_at: expiresAt.toISOString() },
    })),
  )
}
