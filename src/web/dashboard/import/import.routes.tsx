/**
 * /dashboard/import: brings a file, shows how it is read, checks it, imports it. Every step is a form that leads to a
 * page, so going back and reloading are harmless. A check or import that takes longer than a moment is answered with a
 * page that shows its progress; closing the page stops it, and the same button resumes it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from 'hono'
import { z } from 'zod'
import { listCategories } from '../../../catalog/catalog.service.ts'
import { COLUMN_FIELDS } from '../../../catalog/import/csv-columns.ts'
import {
  DRAFT_SOURCES,
  type Draft,
  type DraftResult,
  type DraftRow,
  type DraftSource,
  fixFor,
  MOST_DRAFTS,
  type Preview,
  type PreviewRow,
  problemOf,
  sampleCsv,
} from '../../../catalog/import-drafts.schema.ts'
import {
  type Choice,
  createDraft,
  discardDraft,
  getDraft,
  getDraftResult,
  listDrafts,
  previewDraft,
  rereadDraft,
  runDraft,
  writeBadRows,
} from '../../../catalog/import-drafts.service.ts'
import { type ImportOutcome, MAX_FILE_BYTES, OUTCOMES } from '../../../catalog/producer-import.schema.ts'
import type { HttpEnv } from '../../../http/env.ts'
import { AppError } from '../../../lib/errors.ts'
import { formatPriceRange } from '../../../lib/money.ts'
import type { Act } from '../../../orgs/producer.ts'
import { Ago } from '../../components/moment.tsx'
import { countOf, formatCount, sentence } from '../../format.ts'
import { framed, type Page } from '../../kit/console.tsx'
import { Carried, FileField, Form, Select, UNTOUCHED } from '../../kit/fields.tsx'
import { Fields, type FormSpec, formOf } from '../../kit/form.tsx'
import { choice, column, defineList, listPage, within } from '../../kit/list.tsx'
import { Action, DataTable, LinkButton, Panel, State, Stats, Submit, type Word } from '../../kit/parts.tsx'
import { sendCsv } from '../../page.http.ts'
import { Hole, streamPage } from '../../stream-page.tsx'
import { type Dashboard, type DashboardDeps, frameOf, type Visitor, type VisitorSeen } from '../guard.tsx'
import { IMPORT_PATH, PRODUCTS_PATH, SOURCES_PATH } from '../paths.ts'
import { Columns, FIELD_WORDS } from './reading.tsx'

const SAMPLE_PATH = `${IMPORT_PATH}/sample.csv`
const DRAFT_PATH = `${IMPORT_PATH}/:id`
const RESULT_PATH = `${DRAFT_PATH}/result`
const ACCEPTED = '.csv,.tsv,.txt,.xml,.jsonl,.ndjson,.json,.gz'
/** A check that is done within this time is answered with its result. */
const PATIENCE_MS = 700
const STEP_MS = 250

const SOURCE_WORDS: Record<DraftSource, string> = {
  csv: 'CSV or TSV',
  google_feed: 'Google product feed (XML, TSV or CSV)',
  shopify: 'Shopify product export',
  jsonl: 'JSONL, one product per line',
}
const SOURCES = DRAFT_SOURCES.map((source) => [source, SOURCE_WORDS[source]] as const)

const FORM: FormSpec = {
  url: {
    ...{ kind: 'url', label: 'Or its address', max: 2_000, empty: 'null' },
    hint: 'A public https address, such as your product feed. Up to 20 MB and 2,000 rows.',
  },
  source: {
    ...{ kind: 'choice', label: 'Format', empty: 'null' },
    options: [['', 'Detect automatically'], ...SOURCES],
  },
}
const Brought = z.object({
  url: z.string().max(2_000).nullable().default(null),
  source: z.enum(DRAFT_SOURCES, 'Choose a format from the list.').nullable().default(null),
})

const ReadingForm = z.record(z.string(), z.string()).transform((form, check): Choice => {
  const source = DRAFT_SOURCES.find((name) => name === form.source)
  if (!source) {
    const message = 'Choose a format from the list.'
    check.issues.push({ code: 'custom', path: ['source'], message, input: form })
    return z.NEVER
  }
  const reading = new Map<number, string>()
  for (const [name, value] of Object.entries(form)) {
    const column = /^column_(\d{1,4})$/.exec(name)?.[1]
    if (column === undefined) continue
    reading.set(Number(column), value === 'spec' ? `spec:${(form[`spec_${column}`] ?? '').trim()}` : value)
  }
  return { source, reading: reading.size > 0 ? reading : null }
})

