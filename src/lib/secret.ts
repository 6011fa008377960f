/**
 * The secret all keys derive from: SOUK_SECRET, or one made at the first start and kept in the data folder. The file
 * appears whole or not at all (written aside, then linked under its name, which fails if the name is taken), so
 * processes that start together agree on one.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

const FILE = 'secret'
const MIN_LENGTH = 32

type Place = { secret: string | null; dataDir: string }

export function loadSecret(place: Place): string {
  const known = peekSecret(place)
  if (known !== null) return known
  createOnce(secretFile(place))
  return loadSecret(place)
}

export function secretFile({ dataDir }: Pick<Place, 'dataDir'>): string {
  return path.join(dataDir, FILE)
}

/** Null where none was made yet; makes none. */
export function peekSecret(place: Place): string | null {
  if (place.secret !== null) return place.secret
  const file = secretFile(place)
  if (!fs.existsSync(file)) return null
  const kept = fs.readFileSync(file, 'utf8').trim()
  if (kept.length < MIN_LENGTH)
    throw new Error(
      `${file} has no secret of at least ${MIN_LENGTH} characters; restore it, or set SOUK_SECRET`,
    )
  return kept
}

function createOnce(file: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  const aside = `${file}.${randomUUID()}`
  try {
    const handle = fs.openSync(aside, 'wx', 0o600)
    fs.writeSync(handle, `${randomBytes(32).toString('base64url')}\n`)
    fs.fsyncSync(handle)
    fs.closeSync(handle)
    fs.linkSync(aside, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    fs.rmSync(aside, { force: true })
  }
}
