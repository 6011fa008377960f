/** The client script as browsers get it: from the build, or from the source with its types stripped (tests). */
import fs from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import path from 'node:path'
import { scriptJson } from '../safe.ts'
import { describePageTools } from './page-tools.ts'

export function writeClientScript(): string {
  const parts = ['souk', 'shop', 'visitor'] as const
  return [`const TOOLS = ${scriptJson(JSON.stringify(describePageTools()))}`, ...parts.map(readScript)].join(
    '\n',
  )
}

/** The second script, of the pages people work on. */
export function writeKitScript(): string {
  return readScript('kit')
}

/** With what only the dashboard and the operator's pages have, which comes first: drafts add rows by its buttons. */
export function writeConsoleScript(): string {
  return [readScript('console'), readScript('kit')].join('\n')
}

/** The script of pages with shared quotes. */
export function writeVerifyScript(): string {
  return readScript('verify-quotes')
}

function readScript(name: 'souk' | 'shop' | 'visitor' | 'kit' | 'console' | 'verify-quotes'): string {
  const beside = (file: string) => path.join(import.meta.dirname, file)
  if (import.meta.filename.endsWith('.ts'))
    return stripTypeScriptTypes(fs.readFileSync(beside(`${name}.ts`), 'utf8'))
  return fs.readFileSync(beside(`${name}.js`), 'utf8')
}
