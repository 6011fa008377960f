/**
 * /dev/outbox: the emails of a service without a mail server, for people who try it on their own machine. Emails hold
 * links that sign in, so it exists only when nothing but this machine can ask: the server listens on loopback, its public
 * address is loopback (else a proxy stands in front), and so are the caller's address and the name it asked for (else a
 * stranger's page could reach it through a name that leads here).
 */
import type { Context, Hono } from 'hono'
import { listOutbox, outboxDir, readOutboxMail } from '../../accounts/outbox.ts'
import type { Config } from '../../config.ts'
import { socketIp } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { isLoopback } from '../../lib/loopback.ts'
import { createPages, Ways } from '../kit/person.tsx'
import type { AccountDeps } from './account.routes.tsx'

const OUTBOX = '/dev/outbox'
const FORWARDED = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via']

export function isOutboxOpen(c: Context, config: Config): boolean {
  const ip = socketIp(c)
  return (
    config.smtpUrl === null &&
    isLoopback(config.host) &&
    isLoopback(new URL(config.baseUrl).hostname) &&
    ip !== null &&
    isLoopback(ip) &&
    isLoopback(hostname(c.req.header('host'))) &&
    !FORWARDED.some((name) => c.req.header(name) !== undefined)
  )
}

function hostname(host: string | undefined): string {
  return URL.parse(`http://${host ?? ''}`)?.hostname ?? ''
}

export function mountOutbox(app: Hono<HttpEnv>, { config, site }: AccountDeps): void {
  const dir = outboxDir(config)
  const pages = createPages(app, { config, site }, async (c) => (isOutboxOpen(c, config) ? {} : c.notFound()))

  pages.page(OUTBOX, async () => {
    const mails = await listOutbox(dir)
    return {
      title: 'Outbox',
      lead: 'No mail server is set up (SMTP_URL), so emails are kept here. Only this machine can see this page.',
      body: [
        mails.length === 0 && <p>No emails yet.</p>,
        <ul class="rows">
          {mails.map(({ name, subject, to, date }) => (
            <li>
              <p>
                <a href={`${OUTBOX}/${name}`}>{subject}</a>
                <span class="row-note">
                  To {to}, {date}
                </span>
              </p>
            </li>
          ))}
        </ul>,
      ],
    }
  })

  pages.page(`${OUTBOX}/:name`, async ({ c }) => {
    const mail = await readOutboxMail(dir, c.req.param('name') ?? '')
    if (!mail) return c.notFound()
    return {
      title: mail.subject,
      lead: `To ${mail.to}, ${mail.date}`,
      body: [
        <div class="letter">
          {mail.text.split(/\n{2,}/).map((part) => (
            <p>{part.startsWith(`${site.baseUrl}/`) ? <a href={part}>{part}</a> : part}</p>
          ))}
        </div>,
        <Ways ways={[[OUTBOX, 'Back to the outbox']]} />,
      ],
    }
  })
}
