/** SQL of sources and their runs. What is sealed is only read where it is opened. */
import { sql } from 'kysely'
import type { AuditActor } from '../accounts/audit.service.ts'
import { FileRules } from '../catalog/import-files.schema.ts'
import { assigned, inserted, json } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { all, column, count, hasChanged, one, run, value } from '../db/rows.ts'
import { type Run, RunCounts, type Source, type SourceView } from './sources.schema.ts'

type SourceRow = Omit<Source, 'rules'> & { rules: unknown }
type RunRow = Omit<Run, 'actor' | 'counts' | 'report'> & {
  actorKind: AuditActor['kind']
  actorId: string | null
  counts: unknown
  report: string[]
}

const SOURCE = sql`s.id, s.org_id as "orgId", s.name, s.key, s.kind, s.url, s.path, s.auth, s.rules, s.gone,
  s.every_minutes as "everyMinutes", s.paused, s.stopped, s.etag, s.last_modified as "lastModified",
  s.content_hash as "contentHash", s.good_rows as "goodRows", s.rejected_hash as "rejectedHash", s.failures,
  s.next_run_at as "nextRunAt", s.run_by as "runBy", s.created_at as "createdAt", s.updated_at as "updatedAt"`

const RUN = sql`r.id, r.source_id as "sourceId", r.state, r.outcome, r.dry_run as "dryRun", r.approved,
  r.actor_kind as "actorKind", r.actor_id as "actorId", r.file_id as "fileId", r.import_id as "importId", r.etag,
  r.last_modified as "lastModified", r.content_hash as "contentHash", r.bytes::float8 as bytes, r.rows, r.counts,
  r.message, r.fix, r.report, r.started_at as "startedAt", r.ended_at as "endedAt"`

const NEWEST = sql`order by r.started_at desc, r.id desc`

function sourceOf({ rules, ...row }: SourceRow): Source {
  return { ...row, rules: FileRules.parse(rules) }
}

function runOf({ actorKind: kind, actorId: id, counts, ...row }: RunRow): Run {
  return { ...row, actor: { kind, id }, counts: RunCounts.parse(counts) }
}

/** `orgId` null is the operator; nobody finds another's. */
export async function findSource(
  db: Db,
  { id, orgId }: { id: string; orgId: string | null },
  { hold = false }: { hold?: boolean } = {},
): Promise<Source | null> {
  const row = await one<SourceRow>(db)`
    select ${SOURCE} from sources s where s.id = ${id} and s.org_id is not distinct from ${orgId}::uuid
    ${hold ? sql`for update` : sql``}`
  return row && sourceOf(row)
}

/** Of any owner, for the job. */
export async function findAnySource(db: Db, id: string, { hold = false }: { hold?: boolean } = {}) {
  const row = await one<SourceRow>(db)`
    select ${SOURCE} from sources s where s.id = ${id} ${hold ? sql`for update` : sql``}`
  return row && sourceOf(row)
}

export async function findSourceNamed(db: Db, { name, orgId }: { name: string; orgId: string | null }) {
  const row = await one<SourceRow>(db)`
    select ${SOURCE} from sources s
    where lower(s.name) = lower(${name}) and s.org_id is not distinct from ${orgId}::uuid`
  return row && sourceOf(row)
}

export async function findSources(db: Db, orgId: string | null): Promise<Source[]> {
  const rows = await all<SourceRow>(db)`
    select ${SOURCE} from sources s where s.org_id is not distinct from ${orgId}::uuid
    order by lower(s.name), s.id`
  return rows.map(sourceOf)
}

