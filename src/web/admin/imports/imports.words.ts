/** The words and addresses of the import's pages. */
import { fixFor } from '../../../catalog/import-drafts.schema.ts'
import type { FileState, ImportFile } from '../../../catalog/import-files.schema.ts'
import type { ImportRecord } from '../../../catalog/import-undo.service.ts'
import type { Tone } from '../../kit/parts.tsx'
import { IMPORTS } from '../paths.ts'

export const NEW_IMPORT = `${IMPORTS}/new`

export function filePath({ id }: Pick<ImportFile, 'id'>): string {
  return `${NEW_IMPORT}/${id}`
}

export function batchPath({ id }: Pick<ImportRecord, 'id'>): string {
  return `${IMPORTS}/${id}`
}

const FORMAT_WORDS: Readonly<Record<string, string>> = {
  csv: 'Table (CSV or TSV)',
  google: 'Google Merchant feed',
  shopify: 'Shopify export',
  jsonl: 'JSONL, one product a line',
}

/** A format that is newer than these words has its name. */
export function formatWords(format: string): string {
  return FORMAT_WORDS[format] ?? format
}

export const ENCODINGS = [
  ['utf-8', 'UTF-8'],
  ['windows-1252', 'Western European (Windows-1252)'],
  ['iso-8859-15', 'Western European (ISO 8859-15)'],
  ['windows-1250', 'Central European (Windows-1250)'],
  ['windows-1251', 'Cyrillic (Windows-1251)'],
  ['utf-16le', 'UTF-16'],
  ['shift_jis', 'Japanese (Shift JIS)'],
  ['gb18030', 'Chinese (GB 18030)'],
] as const

export const FILE_WORDS: Record<FileState, { words: string; tone: Tone }> = {
  uploading: { words: 'Uploading', tone: 'quiet' },
  uploaded: { words: 'Not checked yet', tone: 'quiet' },
  checking: { words: 'Being checked', tone: 'mixed' },
  checked: { words: 'Checked, not imported', tone: 'mixed' },
  importing: { words: 'Being imported', tone: 'mixed' },
  done: { words: 'Imported', tone: 'good' },
  failed: { words: 'Stopped', tone: 'bad' },
}

export const BATCH_WORDS: Record<ImportRecord['state'], { words: string; tone: Tone }> = {
  running: { words: 'Not finished', tone: 'mixed' },
  done: { words: 'Done', tone: 'good' },
  undone: { words: 'Undone', tone: 'quiet' },
}

/** Services write for the command and for tools too: options and JSON mean nothing here. */
export function inPageWords(
  fix: string,
  about: { field: string | null; format: string | null } | null = null,
): string {
  const rate = /--rate ([A-Z]{3})/.exec(fix)?.[1]
  if (rate) return `give a rate for ${rate} under “Prices”`
  if (fix.includes('--currency')) return 'choose the currency under “Prices”'
  if (fix.includes('--categories FILE')) return 'choose one of yours under “Categories”'
  if (about && about.format !== 'jsonl') return fixFor({ field: about.field, fix }, 'csv')
  return fix
    .replace(/import the same file again (when that is put right), .*/, 'go on $1')
    .replace('check again when', 'check it again when')
}

export function sizeWords(bytes: number): string {
  if (bytes < 1024 ** 2) return `${Math.max(1, Math.round(bytes / 1024)).toLocaleString('en-US')} KB`
  return `${(bytes / 1024 ** 2).toLocaleString('en-US', { maximumFractionDigits: 1 })} MB`
}

/** "49.9 EUR", as in the file. */
export function amountWords({
  currency,
  low,
  high,
}: {
  currency: string
  low: number
  high: number
}): string {
  const written = (amount: number) =>
    amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  return `${low === high ? written(low) : `${written(low)} – ${written(high)}`} ${currency}`
}