const SAID = {
  read: 'Columns updated. Check the preview below.',
  mapped: 'We used the columns you chose for your last file. You can change them below.',
  removed: 'File removed.',
}

type Stage = 'new' | 'checked' | 'running' | 'stopped' | 'done'
const STAGES: Record<Stage, Word & { lead: string }> = {
  new: { words: 'Not checked yet', tone: 'quiet', lead: 'Not checked yet.' },
  checked: {
    ...{ words: 'Checked, not imported', tone: 'mixed' },
    lead: 'This is what the import would do. Nothing has changed yet.',
  },
  running: { words: 'Importing', tone: 'mixed', lead: 'Import in progress.' },
  stopped: { words: 'Stopped', tone: 'bad', lead: 'The import stopped before it was done.' },
  done: {
    ...{ words: 'Imported', tone: 'good' },
    lead: 'Import complete. New products and changes are reviewed before buyers see them.',
  },
}

/** `busy`: an import of the organization runs, which is this one if it has begun and not finished. */
const DRAFTS = defineList(IMPORT_PATH, 'file', {
  search: 'Name of the file',
  pageSize: 25,
  filters: { stage: choice('Status', STAGES) },
})

function stageOf(draft: Draft, busy: boolean): Stage {
  if (draft.finishedAt) return 'done'
  if (draft.doneRows !== null) return busy ? 'running' : 'stopped'
  return draft.checkedAt ? 'checked' : 'new'
}

const WORDS_OF: Record<ImportOutcome, Word & { many: string; note: string }> = {
  submitted: { words: 'New product', many: 'New products', tone: 'good', note: 'sent for review' },
  claimed: { words: 'Claim', many: 'Claims', tone: 'good', note: 'already in the catalog' },
  proposed: { words: 'Change', many: 'Changes', tone: 'good', note: 'differences sent for review' },
  unchanged: { words: 'Unchanged', many: 'Unchanged', tone: 'quiet', note: 'nothing to do' },
  failed: { words: 'Failed', many: 'Failed', tone: 'bad', note: 'not imported' },
}