/** The newest run of each source, its newest that took a file, and the one that waits. */
export async function findNotable(
  db: Db,
  sourceIds: string[],
): Promise<Map<string, Pick<SourceView, 'last' | 'lastGood' | 'waiting'>>> {
  const pick = async (which: ReturnType<typeof sql>) => {
    const rows = await all<RunRow>(db)`
      select distinct on (r.source_id) ${RUN} from source_runs r where r.source_id = any(${sourceIds}) and ${which}
      order by r.source_id, r.started_at desc, r.id desc`
    return new Map(rows.map((row) => [row.sourceId, runOf(row)]))
  }
  const last = await pick(sql`true`)
  const good = await pick(sql`r.outcome = 'changed'`)
  const waiting = await pick(sql`r.state = 'waiting'`)
  return new Map(
    sourceIds.map((id) => [
      id,
      { last: last.get(id) ?? null, lastGood: good.get(id) ?? null, waiting: waiting.get(id) ?? null },
    ]),
  )
}

export function countSources(db: Db, orgId: string | null) {
  return count(db)`
    select count(*)::int as count from sources where org_id is not distinct from ${orgId}::uuid`
}

/** One after the other: two at once must not pass the limit together. */
export async function lockOwner(db: Db, orgId: string | null): Promise<void> {
  const whose = `sources of ${orgId ?? 'the operator'}`
  await run(db)`select pg_advisory_xact_lock(hashtextextended(${whose}, 0))`
}

export function countWaiting(db: Db) {
  return count(db)`
    select count(*)::int as count from source_runs r join sources s on s.id = r.source_id
    where r.state = 'waiting' and s.org_id is null`
}

const STATED = ['name', 'url', 'path', 'auth', 'gone', 'everyMinutes', 'nextRunAt', 'runBy'] as const
const LASTING = ['id', 'orgId', 'key', 'kind', 'rules'] as const
type Stated = Pick<Source, (typeof STATED)[number]>
type Written = Stated & Pick<Source, (typeof LASTING)[number]> & { credentialsBox: string | null; at: Date }

export function insertSource(db: Db, { at, ...source }: Written) {
  const row = { ...source, rules: json(source.rules), createdAt: at, updatedAt: at }
  return run(db)`
    insert into sources ${inserted([...LASTING, ...STATED, 'credentialsBox', 'createdAt', 'updatedAt'], row)}`
}

/** What the last file was is forgotten where it came from elsewhere. */
export async function updateSource(
  db: Db,
  source: Stated & {
    id: string
    /** Undefined keeps it. */
    credentialsBox: string | null | undefined
    forgets: boolean
    at: Date
  },
): Promise<void> {
  await run(db)`
    update sources set ${assigned([...STATED, 'credentialsBox'], source)}, updated_at = ${source.at}
    where id = ${source.id}`
  if (source.forgets) await forgetFile(db, source.id)
}

/** The next run takes the file whatever it is. */
export function forgetFile(db: Db, id: string) {
  return run(db)`
    update sources set etag = null, last_modified = null, content_hash = null, rejected_hash = null
    where id = ${id}`
}

export function updateRules(db: Db, id: string, rules: FileRules, at: Date) {
  return run(db)`update sources set rules = ${JSON.stringify(rules)}::jsonb, updated_at = ${at}
    where id = ${id}`
}

export function updatePaused(
  db: Db,
  source: Pick<Source, 'id' | 'paused' | 'stopped' | 'nextRunAt' | 'runBy'> & { at: Date },
) {
  return run(db)`
    update sources set ${assigned(['paused', 'stopped', 'nextRunAt', 'runBy'], source)}, updated_at = ${source.at}
    where id = ${source.id}`
}

/** After a run. `taken` is the file that stands from now on, where there is a new one. */
export async function updateAfterRun(
  db: Db,
  {
    id,
    taken,
    ...plan
  }: Pick<Source, 'id' | 'failures' | 'nextRunAt' | 'stopped'> & {
    taken: Pick<Source, 'etag' | 'lastModified' | 'contentHash' | 'goodRows'> | null
  },
): Promise<void> {
  await run(db)`
    update sources set ${assigned(['failures', 'nextRunAt', 'stopped'], plan)} where id = ${id}`
  if (taken)
    await run(db)`
      update sources set ${assigned(['etag', 'lastModified', 'contentHash', 'goodRows'], taken)}, rejected_hash = null
      where id = ${id}`
}

export function updateRejected(db: Db, id: string, hash: string | null) {
  return run(db)`update sources set rejected_hash = ${hash} where id = ${id}`
}

