/**
 * A real Firefox for journeys, by WebDriver BiDi: the one that `SOUK_TEST_FIREFOX` names, which `scripts/test.mjs` sets to
 * Debian's where that is. Its home and its profile are a folder of its own that is removed. Whatever is not on 127.0.0.1
 * it asks a proxy of ours for, which answers nothing, and it looks up no names; so it reaches this machine and nothing
 * else, whatever a new release does by itself.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import { afterAll, beforeAll } from 'vitest'
import { type Loopback, serveTcp } from './loopback.ts'
import { HEIGHT, type Visit, type Visitor } from './visitor.ts'

export const FIREFOX = process.env.SOUK_TEST_FIREFOX ?? ''

/** Names of the web lead to the proxy. */
const throughProxy = ({ port }: Loopback) => ({
  'network.proxy.type': 1,
  ...Object.fromEntries(
    ['http', 'ssl', 'socks'].flatMap((kind) => [
      [`network.proxy.${kind}`, '127.0.0.1'],
      [`network.proxy.${kind}_port`, port],
    ]),
  ),
  'network.proxy.socks_remote_dns': true,
  'network.proxy.no_proxies_on': '127.0.0.1',
  // Some requests of the browser's own would else go around a proxy that fails.
  'network.proxy.failover_direct': false,
  'network.dns.disabled': true,
  'network.trr.mode': 5,
  // Both speak UDP, which knows no proxy.
  'network.http.http3.enable': false,
  'media.peerconnection.enabled': false,
})

/** What the browser would ask for by itself, beside what puppeteer turns off. */
const QUIET = {
  'app.normandy.enabled': false,
  'browser.region.update.enabled': false,
  'dom.push.connection.enabled': false,
  'extensions.systemAddon.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'network.dns.disablePrefetch': true,
  'network.prefetch-next': false,
  'security.OCSP.enabled': 0,
  'toolkit.telemetry.enabled': false,
  'toolkit.telemetry.server': '',
}

export type Firefox = {
  visit: Visit
  /** What it asked the proxy for, the first line of each. */
  outward: string[]
}

/** Started before the tests of the `describe` that it is called in, and ended after them. */
export function useFirefox(): Firefox {
  let home = ''
  const outward: string[] = []
  let proxy: Loopback | null = null
  let browser: Browser | null = null
  let scriptsAllowed = true
  beforeAll(async () => {
    home = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-firefox-'))
    proxy = await serveTcp((socket) =>
      socket.once('data', (data) => {
        outward.push(String(data).split('\r\n')[0] ?? '')
        socket.destroy()
      }),
    )
    browser = await launch(home, proxy)
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await proxy?.close()
    if (home) fs.rmSync(home, { recursive: true, force: true })
  })

  const visit: Visit = async (url, { scripts }) => {
    if (browser === null) throw new Error('Firefox is started before the tests, not while they are collected')
    if (scripts !== scriptsAllowed) await allowScripts(browser, scripts)
    scriptsAllowed = scripts
    const context = await browser.createBrowserContext()
    const page = await context.newPage()
    const complaints = complaintsOf(page)
    await page.goto(url)
    return { ...handsOn(page), complaints, leave: () => context.close() }
  }
  return { visit, outward }
}

function launch(home: string, proxy: Loopback): Promise<Browser> {
  return puppeteer.launch({
    browser: 'firefox',
    executablePath: FIREFOX,
    // For `about:config`.
    args: ['--remote-allow-system-access'],
    userDataDir: path.join(home, 'profile'),
    extraPrefsFirefox: { ...throughProxy(proxy), ...QUIET },
    // Nothing of the session around: root is refused in a home that is not its own.
    env: {
      PATH: process.env.PATH,
      HOME: home,
      TMPDIR: home,
      MOZ_CRASHREPORTER_DISABLE: '1',
      // Without it, releases pass over the preference that turns remote settings off.
      MOZ_REMOTE_SETTINGS_DEVTOOLS: '1',
    },
    timeout: 120_000,
  })
}

/** A preference of the whole browser; starting a second one would take seconds. */
async function allowScripts(browser: Browser, allowed: boolean): Promise<void> {
  const page = await browser.newPage()
  // This page never counts as loaded.
  await page.goto('about:config', { waitUntil: [] })
  await page.evaluate(`Services.prefs.setBoolPref('javascript.enabled', ${allowed})`)
  await page.close()
}

function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warn'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} of ${response.url()}`)
  })
  return complaints
}

/** By mouse and keys. Puppeteer's own way to click asks scripts of the page whether the element is in view. */
function handsOn(page: Page): Omit<Visitor, 'complaints' | 'leave'> {
  async function find(role: string, name: string) {
    const found = await page.$(`aria/${name}[role="${role}"]`)
    if (found === null) throw new Error(`no ${role} "${name}" at ${page.url()}`)
    return found
  }
  return {
    evaluate: <T>(expression: string) => page.evaluate(expression) as Promise<T>,
    async click(role, name) {
      const { x, y } = await (await find(role, name)).evaluate((element) => {
        element.scrollIntoView({ block: 'center', behavior: 'instant' })
        const box = element.getBoundingClientRect()
        return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
      })
      await page.mouse.click(x, y)
    },
    async fill(role, name, text) {
      const field = await find(role, name)
      await field.evaluate((element: { focus(): void; select(): void }) => {
        element.focus()
        element.select()
      })
      await page.keyboard.type(text)
    },
    resize: (width) => page.setViewport({ width, height: HEIGHT }),
  }
}
