import fs from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBrowser, PASSWORD } from '../../test/accounts.ts'
import { createTestApp, testConfig } from '../../test/harness.ts'
import { createJobRunner } from '../jobs/runner.ts'
import { createMailJob } from './mail.job.ts'
import { renderMail } from './mail.texts.ts'
import {
  createMailTransport,
  createOutboxTransport,
  createSmtpTransport,
  type MailTransport,
} from './mail.transport.ts'
import { listOutbox, readOutboxMail } from './outbox.ts'

const dirs: string[] = []
const tempDir = () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-mail-'))
  dirs.push(dir)
  return dir
}
afterAll(() => {
  for (const dir of dirs) fs.rmSync(dir, { recursive: true, force: true })
})

const LINK = `https://a-rather-long-name.souk.example/auth/magic?token=souk_magic_${'x'.repeat(43)}`
const mail = (more: Partial<Parameters<MailTransport['send']>[0]> = {}) => ({
  ...renderMail('magic', { link: LINK, baseUrl: 'https://a-rather-long-name.souk.example' }),
  id: '0190a5b0-0000-7000-8000-000000000001',
  to: 'ada@example.com',
  from: 'souk@souk.example',
  date: new Date('2026-11-01T12:00:00Z'),
  ...more,
})

describe('the outbox', () => {
  test('holds one RFC 822 file a mail, whose text part has the link on a line of its own', async () => {
    const dir = path.join(tempDir(), 'outbox')
    await createOutboxTransport(dir).send(mail())
    const [name = ''] = fs.readdirSync(dir)
    expect(name).toBe('2026-11-01T12-00-00.000Z-0190a5b0-0000-7000-8000-000000000001.eml')
    expect(fs.statSync(path.join(dir, name)).mode & 0o777).toBe(0o600)
    const raw = fs.readFileSync(path.join(dir, name), 'utf8')
    const [head = ''] = raw.split('\r\n\r\n')
    expect(head).toMatch(/^From: souk@souk\.example\r$/m)
    expect(head).toMatch(/^To: ada@example\.com\r$/m)
    expect(head).toMatch(/^Subject: Souk: Your sign-in link\r$/m)
    expect(head).toMatch(/^Date: Sun, 01 Nov 2026 12:00:00 \+0000\r$/m)
    expect(head).toMatch(/^Auto-Submitted: auto-generated\r$/m)
    expect(head).toMatch(/multipart\/alternative/)
    expect(raw.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    expect(raw.split('\r\n')).toContain(LINK)
    expect(raw).toMatch(/Content-Type: text\/plain; charset=us-ascii\r\nContent-Transfer-Encoding: 7bit/)
    expect(raw).toMatch(/Content-Type: text\/html; charset=utf-8/)
    for (const line of raw.split('\r\n')) expect(line.length).toBeLessThan(998)
  })

  test('reads back whom a mail is for, however long the address', async () => {
    const dir = path.join(tempDir(), 'outbox')
    const to = `${'a-long-name-'.repeat(5)}x@${'an-equally-long-domain-'.repeat(2)}.example`
    await createOutboxTransport(dir).send(mail({ to }))
    expect((await listOutbox(dir)).map((read) => read.to)).toEqual([to])
  })

  test('the newest name is the last in order, and a mail sent twice is one file', async () => {
    const dir = tempDir()
    const outbox = createOutboxTransport(dir)
    const id = (end: string) => `0190a5b0-0000-7000-8000-00000000000${end}`
    const later = { date: new Date('2026-11-01T12:00:00.001Z') }
    await outbox.send(mail({ id: id('1'), ...later, to: 'third@example.com' }))
    await outbox.send(mail({ id: id('3'), to: 'second@example.com' }))
    await outbox.send(mail({ id: id('2'), to: 'first@example.com' }))
    await outbox.send(mail({ id: id('2'), to: 'first@example.com' }))
    expect((await listOutbox(dir)).map(({ to }) => to)).toEqual([
      'third@example.com',
      'second@example.com',
      'first@example.com',
    ])
  })

  test('reads back what it wrote, and no other file', async () => {
    const dir = tempDir()
    await createOutboxTransport(dir).send(mail())
    const [first] = await listOutbox(dir)
    expect(first).toMatchObject({ to: 'ada@example.com', subject: 'Souk: Your sign-in link' })
    expect(first?.text.split('\n')).toContain(LINK)
    fs.writeFileSync(path.join(path.dirname(dir), 'secret.eml'), 'x')
    for (const name of ['../secret.eml', '..%2fsecret.eml', 'no-such.eml', 'secret'])
      expect(await readOutboxMail(dir, name)).toBeNull()
    fs.rmSync(path.join(path.dirname(dir), 'secret.eml'))
    expect(await listOutbox(path.join(dir, 'not-there'))).toEqual([])
  })

  test('is where mail goes when no mail server is set', async () => {
    const dataDir = tempDir()
    await createMailTransport({ smtpUrl: null, dataDir }).send(mail())
    expect(fs.readdirSync(path.join(dataDir, 'outbox'))).toHaveLength(1)
  })
})

/** A mail server that takes everything and remembers it. */
async function startSmtpSink() {
  const letters: Array<{ commands: string[]; data: string }> = []
  let refuse = 0
  const server = createServer((socket) => {
    const letter = { commands: [] as string[], data: '' }
    let inData = false
    let buffer = ''
    socket.on('error', () => {})
    socket.write('220 sink\r\n')
    socket.on('data', (chunk) => {
      buffer += chunk
      for (let end = buffer.indexOf('\r\n'); end >= 0; end = buffer.indexOf('\r\n')) {
        const line = buffer.slice(0, end)
        buffer = buffer.slice(end + 2)
        if (inData && line === '.') {
          inData = false
          letters.push(letter)
          socket.write('250 taken\r\n')
        } else if (inData) letter.data += `${line}\r\n`
        else {
          letter.commands.push(line)
          inData = line === 'DATA'
          if (line === 'QUIT') socket.end('221 bye\r\n')
          else if (line.startsWith('MAIL') && refuse-- > 0) socket.write('451 not now\r\n')
          else socket.write(inData ? '354 go on\r\n' : '250 fine\r\n')
        }
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    letters,
    refuseNext: (count: number) => {
      refuse = count
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

describe('a mail server', () => {
  let sink: Awaited<ReturnType<typeof startSmtpSink>>
  beforeAll(async () => {
    sink = await startSmtpSink()
  })
  afterAll(() => sink.close())

  test('gets the same message, to one recipient', async () => {
    await createSmtpTransport(sink.url).send(mail({ to: 'one@example.com' }))
    const letter = sink.letters.at(-1)
    expect(letter?.commands.filter((line) => line.startsWith('RCPT'))).toEqual(['RCPT TO:<one@example.com>'])
    expect(letter?.data.split('\r\n')).toContain(LINK)
  })

  test('that refuses for a moment is tried again by the job, and what waits in the table cannot be used', async () => {
    const souk = await createTestApp()
    const browser = createBrowser(souk)
    await browser.post('/auth/signup', { email: 'job@example.com', password: PASSWORD })
    const { rows } = await souk.database.pool.query('select payload::text from jobs')
    expect(rows).toHaveLength(1)
    expect(rows[0].payload).not.toMatch(/souk_verify|job@example|auth\//)
    sink.refuseNext(1)
    const config = { ...souk.accounts.config, mailFrom: 'souk@souk.test' }
    const job = createMailJob({ ...souk.accounts, config }, createSmtpTransport(sink.url))
    const runner = createJobRunner({ db: souk.database.db, log: souk.logged.log, jobs: [job], pollMs: 50 })
    runner.start()
    const arrived = () => sink.letters.find(({ data }) => data.includes('job@example.com'))
    await expect.poll(arrived, { timeout: 15_000 }).toBeDefined()
    await runner.stop()
    const link = arrived()
      ?.data.split('\r\n')
      .find((line) => line.startsWith('http://souk.test/auth/verify?token='))
    expect((await browser.get(link?.slice('http://souk.test'.length) ?? '')).status).toBe(303)
    expect(souk.logged.text()).toContain('will retry')
    expect(souk.logged.text()).not.toContain('souk_verify_')
  })

  test('is not bothered with a link that ran out while it waited', async () => {
    const souk = await createTestApp()
    await createBrowser(souk).post('/auth/magic', { email: 'late@example.com' })
    souk.clock.advance(16 * 60_000)
    const sent: unknown[] = []
    const config = { ...souk.accounts.config, mailFrom: 'souk@souk.test' }
    const job = createMailJob({ ...souk.accounts, config }, { send: async (given) => void sent.push(given) })
    const runner = createJobRunner({ db: souk.database.db, log: souk.logged.log, jobs: [job], pollMs: 20 })
    runner.start()
    await expect.poll(() => souk.logged.text(), { timeout: 10_000 }).toContain('its link expired')
    await runner.stop()
    expect(sent).toEqual([])
  })
})

describe('what is in a mail', () => {
  test('nothing that a stranger typed at sign-up, so that nobody can send their words through us', async () => {
    const souk = await createTestApp()
    const dataDir = tempDir()
    const name = 'Buy now\r\nBcc: eve@example.com\r\n\r\nhttps://spam.example'
    await createBrowser(souk).post('/auth/signup', { email: 'target@example.com', password: PASSWORD, name })
    const config = { ...souk.accounts.config, mailFrom: 'souk@souk.test' }
    const job = createMailJob({ ...souk.accounts, config }, createMailTransport({ smtpUrl: null, dataDir }))
    const runner = createJobRunner({ db: souk.database.db, log: souk.logged.log, jobs: [job], pollMs: 20 })
    runner.start()
    const files = () => listOutbox(path.join(dataDir, 'outbox'))
    await expect.poll(files, { timeout: 10_000 }).toHaveLength(1)
    await runner.stop()
    const [written] = await files()
    const raw = fs.readFileSync(path.join(dataDir, 'outbox', written?.name ?? ''), 'utf8')
    expect(raw).not.toMatch(/Buy now|Bcc|spam\.example/)
  })
})

describe('the outbox page', () => {
  const LOCAL = { SOUK_BASE_URL: 'http://localhost:3000', HOST: '127.0.0.1' }
  const open = async (env: Record<string, string>, { ip = '127.0.0.1', headers = {} } = {}) => {
    const dataDir = tempDir()
    const config = testConfig({ ...LOCAL, SOUK_DATA_DIR: dataDir, ...env })
    const souk = await createTestApp({ config })
    await createOutboxTransport(path.join(dataDir, 'outbox')).send(mail())
    const browser = createBrowser(souk, { ip, baseUrl: 'http://localhost:3000' })
    const list = await browser.get('/dev/outbox', { host: 'localhost:3000', ...headers })
    return { list, browser }
  }

  test('shows mails and their links on one’s own machine', async () => {
    const { list, browser } = await open({})
    expect(list.status).toBe(200)
    const href = /href="(\/dev\/outbox\/[^"]+)"/.exec(await list.text())?.[1] ?? ''
    const page = await browser.get(href, { host: 'localhost:3000' })
    expect(await page.text()).toContain('souk_magic_')
    const led = await browser.get('/auth/check-mail', { host: '127.0.0.1:3000' })
    expect([led.status, led.headers.get('location')]).toEqual([307, 'http://localhost:3000/auth/check-mail'])
    const hint = await browser.get('/auth/check-mail', { host: 'localhost:3000' })
    expect(await hint.text()).toContain('/dev/outbox')
  })

  test.each([
    ['a mail server is set', { SMTP_URL: 'smtp://127.0.0.1:1' }, {}],
    ['the server listens to the world', { HOST: '0.0.0.0' }, {}],
    ['the service has a public name', { SOUK_BASE_URL: 'https://souk.example' }, {}],
    ['the caller is not on this machine', {}, { ip: '192.0.2.1' }],
    ['a proxy passed the request on', {}, { headers: { 'x-forwarded-for': '192.0.2.1' } }],
    ['it was asked for by a stranger’s name', {}, { headers: { host: 'evil.example' } }],
  ])('does not exist when %s', async (_, env, request) => {
    const { list } = await open(env, request)
    expect(list.status).toBe(404)
    expect(await list.text()).not.toContain('sign-in link')
  })
})
