/**
 * A draft is a file on its way into the catalog: stored when it is uploaded, then previewed, mapped and tried any number
 * of times, imported once. It is kept for a day, so that people can leave its pages and come back. What they show is made
 * once, when the file arrives or its settings change, and stored with it, so that viewing a page never reads the file.
 * Every part is bounded.
 */
import { z } from 'zod'
import { shorten } from '../lib/text.ts'
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

/** A name or cell of somebody's file in one line, with what looks like markup in it: they look for what they wrote. */
export function asWritten(text: string, max: number): string {
  return shorten(text.replaceAll(/[\s\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim(), max)
}

const CELL_FIXES: Record<string, string> = {
  price: 'write 49.99, or 49 - 59 for a range, in US dollars',
  specs: 'write Weight: 2 kg | Color: red, or give each spec a column',
  themes: 'leave it out, or write the JSON shown in the documentation',
  images: 'use full URLs, separated by |',
  where_to_buy: 'use full URLs, separated by |',
}

/* What is wrong with a row, said to somebody who looks at a sheet and not at JSON. */

/** The words of a problem follow the name of its field, unless they are a sentence of their own. */
export function problemOf({ field, problem }: Pick<DraftRow, 'field' | 'problem'>): string {
  return problem?.startsWith('there is ') ? problem : `${field ?? 'the row'} ${problem ?? ''}`.trim()
}

/** The contract's own advice is about JSON, and about tools. */
export function fixFor({ field, fix }: Pick<DraftRow, 'field' | 'fix'>, source: DraftSource): string {
  if (fix === null) return ''
  if (fix.includes('list_categories')) return "use one of the catalog's categories"
  const about = field?.split('.')[0] ?? ''
  return source !== 'jsonl' && /^write [[{]/.test(fix) ? (CELL_FIXES[about] ?? fix) : fix
}

const HEADER =
  'title,category,brand,model,price,list_price,gtin,mpn,sku,description,images,where_to_buy,best_for,spec:Weight,spec:Color'

export function sampleCsv(category: string): string {
  const rows = [
    `Example One,${category},Your Brand,One,49.99,59.99,4012345678901,YB-1,SKU-1,"Two sentences about it, as people read them.",https://shop.example/one-front.jpg | https://shop.example/one-back.jpg,https://shop.example/one,small rooms | beginners,1.2 kg,red`,
    `Example Two,${category},Your Brand,Two,79 - 99,,,YB-2,SKU-2,,,https://shop.example/two,,2 kg,`,
  ]
  return [HEADER, ...rows, ''].join('\r\n')
}
