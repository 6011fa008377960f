/**
 * A source: where products come from again and again, with all that is known of how to read it. The operator's sources
 * write to the catalog; a seller's make proposals, as their imports do. A run is one attempt at it, with what it came to.
 */
import { z } from 'zod'
import type { AuditActor } from '../accounts/audit.service.ts'
import { GONE, type Gone } from '../catalog/feed.service.ts'
import type { FileRules } from '../catalog/import-files.schema.ts'

export { GONE, type Gone }

export const AUTHS = ['none', 'basic', 'bearer', 'header'] as const
export type Auth = (typeof AUTHS)[number]

export const MAX_NAME = 100
export const MAX_URL = 2_000
const MAX_SECRET = 4_000
/** From a quarter of an hour to thirty days. */
export const INTERVALS = [15, 30, 60, 180, 360, 720, 1_440, 4_320, 10_080, 43_200] as const
/** A seller's address is a stranger's, fetched for nothing. */
export const SELLER_INTERVALS = INTERVALS.filter((minutes) => minutes >= 60)
export const MOST_SOURCES = { operator: 200, seller: 5 }
export const RUNS_KEPT = 50

/** A feed that has lost more than this part waits for a person. */
export const MOST_MISSING = 0.3

/** What the outcome of a run is called in the database; pages and the command line have words for it. */
export const OUTCOMES = [
  'changed',
  'unchanged',
  'checked',
  'shrunk',
  'rejected',
  'replaced',
  'failed',
] as const
export type Outcome = (typeof OUTCOMES)[number]

export const RunCounts = z.object({
  created: z.int().default(0),
  updated: z.int().default(0),
  unchanged: z.int().default(0),
  failed: z.int().default(0),
  /** No longer in the file. */
  gone: z.int().default(0),
  discontinued: z.int().default(0),
  removed: z.int().default(0),
  /** In the file again. */
  returned: z.int().default(0),
  /** Of a seller's rows. */
  submitted: z.int().default(0),
  claimed: z.int().default(0),
  proposed: z.int().default(0),
  /** The products or rows that the file before had; of a run that waits. */
  known: z.int().default(0),
})
export type RunCounts = z.output<typeof RunCounts>

export type Run = {
  id: string
  sourceId: string
  state: 'running' | 'waiting' | 'ended'
  outcome: Outcome | null
  dryRun: boolean
  approved: boolean
  actor: AuditActor
  fileId: string | null
  importId: string | null
  etag: string | null
  lastModified: string | null
  contentHash: string | null
  bytes: number | null
  rows: number | null
  counts: RunCounts
  message: string | null
  fix: string | null
  /** What is wrong with rows, in sentences. */
  report: string[]
  startedAt: Date
  endedAt: Date | null
}

export type Source = {
  id: string
  /** Null: the operator's. */
  orgId: string | null
  name: string
  key: string
  kind: 'url' | 'file'
  url: string | null
  path: string | null
  auth: Auth
  rules: FileRules
  gone: Gone
  everyMinutes: number | null
  paused: boolean
  stopped: string | null
  etag: string | null
  lastModified: string | null
  contentHash: string | null
  goodRows: number | null
  rejectedHash: string | null
  failures: number
  nextRunAt: Date | null
  runBy: string | null
  createdAt: Date
  updatedAt: Date
}

/** With its newest run, the newest that took a file, and the one that waits. */
export type SourceView = Source & { last: Run | null; lastGood: Run | null; waiting: Run | null }

const name = z
  .string()
  .trim()
  .min(1)
  .max(MAX_NAME)
  .refine((text) => !/[\p{C}\p{Zl}\p{Zp}]/u.test(text), 'must be one line of ordinary characters')

const url = z
  .string()
  .trim()
  .max(MAX_URL)
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'must be an https address')
  .refine((text) => {
    const parsed = URL.parse(text)
    return parsed === null || (parsed.username === '' && parsed.password === '')
  }, 'must not contain a password; enter it under Credentials')

/** What somebody says of a source. Its way of reading is said of its files. */
export const SourceInput = z.object({
  name,
  /** Null: a file that somebody brings. */
  url: url.nullable().default(null),
  auth: z.enum(AUTHS).default('none'),
  /** `user:password`, a token, or `Name: value`. Null keeps what there is. */
  credentials: z.string().min(1).max(MAX_SECRET).nullable().default(null),
  gone: z.enum(GONE).default('keep'),
  every_minutes: z.coerce.number().int().min(15).max(43_200).nullable().default(null),
})
export type SourceInput = z.output<typeof SourceInput>
