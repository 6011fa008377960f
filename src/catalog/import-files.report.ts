/** What an import or a check said of the rows of a file, as a table to download. */
import { withGuard } from './import/guarded-cells.ts'
import { findReportedLines } from './import-files.queries.ts'
import { type FilesContext, getFile } from './import-files.service.ts'

/** The rows that were refused or noted, as a table; null before a check or an import has ended. */
export async function writeReport(
  ctx: FilesContext,
  id: string,
): Promise<{ fileName: string; text: string } | null> {
  const file = await getFile(ctx, id)
  if (!file.result?.said) return null
  const lines = await findReportedLines(ctx.db, id)
  const rows = [
    ['Line', 'Id', 'Refused', 'Field', 'Found', 'Problem', 'What to do'],
    ...lines.map((one) => [
      String(one.line),
      one.id ?? '',
      one.isRefusal ? 'yes' : 'no',
      one.field ?? '',
      one.value ?? '',
      one.problem,
      one.fix,
    ]),
  ]
  const { linesLeft } = file.result.said
  if (linesLeft > 0) rows.push(['', '', '', '', '', `and ${linesLeft} more, which are not kept`, ''])
  const text = rows.map((cells) => cells.map(quoted).join(',')).join('\r\n')
  const stem =
    file.fileName
      .slice(0, MAX_STEM)
      .replace(/(\.[a-z]+)*$/i, '')
      .replaceAll(/[^\w.-]+/g, '-') || 'file'
  return { fileName: `${stem}-report.csv`, text: `\ufeff${text}\r\n` }
}

/** Of a file's name, for that of its report. */
const MAX_STEM = 100

function quoted(cell: string): string {
  const guarded = withGuard(cell)
  return /[",\r\n]|^\s|\s$/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}
