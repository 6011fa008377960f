/**
 * Mail is a job, put in line in the transaction of the action it tells about: no action without its mail, no mail without
 * its action, and a mail server that is down delays mail instead of failing people. What waits in the table is sealed,
 * because it holds links that sign in; a stolen table opens none of them.
 */
import { z } from 'zod'
import type { SealedColumn } from '../db/reseal.ts'
import { defineJob, enqueue, type Job } from '../jobs/runner.ts'
import { counter } from '../lib/metrics.ts'
import type { AccountsContext } from './context.ts'
import {
  DEMO_MAIL_HOST,
  MAIL_KINDS,
  type MailDetails,
  type MailKind,
  type NoticesMail,
  renderMail,
  renderNotices,
} from './mail.texts.ts'
import type { MailTransport } from './mail.transport.ts'

/** Over about forty minutes, with the runner's growing pauses. */
const MAIL = { kind: 'mail.send', maxAttempts: 15, leaseMs: 60_000 }

const mails = counter(
  'souk_mails_total',
  'Emails by outcome: sent, failed (each try counts), or expired while waiting.',
  ['outcome'],
)

const Payload = z.object({ sealed: z.string() })

export const WAITING_MAILS: SealedColumn = {
  table: 'jobs',
  column: 'payload',
  field: 'sealed',
  needed: { kind: [MAIL.kind], state: ['waiting', 'running'] },
  key: ['id'],
  purpose: 'mail',
}

const envelope = {
  to: z.string(),
  writtenAt: z.coerce.date(),
  /** Past this the link is dead and the mail not worth sending. */
  expiresAt: z.coerce.date().nullable(),
}

const Letter = z.discriminatedUnion('kind', [
  z.object({
    ...envelope,
    kind: z.enum(MAIL_KINDS),
    link: z.string(),
    provedDomain: z.string().nullish(),
  }),
  z.object({
    ...envelope,
    kind: z.literal('notices'),
    notices: z.object({
      subject: z.string(),
      items: z.array(z.object({ text: z.string(), action: z.string(), link: z.string() })),
      settings: z.string(),
      stop: z.string(),
    }),
  }),
])

export type Letter = { kind: MailKind; to: string; link: string; expiresAt: Date | null } & Pick<
  MailDetails,
  'provedDomain'
>

export type NoticesLetter = { kind: 'notices'; to: string; expiresAt: null; notices: NoticesMail }

/** Accounts of the demo get none. */
export async function queueMail(
  ctx: Pick<AccountsContext, 'db' | 'clock' | 'secrets'>,
  letter: Letter | NoticesLetter,
): Promise<void> {
  if (letter.to.endsWith(`@${DEMO_MAIL_HOST}`)) return
  const sealed = ctx.secrets.mail.seal(JSON.stringify({ ...letter, writtenAt: ctx.clock.now() }))
  await enqueue(ctx.db, MAIL, { sealed })
}

export function createMailJob(
  ctx: Pick<AccountsContext, 'clock' | 'secrets'> & { config: { baseUrl: string; mailFrom: string } },
  transport: Pick<MailTransport, 'send'>,
): Job {
  return defineJob({
    ...MAIL,
    payload: Payload,
    async run({ sealed }, { jobId, log }) {
      const letter = Letter.parse(JSON.parse(ctx.secrets.mail.open(sealed)))
      if (letter.expiresAt && letter.expiresAt <= ctx.clock.now()) {
        mails.inc('expired')
        log.warn({ mail: letter.kind }, 'an email was not sent: its link expired while it waited')
        return
      }
      const { to, writtenAt: date } = letter
      const { mailFrom: from, baseUrl } = ctx.config
      const rendered =
        letter.kind === 'notices'
          ? { ...renderNotices(letter.notices, baseUrl), unsubscribe: letter.notices.stop }
          : renderMail(letter.kind, { link: letter.link, provedDomain: letter.provedDomain, baseUrl })
      try {
        await transport.send({ ...rendered, id: jobId, to, from, date })
      } catch (error) {
        mails.inc('failed')
        throw error
      }
      mails.inc('sent')
    },
  })
}
