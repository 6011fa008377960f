/** SQL of the links in mails. Using one is a single statement, so that of two uses at once the database orders them. */
import type { Selectable } from 'kysely'
import { insertRows, type NewRow } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { changed, exists, one, run } from '../db/rows.ts'
import type { MailTokensTable } from '../db/tables.ts'

export type MailTokenRow = Selectable<MailTokensTable>
export type LinkPurpose = MailTokenRow['purpose']

export function insertMailToken(db: Db, token: NewRow<'mail_tokens'>): Promise<void> {
  return insertRows(db, 'mail_tokens', [token])
}

export function findMailToken(db: Db, tokenHash: string, purpose: LinkPurpose) {
  return one<MailTokenRow>(db)`
    select * from mail_tokens where token_hash = ${tokenHash} and purpose = ${purpose}`
}

/** Marks the first use. Null when it has run out, or was used longer than `graceMs` ago (0: at all). */
export function useMailToken(
  db: Db,
  input: { tokenHash: string; purpose: LinkPurpose; now: Date; graceMs: number },
) {
  const { tokenHash, purpose, now, graceMs } = input
  return one<MailTokenRow>(db)`
    update mail_tokens set used_at = coalesce(used_at, ${now})
    where token_hash = ${tokenHash} and purpose = ${purpose} and expires_at > ${now}
      and (used_at is null or used_at > ${new Date(now.getTime() - graceMs)})
    returning *`
}

/** Whether a confirmation of this account's address was asked for in this browser, which only who knows its password does. */
export function isSignUpBrowser(db: Db, userId: string, browserHash: string) {
  return exists(db)`
    select 1 from mail_tokens
    where user_id = ${userId} and purpose = 'verify' and browser_hash = ${browserHash} limit 1`
}

/** Ends the time in which links that were used may be repeated. The rows stay: their page tells what became of them. */
export function endUsedMailTokens(
  db: Db,
  { userId, emailKey, now }: { userId: string; emailKey: string; now: Date },
) {
  return run(db)`
    update mail_tokens set expires_at = ${now}
    where used_at is not null and expires_at > ${now}
      and (user_id = ${userId} or (user_id is null and lower(email) = ${emailKey}))`
}

/** Of every purpose: each signs its bearer in. Call it with the person locked. */
export function deleteMailTokens(db: Db, userId: string, emailKey: string) {
  return run(db)`
    delete from mail_tokens
    where user_id = ${userId} or (user_id is null and lower(email) = ${emailKey})`
}

export function deleteExpiredMailTokens(db: Db, before: Date) {
  return changed(db)`delete from mail_tokens where expires_at < ${before}`
}
