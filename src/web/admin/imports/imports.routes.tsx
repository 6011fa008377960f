/**
 * The operator's imports: the list, one import and its undoing, and the way of a new file. Every step is a post that leads
 * to a page, so that going back and reloading do no harm; a check and an import are jobs, which the page only follows.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from 'hono'
import { z } from 'zod'
import { openFileStore } from '../../../catalog/import-content.ts'
import { FILE_BYTES, type ImportFile } from '../../../catalog/import-files.schema.ts'
import {
  type Corrections,
  choicesOf,
  correctFile,
  discardFile,
  type FilesContext,
  fileOfImport,
  getFile,
  getFileStep,
  isRunning,
  listFiles,
  lookAtFile,
  placesOf,
  ratesOf,
  startFile,
  takeUpload,
  writeReport,
} from '../../../catalog/import-files.service.ts'
import { getImport, listImports, previewUndo, undoImport } from '../../../catalog/import-undo.service.ts'
import type { HttpEnv } from '../../../http/env.ts'
import { AppError } from '../../../lib/errors.ts'
import { sentence } from '../../format.ts'
import { type FormState, UNTOUCHED } from '../../kit/fields.tsx'
import { aboveAll } from '../../kit/parts.tsx'
import { doneWords, sendCsv, sendPage } from '../../page.http.ts'
import { streamPage } from '../../stream-page.tsx'
import type { AdminDeps } from '../deps.ts'
import type { Admin, Operator } from '../guard.ts'
import { IMPORTS } from '../paths.ts'
import {
  BatchReport,
  renderBatch,
  renderUndo,
  renderUndoEnd,
  renderUndoing,
  WRITTEN_SHOWN,
} from './batch.page.tsx'
import {
  type FrameProps,
  renderBody,
  renderEnd,
  renderFile,
  renderReading,
  renderRunning,
  renderStep,
  renderUnread,
  type Seen,
} from './file.page.tsx'
import { batchPath, filePath, inPageWords, NEW_IMPORT } from './imports.words.ts'
import { LISTED, renderImports } from './list.page.tsx'
import { renderUpload } from './upload.page.tsx'

const FILE = `${NEW_IMPORT}/:id`
const BATCH = `${IMPORTS}/:id`
/** All that is left then is to store the last part. */
const STILL_MS = 30_000
const STEP_MS = 500
/** A page is followed for so long, and then asked for anew. */
const FOLLOWED_MS = 10 * 60_000
/** Within this, an import is undone before anybody would look at its progress. */
const PATIENCE_MS = 700

const NoFields = z.object({})
const RunForm = z.object({ step: z.enum(['check', 'import'], 'choose what is to be done') })
const LINE = z.string().trim().max(300, 'at most 300 characters').default('')
const orNull = LINE.transform((text) => text || null)

const CorrectionsForm = z
  .looseObject({
    step: z.enum(['preview', 'check']).default('preview'),
    format: orNull,
    encoding: orNull,
    currency: orNull,
    rate: orNull,
    source: orNull,
    store_url: orNull,
    default_category: orNull,
    asks_new: LINE,
    make_new: LINE,
    overwrite_edits: LINE,
    restore_deleted: LINE,
  })
  .transform(({ step, ...form }): { step: 'preview' | 'check'; said: Corrections } => {
    const named = (pattern: RegExp) =>
      Object.entries(form).flatMap(([name, value]) => {
        const key = pattern.exec(name)?.[1]
        return key === undefined ? [] : [[key, String(value)] as const]
      })
    const specs = new Map(named(/^spec_(\d{1,4})$/))
    const columns = named(/^column_(\d{1,4})$/).map(
      ([column, read]) =>
        [Number(column), read === 'spec' ? `spec:${(specs.get(column) ?? '').trim()}` : read] as const,
    )
    return {
      step,
      said: {
        format: form.format,
        encoding: form.encoding,
        columns: columns.length > 0 ? new Map(columns) : null,
        currency: form.currency,
        rate: form.rate,
        rates: Object.fromEntries(named(/^rate_([A-Z]{3})$/)),
        categories: new Map(named(/^category_([0-9a-f]{12})$/)),
        makeNew: form.asks_new === '' ? null : form.make_new === 'on',
        defaultCategory: form.default_category,
        storeUrl: form.store_url,
        source: form.source,
        overwriteEdits: form.overwrite_edits === 'on',
        restoreDeleted: form.restore_deleted === 'on',
      },
    }
  })

