/** Notices on a real database, sent by two nodes, through the outbox. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createMailbox } from '../../test/accounts.ts'
import { createTestApp } from '../../test/harness.ts'
import { addMember, createOrg } from '../../test/orgs.ts'
import { createMailJob } from '../accounts/mail.job.ts'
import { createOutboxTransport } from '../accounts/mail.transport.ts'
import { readOutboxMail } from '../accounts/outbox.ts'
import { newId } from '../lib/ids.ts'
import {
  changeNoticeSettings,
  exportNotices,
  getNoticeSettings,
  type NewNotice,
  notify,
  notifyAll,
  withdrawNotice,
} from './notices.service.ts'
import { createNoticeSweep, sendNotices } from './send.job.ts'

const souk = await createTestApp()
const { db, pool } = souk.database
const { accounts, clock } = souk
const box = createMailbox(souk)
const VISIT = { ip: null, userAgent: null, requestId: null }
const MINUTE = 60_000
const DAY = 86_400_000

beforeEach(async () => {
  clock.set('2026-11-02T12:00:00Z')
  await pool.query('delete from notices; delete from notice_settings; delete from jobs')
})

let people = 0
async function person({ verified = true } = {}) {
  const [userId, email] = [newId(), `reader-${++people}@example.com`]
  await pool.query(`insert into users (id, email, email_key, email_verified_at) values ($1, $2, $2, $3)`, [
    userId,
    email,
    verified ? clock.now() : null,
  ])
  return { userId, email }
}
const emailOf = async (userId: string) =>
  (await pool.query<{ email: string }>('select email from users where id = $1', [userId])).rows[0]?.email ??
  ''

const reached = (userIds: string[], key: string, title = 'Kettle'): NewNotice => ({
  ...{ kind: 'price_reached', userIds, key, at: clock.now() },
  payload: { product_title: title, product_path: '/p/kettles/k', price_cents: 4500, target_cents: 4600 },
})
const silent = (orgId: string, key = 'outage'): NewNotice => ({
  ...{ kind: 'agent_silent', orgId, key, at: clock.now(), payload: { failures: 3 } },
})
const send = () => sendNotices(accounts)
/** In line, by address, since the test began. */
async function sentTo(email: string) {
  await send()
  return box.mails(email)
}
const choose = async (userId: string, more: Partial<Awaited<ReturnType<typeof getNoticeSettings>>>) =>
  changeNoticeSettings(
    accounts,
    { userId, visit: VISIT },
    { ...(await getNoticeSettings(db, userId)), ...more },
  )
const rows = async () =>
  (await pool.query('select kind, key, sent_at from notices order by created_at, key')).rows

