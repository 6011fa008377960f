/** The tables that came with the tool server; part of `tables.ts`. */
import type { Generated } from 'kysely'
import type { RelationshipType } from './tables.producers.ts'
import type { Json } from './tables.ts'

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

export type ToolTables = {
  product_submissions: ProductSubmissionsTable
}
