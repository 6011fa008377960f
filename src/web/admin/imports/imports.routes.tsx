/**
 * /admin/imports: every import and its undo, and a new file on its way from upload to import. Each step is a post that
 * leads to a page, so going back and reloading are safe. Checks and imports are jobs; the page only follows them.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Child } from 'hono/jsx'
import { z } from 'zod'
import { openFileStore } from '../../../catalog/import-content.ts'
import { FILE_BYTES, type FileState, type ImportFile } from '../../../catalog/import-files.schema.ts'
import {
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
import {
  getImport,
  type ImportRecord,
  isTooOld,
  listImports,
  previewUndo,
  undoImport,
} from '../../../catalog/import-undo.service.ts'
import { AppError } from '../../../lib/errors.ts'
import { Ago, Moment } from '../../components/moment.tsx'
import { countOf, formatCount, sentence } from '../../format.ts'
import type { Page, Stream } from '../../kit/console.tsx'
import { FileField, Form, type FormState, UNTOUCHED } from '../../kit/fields.tsx'
import { choice, column, defineList, uncounted } from '../../kit/list.tsx'
import {
  Action,
  figure,
  LinkButton,
  LinkLine,
  noted,
  Panel,
  Stats,
  stateOf,
  TablePanel,
  Waiting,
  type Word,
} from '../../kit/parts.tsx'
import { sendCsv } from '../../page.http.ts'
import { Hole } from '../../stream-page.tsx'
import type { Admin, AdminDeps, AdminSeen } from '../guard.ts'
import { IMPORTS } from '../nav.ts'
import { Corrections, CorrectionsForm, formatWords, type Looked, Preview } from './reading.tsx'
import {
  BatchReport,
  batchPath,
  filePath,
  inPageWords,
  Kept,
  NEW_IMPORT,
  Pairs,
  type Places,
  Run,
  Said,
  WrittenList,
} from './report.tsx'

const FILE = `${NEW_IMPORT}/:id`
const BATCH = `${IMPORTS}/:id`
/** How long an upload may pause; all that is left then is to store the last part. */
const STILL_MS = 30_000
const STEP_MS = 500
/** A page is followed for so long, and then asked for again. */
const FOLLOWED_MS = 10 * 60_000
/** An undo that ends within this redirects to its result. A longer undo shows its progress. */
const PATIENCE_MS = 700
const WRITTEN_SHOWN = 500
const KEPT_SHOWN = 50

const FILE_WORDS: Record<FileState, Word> = {
  uploading: { words: 'Uploading', tone: 'quiet' },
  uploaded: { words: 'Not checked', tone: 'quiet' },
  checking: { words: 'Checking', tone: 'mixed' },
  checked: { words: 'Ready to import', tone: 'mixed' },
  importing: { words: 'Importing', tone: 'mixed' },
  done: { words: 'Imported', tone: 'good' },
  failed: { words: 'Stopped', tone: 'bad' },
}
const BATCH_WORDS: Record<ImportRecord['state'], Word> = {
  running: { words: 'Not finished', tone: 'mixed' },
  done: { words: 'Done', tone: 'good' },
  undone: { words: 'Undone', tone: 'quiet' },
}
const STEPS = ['Upload', 'Preview', 'Check', 'Import'] as const
const SAID = { removed: 'File removed.', read: 'Preview updated.', undone: 'Import undone.' }

const LIST = defineList(IMPORTS, 'import', {
  search: 'File or source',
  filters: { state: choice('Status', BATCH_WORDS) },
})

const RunForm = z.object({ step: z.enum(['check', 'import'], 'Choose what to do.') })

const ALL_IMPORTS = <LinkButton to={IMPORTS} label="All imports" />

