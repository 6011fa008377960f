/**
 * A run of a source: get the file, read all of it, judge how much is missing, import it, mark what is gone, say what came
 * of it and when it runs next. Every step can be cut off: the run goes on where it was, on whichever node has its job. A
 * file that cannot be taken changes nothing, and what was good before stands.
 */
import type { SessionActor } from '../accounts/actor.ts'
import { recordAudit } from '../accounts/audit.service.ts'
import { findPerson } from '../accounts/people.service.ts'
import { listCategories } from '../catalog/catalog.service.ts'
import {
  beginPass,
  countMissing,
  markGone,
  noteRows,
  type Pass,
  spareRows,
  welcomeBack,
} from '../catalog/feed.service.ts'
import { PRODUCER_WORK_MS, readOnce, readOperators, readProducers } from '../catalog/file-readers.ts'
import type { CurrencyRule } from '../catalog/import/currency.ts'
import type { ImportFormat } from '../catalog/import/rows.ts'
import { type ImportSummary, importProducts } from '../catalog/import.service.ts'
import { fileContent, wholeOf } from '../catalog/import-content.ts'
import { DRAFT_SOURCES } from '../catalog/import-drafts.schema.ts'
import type { ImportFile } from '../catalog/import-files.schema.ts'
import {
  dropSourceFiles,
  getFile,
  holdFile,
  lookAtFile,
  ratesOf,
  readingOf,
} from '../catalog/import-files.service.ts'
import { createReport, reportLine } from '../catalog/import-report.ts'
import { getFinishedImport } from '../catalog/import-undo.service.ts'
import { importForProducer } from '../catalog/producer-import.service.ts'
import { countImport } from '../catalog/producer-import-lease.ts'
import type { Db } from '../db/database.ts'
import { JobPostponed, schedule, unschedule } from '../jobs/runner.ts'
import { sha256 } from '../lib/crypto.ts'
import { AppError } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import { type Act, type Caller, requireProducer } from '../orgs/producer.ts'
import type { SourcesContext } from './context.ts'
import { FetchFailed, fetchFile } from './source-fetch.ts'
import {
  countWords,
  emptySaid,
  INTERRUPTED,
  retryAfterMs,
  type Said,
  shrunkSaid,
  unreadableSaid,
} from './source-words.ts'
import {
  decideRun,
  deleteRunsBeyond,
  findAnySource,
  findOpenRun,
  findRun,
  insertRun,
  updateAfterRun,
  updateRun,
} from './sources.queries.ts'
import { MOST_MISSING, type Outcome, RUNS_KEPT, type Run, RunCounts, type Source } from './sources.schema.ts'
import { SOURCE_JOB } from './sources.service.ts'

const SYSTEM = { kind: 'system', id: null } as const
/** A job that comes this much before its time is not early; clocks differ. */
const EARLY_MS = 60_000
const AGAIN_MS = 60_000
/** Of what is wrong with rows. */
const MOST_LINES = 20
const SPARED_AT_ONCE = 1_000
const NOWHERE = { ip: null, userAgent: null, requestId: null }
const NO_COUNTS = RunCounts.parse({})

type Ended = {
  outcome: Outcome
  said: Said
  rows?: number
  counts?: Partial<RunCounts>
  importId?: string | null
  report?: string[]
  /** It does not run again before somebody has done something. */
  stopped?: string
  /** The file stands from now on. */
  isTaken?: boolean
}

export async function runSource(ctx: SourcesContext, sourceId: string, signal: AbortSignal): Promise<void> {
  const source = await findAnySource(ctx.db, sourceId)
  if (!source) return
  const run = (await findOpenRun(ctx.db, sourceId, 'running')) ?? (await beginDue(ctx, source))
  if (!run) return
  const ended = await perform(ctx, source, run, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    const failed = failureOf(error)
    if (failed) return failed
    throw error
  })
  signal.throwIfAborted()
  await endRun(ctx, source.id, run.id, ended)
}

