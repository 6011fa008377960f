/**
 * A real Chromium for tests of pages, from the packages that come with `npm install`. It is unpacked once into the
 * packages' own cache folder, in a folder of its own that gets its name when it is whole, so that two workers at once never
 * meet a half-written one. It reaches this machine and nothing else. Where the packaged build does not run (it is for
 * Linux on x64), the machine's own takes its place, or the one that `SOUK_TEST_CHROMIUM` names.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { projectFile } from '../src/lib/paths.ts'

/** The switch that Chromium has for what pages offer to agents, while that is on trial. */
export const WITH_WEBMCP = '--enable-features=WebMCP'

/** No name leads anywhere but here, and nothing that the browser does by itself goes out. */
const LOOPBACK_ONLY = [
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
  '--disable-background-networking',
  '--no-proxy-server',
]

export type OpenPage = {
  page: Page
  /** What the browser complained of: errors in the console, broken scripts, breaches of the content policy. */
  complaints: string[]
  /** Every address that was asked for, in order. */
  requested: string[]
}

export type TestBrowser = {
  /** A page in a profile of its own. */
  open(url: string, options?: BrowserContextOptions): Promise<OpenPage>
}

/**
 * Started before the tests of the file or `describe` that it is called in: where no Chromium starts, these fail, and the
 * others are run. The plain one is kept for the next file; one with switches of its own is closed after these tests.
 */
export function useBrowser(args: string[] = []): TestBrowser {
  let browser: Browser | null = null
  const contexts: BrowserContext[] = []
  // The first on a machine unpacks it.
  beforeAll(async () => {
    browser = await (args.length > 0 ? launch(args) : keptBrowser())
  }, 120_000)
  afterAll(async () => {
    if (args.length > 0) await browser?.close()
    else await Promise.all(contexts.map((context) => context.close()))
  })

  async function open(url: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
    if (browser === null)
      throw new Error('the browser is started before the tests, not while they are collected')
    const context = await browser.newContext(options)
    contexts.push(context)
    const page = await context.newPage()
    const [complaints, requested]: [string[], string[]] = [[], []]
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('request', (request) => requested.push(request.url()))
    await page.goto(url)
    return { page, complaints, requested }
  }

  return { open }
}

let kept: Promise<Browser> | null = null

/** One a worker, because starting it takes a second of a core. Profiles keep tests apart; it ends with the process. */
async function keptBrowser(): Promise<Browser> {
  const known = await kept
  if (known?.isConnected()) return known
  kept = launch([])
  return kept
}

function launch(args: string[]): Promise<Browser> {
  found ??= findChromium()
  const { executable, env } = found
  return chromium.launch({
    executablePath: executable,
    args: [
      // Root may not run Chromium's sandbox, and containers often cannot; the pages are our own.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      // No page of a test lives long enough to win back what optimizing its code costs.
      '--js-flags=--no-turbofan --no-maglev',
      ...LOOPBACK_ONLY,
      ...args,
    ],
    env: { ...process.env, ...env },
  })
}

/** The one without windows first: it is the same engine, and quicker. */
const OWN_CHROMIUM = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

type Chromium = { executable: string; env: Record<string, string> }

let found: Chromium | null = null

function findChromium(): Chromium {
  const named = process.env.SOUK_TEST_CHROMIUM
  if (named) return { executable: named, env: {} }
  if (process.platform !== 'linux' || process.arch !== 'x64') return { executable: ownChromium(), env: {} }
  const folder = unpack()
  const executable = path.join(folder, 'chromium')
  const env = { FONTCONFIG_FILE: path.join(folder, 'fonts.conf') }
  // Machines without a browser often lack the few libraries of its own that the package brings along.
  const starts = spawnSync(executable, ['--version', '--no-sandbox'], { stdio: 'ignore' }).status === 0
  return {
    executable,
    env: starts ? env : { ...env, LD_LIBRARY_PATH: path.join(folder, 'al2023', 'lib') },
  }
}

function ownChromium(): string {
  const found = OWN_CHROMIUM.find((file) => fs.existsSync(file))
  if (found) return found
  throw new Error('no Chromium runs here: install one, or set SOUK_TEST_CHROMIUM to the path of one')
}

function unpack(): string {
  const manifest = projectFile('node_modules', '@sparticuz', 'chromium', 'package.json')
  const { version } = JSON.parse(fs.readFileSync(manifest, 'utf8')) as { version: string }
  const cache = projectFile('node_modules', '.cache')
  const folder = path.join(cache, `chromium-${version}`)
  if (fs.existsSync(folder)) return folder
  fs.mkdirSync(cache, { recursive: true })
  const fresh = fs.mkdtempSync(`${folder}.`)
  try {
    // The package unpacks into the folder for temporary files, and its libraries only where it takes itself to be on
    // a certain cloud: so it is told both, in a process of its own.
    const script = `const { default: chromium } = await import('@sparticuz/chromium'); await chromium.executablePath()`
    execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: projectFile(),
      env: { ...process.env, TMPDIR: fresh, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
    })
    fs.writeFileSync(path.join(fresh, 'fonts.conf'), fontsConfig(folder))
    fs.renameSync(fresh, folder)
  } catch (error) {
    fs.rmSync(fresh, { recursive: true, force: true })
    // Another worker was faster: its folder is as good.
    if (!fs.existsSync(folder)) throw error
  }
  return folder
}

/** A machine may have no fonts at all. */
function fontsConfig(folder: string): string {
  const cache = path.join(folder, 'font-cache')
  const dirs = [path.join(folder, 'fonts'), '/usr/share/fonts'].map((dir) => `<dir>${dir}</dir>`)
  return `<?xml version="1.0"?>\n<fontconfig>${dirs.join('')}<cachedir>${cache}</cachedir></fontconfig>\n`
}
