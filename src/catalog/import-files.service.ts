/**
 * The operator's files on their way into the catalog: brought once, looked at, read by other rules, checked and
 * imported. A check and an import are jobs, so that they outlive the page and the node that began them. Who may come
 * here is the page's to know; every step that counts is on record with who took it.
 */
import { isDeepStrictEqual } from 'node:util'
import { type AuditActor, recordAudit } from '../accounts/audit.service.ts'
import type { Visit } from '../accounts/context.ts'
import type { Db } from '../db/database.ts'
import { enqueue } from '../jobs/runner.ts'
import { inTime } from '../lib/abort.ts'
import type { Clock } from '../lib/clock.ts'
import { sha256 } from '../lib/crypto.ts'
import { type AppError, conflict, invalid } from '../lib/errors.ts'
import { isUuid } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import type { Category } from './catalog.schema.ts'
import { listCategories } from './catalog.service.ts'
import { findCategoryNames } from './categories.queries.ts'
import { indexCategories } from './category-index.ts'
import { readOnce, readOperators } from './file-readers.ts'
import { encodingNamed } from './import/bytes.ts'
import type { CurrencyRule, Rates } from './import/currency.ts'
import { IMPORT_FORMATS, type ImportFormat, type ReadingRules } from './import/rows.ts'
import { tableText } from './import/values.ts'
import { createCategoryChooser } from './import-categories.ts'
import { fileContent, importedAlready, noFile } from './import-content.ts'
import { chosenMapping } from './import-drafts.reading.ts'
import { asWritten } from './import-drafts.schema.ts'
import {
  beginRun,
  closeUpload,
  deleteFile,
  deleteFilesOfSource,
  type FileRow,
  findFile,
  findFileOfImport,
  findFileOfSource,
  findFileStep,
  findFiles,
  findPlaces,
  findReportedLines,
  storeLook,
  storeRules,
  updateHeld,
} from './import-files.queries.ts'
import {
  type CatalogLook,
  FILE_KEPT_MS,
  FileResult,
  FileRules,
  type ImportFile,
} from './import-files.schema.ts'
import { sourceNameOf, storeAddress } from './import-keys.ts'
import { getImport } from './import-undo.service.ts'
import { productPath } from './profile.ts'
import { listRates, parseCurrency, setRates } from './rates.service.ts'

export type FilesContext = {
  db: Db
  clock: Clock
  log: Log
  ownCurrency: string
  /** For each group of titles the slug of a category that holds such products. */
  categoriesLike?: (groups: readonly (readonly string[])[]) => Promise<Array<string | null>>
}
/** Who does it, and from where. */
export type By = { by: AuditActor; visit?: Visit }

export const FILE_JOB = { kind: 'import_files.run', maxAttempts: 20 }
/** How long its thread may work on a look. */
const LOOK_MS = 60_000
const LISTED = 50
const MAX_SOURCE = 100
/** Of a file's name, for that of its report. */
const MAX_STEM = 100

/** All of it is here: it can be looked at from now on. */
export async function takeUpload(
  ctx: FilesContext,
  { by, visit }: By,
  { id, sizeBytes }: { id: string; sizeBytes: number },
): Promise<void> {
  const at = ctx.clock.now()
  await ctx.db.transaction().execute(async (tx) => {
    const rules = FileRules.parse({})
    if (!(await closeUpload(tx, id, { sizeBytes, rules, sourceId: null, at }))) throw noFile()
    const detail = { file_id: id, bytes: sizeBytes }
    await recordAudit(tx, { actor: by, visit, action: 'import_file.uploaded', at, detail })
  })
}

/** The same for a file of a source, which is read by the rules of the source. */
export async function takeSourceFile(
  tx: Db,
  file: { id: string; sizeBytes: number; rules: FileRules; sourceId: string; at: Date },
): Promise<void> {
  if (!(await closeUpload(tx, file.id, file))) throw noFile()
}

/** Keeps a file until somebody has decided about it, or lets it go like any other. */
export function holdFile(tx: Db, id: string, held: boolean, at: Date): Promise<void> {
  return updateHeld(tx, id, held, at)
}

