/** What a stop of the tour is, and what is done at many of them before the page is looked at. */
import type { Page } from 'playwright-core'

export type Visitor =
  | 'stranger'
  | 'ada'
  | 'newcomer'
  | 'unverified'
  | 'admin'
  /** Of the organization that the service answers for. */
  | 'owner'
  | ConsoleVisitor

/** Those whom only the tour of the console needs: see pages.seeds.ts. */
export type ConsoleVisitor =
  /** Of the owner's organization. */
  | 'viewer'
  /** Owner of an organization that an agent of its own answers for. */
  | 'agentful'
  /** Owner of an organization without anything, its domain not proved. */
  | 'fresh'
  /** Owner of one without a domain, and a member of a second. */
  | 'domainless'

export type Stop = {
  name: string
  /** A stranger without. */
  as?: Visitor
  path: string
  /** The page that `act` ends on, where it is one that no address leads to. */
  endsOn?: string
  /** Of the page that is looked at in the end; 200 without. */
  status?: number
  /** What is done there before the page is looked at. */
  act?: (page: Page) => Promise<void>
  /** Parts of one kind, of which there are too many to look at each: those that this names are passed over by axe. */
  skim?: string
  /** What comes late is meant to take its place above the rest, which then moves. */
  grows?: boolean
  /** For a page that is looked at while it is still being written: how it is reached, and what lets it end. */
  live?: { arrive(page: Page): Promise<void>; end(): unknown }
}

/** What the server says is looked at, not what the browser would have said before asking it. */
export async function withoutValidation(page: Page): Promise<void> {
  await page.evaluate(`for (const form of document.forms) form.noValidate = true`)
}

/** Presses the button of the form that is sent there, and waits for the page that answers. */
export async function submit(page: Page, action: string): Promise<void> {
  await press(page, `main form[action="${action}"]`)
}

async function press(page: Page, form: string): Promise<void> {
  const button = page.locator(`${form} button:not([type=button], [formaction], [name^="_"], .hidden)`).first()
  await Promise.all([page.waitForEvent('framenavigated'), button.click()])
  await page.waitForLoadState('load')
}

/** Types these into the form that is sent there and has fields for them, sends it, and waits for the page that answers. */
export function sending(action: string, fields: Record<string, string> = {}) {
  return async (page: Page) => {
    await withoutValidation(page)
    await page.evaluate(
      `for (const folded of document.querySelectorAll('main form details')) folded.open = true`,
    )
    const typed = Object.keys(fields).map((name) => `:has([name="${name}"]:not([type=hidden]))`)
    const form = `main form[action="${action}"]${typed.join('')}`
    for (const [name, value] of Object.entries(fields)) {
      const select = page.locator(`${form} select[name="${name}"]`)
      if ((await select.count()) > 0) await select.selectOption(value)
      else await page.locator(`${form} [name="${name}"]`).fill(value)
    }
    await press(page, form)
  }
}

/** Opens what is folded there: of each kind the first. */
export function opening(...folded: string[]) {
  return async (page: Page) => {
    for (const selector of folded) await page.locator(`${selector} > summary`).first().click()
  }
}
