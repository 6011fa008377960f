/** The tables of the A2A face, of bundles and of kept plans; part of `tables.ts`. */
import type { Generated } from 'kysely'
import type { Json } from './tables.ts'

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

export type A2aHoursTable = {
  network: string
  hour: Date
  messages: Generated<number>
}

export type BundleDaysTable = {
  user_id: string
  /** YYYY-MM-DD */
  day: string
  served: Generated<number>
  edited: Generated<number>
}

export type PlansTable = {
  id: string
  user_id: string
  revision: Generated<number>
  wish: Json<Record<string, unknown>>
  asked: Json<Record<string, unknown>>
  plan: Json<Record<string, unknown>>
  budget_cents: number | null
  total_cents: number
  created_at: Date
  updated_at: Date
}

export type PlanSharesTable = {
  id: string
  plan_id: string
  shared: Json<Record<string, unknown>>
  created_at: Date
  revoked_at: Date | null
}

export type PlanRequestsTable = {
  plan_id: string
  rfq_id: string
  line: string
  product_id: string
  quantity: number
  created_at: Date
}

export type AgentTables = {
  rfq_pushes: RfqPushesTable
  a2a_questions: A2aQuestionsTable
  a2a_hours: A2aHoursTable
  bundle_days: BundleDaysTable
  plans: PlansTable
  plan_shares: PlanSharesTable
  plan_requests: PlanRequestsTable
}