/** Only the newest file of a source is kept, and those that wait for a decision. */
export function dropSourceFiles(tx: Db, sourceId: string, exceptId: string | null): Promise<void> {
  return deleteFilesOfSource(tx, sourceId, exceptId)
}

/** The newest file of a source, while it is kept. */
export async function getSourceFile(ctx: FilesContext, sourceId: string): Promise<ImportFile | null> {
  const id = await findFileOfSource(ctx.db, sourceId)
  const row = id === null ? null : await findFile(ctx.db, id)
  return row && isKept(ctx, row) ? fileOf(row) : null
}

export async function listFiles(ctx: FilesContext): Promise<ImportFile[]> {
  const files = (await findFiles(ctx.db, LISTED)).map(fileOf)
  return files.filter(({ updatedAt }) => updatedAt > oldest(ctx))
}

export async function getFile(ctx: FilesContext, id: string): Promise<ImportFile> {
  return requireFile(ctx, await (isUuid(id) ? findFile(ctx.db, id) : null))
}

/** Null when it is gone. */
export async function getFileStep(
  ctx: FilesContext,
  id: string,
): Promise<Pick<ImportFile, 'state' | 'doneRows' | 'result'> | null> {
  const step = await findFileStep(ctx.db, id)
  return step && { ...step, result: resultOf(step.result) }
}

/** Where products stand, by their slugs: those that there are. */
export async function placesOf(
  ctx: { db: Db },
  slugs: readonly string[],
): Promise<Map<string, { path: string; title: string }>> {
  const found = await findPlaces(ctx.db, [...new Set(slugs)])
  return new Map(
    found.map(({ slug, title, category }) => [
      slug,
      { title, path: productPath({ slug, category: { slug: category } }) },
    ]),
  )
}

/** The file that an import came from, while it is kept. */
export function fileOfImport(ctx: FilesContext, importId: string): Promise<string | null> {
  return findFileOfImport(ctx.db, importId)
}

/** As it was made when the file came or was last read in another way; else the file is looked into. */
export async function lookAtFile(ctx: FilesContext, file: ImportFile): Promise<CatalogLook> {
  if (file.look) return file.look
  const { rules } = file
  const content = fileContent(ctx.db, { id: file.id, sizeBytes: () => file.sizeBytes })
  const look = await readOnce(
    readOperators(
      'catalogLook',
      content,
      {
        fileName: file.fileName,
        format: formatOf(rules),
        mapping: rules.mapping,
        reading: readingOf(rules),
        currency: rules.currency,
        ownCurrency: ctx.ownCurrency,
        rates: await ratesOf(ctx, rules),
        defaultCategory: rules.defaultCategory ?? undefined,
      },
      { who: `file ${file.id}`, workMs: LOOK_MS },
    ),
  )
  await addLikely(ctx, file, look)
  await storeLook(ctx.db, file.id, rules, look)
  return look
}

/** What somebody says of a file on its page; null for what they leave to us. */
export type Corrections = {
  format: string | null
  encoding: string | null
  /** By the place of a column, what it is to be read as; null leaves the mapping as it is. */
  columns: ReadonlyMap<number, string> | null
  currency: string | null
  /** The US dollars for one unit of the currency above, and of others. */
  rate: string | null
  rates: Readonly<Record<string, string>>
  /** By key, what was typed; null leaves the categories as they are. */
  categories: ReadonlyMap<string, string> | null
  /** Null leaves it as it is. */
  makeNew: boolean | null
  defaultCategory: string | null
  storeUrl: string | null
  source: string | null
  overwriteEdits: boolean
  restoreDeleted: boolean
}

