/** The words of the import's pages: formats, fields, outcomes. */
import type { ColumnField } from '../../../catalog/import/csv-columns.ts'
import type { Draft, DraftSource } from '../../../catalog/import-drafts.schema.ts'
import type { ImportOutcome } from '../../../catalog/producer-import.schema.ts'
import type { Tone } from '../../kit/parts.tsx'
import { IMPORT_PATH } from '../paths.ts'

export const SAMPLE_PATH = `${IMPORT_PATH}/sample.csv`

export const SOURCE_WORDS: Record<DraftSource, string> = {
  csv: 'CSV or TSV',
  google_feed: 'Google product feed (XML, TSV or CSV)',
  shopify: 'Shopify product export',
  jsonl: 'JSONL, one product a line',
}

type Words = { label: string; about: string }

export const FIELD_WORDS: Record<ColumnField, Words> = {
  title: { label: 'Title', about: 'Every product needs one.' },
  category: { label: 'Category', about: 'Every product needs one: its name or slug in this catalog.' },
  brand: { label: 'Brand', about: 'The name of the brand alone.' },
  brand_domain: { label: 'Brand domain', about: 'acme.example' },
  model: { label: 'Model', about: 'The name or number of the model.' },
  description: { label: 'Description', about: 'Plain text or simple HTML, up to 5,000 characters.' },
  verdict: { label: 'Verdict', about: 'One sentence on who it is for.' },
  price: { label: 'Price', about: '49.99, or 49 - 59 for a range. US dollars.' },
  sale_price: { label: 'Sale price', about: 'What it costs now, if less than the price.' },
  full_price: { label: 'Regular price', about: 'What it costs without a sale.' },
  price_low: { label: 'Lowest price', about: 'Of a range.' },
  price_high: { label: 'Highest price', about: 'Of a range.' },
  list_price: { label: 'List price', about: 'What the manufacturer suggests.' },
  gtin: { label: 'GTIN, EAN or UPC', about: 'The digits under the bar code.' },
  mpn: { label: 'Manufacturer part number', about: 'As the manufacturer writes it.' },
  id: { label: 'Id', about: 'What your shop calls it, when that is not the SKU.' },
  group: { label: 'Product group', about: 'The same for all variants of one product.' },
  currency: { label: 'Currency', about: 'USD. Other currencies are not taken.' },
  sku: { label: 'SKU', about: 'Your own number of it.' },
  slug: { label: 'Slug', about: 'The last part of its address here, if you know it.' },
  images: { label: 'Images', about: 'https addresses, with a | between several.' },
  where_to_buy: { label: 'Where to buy', about: 'The address of its page in your shop.' },
  specs: { label: 'All specs', about: 'Weight: 2 kg | Color: red. Or a column for each: spec:Weight.' },
  best_for: { label: 'Best for', about: 'small rooms | beginners' },
  not_for: { label: 'Not for', about: 'As for “Best for”.' },
  rating: { label: 'Rating', about: 'From 0 to 5.' },
  review_count: { label: 'Number of reviews', about: 'A whole number.' },
  themes: { label: 'Review themes', about: 'JSON, as the documentation describes it.' },
  released: { label: 'Released', about: '2025, 2025-03 or 2025-03-14.' },
  discontinued: { label: 'Discontinued', about: 'Yes or no.' },
}

export const OUTCOME_WORDS: Record<ImportOutcome, { one: string; tone: Tone; note: string }> = {
  submitted: { one: 'New product', tone: 'good', note: 'proposed, reviewed before anybody sees it' },
  claimed: { one: 'Claim', tone: 'good', note: 'in the catalog; you ask to be related to it' },
  proposed: { one: 'Change', tone: 'good', note: 'in the catalog; what differs is reviewed' },
  unchanged: { one: 'Unchanged', tone: 'quiet', note: 'nothing to do' },
  failed: { one: 'Failed', tone: 'bad', note: 'nothing is done with these rows' },
}

export type Stage = 'new' | 'checked' | 'running' | 'stopped' | 'done'

/** `busy`: an import of the organization runs, which is this one if it has begun and not finished. */
export function stageOf(draft: Draft, busy: boolean): Stage {
  if (draft.finishedAt) return 'done'
  if (draft.doneRows !== null) return busy ? 'running' : 'stopped'
  return draft.checkedAt ? 'checked' : 'new'
}

export const STAGE_WORDS: Record<Stage, { words: string; tone: Tone }> = {
  new: { words: 'Not checked yet', tone: 'quiet' },
  checked: { words: 'Checked, not imported', tone: 'mixed' },
  running: { words: 'Importing', tone: 'mixed' },
  stopped: { words: 'Stopped on the way', tone: 'bad' },
  done: { words: 'Imported', tone: 'good' },
}