export function mountImports(admin: Admin, { config, ctx, shown, search }: AdminDeps): void {
  const files: FilesContext = {
    ...ctx,
    ownCurrency: config.currency,
    categoriesLike: search.categoriesLike,
  }

  admin.list<ImportRecord, typeof LIST.filters>(LIST, async ({ asked }) => {
    const { q, filters, limit, offset } = asked
    const part = { search: q || null, state: filters.state || null, limit: limit + 1, offset }
    const [imports, brought] = [await listImports(ctx, part), await listFiles(files)]
    const now = ctx.clock.now()
    const waiting = brought.filter(({ state }) => state !== 'done')
    return {
      title: 'Imports',
      lead: 'Add products from a file. You see what changes before anything is saved, and can undo an import for 90 days.',
      said: SAID,
      actions: <LinkButton to={NEW_IMPORT} primary label="Import a file" />,
      ...uncounted(imports, asked),
      order: 'Newest first',
      columns: [
        column.text('Import', nameOf, (batch) =>
          noted(
            <a href={batchPath(batch)}>{nameOf(batch)}</a>,
            batch.fileName !== null && `from ${batch.source}`,
          ),
        ),
        column.count('New', ({ counts }) => counts.created ?? 0),
        column.count('Updated', ({ counts }) => counts.updated ?? 0),
        column.count('Failed', ({ counts }) => counts.failed ?? 0),
        column.state('Status', ({ state }) => BATCH_WORDS[state]),
        column.ago('Started', 'startedAt', now),
      ],
      empty: [
        <p>No imports yet. Start with a shop export, a product feed or a spreadsheet.</p>,
        <LinkButton to={NEW_IMPORT} primary label="Import a file" />,
      ],
      above: waiting.length > 0 && (
        <TablePanel
          title="Not imported yet"
          lead="We keep a file for a day after you last worked on it."
          columns={['File', 'Size', 'Status', 'Uploaded']}
          rows={waiting.map((file) => [
            <a href={filePath(file)}>{file.fileName}</a>,
            sizeWords(file.sizeBytes),
            stateOf(FILE_WORDS[file.state]),
            <Ago at={file.createdAt} now={now} />,
          ])}
        />
      ),
    }
  })

  const uploadPage = ({ state }: AdminSeen): Page => ({
    title: 'Import a file',
    lead: "Nothing is saved to the catalog until you've seen what changes and confirmed it.",
    actions: ALL_IMPORTS,
    body: [
      <Steps at="Upload" />,
      <Panel title="Choose a file">
        <Form action={NEW_IMPORT} enctype="multipart/form-data" label="Upload">
          <FileField
            state={state}
            label="Choose a file, or drop it here"
            hint="Shop exports (such as Shopify), Google Merchant feeds, CSV, TSV and JSONL, zipped or not. 200 MB at most."
            drop
          />
        </Form>
      </Panel>,
      <p class="soft">
        Larger file? Run <code>npm run souk -- import FILE</code> on the server. It takes files of any size.
      </p>,
    ],
  })
  admin.page(NEW_IMPORT, uploadPage)
  admin.action(NEW_IMPORT, {
    upload: ({ actor }) => ({
      field: 'file',
      maxBytes: FILE_BYTES,
      stillMs: STILL_MS,
      store: (fileName) => openFileStore(ctx, { userId: actor.user.id, fileName }),
    }),
    async act({ operator, file }) {
      if (!file?.storedAs) throw new AppError('invalid', 'Choose a file.', { field: 'file' })
      await takeUpload(files, operator, { id: file.storedAs, sizeBytes: file.size })
      file.keep()
      return filePath({ id: file.storedAs })
    },
  })

  async function showFile({ id, state }: AdminSeen): Promise<Page> {
    const file = await getFile(files, id)
    const page = (body: Child, stream?: Stream): Page => ({
      title: file.fileName,
      lead: (
        <>
          {[sizeWords(file.sizeBytes), file.look?.format && formatWords(file.look.format), rowWords(file)]
            .filter(Boolean)
            .join(', ')}
          , uploaded <Ago at={file.createdAt} now={ctx.clock.now()} />
        </>
      ),
      said: SAID,
      actions: ALL_IMPORTS,
      body: [<Steps at={stepOf(file)} />, body],
      stream,
    })
    const isRefused = state !== UNTOUCHED
    if (isRunning(file) && !isRefused)
      return page(
        <div class="import-steps" role="status">
          <Hole />
        </div>,
        follow(file),
      )
    const body = async () => <FileBody file={file} state={state} {...(await see(file))} />
    if (file.look || isRefused) return page(await body())
    return page(<Hole />, async (write) => {
      const reading = (
        <div class="import-steps" role="status">
          <p>
            <progress aria-label="Reading the file" />
            <span>Reading the file. This takes a few seconds.</span>
          </p>
        </div>
      )
      await write(reading)
      await write(await body())
    })
  }
  /** For buttons beside the form of corrections: what they send is not what is typed there. */
  const showFileAgain = ({ state: { errors }, ...seen }: AdminSeen) =>
    showFile({ ...seen, state: { values: {}, errors } })

  admin.page(FILE, showFile)
  admin.action(FILE, {
    schema: CorrectionsForm,
    async act({ id, operator, input: { step, said } }) {
      await correctFile(files, id, said)
      if (step === 'preview') return `${filePath({ id })}?done=read`
      await startFile(files, operator, { id, dryRun: true })
      return filePath({ id })
    },
  })
  admin.action(`${FILE}/run`, {
    ...{ schema: RunForm, page: showFileAgain },
    async act({ id, operator, input: { step } }) {
      await startFile(files, operator, { id, dryRun: step === 'check' })
      return filePath({ id })
    },
  })
  admin.action(`${FILE}/delete`, {
    ...{ page: showFileAgain, done: `${IMPORTS}?done=removed` },
    act: ({ id, operator }) => discardFile(files, operator, id),
  })
  admin.page(`${FILE}/report.csv`, async ({ c, id }) => {
    const written = await writeReport(files, id)
    if (!written) throw new AppError('not_found', 'This file has no report yet.', { code: 'not_found' })
    return sendCsv(c, written.fileName, written.text)
  })

  admin.page(BATCH, async ({ id }) => {
    const batch = await findBatch(id, WRITTEN_SHOWN)
    const report = BatchReport.parse(batch.report)
    const places = await placesOf(ctx, [
      ...slugsOf(report),
      ...(report.undone?.kept.map(({ name }) => name) ?? []),
    ])
    const fileId = await fileOfImport(files, batch.id)
    const { created = 0, updated = 0, unchanged = 0, failed = 0, joined = 0 } = batch.counts
    const { undone } = report
    const isUndone = batch.state === 'undone'
    const isOld = isTooOld(batch, ctx.clock.now())
    return {
      title: nameOf(batch),
      lead: (
        <>
          {stateOf(BATCH_WORDS[batch.state])} From {batch.source}, <Moment at={batch.startedAt} />
        </>
      ),
      said: SAID,
      actions: [
        !isUndone && !isOld && <LinkButton to={`${batchPath(batch)}/undo`} label="Undo this import" />,
        ALL_IMPORTS,
      ],
      body: [
        undone && (
          <Panel title="What was undone">
            <Stats
              items={[
                figure('Products removed', undone.removed),
                figure('Products restored', undone.restored),
                figure('Categories removed', undone.categoriesRemoved),
                figure('Kept', undone.keptTotal),
              ]}
            />
            <Kept kept={undone.kept.slice(0, KEPT_SHOWN)} total={undone.keptTotal} places={places} />
          </Panel>
        ),
        <Stats
          items={[
            figure('New', created),
            figure('Updated', updated),
            figure('Matched', joined, joined > 0 && 'to existing products'),
            figure('Unchanged', unchanged),
            figure('Failed', failed),
          ]}
        />,
        fileId !== null && <LinkLine to={filePath({ id: fileId })}>See the row report</LinkLine>,
        isOld && !isUndone && (
          <p class="soft">You can't undo this import: it finished more than 90 days ago.</p>
        ),
        <WrittenList batch={batch} isCut={batch.written.length >= WRITTEN_SHOWN} />,
        <Pairs report={report} places={places} />,
      ],
    }
  })

  async function showUndo({ id }: AdminSeen): Promise<Page> {
    const batch = await findBatch(id, 0)
    const { removed, restored, categories, kept } = await previewUndo(ctx, batch.id)
    const keptShown = kept.slice(0, KEPT_SHOWN)
    const places = await placesOf(
      ctx,
      keptShown.map(({ name }) => name),
    )
    return {
      title: `Undo ${nameOf(batch)}`,
      lead:
        removed + restored + categories === 0
          ? 'There is nothing left to undo.'
          : 'Review what changes. Nothing is undone yet.',
      actions: <LinkButton to={batchPath(batch)} label="Cancel" />,
      body: [
        <Panel title="What will change">
          <Stats
            items={[
              figure('Products to remove', removed, 'added by this import'),
              figure('Products to restore', restored, 'to their earlier version'),
              figure('Categories to remove', categories, categories > 0 && 'they hold nothing else'),
              figure('Kept', kept.length, kept.length > 0 && 'see why below'),
            ]}
          />
          <p class="soft">
            Pages, search and feeds update right away. You can't redo an undone import; import the file again
            instead.
          </p>
          <Form
            action={`${batchPath(batch)}/undo`}
            label={removed > 0 ? `Undo and remove ${countOf(removed, 'product')}` : 'Undo this import'}
            kind="danger"
          />
        </Panel>,
        kept.length > 0 && (
          <Panel title="What we keep" lead="These were changed since the import, or are in use.">
            <Kept kept={keptShown} total={kept.length} places={places} />
          </Panel>
        ),
      ],
    }
  }
  admin.page(`${BATCH}/undo`, async (seen) => {
    const batch = await findBatch(seen.id, 0)
    return batch.state === 'undone' ? seen.c.redirect(batchPath(batch), 303) : showUndo(seen)
  })
  admin.action(`${BATCH}/undo`, {
    ...{ page: showUndo },
    async act({ id, operator }) {
      const batch = await findBatch(id, 0)
      const undoing = undoImport(ctx, { by: operator.by, id: batch.id })
        .then(shown)
        .then(
          () => ({ error: null }),
          (error: unknown) => ({ error }),
        )
      const early = await Promise.race([undoing, sleep(PATIENCE_MS, null)])
      if (early?.error) throw early.error
      if (early) return `${batchPath(batch)}?done=undone`
      return {
        title: `Undo ${nameOf(batch)}`,
        body: [
          <Waiting label="Undoing the import">
            Undoing the import. You can close this page; the undo will finish.
          </Waiting>,
          <div class="ended">
            <Hole />
          </div>,
        ],
        async stream(write) {
          const { error } = await undoing
          if (error) throw error
          await write(
            <p>
              Import undone. <a href={batchPath(batch)}>See the result</a>
            </p>,
          )
        },
      }
    },
  })

  async function see(file: ImportFile): Promise<Looked & { places: Places }> {
    const look = await lookAtFile(files, file)
    const { choices, categories } = await choicesOf(files, file, look)
    const said = file.result?.said
    const places = await placesOf(ctx, said ? slugsOf(said) : [])
    return { look, choices, categories, rates: await ratesOf(files, file.rules), places }
  }

  /** Writes how far the job is until it ends or the reader leaves. */
  function follow(file: ImportFile): Stream {
    return async (write, signal) => {
      const until = performance.now() + FOLLOWED_MS
      for (let shownLast = ''; !signal.aborted; ) {
        const step = await getFileStep(files, file.id)
        if (!step || !isRunning(step)) {
          return write(
            <p>
              <span>{endWords(step)}</span>
              <LinkButton to={filePath(file)} primary label="See the result" />
            </p>,
          )
        }
        const progress = <Progress file={file} {...step} />
        if (String(progress) !== shownLast) await write(progress)
        shownLast = String(progress)
        if (performance.now() > until) return
        await sleep(STEP_MS)
      }
    }
  }

  async function findBatch(id: string, limit: number) {
    return getImport(ctx, id, { limit }).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.kind !== 'not_found') throw error
      throw new AppError('not_found', 'We couldn’t find this import.', { code: 'not_found' })
    })
  }
}