/** Reads a file in another way from now on; what was seen and said of it before is forgotten, unless nothing changes. */
export async function correctFile(ctx: FilesContext, id: string, said: Corrections): Promise<void> {
  const file = await getFile(ctx, id)
  const look = await lookAtFile(ctx, file)
  const categories = indexCategories(await listCategories(ctx))
  const categoryOf = (field: string, text: string) => {
    const found = categories.find(text)
    if (found) return found.slug
    throw invalid(field, `there is no category "${text.slice(0, 60)}"; choose one from the list`)
  }
  const currency = said.currency === null ? null : parseCurrency(said.currency)
  const known = await listRates(ctx)
  const rates: Record<string, number> = { ...file.rules.rates }
  const give = (code: string, text: string, field: string) => {
    const rate = text.trim() === '' ? undefined : rateOf(text, field)
    // One that is known is not this file's own: it is the newest, whenever the file is read.
    if (rate === undefined || rate === known[code]?.rate) delete rates[code]
    else rates[code] = rate
  }
  for (const [code, text] of Object.entries(said.rates)) give(parseCurrency(code), text, `rate_${code}`)
  if (said.rate !== null && said.rate.trim() !== '') give(currency ?? look.currency, said.rate, 'rate')
  delete rates.USD
  const map = { ...file.rules.categories }
  for (const { path } of said.categories === null ? [] : look.categories) {
    const typed = said.categories?.get(keyOf(path))
    if (typed === undefined) continue
    if (typed.trim() === '') delete map[theirName(path)]
    else map[theirName(path)] = categoryOf(`category_${keyOf(path)}`, typed)
  }
  const ownName = sourceOf({ ...file, rules: { ...file.rules, source: null } })
  const rules: FileRules = {
    format: said.format === null || isFormat(said.format) ? said.format : null,
    encoding: said.encoding === null ? null : encodingOf(said.encoding),
    mapping:
      said.columns && look.sheet
        ? chosenMapping(look.sheet.header, said.columns, look.sheet.sample)
        : file.rules.mapping,
    currency,
    rates,
    categories: map,
    makeNew: said.makeNew ?? file.rules.makeNew,
    defaultCategory: said.defaultCategory && categoryOf('default_category', said.defaultCategory),
    storeUrl: said.storeUrl && storeOf(said.storeUrl),
    source: said.source === ownName ? null : said.source && asWritten(said.source, MAX_SOURCE).toWellFormed(),
    overwriteEdits: said.overwriteEdits,
    restoreDeleted: said.restoreDeleted,
  }
  if (isDeepStrictEqual(rules, file.rules)) return
  await ctx.db.transaction().execute(async (tx) => {
    const held = requireFile(ctx, await findFile(tx, id, { hold: true }))
    if (isRunning(held)) throw busy()
    if (held.state === 'done') throw importedAlready()
    await storeRules(tx, id, rules, ctx.clock.now())
  })
}

/** Begins a check or an import; pressed twice, it begins once. */
export async function startFile(
  ctx: FilesContext,
  { by, visit }: By,
  { id, dryRun }: { id: string; dryRun: boolean },
): Promise<void> {
  const file = await getFile(ctx, id)
  if (file.sourceId !== null) throw ofSource()
  if (isRunning(file)) return
  if (!dryRun && Object.keys(file.rules.rates).length > 0) await keepRates(ctx, by, file.rules.rates)
  const look = await lookAtFile(ctx, file)
  if (look.format === null || look.problem !== null)
    throw invalid('format', look.problem ?? 'choose its format')
  const money = { currency: look.currency, rates: await ratesOf(ctx, file.rules) }
  const at = ctx.clock.now()
  await ctx.db.transaction().execute(async (tx) => {
    const held = requireFile(ctx, await findFile(tx, id, { hold: true }))
    if (isRunning(held)) return
    if (held.state === 'done' && !(await isTakenBack(tx, held.importId))) throw importedAlready()
    if (!dryRun && held.state === 'uploaded')
      throw conflict('check the file first; its settings have changed')
    await beginRun(tx, id, dryRun ? 'checking' : 'importing', at)
    const payload: RunPayload = { fileId: id, dryRun, format: look.format ?? '', money, by }
    await enqueue(tx, FILE_JOB, payload, { dedupeKey: id })
    const detail = { file_id: id, source: sourceOf(held) }
    const action = dryRun ? 'import_file.check_begun' : 'catalog.import_begun'
    await recordAudit(tx, { actor: by, visit, action, at, detail })
  })
}

