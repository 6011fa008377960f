/**
 * The import of a file, one address a step: bring it, look at it, check it, import it. Every step is a post that leads to
 * a page, so that going back and reloading do no harm. A check or import that takes longer than a moment is answered with
 * a page that tells how far it is; whoever closes it stops it, and the same button goes on.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from 'hono'
import { z } from 'zod'
import { listCategories } from '../../../catalog/catalog.service.ts'
import { DRAFT_SOURCES, sampleCsv } from '../../../catalog/import-drafts.schema.ts'
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
import { MAX_FILE_BYTES, OUTCOMES } from '../../../catalog/producer-import.schema.ts'
import type { HttpEnv } from '../../../http/env.ts'
import { AppError } from '../../../lib/errors.ts'
import type { Act } from '../../../orgs/producer.ts'
import { sentence } from '../../format.ts'
import { type FormState, UNTOUCHED } from '../../kit/fields.tsx'
import { pageNumber } from '../../kit/paging.tsx'
import { doneWords, sendCsv, sendPage } from '../../page.http.ts'
import { streamPage } from '../../stream-page.tsx'
import type { DashboardDeps } from '../deps.ts'
import type { Dashboard } from '../guard.ts'
import type { Visitor } from '../page.tsx'
import { IMPORT_PATH } from '../paths.ts'
import { renderDraft } from './draft.page.tsx'
import { SAMPLE_PATH } from './import.words.ts'
import { renderResult, type Shown } from './result.page.tsx'
import { renderEnd, renderRunning, renderStep } from './running.page.tsx'
import { draftPath, renderStart } from './start.page.tsx'

const DRAFT_PATH = `${IMPORT_PATH}/:id`
const RESULT_PATH = `${DRAFT_PATH}/result`
/** Within this, a check is there before anybody would look at its progress. */
const PATIENCE_MS = 700
const STEP_MS = 250

const BroughtForm = z.object({
  url: z
    .string()
    .trim()
    .max(2_000, 'an address has at most 2,000 characters')
    .default('')
    .transform((url) => url || null),
  source: z
    .enum([...DRAFT_SOURCES, ''], 'choose one of the formats')
    .default('')
    .transform((source) => source || null),
})

