/**
 * Keeping sources: adding, changing, pausing and removing one, asking for a run, and deciding on a run that waits. Each is
 * one transaction with its record and the job that follows from it. The operator's and a seller's go the same way; whose a
 * source is decides who finds it.
 */
import { type AuditActor, recordAudit } from '../accounts/audit.service.ts'
import type { Visit } from '../accounts/context.ts'
import { countSourceProducts, endFeed, forgetFeed, type GoneCounts } from '../catalog/feed.service.ts'
import { FileRules } from '../catalog/import-files.schema.ts'
import { getSourceFile, holdFile, takeSourceFile } from '../catalog/import-files.service.ts'
import type { Db } from '../db/database.ts'
import { schedule, unschedule } from '../jobs/runner.ts'
import { type AppError, conflict, forbidden, invalid, notFound } from '../lib/errors.ts'
import { idsOf, isUuid, newId } from '../lib/ids.ts'
import { type Act, requireProducer } from '../orgs/producer.ts'
import type { SourcesContext } from './context.ts'
import { sealCredentials } from './credentials.ts'
import { intervalWords } from './source-words.ts'
import {
  countSources,
  countWaiting,
  decideRun,
  deleteSource,
  findNotable,
  findOpenRun,
  findRun,
  findRuns,
  findSource,
  findSourceNamed,
  findSources,
  forgetFile,
  insertRun,
  insertSource,
  lockOwner,
  updatePaused,
  updateRejected,
  updateRules,
  updateSource,
} from './sources.queries.ts'
import {
  type Gone,
  MOST_SOURCES,
  RUNS_KEPT,
  type Run,
  SELLER_INTERVALS,
  type Source,
  type SourceInput,
  type SourceView,
} from './sources.schema.ts'

/** The operator, or somebody of an organization. */
export type Who = { by: AuditActor; visit?: Visit } | Act

export const SOURCE_JOB = { kind: 'sources.run', maxAttempts: 5 }

type Owner = { orgId: string | null; by: AuditActor; userId: string | null; visit?: Visit; verified: boolean }

/** Within the transaction of the action. */
async function ownerOf(db: Db, who: Who): Promise<Owner> {
  if ('by' in who) return { orgId: null, userId: null, verified: true, ...who }
  const { caller, visit } = who
  const { org, by } = await requireProducer({ db }, caller, 'edit')
  const userId = caller.kind === 'link_token' ? null : caller.user.id
  return { orgId: org.id, by, userId, visit, verified: org.verificationStatus === 'verified' }
}

function requireVerified({ verified }: Owner): void {
  if (verified) return
  throw forbidden('verify the domain of your organization first; sources need it')
}

export async function listSources(ctx: SourcesContext, who: Who): Promise<SourceView[]> {
  const { orgId } = await ownerOf(ctx.db, who)
  const sources = await findSources(ctx.db, orgId)
  const notable = await findNotable(ctx.db, idsOf(sources))
  return sources.map((source) => viewOf(source, notable))
}

export async function getSource(ctx: SourcesContext, who: Who, id: string): Promise<SourceView> {
  const { orgId } = await ownerOf(ctx.db, who)
  const source = await requireSource(ctx.db, { id, orgId })
  return viewOf(source, await findNotable(ctx.db, [source.id]))
}

export async function getSourceNamed(ctx: SourcesContext, who: Who, name: string): Promise<SourceView> {
  const { orgId } = await ownerOf(ctx.db, who)
  const source = await findSourceNamed(ctx.db, { name, orgId })
  if (!source) throw noSource()
  return viewOf(source, await findNotable(ctx.db, [source.id]))
}

function viewOf(source: Source, notable: Awaited<ReturnType<typeof findNotable>>): SourceView {
  return { ...source, ...(notable.get(source.id) ?? { last: null, lastGood: null, waiting: null }) }
}

/** The newest first. */
export async function listRuns(ctx: SourcesContext, who: Who, id: string): Promise<Run[]> {
  const { orgId } = await ownerOf(ctx.db, who)
  await requireSource(ctx.db, { id, orgId })
  return findRuns(ctx.db, id, RUNS_KEPT)
}

