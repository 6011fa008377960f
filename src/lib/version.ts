/** Which release this is, from the one place that says so. */
import fs from 'node:fs'
import { projectFile } from './paths.ts'

let known: string | undefined

export function version(): string {
  known ??= (JSON.parse(fs.readFileSync(projectFile('package.json'), 'utf8')) as { version: string }).version
  return known
}
