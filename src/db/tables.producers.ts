/** The tables of organizations and of what they say about products; part of `tables.ts`. */
import type { ColumnType, Generated } from 'kysely'
import type { Json } from './tables.ts'

export type OrgType = 'manufacturer' | 'retailer' | 'distributor'
export type OrgRole = 'owner' | 'admin' | 'editor' | 'viewer'

export type OrgsTable = {
  id: string
  name: string
  org_type: OrgType
  domain: string | null
  website_url: string | null
  shopify_shop: string | null
  verification_status: Generated<'pending' | 'verified'>
  verified_via: 'email_domain' | 'dns' | 'file' | 'operator' | null
  verified_at: Date | null
  verification_token: string
  deactivated_at: Date | null
  /** Comes with the demo catalog. */
  demo: Generated<boolean>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

export type OrgMembersTable = {
  org_id: string
  user_id: string
  role: OrgRole
  created_at: Generated<Date>
}

export type OrgInvitationsTable = {
  id: string
  org_id: string
  email: string
  email_key: string
  role: OrgRole
  token_hash: string
  invited_by: string | null
  created_at: Generated<Date>
  expires_at: Date
  accepted_at: Date | null
  revoked_at: Date | null
}

export type LinkTokensTable = {
  id: string
  org_id: string
  name: string
  token_hash: string
  hint: string
  created_by: string | null
  created_at: Generated<Date>
  last_used_at: Date | null
  revoked_at: Date | null
}

export type OrgRenamesTable = {
  org_id: string
  id: string
  name: string
  requested_by: string | null
  status: Generated<'pending' | 'declined'>
  note: string | null
  created_at: Generated<Date>
  decided_at: Date | null
}

export type AgentIntegrationsTable = {
  org_id: string
  is_managed: Generated<boolean>
  managed_rules: Json<Record<string, unknown>> | null
  agent_card_url: string | null
  auth_type: Generated<'none' | 'bearer' | 'hmac'>
  secret_box: string | null
  status: Generated<'pending' | 'active' | 'unreachable'>
  last_response_ms: number | null
  last_checked_at: Date | null
  failures_in_a_row: Generated<number>
  skip_until: Date | null
  pricing: ColumnType<Record<string, unknown>, string | undefined, string>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

export type RelationshipType = 'sells' | 'manufactured_by'

export type ProductRelationshipsTable = {
  id: string
  org_id: string
  product_id: string
  relationship_type: RelationshipType
  status: 'pending' | 'verified'
  verified_via: 'brand_domain' | 'shop_link' | 'operator' | null
  evidence_url: string | null
  created_at: Generated<Date>
  verified_at: Date | null
  /** Of claims that one confirmation made. */
  batch_id: Generated<string | null>
}

export type EnrichmentsTable = {
  id: string
  org_id: string
  product_id: string
  fields: Json<Record<string, unknown>>
  images: Json<unknown[]>
  evidence: Generated<string[]>
  note: string | null
  confirms_profile: Generated<boolean>
  status: Generated<'pending' | 'approved' | 'rejected' | 'withdrawn'>
  reviewed_by: string | null
  reviewed_at: Date | null
  review_note: string | null
  created_at: Generated<Date>
  from_import: Generated<boolean>
}

export type OffersTable = {
  id: string
  org_id: string
  product_id: string
  headline: string
  detail: string | null
  destination_url: string
  price_cents: number | null
  list_price_cents: number | null
  status: Generated<'draft' | 'active' | 'paused' | 'expired'>
  starts_at: Date | null
  expires_at: Date | null
  promo_code: string | null
  variant: string | null
  variant_name: string | null
  offer_types: Generated<string[]>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

export type ImportDraftsTable = {
  id: string
  org_id: string
  user_id: string | null
  file_name: string
  url: string | null
  source: 'csv' | 'google_feed' | 'shopify' | 'jsonl'
  content: Buffer
  row_count: number
  mapping: Json<Record<string, string>>
  preview: Json<Record<string, unknown>> | null
  checked: Json<Record<string, unknown>> | null
  done_rows: number | null
  result: Json<Record<string, unknown>> | null
  created_at: Generated<Date>
  checked_at: Date | null
  run_at: Date | null
  finished_at: Date | null
}

export type ProducerTables = {
  orgs: OrgsTable
  org_members: OrgMembersTable
  org_invitations: OrgInvitationsTable
  link_tokens: LinkTokensTable
  org_renames: OrgRenamesTable
  agent_integrations: AgentIntegrationsTable
  product_relationships: ProductRelationshipsTable
  enrichments: EnrichmentsTable
  offers: OffersTable
  import_drafts: ImportDraftsTable
}
