/**
 * What a journey does in a browser, said once for all browsers. Controls are found by role and name, as people and screen
 * readers find them. Pages are read by expressions, which run in them even where their own scripts do not.
 */
import { expect, vi } from 'vitest'
import { type TestBrowser, useBrowser } from './browser.ts'

type Role = 'button' | 'link' | 'searchbox' | 'spinbutton' | 'textbox' | 'combobox'

export type Visitor = {
  evaluate<T>(expression: string): Promise<T>
  /** The first of that name, which must be there. */
  click(role: Role, name: string): Promise<void>
  fill(role: Role, name: string, text: string): Promise<void>
  resize(width: number): Promise<void>
  /** What the browser complained of so far. */
  complaints: string[]
  leave(): Promise<void>
}

export type Visiting = { scripts: boolean }
/** Opens a page in a profile of its own. */
export type Visit = (url: string, options: Visiting) => Promise<Visitor>

export const HEIGHT = 800
const WIDE = 1280
const PHONE = 360
/** How long any one thing is waited for. */
const STEP_MS = 20_000

export function useChromium(): Visit {
  const browser: TestBrowser = useBrowser()
  return async (url, { scripts }) => {
    const { page, complaints } = await browser.open(url, { javaScriptEnabled: scripts })
    page.setDefaultTimeout(STEP_MS)
    const find = (role: Role, name: string) => page.getByRole(role, { name, exact: true }).first()
    return {
      evaluate: (expression) => page.evaluate(expression),
      click: (role, name) => find(role, name).click(),
      fill: (role, name, text) => find(role, name).fill(text),
      resize: (width) => page.setViewportSize({ width, height: HEIGHT }),
      complaints,
      leave: () => page.context().close(),
    }
  }
}

/** The words of every element that the selector finds and people see. */
export const texts = ({ evaluate }: Visitor, selector: string) =>
  evaluate<string[]>(`[...document.querySelectorAll(${JSON.stringify(selector)})]
    .filter((one) => one.checkVisibility()).map((one) => one.innerText)`)

/** Waits until an element that the selector finds says exactly this, or matches it. */
export async function sees(visitor: Visitor, selector: string, words: string | RegExp): Promise<void> {
  const expected = typeof words === 'string' ? words : expect.stringMatching(words)
  const look = async () => expect(await texts(visitor, selector)).toContainEqual(expected)
  await vi.waitFor(look, { timeout: STEP_MS, interval: 50 })
}

/** By how much the page is wider than a small phone. Firefox takes the width of a scroll bar from it. */
export async function overflow({ resize, evaluate }: Visitor): Promise<number> {
  await resize(PHONE)
  const { scrollWidth, clientWidth } = await evaluate<Record<'scrollWidth' | 'clientWidth', number>>(
    '(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }))(document.documentElement)',
  )
  await resize(WIDE)
  expect(clientWidth).toBeLessThanOrEqual(PHONE)
  return scrollWidth - clientWidth
}
