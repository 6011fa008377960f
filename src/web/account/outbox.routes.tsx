/**
 * /dev/outbox: the mails of a service without a mail server, for whoever tries it on their own machine. Mails hold links
 * that sign in, so it exists only when nothing but this machine can ask: the server listens on loopback, its public
 * address is loopback (else a proxy stands in front), and so are the caller's address and the name it asked for (else a
 * stranger's page could reach it through a name that leads here).
 */
import type { Context, Hono } from 'hono'
import { listOutbox, type OutboxMail, outboxDir, readOutboxMail } from '../../accounts/outbox.ts'
import type { Config } from '../../config.ts'
import { socketIp } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { isLoopback } from '../../lib/loopback.ts'
import { NarrowPage } from '../components/narrow-page.tsx'
import { sendPage } from '../page.http.ts'
import type { Site } from '../site.ts'
import type { AccountDeps } from './deps.ts'

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
  app.get(OUTBOX, async (c) => {
    if (!isOutboxOpen(c, config)) return c.notFound()
    return sendPage(c, renderList({ site, mails: await listOutbox(dir) }))
  })
  app.get(`${OUTBOX}/:name`, async (c) => {
    const mail = isOutboxOpen(c, config) ? await readOutboxMail(dir, c.req.param('name')) : null
    return mail ? sendPage(c, renderMail({ site, mail })) : c.notFound()
  })
}

function renderList({ site, mails }: { site: Site; mails: OutboxMail[] }): string {
  return String(
    <NarrowPage
      site={site}
      title="Outbox"
      lead="No mail server is set up (SMTP_URL), so mails are kept here. Only this machine can see this page."
    >
      {mails.length === 0 && <p>No mail yet.</p>}
      <ul class="rows">
        {mails.map((mail) => (
          <li>
            <p>
              <a href={`${OUTBOX}/${mail.name}`}>{mail.subject}</a>
              <span class="row-note">
                To {mail.to}, {mail.date}
              </span>
            </p>
          </li>
        ))}
      </ul>
    </NarrowPage>,
  )
}

function renderMail({ site, mail }: { site: Site; mail: OutboxMail }): string {
  return String(
    <NarrowPage site={site} title={mail.subject} lead={`To ${mail.to}, ${mail.date}`}>
      <div class="letter">
        {mail.text.split(/\n{2,}/).map((part) => (
          <p>{part.startsWith(`${site.baseUrl}/`) ? <a href={part}>{part}</a> : part}</p>
        ))}
      </div>
      <ul class="ways">
        <li>
          <a href={OUTBOX}>Back to the outbox</a>
        </li>
      </ul>
    </NarrowPage>,
  )
}
