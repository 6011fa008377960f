/** SQL of import drafts. Everything is asked for one organization: another's draft is as if it were not there. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { all, changed, hasChanged, one, run, value } from '../db/rows.ts'
import { jsonText } from './import/rows.ts'
import type { Draft, Preview } from './import-drafts.schema.ts'

type Named = { orgId: string; id: string }

const FACTS = sql`id, file_name as "fileName", url, source, row_count as "rowCount", mapping, created_at as "createdAt",
  checked_at as "checkedAt", run_at as "runAt", done_rows as "doneRows", finished_at as "finishedAt"`

export function findDrafts(db: Db, { orgId, since }: { orgId: string; since: Date }) {
  return all<Draft>(db)`
    select ${FACTS} from import_drafts where org_id = ${orgId} and created_at > ${since}
    order by created_at desc, id desc`
}

export function findDraft(db: Db, { orgId, id, since }: Named & { since: Date }) {
  return one<Draft>(db)`
    select ${FACTS} from import_drafts
    where id = ${id} and org_id = ${orgId} and created_at > ${since}`
}

/** Some of the file's bytes, fewer at its end; null when the draft is gone. */
export function findDraftBytes(
  db: Db,
  { orgId, id, from, length }: Named & { from: number; length: number },
) {
  return value<Buffer>(db)`
    select substring(content from ${from + 1}::int for ${length}::int) as bytes from import_drafts
    where id = ${id} and org_id = ${orgId}`
}

/** As they were stored; what was imported tells more than what was tried. */
export async function findDraftResults(db: Db, { orgId, id }: Named) {
  const rows = await all<{ checked: unknown; result: unknown }>(db)`
    select checked, result from import_drafts where id = ${id} and org_id = ${orgId}`
  return rows[0] ?? { checked: null, result: null }
}

type Reading = Pick<Draft, 'source' | 'mapping'>

/** Null when this reading has no preview; nodes of earlier versions write none. */
export function findDraftPreview(db: Db, { orgId, id, source, mapping }: Named & Reading) {
  return value<unknown>(db)`
    select preview->'shown' as preview from import_drafts where id = ${id} and org_id = ${orgId}
      and preview->>'source' = ${source}
        and preview->'mapping' = ${JSON.stringify(mapping)}::jsonb`
}

/** Only if it is still read as it was when the preview was made. */
export function storePreview(
  db: Db,
  { orgId, id, source, mapping, preview }: Named & Reading & { preview: Preview },
) {
  return run(db)`
    update import_drafts set preview = ${previewOf({ source, mapping, preview })}::jsonb
    where id = ${id} and org_id = ${orgId} and source = ${source}
      and mapping = ${JSON.stringify(mapping)}::jsonb`
}

function previewOf({ source, mapping, preview }: Reading & { preview: Preview }): string {
  return jsonText({ source, mapping, shown: preview })
}

export function insertDraft(
  db: Db,
  draft: Named &
    Pick<Draft, 'fileName' | 'url' | 'source' | 'rowCount' | 'mapping'> & {
      userId: string | null
      content: Buffer
      preview: Preview
      at: Date
    },
) {
  return run(db)`
    insert into import_drafts (id, org_id, user_id, file_name, url, source, content, row_count, mapping, preview,
      created_at)
    values (${draft.id}, ${draft.orgId}, ${draft.userId}, ${draft.fileName}, ${draft.url}, ${draft.source},
      ${draft.content}, ${draft.rowCount}, ${JSON.stringify(draft.mapping)}::jsonb, ${previewOf(draft)}::jsonb,
      ${draft.at})`
}

/** Keeps `id` and the newest of the others; one that is under way, or was cut off, counts as newer than the rest. */
export function dropOldDrafts(db: Db, { orgId, id, keep }: Named & { keep: number }) {
  return run(db)`
    delete from import_drafts where id in (
      select id from import_drafts where org_id = ${orgId}
      order by (id = ${id}::uuid) desc, (done_rows is not null and finished_at is null) desc, created_at desc, id desc
      offset ${keep})`
}

/** What was said of it before is of another reading. False when it is finished, or gone. */
export function remapDraft(
  db: Db,
  { orgId, id, source, mapping, preview, rowCount }: Named & Reading & { preview: Preview; rowCount: number },
) {
  return hasChanged(db)`
    update import_drafts set source = ${source}, mapping = ${JSON.stringify(mapping)}::jsonb,
      preview = ${previewOf({ source, mapping, preview })}::jsonb, row_count = ${rowCount}, checked = null, checked_at = null, result = null
    where id = ${id} and org_id = ${orgId} and finished_at is null`
}

/** Only if it is still read as it was when the dry run began. */
export function storeChecked(
  db: Db,
  { orgId, id, source, mapping, checked, at }: Named & Reading & { checked: unknown; at: Date },
) {
  return run(db)`
    update import_drafts set checked = ${JSON.stringify(checked)}::jsonb, checked_at = ${at}
    where id = ${id} and org_id = ${orgId} and source = ${source}
      and mapping = ${JSON.stringify(mapping)}::jsonb`
}

export function storeProgress(db: Db, { orgId, id, doneRows, at }: Named & { doneRows: number; at: Date }) {
  return run(db)`
    update import_drafts set done_rows = ${doneRows}, run_at = coalesce(run_at, ${at}::timestamptz)
    where id = ${id} and org_id = ${orgId} and finished_at is null`
}

/**
 * With how it was read, whatever was chosen meanwhile: this is what was done. What is only told again has a part of the
 * rows, and never takes the place of all of them.
 */
export async function storeResult(
  db: Db,
  entry: Named & Reading & { result: unknown; at: Date; repeated: boolean },
): Promise<void> {
  const { orgId, id, source, mapping, result, at, repeated } = entry
  await run(db)`
    update import_drafts set result = ${JSON.stringify(result)}::jsonb, source = ${source},
      mapping = ${JSON.stringify(mapping)}::jsonb, run_at = coalesce(run_at, ${at}::timestamptz),
      finished_at = ${at}::timestamptz
    where id = ${id} and org_id = ${orgId} and (finished_at is null or not ${repeated}::boolean)`
}

export function deleteDraft(db: Db, { orgId, id }: Named) {
  return hasChanged(db)`
    delete from import_drafts where id = ${id} and org_id = ${orgId}`
}

export function deleteDraftsBefore(db: Db, before: Date) {
  return changed(db)`delete from import_drafts where created_at <= ${before}`
}
