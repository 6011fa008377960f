/**
 * The script as browsers get it. Run from the build, it is a file of the build beside this one; run from the source
 * (tests), the types are taken away here. The script imports nothing.
 */
import fs from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import path from 'node:path'
import { scriptJson } from '../safe.ts'
import { describePageTools } from './page-tools.ts'

export function writeClientScript(): string {
  return `const TOOLS = ${scriptJson(JSON.stringify(describePageTools()))}\n${readScript()}`
}

function readScript(): string {
  const beside = (file: string) => path.join(import.meta.dirname, file)
  if (import.meta.filename.endsWith('.ts'))
    return stripTypeScriptTypes(fs.readFileSync(beside('souk.ts'), 'utf8'))
  return fs.readFileSync(beside('souk.js'), 'utf8')
}