/** The run that its time asks for. A job that is left over from a run that ended finds nothing to do. */
async function beginDue(ctx: SourcesContext, source: Source): Promise<Run | null> {
  const at = ctx.clock.now()
  const { id: sourceId, nextRunAt, paused, stopped } = source
  if (paused || stopped !== null || nextRunAt === null || nextRunAt.getTime() > at.getTime() + EARLY_MS)
    return null
  const id = newId()
  await insertRun(ctx.db, { id, sourceId, actor: SYSTEM, dryRun: false, fileId: null, bytes: null, at })
  return findRun(ctx.db, id)
}

async function perform(ctx: SourcesContext, source: Source, begun: Run, signal: AbortSignal): Promise<Ended> {
  const act = source.orgId === null ? null : await actFor(ctx, source, source.orgId)
  if (act && 'outcome' in act) return act
  const got = await fetchFile(ctx, source, begun, signal)
  if ('unchanged' in got) return { outcome: 'unchanged', said: { message: got.unchanged, fix: null } }
  const { run } = got
  const file = await getFile(ctx, run.fileId ?? '')
  return act ? propose(ctx, source, run, file, act, signal) : importRows(ctx, source, run, file, signal)
}

/* The operator's: into the catalog. */

async function importRows(
  ctx: SourcesContext,
  source: Source,
  run: Run,
  file: ImportFile,
  signal: AbortSignal,
): Promise<Ended> {
  const look = await lookAtFile(ctx, file)
  if (look.format === null || look.problem !== null)
    return { outcome: 'failed', said: unreadableSaid(look.problem ?? 'the format could not be detected') }
  const reading = {
    format: look.format,
    money: { currency: look.currency, rates: await ratesOf(ctx, file.rules) },
  }
  const { pass, rows, report } = await readAll(ctx, source, file, reading, signal)
  const lines = report.groups().slice(0, MOST_LINES).map(reportLine)
  const failed = report.groups().reduce((sum, group) => sum + (group.isRefusal ? group.rows : 0), 0)
  const facts = { rows: rows + failed, report: lines }
  if (rows === 0) return { ...facts, outcome: 'failed', said: emptySaid(failed), counts: { failed } }
  const lost = shrunk(source, rows, pass)
  if (lost && !run.approved && !run.dryRun) {
    const { missing, known, noun } = lost
    return {
      ...facts,
      outcome: 'shrunk',
      said: shrunkSaid(missing, known, noun),
      counts: { failed, gone: missing, known },
    }
  }
  const gone = await countMissing(ctx, pass)
  if (run.dryRun) {
    const tried = await importFile(ctx, source, run, file, reading, signal)
    const counts = { ...countsOf(tried), gone }
    const said = {
      message: `Nothing was written. ${countWords(facts.rows, { ...NO_COUNTS, ...counts }, false)}`,
      fix: null,
    }
    return { ...facts, outcome: 'checked', said, counts }
  }
  const fingerprint = fingerprintOf(run)
  const returned = await welcomeBack(ctx, pass, { fingerprint, fileName: file.fileName })
  signal.throwIfAborted()
  const done =
    (await getFinishedImport(ctx, fingerprint)) ?? (await importFile(ctx, source, run, file, reading, signal))
  signal.throwIfAborted()
  const { importId } = done
  if (importId === null) throw new Error('an import that was written has no id')
  const marked = await markGone(ctx, pass, { importId, as: source.gone })
  const counts = { ...NO_COUNTS, ...countsOf(done), gone, returned, ...marked }
  const isNews = counts.created + counts.updated + marked.discontinued + marked.removed + returned > 0
  return {
    ...facts,
    outcome: isNews ? 'changed' : 'unchanged',
    said: { message: countWords(facts.rows, counts, false), fix: null },
    counts,
    importId,
    isTaken: true,
  }
}

type Reading = { format: ImportFormat; money: CurrencyRule }

