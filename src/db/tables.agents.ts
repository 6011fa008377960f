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

export type BundleDaysTable = {
  user_id: string
  /** YYYY-MM-DD */
  day: string
  served: Generated<number>
  edited: Generated<number>
}

export type AgentTables = {
  rfq_pushes: RfqPushesTable
  a2a_questions: A2aQuestionsTable
  bundle_days: BundleDaysTable
}
