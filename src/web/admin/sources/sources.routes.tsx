/**
 * /admin/sources: where products come from again and again, how each last run went, and what waits for a decision. How a
 * source's file is read is corrected on the same form as that of an uploaded file, and kept for every run.
 */

import { z } from 'zod'
import { openFileStore } from '../../../catalog/import-content.ts'
import { FILE_BYTES } from '../../../catalog/import-files.schema.ts'
import {
  choicesOf,
  correctFile,
  type FilesContext,
  getFile,
  lookAtFile,
  ratesOf,
} from '../../../catalog/import-files.service.ts'
import { AppError } from '../../../lib/errors.ts'
import { intervalWords, shownUrl } from '../../../sources/source-words.ts'
import { GONE, SourceInput, type SourceView } from '../../../sources/sources.schema.ts'
import {
  addSource,
  askRun,
  changeSource,
  countProducts,
  fileOfSource,
  getSource,
  listRuns,
  listSources,
  removeSource,
  setRules,
} from '../../../sources/sources.service.ts'
import { countOf } from '../../format.ts'
import type { Page } from '../../kit/console.tsx'
import { FileField, Form, Select, UNTOUCHED } from '../../kit/fields.tsx'
import { FormPanel, formOf } from '../../kit/form.tsx'
import { optionsOf } from '../../kit/list.tsx'
import { Action, Confirm, Empty, LinkButton } from '../../kit/parts.tsx'
import type { Admin, AdminDeps, AdminSeen } from '../guard.ts'
import { Corrections, CorrectionsForm, Preview } from '../imports/reading.tsx'
import { SOURCES } from '../nav.ts'
import { SOURCE_LIST, StepForm, sourceForm, sourcePage, sourceRows, takeStep } from './source-parts.tsx'

const NEW = `${SOURCES}/new`
const SOURCE = `${SOURCES}/:id`
const STILL_MS = 30_000

const SAID = {
  added: 'Source added.',
  changed: 'Settings saved.',
  read: 'Saved. Every run reads the file like this from now on.',
  run: 'The source is running. Reload this page to see the result.',
  paused: 'Source paused.',
  resumed: 'Source resumed. It runs within a minute.',
  rejected: 'File rejected. The catalog stays as it was.',
  removed: 'Source removed.',
}

const LIST = { ...SOURCE_LIST, path: SOURCES }
const FORM = sourceForm({ isSeller: false, isFile: false })
const RemoveForm = z.object({
  products: z.enum(GONE, 'Choose what becomes of the products.').default('keep'),
})

