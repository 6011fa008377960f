/**
 * What a producer does with many rows at once. Nothing of it is public without review, as with the single calls: a row of
 * a known product becomes a claim, or a proposal of what differs; any other row a proposed product. Rows are written in
 * batches, each of them whole or not at all, and every row can be imported again without effect, so that an import that
 * was cut off anywhere is simply repeated.
 */
import { type Db, isConnectionLost } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { sha256 } from '../lib/crypto.ts'
import { AppError } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import type { Outbound } from '../lib/outbound.ts'
import { cleanLine, shorten } from '../lib/text.ts'
import { type Deed, requireProducer } from '../orgs/producer.ts'
import { inTransaction, isPassing, togetherOrOneByOne } from './batch-write.ts'
import { listCategories } from './catalog.service.ts'
import type { SourceRow } from './import/rows.ts'
import { findOrgImport, insertOrgImport } from './producer-import.queries.ts'
import {
  type ImportedRow,
  type ImportRequest,
  ImportResult,
  LISTED_ROWS,
  OUTCOMES,
} from './producer-import.schema.ts'
import { type BatchContext, type ImportRow, importBatch, type RowResult } from './producer-import-batch.ts'
import { checkRows } from './producer-import-check.ts'
import { type ImportLease, withImportLease } from './producer-import-lease.ts'
import { countImport, type ImportLimitContext } from './producer-import-limit.ts'
import { readSource, requireOneSource, type Source } from './producer-import-source.ts'
import type { RelationshipHooks } from './relationships.service.ts'
import { indexCategories } from './upsert.service.ts'

export type ProducerImportContext = ImportLimitContext & {
  db: Db
  clock: Clock
  log: Log
  outbound: Outbound
  relationshipHooks: RelationshipHooks
}

export type Following = {
  signal: AbortSignal
  /** After each batch that was written; the next one waits for it. */
  progress(step: { done: number; total?: number; message?: string }): void | Promise<void>
}

/** What the tool is asked, or the same with the bytes of a file in place of an address or text. */
export type ImportInput = ImportRequest & Pick<Source, 'file'>

/** A row's result with the title that the file gives it. */
export type NamedRow = ImportedRow & { title: string | null }

const BATCH = 100
const MAX_WORDS = 300

export type Imported = {
  /** As it is told to agents: a hundred rows of it. */
  result: ImportResult
  /** Every row, failed ones first; of a repeated answer those that were kept. */
  rows: NamedRow[]
  /** It is the answer that the same key was given before. */
  repeated: boolean
  /** Some rows failed for a passing reason: the same call again does the rest, and its key is free for that. */
  unfinished: boolean
}

export async function importForProducer(
  ctx: ProducerImportContext,
  deed: Deed,
  input: ImportInput,
  following: Following,
): Promise<Imported> {
  requireOneSource(input)
  const { org } = await requireProducer(ctx, deed.caller, 'edit')
  const key = input.dry_run ? null : keyOf(org.id, input)
  // Before the lease too: what is done can be told while another import runs.
  const before = key && (await toldBefore(ctx, key))
  if (before) return before
  return withImportLease(ctx, org.id, async (lease) => {
    const meanwhile = key && (await toldBefore(ctx, key))
    if (meanwhile) return meanwhile
    // A file was counted when it was brought; checking and importing it are steps of the same thing.
    if (input.file === undefined) await countImport(ctx, org.id)
    const startedAt = ctx.clock.now()
    const { unfinished, ...told } = await runImport(ctx, { deed, input, following, lease })
    // Only what is final has a key; all else can be imported again without effect.
    if (key && !unfinished)
      await insertOrgImport(ctx.db, {
        ...key,
        ...lease,
        result: told.result,
        startedAt,
        finishedAt: ctx.clock.now(),
      })
    return { ...told, repeated: false, unfinished }
  })
}

type Key = { orgId: string; key: string; fingerprint: string }

function keyOf(orgId: string, input: ImportInput): Key | null {
  const { idempotency_key: key } = input
  return key === undefined ? null : { orgId, key, fingerprint: fingerprintOf(input) }
}

async function toldBefore({ db }: { db: Db }, key: Key): Promise<Imported | null> {
  const known = await findOrgImport(db, key)
  if (known && known.fingerprint !== key.fingerprint)
    throw new AppError('conflict', 'idempotency_key: was used for another import; choose a new one', {
      code: 'conflict',
      field: 'idempotency_key',
    })
  if (!known) return null
  const result = ImportResult.parse(known.result)
  const rows = result.rows.map((row) => ({ ...row, title: null }))
  return { result, rows, repeated: true, unfinished: false }
}

function fingerprintOf({ source, url, content, file, mapping = {} }: ImportInput): string {
  const pairs = Object.entries(mapping).sort(([a], [b]) => (a < b ? -1 : 1))
  const bytes = file === undefined ? [] : [sha256(file).toString('hex')]
  return sha256(JSON.stringify([source, url ?? null, content ?? null, pairs, ...bytes])).toString('hex')
}