export function getRun(ctx: { db: Db }, id: string): Promise<Run | null> {
  return findRun(ctx.db, id)
}

/** How many runs of the operator's sources wait for a decision. */
export function countDecisions(ctx: { db: Db }): Promise<number> {
  return countWaiting(ctx.db)
}

type Added = SourceInput & { path?: string | null; rules?: Partial<FileRules> }

/** It runs at once when it has a schedule. */
export async function addSource(ctx: SourcesContext, who: Who, input: Added): Promise<string> {
  return ctx.db.transaction().execute(async (tx) => {
    const owner = await ownerOf(tx, who)
    requireVerified(owner)
    const { orgId, userId } = owner
    await lockOwner(tx, orgId)
    const most = orgId === null ? MOST_SOURCES.operator : MOST_SOURCES.seller
    if ((await countSources(tx, orgId)) >= most)
      throw conflict(`you have ${most} sources already; remove one first`)
    requireAllowed(owner, input)
    await requireFreeName(tx, owner, input.name, null)
    const at = ctx.clock.now()
    const id = newId()
    // A key that another source had before goes with its name: the products are the same.
    const key = orgId === null ? input.name : id
    const { name, url, path = null, gone, every_minutes: everyMinutes } = input
    const source = {
      ...{ id, orgId, name, key, url, path, gone, everyMinutes, at },
      kind: url === null ? ('file' as const) : ('url' as const),
      auth: input.auth,
      credentialsBox: sealCredentials(ctx, input),
      rules: FileRules.parse({ ...input.rules, source: key }),
      nextRunAt: everyMinutes === null ? null : at,
      runBy: orgId === null ? null : userId,
    }
    await insertSource(tx, source).catch(nameTaken)
    if (everyMinutes !== null) await plan(tx, id, 0)
    await record(tx, owner, 'source.added', at, { source_id: id, name, every_minutes: everyMinutes })
    return id
  })
}

/** What the last file was counts no longer when it comes from elsewhere. */
export async function changeSource(ctx: SourcesContext, who: Who, id: string, input: Added): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const owner = await ownerOf(tx, who)
    requireVerified(owner)
    const source = await requireSource(tx, { id, orgId: owner.orgId }, { hold: true })
    if ((source.kind === 'url') !== (input.url !== null))
      throw invalid('url', 'a source stays what it is; add another one for the other kind')
    requireAllowed(owner, input)
    await requireFreeName(tx, owner, input.name, id)
    const isElsewhere = originOf(input.url) !== originOf(source.url)
    const keeps = input.auth !== 'none' && input.auth === source.auth && input.credentials === null
    // Credentials are for where they were given: a new address must not receive what another person entered.
    if (keeps && isElsewhere) throw invalid('credentials', 'enter the credentials again for the new address')
    const at = ctx.clock.now()
    const { name, url, gone, auth, every_minutes: everyMinutes, path = source.path } = input
    const isNewTime = everyMinutes !== source.everyMinutes
    const nextRunAt = isNewTime ? after(at, everyMinutes) : source.nextRunAt
    await updateSource(tx, {
      ...{ id, name, url, path, auth, gone, everyMinutes, nextRunAt, at },
      credentialsBox: keeps ? undefined : sealCredentials(ctx, input),
      runBy: owner.orgId === null ? null : owner.userId,
      forgets: url !== source.url,
    }).catch(nameTaken)
    if (isNewTime && !source.paused && source.stopped === null)
      await (everyMinutes === null ? unschedule(tx, SOURCE_JOB, id) : plan(tx, id, everyMinutes * 60_000))
    await record(tx, owner, 'source.changed', at, { source_id: id, name, every_minutes: everyMinutes })
  })
}

/** How its files are read from now on: made by hand once, and kept for every run. */
export async function setRules(ctx: SourcesContext, who: Who, id: string, rules: FileRules): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const owner = await ownerOf(tx, who)
    const source = await requireSource(tx, { id, orgId: owner.orgId }, { hold: true })
    const at = ctx.clock.now()
    await updateRules(tx, id, { ...rules, source: source.key }, at)
    // The same bytes come to something else now.
    await forgetFile(tx, id)
    await record(tx, owner, 'source.changed', at, { source_id: id, name: source.name })
  })
}

