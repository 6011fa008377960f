/** `import_products`: a producer's whole sheet or feed, row by row, tried first without effect. */
import { fitItems, paragraphs, TEXT_ROOM } from '../lib/fit-text.ts'
import { inlineText, untrusted } from '../lib/untrusted.ts'
import { counted } from '../lib/words.ts'
import { defineTool } from '../tools/define-tool.ts'
import { ImportRequest, ImportResult, LISTED_ROWS } from './producer-import.schema.ts'
import { type Imported, importForProducer, type ProducerImportContext } from './producer-import.service.ts'

export const importProducts = defineTool<ProducerImportContext, typeof ImportRequest, typeof ImportResult>({
  name: 'import_products',
  title: 'Import many products',
  description:
    'Imports products from a sheet, feed or shop export, with a result per row; by default a dry run that changes nothing. Known products become claims or proposed changes, others proposed products; all are reviewed before they are public. At most 2,000 rows. Send url or content, then call again with dry_run false.',
  audience: 'producers',
  effects: { readOnly: false, destructive: true, idempotent: true },
  openWorld: true,
  slow: true,
  input: ImportRequest,
  output: ImportResult,
  async run(ctx, call, input) {
    const following = { signal: call.signal(), progress: call.progress }
    const imported = await importForProducer(ctx, call, input, following)
    return { text: textOf(imported), data: imported.result }
  },
})

function textOf({ result, repeated }: Imported): string {
  const failed = result.rows.filter(({ outcome }) => outcome === 'failed')
  const others = result.rows.filter(({ outcome }) => outcome !== 'failed')
  const head = [headOf(result, repeated), noticesOf(result)].filter(Boolean)
  return fitItems(failed.length + others.length, TEXT_ROOM, (shown) =>
    paragraphs([
      ...head,
      problemsOf(failed.slice(0, shown)),
      rowsOf(others.slice(0, Math.max(0, shown - failed.length))),
      leftOut(result, shown),
      nextOf(result),
    ]),
  )
}

function headOf(result: ImportResult, repeated: boolean): string {
  const done = result.dry_run ? 'Dry run: nothing was changed. This is what would happen' : 'Imported'
  const again = repeated ? ' (already done with this idempotency_key; nothing was repeated)' : ''
  return [
    `**${done}${again}.** ${counted(result.rows_read, 'row')}:`,
    `- submitted: ${result.submitted} (new products, public after review)`,
    `- claimed: ${result.claimed} (in the catalog; claimed for your organization)`,
    `- proposed: ${result.proposed} (in the catalog; changes are public after review)`,
    `- unchanged: ${result.unchanged}`,
    `- failed: ${result.failed}`,
  ].join('\n')
}

/** They name columns, and who wrote the file chose the names. */
function noticesOf({ notices }: ImportResult): string {
  if (notices.length === 0) return ''
  const lines = notices.map((text) => ({ label: 'Notice', text, max: 300 }))
  return `About the file:\n\n${untrusted('the file', lines)}`
}

function problemsOf(rows: ImportResult['rows']): string {
  if (rows.length === 0) return ''
  const lines = rows.map(({ row, line, field, problem, fix }) => ({
    label: `Row ${row}, line ${line}`,
    text: `${field ?? 'row'} ${problem}; ${fix}`,
    max: 400,
  }))
  return `Failed rows:\n\n${untrusted('the file', lines)}`
}

function rowsOf(rows: ImportResult['rows']): string {
  const lines = rows.map(({ row, outcome, product_slug, note }) =>
    [
      `- Row ${row}: ${outcome}`,
      ...(product_slug ? [product_slug] : []),
      ...(note ? [inlineText(note, 200)] : []),
    ].join(' · '),
  )
  return lines.length === 0 ? '' : `Other rows:\n\n${lines.join('\n')}`
}

function leftOut({ rows, rows_left_out }: ImportResult, shown: number): string {
  const left = rows.length - shown + rows_left_out
  if (left <= 0) return ''
  const inData =
    left > rows_left_out ? ` The data lists ${counted(rows.length, 'row')}, failed ones first.` : ''
  return `${counted(left, 'row')} not listed here.${inData} To see every row, dry-run the file in parts of at most ${LISTED_ROWS} rows.`
}

function nextOf({ dry_run, failed, claimed, submitted }: ImportResult): string {
  if (dry_run) {
    const fix = failed > 0 ? 'fix the failed rows or skip them, then ' : ''
    return `Next: ${fix}call import_products again with dry_run false and an idempotency_key.`
  }
  if (failed > 0) return 'Next: fix the failed rows and import them again; imported rows stay unchanged.'
  return claimed + submitted > 0 ? 'Next: list_my_products shows what is verified.' : ''
}