export function mountImport(dashboard: Dashboard, deps: DashboardDeps): void {
  const { site, ctx } = deps

  dashboard.list<Draft & { stage: Stage }, typeof DRAFTS.filters>(
    DRAFTS,
    'edit',
    async ({ visitor, state, asked }) => {
      const { drafts, busy } = await listDrafts(ctx, visitor.caller)
      const all = drafts.map((draft) => ({ ...draft, stage: stageOf(draft, busy) }))
      const now = ctx.clock.now()
      return {
        title: 'Import',
        lead: 'Add many products from a file. You see what each row would do before anything changes, and the operator reviews what you import before buyers see it.',
        said: SAID,
        ...within(all, asked, { words: ({ fileName }) => fileName, by: { stage: ({ stage }) => stage } }),
        order: `your last ${MOST_DRAFTS} files, kept for a day`,
        columns: [
          column.link('File', 'fileName', (draft) =>
            draft.stage === 'new' ? draftPath(draft) : `${draftPath(draft)}/result`,
          ),
          column.count('Rows', 'rowCount'),
          column.state('Status', ({ stage }) => STAGES[stage]),
          column.ago('Added', 'createdAt', now),
        ],
        empty: <p>No files in the last day. Choose one above.</p>,
        above: (
          <Panel title="Choose a file">
            <Form action={IMPORT_PATH} enctype="multipart/form-data" label="Upload and preview">
              <FileField
                {...{ state, label: 'File', accept: ACCEPTED }}
                hint="CSV, TSV, Google product feed, Shopify export or JSONL, also as .gz. Up to 20 MB and 2,000 rows."
              />
              <Fields of={FORM} state={state} />
            </Form>
            <p class="soft">
              No file yet? <a href={SAMPLE_PATH}>Download a sample CSV</a> and fill it in.
            </p>
          </Panel>
        ),
        below: (
          <Panel
            title="What a file can hold"
            lead="In a CSV file, the first line names the columns. We know these names and common alternatives, and you can choose what each column is."
          >
            <details>
              <summary>All {COLUMN_FIELDS.length} fields</summary>
              <DataTable
                caption="Fields of a product"
                columns={[{ label: 'Column' }, { label: 'Field' }, { label: 'What goes in it' }]}
                rows={[
                  ...Object.entries(FIELD_WORDS).map(([field, words]) => [<code>{field}</code>, ...words]),
                  [<code>spec:Weight</code>, 'One spec', 'Any name in place of Weight, one column per spec.'],
                ]}
              />
            </details>
          </Panel>
        ),
      }
    },
  )

  dashboard.page(SAMPLE_PATH, 'edit', async ({ c }) => {
    const [category] = await listCategories(ctx)
    return sendCsv(c, 'souk-sample.csv', sampleCsv(category?.slug ?? 'kettles'))
  })
  dashboard.page(DRAFT_PATH, 'edit', look)
  dashboard.page(RESULT_PATH, 'edit', result)
  dashboard.page(`${DRAFT_PATH}/bad-rows.csv`, 'edit', async ({ c, visitor }) => {
    const written = await writeBadRows(ctx, visitor.caller, idOf(c))
    if (!written) throw new AppError('not_found', 'no row of this file failed', { code: 'not_found' })
    return sendCsv(c, written.fileName, written.text)
  })

  dashboard.action(IMPORT_PATH, {
    ...{ schema: formOf(FORM, Brought), upload: { field: 'file', maxBytes: MAX_FILE_BYTES } },
    async act({ c, act, input, file }) {
      const brought = file && { name: file.name, bytes: await file.bytes() }
      const made = createDraft(ctx, act, { ...input, file: brought }, { signal: c.req.raw.signal })
      const draft = await made.catch((error: unknown) => {
        throw inPeoplesWords(error)
      })
      return `${draftPath(draft)}${Object.keys(draft.mapping).length > 0 ? '?done=mapped' : ''}`
    },
  })

  dashboard.action(DRAFT_PATH, {
    schema: ReadingForm,
    async act({ c, act, input }) {
      await rereadDraft(ctx, act, idOf(c), input)
      return `${pathOf(c)}?done=read`
    },
  })

  dashboard.action(`${DRAFT_PATH}/delete`, {
    ...{ from: IMPORT_PATH, done: `${IMPORT_PATH}?done=removed` },
    act: ({ c, act }) => discardDraft(ctx, act, idOf(c)),
  })

  dashboard.action(RESULT_PATH, {
    schema: z.object({ act: z.enum(['check', 'import'], 'Choose what to do.') }),
    act: ({ c, act, visitor, input }) => run(c, visitor, act, input.act === 'check'),
  })

  async function run(c: Context<HttpEnv>, visitor: Visitor, act: Act, dryRun: boolean): Promise<Response> {
    const id = idOf(c)
    const { draft } = await getDraft(ctx, act.caller, id)
    const gone = new AbortController()
    c.req.raw.signal.addEventListener('abort', () => gone.abort(), { once: true })
    let done = 0
    const running = (async () => {
      const progress = (step: { done: number }) => {
        done = step.done
      }
      await runDraft(ctx, act, { id, dryRun }, { signal: gone.signal, progress })
      // Claims that a domain verifies are public from now on.
      if (!dryRun) await deps.shown()
    })().then(
      () => ({ error: null }),
      (error: unknown) => ({ error }),
    )
    const early = await Promise.race([running, sleep(PATIENCE_MS, null)])
    if (early?.error) throw inPeoplesWords(early.error)
    if (early) return c.redirect(`${pathOf(c)}/result`, 303)
    const page = framed(c, runningPage(draft, dryRun), frameOf(site, visitor), UNTOUCHED)
    return streamPage(c, page, async (write, signal) => {
      signal.addEventListener('abort', () => gone.abort(), { once: true })
      if (signal.aborted) gone.abort()
      for (let shown = -1; ; ) {
        if (shown !== done) {
          shown = done
          await write(String(<Step done={done} total={draft.rowCount} dryRun={dryRun} />))
        }
        const ended = await Promise.race([running, sleep(STEP_MS, null)])
        if (ended) return write(String(<End draft={draft} words={endWords(ended.error, dryRun)} />))
      }
    })
  }

  async function look({ c, visitor, state }: VisitorSeen): Promise<Page> {
    const { draft, busy } = await getDraft(ctx, visitor.caller, idOf(c))
    const preview = await previewDraft(ctx, visitor.caller, idOf(c))
    const path = draftPath(draft)
    const { rows, sheet } = preview
    const unused = sheet?.unusedCount ?? 0
    return {
      title: draft.fileName,
      lead: (
        <>
          {countOf(draft.rowCount, 'row')}, {SOURCE_WORDS[draft.source]},{' '}
          {draft.url === null ? 'uploaded' : `from ${URL.parse(draft.url)?.host}`}{' '}
          <Ago at={draft.createdAt} now={ctx.clock.now()} />
        </>
      ),
      said: SAID,
      actions: <LinkButton to={IMPORT_PATH} label="All imports" />,
      body: [
        <Panel title="Preview" lead={rows.length > 0 && `The first ${countOf(rows.length, 'row')}.`}>
          {preview.problem !== null && (
            <p class="aside">
              We can’t read this file yet. {sentence(preview.problem)} Choose below what each column is.
            </p>
          )}
          <Notices notices={preview.notices} />
          {rows.length > 0 && (
            <div class="import-preview">
              <DataTable
                caption="Preview of the first rows"
                columns={['Product', 'Brand', 'Category', 'Price', 'Status'].map((label) => ({ label }))}
                rows={rows.map((row) => previewCells(row, draft))}
              />
            </div>
          )}
        </Panel>,
        stageOf(draft, busy) === 'done' ? (
          <p class="aside">
            This file is already imported. <a href={`${path}/result`}>View the result</a>
          </p>
        ) : (
          <>
            <Panel
              title={sheet ? 'Columns' : 'Format'}
              lead={
                sheet
                  ? 'We matched your columns by name. If several columns are the same field, we use the first that is filled in, and all of them for images.'
                  : 'We know the names in this format, so there are no columns to match.'
              }
            >
              <details open={isDoubtful(preview) || Object.keys(state.errors).length > 0}>
                <summary>
                  {sheet ? countOf(sheet.columnCount, 'column') : SOURCE_WORDS[draft.source]}
                  {unused > 0 && `, ${formatCount(unused)} not used`}
                </summary>
                <form class="fields import-columns" method="post" action={path}>
                  <Carried />
                  <Select
                    {...{ state, name: 'source', label: 'Format', value: draft.source }}
                    options={SOURCES}
                  />
                  {sheet && <Columns sheet={sheet} state={state} />}
                  <Submit line kind="plain">
                    Update preview
                  </Submit>
                </form>
              </details>
            </Panel>
            <Panel title="Check every row" lead="See what each row would do. Nothing changes yet.">
              <Action
                {...{ to: `${path}/result`, fields: { act: 'check' }, kind: 'primary' }}
                label={`Check ${countOf(draft.rowCount, 'row')}`}
              />
            </Panel>
          </>
        ),
        draft.url !== null && (
          <Panel
            title="Keep it up to date"
            lead="We can read this address on a schedule, with the same columns."
          >
            <LinkButton to={`${SOURCES_PATH}?draft=${draft.id}`} label="Make it a source" />
          </Panel>
        ),
        <Action to={`${path}/delete`} ask="Remove this file" label="Remove file" kind="danger">
          <p>We delete the file and your column choices. What you imported from it stays.</p>
        </Action>,
      ],
    }
  }

  async function result(seen: VisitorSeen): Promise<Page | Response> {
    const { c, visitor } = seen
    const { draft, busy } = await getDraft(ctx, visitor.caller, idOf(c))
    const stored = await getDraftResult(ctx, visitor.caller, idOf(c))
    const found = isCurrent(draft, stored) ? stored : null
    const stage = stageOf(draft, busy)
    const path = `${draftPath(draft)}/result`
    const spec = { path, noun: 'row', search: 'Search', filters: { rows: OUTCOMES }, pageSize: 50 }
    const list = listPage<{ visitor: Visitor }, DraftRow, typeof spec.filters>(spec, async ({ asked }) => {
      const words = asked.q.toLowerCase()
      const rows = (found?.rows ?? []).filter(
        ({ outcome, title }) =>
          (asked.filters.rows === '' || asked.filters.rows === outcome) &&
          (title ?? '').toLowerCase().includes(words),
      )
      const more = (found?.rows_read ?? 0) - (found?.rows.length ?? 0)
      return {
        title: draft.fileName,
        lead: STAGES[stage].lead,
        actions: [
          <LinkButton to={draftPath(draft)} label={draft.finishedAt ? 'View the file' : 'Change columns'} />,
          <LinkButton to={IMPORT_PATH} label="All imports" />,
        ],
        rows: rows.slice(asked.offset, asked.offset + asked.limit),
        total: rows.length,
        columns: [
          { label: 'Product', cell: productCell, csv: ({ title }) => title },
          { label: 'Row', cell: placeCell, csv: ({ row }) => row },
          column.state('Outcome', ({ outcome }) => WORDS_OF[outcome]),
          {
            label: 'Details',
            cell: (row) => (
              <>
                {detailsOf(row) || '–'}
                {row.outcome === 'failed' && (
                  <span class="row-note">{sentence(fixFor(row, draft.source))}</span>
                )}
              </>
            ),
            csv: detailsOf,
          },
        ],
        filters: {
          rows: {
            label: 'Outcome',
            options: OUTCOMES.filter((outcome) => (found?.[outcome] ?? 0) > 0).map(
              (outcome) => [outcome, WORDS_OF[outcome].words] as const,
            ),
          },
        },
        empty: <p>{found ? 'This file has no rows.' : 'You see what each row does here after a check.'}</p>,
        above: [
          <Next draft={draft} result={found} stage={stage} />,
          found && (
            <>
              <Stats
                items={OUTCOMES.map((outcome) => ({
                  label: WORDS_OF[outcome].many,
                  value: formatCount(found[outcome]),
                  note: WORDS_OF[outcome].note,
                }))}
              />
              <Notices notices={found.notices} />
              <div class="panel-head">
                <h2>Row by row</h2>
                {found.failed > 0 && (
                  <a href={`${draftPath(draft)}/bad-rows.csv`}>Download the failed rows</a>
                )}
              </div>
            </>
          ),
        ],
        below: more > 0 && <p class="soft">{countOf(more, 'more row')} counted but not listed.</p>,
      }
    })
    return list(seen)
  }
}

