/**
 * The tables that the query builder and the types of rows (columns.ts) use; the migrations are the truth, and a test compares
 * the two. Most queries are SQL and need no type here.
 */
import type { Generated, JSONColumnType } from 'kysely'
import type { ProducerTables, RelationshipType } from './tables.producers.ts'
import type { SearchTables } from './tables.search.ts'

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

export type SubmissionStatus = 'pending' | 'approved' | 'rejected' | 'withdrawn'

export type ProductSubmissionsTable = {
  id: string
  org_id: string
  relationship_type: RelationshipType
  product: Json<Record<string, unknown>>
  product_url: string | null
  identity_key: string
  version: Generated<number>
  status: Generated<SubmissionStatus>
  product_id: string | null
  reviewed_by: string | null
  reviewed_at: Date | null
  review_note: string | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

export type ReadFace = 'tools' | 'a2a' | 'ucp' | 'web'

export type A2aProtocol = '0.3' | '1.0'

export type RfqPushesTable = {
  rfq_id: string
  id: string
  url: string
  protocol: A2aProtocol
  auth_scheme: string | null
  secrets_box: string | null
  created_at: Generated<Date>
}

export type QuestionState = 'input-required' | 'completed' | 'canceled'

export type A2aQuestionsTable = {
  id: string
  context_id: string
  user_id: string | null
  client_id: string | null
  asker_key: string | null
  message_id: string | null
  state: Generated<QuestionState>
  said: string
  reply: Json<Record<string, unknown>>
  push_box: string | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

export type BundleDaysTable = {
  user_id: string
  /** YYYY-MM-DD */
  day: string
  served: Generated<number>
  edited: Generated<number>
}

/** As it was when it was chosen. */
export type ChosenVariant = { id: string; name: string; sku: string | null; gtin: string | null }

export type RfqState = 'submitted' | 'completed' | 'canceled' | 'failed'

export type RfqsTable = {
  /** Also the buyer's A2A task: never told to a seller. */
  id: string
  /** The `rfq_id` of sellers and quotes; opens nothing. */
  session_id: Generated<string>
  context_id: string
  product_id: string
  quantity: number
  delivery_region: string | null
  deadline_iso: string | null
  variant: Json<ChosenVariant> | null
  face: 'tools' | 'a2a' | 'web'
  user_id: string | null
  client_id: string | null
  message_id: string | null
  asker_key: string | null
  state: Generated<RfqState>
  failure: string | null
  created_at: Generated<Date>
  finished_at: Date | null
  anonymous: Generated<boolean>
  pushes_sent: Generated<number>
  attempts_deleted: Generated<boolean>
  outcome: Json<Record<string, unknown>> | null
  chosen_quote_id: string | null
  chosen_at: Date | null
}

export type RfqAttemptsTable = {
  rfq_id: string
  org_id: string
  try: number
  kind: 'agent' | 'managed'
  endpoint: string | null
  auth_type: string | null
  request_headers: Json<Record<string, string>> | null
  request_body: string | null
  started_at: Date
  finished_at: Date | null
  response_status: number | null
  response_headers: Json<Record<string, string>> | null
  response_body: string | null
  response_ms: number | null
  verdict: string | null
  reason: string | null
  limited: boolean | null
}

export type SigningKeysTable = {
  kid: string
  public_jwk: Json<Record<string, string>>
  private_box: string
  created_at: Generated<Date>
  retired_at: Date | null
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
  product_submissions: ProductSubmissionsTable
  rfq_pushes: RfqPushesTable
  a2a_questions: A2aQuestionsTable
  bundle_days: BundleDaysTable
  rfqs: RfqsTable
  rfq_attempts: RfqAttemptsTable
  signing_keys: SigningKeysTable
}

export type Tables = CoreTables & SearchTables & ProducerTables
