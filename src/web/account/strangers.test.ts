/** What strangers who know somebody's address, or come to their browser later, cannot do with it. */
import { beforeAll, describe, expect, test } from 'vitest'
import { createBrowser, createMailbox, PASSWORD, signIn } from '../../../test/accounts.ts'
import { createTestApp } from '../../../test/harness.ts'

let souk: Awaited<ReturnType<typeof createTestApp>>
let mailbox: ReturnType<typeof createMailbox>
const OWN = 'marble otter 19 lantern'

beforeAll(async () => {
  souk = await createTestApp()
  mailbox = createMailbox(souk)
})

const canSignIn = async (email: string, password: string) =>
  (await createBrowser(souk).post('/auth/signin', { email, password })).status === 303
/** As on the page that the link shows in another browser than the one that asked for it. */
const press = async (browser: ReturnType<typeof createBrowser>, link: string) => {
  const { pathname, searchParams } = new URL(link, 'http://x')
  expect((await browser.get(link)).status).toBe(200)
  return browser.post(pathname, { token: searchParams.get('token') ?? '' })
}
const isSignedIn = async (browser: ReturnType<typeof createBrowser>) =>
  (await browser.get('/account')).status === 200

describe('a stranger who signed up with an address before its owner', () => {
  test.each([
    ['signs up', '/auth/signup'],
    ['asks for a sign-in link', '/auth/magic'],
    ['asks for a new password', '/auth/reset'],
  ])(
    'is out when the owner %s and opens a confirmation that the stranger had sent after it',
    async (_, path) => {
      const stranger = await signIn(souk)
      const { email } = stranger
      await createBrowser(souk).post(path, { email, password: OWN, name: '' })
      await stranger.browser.post('/auth/verify')
      const link = await mailbox.link(email)
      expect(link).toMatch(/^\/auth\/verify\?/)
      const owner = createBrowser(souk)
      expect((await press(owner, link)).status).toBe(303)
      expect(await isSignedIn(owner)).toBe(true)
      expect(await isSignedIn(stranger.browser)).toBe(false)
      expect(await canSignIn(email, PASSWORD)).toBe(false)
    },
  )

  test('is out when the confirmation was sent before it, too', async () => {
    const stranger = await signIn(souk)
    const link = await mailbox.link(stranger.email)
    await createBrowser(souk).post('/auth/signup', { email: stranger.email, password: OWN, name: '' })
    await press(createBrowser(souk), link)
    expect(await isSignedIn(stranger.browser)).toBe(false)
    expect(await canSignIn(stranger.email, PASSWORD)).toBe(false)
  })
})

test('who confirms where they signed up keeps the password they chose, whatever a stranger has asked for', async () => {
  const browser = createBrowser(souk)
  const email = 'same-browser@example.com'
  await browser.post('/auth/signup', { email, password: PASSWORD, name: '' })
  const link = await mailbox.link(email)
  await createBrowser(souk).post('/auth/magic', { email })
  await browser.get(link)
  expect(await canSignIn(email, PASSWORD)).toBe(true)
})

test('who is signed in while confirming keeps it, whatever a stranger has asked for', async () => {
  const { browser, email } = await signIn(souk)
  const link = await mailbox.link(email)
  await createBrowser(souk).post('/auth/magic', { email })
  await browser.get(link)
  expect(await canSignIn(email, PASSWORD)).toBe(true)
})

describe('the link that one came in by', () => {
  test('opens nothing more in this browser once one has signed out', async () => {
    const email = 'shared-computer@example.com'
    const browser = createBrowser(souk)
    await browser.post('/auth/magic', { email })
    const link = await mailbox.link(email)
    await browser.get(link)
    await browser.post('/auth/signout')
    expect((await browser.get(link)).status).toBe(400)
    expect(browser.cookie()).toBeNull()
  })

  test('says that all is well where it was a confirmation, and other links stay good', async () => {
    const { browser, email } = await signIn(souk)
    const link = await mailbox.link(email)
    await browser.get(link)
    await browser.post('/auth/magic', { email })
    const unused = await mailbox.link(email)
    await browser.post('/auth/signout')
    const again = await browser.get(link)
    expect([again.status, browser.cookie()]).toEqual([200, null])
    expect(await again.text()).toContain('Your email is confirmed')
    expect((await browser.get(unused)).status).toBe(303)
  })
})

test('strangers who sign up with an address again and again do not keep its owner from a new password', async () => {
  const { browser, email, password } = await signIn(souk, { verified: true })
  const signUp = (host: number) =>
    createBrowser(souk, { ip: `198.51.100.${host}` }).post('/auth/signup', { email, password: 'password12' })
  let last = 0
  for (let host = 1; last !== 429 && host < 60; host++) last = (await signUp(host)).status
  expect(last).toBe(429)
  await createBrowser(souk).post('/auth/reset', { email })
  const token = new URL(await mailbox.link(email), 'http://x').searchParams.get('token') ?? ''
  const changed = await browser.post('/account/password', { current: password, password: `${OWN} 2` })
  expect(changed.headers.get('location')).toBe('/account?done=password')
  // The change has ended that link; a new one is as good.
  expect((await browser.post('/auth/reset', { token, password: OWN })).status).toBe(400)
  await createBrowser(souk).post('/auth/reset', { email })
  const fresh = new URL(await mailbox.link(email), 'http://x').searchParams.get('token') ?? ''
  expect((await createBrowser(souk).post('/auth/reset', { token: fresh, password: OWN })).status).toBe(303)
})