describe('who is told', () => {
  test('the owners and admins of an organization, and nobody else of it', async () => {
    const org = await createOrg(souk, { name: 'Kettle Shop' })
    const members = Object.fromEntries(
      await Promise.all(
        (['admin', 'editor', 'viewer'] as const).map(async (role) => [
          role,
          await addMember(souk, org, role),
        ]),
      ),
    )
    await notify(db, silent(org.id))
    clock.advance(MINUTE)
    expect(await send()).toBe(2)
    const mails = await box.mails()
    const to = mails.slice(-2).map((mail) => mail.to)
    expect(to.toSorted()).toEqual(
      [await emailOf(org.ownerId), await emailOf(members.admin.userId)].toSorted(),
    )
    expect(mails.at(-1)?.subject).toBe('Souk: Your agent stopped answering')
    expect(mails.at(-1)?.text).toContain('- Kettle Shop: your agent gave no valid answer')
    expect(mails.at(-1)?.text.split('\n')).toContain('http://souk.test/dashboard/agent')
  })

  test('nobody with an unconfirmed address, nobody who is deactivated', async () => {
    const [unconfirmed, gone] = [await person({ verified: false }), await person()]
    await pool.query('update users set deactivated_at = now() where id = $1', [gone.userId])
    await notify(db, reached([unconfirmed.userId, gone.userId], 'k'))
    expect(await rows()).toEqual([])
    // Also when that happens while it waits.
    const [unsure, leaving] = [await person(), await person()]
    await notify(db, reached([unsure.userId, leaving.userId], 'k'))
    await pool.query('update users set email_verified_at = null where id = $1', [unsure.userId])
    await pool.query('update users set deactivated_at = now() where id = $1', [leaving.userId])
    clock.advance(MINUTE)
    expect([await send(), await rows()]).toEqual([0, []])
  })

  test('nobody who has left the organization, or does not run it any more, since', async () => {
    const org = await createOrg(souk)
    const [left, lesser] = [await addMember(souk, org, 'admin'), await addMember(souk, org, 'admin')]
    await notify(db, silent(org.id))
    expect(await rows()).toHaveLength(3)
    await pool.query('delete from org_members where user_id = $1', [left.userId])
    await pool.query(`update org_members set role = 'editor' where user_id = $1`, [lesser.userId])
    clock.advance(MINUTE)
    expect([await send(), (await rows()).length]).toEqual([1, 1])
  })

  test('nobody of an organization that is deactivated', async () => {
    const org = await createOrg(souk)
    await notify(db, silent(org.id))
    await pool.query('update orgs set deactivated_at = now() where id = $1', [org.id])
    await notify(db, silent(org.id, 'another'))
    clock.advance(MINUTE)
    expect([await send(), await rows()]).toEqual([0, []])
  })

  test('nobody who turned it off, before or while it waits', async () => {
    const { userId } = await person()
    await notify(db, reached([userId], 'a'))
    const { kinds } = await getNoticeSettings(db, userId)
    await choose(userId, { kinds: { ...kinds, price_reached: false } })
    await notify(db, reached([userId], 'b'))
    clock.advance(MINUTE)
    expect([await send(), await rows()]).toEqual([0, []])
  })
})

describe('one thing is told once', () => {
  test('with the same key, however often and at the same time', async () => {
    const { userId } = await person()
    await Promise.all(Array.from({ length: 8 }, () => notify(db, reached([userId, userId], 'same'))))
    expect(await notifyAll(db, [reached([userId], 'same'), reached([userId], 'other')])).toBe(1)
    expect((await rows()).map(({ key }) => key)).toEqual(['other', 'same'])
  })

  test('and not at all when the action did not happen', async () => {
    const { userId } = await person()
    const failed = db.transaction().execute(async (tx) => {
      await notify(tx, reached([userId], 'k'))
      throw new Error('refused')
    })
    await expect(failed).rejects.toThrow('refused')
    expect(await rows()).toEqual([])
  })

  test('nor when the person has seen it themselves before it was sent', async () => {
    const { userId } = await person()
    await notifyAll(db, [reached([userId], 'seen'), reached([userId], 'unseen')])
    await withdrawNotice(db, { kind: 'price_reached', userId, key: 'seen' })
    expect((await rows()).map(({ key }) => key)).toEqual(['unseen'])
  })

  test('by two nodes that send at the same time', async () => {
    const readers = await Promise.all(Array.from({ length: 20 }, () => person()))
    const ids = readers.map(({ userId }) => userId)
    await notifyAll(db, [reached(ids, 'a'), reached(ids, 'b')])
    clock.advance(MINUTE)
    const sent = await Promise.all([send(), send(), send()])
    expect(sent.reduce((sum, count) => sum + count, 0)).toBe(20)
    const { rows: jobs } = await pool.query(`select 1 from jobs where kind = 'mail.send'`)
    expect(jobs).toHaveLength(20)
    expect((await rows()).every(({ sent_at }) => sent_at !== null)).toBe(true)
  })

  test('and a crash before the end of the sending leaves all of it to be sent', async () => {
    const { userId, email } = await person()
    await notifyAll(db, [reached([userId], 'a'), reached([userId], 'b')])
    clock.advance(MINUTE)
    const broken = { ...accounts, secrets: { ...accounts.secrets, mail: { ...accounts.secrets.mail, seal } } }
    await expect(sendNotices(broken)).rejects.toThrow('out of power')
    expect((await rows()).map(({ sent_at }) => sent_at)).toEqual([null, null])
    expect(await sentTo(email)).toHaveLength(1)
    function seal(): string {
      throw new Error('out of power')
    }
  })
})