type Run = { deed: Deed; input: ImportInput; following: Following; lease: ImportLease }

async function runImport(
  ctx: ProducerImportContext,
  run: Run,
): Promise<Pick<Imported, 'result' | 'rows' | 'unfinished'>> {
  const { input, following, lease } = run
  const source = { signal: following.signal, now: ctx.clock.now() }
  const { rows, notices } = await readSource(ctx, input, source)
  const categories = indexCategories(await listCategories(ctx))
  const going = async (done: number) => {
    if (following.signal.aborted)
      throw new AppError('unavailable', `the import was cut off after ${done} rows; call again to go on`, {
        retryAfterSeconds: 5,
      })
    await lease.renew()
  }
  const { good, refused } = await checkRows(rows, categories, () => going(0))
  const results: RowResult[] = [...refused]
  const shared = {
    carried: { claims: 0, submissions: 0 },
    spokenOf: new Map<string, number>(),
    unfinished: 0,
  }
  for (let from = 0; from < good.length; from += BATCH) {
    await going(from)
    results.push(...(await writeBatch(ctx, run, good.slice(from, from + BATCH), shared)))
    await following.progress({ done: results.length, total: rows.length, message: 'rows' })
  }
  const listed = results.map(rowOf).sort((a, b) => rank(a) - rank(b) || a.row - b.row)
  return {
    result: tell(listed, { dryRun: input.dry_run, notices }),
    rows: listed.map((row) => ({ ...row, title: titleOf(rows[row.row - 1]) })),
    unfinished: shared.unfinished > 0,
  }
}

type Shared = Pick<BatchContext, 'carried' | 'spokenOf'> & { unfinished: number }

function writeBatch(
  ctx: ProducerImportContext,
  run: Run,
  rows: ImportRow[],
  shared: Shared,
): Promise<RowResult[]> {
  return togetherOrOneByOne(
    rows,
    async (some) => {
      // Row by row, a batch may take longer than a lease lasts.
      if (some.length === 1) await run.lease.renew()
      return writeTogether(ctx, run, some, shared)
    },
    ({ row, line }, error) => {
      ctx.log.warn({ err: error, line }, "the database refused a row of a producer's import")
      const passing = isPassing(error)
      if (passing) shared.unfinished++
      const problem = passing ? 'could not be stored just now' : 'could not be stored'
      return { row, line, problem: { field: null, problem, fix: 'import this row again' } }
    },
    (error) => error instanceof AppError || isConnectionLost(error),
  )
}

async function writeTogether(
  ctx: ProducerImportContext,
  { deed, input, lease }: Run,
  rows: readonly ImportRow[],
  shared: Shared,
): Promise<RowResult[]> {
  const { results, added } = await inTransaction(ctx.db, { dryRun: input.dry_run }, async (tx) => {
    const producer = await requireProducer({ db: tx }, deed.caller, 'edit')
    if (producer.org.id !== lease.orgId)
      throw new AppError('conflict', 'you joined another organization while this ran; call again', {
        code: 'conflict',
      })
    const at = ctx.clock.now()
    const { relationshipHooks } = ctx
    const { carried, spokenOf } = shared
    return importBatch(tx, { producer, deed, at, relationshipHooks, carried, spokenOf }, rows)
  })
  if (input.dry_run) {
    shared.carried.claims += added.claims
    shared.carried.submissions += added.submissions
  }
  return results
}

function titleOf(row: SourceRow | undefined): string | null {
  const title = row && 'product' in row ? row.product.title : null
  return typeof title === 'string' ? words(title) : null
}

function tell(
  rows: ImportedRow[],
  { dryRun, notices }: { dryRun: boolean; notices: string[] },
): ImportResult {
  const counts = Object.fromEntries(
    OUTCOMES.map((outcome) => [outcome, rows.filter((row) => row.outcome === outcome).length]),
  ) as Record<(typeof OUTCOMES)[number], number>
  return {
    dry_run: dryRun,
    rows_read: rows.length,
    ...counts,
    rows: rows.slice(0, LISTED_ROWS),
    rows_left_out: Math.max(0, rows.length - LISTED_ROWS),
    notices: notices.map(words),
  }
}

function rank({ outcome }: ImportedRow): number {
  return outcome === 'failed' ? 0 : 1
}

function rowOf(result: RowResult): ImportedRow {
  const { row, line } = result
  if (!('problem' in result)) {
    const { outcome, productSlug: product_slug, note } = result
    return { row, line, outcome, product_slug, field: null, problem: null, fix: null, note }
  }
  const { field, problem, fix } = result.problem
  return {
    row,
    line,
    outcome: 'failed',
    product_slug: null,
    field: field === null ? null : shorten(cleanLine(field), 80),
    problem: words(problem),
    fix: words(fix),
    note: null,
  }
}

/** A reader quotes what it found, and a file may hold anything. */
function words(text: string): string {
  return shorten(cleanLine(text), MAX_WORDS)
}
