/**
 * A file on its way into the catalog: brought, looked at, read in another way, tried and imported, each for who may
 * edit for the organization. What is done with it is the tool's own import, with the draft's id as its key: pressing the
 * button twice does it once, and an import that was cut off goes on with the same button.
 */
import { AppError, conflict, invalid } from '../lib/errors.ts'
import { isUuid, newId } from '../lib/ids.ts'
import { type Act, type Caller, requireProducer } from '../orgs/producer.ts'
import { listCategories } from './catalog.service.ts'
import { PRODUCER_WORK_MS, readOnce, readProducers } from './file-readers.ts'
import {
  contentOf,
  download,
  fileNameOf,
  importedAlready,
  inPieces,
  noDraft,
  wholeOf,
} from './import-content.ts'
import {
  deleteDraft,
  dropOldDrafts,
  findDraft,
  findDraftPreview,
  findDraftResults,
  findDrafts,
  insertDraft,
  remapDraft,
  storeChecked,
  storePreview,
  storeProgress,
  storeResult,
} from './import-drafts.queries.ts'
import type { Content, Look, LookAsk } from './import-drafts.reading.ts'
import {
  DRAFT_KEPT_MS,
  type Draft,
  DraftResult,
  type DraftSource,
  MOST_DRAFTS,
  Preview,
} from './import-drafts.schema.ts'
import { findOrgImport } from './producer-import.queries.ts'
import { type Following, importForProducer, type ProducerImportContext } from './producer-import.service.ts'
import { countImport, isImporting, withImportLease } from './producer-import-lease.ts'
import { takeTurn } from './relationships.service.ts'

type Context = ProducerImportContext

export type Brought = {
  file: { name: string; bytes: Buffer } | null
  url: string | null
  /** Null: told from what the file starts with, and from its name. */
  source: DraftSource | null
}

/** Stores what somebody brought; the oldest draft of the organization gives way to it. */
export async function createDraft(
  ctx: Context,
  act: Act,
  { file, url, source }: Brought,
  { signal }: { signal: AbortSignal },
): Promise<Draft> {
  if ((file === null) === (url === null))
    throw invalid(
      file === null ? 'file' : 'url',
      file === null ? 'choose a file, or enter its URL' : 'choose a file or enter a URL, not both',
    )
  const { org } = await requireProducer(ctx, act.caller, 'edit')
  await countImport(ctx, org.id)
  const bytes = file?.bytes ?? (await downloaded(ctx, org.id, url ?? '', signal))
  const fileName = fileNameOf(file?.name ?? URL.parse(url ?? '')?.pathname ?? '')
  // Rows that were corrected and come again need not be explained again: the newest mapping that fits is taken.
  const candidates = (await findDrafts(ctx.db, { orgId: org.id, since: oldest(ctx) })).map(
    ({ mapping }) => mapping,
  )
  const seen = await aboutField(file ? 'file' : 'url', () =>
    look(
      ctx,
      { orgId: org.id, content: () => inPieces(bytes), signal },
      { fileName, source, mapping: { candidates }, count: true },
    ),
  )
  const id = newId()
  const at = ctx.clock.now()
  await ctx.db.transaction().execute(async (tx) => {
    const { org: orgNow } = await requireProducer({ db: tx }, act.caller, 'edit')
    if (orgNow.id !== org.id)
      throw new AppError('conflict', 'you have switched to another organization; upload the file again')
    await takeTurn(tx, org.id)
    const userId = act.caller.kind === 'link_token' ? null : act.caller.user.id
    const facts = { fileName, url, content: bytes, at, ...seen, rowCount: seen.rowCount ?? 0 }
    await insertDraft(tx, { id, orgId: org.id, userId, ...facts })
    await dropOldDrafts(tx, { orgId: org.id, id, keep: MOST_DRAFTS })
  })
  return requireDraft(ctx, org.id, id)
}

