/**
 * The rows that failed, to be mended and brought again. Of a sheet they are as they were, under the same header and
 * behind two columns of ours that say what is wrong; the reader passes those two over. Of other formats, whose records
 * are no lines, a list of what is wrong where. Pure: the file is read in a thread of its own.
 */
import { isOwnColumn, OWN_COLUMNS } from './import/csv-columns.ts'
import { withGuard, withoutGuard } from './import/guarded-cells.ts'
import { delimiterOf } from './import/read-rows.ts'
import { type Content, readSheet, startOf } from './import-drafts.reading.ts'
import type { DraftRow, DraftSource } from './import-drafts.schema.ts'
import { fixFor, problemOf } from './import-drafts.words.ts'

/** Spreadsheets take a file for UTF-8 by this. */
const BYTE_ORDER_MARK = '\ufeff'

export type BadRowsAsk = { source: DraftSource; failed: readonly DraftRow[] }

export async function badRowsText(content: Content, { source, failed }: BadRowsAsk): Promise<string> {
  const lines = source === 'csv' ? await sheetLines(content, failed) : listLines(failed, source)
  const delimiter = source === 'csv' ? delimiterOf(await startOf(content)) : ','
  const text = lines.map((cells) => cells.map((cell) => quoted(cell, delimiter)).join(delimiter))
  return `${BYTE_ORDER_MARK}${text.join('\r\n')}\r\n`
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
