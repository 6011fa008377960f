/** SQL of forms that were sent after their session had ended. */
import type { Db } from '../db/database.ts'
import { changed, hasChanged, one, run } from '../db/rows.ts'

type UnsavedForm = { id: string; box: string; now: Date; expiresAt: Date }

/** Of all nodes and callers together the newest `most` are kept, so that strangers cannot fill the table. */
export function insertUnsavedForm(db: Db, { id, box, now, expiresAt }: UnsavedForm, most: number) {
  return run(db)`
    with pushed_out as (
      delete from unsaved_forms where id in (
        select id from unsaved_forms order by created_at desc, id desc offset ${most - 1}))
    insert into unsaved_forms (id, box, created_at, expires_at) values (${id}, ${box}, ${now}, ${expiresAt})`
}

export function findUnsavedForm(db: Db, id: string, now: Date) {
  return one<{ box: string }>(db)`select box from unsaved_forms where id = ${id} and expires_at > ${now}`
}

export function deleteUnsavedForm(db: Db, id: string) {
  return hasChanged(db)`delete from unsaved_forms where id = ${id}`
}

export function deleteExpiredForms(db: Db, now: Date) {
  return changed(db)`delete from unsaved_forms where expires_at <= ${now}`
}