/** The result of a check is out of date once rows were imported. */
function isCurrent({ checkedAt, runAt }: Draft, result: DraftResult | null): boolean {
  return result?.dry_run === false || runAt === null || (checkedAt !== null && checkedAt > runAt)
}

function isDoubtful({ problem, rows, sheet }: Preview): boolean {
  return problem !== null || (sheet?.missing.length ?? 0) > 0 || rows.some((row) => 'problem' in row)
}

function Notices({ notices }: { notices: string[] }) {
  if (notices.length === 0) return null
  return (
    <ul class="import-notices">
      {notices.map((notice) => (
        <li>{notice}</li>
      ))}
    </ul>
  )
}

function previewCells(row: PreviewRow, { source }: Draft) {
  if ('problem' in row)
    return [
      row.title || `Row ${row.row}`,
      ...['–', '–', '–'],
      <>
        <State tone="bad">Would fail</State>
        <span class="row-note">
          {sentence(problemOf(row))} {sentence(fixFor(row, source))}
        </span>
      </>,
    ]
  return [
    <>
      {row.title}
      {row.numbers.length > 0 && <span class="row-note">{row.numbers.join(', ')}</span>}
    </>,
    row.brand ?? '–',
    row.category,
    formatPriceRange(row.lowCents, row.highCents) ?? '–',
    <State tone="good">Looks good</State>,
  ]
}

