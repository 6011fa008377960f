/**
 * Checks and imports the operator's files, and takes away what nobody needs any more. It is a leased job: when its
 * node dies another one takes the file over, a check from its start and an import after its last batch. One that had
 * come to its end, and whose node died before it could say so, is recorded and not done again.
 */
import { z } from 'zod'
import { recordAudit } from '../accounts/audit.service.ts'
import type { Db } from '../db/database.ts'
import { defineJob, type Job } from '../jobs/runner.ts'
import { defineSweep } from '../jobs/sweep.ts'
import { inBackground } from '../lib/background.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { readOperators } from './file-readers.ts'
import { IMPORT_FORMATS, type RowProblem } from './import/rows.ts'
import { type ImportSummary, importProducts } from './import.service.ts'
import { fileContent } from './import-content.ts'
import { deleteDraftsBefore } from './import-drafts.queries.ts'
import { DRAFT_KEPT_MS } from './import-drafts.schema.ts'
import { deleteFilesBefore, deleteWritesBefore, endRun, findFile, storeStep } from './import-files.queries.ts'
import type { ImportCounts } from './import-files.schema.ts'
import {
  FILE_KEPT_MS,
  FileRules,
  type FileSaid,
  REPORT_BOUNDS,
  type ReportedLine,
} from './import-files.schema.ts'
import {
  FILE_JOB,
  type FilesContext,
  fingerprintOf,
  type RunPayload,
  readingOf,
  sourceOf,
} from './import-files.service.ts'
import { createReport } from './import-report.ts'
import { UNDO_KEPT_MS } from './import-undo.service.ts'
import { findFinishedImport } from './imports.queries.ts'
import { deleteOldOrgImports } from './producer-import.queries.ts'

/** Between two notes of how far it is. */
const STEP_MS = 1_000

const Payload = z.object({
  fileId: z.string(),
  dryRun: z.boolean(),
  format: z.enum(IMPORT_FORMATS),
  money: z.object({
    currency: z.string(),
    rates: z.record(z.string(), z.object({ rate: z.number(), at: z.string() })),
  }),
  by: z.object({
    kind: z.enum(['user', 'link_token', 'operator', 'system']),
    id: z.string().nullable(),
  }),
}) satisfies z.ZodType<RunPayload>
type Payload = z.output<typeof Payload>

export function createFileJob(ctx: Omit<FilesContext, 'ownCurrency'>): Job {
  return defineJob({
    ...FILE_JOB,
    leaseMs: 30_000,
    // One a node: the other thread for files of operators is for those who look at theirs meanwhile.
    places: 1,
    payload: Payload,
    run: (payload, { signal }) => runFile(ctx, payload, signal),
    gaveUp: (payload) => giveUp(ctx, payload, 'it failed after several tries; see the log for details'),
  })
}

async function runFile(
  ctx: Omit<FilesContext, 'ownCurrency'>,
  payload: Payload,
  signal: AbortSignal,
): Promise<void> {
  const { fileId: id, dryRun, format, money } = payload
  const state = stateOf(payload)
  const found = await findFile(ctx.db, id)
  if (found?.state !== state) return
  const file = { ...found, rules: FileRules.parse(found.rules) }
  const fingerprint = fingerprintOf(file)
  const report = createLines()
  const ended = dryRun ? null : await findFinishedImport(ctx.db, fingerprint)
  if (ended) {
    const counts = ended.counts as ImportCounts
    const said = ended.report as Omit<
      ImportSummary,
      keyof ImportCounts | 'importId' | 'resumedAfterRow' | 'titles'
    >
    const summary = { ...said, ...counts, importId: ended.id, resumedAfterRow: ended.lastRow }
    return end(ctx, payload, summary, report)
  }
  let bytes = 0
  const content = fileContent(ctx.db, { id, sizeBytes: () => file.sizeBytes }, (read) => {
    signal.throwIfAborted()
    bytes = read
  })
  const tell = createTeller((doneRows, counts) => {
    const result = { progress: { counts, bytes } }
    const at = ctx.clock.now()
    inBackground(ctx.log, 'reporting import progress', storeStep(ctx.db, { id, state, doneRows, result, at }))
  })
  const { rules } = file
  try {
    const summary = await importProducts(ctx, content(), {
      format,
      mapping: rules.mapping,
      defaultCategory: rules.defaultCategory ?? undefined,
      categoryRules: { map: rules.categories, makeNew: rules.makeNew },
      money,
      reading: readingOf(rules),
      source: sourceOf(file),
      fileName: file.fileName,
      fingerprint,
      overwriteEdits: rules.overwriteEdits,
      restoreDeleted: rules.restoreDeleted,
      dryRun,
      read: readOperators,
      onNote: (note) => report.add(false, note),
      onProblem: (problem) => report.add(true, problem),
      onProgress: (rows, counts) => {
        // Between two batches: what was written is written, and the next is another node's.
        signal.throwIfAborted()
        tell(rows, counts)
      },
    })
    await end(ctx, payload, summary, report)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof AppError) || error.kind === 'internal') throw error
    if (error.kind !== 'unavailable') return giveUp(ctx, payload, error.message)
    const result = { problem: error.message }
    await storeStep(ctx.db, { id, state, doneRows: found.doneRows, result, at: ctx.clock.now() })
    throw error
  }
}

