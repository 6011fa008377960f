/** People who sign up, confirm their address by the link in the mail, sign in and out. */
import { hashToken } from '../../src/lib/crypto.ts'
import type { Act, Answer } from '../act.ts'
import { addressOf } from '../people.ts'

const PASSWORD = 'violet kettle 7 harbour'
const NETWORKS = 4_000

const form = (fields: Record<string, string>) => new URLSearchParams(fields)

/** `name=token` of the only cookie set, as the browser sends it back. */
function cookieIn({ setCookies }: Answer): string | null {
  const [pair] = setCookies.filter((line) => !/max-age=0/i.test(line)).map((line) => line.split(';')[0])
  return pair ?? null
}

export const ACCOUNT_ACTS: readonly Act[] = [
  {
    name: 'account.signup',
    weight: 1.2,
    async run(turn) {
      const email = `${turn.word()}@new.trial.example`
      const subject = turn.journal.invent('account', email, email)
      const answer = await turn.write(
        { subject, next: { verified: false }, audited: 'account.created', by: email },
        {
          path: '/auth/signup',
          ip: addressOf(5, Math.floor(turn.random() * NETWORKS)),
          body: form({ email, password: PASSWORD, name: 'Ada' }),
        },
      )
      if (answer.status !== 303) return
      subject.id = email
      // Confirming without it drops the password.
      subject.notes.cookie = cookieIn(answer) ?? ''
    },
  },
  {
    name: 'account.verify',
    weight: 1,
    async run(turn) {
      const waiting = turn.journal
        .free('account')
        .filter(({ possible, key }) => possible[0]?.verified === false && turn.mail?.linksTo(key).length)
      if (waiting.length === 0) return
      const subject = turn.pick(waiting)
      const link = new URL(turn.mail?.linksTo(subject.key).at(-1) ?? '/', 'http://localhost')
      await turn.write(
        { subject, next: { verified: true }, audited: 'email.verified', by: subject.key },
        {
          path: link.pathname,
          ip: addressOf(5, Math.floor(turn.random() * NETWORKS)),
          headers: { cookie: subject.notes.cookie ?? '' },
          body: form({ token: link.searchParams.get('token') ?? '' }),
        },
      )
    },
  },
  {
    name: 'account.signin',
    weight: 1,
    async run(turn) {
      const known = turn.journal.free('account').filter(({ id }) => id !== null)
      if (known.length === 0) return
      const { key: email } = turn.pick(known)
      const answer = await turn.write(
        { subject: null, next: null, audited: 'signin', by: email },
        {
          path: '/auth/signin',
          ip: addressOf(5, Math.floor(turn.random() * NETWORKS)),
          body: form({ email, password: PASSWORD }),
        },
      )
      const cookie = answer.status === 303 ? cookieIn(answer) : null
      if (cookie === null) return
      const session = turn.journal.invent(
        'session',
        hashToken(cookie.slice(cookie.indexOf('=') + 1)),
        email,
        { cookie },
      )
      session.possible = [{ alive: true }]
      session.id = session.key
    },
  },
  {
    name: 'account.signout',
    weight: 0.7,
    async run(turn) {
      const sessions = turn.journal.free('session')
      if (sessions.length === 0) return
      const subject = turn.pick(sessions)
      await turn.write(
        { subject, next: null, audited: 'signout', by: subject.owner },
        { path: '/auth/signout', headers: { cookie: subject.notes.cookie ?? '' }, body: form({}) },
      )
    },
  },
  {
    name: 'account.page',
    weight: 1,
    async run(turn) {
      const person = turn.pick(turn.people.shoppers)
      const path = turn.pick(['/account', '/saved', '/quotes', '/account/history'])
      await turn.send({ path, ip: person.ip, headers: { cookie: person.cookie, accept: 'text/html' } })
    },
  },
]