describe('when it is sent', () => {
  test('what happens within a minute is one mail', async () => {
    const { userId, email } = await person()
    await notify(db, reached([userId], 'a', 'First'))
    clock.advance(MINUTE / 2)
    await notify(db, reached([userId], 'b', 'Second'))
    expect(await sentTo(email)).toEqual([])
    clock.advance(MINUTE / 2)
    const [mail, ...more] = await sentTo(email)
    expect(more).toEqual([])
    expect(mail?.text).toMatch(/"First" now costs \$45[\s\S]*"Second" now costs \$45/)
    clock.advance(DAY)
    expect(await sentTo(email)).toHaveLength(1)
  })

  test('once a day for people who want that', async () => {
    const { userId, email } = await person()
    await choose(userId, { digest: 'daily', timeZone: 'Europe/Berlin' })
    for (const key of ['a', 'b', 'c']) {
      await notify(db, reached([userId], key))
      clock.advance(2 * 3_600_000)
      await send()
    }
    expect(await sentTo(email)).toEqual([])
    clock.set('2026-11-03T06:59:30Z')
    expect(await sentTo(email)).toEqual([])
    clock.set('2026-11-03T07:00:00Z')
    expect(await sentTo(email)).toHaveLength(1)
  })

  test('not in quiet hours, and what was chosen anew holds for what waits', async () => {
    const { userId, email } = await person()
    await choose(userId, { quiet: { from: 22 * 60, to: 7 * 60 }, timeZone: 'Europe/Berlin' })
    clock.set('2026-11-02T23:30:00Z')
    await notify(db, reached([userId], 'night'))
    clock.advance(MINUTE)
    expect(await sentTo(email)).toEqual([])
    clock.set('2026-11-03T05:59:00Z')
    expect(await sentTo(email)).toEqual([])
    await choose(userId, { quiet: null })
    expect(await sentTo(email)).toHaveLength(1)
  })

  test('a mail lists five of a kind and counts the rest', async () => {
    const { userId, email } = await person()
    await notifyAll(
      db,
      Array.from({ length: 12 }, (_, n) => reached([userId], `k${n}`)),
    )
    clock.advance(MINUTE)
    const [mail] = await sentTo(email)
    expect(mail?.text.match(/now costs/g)).toHaveLength(5)
    expect(mail?.text).toContain('And 7 more like this.')
    expect(mail?.text.split('\n')).toContain('http://souk.test/saved')
  })
})