function nameOf({ fileName, source }: ImportRecord): string {
  return fileName ?? source
}

/** The products that the lists of a report link to. */
function slugsOf({ joinedRows, twins }: Pick<BatchReport, 'joinedRows' | 'twins'>): string[] {
  return [...joinedRows.map(({ slug }) => slug), ...twins.twins.flatMap(({ slug, other }) => [slug, other])]
}

function Steps({ at }: { at: (typeof STEPS)[number] }) {
  return (
    <ol class="import-way" aria-label="Steps of an import">
      {STEPS.map((step) => (
        <li aria-current={step === at ? 'step' : undefined}>{step}</li>
      ))}
    </ol>
  )
}

function stepOf({ state }: ImportFile): (typeof STEPS)[number] {
  if (state === 'uploading' || state === 'uploaded') return 'Preview'
  return state === 'checking' || state === 'checked' ? 'Check' : 'Import'
}

function rowWords({ look }: ImportFile): string | null {
  if (!look || look.rows === 0) return null
  return look.isWhole ? countOf(look.rows, 'row') : `more than ${countOf(look.rows, 'row')}`
}

function sizeWords(bytes: number): string {
  if (bytes < 1024 ** 2) return `${formatCount(Math.max(1, Math.round(bytes / 1024)))} KB`
  return `${(bytes / 1024 ** 2).toLocaleString('en-US', { maximumFractionDigits: 1 })} MB`
}