/** Reads the whole file before anything is written of it, and notes which known products it has. */
async function readAll(
  ctx: SourcesContext,
  source: Source,
  file: ImportFile,
  { format, money }: Reading,
  signal: AbortSignal,
): Promise<{ pass: Pass; rows: number; report: ReturnType<typeof createReport> }> {
  const { rules } = file
  const content = contentOf(ctx, file, signal)
  const ask = {
    ...{ format, money, mapping: rules.mapping, reading: readingOf(rules), after: 0 },
    defaultCategory: rules.defaultCategory ?? undefined,
    maxInflatedBytes: ctx.limits.maxInflatedBytes,
  }
  const pass = await beginPass(ctx, source.key)
  const report = createReport()
  let spared: string[] = []
  let rows = 0
  const spare = async () => {
    await spareRows(ctx, pass, spared)
    spared = []
  }
  for await (const batch of readOperators('catalog', content, ask, { who: `source ${source.id}`, signal })) {
    const good = batch.rows.flatMap((row) => ('problem' in row ? [] : [row]))
    for (const row of batch.rows) {
      if (!('problem' in row)) continue
      report.add(true, row.problem)
      if (row.problem.id !== undefined) spared.push(row.problem.id)
    }
    rows += good.length
    await noteRows(
      ctx,
      pass,
      good.map(({ keys, input: { slug } }) => ({ keys, slug })),
    )
    if (spared.length >= SPARED_AT_ONCE) await spare()
    signal.throwIfAborted()
  }
  await spare()
  return { pass, rows, report }
}

/** Judged by products and by rows: a feed may lose many rows of few products. */
function shrunk(
  { goodRows }: Source,
  rows: number,
  { known, seen }: { known: number; seen: number },
): { missing: number; known: number; noun: string } | null {
  if (known - seen > known * MOST_MISSING) return { missing: known - seen, known, noun: 'product' }
  const before = goodRows ?? 0
  return before - rows > before * MOST_MISSING ? { missing: before - rows, known: before, noun: 'row' } : null
}

function importFile(
  ctx: SourcesContext,
  source: Source,
  run: Run,
  file: ImportFile,
  { format, money }: Reading,
  signal: AbortSignal,
): Promise<ImportSummary> {
  const { rules } = file
  return importProducts(ctx, contentOf(ctx, file, signal)(), {
    ...{ format, money, mapping: rules.mapping, reading: readingOf(rules) },
    defaultCategory: rules.defaultCategory ?? undefined,
    categoryRules: { map: rules.categories, makeNew: rules.makeNew },
    maxInflatedBytes: ctx.limits.maxInflatedBytes,
    source: source.key,
    // Somebody made a source of it, under this name.
    isSourceSure: true,
    fileName: file.fileName,
    fingerprint: fingerprintOf(run),
    overwriteEdits: rules.overwriteEdits,
    restoreDeleted: rules.restoreDeleted,
    dryRun: run.dryRun,
    read: readOperators,
    onProgress: () => signal.throwIfAborted(),
  })
}

function contentOf(ctx: SourcesContext, { id, sizeBytes }: ImportFile, signal: AbortSignal) {
  return fileContent(ctx.db, { id, sizeBytes: () => sizeBytes }, () => signal.throwIfAborted())
}

/** The same run goes on with the same import. */
function fingerprintOf({ id }: Run): string {
  return sha256(`source run ${id}`).toString('hex')
}

type Counted = Pick<ImportSummary, 'created' | 'updated' | 'unchanged' | 'failed'>

function countsOf({ created, updated, unchanged, failed }: Counted): Counted {
  return { created, updated, unchanged, failed }
}

/* A seller's: proposals, as their imports make them. */