const DONE = {
  removed: 'The file is removed.',
  read: 'The preview is up to date.',
  undone: 'The import is undone.',
}

export function mountImports(admin: Admin, { site, config, ctx, shown, search }: AdminDeps): void {
  const { categoriesLike } = search
  const files: FilesContext = { ...ctx, ownCurrency: config.currency, categoriesLike }
  const idOf = (c: Context) => c.req.param('id') ?? ''
  const done = (c: Context) => doneWords(DONE, c.req.query('done'))

  admin.get(IMPORTS, async (c, operator) => {
    const [imports, brought] = [await listImports(ctx, { limit: LISTED }), await listFiles(files)]
    const now = ctx.clock.now()
    return sendPage(c, renderImports({ site, operator, imports, files: brought, done: done(c), now }))
  })

  admin.get(NEW_IMPORT, (c, operator) => sendPage(c, renderUpload({ site, operator, state: UNTOUCHED })))
  admin.post(NEW_IMPORT, {
    schema: NoFields,
    upload: ({ actor }) => ({
      field: 'file',
      maxBytes: FILE_BYTES,
      stillMs: STILL_MS,
      store: (fileName) => openFileStore(ctx, { userId: actor.user.id, fileName }),
    }),
    render: ({ operator, state }) => renderUpload({ site, operator, state }),
    async act({ operator, file }) {
      if (!file?.storedAs) throw new AppError('invalid', 'choose a file', { field: 'file' })
      await takeUpload(files, operator, { id: file.storedAs, sizeBytes: file.size })
      file.keep()
      return filePath({ id: file.storedAs })
    },
  })

  admin.get(FILE, async (c, operator) => {
    const file = await getFile(files, idOf(c))
    const frame = frameOf(operator, file, UNTOUCHED, done(c))
    if (isRunning(file)) return follow(c, frame)
    if (file.look) return sendPage(c, renderFile({ ...frame, seen: await see(file) }))
    return streamPage(c, renderUnread(frame), async (write) => {
      await write(renderReading())
      const seen = await see(file)
      await write(renderBody({ ...frame, ...seen }))
    })
  })

  const again = async ({
    c,
    operator,
    state,
  }: {
    c: Context<HttpEnv>
    operator: Operator
    state: FormState
  }) => {
    const file = await getFile(files, idOf(c))
    return renderFile({ ...frameOf(operator, file, state), seen: await see(file) })
  }
  admin.post(FILE, {
    schema: CorrectionsForm,
    render: again,
    async act({ c, operator, input: { step, said } }) {
      await correctFile(files, idOf(c), said)
      const path = filePath({ id: idOf(c) })
      if (step === 'preview') return `${path}?done=read`
      await startFile(files, operator, { id: idOf(c), dryRun: true })
      return path
    },
  })
  admin.post(`${FILE}/run`, {
    schema: RunForm,
    render: ({ state, ...rest }) => again({ ...rest, state: { values: {}, errors: aboveAll(state.errors) } }),
    async act({ c, operator, input: { step } }) {
      await startFile(files, operator, { id: idOf(c), dryRun: step === 'check' })
      return filePath({ id: idOf(c) })
    },
  })
  admin.post(`${FILE}/delete`, {
    schema: NoFields,
    render: ({ state, ...rest }) => again({ ...rest, state: { values: {}, errors: aboveAll(state.errors) } }),
    async act({ c, operator }) {
      await discardFile(files, operator, idOf(c))
      return `${IMPORTS}?done=removed`
    },
  })
  admin.get(`${FILE}/report.csv`, async (c) => {
    const written = await writeReport(files, idOf(c))
    if (!written)
      throw new AppError('not_found', 'there is no report of this file yet', { code: 'not_found' })
    return sendCsv(c, written.fileName, written.text)
  })

  admin.get(BATCH, async (c, operator) => {
    const batch = await findBatch(idOf(c), WRITTEN_SHOWN)
    const report = BatchReport.parse(batch.report)
    const places = await placesOf(ctx, [
      ...report.joinedRows.map(({ slug }) => slug),
      ...report.twins.twins.flatMap(({ slug, other }) => [slug, other]),
      ...(report.undone?.kept.map(({ name }) => name) ?? []),
    ])
    const fileId = await fileOfImport(files, batch.id)
    const now = ctx.clock.now()
    return sendPage(c, renderBatch({ site, operator, batch, report, places, fileId, done: done(c), now }))
  })

  const undoPage = async (c: Context, operator: Operator, state: FormState) => {
    const batch = await findBatch(idOf(c), 0)
    const preview = await previewUndo(ctx, batch.id)
    const places = await placesOf(
      ctx,
      preview.kept.slice(0, 50).map(({ name }) => name),
    )
    return renderUndo({ site, operator, batch, preview, places, state })
  }
  admin.get(`${BATCH}/undo`, async (c, operator) => {
    const batch = await findBatch(idOf(c), 0)
    if (batch.state === 'undone') return c.redirect(batchPath(batch), 303)
    return sendPage(c, await undoPage(c, operator, UNTOUCHED))
  })
  admin.post(`${BATCH}/undo`, {
    schema: NoFields,
    render: ({ c, operator, state }) => undoPage(c, operator, { values: {}, errors: aboveAll(state.errors) }),
    async act({ c, operator }) {
      const batch = await findBatch(idOf(c), 0)
      const undoing = undoImport(ctx, { by: operator.by, id: batch.id })
        .then(shown)
        .then(
          () => ({ error: null }),
          (error: unknown) => ({ error }),
        )
      const early = await Promise.race([undoing, sleep(PATIENCE_MS, null)])
      if (early?.error) throw early.error
      if (early) return `${batchPath(batch)}?done=undone`
      return streamPage(c, renderUndoing({ site, operator, batch }), async (write) => {
        const { error } = await undoing
        if (error) throw error
        await write(renderUndoEnd(batch))
      })
    },
  })

  function frameOf(
    operator: Operator,
    file: ImportFile,
    state: FormState,
    done: string | null = null,
  ): FrameProps {
    return { site, operator, file, state, done, now: ctx.clock.now() }
  }

  async function see(file: ImportFile): Promise<Seen> {
    const look = await lookAtFile(files, file)
    const { choices, categories } = await choicesOf(files, file, look)
    const said = file.result?.said
    const slugs = [
      ...(said?.joinedRows ?? []).map(({ slug }) => slug),
      ...(said?.twins.twins ?? []).flatMap(({ slug, other }) => [slug, other]),
    ]
    return {
      look,
      choices,
      categories,
      rates: await ratesOf(files, file.rules),
      places: await placesOf(ctx, slugs),
    }
  }

  /** Says how far it is until it is done, or the reader has gone. */
  function follow(c: Context<HttpEnv>, frame: FrameProps): Response {
    const { file } = frame
    return streamPage(c, renderRunning(frame), async (write, signal) => {
      const until = performance.now() + FOLLOWED_MS
      for (let shownLast = ''; !signal.aborted; ) {
        const step = await getFileStep(files, file.id)
        if (!step || !isRunning(step)) return write(renderEnd({ file, text: endWords(step) }))
        const words = renderStep({ file, ...step })
        if (words !== shownLast) await write(words)
        shownLast = words
        if (performance.now() > until) return
        await sleep(STEP_MS)
      }
    })
  }

  async function findBatch(id: string, limit: number) {
    return getImport(ctx, id, { limit }).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.kind !== 'not_found') throw error
      throw new AppError('not_found', 'there is no such import', { code: 'not_found' })
    })
  }
}

function endWords(step: Pick<ImportFile, 'state' | 'result'> | null): string {
  if (!step) return 'The file is gone.'
  if (step.result?.problem !== undefined) return `It stopped. ${sentence(inPageWords(step.result.problem))}`
  return step.state === 'done' ? 'The import is done.' : 'Every row is checked.'
}