function endWords(step: Pick<ImportFile, 'state' | 'result'> | null): string {
  if (!step) return 'This file was removed.'
  if (step.result?.problem !== undefined) return `It stopped. ${sentence(inPageWords(step.result.problem))}`
  return step.state === 'done' ? 'Import finished.' : 'Check finished.'
}

type ProgressProps = { file: ImportFile; doneRows: number; result: ImportFile['result'] }

function Progress({ file, doneRows, result }: ProgressProps) {
  const [doing, done] = file.state === 'checking' ? ['Checking', 'checked'] : ['Importing', 'imported']
  const share = result?.progress ? result.progress.bytes / Math.max(1, file.sizeBytes) : 0
  const counts = result?.progress?.counts
  const parts = counts
    ? `: ${formatCount(counts.created)} new, ${formatCount(counts.updated)} updated, ${formatCount(counts.failed)} failed`
    : ''
  return (
    <p>
      <progress {...(share > 0 && { value: Math.min(share, 1), max: 1 })} aria-label={`Share ${done}`} />
      <span>{doneRows === 0 ? `${doing} the file.` : `${countOf(doneRows, 'row')} ${done}${parts}.`}</span>
      {result?.problem !== undefined && (
        <span class="soft">{sentence(inPageWords(result.problem))} We'll try again automatically.</span>
      )}
      <span class="soft">You can close this page; the work continues.</span>
    </p>
  )
}

