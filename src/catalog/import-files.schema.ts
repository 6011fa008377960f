/**
 * A file that the operator brought for the catalog: stored once, previewed, re-read with other settings as needed,
 * checked and imported. What is said of it are its rules; what is seen of it, its look; what came of it, its result.
 * Every part is bounded, because a page shows it.
 */

import { z } from 'zod'
import type { Sample } from './import/csv-columns.ts'
import type { ImportFormat } from './import/rows.ts'
import type { Sheet } from './import-drafts.schema.ts'

export const FILE_BYTES = 200 * 1024 ** 2
export const PART_BYTES = 1024 ** 2
export const FILE_KEPT_MS = 86_400_000

const FILE_STATES = ['uploading', 'uploaded', 'checking', 'checked', 'importing', 'done', 'failed'] as const
export type FileState = (typeof FILE_STATES)[number]

/** What somebody says of a file. Null is for what is to be found out. */
export const FileRules = z.object({
  format: z.string().nullable().default(null),
  encoding: z.string().nullable().default(null),
  mapping: z.record(z.string(), z.string()).default({}),
  /** What amounts are in that name no currency. */
  currency: z.string().nullable().default(null),
  /** US dollars for one unit. */
  rates: z.record(z.string(), z.number()).default({}),
  /** Theirs, "Home > Kettles", to the slug of ours. */
  categories: z.record(z.string(), z.string()).default({}),
  makeNew: z.boolean().default(true),
  /** The slug of a category, for rows that name none. */
  defaultCategory: z.string().nullable().default(null),
  storeUrl: z.string().nullable().default(null),
  source: z.string().nullable().default(null),
  overwriteEdits: z.boolean().default(false),
  restoreDeleted: z.boolean().default(false),
})
export type FileRules = z.output<typeof FileRules>

export type ImportFile = {
  id: string
  fileName: string
  sizeBytes: number
  state: FileState
  rules: FileRules
  look: CatalogLook | null
  doneRows: number
  result: FileResult | null
  importId: string | null
  /** Of a source's run; null for one that somebody brought by hand. */
  sourceId: string | null
  /** It waits for a decision, and is kept until then. */
  held: boolean
  createdAt: Date
  updatedAt: Date
}

export const LOOK_BOUNDS = {
  rows: 5_000,
  products: 10,
  categories: 1_000,
  titled: 100,
  titles: 10,
  notices: 10,
  notes: 5,
  text: 300,
}

export type LookedProduct = { row: number; line: number } & (
  | {
      title: string
      brand: string | null
      /** The names of its category, outermost first. */
      path: string[]
      image: string | null
      variants: number
      /** As in the file; null for US dollars, and where there is no price. */
      original: { currency: string; low: number; high: number } | null
      lowCents: number | null
      highCents: number | null
      notes: Array<{ field: string | null; problem: string; fix: string }>
    }
  | { field: string | null; problem: string; fix: string }
)

/** What the start of a file looks like by its rules. */
export type CatalogLook = {
  /** Null when it is not known. */
  format: ImportFormat | null
  /** What its letters seem to be written in; null for what is packed. */
  encoding: string | null
  /** How many rows were read, and whether that is all of them. */
  rows: number
  isWhole: boolean
  refused: number
  products: LookedProduct[]
  categories: Array<{
    path: string[]
    rows: number
    /** Some of its titles, until they are compared. */
    titles?: string[]
    /** The slug of one of ours that holds such products, where it would be new. */
    likely?: string
  }>
  /** Further ones, which are not listed. */
  otherCategories: number
  /** Rows by what their amounts are in: a code, or a sign that several currencies share. */
  currencies: Record<string, number>
  /** What the file itself says, as it writes it. */
  saidCurrencies: string[]
  someSayNone: boolean
  /** What amounts that name no currency were taken for. */
  currency: string
  notices: string[]
  /** Why nothing can be read, in words. */
  problem: string | null
  /** Of a table only, with the rows that say what its columns mean. */
  sheet: (Sheet & { header: string[]; sample: Sample }) | null
}

const Counts = z.object({
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  /** Further rows of products that this import wrote already: their variants, and rows that come twice. */
  further: z.int().default(0),
  /** Rows of products that the operator deleted: they stay out. */
  deleted: z.int().default(0),
  failed: z.int(),
  /** Of the rows above: those that a number or a slug joined to a product that came from elsewhere. */
  joined: z.int(),
})
export type ImportCounts = z.output<typeof Counts>

const Line = z.object({
  line: z.int(),
  isRefusal: z.boolean(),
  id: z.string().nullable(),
  field: z.string().nullable(),
  value: z.string().nullable(),
  problem: z.string(),
  fix: z.string(),
})
export type ReportedLine = z.output<typeof Line>
export const REPORT_BOUNDS = { lines: 10_000, bytes: 3 * 1024 ** 2, categories: 200 }

const Group = z.object({
  /** The rows it tells of did not come in. */
  isRefusal: z.boolean(),
  field: z.string().nullable(),
  problem: z.string(),
  fix: z.string(),
  rows: z.int(),
  first: z.object({
    line: z.int(),
    item: z.int().nullable(),
    id: z.string().nullable(),
    value: z.string().nullable(),
  }),
})

export type ReportGroup = z.output<typeof Group>

const Category = z.object({
  slug: z.string(),
  label: z.string(),
  path: z.array(z.string()),
  rows: z.int(),
  isNew: z.boolean(),
})

export type CategoryCount = z.output<typeof Category>

const Joined = z.object({
  line: z.int(),
  id: z.string().nullable(),
  slug: z.string(),
  by: z.enum(['slug', 'gtin', 'mpn']),
})
export type JoinedRow = z.output<typeof Joined>

const Twin = z.object({ slug: z.string(), other: z.string(), title: z.string() })
export type Twin = z.output<typeof Twin>

/** What a check or an import said in the end. */
const Said = z.object({
  dryRun: z.boolean(),
  counts: Counts,
  notes: z.int(),
  resumedAfterRow: z.int(),
  /** New ones first. */
  categories: z.array(Category),
  newCategories: z.int(),
  joinedRows: z.array(Joined),
  twins: z.object({ total: z.int(), twins: z.array(Twin) }),
  groups: z.array(Group),
  /** Rows whose faults are in no group. */
  others: z.int(),
  /** How many rows of the report are kept, and how many are not. */
  lines: z.int(),
  linesLeft: z.int(),
})
export type FileSaid = z.output<typeof Said>

/** While it runs, and when it could not end. */
export const FileResult = z.object({
  progress: z.object({ counts: Counts, bytes: z.number() }).optional(),
  /** Why it stopped. */
  problem: z.string().optional(),
  said: Said.optional(),
})
export type FileResult = z.output<typeof FileResult>