const ReadingForm = z.record(z.string(), z.string()).transform((form, check): Choice => {
  const source = DRAFT_SOURCES.find((name) => name === form.source)
  if (!source) {
    check.issues.push({ code: 'custom', path: ['source'], message: 'choose one of the formats', input: form })
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

const RunForm = z.object({ act: z.enum(['check', 'import'], 'choose what is to be done') })
const NoFields = z.object({})

const DONE = {
  read: 'The file is read like this now.',
  mapped: 'The columns are read as you chose for your last file. Change it below if that does not fit.',
  removed: 'The file is removed.',
}

export function mountImport(dashboard: Dashboard, deps: DashboardDeps): void {
  const { site, ctx } = deps

  dashboard.get(IMPORT_PATH, 'edit', async (c, visitor) =>
    sendPage(c, await startPage(visitor, UNTOUCHED, doneWords(DONE, c.req.query('done')))),
  )

  dashboard.get(SAMPLE_PATH, 'edit', async (c) => {
    const [category] = await listCategories(ctx)
    return sendCsv(c, 'souk-sample.csv', sampleCsv(category?.slug ?? 'kettles'))
  })

  dashboard.post(IMPORT_PATH, {
    schema: BroughtForm,
    page: IMPORT_PATH,
    upload: { field: 'file', maxBytes: MAX_FILE_BYTES },
    render: ({ visitor, state }) => startPage(visitor, state),
    async act({ c, act, input, file }) {
      const brought = file && { name: file.name, bytes: await file.bytes() }
      const made = createDraft(ctx, act, { ...input, file: brought }, { signal: c.req.raw.signal })
      const draft = await made.catch((error: unknown) => {
        throw inPeoplesWords(error)
      })
      const isMapped = Object.keys(draft.mapping).length > 0
      return `${draftPath(draft)}${isMapped ? '?done=mapped' : ''}`
    },
  })

  dashboard.get(DRAFT_PATH, 'edit', async (c, visitor) =>
    sendPage(c, await draftPage(c, visitor, UNTOUCHED, doneWords(DONE, c.req.query('done')))),
  )

  dashboard.post(DRAFT_PATH, {
    schema: ReadingForm,
    page: pathOf,
    render: ({ c, visitor, state }) => draftPage(c, visitor, state),
    async act({ c, act, input }) {
      await rereadDraft(ctx, act, idOf(c), input)
      return `${pathOf(c)}?done=read`
    },
  })

  dashboard.post(`${DRAFT_PATH}/delete`, {
    schema: NoFields,
    page: IMPORT_PATH,
    render: ({ c, visitor, state }) => draftPage(c, visitor, state),
    async act({ c, act }) {
      await discardDraft(ctx, act, idOf(c))
      return `${IMPORT_PATH}?done=removed`
    },
  })

  dashboard.get(RESULT_PATH, 'edit', async (c, visitor) => sendPage(c, await resultPage(c, visitor, {})))

  dashboard.post(RESULT_PATH, {
    schema: RunForm,
    page: (c) => `${pathOf(c)}/result`,
    render: ({ c, visitor, state }) => resultPage(c, visitor, state.errors),
    act: ({ c, act, visitor, input }) => run(c, visitor, act, input.act === 'check'),
  })

  dashboard.get(`${DRAFT_PATH}/bad-rows.csv`, 'edit', async (c, visitor) => {
    const written = await writeBadRows(ctx, visitor.caller, idOf(c))
    if (!written) throw new AppError('not_found', 'no row of this file failed', { code: 'not_found' })
    return sendCsv(c, written.fileName, written.text)
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
      // Claims that are proved at once are public at once.
      if (!dryRun) await deps.shown()
    })().then(
      () => ({ error: null }),
      (error: unknown) => ({ error }),
    )
    const early = await Promise.race([running, sleep(PATIENCE_MS, null)])
    if (early?.error) throw inPeoplesWords(early.error)
    if (early) return c.redirect(`${pathOf(c)}/result`, 303)
    const page = renderRunning({ site, visitor, draft, dryRun })
    return streamPage(c, page, async (write, signal) => {
      signal.addEventListener('abort', () => gone.abort(), { once: true })
      if (signal.aborted) gone.abort()
      const step = () => renderStep({ done, total: draft.rowCount, dryRun })
      for (let told = -1; ; ) {
        if (told !== done) {
          told = done
          await write(step())
        }
        const ended = await Promise.race([running, sleep(STEP_MS, null)])
        if (ended) return write(renderEnd({ draft, text: endWords(ended.error, dryRun) }))
      }
    })
  }

  async function startPage(visitor: Visitor, state: FormState, done: string | null = null): Promise<string> {
    const listed = await listDrafts(ctx, visitor.caller)
    return renderStart({ site, visitor, ...listed, now: ctx.clock.now(), state, done })
  }

  async function draftPage(
    c: Context<HttpEnv>,
    visitor: Visitor,
    state: FormState,
    done: string | null = null,
  ): Promise<string> {
    const found = await getDraft(ctx, visitor.caller, idOf(c))
    const preview = await previewDraft(ctx, visitor.caller, idOf(c))
    return renderDraft({ site, visitor, ...found, preview, now: ctx.clock.now(), state, done })
  }

  async function resultPage(
    c: Context<HttpEnv>,
    visitor: Visitor,
    errors: FormState['errors'],
  ): Promise<string> {
    const found = await getDraft(ctx, visitor.caller, idOf(c))
    const result = await getDraftResult(ctx, visitor.caller, idOf(c))
    return renderResult({ site, visitor, ...found, result, shown: shownOf(c), errors })
  }
}

function idOf(c: Context): string {
  return c.req.param('id') ?? ''
}

function pathOf(c: Context): string {
  return draftPath({ id: idOf(c) })
}

function shownOf(c: Context): Shown {
  return {
    outcome: OUTCOMES.find((outcome) => outcome === c.req.query('rows')) ?? null,
    page: pageNumber(c.req.query('page')),
  }
}

/** The service speaks to agents, who call; people press. */
function inPeoplesWords(error: unknown): unknown {
  if (!(error instanceof AppError) || error.retryAfterSeconds === undefined) return error
  const { kind, code, retryAfterSeconds } = error
  const words =
    kind === 'conflict'
      ? 'an import of your organization is running, by you or somebody else; press again when it is done'
      : error.message.replace(/\bcall again( with the same arguments)?/, 'press the button again')
  return new AppError(kind, words, { code, retryAfterSeconds, cause: error })
}

function endWords(raised: unknown, dryRun: boolean): string {
  if (raised === null) return dryRun ? 'Every row is checked.' : 'The import is done.'
  const error = inPeoplesWords(raised)
  // What is no refusal is logged and told by whoever sends the page.
  if (!(error instanceof AppError) || error.kind === 'internal') throw raised
  return `That did not work: ${sentence(error.message)}`
}
