/** Where the project's own files are, whether the code runs from src/ (tests) or from the files in dist/ (built). */
import fs from 'node:fs'
import path from 'node:path'

export const projectRoot = findRoot(import.meta.dirname)

export function projectFile(...parts: string[]): string {
  return path.join(projectRoot, ...parts)
}

function findRoot(folder: string): string {
  const above = path.dirname(folder)
  return above === folder || fs.existsSync(path.join(folder, 'package.json')) ? folder : findRoot(above)
}

let known: string | undefined

/** Which release this is, from the one place that says so. */
export function version(): string {
  known ??= (JSON.parse(fs.readFileSync(projectFile('package.json'), 'utf8')) as { version: string }).version
  return known
}
