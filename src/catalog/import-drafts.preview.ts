/**
 * What pages show of a file: how its first rows are read and what its columns are. Made once, when the file comes or is
 * read in another way, and kept with it, so that looking at a page never reads the file. Every part is bounded.
 */
import { z } from 'zod'

const SHOWN_ROWS = 5
const MOST_NOTICES = 10
/** A sheet of more is somebody's whole system; its other columns are read by their names. */
const MOST_COLUMNS = 120

export const PREVIEW_BOUNDS = { rows: SHOWN_ROWS, notices: MOST_NOTICES, columns: MOST_COLUMNS }

const place = { row: z.int(), line: z.int() }

const ReadRow = z.object({
  ...place,
  title: z.string(),
  brand: z.string().nullable(),
  category: z.string(),
  /** "GTIN 4006381333931" and the like. */
  numbers: z.array(z.string()),
  lowCents: z.int().nullable(),
  highCents: z.int().nullable(),
})
const RefusedRow = z.object({
  ...place,
  title: z.string().nullable(),
  field: z.string().nullable(),
  problem: z.string(),
  fix: z.string(),
})

const SheetColumn = z.object({
  index: z.int(),
  name: z.string(),
  /** The first cell that says something. */
  sample: z.string(),
  /** As in `readingOf`. */
  reading: z.string(),
  /** False for a name that is no name, or another's too: it is read as it was guessed. */
  mappable: z.boolean(),
})
export type SheetColumn = z.output<typeof SheetColumn>

const Sheet = z.object({
  /** The first of them. */
  columns: z.array(SheetColumn),
  columnCount: z.int(),
  unusedCount: z.int(),
  /** Fields that every product needs and that no column holds. */
  missing: z.array(z.string()),
})
export type Sheet = z.output<typeof Sheet>

export const Preview = z.object({
  rows: z.array(z.union([ReadRow, RefusedRow])),
  notices: z.array(z.string()),
  /** Why nothing can be read, in words. */
  problem: z.string().nullable(),
  /** Of a CSV file only. */
  sheet: Sheet.nullable(),
})
export type Preview = z.output<typeof Preview>
export type PreviewRow = Preview['rows'][number]
