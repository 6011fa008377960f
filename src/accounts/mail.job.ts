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
import { MAIL_KINDS, type MailDetails, type MailKind, renderMail } from './mail.texts.ts'
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

const Letter = z.object({
  kind: z.enum(MAIL_KINDS),
  to: z.string(),
  link: z.string(),
  writtenAt: z.coerce.date(),
  /** Past this the link is dead and the mail not worth sending. */
  expiresAt: z.coerce.date().nullable(),
  provedDomain: z.string().nullish(),
})

export type Letter = { kind: MailKind; to: string; link: string; expiresAt: Date | null } & Pick<
  MailDetails,
  'provedDomain'
>

export async function queueMail(ctx: AccountsContext, letter: Letter): Promise<void> {
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
      const { to, link, provedDomain, writtenAt: date } = letter
      const rendered = renderMail(letter.kind, { link, provedDomain, baseUrl: ctx.config.baseUrl })
      try {
        await transport.send({ ...rendered, id: jobId, to, from: ctx.config.mailFrom, date })
      } catch (error) {
        mails.inc('failed')
        throw error
      }
      mails.inc('sent')
    },
  })
}
