/**
 * A spreadsheet runs a cell that starts like a formula, whoever wrote it. In files that we hand out such a cell has an
 * apostrophe in front, which the reader takes away again: what was downloaded, mended and uploaded says what it said.
 * Cells that have one already get another, so that no text is lost on the way. Others keep the zeros of a number by making
 * it a formula, ="0012"; the reader takes the text out of that.
 */
/** Space in front does not keep every program from running it, and some read the wide forms alike. */
const RUNS = /^'*\s*[=+\-@＝＋－＠]/

export function withGuard(cell: string): string {
  return RUNS.test(cell) ? `'${cell}` : cell
}

export function withoutGuard(cell: string): string {
  if (cell.startsWith('="') && cell.endsWith('"') && cell.length > 3) return cell.slice(2, -1)
  return cell.startsWith("'") && RUNS.test(cell) ? cell.slice(1) : cell
}

/** A table to download. Spreadsheets take a file for UTF-8 by the mark at its start. */
export function tableText(rows: ReadonlyArray<readonly string[]>, delimiter = ','): string {
  const quoted = (cell: string) => {
    const guarded = withGuard(cell)
    return guarded.includes(delimiter) || /["\r\n]|^\s|\s$/.test(guarded)
      ? `"${guarded.replaceAll('"', '""')}"`
      : guarded
  }
  const lines = rows.map((cells) => cells.map(quoted).join(delimiter))
  return `\ufeff${lines.join('\r\n')}\r\n`
}
