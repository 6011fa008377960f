/**
 * Deeds on one account that meet: each ends in an answer and none in a deadlock, because all lock the person first. The
 * test holds the person until both deeds wait, so they meet every time and not by luck.
 */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, createBrowser, createMailbox, PASSWORD, signIn } from '../../test/accounts.ts'
import { createTestApp } from '../../test/harness.ts'

let souk: Awaited<ReturnType<typeof createTestApp>>
let mailbox: ReturnType<typeof createMailbox>
const CHOSEN = 'copper walrus 31 meadow'

beforeAll(async () => {
  souk = await createTestApp()
  mailbox = createMailbox(souk)
})

async function askLink(path: string, email: string): Promise<string> {
  await createBrowser(souk).post(path, { email })
  return mailbox.link(email)
}

async function reset(email: string): Promise<() => Promise<Response>> {
  const token = new URL(await askLink('/auth/reset', email), 'http://x').searchParams.get('token') ?? ''
  return async () => createBrowser(souk).post('/auth/reset', { token, password: CHOSEN })
}

async function waiting(): Promise<number> {
  const { rows } = await souk.database.pool.query<{ n: string }>(
    `select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return Number(rows[0]?.n)
}

/** Starts the deeds in turn, each once the one before waits, then lets them go. */
async function meet(email: string, deeds: Array<() => Promise<Response>>): Promise<number[]> {
  const holder = await souk.database.pool.connect()
  try {
    await holder.query('begin')
    await holder.query('select 1 from users where email = $1 for update', [email])
    const answers: Array<Promise<Response>> = []
    for (const deed of deeds) {
      answers.push(deed())
      await expect.poll(waiting, { timeout: 10_000, interval: 10 }).toBe(answers.length)
    }
    await holder.query('commit')
    return (await Promise.all(answers)).map(({ status }) => status)
  } finally {
    holder.release()
  }
}

const change = (browser: Browser) => () =>
  browser.post('/account/password', { current: PASSWORD, password: CHOSEN })

test('two reset links of one person used at once: the first sets the password, the other is dead', async () => {
  const { email } = await signIn(souk)
  expect(await meet(email, [await reset(email), await reset(email)])).toEqual([303, 400])
})

test('a password changed while a sign-in link is followed: the link is dead', async () => {
  const { browser, email } = await signIn(souk)
  const link = await askLink('/auth/magic', email)
  expect(await meet(email, [change(browser), async () => createBrowser(souk).get(link)])).toEqual([303, 400])
})

test('signing out everywhere while a sign-in link is followed: the link is dead', async () => {
  const { browser, email } = await signIn(souk)
  const link = await askLink('/auth/magic', email)
  const everywhere = () => browser.post('/auth/signout-everywhere')
  expect(await meet(email, [everywhere, async () => createBrowser(souk).get(link)])).toEqual([303, 400])
})

test('a password changed while a reset link is used: the link is dead', async () => {
  const { browser, email } = await signIn(souk)
  expect(await meet(email, [change(browser), await reset(email)])).toEqual([303, 400])
})
