/**
 * The two ways a mail leaves: to the operator's SMTP server, or, with none configured, as one RFC 822 file in the
 * outbox folder, where names sort by time. Messages never make nodemailer read a file or fetch a URL. The text part
 * is written as it is (no soft line breaks; 8bit only where somebody's name is not ASCII), so that a link can be taken
 * from the raw file.
 */
import fs from 'node:fs/promises'
import path from 'node:path'
import type { Transporter } from 'nodemailer'
import type { RenderedMail } from './mail.texts.ts'
import { outboxDir } from './outbox.ts'

export type OutgoingMail = RenderedMail & {
  /** Stays the same when a send is tried again, so that a mail that arrives twice can be seen to be one. */
  id: string
  to: string
  from: string
  date: Date
  /** Where the reader's "unsubscribe" posts to (RFC 8058). */
  unsubscribe?: string
}

export type MailTransport = {
  send(mail: OutgoingMail): Promise<void>
  /** Connects, says who it is and signs in, as it does before a mail; throws what the server said. */
  check(): Promise<void>
}

const SAFE = { disableFileAccess: true, disableUrlAccess: true }

/** Loaded with the first mail: a start needs none. */
const nodemailer = async () => (await import('nodemailer')).default

export function createSmtpTransport(url: string): MailTransport {
  const limits = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }
  const connected = async (work: (transport: Transporter) => Promise<unknown>) => {
    const transport = (await nodemailer()).createTransport({ url, ...limits, ...SAFE })
    try {
      await work(transport)
    } finally {
      transport.close()
    }
  }
  return {
    send: (mail) => connected((transport) => transport.sendMail(message(mail))),
    check: () => connected((transport) => transport.verify()),
  }
}

export function createOutboxTransport(dir: string): MailTransport {
  const plain = { streamTransport: true, buffer: true, newline: 'windows', ...SAFE } as const
  return {
    async send(mail) {
      const { message: bytes } = await (await nodemailer()).createTransport(plain).sendMail(message(mail))
      await fs.mkdir(dir, { recursive: true, mode: 0o700 })
      const file = path.join(dir, outboxName(mail))
      const part = `${file}.part`
      await fs.writeFile(part, bytes, { mode: 0o600 })
      await fs.rename(part, file)
    },
    check: async () => {},
  }
}

/** When it was written, then its id, which also sorts by time: the newest name is the last in order. */
function outboxName({ date, id }: OutgoingMail): string {
  return `${date.toISOString().replaceAll(':', '-')}-${id}.eml`
}

function message({ id, to, from, date, subject, text, html, unsubscribe }: OutgoingMail) {
  const [charset, encoding] = isAscii(text) ? ['us-ascii', '7bit'] : ['utf-8', '8bit']
  const head = `Content-Type: text/plain; charset=${charset}\r\nContent-Transfer-Encoding: ${encoding}`
  const domain = from.replace(/^.*@|>.*$/g, '')
  return {
    from,
    // As an object: an address is never read as a list of addresses.
    to: { name: '', address: to },
    subject,
    date,
    messageId: `<${id}@${domain}>`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      ...(unsubscribe !== undefined && {
        // Prepared: an address is never folded.
        'List-Unsubscribe': { prepared: true, value: `<${unsubscribe}>` },
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
    alternatives: [
      { raw: `${head}\r\n\r\n${text.replaceAll('\n', '\r\n')}\r\n` },
      { contentType: 'text/html; charset=utf-8', content: html },
    ],
  }
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}

export function createMailTransport(config: { smtpUrl: string | null; dataDir: string }): MailTransport {
  return config.smtpUrl === null
    ? createOutboxTransport(outboxDir(config))
    : createSmtpTransport(config.smtpUrl)
}
