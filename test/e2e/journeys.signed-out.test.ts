/**
 * Somebody writes a long form, and their session ends before they send it: in a real browser, with scripts and without,
 * for a seller and an operator, who sign in again by the link in an email, and a shopper, who has a password.
 */
import { expect, test, vi } from 'vitest'
import { createSession } from '../../src/accounts/sessions.service.ts'
import { sessionCookieName } from '../../src/http/session-cookie.ts'
import { PASSWORD } from '../accounts.ts'
import { type Traveler, useTravelers } from '../journeys.ts'
import { ASKED, OFFERED } from '../pages.people.ts'
import { createPagesWorld, linkIn } from '../pages.world.ts'

const world = await createPagesWorld()
const travel = useTravelers(world)
const { pool } = world.database
const used: string[] = []
const SIGNED_OUT = 'You were signed out before this was saved'

/** On every device, as by somebody who secures their account. */
const endSessions = (userId: string) => pool.query('delete from sessions where user_id = $1', [userId])

/** A session of their own: the tests before ended those that the world began with. */
async function begin(userId: string): Promise<{ cookie: string }> {
  const visit = { ip: null, userAgent: null, requestId: null }
  const { token } = await createSession(world.accounts, { userId, visit, replaces: null })
  return { cookie: `${sessionCookieName(world.baseUrl)}=${token}` }
}

async function signInByMail({ page, go, press, follow }: Traveler, userId: string): Promise<void> {
  const { rows } = await pool.query<{ email: string }>('select email from users where id = $1', [userId])
  const email = rows[0]?.email ?? ''
  await follow('Email me a sign-in link instead')
  await page.getByLabel('Email').fill(email)
  await press('Email me a link')
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()
  // The one before it has been used.
  const mail = await vi.waitFor(async () => {
    const newest = await world.mailTo(email, /\/auth\/magic/)
    expect(used).not.toContain(newest.name)
    return newest
  }, 20_000)
  used.push(mail.name)
  await go(linkIn(mail))
}

const SCRIPTS = [
  ['with scripts', true],
  ['without scripts', false],
] as const

test.each(SCRIPTS)(
  '%s, an offer that a seller wrote is saved after signing in by email',
  async (named, scripts) => {
    const { managed } = world.sellers
    const seller = await travel({
      at: `/dashboard/offers/new?product=${OFFERED}`,
      as: await begin(managed.ownerId),
      scripts,
    })
    const { page, press, read, told } = seller
    await page.getByLabel('Headline').fill(`Autumn price ${named}`)
    await page.getByLabel('Destination').fill('https://harborhearth.example/autumn')
    await page.getByLabel('Price', { exact: true }).fill('99')
    // The preview is asked for as long as somebody is signed in.
    if (scripts) await page.locator('#offer-preview').getByText('$99').first().waitFor()
    await endSessions(managed.ownerId)
    await press('Save draft')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await signInByMail(seller, managed.ownerId)
    const words = await read(SIGNED_OUT)
    expect(words).toContain(`Autumn price ${named}`)
    expect(words).toContain('https://harborhearth.example/autumn')
    const saved = async () =>
      (await pool.query('select 1 from offers where headline = $1', [`Autumn price ${named}`])).rows.length
    expect(await saved()).toBe(0)
    await press('Save it now')
    await told('Publish it when you are ready')
    expect(await saved()).toBe(1)
    // Of what is saved, nothing is offered again.
    await seller.go(`/dashboard/offers/new?product=${OFFERED}`)
    await read('New offer')
    expect(await page.getByText('We restored what you typed').count()).toBe(0)
  },
)

test.each(SCRIPTS)('%s, what an operator typed is kept too, and may be discarded', async (named, scripts) => {
  const { userId } = world.people.admin
  const operator = await travel({ at: '/admin/tuning/judged', as: await begin(userId), scripts })
  const { page, press, read } = operator
  const typed = `quiet espresso ${named} | ${ASKED.split('/')[1]} | 3`
  await page.getByLabel('Queries and their good answers').fill(typed)
  await endSessions(userId)
  await press('Add')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await signInByMail(operator, userId)
  expect(await read(SIGNED_OUT)).toContain(typed)
  const waiting = async () => (await pool.query('select 1 from unsaved_forms')).rows.length
  const before = await waiting()
  await press('Discard')
  await read('Judged queries')
  expect(await waiting()).toBe(before - 1)
  expect(await page.getByLabel('Queries and their good answers').inputValue()).toBe('')
  expect((await pool.query('select 1 from search_judgements')).rows).toEqual([])
})

test.each(SCRIPTS)(
  '%s, a shopper’s note is saved after signing in with a password',
  async (named, scripts) => {
    const { ada } = world.people
    const { page, press, read } = await travel({ at: '/auth/signin', scripts })
    const enter = async () => {
      await page.getByLabel('Email').fill(ada.email)
      await page.getByLabel('Password').fill(PASSWORD)
      await press('Sign in')
    }
    await enter()
    await read('Your account')
    await page.goto(`${world.baseUrl}/saved/add?p=${ASKED}`)
    await page.getByLabel('Note').fill(`For the attic, ${named}`)
    await endSessions(ada.userId)
    await press('Save')
    await enter()
    expect(await read(SIGNED_OUT)).toContain(`For the attic, ${named}`)
    await press('Save it now')
    await page.getByRole('status').filter({ hasText: 'Changes saved.' }).waitFor()
    expect(await read('Saved products')).toContain(`For the attic, ${named}`)
  },
)
