/** The tables of notices by email; part of `tables.ts`. */
import type { Generated } from 'kysely'
import type { Json } from './tables.ts'

export type NoticesTable = {
  id: Generated<string>
  user_id: string
  org_id: string | null
  kind: string
  key: string
  payload: Json<Record<string, unknown>>
  daily: Generated<boolean>
  created_at: Date
  due_at: Date
  sent_at: Date | null
}

export type NoticeSettingsTable = {
  user_id: string
  kinds: Json<Record<string, boolean>>
  digest: Generated<'instant' | 'daily'>
  quiet_from: number | null
  quiet_to: number | null
  time_zone: Generated<string>
  updated_at: Generated<Date>
}

export type NoticeTables = {
  notices: NoticesTable
  notice_settings: NoticeSettingsTable
}
