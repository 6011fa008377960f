/**
 * What a sheet does, in one transaction: each row by itself, so that one which is refused leaves nothing and is named with
 * its line. A dry run does all of it and keeps nothing, so it cannot say anything else than the run would.
 */
import type { Db, Tx } from '../db/database.ts'
import { sha256 } from '../lib/crypto.ts'
import { AppError } from '../lib/errors.ts'
import type { Sheet, SheetProblem, SheetRow } from './import/sheet.ts'
import { inSavepoint, inTransaction, tryAgain } from './import-run.ts'

/** What a row does: `what` in the names of fields, or "new". Null for one that is so already. */
export type RowDone = { name: string; what: string[] } | null

export type SheetOutcome = {
  /** Nothing was kept. */
  dryRun: boolean
  changed: Array<{ line: number; name: string; what: string[] }>
  unchanged: number
  failed: SheetProblem[]
  columns: Sheet['columns']
}

export type SheetWish = {
  dryRun: boolean
  /** The mark of the outcome that somebody has agreed to: another one keeps nothing. */
  agreed?: string | null
}

type SheetWork = {
  row(tx: Tx, row: SheetRow): Promise<RowDone>
  /** What a row that was refused is for. */
  nameOf(row: SheetRow): string | null
  /** The record of the whole, where something changed. */
  end(tx: Tx, changed: SheetOutcome['changed']): Promise<void>
}

export function takeSheet(
  { db }: { db: Db },
  sheet: Sheet,
  { dryRun, agreed = null }: SheetWish,
  begin: (tx: Tx) => Promise<SheetWork>,
): Promise<SheetOutcome> {
  const isKept = (outcome: SheetOutcome) => !dryRun && (agreed === null || agreed === markOf(outcome))
  return tryAgain(() =>
    inTransaction(db, { dryRun: (outcome) => !isKept(outcome) }, async (tx) => {
      const work = await begin(tx)
      const outcome: SheetOutcome = {
        ...{ dryRun, changed: [], unchanged: 0 },
        ...{ failed: [...sheet.problems], columns: sheet.columns },
      }
      for (const row of sheet.rows) {
        const { line } = row
        try {
          const done = await inSavepoint(tx, (part) => work.row(part, row))
          if (done === null) outcome.unchanged++
          else outcome.changed.push({ line, ...done })
        } catch (error) {
          if (!(error instanceof AppError) || error.kind === 'internal') throw error
          outcome.failed.push({ line, name: work.nameOf(row), ...problemOf(error) })
        }
      }
      outcome.failed.sort((a, b) => a.line - b.line)
      if (outcome.changed.length > 0) await work.end(tx, outcome.changed)
      return { ...outcome, dryRun: !isKept(outcome) }
    }),
  )
}

function problemOf({ field: named, message }: AppError): Pick<SheetProblem, 'field' | 'problem'> {
  const field = named ?? null
  const problem =
    field !== null && message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message
  return { field, problem }
}

/** Two outcomes with one mark do the same. */
export function markOf({ changed, unchanged, failed }: Omit<SheetOutcome, 'dryRun' | 'columns'>): string {
  const said = [changed.map(({ line, name, what }) => [line, name, what]), unchanged]
  const refused = failed.map(({ line, field, problem }) => [line, field, problem])
  return sha256(JSON.stringify([said, refused])).toString('base64url')
}
