/**
 * `souk import`: a catalog file into the database, with progress, what is wrong with it, and a summary; and imports as
 * wholes (`list`, `show`, `undo`).
 */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import readline from 'node:readline/promises'
import { finished } from 'node:stream/promises'
import { listCategories } from '../catalog/catalog.service.ts'
import { importCategories, parseCategories } from '../catalog/categories.service.ts'
import { slugsNear } from '../catalog/category-index.ts'
import { encodingNamed } from '../catalog/import/bytes.ts'
import { lookAtMoney, type MoneySaid } from '../catalog/import/look-at-money.ts'
import { currencyMeant } from '../catalog/import/money.ts'
import { describeUnknown, detectFormat } from '../catalog/import/read-rows.ts'
import { IMPORT_FORMATS, type ImportFormat, type ReadingRules } from '../catalog/import/rows.ts'
import { type ImportSummary, importProducts } from '../catalog/import.service.ts'
import { readCategoryMap } from '../catalog/import-categories.ts'
import { sourceNameOf, storeAddress } from '../catalog/import-keys.ts'
import { createReport, reportLine } from '../catalog/import-report.ts'
import { getImport, type ImportRecord, listImports, undoImport } from '../catalog/import-undo.service.ts'
import { listRates, parseCurrency, parseRate, setRates } from '../catalog/rates.service.ts'
import type { Config } from '../config.ts'
import { connectDatabase } from '../db/connect.ts'
import { type Db, serviceFault } from '../db/database.ts'
import { systemClock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { createLog } from '../lib/log.ts'
import { createProgress } from '../lib/progress.ts'
import { stepBackProcess } from '../lib/step-back.ts'
import { counted } from '../lib/words.ts'
import { categoriesLike } from '../search/category-meaning.ts'
import { createLocalEmbedder } from '../search/embed/local-embedder.ts'
import { minilmFilesExist } from '../search/embed/minilm.ts'
import { readArguments, say, showUsage } from './terminal.ts'

const SHOWN = 20
const OPERATOR = { kind: 'operator', id: null } as const

const HELP = `usage: npm run souk -- import FILE [options]
       npm run souk -- import list | show BATCH | undo BATCH

  FILE                  products in almost any format: exports from Shopify, WooCommerce, Magento and BigCommerce, Google
                        Merchant feeds, CSV, JSON, JSONL, JSON-LD, price-portal XML; gzip or zip is fine
  --dry-run             check everything and save nothing
  --report FILE         write every row with a problem or note as JSONL (line, id, field, problem, fix)

  --currency CODE       the currency when the file does not say; default ${'SOUK_CURRENCY'}, else USD
  --rate CODE=DOLLARS   US dollars per unit, such as EUR=1.08; remembered for later imports; repeatable
  --category NAME       the category for rows without one
  --category-map FILE   maps their categories to yours: a CSV with two columns, or a JSON object
  --no-new-categories   reject rows whose category is not in the catalog
  --categories FILE     categories to add first: JSONL with slug, label, description
  --overwrite-edits     let the file replace fields that were edited by hand or approved
  --restore-deleted     bring back products that were deleted here
  --map FIELD=COLUMN    the column of a field; repeatable
  --store-url URL       the shop's address, used for product links missing from the file
  --format NAME         ${IMPORT_FORMATS.join(', ')}; default: detected
  --encoding NAME       such as windows-1250; default: detected
  --source NAME         where the ids come from: importing under the same name updates the same products; default: the
                        file's name

If an import is interrupted, run the same command again to continue where it stopped.
`

/** `isAlone`: this process does nothing else. */
export async function importCommand(
  config: Config,
  args: string[],
  { isAlone = false }: { isAlone?: boolean } = {},
): Promise<number> {
  const [verb = ''] = args
  if (Object.hasOwn(BATCH_COMMANDS, verb)) return batchCommand(config, args)
  const { values, positionals } = readArguments(args, {
    texts: [
      ...(['categories', 'category-map', 'category', 'currency', 'format', 'encoding'] as const),
      ...(['store-url', 'source', 'report'] as const),
    ],
    flags: ['no-new-categories', 'overwrite-edits', 'restore-deleted', 'dry-run'],
    lists: ['rate', 'map'],
  })
  const [file] = positionals
  if (values.help || !file || positionals.length > 1) return showUsage(HELP, values)
  const dryRun = values['dry-run']
  const mapping = parseMapping(values.map)
  const format = chooseFormat(file, values.format)
  const given = Object.fromEntries(values.rate.map(parseRate))
  const reading: ReadingRules = {
    ...(values['store-url'] && { storeUrl: parseStore(values['store-url']) }),
    ...(values.encoding && { encoding: parseEncoding(values.encoding) }),
  }
  const map = values['category-map'] ? readCategoryMap(fs.readFileSync(values['category-map'], 'utf8')) : {}
  const said = await lookAtMoney(() => fs.createReadStream(file), { format, mapping, reading })
  const currency = await chooseCurrency(config, values.currency, said)
  const fingerprint = await fingerprintOf(file, [
    format,
    JSON.stringify([mapping, given, reading, map, currency]),
    values.category ?? '',
    ...(['no-new-categories', 'overwrite-edits', 'restore-deleted'] as const).map((name) =>
      String(values[name]),
    ),
  ])
  const database = await connectDatabase(config, {
    role: 'command',
    log: createLog('error'),
    onProgress: say,
    behindOthers: true,
  })
  // Requests to a server beside it go first. Not before: a database that had to be started is everybody's.
  if (isAlone) stepBackProcess()
  const input = fs.createReadStream(file)
  const written = values.report ? fs.createWriteStream(values.report) : null
  // A report with holes in it is worse than a stop that says why.
  written?.on('error', (error) => input.destroy(error))
  // The reader of the file says it.
  input.on('error', () => {})
  const report = createReport()
  try {
    const ctx = { db: database.db, clock: systemClock, log: createLog('error') }
    const known = await listRates(ctx)
    const at = systemClock.now().toISOString()
    const rates = {
      ...known,
      ...Object.fromEntries(Object.entries(given).map(([code, rate]) => [code, { rate, at }])),
    }
    if (!dryRun && Object.keys(given).length > 0) await setRates(ctx, { by: OPERATOR, rates: given })
    const categories = values.categories ? readJsonLines(values.categories) : []
    if (categories.length > 0 && !dryRun)
      say(`Categories: ${await importCategories(ctx, categories)} new or changed`)
    const progress = createProgress(dryRun ? 'Checking products' : 'Importing products')
    const { size } = fs.statSync(file)
    let rows = 0
    const summary = await importProducts(ctx, input, {
      format,
      mapping,
      defaultCategory: values.category,
      categoryRules: { map, makeNew: !values['no-new-categories'] },
      money: { currency, rates },
      reading,
      source: values.source ?? sourceNameOf(file, reading.storeUrl),
      isSourceSure: values.source !== undefined || reading.storeUrl !== undefined,
      fileName: path.basename(file),
      fingerprint,
      overwriteEdits: values['overwrite-edits'],
      restoreDeleted: values['restore-deleted'],
      dryRun,
      dryRunCategories: parseCategories(categories),
      onNotice: say,
      onNote: (note) => {
        report.add(false, note)
        written?.write(`${JSON.stringify({ note: true, ...note })}\n`)
      },
      onProblem: (problem) => {
        report.add(true, problem)
        written?.write(`${JSON.stringify(problem)}\n`)
      },
      onProgress: (count) => {
        rows = count
        progress.update(count, input.bytesRead / size)
      },
    })
    progress.finish(rows)
    sayReport(report, written !== null)
    await sayCategories(config, ctx, summary, dryRun)
    saySummary(summary, dryRun)
    if (written)
      await finished(written.end()).catch((error: Error) => {
        const reason = serviceFault(error) ?? 'the file could not be written'
        throw new AppError('unavailable', `the import is complete, but its report is not: ${reason}`, {
          cause: error,
        })
      })
    return summary.failed > 0 ? 1 : 0
  } catch (error) {
    // The words for everybody leave out what only the operator may know.
    if (error instanceof AppError && error.cause instanceof Error) say(`  ${error.cause.message}`)
    throw error
  } finally {
    written?.end()
    await database.close()
  }
}

function sayReport(report: ReturnType<typeof createReport>, isWritten: boolean) {
  const groups = report.groups()
  for (const group of groups.slice(0, SHOWN)) say(`  ${reportLine(group)}`)
  const rest = groups.length - SHOWN + report.others()
  if (rest > 0) say(`  … and ${rest} more${isWritten ? '' : ' (use --report FILE to get them all)'}`)
}

/** In a dry run with those of the catalog that may be meant, by name or by what is in them. */
async function sayCategories(
  config: Config,
  ctx: { db: Db },
  { categories, titles }: ImportSummary,
  dryRun: boolean,
): Promise<void> {
  const made = categories.filter(({ isNew }) => isNew)
  if (made.length === 0) return
  const shown = made.slice(0, SHOWN)
  const slugs = dryRun ? (await listCategories(ctx)).map(({ slug }) => slug) : []
  const groups = shown.map(({ slug }) => titles.get(slug) ?? [])
  const likely = slugs.length > 0 ? await askCategories(config, ctx, groups) : []
  let guesses = 0
  const names = shown.map(({ label, path: above, rows }, at) => {
    const own = likely[at]
    const meant = own ? [own] : slugsNear(label, slugs).slice(0, 2)
    if (meant.length > 0) guesses++
    const name = `${[...above, label].join(' > ')} (${counted(rows, 'row')})`
    return meant.length > 0 ? `${name} → ${meant.join(' or ')}?` : name
  })
  const more = made.length > SHOWN ? `, and ${made.length - SHOWN} more` : ''
  say(`${counted(made.length, 'new category')}: ${names.join(', ')}${more}`)
  if (guesses > 0) say('  → marks one of yours that may be the same; map to it with --category-map FILE')
}

/** Without a model nothing is said. */
async function askCategories(config: Config, ctx: { db: Db }, groups: readonly (readonly string[])[]) {
  if (config.embedder || !minilmFilesExist()) return []
  const embedder = createLocalEmbedder()
  try {
    return await categoriesLike(ctx, embedder, groups)
  } finally {
    await embedder.close()
  }
}

function saySummary(summary: ImportSummary, dryRun: boolean) {
  const { created, updated, unchanged, further, deleted, failed, joined, notes, twins, importId } = summary
  for (const row of summary.joinedRows.slice(0, SHOWN))
    say(`  line ${row.line}${row.id === null ? '' : `, id ${row.id}`}: matched ${row.slug} by its ${row.by}`)
  if (twins.total > 0) {
    const named = twins.twins.slice(0, 5).map(({ slug, other }) => `${slug} and ${other}`)
    say(`${twins.total} may be duplicates: ${named.join('; ')}${twins.total > 5 ? '; …' : ''}`)
  }
  if (summary.resumedAfterRow > 0) say(`Continued after row ${summary.resumedAfterRow}.`)
  const also = [
    ...(further > 0 ? [`${counted(further, 'more row')} of the same products`] : []),
    ...(deleted > 0 ? [`${deleted} skipped because they were deleted here`] : []),
    ...(joined > 0 ? [`${joined} matched to existing products`] : []),
    ...(notes > 0 ? [`${notes} ${notes === 1 ? 'note' : 'notes'}`] : []),
  ]
  const counts = `${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} rejected`
  say(`${dryRun ? 'Dry run: ' : ''}${[counts, ...also].join(', ')}`)
  if (importId !== null && created + updated > 0) say(`To undo it: npm run souk -- import undo ${importId}`)
}

/** Says in the first line what amounts are taken for, because a wrong guess is a wrong price on every page. */
async function chooseCurrency(config: Config, asked: string | undefined, said: MoneySaid): Promise<string> {
  const meant = asked === undefined ? config.currency : parseCurrency(asked)
  // A sign such as "kr" is the asked currency where it can be.
  const codes = new Set(said.currencies.map((sign) => currencyMeant(sign, meant) ?? sign))
  const own = codes.size > 0 ? `${[...codes].join(', ')}, as stated in the file` : null
  if (asked !== undefined) {
    const others = own === null || (codes.size === 1 && codes.has(meant)) ? '' : `${own}; others `
    say(`Amounts: ${others}${meant}, from --currency.`)
    return meant
  }
  if (said.isContract) {
    say('Amounts: US dollars, as always in this format.')
    return 'USD'
  }
  if (own !== null && !said.someSayNone) {
    say(`Amounts: ${own}.`)
    return config.currency
  }
  if (said.hasAmounts && process.stdin.isTTY && process.stderr.isTTY) {
    const terminal = readline.createInterface({ input: process.stdin, output: process.stderr })
    const typed = await terminal.question(
      `The file does not state a currency. Which is it? [${config.currency}] `,
    )
    terminal.close()
    if (typed.trim() !== '') return parseCurrency(typed)
  }
  const others = own === null ? 'the file does not say' : `only some rows say ${[...codes].join(', ')}`
  say(
    said.hasAmounts
      ? `Amounts: assumed to be ${config.currency} where no currency is stated; ${others} (set it with --currency CODE).`
      : 'Amounts: none found in the first rows.',
  )
  return config.currency
}

function chooseFormat(file: string, asked: string | undefined): ImportFormat {
  if (!fs.existsSync(file)) throw new Error(`the file ${file} does not exist`)
  const start = readStart(file)
  const format = asked ?? detectFormat(path.basename(file), start)
  const known = IMPORT_FORMATS.find((name) => name === format)
  if (known) return known
  throw new Error(
    asked
      ? `--format takes ${IMPORT_FORMATS.join(', ')}`
      : `cannot read ${file}: ${describeUnknown(path.basename(file), start)}`,
  )
}

function readStart(file: string): Uint8Array {
  const buffer = Buffer.alloc(64 * 1024)
  const fd = fs.openSync(file, 'r')
  const length = fs.readSync(fd, buffer)
  fs.closeSync(fd)
  return buffer.subarray(0, length)
}

export function parseStore(text: string): string {
  const store = storeAddress(text)
  if (store !== null) return store
  throw new Error(`--store-url takes an address such as https://shop.example; "${text}" is not valid`)
}

export function parseEncoding(text: string): string {
  const encoding = encodingNamed(text)
  if (encoding !== null) return encoding
  throw new Error(`--encoding takes a name such as utf-8, utf-16le or windows-1252; "${text}" is not known`)
}

export function parseMapping(entries: string[]): Record<string, string> {
  const pairs = entries.map((entry) => {
    const at = entry.indexOf('=')
    if (at < 1) throw new Error(`--map takes FIELD=COLUMN, such as --map title=Name; "${entry}" is not valid`)
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

type Ask = { db: Db; id: string }

const BATCH_COMMANDS: Record<string, { takes: number; run(ask: Ask): Promise<string[]> }> = {
  list: { takes: 1, run: list },
  show: { takes: 2, run: show },
  undo: { takes: 2, run: undo },
}

const LISTED = 50

async function batchCommand(config: Config, args: string[]): Promise<number> {
  const [verb = '', id = ''] = args
  const command = BATCH_COMMANDS[verb]
  if (!command || args.length !== command.takes)
    return showUsage('usage: npm run souk -- import list | show BATCH | undo BATCH\n', { help: false })
  const database = await connectDatabase(config, { role: 'command', log: createLog('error') })
  try {
    for (const line of await command.run({ db: database.db, id })) say(line)
    return 0
  } finally {
    await database.close()
  }
}

async function list({ db }: Ask): Promise<string[]> {
  const imports = await listImports({ db }, { limit: LISTED })
  return imports.length === 0 ? ['No imports yet.'] : imports.map(lineOf)
}

async function show({ db, id }: Ask): Promise<string[]> {
  const found = await getImport({ db }, id, { limit: LISTED })
  const written = found.written.map(
    ({ kind, name, isNew }) => `  ${isNew ? 'added' : 'changed'} ${kind} ${name}`,
  )
  return [lineOf(found), ...written, ...(written.length === LISTED ? ['  …'] : [])]
}

async function undo({ db, id }: Ask): Promise<string[]> {
  const { removed, restored, categoriesRemoved, kept } = await undoImport(
    { db, clock: systemClock },
    { by: OPERATOR, id },
  )
  const shown = kept.slice(0, LISTED).map(({ name, why }) => `  ${name} was kept: ${why}`)
  const more = kept.length > LISTED ? [`  … and ${kept.length - LISTED} more were kept`] : []
  const said = `Undone: ${removed} products deleted, ${restored} restored to what they were, ${categoriesRemoved} categories deleted`
  return [...shown, ...more, kept.length === 0 ? said : `${said}, ${kept.length} kept`]
}

function lineOf({ id, startedAt, fileName, source, state, counts, rows }: ImportRecord): string {
  const { created = 0, updated = 0, failed = 0 } = counts
  const words = { done: '', running: ', not finished', undone: ', undone' }[state]
  const when = startedAt.toISOString().slice(0, 16).replace('T', ' ')
  return `${id}  ${when}  ${fileName ?? source}: ${rows} rows, ${created} created, ${updated} updated, ${failed} rejected${words}`
}
