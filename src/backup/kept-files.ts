/**
 * Backups that a timer takes into one folder: named by their time, the oldest deleted. Only names of this very form are
 * ever deleted, and only after a new one is whole, so that a backup that fails takes none away.
 */
import fs from 'node:fs'
import path from 'node:path'

const NAME = /^souk-\d{8}T\d{6}Z\.souk$/

export function dailyFile(folder: string, now: Date): string {
  if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`the folder ${folder} does not exist: create it first`)
  return path.join(folder, `souk-${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.souk`)
}

/** Returns what it has deleted. The times in the names sort as text. */
export function deleteOlder(folder: string, keep: number): string[] {
  const names = fs.readdirSync(folder).filter((name) => NAME.test(name))
  const old = names.sort().slice(0, -keep)
  return old.map((name) => {
    const file = path.join(folder, name)
    fs.rmSync(file, { force: true })
    return file
  })
}