export async function listDrafts(ctx: Context, caller: Caller): Promise<{ drafts: Draft[]; busy: boolean }> {
  const { org } = await requireProducer(ctx, caller, 'edit')
  const drafts = await findDrafts(ctx.db, { orgId: org.id, since: oldest(ctx) })
  return { drafts, busy: await isImporting(ctx, org.id) }
}

/** A draft, and whether an import of the organization is running, which may be its own. */
export async function getDraft(
  ctx: Context,
  caller: Caller,
  id: string,
): Promise<{ draft: Draft; busy: boolean }> {
  const { org } = await requireProducer(ctx, caller, 'edit')
  return { draft: await requireDraft(ctx, org.id, id), busy: await isImporting(ctx, org.id) }
}

/** As it was made when the file came or was last read in another way; only a draft without one is looked into. */
export async function previewDraft(ctx: Context, caller: Caller, id: string): Promise<Preview> {
  const { orgId, draft, content } = await openDraft(ctx, caller, id)
  const { source, mapping } = draft
  const kept = Preview.safeParse(await findDraftPreview(ctx.db, { orgId, id, source, mapping }))
  if (kept.success) return kept.data
  const { fileName } = draft
  const { preview } = await look(
    ctx,
    { orgId, content },
    { fileName, source, mapping: { given: mapping }, count: false },
  )
  await storePreview(ctx.db, { orgId, id, source, mapping, preview })
  return preview
}

/** Looks into a file, in a thread of its own. */
async function look(
  ctx: Context,
  { orgId, content, signal }: { orgId: string; content: Content; signal?: AbortSignal },
  ask: Omit<LookAsk, 'categories' | 'now'>,
): Promise<Look> {
  const categories = (await listCategories(ctx)).map(({ slug, label }) => ({ slug, label }))
  const whole = { ...ask, categories, now: ctx.clock.now() }
  const reading = { who: `org ${orgId}`, workMs: PRODUCER_WORK_MS, ...(signal && { signal }) }
  return readOnce(readProducers('look', content, whole, reading))
}

/** The rows that failed, to be corrected and brought again; null when none did, or nothing was tried yet. */
export async function writeBadRows(
  ctx: Context,
  caller: Caller,
  id: string,
): Promise<{ fileName: string; text: string } | null> {
  const { orgId, draft, content } = await openDraft(ctx, caller, id)
  const result = await getDraftResult(ctx, caller, id)
  const failed = result?.rows.filter(({ outcome }) => outcome === 'failed') ?? []
  if (failed.length === 0) return null
  const reading = { who: `org ${orgId}`, workMs: PRODUCER_WORK_MS }
  const text = await readOnce(readProducers('badRows', content, { source: draft.source, failed }, reading))
  const stem = draft.fileName.replace(/(\.[a-z]+)?(\.gz)?$/i, '').replaceAll(/[^\w.-]+/g, '-') || 'file'
  return { fileName: `${stem}-bad-rows.csv`, text }
}

/** What the import of it said, or else its dry run; null before either. */
export async function getDraftResult(ctx: Context, caller: Caller, id: string): Promise<DraftResult | null> {
  const { org } = await requireProducer(ctx, caller, 'edit')
  await requireDraft(ctx, org.id, id)
  const { checked, result } = await findDraftResults(ctx.db, { orgId: org.id, id })
  const said = result ?? checked
  return said === null ? null : DraftResult.parse(said)
}

export type Choice = {
  source: DraftSource
  /** By the place of a column, what it is to be read as; null leaves the mapping as it is. */
  reading: ReadonlyMap<number, string> | null
}

