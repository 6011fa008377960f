/**
 * A draft is a file on its way into the catalog: stored when it is uploaded, looked at, mapped and tried as often as its
 * owners like, imported once. It is kept for a day, so that the pages which tell of it can be left and come back to.
 */
import { z } from 'zod'
import type { ImportFormat } from './import/rows.ts'
import { type ImportRequest, ImportResult, SOURCE_FORMATS } from './producer-import.schema.ts'

export const MOST_DRAFTS = 5
export const DRAFT_KEPT_MS = 86_400_000

export type DraftSource = ImportRequest['source']
export const DRAFT_SOURCES = Object.keys(SOURCE_FORMATS) as [DraftSource, ...DraftSource[]]

/** Null for a format that producers do not send. The sheets of other shops are sheets. */
export function sourceOf(format: ImportFormat): DraftSource | null {
  if (format === 'woocommerce' || format === 'magento' || format === 'bigcommerce') return 'csv'
  return DRAFT_SOURCES.find((source) => SOURCE_FORMATS[source] === format) ?? null
}

const Row = ImportResult.shape.rows.element.extend({ title: z.string().nullable() })

/** What a dry run or an import of a draft said, with every row of it. */
export const DraftResult = ImportResult.omit({ rows_left_out: true }).extend({ rows: z.array(Row) })
export type DraftResult = z.output<typeof DraftResult>
export type DraftRow = DraftResult['rows'][number]

/** The mapping of the tool: our field to their column. */
export type Mapping = Record<string, string>

export type Draft = {
  id: string
  fileName: string
  url: string | null
  source: DraftSource
  rowCount: number
  mapping: Mapping
  createdAt: Date
  checkedAt: Date | null
  /** When rows of it were first written. */
  runAt: Date | null
  /** How many rows an import that has not finished came through. */
  doneRows: number | null
  finishedAt: Date | null
}
