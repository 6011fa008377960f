/**
 * What a producer may import and what they hear of it. The result is stored as it is told, so that the same key can be
 * given the same answer.
 */
import { z } from 'zod'
import { atMost } from './bounded-input.ts'
import type { ImportFormat } from './import/rows.ts'
import { MAX_COLUMNS } from './import/rows.ts'

export const MAX_IMPORT_ROWS = 2_000
/** As text within a call. */
export const MAX_CONTENT_BYTES = 4 * 1024 * 1024
/** Uploaded, or read from an address; packed or not. */
export const MAX_FILE_BYTES = 20 * 1024 * 1024
/** Row results told at once; more would fill a model's context. */
export const LISTED_ROWS = 100

/** Each is looked for among the columns. */
const MAX_MAPPED = MAX_COLUMNS

const SOURCES = ['csv', 'google_feed', 'shopify', 'jsonl'] as const
export const SOURCE_FORMATS: Record<(typeof SOURCES)[number], ImportFormat> = {
  csv: 'csv',
  google_feed: 'google',
  shopify: 'shopify',
  jsonl: 'jsonl',
}

/** The tool `import_products`. */
export const ImportRequest = z.object({
  source: z.enum(SOURCES).describe('csv: any sheet with a header line; jsonl: one product per line'),
  url: z.string().trim().min(1).max(2_000).optional().describe('https URL of the file; or send content'),
  content: z
    .string()
    .min(1)
    .max(MAX_CONTENT_BYTES)
    .optional()
    .describe('The file itself, at most 4 MB; or send url'),
  mapping: atMost(MAX_MAPPED, z.record(z.string().max(100), z.string().max(200)))
    .optional()
    .describe(
      'csv only: our field to your column, {"title": "Artikel", "spec:Weight": "kg"}; images:2 for one more column, ignore:1 to leave one out',
    ),
  dry_run: z.boolean().default(true).describe('true: only show what would happen. false: do it'),
  idempotency_key: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe(
      'Any text: repeating a call with the same key imports once and returns the same answer. Ignored in a dry run',
    ),
})
export type ImportRequest = z.output<typeof ImportRequest>

export const OUTCOMES = ['submitted', 'claimed', 'proposed', 'unchanged', 'failed'] as const
export type ImportOutcome = (typeof OUTCOMES)[number]

const ImportedRow = z.object({
  row: z.int(),
  line: z.int().describe('Line of the file where it starts'),
  outcome: z.enum(OUTCOMES),
  product_slug: z.string().nullable().describe('The product it matches'),
  field: z.string().nullable(),
  problem: z.string().nullable(),
  fix: z.string().nullable(),
  note: z.string().nullable(),
})
export type ImportedRow = z.output<typeof ImportedRow>

export const ImportResult = z.object({
  dry_run: z.boolean().describe('True: nothing was changed'),
  rows_read: z.int(),
  submitted: z.int().describe('New products, proposed for review'),
  claimed: z.int().describe('Known products, claimed'),
  proposed: z.int().describe('Known products, changes proposed for review'),
  unchanged: z.int(),
  failed: z.int(),
  rows: z.array(ImportedRow).describe('At most 100, failed ones first'),
  rows_left_out: z.int(),
  notices: z.array(z.string()).describe('About the file as a whole'),
})
export type ImportResult = z.output<typeof ImportResult>
