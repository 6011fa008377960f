/** The tables as the code sees them; the migrations are the truth, and a test compares the two. */
import type { Generated, JSONColumnType } from 'kysely'

type Json<T> = JSONColumnType<T & object, string, string>

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

export type ChangesTable = {
  seq: Generated<number>
  xid: Generated<string>
  at: Generated<Date>
  product_id: string | null
  category_id: string | null
  aspect: ChangeAspect
  before: unknown
  after: unknown
}

export type CategoriesTable = {
  id: string
  slug: string
  label: string
  description: Generated<string>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

export type BrandsTable = {
  id: string
  key: string
  name: string
  domain: string | null
  created_at: Generated<Date>
}

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
  verification_status: Generated<string>
  provenance: Json<Record<string, unknown>>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

export type ImportsTable = {
  id: string
  fingerprint: string
  source: string
  state: Generated<string>
  last_row: Generated<number>
  counts: Json<Record<string, number>>
  started_at: Generated<Date>
  updated_at: Generated<Date>
}

export type SettingsTable = {
  name: string
  value: unknown
  updated_at: Generated<Date>
}

export type ProductVectorsTable = {
  product_id: string
  model: string
  text_hash: Buffer
  full_vector: Buffer
  short_vector: Buffer
  source_updated_at: Date
}

export type Tables = {
  jobs: JobsTable
  changes: ChangesTable
  categories: CategoriesTable
  brands: BrandsTable
  products: ProductsTable
  imports: ImportsTable
  settings: SettingsTable
  product_vectors: ProductVectorsTable
}
