/** Walks the tour: one page of the browser for each visitor, signed in as them, used for all stops of theirs. */
import type { BrowserContextOptions, Page, Request, Response } from 'playwright-core'
import type { OpenPage, TestBrowser } from './browser.ts'
import type { TourWorld } from './pages.seeds.ts'
import type { PagesWorld } from './pages.world.ts'
import type { Stop, Visitor } from './tour.stop.ts'

const REACH_MS = 10_000

export type Visit = {
  /** Of the document that is shown. */
  status: number
  /** Whatever did not arrive or was refused, the document aside. */
  failed: string[]
  leave(): Promise<void>
}

/** Of anyone who keeps pictures elsewhere: no test asks the world for them, so the browser is given one in their place. */
const ELSEWHERE = 'https://img.example/*'
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mNIaCjAihiGlgQAzqhUAdULR10AAAAASUVORK5CYII='

/** The console's own visitors are there where its seeds are. */
export function createGuide(world: PagesWorld & Partial<Pick<TourWorld, 'console'>>, browser: TestBrowser) {
  const pages = new Map<Visitor, Promise<OpenPage>>()

  async function openFor(visitor: Visitor): Promise<OpenPage> {
    const sessions: Partial<Record<Visitor, string | null>> = {
      stranger: null,
      ada: world.people.ada.cookie,
      newcomer: world.people.newcomer.cookie,
      unverified: world.people.unverified.cookie,
      admin: world.people.admin.cookie,
      owner: world.sellers.managed.session.cookie,
      ...world.console?.sessions,
    }
    const session = sessions[visitor]
    if (session === undefined) throw new Error(`nobody is ${visitor} in this world`)
    const cookies = session === null ? [] : [world.cookieOf(session)]
    // A stop that cannot be reached is told by what was waited for, before the test's own time is up.
    const options: BrowserContextOptions = { storageState: { cookies, origins: [] }, reducedMotion: 'reduce' }
    const open = await browser.open(`${world.baseUrl}/healthz`, options)
    open.page.setDefaultTimeout(REACH_MS)
    await givePictures(open.page)
    return open
  }

  return {
    pageFor(visitor: Visitor = 'stranger'): Promise<OpenPage> {
      const known = pages.get(visitor) ?? openFor(visitor)
      pages.set(visitor, known)
      return known
    },
    async visit({ page }: OpenPage, stop: Stop): Promise<Visit> {
      const seen: Response[] = []
      const failed: string[] = []
      const listen = (response: Response) => void seen.push(response)
      const note = (request: Request) => {
        // What a page still asks for when its form is sent is given up with the page.
        // A stream of events ends with its page, whichever that was.
        const isGivenUp =
          (stop.act !== undefined || request.resourceType() === 'eventsource') &&
          request.failure()?.errorText === 'net::ERR_ABORTED'
        if (!isGivenUp) failed.push(request.url())
      }
      page.on('response', listen)
      page.on('requestfailed', note)
      // What was typed at an earlier stop of the same form would be there again.
      await page.evaluate('sessionStorage.clear()')
      if (stop.live) await stop.live.arrive(page)
      else await page.goto(world.baseUrl + stop.path)
      await stop.act?.(page)
      const documents = seen.filter((one) => one.request().isNavigationRequest())
      for (const response of seen)
        if (response.status() >= 400 && !documents.includes(response))
          failed.push(`${response.status()} ${response.url()}`)
      page.off('response', listen)
      page.off('requestfailed', note)
      return {
        status: documents.at(-1)?.status() ?? 0,
        failed,
        leave: async () => {
          stop.live?.end()
          if (stop.live) await page.waitForLoadState('load')
        },
      }
    },
  }
}

/** The browser asks about these alone: `page.route` would stop every request, and turn off what pages have in common. */
async function givePictures(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const picture = {
    responseCode: 200,
    responseHeaders: [{ name: 'Content-Type', value: 'image/png' }],
    body: PICTURE,
  }
  session.on('Fetch.requestPaused', ({ requestId }) => {
    // Who has left the page meanwhile wants it no more.
    session.send('Fetch.fulfillRequest', { requestId, ...picture }).catch(() => {})
  })
  await session.send('Fetch.enable', { patterns: [{ urlPattern: ELSEWHERE }] })
}
