/**
 * The tables that the query builder and the types of rows (columns.ts) use; the migrations are the truth, and a test compares
 * the two. Most queries are SQL and need no type here.
 */
import type { Generated, JSONColumnType } from 'kysely'
import type { AgentTables } from './tables.agents.ts'
import type { ProducerTables } from './tables.producers.ts'
import type { RfqTables } from './tables.rfq.ts'
import type { SearchTables } from './tables.search.ts'
import type { ToolTables } from './tables.tools.ts'

export type Json<T> = JSONColumnType<T & object, string, string>

export type JobState = 'waiting' | 'running' | 'done' | 'failed'

export type JobsTable = {
  id: string
  kind: string
  payload: Json<Record<string, unknown>>
  dedupe_key: string | null
  state: Generated<JobState>
  attempts: Generated<number>
  max_attempts: number
  run_at: Generated<Date>
  lease_id: string | null
  lease_until: Date | null
  last_error: string | null
  created_at: Generated<Date>
  finished_at: Date | null
}

export type ChangeAspect =
  | 'created'
  | 'price'
  | 'offers'
  | 'availability'
  | 'discontinued'
  | 'text'
  | 'removed'
  | 'embedded'
  | 'sellers'

export type ProductsTable = {
  id: string
  slug: string
  category_id: string
  brand_id: string | null
  title: string
  model: string | null
  description: string | null
  verdict: string | null
  specs: Json<unknown[]>
  themes: Json<unknown[]>
  best_for: Generated<string[]>
  not_for: Generated<string[]>
  images: Json<unknown[]>
  where_to_buy: Json<unknown[]>
  price_low_cents: number | null
  price_high_cents: number | null
  list_price_cents: number | null
  rating: number | null
  review_count: number | null
  released: string | null
  discontinued: Generated<boolean>
  gtin: string | null
  mpn: string | null
  sku: string | null
  variants: Json<unknown[]>
  version: Generated<number>
  hidden_at: Date | null
  verification_status: Generated<string>
  provenance: Json<Record<string, unknown>>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

export type AccountType = 'consumer' | 'producer'

export type UsersTable = {
  id: string
  email: string
  email_key: string
  name: Generated<string>
  password_hash: string | null
  email_verified_at: Date | null
  account_type: Generated<AccountType>
  is_admin: Generated<boolean>
  deactivated_at: Date | null
  /** Comes with the demo sellers; nobody real. */
  demo: Generated<boolean>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

export type SessionsTable = {
  id: string
  token_hash: string
  user_id: string
  selected_org_id: string | null
  ip: string | null
  user_agent: string | null
  created_at: Generated<Date>
  last_seen_at: Generated<Date>
  expires_at: Date
}

export type MailTokensTable = {
  id: string
  token_hash: string
  purpose: 'verify' | 'magic' | 'reset'
  email: string
  user_id: string | null
  return_to: string | null
  created_at: Generated<Date>
  expires_at: Date
  used_at: Date | null
  browser_hash: string | null
}

export type AuditLogTable = {
  id: string
  at: Generated<Date>
  actor_kind: 'user' | 'link_token' | 'operator' | 'system'
  actor_id: string | null
  user_id: string | null
  org_id: string | null
  action: string
  detail: Json<Record<string, unknown>>
  ip: string | null
  request_id: string | null
}

export type OauthGrantsTable = {
  id: string
  user_id: string
  client_id: string
  client_name: string
  client_host: string
  scope: string
  redirect_uris: string[]
  created_at: Generated<Date>
  last_used_at: Generated<Date>
  revoked_at: Date | null
}

export type OauthFamiliesTable = {
  id: string
  grant_id: string
  user_id: string
  org_id: string | null
  client_id: string
  scope: string
  resource: string | null
  created_at: Generated<Date>
  revoked_at: Date | null
  revoked_reason: string | null
}

export type OauthCodesTable = {
  code_hash: string
  family_id: string
  redirect_uri: string
  code_challenge: string
  expires_at: Date
  used_at: Date | null
}

export type OauthRefreshTokensTable = {
  token_hash: string
  family_id: string
  created_at: Generated<Date>
  expires_at: Date
  rotated_at: Date | null
}

export type OauthTraceTable = {
  id: string
  at: Generated<Date>
  client_id: string | null
  step: string
  outcome: 'ok' | 'refused' | 'failed'
  reason: string | null
  detail: Json<Record<string, unknown>>
  ip: string | null
  user_agent: string | null
  request_id: string | null
}

export type CoreTables = {
  jobs: JobsTable
  products: ProductsTable
  users: UsersTable
  sessions: SessionsTable
  mail_tokens: MailTokensTable
  audit_log: AuditLogTable
  oauth_grants: OauthGrantsTable
  oauth_families: OauthFamiliesTable
  oauth_codes: OauthCodesTable
  oauth_refresh_tokens: OauthRefreshTokensTable
  oauth_trace: OauthTraceTable
}

export type Tables = CoreTables & SearchTables & ProducerTables & RfqTables & AgentTables & ToolTables
