/**
 * The operator's catalog import by upload. Two steps, and the file comes with each: nothing is kept between them, so there
 * is no draft to lose, to find or to tidy up. The first writes nothing and gives the mark of what it read; the second
 * takes only what bears that mark.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { recordAudit } from '../../../accounts/audit.service.ts'
import { listAllCategories } from '../../../catalog/catalog.service.ts'
import { readOperators } from '../../../catalog/file-readers.ts'
import { detectFormat } from '../../../catalog/import/read-rows.ts'
import type { ImportFormat } from '../../../catalog/import/rows.ts'
import { importProducts } from '../../../catalog/import.service.ts'
import type { UploadedFile } from '../../../http/upload.ts'
import { AppError } from '../../../lib/errors.ts'
import { cleanLine } from '../../../lib/text.ts'
import { type FormState, UNTOUCHED } from '../../forms/fields.tsx'
import { sendPage } from '../../page.http.ts'
import { type Fill, streamPage } from '../../stream-page.tsx'
import type { AdminDeps } from '../deps.ts'
import type { Admin, Operator } from '../door.ts'
import { IMPORT } from '../paths.ts'
import {
  type ImportRun,
  PROBLEMS_SHOWN,
  renderImport,
  renderImporting,
  renderProgress,
  renderResult,
} from './import.page.tsx'

const MAX_BYTES = 200 * 1024 ** 2
const TELL_EVERY_MS = 1_000
const SOURCE_LENGTH = 120

const ImportForm = z.object({
  step: z.enum(['check', 'import']),
  format: z.enum(['', 'jsonl', 'csv', 'google', 'shopify']).default(''),
  category: z.string().max(200).default(''),
  checked: z.string().max(64).default(''),
})

type Asked = z.infer<typeof ImportForm>
type Work = {
  operator: Operator
  input: Asked
  file: UploadedFile
  run: Omit<ImportRun, 'problems'>
  categories: Awaited<ReturnType<typeof listAllCategories>>
  write: Parameters<Fill>[0]
  signal: AbortSignal
}

export function mountImport(admin: Admin, { site, ctx, shown }: AdminDeps): void {
  const render = async (operator: Operator, state: FormState) =>
    renderImport({ site, operator, state, categories: await listAllCategories(ctx) })

  admin.get(IMPORT, async (c, operator) => sendPage(c, await render(operator, UNTOUCHED)))
  admin.post(IMPORT, {
    schema: ImportForm,
    upload: { field: 'file', maxBytes: MAX_BYTES },
    render: ({ operator, state }) => render(operator, state),
    async act({ c, operator, input, file }) {
      if (!file) throw new AppError('invalid', 'choose a file', { field: 'file' })
      const categories = await listAllCategories(ctx)
      if (input.category !== '' && !categories.some(({ slug }) => slug === input.category))
        throw new AppError('invalid', 'there is no such category', { field: 'category' })
      const run = await runOf(input, file)
      if (!run.dryRun && input.checked !== run.fingerprint)
        throw new AppError('conflict', 'this is not the file that was checked; check it first', {
          field: 'file',
        })
      file.keep()
      return streamPage(c, renderImporting({ site, operator, run }), async (write, signal) => {
        try {
          await importFile({ operator, input, file, run, categories, write, signal })
        } finally {
          await file.close()
        }
      })
    },
  })

  async function importFile(work: Work): Promise<void> {
    const { operator, input, file, run, categories, write, signal } = work
    const record = (action: string, detail: Record<string, unknown>) => {
      const { by: actor, visit } = operator
      return recordAudit(ctx.db, { actor, visit, action, at: ctx.clock.now(), detail })
    }
    // Before the first row is written: one that is cut off is in the log all the same.
    if (!run.dryRun) await record('catalog.import_begun', { source: run.source })
    const problems: ImportRun['problems'] = []
    let told = performance.now()
    // The page may be closed: the import goes on without it.
    const tell = (text: string) => {
      write(renderProgress(text)).catch(() => {})
    }
    // A check is for whoever reads it; an import that was begun is finished, also when its page is closed.
    const pieces = piecesOf(file, run.dryRun ? signal : null)
    const summary = await importProducts(ctx, pieces, {
      format: run.format,
      defaultCategory: input.category || undefined,
      source: run.source,
      fingerprint: run.fingerprint,
      dryRun: run.dryRun,
      read: readOperators,
      onProblem: (problem) => problems.length < PROBLEMS_SHOWN && problems.push(problem),
      onNotice: (text) => tell(text),
      onProgress: (rows) => {
        if (performance.now() - told < TELL_EVERY_MS) return
        told = performance.now()
        tell(`${rows.toLocaleString('en-US')} rows so far.`)
      },
    })
    if (!run.dryRun) {
      const { created, updated, unchanged, failed } = summary
      await record('catalog.imported', { source: run.source, created, updated, unchanged, failed })
      await shown()
    }
    await write(renderResult({ run: { ...run, problems }, summary, input, categories }))
  }
}

async function runOf(input: Asked, file: UploadedFile): Promise<Omit<ImportRun, 'problems'>> {
  const hash = createHash('sha256')
  let start: Uint8Array | null = null
  for await (const piece of file.pieces()) {
    start ??= piece
    hash.update(piece)
  }
  const format: ImportFormat | null =
    input.format === '' ? detectFormat(file.name, start ?? new Uint8Array()) : input.format
  if (!format)
    throw new AppError('invalid', 'cannot tell what kind of file this is; say it here', { field: 'format' })
  const source = cleanLine(file.name).slice(0, SOURCE_LENGTH).toWellFormed() || 'upload'
  // As the command marks its files, so that one that was cut off goes on by either way.
  for (const option of [format, '{}', input.category]) hash.update(`\0${option}`)
  return { source, format, dryRun: input.step === 'check', fingerprint: hash.digest('hex') }
}

async function* piecesOf(file: UploadedFile, signal: AbortSignal | null): AsyncGenerator<Uint8Array> {
  for await (const piece of file.pieces()) {
    signal?.throwIfAborted()
    yield piece
  }
}
