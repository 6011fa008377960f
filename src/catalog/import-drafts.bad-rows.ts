/**
 * The rows that failed, to be mended and brought again. Of a sheet they are as they were, under the same header and
 * behind two columns of ours that say what is wrong; the reader passes those two over. Of other formats, whose records
 * are no lines, a list of what is wrong where.
 */
import type { Caller } from '../orgs/producer.ts'
import { isOwnColumn, OWN_COLUMNS } from './import/csv-columns.ts'
import { withGuard, withoutGuard } from './import/guarded-cells.ts'
import { delimiterOf } from './import/read-rows.ts'
import { type Content, readSheet } from './import-drafts.reading.ts'
import type { DraftRow, DraftSource } from './import-drafts.schema.ts'
import { getDraftResult, openDraft } from './import-drafts.service.ts'
import { fixFor, problemOf } from './import-drafts.words.ts'
import type { ProducerImportContext } from './producer-import.service.ts'

/** Spreadsheets take a file for UTF-8 by this. */
const BYTE_ORDER_MARK = '\ufeff'

/** Null when no row failed, or nothing was tried yet. */
export async function writeBadRows(
  ctx: ProducerImportContext,
  caller: Caller,
  id: string,
): Promise<{ fileName: string; text: string } | null> {
  const { draft, content } = await openDraft(ctx, caller, id)
  const result = await getDraftResult(ctx, caller, id)
  const failed = result?.rows.filter(({ outcome }) => outcome === 'failed') ?? []
  if (failed.length === 0) return null
  const lines = draft.source === 'csv' ? await sheetLines(content, failed) : listLines(failed, draft.source)
  const delimiter = draft.source === 'csv' ? delimiterOf(await startOf(content)) : ','
  const text = lines.map((cells) => cells.map((cell) => quoted(cell, delimiter)).join(delimiter))
  const stem = draft.fileName.replace(/(\.[a-z]+)?(\.gz)?$/i, '').replaceAll(/[^\w.-]+/g, '-') || 'file'
  return { fileName: `${stem}-bad-rows.csv`, text: `${BYTE_ORDER_MARK}${text.join('\r\n')}\r\n` }
}

async function startOf(content: Content): Promise<Uint8Array> {
  for await (const piece of content()) return piece.subarray(0, 64 * 1024)
  return new Uint8Array()
}

async function sheetLines(content: Content, failed: readonly DraftRow[]): Promise<string[][]> {
  const problems = new Map(failed.map((row) => [row.row, row]))
  const lines: string[][] = []
  let own: ReadonlySet<number> = new Set()
  let row = -1
  for await (const read of readSheet(content)) {
    row++
    // What stood guarded in their file is not guarded twice.
    const cells = ('cells' in read ? read.cells : (read.found ?? [])).map(withoutGuard)
    if (row === 0) own = new Set(cells.flatMap((name, column) => (isOwnColumn(name) ? [column] : [])))
    const theirs = cells.filter((_, column) => !own.has(column))
    const bad = problems.get(row)
    if (row === 0) lines.push([...OWN_COLUMNS, ...theirs])
    else if (bad) lines.push([problemOf(bad), fixFor(bad, 'csv'), ...theirs])
  }
  return lines
}

function listLines(failed: readonly DraftRow[], source: DraftSource): string[][] {
  return [
    ['Row', 'Line', 'Product', 'Problem', 'Fix'],
    ...failed.map((row) => [
      String(row.row),
      String(row.line),
      row.title ?? '',
      problemOf(row),
      fixFor(row, source),
    ]),
  ]
}

function quoted(cell: string, delimiter: string): string {
  const guarded = withGuard(cell)
  return guarded.includes(delimiter) || /["\r\n]|^\s|\s$/.test(guarded)
    ? `"${guarded.replaceAll('"', '""')}"`
    : guarded
}
