/** The tables of requests for quote and of what prices them; part of `tables.ts`. */
import type { Generated } from 'kysely'
import type { Json } from './tables.ts'

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

export type RfqTables = {
  rfqs: RfqsTable
  rfq_attempts: RfqAttemptsTable
  signing_keys: SigningKeysTable
}
