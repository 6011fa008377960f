/** `souk import`: a catalog file into the database, with progress, a result a bad row, and a summary. */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { finished } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { importCategories, parseCategories } from '../catalog/categories.service.ts'
import { describeUnknown, detectFormat, FORMATS } from '../catalog/import/read-rows.ts'
import type { ImportFormat, RowProblem } from '../catalog/import/rows.ts'
import { importProducts } from '../catalog/import.service.ts'
import type { Config } from '../config.ts'
import { connectDatabase } from '../db/connect.ts'
import { serviceFault } from '../db/database.ts'
import { systemClock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { createLog } from '../lib/log.ts'
import { createProgress } from '../lib/progress.ts'

const SHOWN_PROBLEMS = 20

const HELP = `usage: npm run souk -- import FILE [options]

  FILE               products: JSON, JSONL, CSV, a Google Merchant feed (XML or TSV), the XML of a price portal, an export
                     of Shopify, WooCommerce, Magento or BigCommerce, or schema.org JSON-LD; also as .gz or .zip
  --categories FILE  categories to add first: JSONL with slug, label, description
  --format NAME      ${FORMATS.join(', ')}; found out from the file when left out
  --map FIELD=COLUMN which column of a CSV holds a field; may be repeated
  --category SLUG    for rows that name no category
  --source NAME      kept as the origin of every field; the file's name when left out
  --report FILE      every bad row as JSONL (line, field, problem, fix)
  --dry-run          check everything, write nothing

An import that was cut off, or that a full disk stopped, goes on where it stopped when the same command is given again.
`

export async function importCommand(config: Config, args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      categories: { type: 'string' },
      format: { type: 'string' },
      map: { type: 'string', multiple: true, default: [] },
      category: { type: 'string' },
      source: { type: 'string' },
      report: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const [file] = positionals
  if (values.help || !file || positionals.length > 1) {
    process.stderr.write(HELP)
    return values.help ? 0 : 2
  }
  const say = (text: string) => process.stderr.write(`${text}\n`)
  const mapping = parseMapping(values.map)
  const format = chooseFormat(file, values.format)
  const fingerprint = await fingerprintOf(file, [format, JSON.stringify(mapping), values.category ?? ''])
  const database = await connectDatabase(config, {
    role: 'command',
    log: createLog('error'),
    onProgress: say,
  })
  const input = fs.createReadStream(file)
  const report = values.report ? fs.createWriteStream(values.report) : null
  // A report with holes in it is worse than a stop that says why.
  report?.on('error', (error) => input.destroy(error))
  // Told by whoever reads it.
  input.on('error', () => {})
  const problems: RowProblem[] = []
  let failed = 0
  try {
    const ctx = { db: database.db, clock: systemClock, log: createLog('error') }
    const categories = values.categories ? readJsonLines(values.categories) : []
    if (categories.length > 0 && !values['dry-run'])
      say(`Categories: ${await importCategories(ctx, categories)} new or changed`)
    const progress = createProgress(values['dry-run'] ? 'Checking products' : 'Importing products')
    const { size } = fs.statSync(file)
    let rows = 0
    const summary = await importProducts(ctx, input, {
      format,
      mapping,
      defaultCategory: values.category,
      source: values.source ?? path.basename(file),
      fingerprint,
      dryRun: values['dry-run'],
      dryRunCategories: parseCategories(categories),
      onNotice: say,
      onNote: (note) => report?.write(`${JSON.stringify({ note: true, ...note })}\n`),
      onProblem: (problem) => {
        failed++
        report?.write(`${JSON.stringify(problem)}\n`)
        if (problems.length < SHOWN_PROBLEMS) problems.push(problem)
      },
      onProgress: (count) => {
        rows = count
        progress.update(count, input.bytesRead / size)
      },
    })
    progress.finish(rows)
    for (const problem of problems)
      say(`  ${placeOf(problem)}: ${problem.field ?? 'row'} ${problem.problem}; ${problem.fix}`)
    if (failed > problems.length)
      say(`  … and ${failed - problems.length} more${report ? '' : ' (--report FILE writes them all)'}`)
    if (summary.resumedAfterRow > 0) say(`Went on after row ${summary.resumedAfterRow}.`)
    const { created, updated, unchanged, notes } = summary
    say(
      `${values['dry-run'] ? 'Would be: ' : ''}${created} created, ${updated} updated, ${unchanged} unchanged, ${summary.failed} refused${notes > 0 ? `, ${notes} texts cut` : ''}`,
    )
    if (report)
      await finished(report.end()).catch((error: Error) => {
        const reason = serviceFault(error) ?? 'it could not be written'
        throw new AppError('unavailable', `the import is done; its report is not whole, because ${reason}`, {
          cause: error,
        })
      })
    return summary.failed > 0 ? 1 : 0
  } catch (error) {
    // The words for everybody leave out what only the operator may know.
    if (error instanceof AppError && error.cause instanceof Error) say(`  ${error.cause.message}`)
    throw error
  } finally {
    report?.end()
    await database.close()
  }
}

/** A line of XML may hold every product. */
function placeOf({ line, item, id }: RowProblem): string {
  return `line ${line}${item === undefined ? '' : `, item ${item}`}${id === undefined ? '' : ` (${id})`}`
}

function chooseFormat(file: string, asked: string | undefined): ImportFormat {
  if (!fs.existsSync(file)) throw new Error(`there is no file ${file}`)
  const start = readStart(file)
  const name = path.basename(file)
  const format = asked ?? detectFormat(name, start)
  const known = FORMATS.find((one) => one === format)
  if (known) return known
  throw new Error(
    asked ? `--format takes ${FORMATS.join(', ')}` : `cannot read ${file}: ${describeUnknown(name, start)}`,
  )
}

function readStart(file: string): Uint8Array {
  const buffer = Buffer.alloc(64 * 1024)
  const fd = fs.openSync(file, 'r')
  const length = fs.readSync(fd, buffer)
  fs.closeSync(fd)
  return buffer.subarray(0, length)
}

function parseMapping(entries: string[]): Record<string, string> {
  const pairs = entries.map((entry) => {
    const at = entry.indexOf('=')
    if (at < 1) throw new Error(`--map takes FIELD=COLUMN, such as --map title=Name; "${entry}" is not that`)
    return [entry.slice(0, at).trim(), entry.slice(at + 1).trim()]
  })
  return Object.fromEntries(pairs)
}

async function fingerprintOf(file: string, options: string[]): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of fs.createReadStream(file)) hash.update(chunk)
  for (const option of options) hash.update(`\0${option}`)
  return hash.digest('hex')
}

function readJsonLines(file: string): unknown[] {
  const lines = fs.readFileSync(file, 'utf8').split('\n')
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return []
    try {
      return [JSON.parse(line)]
    } catch {
      throw new Error(`${file}, line ${index + 1}: not valid JSON`)
    }
  })
}