export function mountSources(admin: Admin, { ctx, config, sources, search }: AdminDeps): void {
  const files: FilesContext = {
    ...ctx,
    ownCurrency: config.currency,
    categoriesLike: search.categoriesLike,
  }
  const pathOf = (id: string) => `${SOURCES}/${id}`

  admin.list<SourceView, typeof LIST.filters>(LIST, async ({ asked, operator }) => ({
    title: 'Sources',
    lead: 'Feeds and files that products come from again and again. Each import can be undone for 90 days.',
    said: SAID,
    actions: <LinkButton to={NEW} primary label="Add a source" />,
    ...sourceRows(await listSources(sources, operator), asked, { pathOf, whereWords, now: ctx.clock.now() }),
    empty: [
      <p>No sources yet. Add the address of a product feed, and we keep the catalog up to date with it.</p>,
      <LinkButton to={NEW} primary label="Add a source" />,
    ],
  }))

  const newPage = ({ state }: AdminSeen): Page => ({
    title: 'Add a source',
    lead: 'With a schedule, it runs right away. Without one, look at how it is read first.',
    actions: <LinkButton to={SOURCES} label="All sources" />,
    body: <FormPanel title="Settings" action={NEW} label="Add source" of={FORM} state={state} />,
  })
  admin.page(NEW, newPage)
  admin.action(NEW, {
    schema: formOf(FORM, SourceInput),
    async act({ operator, input }) {
      return `${pathOf(await addSource(sources, operator, input))}?done=added`
    },
  })

  async function show({ id, operator, state }: AdminSeen): Promise<Page> {
    const source = await getSource(sources, operator, id)
    const runs = await listRuns(sources, operator, id)
    const products = await countProducts(sources, source)
    const to = pathOf(id)
    return sourcePage({
      ...{ source, runs, at: SOURCES, where: whereWords(source), said: SAID, state, isSeller: false },
      now: ctx.clock.now(),
      labels: { check: 'Check without importing', full: 'Import again in full' },
      bring: source.kind === 'file' && (
        <Form action={`${to}/file`} enctype="multipart/form-data" label="Upload and run">
          <FileField state={state} label="The newest file of this source" hint="200 MB at most." drop />
        </Form>
      ),
      more: <LinkButton to={`${to}/reading`} label="Change how it is read" />,
      remove: (
        <Confirm ask="Remove this source">
          <p>
            Removes its settings and its history.{' '}
            {products > 0
              ? `Choose what becomes of its ${countOf(products, 'product')}. If you leave them, a source of the same name finds them again.`
              : 'It has no products.'}
          </p>
          <Form action={`${to}/delete`} label="Remove source" kind="danger">
            <Select
              state={UNTOUCHED}
              name="products"
              label="Its products"
              value="keep"
              options={optionsOf({
                keep: 'Stay as they are',
                discontinue: 'Are marked as discontinued',
                remove: 'Are hidden',
              })}
            />
          </Form>
        </Confirm>
      ),
    })
  }
  /** For buttons beside the settings: what they send is not what is typed there. */
  const showAgain = ({ state: { errors }, ...seen }: AdminSeen) =>
    show({ ...seen, state: { values: {}, errors } })

  admin.page(SOURCE, show)
  admin.action(SOURCE, {
    ...{ schema: formOf(FORM, SourceInput), done: 'changed' },
    act: ({ id, operator, input }) => changeSource(sources, operator, id, input),
  })
  admin.action(`${SOURCE}/run`, {
    ...{ schema: StepForm, page: showAgain },
    async act({ id, operator, input }) {
      return `${pathOf(id)}?done=${await takeStep(sources, operator, id, input)}`
    },
  })
  admin.action(`${SOURCE}/file`, {
    page: showAgain,
    upload: ({ actor }) => ({
      field: 'file',
      maxBytes: FILE_BYTES,
      stillMs: STILL_MS,
      store: (fileName) => openFileStore(ctx, { userId: actor.user.id, fileName }),
    }),
    async act({ id, operator, file }) {
      if (!file?.storedAs) throw new AppError('invalid', 'Choose a file.', { field: 'file' })
      await askRun(sources, operator, id, { file: { id: file.storedAs, sizeBytes: file.size } })
      file.keep()
      return `${pathOf(id)}?done=run`
    },
  })
  admin.action(`${SOURCE}/delete`, {
    ...{ schema: RemoveForm, page: showAgain, done: `${SOURCES}?done=removed` },
    act: ({ id, operator, input: { products } }) => removeSource(sources, operator, { id, products }),
  })

  async function showReading({ id, operator, state }: AdminSeen): Promise<Page> {
    const source = await getSource(sources, operator, id)
    const kept = await fileOfSource(sources, operator, id)
    const page = {
      title: `How ${source.name} is read`,
      lead: 'What you choose here is kept for every run.',
      said: SAID,
      actions: <LinkButton to={pathOf(id)} label="Back to the source" />,
    }
    if (!kept)
      return {
        ...page,
        body: (
          <Empty>
            <p>We keep the newest file of a source for a day. Fetch it again to look at it.</p>
            {source.kind === 'url' && (
              <Action
                {...{ to: `${pathOf(id)}/run`, label: 'Check without importing', fields: { step: 'check' } }}
              />
            )}
          </Empty>
        ),
      }
    const file = await getFile(files, kept.id)
    const look = await lookAtFile(files, file)
    const { choices, categories } = await choicesOf(files, file, look)
    const looked = { look, choices, categories, rates: await ratesOf(files, file.rules) }
    return {
      ...page,
      body: (
        <div class="import-body">
          <Preview {...looked} />
          <Corrections {...looked} file={file} state={state} to={`${pathOf(id)}/reading`} />
        </div>
      ),
    }
  }
  admin.page(`${SOURCE}/reading`, showReading)
  admin.action(`${SOURCE}/reading`, {
    schema: CorrectionsForm,
    async act({ id, operator, input: { step, said } }) {
      const kept = await fileOfSource(sources, operator, id)
      if (!kept) throw new AppError('conflict', 'The file is no longer kept. Check the source again first.')
      await correctFile(files, kept.id, said)
      const { rules } = await getFile(files, kept.id)
      await setRules(sources, operator, id, rules)
      if (step === 'preview') return `${pathOf(id)}/reading?done=read`
      await askRun(sources, operator, id, { dryRun: true })
      return `${pathOf(id)}?done=run`
    },
  })
}

function whereWords({ url, path, everyMinutes }: SourceView): string {
  if (url === null) return path ?? 'A file that you bring'
  return `${shownUrl(url)}, ${intervalWords(everyMinutes).toLowerCase()}`
}