async function end(
  ctx: { db: Db; clock: Clock },
  payload: Payload,
  summary: Omit<ImportSummary, 'titles'>,
  report: ReturnType<typeof createLines>,
): Promise<void> {
  const { fileId: id, dryRun, by } = payload
  const { created, updated, unchanged, further, deleted, failed, joined, importId } = summary
  const counts = { created, updated, unchanged, further, deleted, failed, joined }
  const made = summary.categories.filter(({ isNew }) => isNew)
  const known = summary.categories.filter(({ isNew }) => !isNew)
  const said: FileSaid = {
    dryRun,
    counts,
    notes: summary.notes,
    resumedAfterRow: summary.resumedAfterRow,
    categories: [...made, ...known].slice(0, REPORT_BOUNDS.categories),
    newCategories: made.length,
    joinedRows: summary.joinedRows,
    twins: summary.twins,
    ...report.said(),
  }
  const at = ctx.clock.now()
  await ctx.db.transaction().execute(async (tx) => {
    const to = dryRun ? 'checked' : 'done'
    const entry = {
      id,
      from: stateOf(payload),
      to,
      result: { said },
      lines: report.lines,
      importId,
      at,
    } as const
    if (!(await endRun(tx, entry)) || dryRun) return
    const detail = { file_id: id, import_id: importId, created, updated, unchanged, failed }
    await recordAudit(tx, { actor: by, action: 'catalog.imported', at, detail })
  })
}

/** A check that fails leaves the file as it was; an import that fails can go on. */
async function giveUp(ctx: { db: Db; clock: Clock }, payload: Payload, problem: string): Promise<void> {
  const to = payload.dryRun ? 'uploaded' : 'failed'
  const end = { id: payload.fileId, from: stateOf(payload), to, result: { problem }, importId: null } as const
  await endRun(ctx.db, { ...end, at: ctx.clock.now() })
}

function stateOf({ dryRun }: Payload) {
  return dryRun ? 'checking' : 'importing'
}

function createTeller(tell: (rows: number, counts: ImportCounts) => void) {
  let toldAt = Number.NEGATIVE_INFINITY
  return (rows: number, counts: ImportCounts) => {
    if (performance.now() - toldAt < STEP_MS) return
    toldAt = performance.now()
    tell(rows, { ...counts })
  }
}

/** What is said of rows, together and one by one, as many as anybody would read. */
function createLines() {
  const report = createReport()
  const lines: ReportedLine[] = []
  let bytes = 0
  let left = 0
  return {
    lines,
    add(isRefusal: boolean, found: RowProblem): void {
      report.add(isRefusal, found)
      const { line, field, problem, fix } = found
      const one = { line, isRefusal, id: found.id ?? null, field, value: found.value ?? null, problem, fix }
      const size = JSON.stringify(one).length
      if (lines.length >= REPORT_BOUNDS.lines || bytes + size > REPORT_BOUNDS.bytes) left++
      else {
        bytes += size
        lines.push(one)
      }
    },
    said: () => ({ groups: report.groups(), others: report.others(), lines: lines.length, linesLeft: left }),
  }
}

export function createFileSweep({ db, clock }: { db: Db; clock: Clock }): Job {
  const before = (ms: number) => new Date(clock.now().getTime() - ms)
  return defineSweep({
    kind: 'import_files.sweep',
    every: 'hour',
    clockOf: db,
    async run({ inBatches }) {
      return {
        files: await inBatches(() => deleteFilesBefore(db, before(FILE_KEPT_MS))),
        writes: await inBatches((rows) => deleteWritesBefore(db, before(UNDO_KEPT_MS), rows)),
      }
    },
  })
}

export function createDraftSweepJob({ db, clock }: { db: Db; clock: Clock }): Job {
  return defineSweep({
    kind: 'import_drafts.sweep',
    every: 'hour',
    clockOf: db,
    async run() {
      return { drafts: await deleteDraftsBefore(db, new Date(clock.now().getTime() - DRAFT_KEPT_MS)) }
    },
  })
}

const KEEP_MS = 30 * 86_400_000

export function createImportSweepJob({ db, clock }: { db: Db; clock: Clock }): Job {
  return defineSweep({
    kind: 'imports.sweep',
    every: 'day',
    clockOf: db,
    async run() {
      return { imports: await deleteOldOrgImports(db, new Date(clock.now().getTime() - KEEP_MS)) }
    },
  })
}