export type RunAsk = {
  /** Reads everything and writes nothing. */
  dryRun?: boolean
  /** Takes the file although it is the same. */
  full?: boolean
  /** A file that was stored for this run. */
  file?: { id: string; sizeBytes: number }
}

/** Begins a run; a source that has stopped starts again. Answers its id. */
export async function askRun(ctx: SourcesContext, who: Who, id: string, ask: RunAsk = {}): Promise<string> {
  return ctx.db.transaction().execute(async (tx) => {
    const owner = await ownerOf(tx, who)
    requireVerified(owner)
    const source = await requireSource(tx, { id, orgId: owner.orgId }, { hold: true })
    const { dryRun = false, full = false, file = null } = ask
    const at = ctx.clock.now()
    if (source.kind === 'file' && !file) throw invalid('file', 'choose a file for this source')
    if (file) await takeSourceFile(tx, { ...file, rules: source.rules, sourceId: id, at })
    const run = { id: newId(), sourceId: id, actor: owner.by, dryRun, at }
    if (!(await insertRun(tx, { ...run, fileId: file?.id ?? null, bytes: file?.sizeBytes ?? null })))
      throw conflict('this source is running now; wait until that is done')
    if (full) await forgetFile(tx, id)
    const runBy = owner.orgId === null ? null : owner.userId
    await updatePaused(tx, { ...source, stopped: null, runBy, at })
    await plan(tx, id, 0)
    await record(tx, owner, 'source.run_asked', at, { source_id: id, name: source.name, dry_run: dryRun })
    return run.id
  })
}

export async function pauseSource(ctx: SourcesContext, who: Who, id: string, paused: boolean): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const owner = await ownerOf(tx, who)
    if (!paused) requireVerified(owner)
    const source = await requireSource(tx, { id, orgId: owner.orgId }, { hold: true })
    const at = ctx.clock.now()
    const nextRunAt = paused || source.everyMinutes === null ? null : at
    const runBy = owner.orgId === null ? null : owner.userId
    await updatePaused(tx, { id, paused, stopped: paused ? source.stopped : null, nextRunAt, runBy, at })
    // A run that was begun goes on.
    const isRunning = (await findOpenRun(tx, id, 'running')) !== null
    if (nextRunAt !== null) await plan(tx, id, 0)
    else if (!isRunning) await unschedule(tx, SOURCE_JOB, id)
    const action = paused ? 'source.paused' : 'source.resumed'
    await record(tx, owner, action, at, { source_id: id, name: source.name })
  })
}

/** Approving imports the very file that was seen; rejecting keeps everything, and the same file asks no second time. */
export async function decide(
  ctx: SourcesContext,
  who: Who,
  { id, runId, approve }: { id: string; runId: string; approve: boolean },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const owner = await ownerOf(tx, who)
    requireVerified(owner)
    const source = await requireSource(tx, { id, orgId: owner.orgId }, { hold: true })
    const waiting = await findOpenRun(tx, id, 'waiting')
    if (waiting?.id !== runId)
      throw conflict('this run no longer waits for a decision; look at the newest one')
    if (approve && (await findOpenRun(tx, id, 'running')))
      throw conflict('this source is running now; decide when that is done')
    const at = ctx.clock.now()
    const message = approve ? null : 'You rejected this file. The catalog stays as it was.'
    const to = approve ? ('running' as const) : ('ended' as const)
    await decideRun(tx, { id: runId, to, outcome: approve ? null : 'rejected', message, at })
    if (!approve) {
      await updateRejected(tx, id, waiting.contentHash)
      if (waiting.fileId !== null) await holdFile(tx, waiting.fileId, false, at)
    }
    if (approve) await plan(tx, id, 0)
    const action = approve ? 'source.approved' : 'source.rejected'
    await record(tx, owner, action, at, { source_id: id, name: source.name })
  })
}

/** How many products a source has that removing it could take along. */
export async function countProducts(ctx: SourcesContext, source: Source): Promise<number> {
  return source.orgId === null ? countSourceProducts(ctx, source.key) : 0
}