/** What the job goes by, whichever node runs it: rates that change meanwhile are for the next file. */
export type RunPayload = {
  fileId: string
  dryRun: boolean
  format: string
  money: CurrencyRule
  by: AuditActor
}

export async function discardFile(ctx: FilesContext, { by, visit }: By, id: string): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const file = requireFile(ctx, await (isUuid(id) ? findFile(tx, id, { hold: true }) : null))
    if (file.sourceId !== null) throw ofSource()
    if (isRunning(file)) throw busy()
    await deleteFile(tx, id)
    const at = ctx.clock.now()
    await recordAudit(tx, { actor: by, visit, action: 'import_file.removed', at, detail: { file_id: id } })
  })
}

/** Whose ids the file has. */
export function sourceOf({ rules, fileName }: Pick<ImportFile, 'rules' | 'fileName'>): string {
  return rules.source ?? sourceNameOf(fileName, rules.storeUrl ?? undefined)
}

/** Says that it is the same file read by the same rules, so that an import that was cut off goes on. */
export function fingerprintOf({ id, rules }: Pick<ImportFile, 'id' | 'rules'>): string {
  return sha256(`import file ${id} ${JSON.stringify(rules)}`).toString('hex')
}

export function readingOf({ storeUrl, encoding }: FileRules): ReadingRules {
  return { ...(storeUrl !== null && { storeUrl }), ...(encoding !== null && { encoding }) }
}

/** The known ones, and over them those that were given for this file. */
export async function ratesOf(ctx: FilesContext, rules: FileRules): Promise<Rates> {
  const known = await listRates(ctx)
  const at = ctx.clock.now().toISOString()
  const given = Object.entries(rules.rates).map(([code, rate]) => {
    const same = known[code]
    return [code, same?.rate === rate ? same : { rate, at }] as const
  })
  return { ...known, ...Object.fromEntries(given) }
}

/** For the next file: what is known already is not said again. */
async function keepRates(ctx: FilesContext, by: AuditActor, given: FileRules['rates']): Promise<void> {
  const known = await listRates(ctx)
  const fresh = Object.entries(given).filter(([code, rate]) => known[code]?.rate !== rate)
  if (fresh.length > 0) await setRates(ctx, { by, rates: Object.fromEntries(fresh) })
}

function fileOf(row: FileRow): ImportFile {
  return { ...row, rules: FileRules.parse(row.rules), result: resultOf(row.result) }
}

function resultOf(stored: unknown): FileResult | null {
  const parsed = FileResult.safeParse(stored)
  return parsed.success ? parsed.data : null
}

function requireFile(ctx: Pick<FilesContext, 'clock'>, row: FileRow | null): ImportFile {
  if (!row || !isKept(ctx, row)) throw noFile()
  return fileOf(row)
}

function isKept(ctx: Pick<FilesContext, 'clock'>, { held, updatedAt }: FileRow): boolean {
  return held || updatedAt > oldest(ctx)
}

function ofSource(): AppError {
  return conflict('this file belongs to a source; run or change it on the page of the source')
}

function oldest({ clock }: Pick<FilesContext, 'clock'>): Date {
  return new Date(clock.now().getTime() - FILE_KEPT_MS)
}

export function isRunning({ state }: Pick<ImportFile, 'state'>): boolean {
  return state === 'checking' || state === 'importing'
}

async function isTakenBack(db: Db, importId: string | null): Promise<boolean> {
  return importId === null || (await getImport({ db }, importId, { limit: 0 })).state === 'undone'
}

function isFormat(text: string): text is ImportFormat {
  return IMPORT_FORMATS.some((format) => format === text)
}

function formatOf({ format }: FileRules): ImportFormat | null {
  return format !== null && isFormat(format) ? format : null
}

function rateOf(text: string, field: string): number {
  const rate = Number(text.trim().replace(',', '.'))
  if (Number.isFinite(rate) && rate > 0 && rate < 1e6) return rate
  throw invalid(field, 'enter US dollars per unit, such as 1.08')
}