function productCell({ title, row, product_slug: slug }: DraftRow) {
  const name = title || `Row ${row}`
  return slug === null ? name : <a href={`/p/${slug}`}>{name}</a>
}

function placeCell({ row, line }: DraftRow) {
  return (
    <span class="whole">
      {formatCount(row)}, line {formatCount(line)}
    </span>
  )
}

function detailsOf(row: DraftRow): string {
  return row.outcome === 'failed' ? sentence(problemOf(row)) : row.note ? sentence(row.note) : ''
}

/** What to do next, by how far the file is. */
function Next({ draft, result, stage }: { draft: Draft; result: DraftResult | null; stage: Stage }) {
  const path = `${draftPath(draft)}/result`
  const far = `${formatCount(draft.doneRows ?? 0)} of ${countOf(draft.rowCount, 'row')}`
  const { failed = 0, submitted = 0, claimed = 0, proposed = 0 } = result ?? {}
  const todo = submitted + claimed + proposed
  const importing = (title: string, label: string, lead: string) => (
    <Panel title={title} lead={lead}>
      <Action {...{ to: path, fields: { act: 'import' }, kind: 'primary', label }} />
    </Panel>
  )
  if (stage === 'running')
    return (
      <Panel title="Importing" lead={`${far} so far.`}>
        <LinkButton to={path} label="Refresh" />
      </Panel>
    )
  if (stage === 'stopped') {
    const lead =
      result?.dry_run === false
        ? 'We couldn’t store some rows. The others are imported.'
        : `We imported ${far}.`
    return importing('Resume the import', 'Resume import', `${lead} Resume to import the rest.`)
  }
  if (stage === 'done')
    return (
      <p class="aside">
        <a href={PRODUCTS_PATH}>View your products</a>
        {failed > 0 && ' You can fix the failed rows and upload them again.'}
      </p>
    )
  if (!result)
    return (
      <p>
        <LinkButton to={draftPath(draft)} primary label="Preview the file" />
      </p>
    )
  if (todo > 0) {
    const lead =
      failed > 0
        ? `${countOf(failed, 'row')} failed and won’t be imported. You can fix and upload them later.`
        : 'Everything is reviewed before buyers see it.'
    return importing('Ready to import', `Import ${countOf(todo, 'row')}`, lead)
  }
  return (
    <p class="aside">
      {failed > 0
        ? 'Nothing to import yet. Fix the failed rows and upload the file again, or change the columns.'
        : 'Nothing to import: the catalog already has everything in this file.'}
    </p>
  )
}

