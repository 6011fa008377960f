/**
 * Links in mails: each carries a random token, of which the table holds the hash.
 *
 * Mail scanners open links before people do. So opening one acts only in the browser that the mail was asked for in, and
 * shows a button anywhere else. A sign-in link may be repeated for 10 minutes after its first use (and never past its own
 * end), for who presses twice or opens the mail again. A reset link sets a password by POST and works exactly once.
 */
import { hashToken, newToken } from '../lib/crypto.ts'
import { newId } from '../lib/ids.ts'
import { emailKey } from './accounts.schema.ts'
import type { AccountsContext } from './context.ts'
import { queueMail } from './mail.job.ts'
import type { MailKind } from './mail.texts.ts'
import {
  findMailToken,
  insertMailToken,
  type LinkPurpose,
  type MailTokenRow,
  useMailToken,
} from './mail-tokens.queries.ts'
import type { UserRow } from './users.queries.ts'

const MINUTE = 60_000
const LIFETIME_MS: Record<LinkPurpose, number> = {
  verify: 24 * 60 * MINUTE,
  magic: 15 * MINUTE,
  reset: 60 * MINUTE,
}
const GRACE_MS: Record<LinkPurpose, number> = { verify: 10 * MINUTE, magic: 10 * MINUTE, reset: 0 }

type NewLink = {
  purpose: LinkPurpose
  mail: MailKind
  email: string
  userId: string | null
  returnTo: string | null
  /** Where opening the link acts (see http/browser-cookie). For a confirmation, a browser of who knows the password. */
  browserHash: string | null
}

/**
 * A deactivated account costs the same work and one mail too, so that asking tells nobody. Its owner is told, and the link
 * that was made is sent to nobody.
 */
export function mailTo(owner: Pick<UserRow, 'deactivated_at'> | null, mail: MailKind): MailKind {
  return owner === null || owner.deactivated_at === null ? mail : 'deactivated'
}

/** Makes the token and puts the mail in line; call it in the transaction of the action. */
export async function sendLink(ctx: AccountsContext, link: NewLink): Promise<void> {
  const { purpose, mail, email, userId, returnTo, browserHash } = link
  const token = newToken(`souk_${purpose}`)
  const now = ctx.clock.now()
  const expiresAt = new Date(now.getTime() + LIFETIME_MS[purpose])
  await insertMailToken(ctx.db, {
    id: newId(),
    tokenHash: hashToken(token),
    purpose,
    email,
    userId,
    returnTo,
    browserHash,
    createdAt: now,
    expiresAt,
  })
  const { baseUrl } = ctx.config
  const address = mail === 'deactivated' ? baseUrl : `${baseUrl}/auth/${purpose}?token=${token}`
  await queueMail(ctx, { kind: mail, to: email, link: address, expiresAt })
}

export type Link = {
  email: string
  emailKey: string
  userId: string | null
  returnTo: string | null
  browserHash: string | null
}

export async function useLink(
  ctx: AccountsContext,
  { purpose, token }: { purpose: LinkPurpose; token: string },
): Promise<Link | null> {
  const tokenHash = hashToken(token)
  const row = await useMailToken(ctx.db, {
    tokenHash,
    purpose,
    now: ctx.clock.now(),
    graceMs: GRACE_MS[purpose],
  })
  return row && linkFromRow(row)
}

/** Looks at a link without using it. `usable` may change before it is used; only useLink decides. */
export async function peekLink(
  ctx: AccountsContext,
  { purpose, token }: { purpose: LinkPurpose; token: string },
): Promise<(Link & { usable: boolean }) | null> {
  const row = await findMailToken(ctx.db, hashToken(token), purpose)
  if (!row) return null
  const now = ctx.clock.now().getTime()
  const spent = row.used_at !== null && row.used_at.getTime() <= now - GRACE_MS[purpose]
  return { ...linkFromRow(row), usable: !spent && row.expires_at.getTime() > now }
}

function linkFromRow(row: MailTokenRow): Link {
  const { email, user_id: userId, return_to: returnTo, browser_hash: browserHash } = row
  return { email, emailKey: emailKey(email), userId, returnTo, browserHash }
}
