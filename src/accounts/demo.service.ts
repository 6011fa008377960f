/**
 * Visits to the demo: a person who tries the service on their own machine looks around as a demo seller, or as the operator
 * by a link that the start prints. Both are accounts that come with the demo sellers. A visit lasts while there is nothing
 * real: it ends with the first real account or product. What a visit may do is for the pages to say; everywhere else its
 * session is nobody's (see `findSession`).
 */
import type { Db } from '../db/database.ts'
import { hashToken, newToken } from '../lib/crypto.ts'
import { notFound } from '../lib/errors.ts'
import type { AccountsContext, SessionsContext, Visit } from './context.ts'
import { hasOperatorLink, isNothingReal, saveOperatorLink, takeOperatorLink } from './demo.queries.ts'
import { DEMO_MAIL_HOST } from './mail.texts.ts'
import { startSession } from './signin.service.ts'

/** With fixed ids, as demo sellers have. */
export const DEMO_ACCOUNTS = {
  seller: {
    id: '01930000-0000-7000-8000-000000001001',
    email: `seller@${DEMO_MAIL_HOST}`,
    name: 'Demo seller',
    isAdmin: false,
  },
  operator: {
    id: '01930000-0000-7000-8000-000000001002',
    email: `operator@${DEMO_MAIL_HOST}`,
    name: 'Demo operator',
    isAdmin: true,
  },
} as const

const LINK_MS = 15 * 60_000

export function isDemoOpen(ctx: { db: Db }): Promise<boolean> {
  return isNothingReal(ctx.db)
}

type Entry = { visit: Visit; replaces: string | null }

/** The token of the session. */
export async function visitAsSeller(ctx: AccountsContext, entry: Entry): Promise<string> {
  return enter(ctx, { ...entry, userId: DEMO_ACCOUNTS.seller.id })
}

/** The link works once. */
export async function visitAsOperator(
  ctx: AccountsContext,
  entry: Entry & { link: string },
): Promise<string> {
  const { link, ...rest } = entry
  return enter(ctx, { ...rest, userId: DEMO_ACCOUNTS.operator.id, link })
}

async function enter(
  ctx: AccountsContext,
  { link, ...entry }: Entry & { userId: string; link?: string },
): Promise<string> {
  return ctx.db.transaction().execute(async (tx) => {
    const inTx = { ...ctx, db: tx }
    const at = ctx.clock.now()
    const isTaken = link === undefined || (await takeOperatorLink(tx, { tokenHash: hashToken(link), at }))
    if (!isTaken || !(await isNothingReal(tx)))
      throw notFound('This link no longer works. Restart the service to get a new one.')
    return (await startSession(inTx, { ...entry, by: 'demo' })).token
  })
}

/** For the person who started the service; stored as a hash. */
export async function createOperatorLink(ctx: Pick<SessionsContext, 'db' | 'clock'>): Promise<string> {
  const token = newToken('souk_demo')
  const at = ctx.clock.now()
  const expiresAt = new Date(at.getTime() + LINK_MS)
  await saveOperatorLink(ctx.db, { tokenHash: hashToken(token), expiresAt, at })
  return token
}

export async function isOperatorLink(ctx: SessionsContext, link: string): Promise<boolean> {
  return hasOperatorLink(ctx.db, { tokenHash: hashToken(link), at: ctx.clock.now() })
}
