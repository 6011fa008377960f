/** The tables of search; part of `tables.ts`. */
import type { Generated } from 'kysely'

export type SearchFace = 'rest' | 'web' | 'tools' | 'a2a' | 'ucp'

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
  search_rules: SearchRulesTable
}
