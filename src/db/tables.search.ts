/** The tables of search: vectors, what was asked and answered, and what was clicked; part of `tables.ts`. */
import type { Generated } from 'kysely'
import type { Json } from './tables.ts'

export type SearchFace = 'rest' | 'web' | 'tools' | 'a2a' | 'ucp'

export type SearchAnswersTable = {
  id: string
  at: Date
  query: string
  filters: Json<Record<string, unknown>>
  face: SearchFace
  mode: 'semantic' | 'keyword'
  product_ids: string[]
  offset_by: number
  match: Generated<'good' | 'near' | 'none' | null>
  closest_id: Generated<string | null>
}

export type SearchQueriesTable = {
  id: string
  at: Date
  answer_id: string
  session_id: string | null
  ms: number
}

export type SearchRulesTable = {
  id: string
  kind: 'synonym' | 'pin' | 'boost'
  query: Generated<string>
  product_id: string | null
  brand_id: string | null
  category_id: string | null
  weight: number
  created_at: Generated<Date>
}

export type SearchTables = {
  search_answers: SearchAnswersTable
  search_rules: SearchRulesTable
  search_queries: SearchQueriesTable
}