function FileBody({
  file,
  state,
  places,
  ...looked
}: Looked & { file: ImportFile; state: FormState; places: Places }) {
  const { result } = file
  const reading = (
    <>
      <Preview {...looked} />
      <Corrections {...looked} file={file} state={state} />
    </>
  )
  return (
    <div class="import-body">
      {result?.problem !== undefined && (
        <p class="aside" role="alert">
          {file.state === 'failed' ? 'The import stopped. ' : 'The check stopped. '}
          {sentence(inPageWords(result.problem))}
        </p>
      )}
      {file.state === 'failed' && (
        <Panel
          title="Continue the import"
          lead="Everything imported so far is saved. Continue after the last row, or undo the import from its page."
        >
          <Run file={file} label="Continue import" />
        </Panel>
      )}
      {result?.said && <Said file={file} said={result.said} places={places} />}
      {!isRunning(file) &&
        file.state !== 'done' &&
        (file.state === 'uploaded' || Object.keys(state.errors).length > 0 ? (
          reading
        ) : (
          <details class="import-again">
            <summary>Change the settings</summary>
            {reading}
          </details>
        ))}
      {!isRunning(file) && (
        <Action to={`${filePath(file)}/delete`} ask="Remove this file" label="Remove file" kind="danger">
          <p>Removes the file and its report. Products already imported from it stay.</p>
        </Action>
      )}
    </div>
  )
}
