/**
 * What every page of the tour is held to, in a real browser: axe finds nothing in either theme, nothing sticks out of a
 * telephone's screen, nothing moves while it loads, nothing is inline, nothing is missing and nothing is complained of.
 */
import fs from 'node:fs'
import type { Hono } from 'hono'
import type { CDPSession, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { HttpEnv } from '../src/http/env.ts'
import { projectFile } from '../src/lib/paths.ts'
import type { OpenPage } from './browser.ts'
import { CONTRAST, knownContrast, noteContrast } from './pages.contrast.ts'
import type { createGuide } from './tour.guide.ts'
import type { Stop } from './tour.stop.ts'

type Guide = ReturnType<typeof createGuide>
type Fetching = Pick<Hono<HttpEnv>, 'fetch'>

const AXE_PATH = '/test/axe.js'
const AXE_HEADERS = { 'Content-Type': 'text/javascript', 'Cache-Control': 'max-age=86400, immutable' }

/**
 * The app, with axe as a file of its own: pages let in scripts from here alone, and the browser keeps what it has read
 * and compiled for the next page, which it cannot do with half a megabyte that is sent to each.
 */
export function withAxe({ fetch }: Fetching): Fetching {
  const axe = fs.readFileSync(projectFile('node_modules', 'axe-core', 'axe.min.js'), 'utf8')
  // It would write down every element that it looks at, and all that stands within.
  const source = `${axe}\n${CONTRAST}\naxe.configure({ noHtml: true })`
  return {
    fetch: (request, ...more) =>
      new URL(request.url).pathname === AXE_PATH
        ? new Response(source, { headers: AXE_HEADERS })
        : fetch(request, ...more),
  }
}

/** The element is gone before anybody looks. */
const AXE_LOADED = `('axe' in window ? Promise.resolve() : new Promise((resolve, reject) => {
  const script = document.createElement('script')
  Object.assign(script, { src: '${AXE_PATH}', onload: resolve, onerror: () => reject(new Error('no axe')) })
  document.head.append(script)
  script.remove()
}))`

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** What depends on the colours, and on how much room there is: all else is the same document. */
const OF_THEME = ['color-contrast', 'link-in-text-block']
const OF_ROOM = ['target-size', 'scrollable-region-focusable']
export const WIDE = { width: 1280, height: 900 }
export const NARROW = { width: 360, height: 740 }

type Told = { rule: string; help: string; elements: string[] }
type Found = { wrong: Told[]; good: string[] }

const sessions = new WeakMap<Page, Promise<CDPSession>>()

/** Straight to the browser: `page.evaluate` first brings helpers of its own into each new document. */
async function ask<T>(page: Page, expression: string): Promise<T> {
  const known = sessions.get(page) ?? page.context().newCDPSession(page)
  sessions.set(page, known)
  const session = await known
  const asked = { expression, awaitPromise: true, returnByValue: true }
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', asked)
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
  return result.value as T
}

function auditOf({ skim }: Stop, rules: string[] | null): string {
  const runOnly = rules === null ? { type: 'tag', values: TAGS } : { type: 'rule', values: rules }
  const context = `{ include: [document]${skim === undefined ? '' : `, exclude: [${JSON.stringify(skim)}]`} }`
  // The rule of the newest level is off unless it is asked for by its name.
  const named = rules === null ? { 'target-size': { enabled: true } } : {}
  const shown = { resultTypes: ['violations'], selectors: false, elementRef: true }
  const options = JSON.stringify({ runOnly, rules: named, preload: false, ...shown })
  // Only what is wrong leaves the browser: all that is right would take as long to send as to find.
  return `${AXE_LOADED}.then(() => {
    contrast.begin(${knownContrast()})
    return axe.run(${context}, ${options})
  }).then(({ violations }) => ({
    wrong: violations.map(({ id, help, nodes }) => ({
      rule: id,
      help,
      elements: nodes.slice(0, 5).map(({ element, failureSummary }) =>
        element.outerHTML.slice(0, 300) + '\\n' + failureSummary),
    })),
    good: contrast.found,
  }))`
}

/**
 * What has moved since the document came and before anybody touched it, and by how much, as tools round it. Tools leave
 * out half a second after a click: a busy machine takes longer to show what the click opened.
 */
const SHIFT = `new Promise((resolve) => {
    const entries = []
    const note = (list) => entries.push(...list.filter(({ lastInputTime }) => lastInputTime === 0))
    const observer = new PerformanceObserver((list) => note(list.getEntries()))
    observer.observe({ type: 'layout-shift', buffered: true })
    const report = () => {
      note(observer.takeRecords())
      const sum = Math.round(entries.reduce((all, { value }) => all + value, 0) * 1000) / 1000
      const nodes = entries.flatMap(({ sources }) => sources.map(({ node }) => node))
      resolve({ sum, moved: sum === 0 ? [] : nodes.map((node) => (node?.outerHTML ?? '').slice(0, 120)) })
    }
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(report)))
  })`

const INLINE = `[...document.querySelectorAll('*')].flatMap((element) => [
    ...(element.localName === 'style' ? ['<style>'] : []),
    ...(element.localName === 'script' && !element.src && element.type !== 'application/ld+json' ? ['<script>'] : []),
    ...element.getAttributeNames()
      .filter((name) => name === 'style' || name.startsWith('on'))
      .map((name) => element.localName + ' ' + name),
  ])`

const PICTURES = `[...document.images]
    .filter((image) => !image.hasAttribute('width') || !image.hasAttribute('height') || !image.hasAttribute('alt'))
    .map((image) => image.outerHTML)`

const SHEETS = `[...document.querySelectorAll('link[rel=stylesheet]')].map(({ href }) => href)`
const SCRIPTS = `[...document.scripts].filter(({ src }) => src).map(({ src }) => src)`

function judged({ wrong, good }: Found): Told[] {
  noteContrast(good)
  return wrong
}

type Shift = { sum: number; moved: string[] }

export const audit = (page: Page, stop: Stop, rules: string[] | null) =>
  ask<Found>(page, auditOf(stop, rules)).then(judged)
export const layoutShift = (page: Page) => ask<Shift>(page, SHIFT)
export const inlineParts = (page: Page) => ask<string[]>(page, INLINE)
export const pictureFaults = (page: Page) => ask<string[]>(page, PICTURES)

type Wide = {
  shift: Shift
  found: Found
  inline: string[]
  pictures: string[]
  sheets: string[]
  scripts: string[]
}

/** All that a page is asked at one size, in one go. */
const lookWide = (page: Page, stop: Stop) =>
  ask<Wide>(
    page,
    `(async () => ({
      shift: await ${SHIFT},
      found: await ${auditOf(stop, null)},
      inline: ${INLINE},
      pictures: ${PICTURES},
      sheets: ${SHEETS},
      scripts: ${SCRIPTS},
    }))()`,
  )

const lookNarrow = (page: Page, stop: Stop) =>
  ask<{ width: number; found: Found }>(
    page,
    `(async () => {
      const width = document.scrollingElement.scrollWidth
      const found = await ${auditOf(stop, [...OF_THEME, ...OF_ROOM])}
      // Nobody looks at it again: it need not be laid out anew when the screen widens for the next.
      document.documentElement.style.display = 'none'
      return { width, found }
    })()`,
  )

/** The browser says of every refused document that it was refused: that much is meant. */
function unexpected({ complaints }: OpenPage, { status = 200 }: Stop): string[] {
  const meant = `the server responded with a status of ${status}`
  return complaints.splice(0).filter((text) => status < 400 || !text.includes(meant))
}

/** A test's whole body: goes there, and looks at all of it. */
export async function keepsPromises(guide: Guide, stop: Stop): Promise<void> {
  const open = await guide.pageFor(stop.as)
  const { page } = open
  open.complaints.length = 0
  await Promise.all([page.setViewportSize(WIDE), page.emulateMedia({ colorScheme: 'light' })])
  let visit = await guide.visit(open, stop)
  try {
    expect(visit.status).toBe(stop.status ?? 200)
    let wide = await lookWide(page, stop)
    // A busy machine may paint a page in pieces: what moves on a second visit too is the page's own doing.
    if (wide.shift.sum > 0 && !stop.grows && !stop.live && !stop.act) {
      visit = await guide.visit(open, stop)
      wide = await lookWide(page, stop)
    }
    if (!stop.grows) expect(wide.shift, 'layout shift').toEqual({ sum: 0, moved: [] })
    expect(judged(wide.found), 'in light').toEqual([])
    expect(wide.inline, 'inline style or script').toEqual([])
    expect(wide.pictures, 'pictures without size or text').toEqual([])
    expect([wide.sheets.length, wide.scripts.length <= 2]).toEqual([1, true])
    await Promise.all([page.setViewportSize(NARROW), page.emulateMedia({ colorScheme: 'dark' })])
    const narrow = await lookNarrow(page, stop)
    expect(narrow.width).toBeLessThanOrEqual(NARROW.width)
    expect(judged(narrow.found), 'in dark, on a telephone').toEqual([])
  } finally {
    await visit.leave()
  }
  expect(visit.failed, 'requests that failed').toEqual([])
  expect(unexpected(open, stop), 'complaints of the browser').toEqual([])
}