/**
 * Its products stay unless asked. Their keys stay in any case: a later source of the same name finds them again. What is
 * done to products is an import, which can be undone.
 */
export async function removeSource(
  ctx: SourcesContext,
  who: Who,
  { id, products = 'keep' }: { id: string; products?: Gone },
): Promise<GoneCounts & { importId: string | null }> {
  const { orgId } = await ownerOf(ctx.db, who)
  const source = await requireSource(ctx.db, { id, orgId })
  if (await findOpenRun(ctx.db, id, 'running')) throw runsNow()
  const none = { discontinued: 0, removed: 0, kept: 0, importId: null }
  const fingerprint = `source ${id} removed`
  const done =
    orgId !== null || products === 'keep'
      ? none
      : await endFeed(ctx, { source: source.key, as: products, fingerprint })
  await ctx.db.transaction().execute(async (tx) => {
    const owner = await ownerOf(tx, who)
    await requireSource(tx, { id, orgId: owner.orgId }, { hold: true })
    if (await findOpenRun(tx, id, 'running')) throw runsNow()
    await unschedule(tx, SOURCE_JOB, id)
    await deleteSource(tx, id)
    await forgetFeed(tx, source.key)
    const { discontinued, removed } = done
    const detail = { source_id: id, name: source.name, discontinued, removed }
    await record(tx, owner, 'source.removed', ctx.clock.now(), detail)
  })
  return done
}

/** The newest file of a source, for looking at how it is read; null when it is not kept any more. */
export async function fileOfSource(ctx: SourcesContext, who: Who, id: string) {
  const { orgId } = await ownerOf(ctx.db, who)
  await requireSource(ctx.db, { id, orgId })
  return getSourceFile(ctx, id)
}

async function requireSource(
  db: Db,
  { id, orgId }: { id: string; orgId: string | null },
  options?: { hold?: boolean },
): Promise<Source> {
  const source = isUuid(id) ? await findSource(db, { id, orgId }, options) : null
  if (!source) throw noSource()
  return source
}

function requireAllowed({ orgId }: Owner, { url, every_minutes: minutes }: SourceInput): void {
  if (orgId !== null && url === null) throw invalid('url', 'enter the address of your feed')
  if (orgId !== null && url !== null && URL.parse(url)?.protocol !== 'https:')
    throw invalid('url', 'must be an https address')
  if (url === null && minutes !== null)
    throw invalid('every_minutes', 'only an address can be fetched on a schedule; a file is brought by hand')
  const [least = 0] = SELLER_INTERVALS
  if (orgId !== null && minutes !== null && minutes < least)
    throw invalid('every_minutes', `choose ${intervalWords(least).toLowerCase()} or less often`)
}

async function requireFreeName(db: Db, { orgId }: Owner, name: string, id: string | null): Promise<void> {
  const same = await findSourceNamed(db, { name, orgId })
  if (same && same.id !== id) throw takenName()
}

/** Two at once: the database has the last word. */
function nameTaken(error: unknown): never {
  const { constraint } = error as { constraint?: string }
  if (constraint === 'sources_by_name' || constraint === 'sources_by_key') throw takenName()
  throw error
}

function takenName(): AppError {
  return conflict('you already have a source of this name', { field: 'name' })
}

function noSource(): AppError {
  return notFound('there is no such source')
}

function runsNow(): AppError {
  return conflict('this source is running now; remove it when that is done')
}

function originOf(url: string | null): string | null {
  return url === null ? null : (URL.parse(url)?.origin ?? null)
}

function after(at: Date, minutes: number | null): Date | null {
  return minutes === null ? null : new Date(at.getTime() + minutes * 60_000)
}

function plan(tx: Db, id: string, delayMs: number): Promise<void> {
  return schedule(tx, SOURCE_JOB, { sourceId: id }, { dedupeKey: id, delayMs })
}

/** Never with an address or a secret: the log is read by more people than the source. */
function record(
  tx: Db,
  { by: actor, orgId, visit }: Owner,
  action: string,
  at: Date,
  detail: Record<string, unknown>,
): Promise<void> {
  return recordAudit(tx, { actor, orgId, visit, action, at, detail })
}
