/**
 * What every journey in a browser needs: somebody at a page with a session or without, with scripts or without, whose
 * browser complained of nothing at the end; and the long ways that many begin with, signing up by mail and asking every
 * seller. Pages are found by what people and screen readers find in them: roles, labels and words.
 */
import type { Locator, Page } from 'playwright-core'
import { afterEach, expect, vi } from 'vitest'
import { PASSWORD } from './accounts.ts'
import { type OpenPage, type TestBrowser, useBrowser } from './browser.ts'
import { linkIn, type PagesWorld } from './pages.world.ts'

export type Traveler = {
  page: Page
  /** To a path of the service. */
  go(path: string): Promise<void>
  press(name: string | RegExp): Promise<void>
  follow(name: string | RegExp): Promise<void>
  /** The words of the main part, once it has this heading. */
  read(heading: string | RegExp): Promise<string>
  /** Waits until the page says so, after an action. */
  told(words: string | RegExp): Promise<void>
}

type Starting = {
  at: string
  /** A session's cookie; without it, a stranger. */
  as?: { cookie: string }
  scripts?: boolean
  /** By default UTC. */
  timezoneId?: string
  /** Pages that are meant to be refused: the browser notes their status as an error. */
  refused?: number[]
}

/** How long any one thing is waited for. */
const STEP_MS = 20_000

/** Everybody of a test has a browser profile of their own; all are closed after it, and none may have complained. */
export function useTravelers(world: PagesWorld) {
  const browser: TestBrowser = useBrowser()
  // A journey is many pages long, and machines that run tests are often busy; what is waited for has its own time.
  vi.setConfig({ testTimeout: 120_000 })
  const opened: Array<OpenPage & { refused: number[] }> = []
  afterEach(async () => {
    const all = opened.splice(0)
    for (const { page } of all) await page.context().close()
    for (const { complaints, refused } of all)
      expect(complaints).toEqual(refused.map((status) => expect.stringContaining(`status of ${status} `)))
  })

  return async function travel({
    at,
    as,
    scripts = true,
    timezoneId,
    refused = [],
  }: Starting): Promise<Traveler> {
    const cookies = as ? [world.cookieOf(as.cookie)] : []
    const one = await browser.open(world.baseUrl + at, {
      javaScriptEnabled: scripts,
      timezoneId,
      storageState: { cookies, origins: [] },
    })
    opened.push({ ...one, refused })
    const { page } = one
    page.setDefaultTimeout(STEP_MS)
    const main = page.getByRole('main')
    return {
      page,
      go: async (path) => void (await page.goto(world.baseUrl + path)),
      press: (name) => main.getByRole('button', { name }).first().click(),
      follow: (name) => page.getByRole('link', { name }).first().click(),
      async read(heading) {
        await main.getByRole('heading', { name: heading }).first().waitFor()
        return seen(main)
      },
      told: (words) => main.getByRole('status').filter({ hasText: words }).waitFor(),
    }
  }
}

/** The words that somebody who looks sees there: not what is folded away or hidden. */
export async function seen(part: Locator): Promise<string> {
  await part.waitFor()
  return (await part.allInnerTexts()).join('\n')
}

/** From a page that asks for an account: makes one, and comes back by the link in the mail. */
export async function signUp(world: PagesWorld, { page, go, press, follow }: Traveler, email: string) {
  await follow('Create an account')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await press('Create account')
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()
  await go(linkIn(await world.mailTo(email, /\/auth\/verify/)))
}

/** Anyone who is on a product's page asks its sellers; answers who is ranked, best first, and what is said of the first. */
export async function askSellers({ page, press, read }: Traveler, quantity: number) {
  await page.getByLabel('Quantity').fill(String(quantity))
  await press('Ask every seller')
  await read(/quotes? from \d+ sellers?/)
  const headings = page.getByRole('heading', { name: /^\d\. / })
  const first = page.getByRole('listitem').filter({ has: headings.first() })
  return { ranked: await headings.allInnerTexts(), best: await seen(first.first()) }
}