/** Who a seller's source acts as. It stops when they may not any more. */
async function actFor(ctx: SourcesContext, source: Source, orgId: string): Promise<Act | Ended> {
  const stop = (message: string): Ended => ({
    outcome: 'failed',
    said: { message: `${message} The source has stopped.`, fix: 'When that is solved, run it again.' },
    stopped: message,
  })
  const user = source.runBy === null ? null : await findPerson(ctx, source.runBy)
  if (!user) return stop('The person who set up this source has no account any more.')
  const caller: Caller & SessionActor = {
    ...{ kind: 'session', user, sessionId: `source ${source.id}` },
    ...{ selectedOrgId: orgId, onlyOrgId: orgId },
  }
  try {
    const { org } = await requireProducer(ctx, caller, 'edit')
    if (org.verificationStatus !== 'verified') return stop('The organization’s domain is not verified.')
    return { caller, visit: NOWHERE }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return stop(
      error.code === 'org_deactivated'
        ? 'The organization is deactivated.'
        : 'The person who set up this source may no longer edit for the organization.',
    )
  }
}

async function propose(
  ctx: SourcesContext,
  source: Source,
  run: Run,
  file: ImportFile,
  act: Act,
  signal: AbortSignal,
): Promise<Ended> {
  const content = contentOf(ctx, file, signal)
  const asked = DRAFT_SOURCES.find((name) => name === file.rules.format) ?? null
  const categories = (await listCategories(ctx)).map(({ slug, label }) => ({ slug, label }))
  const ask = {
    ...{ fileName: file.fileName, source: asked, mapping: { given: file.rules.mapping } },
    ...{ count: true, categories, now: ctx.clock.now() },
  }
  const reading = { who: `org ${source.orgId}`, workMs: PRODUCER_WORK_MS, signal }
  const look = await readOnce(readProducers('look', content, ask, reading))
  const rows = look.rowCount ?? 0
  const lost = shrunk(source, rows, { known: 0, seen: 0 })
  if (lost && !run.approved && !run.dryRun) {
    const { missing, known, noun } = lost
    return {
      outcome: 'shrunk',
      said: shrunkSaid(missing, known, noun),
      rows,
      counts: { gone: missing, known },
    }
  }
  await countImport(ctx, source.orgId ?? '')
  const { result, rows: told } = await importForProducer(
    ctx,
    act,
    {
      source: look.source,
      file: await wholeOf(content),
      mapping: look.source === 'csv' ? file.rules.mapping : {},
      dry_run: run.dryRun,
      ...(!run.dryRun && { idempotency_key: run.id }),
    },
    { signal, progress: () => {} },
  )
  const { submitted, claimed, proposed, unchanged, failed } = result
  const counts = { ...NO_COUNTS, submitted, claimed, proposed, unchanged, failed }
  const report = told
    .filter(({ outcome }) => outcome === 'failed')
    .slice(0, MOST_LINES)
    .map(({ row, field, problem, fix }) => `Row ${row}: ${field ?? 'row'} ${problem}; ${fix}`)
  const facts = { rows: result.rows_read, counts, report }
  const words = countWords(result.rows_read, counts, true)
  if (run.dryRun)
    return { ...facts, outcome: 'checked', said: { message: `Nothing was proposed. ${words}`, fix: null } }
  if (failed === result.rows_read) return { ...facts, outcome: 'failed', said: emptySaid(failed) }
  const isNews = submitted + claimed + proposed > 0
  const said = { message: words, fix: null }
  return { ...facts, outcome: isNews ? 'changed' : 'unchanged', said, isTaken: true }
}

/* Its end. */

/** Null for what is nobody's fault and may be over soon: the job tries again. */
function failureOf(error: unknown): Ended | null {
  if (error instanceof FetchFailed) return { outcome: 'failed', said: error.said }
  if (!(error instanceof AppError) || error.kind === 'internal') return null
  // Another import of the same organization runs, or too many came in this hour.
  if (error.retryAfterSeconds !== undefined && error.kind !== 'unavailable')
    throw new JobPostponed(error.message, Math.max(AGAIN_MS, error.retryAfterSeconds * 1_000))
  if (error.kind === 'unavailable') return null
  return { outcome: 'failed', said: unreadableSaid(error.message.replace(/^(url|file|content): /, '')) }
}

