/** People for tests: a browser with a cookie, a mailbox that runs the mail jobs, and somebody who is signed in. */

import { createMailJob } from '../src/accounts/mail.job.ts'
import type { OutgoingMail } from '../src/accounts/mail.transport.ts'
import type { createTestApp } from './harness.ts'
import { BASE_URL } from './harness.ts'

export type Souk = Pick<Awaited<ReturnType<typeof createTestApp>>, 'app' | 'accounts' | 'database' | 'logged'>

export const PASSWORD = 'violet kettle 7 harbour'

export type Browser = {
  get(path: string, headers?: Record<string, string>): Promise<Response>
  post(path: string, fields?: Record<string, string>, headers?: Record<string, string>): Promise<Response>
  /** The session's, as `name=token`. */
  cookie(): string | null
  /** In place of the session that it has. */
  setCookie(cookie: string | null): void
}

/** Behaves as a browser does: keeps its cookies, says where it comes from. `ip` is its address as the socket shows it. */
export function createBrowser(
  souk: Pick<Souk, 'app'>,
  { ip = '192.0.2.1', baseUrl = BASE_URL } = {},
): Browser {
  const jar = new Map<string, string>()
  const keep = (pair: string) => void jar.set(pair.slice(0, pair.indexOf('=')), pair)
  const sessionName = () => [...jar.keys()].find((name) => name.endsWith('souk_session'))
  async function send(path: string, init: RequestInit & { headers: Record<string, string> }) {
    const cookie = [...jar.values()].join('; ')
    const headers = { accept: 'text/html', ...(cookie && { cookie }), ...init.headers }
    const url = new URL(path, baseUrl)
    const bindings = { incoming: { socket: { remoteAddress: ip } } }
    const response = await souk.app.request(url.href, { ...init, headers }, bindings)
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      if (/max-age=0/i.test(line)) jar.delete(pair.slice(0, pair.indexOf('=')))
      else keep(pair)
    }
    return response
  }
  return {
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, fields = {}, headers = {}) =>
      send(path, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { origin: new URL(baseUrl).origin, ...headers },
      }),
    cookie: () => jar.get(sessionName() ?? '') ?? null,
    setCookie: (value) => {
      jar.delete(sessionName() ?? '')
      if (value !== null) keep(value)
    },
  }
}

/** What a stranger can compare of two answers' headers: without what differs between any two, which is random. */
export function comparableHeaders(response: Response): Array<[string, string]> {
  return [...response.headers]
    .filter(([name]) => name !== 'x-request-id')
    .map(([name, value]) => [name, value.replace(/(souk_browser_)[\w-]{43}/, '$1random')])
}

/** Runs the mail jobs that wait, and gives every mail sent so far, oldest first. */
export function createMailbox({ accounts, database }: Pick<Souk, 'accounts' | 'database'>) {
  const sent: OutgoingMail[] = []
  const config = { ...accounts.config, mailFrom: 'souk@souk.test' }
  const job = createMailJob({ ...accounts, config }, { send: async (mail) => void sent.push(mail) })
  async function mails(to?: string): Promise<OutgoingMail[]> {
    const waiting = await database.db
      .deleteFrom('jobs')
      .where('kind', '=', 'mail.send')
      .returning(['id', 'payload'])
      .execute()
    for (const { id, payload } of waiting.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
      await job.run(payload, { signal: AbortSignal.timeout(5_000), attempt: 1, jobId: id, log: accounts.log })
    return sent.filter((mail) => to === undefined || mail.to === to)
  }
  /** The path of the link in the newest mail to this address. */
  async function link(to: string): Promise<string> {
    const line = (await mails(to))
      .at(-1)
      ?.text.split('\n')
      .find((text) => text.startsWith('http'))
    if (!line) throw new Error(`no mail with a link for ${to}`)
    const url = new URL(line)
    return `${url.pathname}${url.search}`
  }
  return { mails, link }
}

let people = 0

/** Signs a new person up and in; with `verified`, by the link in the mail. */
export async function signIn(
  souk: Souk,
  { email = `person-${++people}@example.com`, password = PASSWORD, name = 'Ada', verified = false } = {},
) {
  const browser = createBrowser(souk, { baseUrl: souk.accounts.config.baseUrl })
  await browser.post('/auth/signup', { email, password, name })
  if (verified) await browser.get(await createMailbox(souk).link(email))
  else await browser.post('/auth/signin', { email, password })
  if (browser.cookie() === null) throw new Error(`${email} could not be signed in`)
  return { browser, email, password, cookie: browser.cookie() ?? '' }
}