export function deleteSource(db: Db, id: string) {
  return run(db)`delete from sources where id = ${id}`
}

export function findCredentialsBox(db: Db, id: string) {
  return value<string>(db)`
    select credentials_box as box from sources where id = ${id}`
}

/** The newest first. */
export async function findRuns(db: Db, sourceId: string, limit: number): Promise<Run[]> {
  const rows = await all<RunRow>(db)`
    select ${RUN} from source_runs r where r.source_id = ${sourceId} ${NEWEST} limit ${limit}`
  return rows.map(runOf)
}

export async function findRun(db: Db, id: string): Promise<Run | null> {
  const row = await one<RunRow>(db)`select ${RUN} from source_runs r where r.id = ${id}`
  return row && runOf(row)
}

/** The one that runs, or the one that waits; there is at most one of each. */
export async function findOpenRun(db: Db, sourceId: string, state: 'running' | 'waiting') {
  const row = await one<RunRow>(db)`
    select ${RUN} from source_runs r where r.source_id = ${sourceId} and r.state = ${state}`
  return row && runOf(row)
}

/** False when one runs already. */
export function insertRun(
  db: Db,
  run: Pick<Run, 'id' | 'sourceId' | 'actor' | 'dryRun' | 'fileId' | 'bytes'> & { at: Date },
) {
  return hasChanged(db)`
    insert into source_runs (id, source_id, state, dry_run, actor_kind, actor_id, file_id, bytes, started_at)
    values (${run.id}, ${run.sourceId}, 'running', ${run.dryRun}, ${run.actor.kind}, ${run.actor.id}, ${run.fileId},
      ${run.bytes}, ${run.at})
    on conflict (source_id) where state = 'running' do nothing`
}

export function updateFetched(
  db: Db,
  run: Pick<Run, 'id' | 'fileId' | 'etag' | 'lastModified' | 'contentHash' | 'bytes'>,
) {
  return hasChanged(db)`
    update source_runs set ${assigned(['fileId', 'etag', 'lastModified', 'contentHash', 'bytes'], run)}
    where id = ${run.id} and state = 'running'`
}

const END = ['state', 'outcome', 'importId', 'rows', 'counts', 'message', 'fix', 'report', 'endedAt'] as const

/** False when it had ended, or somebody else moved it. */
export function updateRun(db: Db, run: Pick<Run, 'id' | (typeof END)[number]> & { from: Run['state'] }) {
  return hasChanged(db)`
    update source_runs set ${assigned(END, { ...run, counts: json(run.counts), report: json(run.report) })}
    where id = ${run.id} and state = ${run.from}`
}

/** A run that waits goes on, or ends. */
export function decideRun(
  db: Db,
  run: { id: string; to: 'running' | 'ended'; outcome: Run['outcome']; message: string | null; at: Date },
) {
  return hasChanged(db)`
    update source_runs set state = ${run.to}, approved = ${run.to === 'running'}, outcome = ${run.outcome},
      message = ${run.message}, fix = null, ended_at = ${run.to === 'ended' ? run.at : null}
    where id = ${run.id} and state = 'waiting'`
}

export function deleteRunsBeyond(db: Db, sourceId: string, keep: number) {
  return run(db)`
    delete from source_runs where id in (
      select r.id from source_runs r where r.source_id = ${sourceId} and r.state = 'ended' ${NEWEST}
      offset ${keep})`
}

/** Sources whose time has come, or whose run was begun, and that no job stands for: it was dropped, or lost. */
export function findForgotten(db: Db, { kind, before }: { kind: string; before: Date }) {
  return column<string>(db)`
    select s.id from sources s
    where ((s.next_run_at < ${before} and not s.paused and s.stopped is null)
        or exists (select 1 from source_runs r
          where r.source_id = s.id and r.state = 'running' and r.started_at < ${before}))
      and not exists (
        select 1 from jobs j where j.kind = ${kind} and j.dedupe_key = s.id::text
          and j.state in ('waiting', 'running'))
    limit 100`
}