/** The attempts of its job are used up. */
export async function giveUpRun(ctx: SourcesContext, sourceId: string): Promise<void> {
  const run = await findOpenRun(ctx.db, sourceId, 'running')
  if (run) await endRun(ctx, sourceId, run.id, { outcome: 'failed', said: INTERRUPTED })
}

/** All of it or nothing: what the run came to, what the source knows from now on, and when it runs next. */
async function endRun(ctx: SourcesContext, sourceId: string, runId: string, ended: Ended): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const source = await findAnySource(tx, sourceId, { hold: true })
    const run = source && (await findRun(tx, runId))
    if (!source || run?.state !== 'running') return
    const at = ctx.clock.now()
    const { outcome, said, rows = null, counts = {}, importId = null, report = [], isTaken = false } = ended
    const waits = outcome === 'shrunk'
    // A newer file takes the place of the one that waited.
    if (waits || isTaken) await replaceWaiting(tx, source, at)
    await updateRun(tx, {
      ...{ id: runId, from: 'running', state: waits ? 'waiting' : 'ended', outcome, rows, importId, report },
      ...{ counts: { ...NO_COUNTS, ...counts }, message: said.message, fix: said.fix },
      endedAt: waits ? null : at,
    })
    if (run.fileId !== null) {
      await holdFile(tx, run.fileId, waits, at)
      await dropSourceFiles(tx, source.id, run.fileId)
    }
    const failures = run.dryRun ? source.failures : outcome === 'failed' ? source.failures + 1 : 0
    const stopped = ended.stopped ?? source.stopped
    const nextRunAt = nextOf(source, { failures, stopped, at })
    await updateAfterRun(tx, {
      ...{ id: source.id, failures, stopped, nextRunAt },
      taken: isTaken
        ? { ...pickValidators(run), goodRows: rows === null ? null : rows - (counts.failed ?? 0) }
        : null,
    })
    if (nextRunAt === null) await unschedule(tx, SOURCE_JOB, source.id)
    else {
      const delayMs = nextRunAt.getTime() - at.getTime()
      await schedule(tx, SOURCE_JOB, { sourceId }, { dedupeKey: sourceId, delayMs })
    }
    await deleteRunsBeyond(tx, source.id, RUNS_KEPT)
    // A file that is the same, every quarter of an hour, is nothing to remember.
    if (outcome !== 'changed' && !waits && ended.stopped === undefined) return
    const { created, updated, discontinued, removed } = { ...NO_COUNTS, ...counts }
    await recordAudit(tx, {
      ...{ actor: run.actor, orgId: source.orgId, action: 'source.ran', at },
      detail: {
        ...{ source_id: source.id, name: source.name, outcome, import_id: importId },
        ...{ created, updated, discontinued, removed },
      },
    })
  })
  ctx.log.info({ source: sourceId, outcome: ended.outcome }, 'a source has run')
}

async function replaceWaiting(tx: Db, source: Source, at: Date): Promise<void> {
  const waiting = await findOpenRun(tx, source.id, 'waiting')
  if (!waiting) return
  const message = 'A newer file came before anybody decided.'
  await decideRun(tx, { id: waiting.id, to: 'ended', outcome: 'replaced', message, at })
  if (waiting.fileId !== null) await holdFile(tx, waiting.fileId, false, at)
}

function nextOf(
  { everyMinutes, paused }: Source,
  { failures, stopped, at }: { failures: number; stopped: string | null; at: Date },
): Date | null {
  if (everyMinutes === null || paused || stopped !== null) return null
  const delayMs = failures > 0 ? retryAfterMs(failures, everyMinutes) : everyMinutes * 60_000
  return new Date(at.getTime() + delayMs)
}

function pickValidators({ etag, lastModified, contentHash }: Run) {
  return { etag, lastModified, contentHash }
}
