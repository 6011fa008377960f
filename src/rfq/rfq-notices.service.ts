/**
 * What people are told about requests for quote by email. A buyer is told in the transaction that completes the request,
 * if it took so long that they may have left; looking at the answers takes that back. Sellers are told by looks at what
 * is stored, which cost a request nothing: of their first request, of quotes that keep ranking below others, and once a
 * day of all the requests they got. Strangers can send any number of requests, so these cause the day's email alone; a
 * first request happens once.
 */
import type { Db, Tx } from '../db/database.ts'
import { type Clock, DAY_MS, isoDay } from '../lib/clock.ts'
import { notify, notifyAll, withdrawNotice } from '../notices/notices.service.ts'
import type { Rfq } from './rfq.queries.ts'
import { countRequests, findFirstRequests, findLosing, takeDigestDay } from './rfq-notices.queries.ts'

/** Quicker ones are read on the page that asked. */
const SLOW_MS = 5_000
const LOSSES = 5
const LOSSES_WITHIN_MS = 7 * DAY_MS
/** Long enough that a service that was down finds what happened before. */
const FIRST_WITHIN_MS = 7 * DAY_MS

type Ended = Pick<Rfq, 'userId' | 'createdAt'>
const isSlow = ({ createdAt }: Ended, at: Date) => at.getTime() - createdAt.getTime() >= SLOW_MS

function titled({ productTitle, variant }: Pick<Rfq, 'productTitle' | 'variant'>) {
  return { product_title: productTitle, ...(variant && { variant: variant.name }) }
}

/** In the transaction that completes it. Agents that ask have notifications of their own. */
export async function noticeQuotes(
  tx: Tx,
  rfq: Ended & Pick<Rfq, 'id' | 'face' | 'productTitle' | 'variant'>,
  { quotes, at }: { quotes: number; at: Date },
): Promise<void> {
  const { id, userId, face } = rfq
  if (userId === null || face !== 'web' || quotes === 0 || !isSlow(rfq, at)) return
  const payload = { ...titled(rfq), request_id: id, quotes }
  await notify(tx, { kind: 'quotes_ready', userIds: [userId], key: id, payload, at })
}

/** In the transaction of the choice. Strangers can ask and choose without end, so theirs is for the day's email. */
export async function noticeChoice(
  tx: Tx,
  rfq: Pick<Rfq, 'sessionId' | 'productTitle' | 'variant' | 'quantity' | 'anonymous'>,
  chosen: { orgId: string; quoteId: string; totalCents: number; at: Date },
): Promise<void> {
  const { orgId, quoteId: key, totalCents: total_cents, at } = chosen
  const { sessionId: rfq_id, quantity, anonymous: daily } = rfq
  const payload = { ...titled(rfq), rfq_id, quantity, total_cents }
  await notify(tx, { kind: 'quote_chosen', orgId, key, payload, at, daily })
}

/** The buyer sees the answers now. */
export async function quotesSeen(
  { db }: { db: Db },
  { rfqId, userId, createdAt, finishedAt }: Ended & { rfqId: string; finishedAt: Date | null },
): Promise<void> {
  if (userId === null || finishedAt === null || !isSlow({ userId, createdAt }, finishedAt)) return
  await withdrawNotice(db, { kind: 'quotes_ready', userId, key: rfqId })
}

type Context = { db: Db; clock: Clock }

export async function lookForFirstRequests({ db, clock }: Context): Promise<number> {
  const at = clock.now()
  const found = await findFirstRequests(db, new Date(at.getTime() - FIRST_WITHIN_MS))
  return notifyAll(
    db,
    found.map(({ orgId, rfqId, productTitle }) => ({
      ...{ kind: 'first_request', orgId, key: orgId, at },
      payload: { product_title: productTitle, rfq_id: rfqId },
    })),
  )
}

/** Once a streak, and once a week at most. */
export async function lookForLosses({ db, clock }: Context): Promise<number> {
  const at = clock.now()
  const since = new Date(at.getTime() - LOSSES_WITHIN_MS)
  const losing = await findLosing(db, { losses: LOSSES, since })
  return notifyAll(
    db,
    losing.map(({ orgId, byStrangers: daily }) => ({
      ...{ kind: 'loss_streak', orgId, key: `${orgId} ${isoDay(at)}`, at, daily },
      payload: { losses: LOSSES },
    })),
  )
}

/** The day before, once over all nodes. */
export async function lookForDigest({ db, clock }: Context): Promise<number> {
  const at = clock.now()
  const to = new Date(isoDay(at))
  const from = new Date(to.getTime() - DAY_MS)
  const day = isoDay(from)
  return db.transaction().execute(async (tx) => {
    if (!(await takeDigestDay(tx, day))) return 0
    const counts = await countRequests(tx, { from, to })
    return notifyAll(
      tx,
      counts.map(({ orgId, ...counted }) => ({
        ...{ kind: 'requests_digest', orgId, key: `${orgId} ${day}`, at },
        payload: { day, ...counted },
      })),
    )
  })
}