describe('a mail', () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-notices-'))
  afterAll(() => fs.rmSync(dir, { recursive: true, force: true }))

  /** As it is written to the outbox, with its headers. */
  async function written(): Promise<{ raw: string; text: string; head: string }> {
    const config = { ...accounts.config, mailFrom: 'souk@souk.test' }
    const job = createMailJob({ ...accounts, config }, createOutboxTransport(dir))
    const { rows: waiting } = await pool.query(
      `delete from jobs where kind = 'mail.send' returning id, payload`,
    )
    expect(waiting).toHaveLength(1)
    const signal = AbortSignal.timeout(5_000)
    await job.run(waiting[0].payload, { signal, attempt: 1, jobId: waiting[0].id, log: accounts.log })
    const name = fs.readdirSync(dir).find((file) => file.includes(waiting[0].id)) ?? ''
    const raw = fs.readFileSync(path.join(dir, name), 'utf8')
    return { raw, text: (await readOutboxMail(dir, name))?.text ?? '', head: raw.split('\r\n\r\n')[0] ?? '' }
  }

  test('says how to stop it, to people and to mail readers', async () => {
    const { userId } = await person()
    await notify(db, reached([userId], 'k'))
    clock.advance(MINUTE)
    await send()
    const { head, text } = await written()
    expect(head).toMatch(/^List-Unsubscribe: <http:\/\/souk\.test\/notices\/unsubscribe\?token=[\w.-]+>\r$/m)
    expect(head).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m)
    const lines = text.split('\n')
    expect(lines.filter((line) => line.startsWith('http'))).toEqual([
      'http://souk.test/p/kettles/k',
      'http://souk.test/account/notices',
      expect.stringMatching(/^http:\/\/souk\.test\/notices\/unsubscribe\?token=/),
    ])
  })

  test.each([
    'Kettle\r\nBcc: eve@example.com\r\n\r\nYour account is closed:\nhttps://evil.example',
    `Kettle ${'pad '.repeat(14)}https://evil.example/sign-in Souk at souk.test`,
    'Kettle\u2028https://evil.example\u0085Stop these emails:',
    '<a href="https://evil.example">"quoted"</a> https://evil.example',
    '=?utf-8?q?=0d=0aBcc:_eve@example.com?=',
    '日本のやかん, très joli',
  ])('cannot be made to say %j as its own', async (title) => {
    const { userId } = await person()
    await notify(db, reached([userId], 'k', title))
    clock.advance(MINUTE)
    await send()
    const { raw, head, text } = await written()
    expect(head).not.toMatch(/^(bcc|.*eve@)/im)
    expect(raw.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    expect(text).not.toContain('https://evil')
    const own = /^(- |http:\/\/souk\.test\/|Choose what|Stop these|Souk at souk\.test$|$)/
    for (const line of text.split('\n')) if (!own.test(line)) expect(line).toMatch(/^ {2}\S/)
    expect(text.match(/^Souk at/gm)).toHaveLength(1)
    if (title.startsWith('日')) expect(text).toContain('日本のやかん, très joli')
  })
})

test('settings and notices are part of "export my data", and go with the account', async () => {
  const { userId } = await person()
  await choose(userId, { quiet: { from: 1320, to: 420 }, timeZone: 'Europe/Berlin', digest: 'daily' })
  await notify(db, reached([userId], 'k'))
  const data = await exportNotices(db, userId)
  expect(data).toMatchObject({
    notice_settings: { digest: 'daily', quiet_from: '22:00', quiet_to: '07:00', time_zone: 'Europe/Berlin' },
    notices: [{ kind: 'price_reached', about: { product_title: 'Kettle' }, sent_at: null }],
  })
  await pool.query('delete from users where id = $1', [userId])
  expect(await rows()).toEqual([])
  expect((await pool.query('select 1 from notice_settings')).rows).toEqual([])
})

test('sent notices are gone after 90 days, those that wait are not', async () => {
  const [{ userId }, other] = [await person(), await person()]
  await notify(db, reached([userId], 'sent'))
  clock.advance(MINUTE)
  await send()
  await choose(other.userId, { digest: 'daily' })
  await notify(db, reached([other.userId], 'waits'))
  const sweep = (days: number) => {
    const later = { now: () => new Date(clock.now().getTime() + days * DAY) }
    const run = { signal: AbortSignal.timeout(5_000), attempt: 1, jobId: newId(), log: accounts.log }
    return createNoticeSweep({ db, clock: later }).run({}, run)
  }
  await sweep(89)
  expect(await rows()).toHaveLength(2)
  await sweep(91)
  expect((await rows()).map(({ key }) => key)).toEqual(['waits'])
})

test('a notice of a kind or form that is no more is dropped', async () => {
  const { userId } = await person()
  await pool.query(
    `insert into notices (user_id, kind, key, payload, created_at, due_at)
     values ($1, 'no_more', 'k', '{}', $2, $2), ($1, 'price_reached', 'old', '{"title": 1}', $2, $2)`,
    [userId, clock.now()],
  )
  clock.advance(MINUTE)
  expect([await send(), await rows()]).toEqual([0, []])
})
