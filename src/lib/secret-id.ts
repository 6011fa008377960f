/**
 * How logs and traces name what its id gives a right to: by a hash, which is enough to find the lines of one request and
 * leads nowhere.
 */
import { sha256 } from './crypto.ts'

/** "#" and the first 12 digits of its SHA-256. */
export function loggedId(id: string): string {
  return `#${sha256(id.toLowerCase()).toString('hex').slice(0, 12)}`
}