/** Reads a draft in another way from now on. What was said of it before is forgotten. */
export async function rereadDraft(ctx: Context, act: Act, id: string, choice: Choice): Promise<void> {
  const { orgId, draft, content } = await openDraft(ctx, act.caller, id)
  if (draft.finishedAt) throw importedAlready()
  if (await isImporting(ctx, orgId)) throw busy()
  // Done, and cut off before that was stored: its key stands for the reading of then, and the button tells what was done.
  if (await findOrgImport(ctx.db, { orgId, key: id })) throw importedAlready()
  const { source, reading } = choice
  const { rowCount, mapping, preview } = await aboutField('source', () =>
    look(
      ctx,
      { orgId, content },
      {
        fileName: draft.fileName,
        source,
        mapping: source === 'csv' && reading ? { reading } : { given: draft.mapping },
        count: source !== draft.source,
      },
    ),
  )
  const facts = { source, mapping, preview, rowCount: rowCount ?? draft.rowCount }
  if (!(await remapDraft(ctx.db, { orgId, id, ...facts }))) throw importedAlready()
}

export async function runDraft(
  ctx: Context,
  act: Act,
  { id, dryRun }: { id: string; dryRun: boolean },
  { signal, progress }: Following,
): Promise<void> {
  const { orgId, draft, content } = await openDraft(ctx, act.caller, id)
  // What is done needs no second time, and no trial.
  if (draft.finishedAt) return
  const { source, mapping } = draft
  const { result, rows, repeated } = await importForProducer(
    ctx,
    act,
    {
      source,
      file: await wholeOf(content),
      mapping: source === 'csv' ? mapping : {},
      dry_run: dryRun,
      ...(!dryRun && { idempotency_key: id }),
    },
    {
      signal,
      async progress(step) {
        if (!dryRun) await storeProgress(ctx.db, { orgId, id, doneRows: step.done, at: ctx.clock.now() })
        await progress(step)
      },
    },
  )
  const { rows_left_out: _, ...told } = result
  const said = { ...told, rows }
  const entry = { orgId, id, source, mapping, at: ctx.clock.now() }
  if (dryRun) await storeChecked(ctx.db, { ...entry, checked: said })
  else await storeResult(ctx.db, { ...entry, result: said, repeated })
}

export async function discardDraft(ctx: Context, act: Act, id: string): Promise<void> {
  const { org } = await requireProducer(ctx, act.caller, 'edit')
  await requireDraft(ctx, org.id, id)
  await deleteDraft(ctx.db, { orgId: org.id, id })
}

/** The draft, and the way to its bytes, for who may edit. */
async function openDraft(
  ctx: Context,
  caller: Caller,
  id: string,
): Promise<{ orgId: string; draft: Draft; content: Content }> {
  const { org } = await requireProducer(ctx, caller, 'edit')
  const draft = await requireDraft(ctx, org.id, id)
  return { orgId: org.id, draft, content: contentOf(ctx.db, { orgId: org.id, id }) }
}

async function requireDraft(ctx: Context, orgId: string, id: string): Promise<Draft> {
  const draft = isUuid(id) ? await findDraft(ctx.db, { orgId, id, since: oldest(ctx) }) : null
  if (!draft) throw noDraft()
  return draft
}

function oldest({ clock }: Pick<Context, 'clock'>): Date {
  return new Date(clock.now().getTime() - DRAFT_KEPT_MS)
}

/** One at a time for an organization, as its imports are. */
async function downloaded(ctx: Context, orgId: string, url: string, signal: AbortSignal): Promise<Buffer> {
  try {
    return await withImportLease(ctx, orgId, () => download(ctx.outbound, url, signal))
  } catch (error) {
    if (!(error instanceof AppError) || error.field !== 'url') throw error
    const words = error.message.replace(/^url: /, '').replace(/, or send content$/, ', or upload the file')
    throw new AppError(error.kind, words, { code: error.code, field: 'url', cause: error })
  }
}

/** What is wrong with a file stands beside the field that it came by. */
async function aboutField<Result>(field: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // Some know better what they are about.
    if (error.field !== undefined) throw error
    const { kind, code, max, retryAfterSeconds } = error
    throw new AppError(kind, error.message, { code, max, field, retryAfterSeconds, cause: error })
  }
}

function busy(): AppError {
  return conflict('an import of your organization is running; change these settings when it is done')
}
