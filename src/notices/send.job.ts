/**
 * Sends what waits: all that a person is to be told of at a moment is one mail. The notices are marked and their mail is
 * put in line in one transaction that holds them, so two nodes never send the same one, and a crash sends none of it or
 * all. What a person turned off, or may no longer know, goes unsent.
 */
import { z } from 'zod'
import type { AccountsContext } from '../accounts/context.ts'
import { queueMail } from '../accounts/mail.job.ts'
import type { NoticesMail } from '../accounts/mail.texts.ts'
import { defineJob, type Job } from '../jobs/runner.ts'
import { defineSweep } from '../jobs/sweep.ts'
import { DAY_MS } from '../lib/clock.ts'
import { idsOf } from '../lib/ids.ts'
import { counter } from '../lib/metrics.ts'
import { counted } from '../lib/words.ts'
import { isNoticeKind, KINDS, type NoticeKind, type NoticeText, writeNotice } from './kinds.ts'
import {
  deleteNotices,
  deleteSentNotices,
  findPeopleDue,
  findReachable,
  lockWaiting,
  markSent,
  postponeNotices,
  type WaitingNotice,
} from './notices.queries.ts'
import { getNoticeSettings, type NoticeSettings, unsubscribeToken } from './notices.service.ts'
import { GATHER_MS, sendAt } from './schedule.ts'

export const SETTINGS_PATH = '/account/notices'
export const UNSUBSCRIBE_PATH = '/notices/unsubscribe'

type Context = Pick<AccountsContext, 'db' | 'clock' | 'log' | 'secrets'> & { config: { baseUrl: string } }

const EVERY_MS = 30_000
const LOOK_EVERY_MS = 10 * 60_000
const PEOPLE_AT_ONCE = 100
/** Of one kind in a mail; the rest are counted. */
const MOST_OF_A_KIND = 5
const KEEP_SENT_MS = 90 * DAY_MS

const told = counter('souk_notices_total', 'Notices put in line as part of an email, by kind.', ['kind'])

/** Finds what happened without anybody doing it, and writes its notices. Answers how many people are told. */
export type Look = () => Promise<number>

/** `looks` are made before sending, each time; `slowLooks` every ten minutes. */
export function createNoticeJobs(
  ctx: Context,
  { looks, slowLooks }: { looks: readonly Look[]; slowLooks: readonly Look[] },
): Job[] {
  const usual = { payload: z.object({}), maxAttempts: 3, leaseMs: 60_000 }
  return [
    defineJob({
      ...{ ...usual, kind: 'notices.send', everyMs: EVERY_MS },
      async run(_payload, { signal }) {
        for (const look of looks) await look()
        await sendNotices(ctx, signal)
      },
    }),
    defineJob({
      ...{ ...usual, kind: 'notices.look', everyMs: LOOK_EVERY_MS },
      async run() {
        for (const look of slowLooks) await look()
      },
    }),
    createNoticeSweep(ctx),
  ]
}

export function createNoticeSweep({ db, clock }: Pick<Context, 'db' | 'clock'>): Job {
  return defineSweep({
    kind: 'notices.sweep',
    every: 'day',
    clockOf: db,
    async run({ inBatches }) {
      const before = new Date(clock.now().getTime() - KEEP_SENT_MS)
      return { notices: await inBatches((rows) => deleteSentNotices(db, before, rows)) }
    },
  })
}

/** Answers how many mails it put in line. */
export async function sendNotices(ctx: Context, signal?: AbortSignal): Promise<number> {
  let mails = 0
  const tried = new Set<string>()
  while (!signal?.aborted) {
    const due = await findPeopleDue(ctx.db, ctx.clock.now(), PEOPLE_AT_ONCE)
    // Those whose notices another node holds are still due; that node sends them.
    const people = due.filter((userId) => !tried.has(userId))
    if (people.length === 0) return mails
    for (const userId of people) {
      tried.add(userId)
      if (await sendTo(ctx, userId)) mails += 1
    }
  }
  return mails
}

/** Puts one mail in line, or none. */
async function sendTo(ctx: Context, userId: string): Promise<boolean> {
  const sent = await ctx.db.transaction().execute(async (tx) => {
    const waiting = await lockWaiting(tx, userId)
    if (waiting.length === 0) return []
    const [to, settings] = [await findReachable(tx, userId), await getNoticeSettings(tx, userId)]
    const now = ctx.clock.now()
    const { unwanted, later, ready } = sorted(to === null ? null : settings, waiting, now)
    if (unwanted.length > 0) await deleteNotices(tx, idsOf(unwanted))
    if (later.length > 0) await postponeNotices(tx, later)
    if (ready.length === 0 || to === null) return []
    await markSent(tx, idsOf(ready), now)
    const notices = mailOf(ctx, userId, ready)
    await queueMail({ ...ctx, db: tx }, { kind: 'notices', to, expiresAt: null, notices })
    return ready
  })
  for (const { kind } of sent) told.inc(kind)
  return sent.length > 0
}

type Ready = { id: string; kind: NoticeKind; said: NoticeText }

/** Without settings nothing is wanted. What is due takes along what would follow within a minute. */
function sorted(settings: NoticeSettings | null, waiting: readonly WaitingNotice[], now: Date) {
  const unwanted: WaitingNotice[] = []
  const known: Array<Ready & { dueAt: Date; daily: boolean }> = []
  for (const notice of waiting) {
    const { id, kind, payload, orgName, mayKnow, daily } = notice
    const wanted = settings !== null && mayKnow && isNoticeKind(kind) && settings.kinds[kind]
    const said = wanted ? writeNotice(kind, payload, orgName) : null
    if (!wanted || said === null) unwanted.push(notice)
    else known.push({ id, kind, said, daily, dueAt: sendAt(notice, settings, now) })
  }
  const isDue = known.some(({ dueAt }) => dueAt <= now)
  const until = new Date(now.getTime() + (isDue ? GATHER_MS : 0))
  return {
    unwanted,
    later: known.filter(({ dueAt }) => dueAt > until),
    ready: known.filter(({ dueAt }) => dueAt <= until),
  }
}

function mailOf({ secrets, config }: Context, userId: string, ready: readonly Ready[]): NoticesMail {
  const { baseUrl } = config
  const byKind = Map.groupBy(ready, ({ kind }) => kind)
  const kinds = [...byKind.keys()]
  const [only] = kinds
  const items = kinds.flatMap((kind) => {
    const all = byKind.get(kind) ?? []
    const shown = all.slice(0, MOST_OF_A_KIND).map(({ said }) => said)
    const left = all.length - shown.length
    const more = { text: `And ${left} more like this.`, action: 'See all', path: KINDS[kind].all }
    return left > 0 ? [...shown, more] : shown
  })
  return {
    subject: only && kinds.length === 1 ? KINDS[only].subject : counted(ready.length, 'notice'),
    items: items.map(({ text, action, path }) => ({ text, action, link: `${baseUrl}${path}` })),
    settings: `${baseUrl}${SETTINGS_PATH}`,
    stop: `${baseUrl}${UNSUBSCRIBE_PATH}?token=${unsubscribeToken({ secrets }, { userId, kinds })}`,
  }
}
