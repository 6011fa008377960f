/**
 * Which code makes the index: other code may read texts otherwise, or lay the files out otherwise, and a number that must be
 * raised by hand is forgotten. Built files carry a mark of their content, and of all they import, in their names.
 */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

let known: string | undefined

export function codeMark(): string {
  known ??= makeMark()
  return known
}

function makeMark(): string {
  const hash = createHash('sha256').update(`${process.version} ${process.arch} ${process.versions.unicode}`)
  const here = import.meta.dirname
  const isBuilt = path.basename(here) !== 'stored'
  const folders = isBuilt ? [here] : [path.join(here, '..'), path.join(here, '..', '..', 'catalog')]
  for (const folder of folders)
    for (const name of fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
      if (!/\.(?:ts|js|json|tsv)$/.test(name) || name.endsWith('.test.ts')) continue
      hash.update(`${name}\n`)
      if (!isBuilt || !/-[A-Z0-9]{8}\.js$/.test(name)) hash.update(fs.readFileSync(path.join(folder, name)))
    }
  return hash.digest('base64url')
}
