/** The tables of sources; part of `tables.ts`. */
import type { Generated } from 'kysely'
import type { Json } from './tables.ts'

export type SourcesTable = {
  id: string
  org_id: string | null
  name: string
  key: string
  kind: 'url' | 'file'
  url: string | null
  path: string | null
  auth: Generated<'none' | 'basic' | 'bearer' | 'header'>
  credentials_box: string | null
  rules: Json<Record<string, unknown>>
  gone: Generated<'keep' | 'discontinue' | 'remove'>
  every_minutes: number | null
  paused: Generated<boolean>
  stopped: string | null
  etag: string | null
  last_modified: string | null
  content_hash: string | null
  good_rows: number | null
  rejected_hash: string | null
  failures: Generated<number>
  next_run_at: Date | null
  run_by: string | null
  created_at: Date
  updated_at: Date
}

export type SourceRunsTable = {
  id: string
  source_id: string
  state: 'running' | 'waiting' | 'ended'
  outcome: 'changed' | 'unchanged' | 'checked' | 'shrunk' | 'rejected' | 'replaced' | 'failed' | null
  dry_run: Generated<boolean>
  approved: Generated<boolean>
  actor_kind: 'user' | 'operator' | 'system'
  actor_id: string | null
  file_id: string | null
  import_id: string | null
  etag: string | null
  last_modified: string | null
  content_hash: string | null
  bytes: string | null
  rows: number | null
  counts: Json<Record<string, unknown>>
  message: string | null
  fix: string | null
  report: Json<Record<string, unknown>>
  started_at: Date
  ended_at: Date | null
}

export type FeedProductsTable = {
  source: string
  product_id: string
  pass: Generated<string>
  gone_at: Date | null
  gone_as: 'keep' | 'discontinue' | 'remove' | null
}

export type SourceTables = {
  sources: SourcesTable
  source_runs: SourceRunsTable
  feed_products: FeedProductsTable
}
