/**
 * The data folder's secret file, in a backup and out of it. Database and file cannot change in one step, so while the
 * one is swapped the file holds both secrets, as after a rotation: whichever database is there after a crash, what is
 * sealed in it opens. The secret that was there stays beside it under another name.
 */
import fs from 'node:fs'
import path from 'node:path'
import { syncFolder } from './write-file.ts'

export type SecretPlan =
  | { kind: 'nothing'; notice: string | null }
  | { kind: 'write'; secret: string; old: string | null; notice: string | null }

export type SecretChange = { finish(): void; undo(): void }

/** Null without a secret: a backup creates none. */
export function readSecretFile(dataDir: string): string | null {
  try {
    const text = fs.readFileSync(fileIn(dataDir), 'utf8').trim()
    return text === '' ? null : text
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** What is to be done about the secret of a backup; throws when that would take one away that nobody gave up. */
export function planSecret(
  { secret: configured, dataDir }: { secret: string | null; dataDir: string },
  backup: { secret: string | null; secretElsewhere: boolean },
  replace: boolean,
): SecretPlan {
  const old = readSecretFile(dataDir)
  const [wanted] = listOf(backup.secret)
  if (backup.secret === null || wanted === undefined)
    return { kind: 'nothing', notice: noticeWithout(backup.secretElsewhere, configured) }
  if (configured !== null && listOf(configured).includes(wanted)) return { kind: 'nothing', notice: null }
  const notice =
    configured === null
      ? null
      : `SOUK_SECRET differs from the backup's secret: add the contents of ${fileIn(dataDir)} to it after a comma, or sealed data cannot be read`
  if (old === backup.secret) return { kind: 'nothing', notice }
  // A restore that was cut off has left both.
  const begun = old !== null && listOf(old)[0] === wanted
  if (old !== null && !begun && !replace)
    throw new Error(
      `${fileIn(dataDir)} holds a different secret from the backup: use --replace to restore over it (the old one is kept beside it), or move the file away`,
    )
  return { kind: 'write', secret: backup.secret, old, notice }
}

/** From here on both secrets are there; `finish` leaves the backup's alone. */
export function beginSecret(dataDir: string, plan: SecretPlan, time: string): SecretChange {
  if (plan.kind === 'nothing') return { finish: () => {}, undo: () => {} }
  const file = fileIn(dataDir)
  const { secret, old } = plan
  fs.mkdirSync(dataDir, { recursive: true })
  if (old !== null && old !== both(secret, old)) writeWhole(`${file}.before-${time}`, old)
  writeWhole(file, old === null ? secret : both(secret, old))
  return {
    finish: () => writeWhole(file, secret),
    undo: () => (old === null ? fs.rmSync(file, { force: true }) : writeWhole(file, old)),
  }
}

function both(secret: string, old: string): string {
  return [...new Set([...listOf(secret), ...listOf(old)])].join(',')
}

function noticeWithout(elsewhere: boolean, configured: string | null): string | null {
  if (!elsewhere)
    return 'The backup has no secret: put the old file "secret" into the data folder, or sealed data cannot be read.'
  return configured === null
    ? 'Sealed data needs the SOUK_SECRET of that time, which is not in the backup: set it again.'
    : null
}

function writeWhole(file: string, secret: string): void {
  const aside = `${file}.partial-${process.pid}`
  fs.writeFileSync(aside, `${secret}\n`, { mode: 0o600, flush: true })
  fs.renameSync(aside, file)
  syncFolder(path.dirname(file))
}

function listOf(secrets: string | null): string[] {
  return (secrets ?? '')
    .split(',')
    .map((secret) => secret.trim())
    .filter(Boolean)
}

function fileIn(dataDir: string): string {
  return path.join(dataDir, 'secret')
}
