/**
 * Notices by email. A feature calls `notify` in the transaction of what happened, so there is no action without its
 * notice and no notice without its action; the job in send.job.ts gathers what waits for a person into one mail. Mail
 * goes only to confirmed addresses of active accounts; of an organization's affairs its owners and admins are told. What
 * a person may know and wants to know is judged when a notice is written and again when it is sent.
 */
import { recordAudit, recordOwn } from '../accounts/audit.service.ts'
import type { AccountsContext, Visit } from '../accounts/context.ts'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { isUuid } from '../lib/ids.ts'
import { isNoticeKind, KINDS, NOTICE_KINDS, type NoticeKind, type NoticePayload } from './kinds.ts'
import {
  deleteUnsent,
  findNotices,
  findSettings,
  insertNotices,
  saveKinds,
  saveSettings,
} from './notices.queries.ts'
import { GATHER_MS, isTimeZone, type Schedule } from './schedule.ts'

type NoticeOf<Kind extends NoticeKind> = {
  kind: Kind
  /** Tells it from others of its kind: the same thing with the same key is told once. */
  key: string
  payload: NoticePayload<Kind>
  at: Date
  /** Waits for the day's email, whatever its kind: for what strangers can cause. */
  daily?: boolean
} & (
  | { userIds: readonly string[] }
  /** Its owners and admins. */
  | { orgId: string }
)

/** Any of the kinds, with the payload of its own. */
export type NewNotice = { [Kind in NoticeKind]: NoticeOf<Kind> }[NoticeKind]

/** Call it with the transaction of what happened. */
export async function notify(tx: Db, notice: NewNotice): Promise<void> {
  await notifyAll(tx, [notice])
}

/** In one statement; answers how many people are told for the first time. */
export async function notifyAll(tx: Db, notices: readonly NewNotice[]): Promise<number> {
  if (notices.length === 0) return 0
  return insertNotices(
    tx,
    notices.map((notice) => ({
      kind: notice.kind,
      key: notice.key,
      payload: notice.payload,
      at: notice.at,
      dueAt: new Date(notice.at.getTime() + GATHER_MS),
      daily: notice.daily === true || KINDS[notice.kind].pace === 'daily',
      on: KINDS[notice.kind].on,
      orgId: 'orgId' in notice ? notice.orgId : null,
      userIds: 'userIds' in notice ? notice.userIds : null,
    })),
  )
}

/** The person has seen it themselves: what was not sent yet is not sent. */
export function withdrawNotice(
  db: Db,
  seen: { kind: NoticeKind; userId: string; key: string },
): Promise<void> {
  return deleteUnsent(db, seen)
}

export type NoticeSettings = Schedule & { kinds: Record<NoticeKind, boolean> }

export async function getNoticeSettings(db: Db, userId: string): Promise<NoticeSettings> {
  const row = await findSettings(db, userId)
  const kinds = Object.fromEntries(
    NOTICE_KINDS.map((kind) => [kind, row?.kinds[kind] ?? KINDS[kind].on]),
  ) as NoticeSettings['kinds']
  const quiet =
    row && row.quietFrom !== null && row.quietTo !== null ? { from: row.quietFrom, to: row.quietTo } : null
  const timeZone = row && isTimeZone(row.timeZone) ? row.timeZone : 'UTC'
  return { kinds, digest: row?.digest ?? 'instant', quiet, timeZone }
}

type Context = { db: Db; clock: Clock }
type Owner = { userId: string; visit: Visit }

export async function changeNoticeSettings(
  ctx: Context,
  { userId, visit }: Owner,
  { kinds, digest, quiet, timeZone }: NoticeSettings,
): Promise<void> {
  const at = ctx.clock.now()
  await ctx.db.transaction().execute(async (tx) => {
    const times = { quietFrom: quiet?.from ?? null, quietTo: quiet?.to ?? null, timeZone }
    await saveSettings(tx, userId, { kinds, digest, ...times, at })
    const off = NOTICE_KINDS.filter((kind) => !kinds[kind])
    const detail = { off, digest, quiet: quiet !== null, time_zone: timeZone }
    await recordOwn(tx, { userId, at, visit }, 'notices.changed', detail)
  })
}

/** What a link in a mail stops: these kinds, for this person. */
export type Subscription = { userId: string; kinds: NoticeKind[] }

/** A link that works for as long as the secret is configured: mail is read years later. */
export function unsubscribeToken(
  { secrets }: Pick<AccountsContext, 'secrets'>,
  { userId, kinds }: Subscription,
): string {
  const about = `${userId}.${kinds.toSorted().join('-')}`
  return `${about}.${secrets.notices.sign(about)}`
}

/** Null for what is not a token of ours. Kinds that are no more are passed over. */
export function readUnsubscribeToken(
  { secrets }: Pick<AccountsContext, 'secrets'>,
  token: string,
): Subscription | null {
  const [userId = '', words = '', signature = '', ...rest] = token.split('.')
  if (rest.length > 0 || !isUuid(userId) || !secrets.notices.isSigned(`${userId}.${words}`, signature))
    return null
  return { userId, kinds: words.split('-').filter(isNoticeKind) }
}

/** Off or on again; doing it twice changes nothing more. */
export async function subscribe(
  ctx: Context,
  { userId, kinds }: Subscription,
  { on, visit }: { on: boolean; visit: Visit },
): Promise<void> {
  const at = ctx.clock.now()
  await ctx.db.transaction().execute(async (tx) => {
    const { kinds: before } = await getNoticeSettings(tx, userId)
    if (kinds.every((kind) => before[kind] === on)) return
    const chosen = Object.fromEntries(kinds.map((kind) => [kind, on]))
    // The account may be gone since.
    if (!(await saveKinds(tx, userId, { kinds: chosen, at }))) return
    const action = on ? 'notices.resubscribed' : 'notices.unsubscribed'
    // Who has the mail, which may be somebody it was forwarded to.
    const actor = { kind: 'system', id: null } as const
    await recordAudit(tx, { actor, action, at, userId, detail: { kinds }, visit })
  })
}

/** A part of "export my data". */
export async function exportNotices(db: Db, userId: string): Promise<Record<string, unknown>> {
  const [{ kinds, digest, quiet, timeZone }, notices] = await Promise.all([
    getNoticeSettings(db, userId),
    findNotices(db, userId),
  ])
  return {
    notice_settings: {
      kinds,
      digest,
      quiet_from: quiet && clockTime(quiet.from),
      quiet_to: quiet && clockTime(quiet.to),
      time_zone: timeZone,
    },
    notices: notices.map(({ kind, payload, createdAt, sentAt }) => ({
      kind,
      about: payload,
      created_at: createdAt,
      sent_at: sentAt,
    })),
  }
}

/** "22:00" */
export function clockTime(minute: number): string {
  const two = (part: number) => String(part).padStart(2, '0')
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`
}
