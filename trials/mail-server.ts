/** A mail server that delivers into memory, and refuses in every way that real ones do when it is told to. */
import { SMTPServer } from 'smtp-server'
import { freePort } from './node.ts'

/** `absent` does not even listen. */
export type MailMood = 'well' | 'tempfail' | 'refuse' | 'hang-up' | 'absent'

export type MailServer = {
  /** For SMTP_URL. */
  url: string
  mood(mood: MailMood): Promise<void>
  /** Every address that got mail, with the first link of each mail, oldest first. */
  linksTo(address: string): string[]
  delivered(): number
  close(): Promise<void>
}

export async function startMailServer(): Promise<MailServer> {
  const port = await freePort()
  const links = new Map<string, string[]>()
  let delivered = 0
  let mood: MailMood = 'well'
  let server: SMTPServer | null = null

  async function listen(): Promise<void> {
    const smtp = new SMTPServer({
      disabledCommands: ['STARTTLS', 'AUTH'],
      logger: false,
      onMailFrom(_address, session, callback) {
        if (mood === 'tempfail') return callback(refusal(451, 'try again later'))
        if (mood === 'refuse') return callback(refusal(550, 'we do not want this'))
        if (mood === 'hang-up') {
          // The session knows no socket; ending all of them is what a server that falls over does.
          for (const connection of smtp.connections) if (session.id === connection.id) connection.close()
          return
        }
        callback()
      },
      onData(stream, session, callback) {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          const link = linkIn(Buffer.concat(chunks).toString('utf8'))
          for (const { address } of session.envelope.rcptTo) keep(address, link)
          delivered++
          callback()
        })
      },
    })
    smtp.on('error', () => {})
    await new Promise<void>((resolve) => smtp.listen(port, '127.0.0.1', resolve))
    server = smtp
  }

  function keep(address: string, link: string): void {
    const known = links.get(address)
    if (known) known.push(link)
    else links.set(address, [link])
  }

  async function close(): Promise<void> {
    const closing = server
    server = null
    if (!closing) return
    await new Promise<void>((resolve) => {
      closing.close(() => resolve())
      for (const connection of closing.connections) connection.close()
    })
  }

  await listen()
  return {
    url: `smtp://127.0.0.1:${port}`,
    async mood(next) {
      mood = next
      if (next === 'absent') await close()
      else if (!server) await listen()
    },
    linksTo: (address) => links.get(address) ?? [],
    delivered: () => delivered,
    close,
  }
}

function refusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode })
}

/** Path and query of the first link: its host is the public one. The text part may be quoted-printable. */
function linkIn(mail: string): string {
  const text = mail.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=')
  const found = /^https?:\/\/\S+/m.exec(text)?.[0]
  const url = found ? URL.parse(found) : null
  return url ? `${url.pathname}${url.search}` : ''
}
