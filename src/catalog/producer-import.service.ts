/**
 * What a producer does with many rows at once. Nothing of it is public without review, as with the single calls: a row of
 * a known product becomes a claim, or a proposal of what differs; any other row a proposed product. Rows are written in
 * batches, each of them whole or not at all, and every row can be imported again without effect, so that an import that
 * was cut off anywhere is simply repeated. All rows are read before the first is written: a file with too many is refused
 * as a whole.
 */
import { createHash } from 'node:crypto'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { sha256 } from '../lib/crypto.ts'
import { conflict, unavailable } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import type { Outbound } from '../lib/outbound.ts'
import { cleanLine, shorten } from '../lib/text.ts'
import { type Act, requireProducer } from '../orgs/producer.ts'
import { listCategories } from './catalog.service.ts'
import { PRODUCER_WORK_MS, readProducers } from './file-readers.ts'
import { type ProducerRow, words } from './file-readings.ts'
import { bytesOf, fieldOf, inPieces, requireOneSource, type Source } from './import-content.ts'
import { asStopped, inTransaction, writeRows } from './import-run.ts'
import { findOrgImport, insertOrgImport } from './producer-import.queries.ts'
import {
  type ImportedRow,
  type ImportRequest,
  ImportResult,
  LISTED_ROWS,
  OUTCOMES,
} from './producer-import.schema.ts'
import { type BatchContext, type ImportRow, importBatch, type RowResult } from './producer-import-batch.ts'
import {
  countImport,
  type ImportLease,
  type ImportLimitContext,
  withImportLease,
} from './producer-import-lease.ts'
import type { RelationshipHooks } from './relationships.service.ts'

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
type ImportInput = ImportRequest & Pick<Source, 'file'>

/** A row's result with the title that the file gives it. */
export type NamedRow = ImportedRow & { title: string | null }

const BATCH = 100
const BATCH_WEIGHT = 1024 ** 2
const MOST_NOTICES = 5

export type Imported = {
  /** As it is told to agents: a hundred rows of it. */
  result: ImportResult
  /** Every row, failed ones first; of a repeated answer those that were kept. */
  rows: NamedRow[]
  /** It is the answer that the same key was given before. */
  repeated: boolean
}

export async function importForProducer(
  ctx: ProducerImportContext,
  act: Act,
  input: ImportInput,
  following: Following,
): Promise<Imported> {
  requireOneSource(input)
  const { org } = await requireProducer(ctx, act.caller, 'edit')
  const key = input.dry_run ? null : await keyOf(org.id, input)
  // Before the lease too: what is done can be told while another import runs.
  const before = key && (await toldBefore(ctx, key))
  if (before) return before
  return withImportLease(ctx, org.id, async (lease) => {
    const meanwhile = key && (await toldBefore(ctx, key))
    if (meanwhile) return meanwhile
    // A file was counted when it was brought; checking and importing it are steps of the same thing.
    if (input.file === undefined) await countImport(ctx, org.id)
    const startedAt = ctx.clock.now()
    const told = await runImport(ctx, { act, input, following, lease, written: { row: 0 } })
    if (key)
      await insertOrgImport(ctx.db, {
        ...key,
        ...lease,
        result: told.result,
        startedAt,
        finishedAt: ctx.clock.now(),
      })
    return { ...told, repeated: false }
  })
}

type Key = { orgId: string; key: string; fingerprint: string }

async function keyOf(orgId: string, input: ImportInput): Promise<Key | null> {
  const { idempotency_key: key } = input
  return key === undefined ? null : { orgId, key, fingerprint: await fingerprintOf(input) }
}

async function toldBefore({ db }: { db: Db }, key: Key): Promise<Imported | null> {
  const known = await findOrgImport(db, key)
  if (known && known.fingerprint !== key.fingerprint)
    throw conflict('idempotency_key: already used for another import; choose a new one', {
      field: 'idempotency_key',
    })
  if (!known) return null
  const result = ImportResult.parse(known.result)
  const rows = result.rows.map((row) => ({ ...row, title: null }))
  return { result, rows, repeated: true }
}

async function fingerprintOf({ source, url, content, file, mapping = {} }: ImportInput): Promise<string> {
  const pairs = Object.entries(mapping).sort(([a], [b]) => (a < b ? -1 : 1))
  const bytes = file === undefined ? [] : [await hashOf(file)]
  return sha256(JSON.stringify([source, url ?? null, content ?? null, pairs, ...bytes])).toString('hex')
}

