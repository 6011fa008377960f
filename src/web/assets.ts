/** The stylesheets and the script, read once and served under names with a content hash. */
import fs from 'node:fs'
import { type Prepared, prepare } from '../http/prepared.ts'
import { sha256 } from '../lib/crypto.ts'
import { projectFile } from '../lib/paths.ts'
import { writeClientScript, writeConsoleScript, writeKitScript, writeVerifyScript } from './client/script.ts'

export type Assets = {
  stylesheet: string
  /** For the dashboard and the operator's pages. */
  consoleStylesheet: string
  script: string
  /** Beside it, on the pages people work on. */
  kitScript: string
  /** The kit and more, for the dashboard and the operator's pages. */
  consoleScript: string
  /** For pages with shared quotes. */
  verifyScript: string
  get(file: string): Prepared | null
}

/** Each page loads one file, concatenated in this order. */
const SHARED = ['base', 'frame', 'visitor', 'forms', 'lists']
const STYLES = [
  ...SHARED,
  'home',
  'product',
  'plan',
  'search',
  'compare',
  'quotes',
  'account',
  'connect',
  'docs',
  'guides',
  'print',
]
const CONSOLE_STYLES = [
  ...SHARED,
  'product',
  'console',
  'console-overview',
  'console-products',
  'console-import',
  'console-offers',
  'console-pricing',
  'console-inspector',
  'console-organization',
  'console-review',
  'console-system',
  'print',
]

let loaded: Assets | null = null

export function loadAssets(): Assets {
  loaded ??= readAssets()
  return loaded
}

function readAssets(): Assets {
  const files = new Map<string, Prepared>()
  const add = (body: Buffer, extension: string, contentType: string) => {
    const name = `souk-${sha256(body).toString('hex').slice(0, 12)}.${extension}`
    files.set(name, immutable(body, contentType))
    return `/assets/${name}`
  }
  const addStyles = (names: string[]) => {
    const css = names.map((name) => fs.readFileSync(projectFile('src', 'web', 'styles', `${name}.css`)))
    return add(Buffer.concat(css), 'css', 'text/css; charset=utf-8')
  }
  return {
    stylesheet: addStyles(STYLES),
    consoleStylesheet: addStyles(CONSOLE_STYLES),
    script: add(Buffer.from(writeClientScript()), 'js', 'text/javascript; charset=utf-8'),
    kitScript: add(Buffer.from(writeKitScript()), 'js', 'text/javascript; charset=utf-8'),
    consoleScript: add(Buffer.from(writeConsoleScript()), 'js', 'text/javascript; charset=utf-8'),
    verifyScript: add(Buffer.from(writeVerifyScript()), 'js', 'text/javascript; charset=utf-8'),
    get: (file) => files.get(file) ?? null,
  }
}

function immutable(body: Buffer, contentType: string): Prepared {
  const headers = { 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' }
  return prepare({ body, contentType, lastModified: new Date('2026-11-01T00:00:00Z'), headers })
}