function encodingOf(text: string): string {
  const encoding = encodingNamed(text)
  if (encoding !== null) return encoding
  throw invalid('encoding', 'choose one of the encodings')
}

function storeOf(text: string): string {
  const store = storeAddress(text)
  if (store !== null) return store
  throw invalid('store_url', 'enter a URL such as https://shop.example')
}

function busy(): AppError {
  return conflict('this file is being processed; wait until that is done')
}

/** Nobody waits longer for a guess. */
const LIKELY_MS = 10_000

/** Says of categories that would be new which of ours holds such products; kept with the look, so it is found out once. */
async function addLikely(ctx: FilesContext, { rules }: ImportFile, look: CatalogLook): Promise<void> {
  const chooser = await chooserOf(ctx, rules, await listCategories(ctx))
  const fresh = look.categories.filter(({ path }) => chooser.find(placeOf(path)) === null)
  const titles = fresh.map((category) => category.titles ?? [])
  for (const category of look.categories) delete category.titles
  if (fresh.length === 0 || !ctx.categoriesLike) return
  try {
    const asked = ctx.categoriesLike(titles)
    const found = await inTime(asked, LIKELY_MS, () => new Error('comparing categories takes too long'))
    fresh.forEach((category, at) => {
      category.likely = found[at] ?? undefined
    })
  } catch (error) {
    ctx.log.warn({ err: error }, 'categories of a file could not be compared')
  }
}

async function chooserOf(ctx: FilesContext, rules: FileRules, categories: readonly Category[]) {
  return createCategoryChooser(categories, { map: rules.categories }, await findCategoryNames(ctx.db))
}

function placeOf(path: readonly string[]) {
  return { category: path.at(-1) ?? '', categoryPath: path.slice(0, -1) }
}

/** What a category of the file comes to. `key` names it in forms. */
export type CategoryChoice = {
  key: string
  path: string[]
  rows: number
  /** Null: it would be made. */
  ours: Category | null
  /** Whether somebody said so. */
  isMapped: boolean
  /** Called alike. */
  near: Category[]
  /** Holds products that mean the like. */
  likely: Category | null
}

/** New ones first, then by their rows. */
export async function choicesOf(
  ctx: FilesContext,
  { rules }: ImportFile,
  look: CatalogLook,
): Promise<{ choices: CategoryChoice[]; categories: Category[] }> {
  const categories = await listCategories(ctx)
  const bySlug = new Map(categories.map((category) => [category.slug, category]))
  const chooser = await chooserOf(ctx, rules, categories)
  const choices = look.categories.map(({ path, rows, likely }): CategoryChoice => {
    const ours = chooser.find(placeOf(path))
    const slugs = ours ? [] : chooser.near(path.at(-1) ?? '').slice(0, 3)
    const near = slugs.flatMap((slug) => bySlug.get(slug) ?? [])
    const isMapped = Object.hasOwn(rules.categories, theirName(path))
    const like = ours || likely === undefined ? null : (bySlug.get(likely) ?? null)
    return { key: keyOf(path), path, rows, ours, isMapped, near, likely: like }
  })
  choices.sort((a, b) => Number(a.ours !== null) - Number(b.ours !== null) || b.rows - a.rows)
  return { choices, categories }
}

function theirName(path: readonly string[]): string {
  return path.join(' > ')
}

/** Short, because a path may be as long as a page. */
export function keyOf(path: readonly string[]): string {
  return sha256(JSON.stringify(path)).toString('hex').slice(0, 12)
}

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
  if (linesLeft > 0) rows.push(['', '', '', '', '', `and ${linesLeft} more that were not saved`, ''])
  const stem = file.fileName.slice(0, MAX_STEM).replace(/(\.[a-z]+)*$/i, '')
  const name = stem.replaceAll(/[^\w.-]+/g, '-') || 'file'
  return { fileName: `${name}-report.csv`, text: tableText(rows) }
}
