/** Walks the tour: one page of the browser for each visitor, signed in as them, used for all stops of theirs. */
import type { BrowserContextOptions, Response } from 'playwright-core'
import type { OpenPage, TestBrowser } from './browser.ts'
import type { PagesWorld } from './pages.world.ts'
import type { Stop, Visitor } from './tour.ts'

const REACH_MS = 10_000

export type Visit = {
  /** Of the document that is shown. */
  status: number
  /** Whatever did not arrive or was refused, the document aside. */
  failed: string[]
  leave(): Promise<void>
}

export function createGuide(world: PagesWorld, browser: TestBrowser) {
  const pages = new Map<Visitor, Promise<OpenPage>>()

  async function openFor(visitor: Visitor): Promise<OpenPage> {
    const sessions: Record<Visitor, string | null> = {
      stranger: null,
      ada: world.people.ada.cookie,
      newcomer: world.people.newcomer.cookie,
      unverified: world.people.unverified.cookie,
      admin: world.people.admin.cookie,
      seller: world.sellers.managed.session.cookie,
    }
    const session = sessions[visitor]
    const cookies = session === null ? [] : [world.cookieOf(session)]
    // A stop that cannot be reached is told by what was waited for, before the test's own time is up.
    const options: BrowserContextOptions = { storageState: { cookies, origins: [] }, reducedMotion: 'reduce' }
    const open = await browser.open(`${world.baseUrl}/healthz`, options)
    open.page.setDefaultTimeout(REACH_MS)
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
      const note = (request: { url(): string }) => void failed.push(request.url())
      page.on('response', listen)
      page.on('requestfailed', note)
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