/** Piece by piece: 20 MB in one go are a pause that everybody notices. */
async function hashOf(file: Buffer): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of inPieces(file)) hash.update(piece)
  return hash.digest('hex')
}

type Run = {
  act: Act
  input: ImportInput
  following: Following
  lease: ImportLease
  /** The last row that was written. */
  written: { row: number }
}

async function runImport(ctx: ProducerImportContext, run: Run): Promise<Pick<Imported, 'result' | 'rows'>> {
  try {
    return await readAndWrite(ctx, run)
  } catch (error) {
    const how = run.input.dry_run
      ? 'this was a dry run and nothing was changed; fix that and call again'
      : 'imported rows are kept; fix that and call again with the same arguments to continue'
    const stopped = asStopped(error, { after: `row ${run.written.row.toLocaleString('en-US')}`, how })
    if (stopped !== error)
      ctx.log.error({ err: error, row: run.written.row }, "a producer's import stopped early")
    throw stopped
  }
}

async function readAndWrite(
  ctx: ProducerImportContext,
  run: Run,
): Promise<Pick<Imported, 'result' | 'rows'>> {
  const { input, following, lease } = run
  let done = 0
  const going = async () => {
    if (following.signal.aborted)
      throw unavailable(`the import was interrupted after ${done} rows; call again to continue`, 5)
    await lease.renew()
  }
  const { rows, notices } = await readFile(ctx, run, going)
  const results: RowResult[] = rows.flatMap((row) => ('problem' in row ? [row] : []))
  const good = rows.flatMap((row) => ('problem' in row ? [] : [row]))
  const shared = { carried: { claims: 0, submissions: 0 }, spokenOf: new Map<string, number>() }
  await writeRows<(typeof good)[number], RowResult>(ctx, good, {
    most: { rows: BATCH, weight: BATCH_WEIGHT },
    async write(some) {
      // Row by row, a batch may take longer than a lease lasts.
      await going()
      return writeTogether(ctx, run, some, shared)
    },
    refused: ({ row, line }) => {
      const problem = { field: null, problem: 'could not be stored', fix: 'import this row again' }
      return { row, line, problem }
    },
    async written(batch, said) {
      if (batch.length === 0) return
      results.push(...said)
      done += batch.length
      await following.progress({ done: results.length, total: rows.length, message: 'rows' })
    },
  })
  const listed = results.map(rowOf).sort((a, b) => rank(a) - rank(b) || a.row - b.row)
  return {
    result: tell(listed, { dryRun: input.dry_run, notices }),
    rows: listed.map((row) => ({ ...row, title: rows[row.row - 1]?.title ?? null })),
  }
}

/** `going` is asked for every batch that comes, and throws when the import is not to go on. */
async function readFile(
  ctx: ProducerImportContext,
  { input, following: { signal }, lease }: Run,
  going: () => Promise<void>,
): Promise<{ rows: ProducerRow[]; notices: string[] }> {
  const bytes = await bytesOf(ctx, input, signal)
  const { source, mapping } = input
  const categories = (await listCategories(ctx)).map(({ slug, label }) => ({ slug, label }))
  const ask = { source, mapping, categories, now: ctx.clock.now(), field: fieldOf(input) }
  const reading = { who: `org ${lease.orgId}`, signal, workMs: PRODUCER_WORK_MS }
  const rows: ProducerRow[] = []
  const notices: string[] = []
  for await (const batch of readProducers('producer', () => inPieces(bytes), ask, reading)) {
    rows.push(...batch.rows)
    notices.push(...batch.notices)
    await going()
  }
  return { rows, notices }
}

type Shared = Pick<BatchContext, 'carried' | 'spokenOf'>

async function writeTogether(
  ctx: ProducerImportContext,
  { act, input, lease, written }: Run,
  rows: readonly ImportRow[],
  shared: Shared,
): Promise<RowResult[]> {
  const { results, added } = await inTransaction(ctx.db, { dryRun: input.dry_run }, async (tx) => {
    const producer = await requireProducer({ db: tx }, act.caller, 'edit')
    if (producer.org.id !== lease.orgId)
      throw conflict('you joined another organization during the import; call again')
    const at = ctx.clock.now()
    const { relationshipHooks } = ctx
    const { carried, spokenOf } = shared
    return importBatch(tx, { producer, act, at, relationshipHooks, carried, spokenOf }, rows)
  })
  if (input.dry_run) {
    shared.carried.claims += added.claims
    shared.carried.submissions += added.submissions
  } else written.row = rows.at(-1)?.row ?? written.row
  return results
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
    notices: notices.slice(0, MOST_NOTICES).map(words),
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
