/** Sends one email at once, as all others are sent, and says in words what came of it. */
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import { cleanLine, shorten } from '../lib/text.ts'
import { type AuditActor, recordAudit } from './audit.service.ts'
import { createMailTransport, type MailTransport } from './mail.transport.ts'

type MailConfig = Pick<Config, 'smtpUrl' | 'dataDir' | 'mailFrom' | 'baseUrl'>

const WORDS: Record<string, string> = {
  ECONNREFUSED: 'nothing listens at the host and port of SMTP_URL',
  ECONNECTION: 'the mail server could not be reached: check host and port of SMTP_URL',
  ESOCKET: 'the connection to the mail server failed: check host, port and whether it wants smtps://',
  ETIMEDOUT: 'the mail server did not answer in time: check host and port of SMTP_URL, and firewalls',
  EDNS: 'the host of SMTP_URL has no address',
  ENOTFOUND: 'the host of SMTP_URL has no address',
  EAUTH: 'the mail server refused the user name or password of SMTP_URL',
  ETLS: 'no encrypted connection could be made to the mail server',
  EENVELOPE: 'the mail server refused the sender or the recipient: check SOUK_MAIL_FROM and the address',
}

/** Gives where it went. */
export async function sendTestMail(
  ctx: { db: Db; clock: Clock },
  config: MailConfig,
  { by, to }: { by: AuditActor; to: string },
  transport: Pick<MailTransport, 'send'> = createMailTransport(config),
): Promise<'server' | 'outbox'> {
  const date = ctx.clock.now()
  const text = `This is a test of the email settings of ${config.baseUrl}. It arrived, so they work.`
  const mail = { subject: 'Test of your email settings', text, html: `<p>${text}</p>` }
  const failed = await transport.send({ ...mail, id: newId(), to, from: config.mailFrom, date }).then(
    () => null,
    (error: unknown) => error as Error & { code?: string; response?: string },
  )
  await recordAudit(ctx.db, {
    ...{ actor: by, action: 'mail.tested', at: date },
    detail: { sent: failed === null, ...(failed?.code && { code: failed.code }) },
  })
  if (failed === null) return config.smtpUrl === null ? 'outbox' : 'server'
  const said = failed.response === undefined ? '' : `; it said: ${shorten(cleanLine(failed.response), 200)}`
  const why =
    WORDS[failed.code ?? ''] ??
    `it could not be sent (${failed.code ?? shorten(cleanLine(failed.message), 200)})`
  throw new AppError('unprocessable', `${why}${said}`, { field: 'to', cause: failed })
}