/** Each step takes the place of the one before it; the last one links to the result. */
function runningPage(draft: Draft, dryRun: boolean): Page {
  return {
    title: draft.fileName,
    lead: dryRun
      ? 'Checking every row. Nothing changes yet.'
      : 'Importing. If you leave this page, the import stops and you can resume it later.',
    body: (
      <div class="import-steps" role="status">
        <Hole />
      </div>
    ),
  }
}

function Step({ done, total, dryRun }: { done: number; total: number; dryRun: boolean }) {
  const words = `${formatCount(done)} of ${countOf(total, 'row')} ${dryRun ? 'checked' : 'imported'}.`
  return (
    <p>
      <progress value={done} max={total} aria-label={dryRun ? 'Checked' : 'Imported'} />
      <span>{done === 0 ? 'Reading the file.' : words}</span>
    </p>
  )
}

function End({ draft, words }: { draft: Draft; words: string }) {
  return (
    <p>
      <span>{words}</span>
      <LinkButton to={`${draftPath(draft)}/result`} primary label="View the result" />
    </p>
  )
}

function endWords(raised: unknown, dryRun: boolean): string {
  if (raised === null) return dryRun ? 'Check complete.' : 'Import complete.'
  const error = inPeoplesWords(raised)
  // The page that is streamed logs and reports every other error.
  if (!(error instanceof AppError) || error.kind === 'internal') throw raised
  return sentence(error.message)
}

function draftPath({ id }: Pick<Draft, 'id'>): string {
  return `${IMPORT_PATH}/${id}`
}

function idOf(c: Context): string {
  return c.req.param('id') ?? ''
}

function pathOf(c: Context): string {
  return draftPath({ id: idOf(c) })
}

/** The service tells agents to call again; people press a button. */
function inPeoplesWords(error: unknown): unknown {
  if (!(error instanceof AppError) || error.retryAfterSeconds === undefined) return error
  const { kind, code, retryAfterSeconds } = error
  const words =
    kind === 'conflict'
      ? 'Your organization already has an import running. Try again when it is done.'
      : error.message.replace(/\bcall again( with the same arguments)?/, 'press the button again')
  return new AppError(kind, words, { code, retryAfterSeconds, cause: error })
}
