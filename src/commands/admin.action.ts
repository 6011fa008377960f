/** What an action of `souk admin` is, and how it prints: results to standard output, words for people beside them. */
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { printable } from '../lib/text.ts'

export type AdminContext = { db: Db; clock: Clock; config: Config }
type Run = (ctx: AdminContext, ...args: string[]) => Promise<unknown>

/** By its usage, which begins with its name and names each argument in capitals; what stands in brackets is no argument. */
export type AdminActions = Record<string, Run>

export const OPERATOR = { kind: 'operator', id: null } as const
/** What waits for review is listed to so many. */
export const LISTED = 1_000

/** Columns are separated by tabs, for people and for scripts. */
export function printLine(...cells: unknown[]): void {
  process.stdout.write(`${lineOf(cells)}\n`)
}

export function lineOf(cells: readonly unknown[]): string {
  return cells
    .map((cell) => printable(cell instanceof Date ? cell.toISOString() : String(cell ?? '')))
    .join('\t')
}

/**
 * An organization's domain as an operator is shown it. Anybody can name any domain as theirs, so it never stands in a list
 * without the word whether that was proved.
 */
export function provedDomain(domain: string | null, verified: boolean): string {
  return domain === null ? '-' : `${domain} (${verified ? 'verified' : 'not verified'})`
}
