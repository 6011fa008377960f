/**
 * /admin/imports/new/:id: one file. How its products would come in, and what can be corrected; then what a check or the
 * import said. While a file is being read, checked or imported, how far it is is written into the page as it goes.
 */
import type { Child } from 'hono/jsx'
import type { Category } from '../../../catalog/catalog.schema.ts'
import type { Rates } from '../../../catalog/import/currency.ts'
import type { CatalogLook, ImportFile } from '../../../catalog/import-files.schema.ts'
import type { CategoryChoice } from '../../../catalog/import-files.service.ts'
import { isRunning, sourceOf } from '../../../catalog/import-files.service.ts'
import { Ago } from '../../components/moment.tsx'
import { countOf, formatCount, sentence } from '../../format.ts'
import { Form, type FormState } from '../../kit/fields.tsx'
import { Confirm, Panel } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import { Hole } from '../../stream-page.tsx'
import type { Operator } from '../guard.ts'
import { AdminPage } from '../page.tsx'
import { IMPORTS } from '../paths.ts'
import { Corrections } from './corrections.tsx'
import { filePath, formatWords, inPageWords, sizeWords } from './imports.words.ts'
import { Preview } from './preview.tsx'
import { type Places, Run, Said } from './said.tsx'
import { type Step, Steps } from './steps.tsx'

export type FrameProps = {
  site: Site
  operator: Operator
  file: ImportFile
  state: FormState
  done: string | null
  now: Date
}

export type Seen = {
  look: CatalogLook
  choices: CategoryChoice[]
  categories: Category[]
  /** Those that are known, and those given for this file. */
  rates: Rates
  places: Places
}

export function renderFile({ seen, ...frame }: FrameProps & { seen: Seen }): string {
  return framed(frame, <FileBody {...frame} {...seen} />)
}

/** While a check or an import runs: its steps are written into the hole. */
export function renderRunning(frame: FrameProps): string {
  return framed(
    frame,
    <div class="import-steps" role="status">
      <Hole />
    </div>,
  )
}

/** Before the file was looked into: that it is being read, and then the body, are written into the hole. */
export function renderUnread(frame: FrameProps): string {
  return framed(frame, <Hole />)
}

function framed({ site, operator, file, state, done, now }: FrameProps, children: Child): string {
  return String(
    <AdminPage
      site={site}
      waiting={operator.waiting}
      title={file.fileName}
      lead={
        <>
          {sizeWords(file.sizeBytes)}
          {file.look?.format && `, ${formatWords(file.look.format)}`}
          {file.look && file.look.rows > 0 && `, ${rowWords(file.look)}`}, uploaded{' '}
          <Ago at={file.createdAt} now={now} />
        </>
      }
      at={IMPORTS}
      done={done}
      errors={state.errors}
      actions={
        <a class="button plain" href={IMPORTS}>
          All imports
        </a>
      }
    >
      <Steps at={stepOf(file)} />
      {children}
    </AdminPage>,
  )
}

function rowWords({ rows, isWhole }: CatalogLook): string {
  return isWhole ? countOf(rows, 'row') : `more than ${countOf(rows, 'row')}`
}

function stepOf({ state }: ImportFile): Step {
  if (state === 'uploading' || state === 'uploaded') return 'preview'
  return state === 'checking' || state === 'checked' ? 'check' : 'import'
}

/** A step of the reading: what is being done, until the page is there. */
export function renderReading(): string {
  return String(
    <div class="import-steps" role="status">
      <p>
        <progress aria-label="Reading the file" />
        <span>The file is being read. That takes a few seconds.</span>
      </p>
    </div>,
  )
}

/** The body after the reading, which takes the place of the step before it. */
export function renderBody(props: FrameProps & Seen): string {
  return String(<FileBody {...props} />)
}

export function renderStep({
  file,
  doneRows,
  result,
}: {
  file: ImportFile
  doneRows: number
  result: ImportFile['result']
}): string {
  const doing = file.state === 'checking' ? 'checked' : 'imported'
  const share = result?.progress ? result.progress.bytes / Math.max(1, file.sizeBytes) : 0
  const counts = result?.progress?.counts
  return String(
    <p>
      {share > 0 ? (
        <progress value={Math.min(share, 1)} max={1} aria-label={`Share that is ${doing}`} />
      ) : (
        <progress aria-label={`Share that is ${doing}`} />
      )}
      <span>
        {doneRows === 0
          ? `The file is being ${doing}.`
          : `${countOf(doneRows, 'row')} ${doing}${counts ? `: ${formatCount(counts.created)} new, ${formatCount(counts.updated)} changed, ${formatCount(counts.failed)} refused` : ''}.`}
      </span>
      {result?.problem !== undefined && (
        <span class="soft">{sentence(inPageWords(result.problem))} It is tried again by itself.</span>
      )}
      <span class="soft">You may close this page; the work goes on.</span>
    </p>,
  )
}

/** The last of the steps: the way on. */
export function renderEnd({ file, text }: { file: ImportFile; text: string }): string {
  return String(
    <p>
      <span>{text}</span>
      <a class="button" href={filePath(file)}>
        See the result
      </a>
    </p>,
  )
}

function FileBody(props: FrameProps & Seen) {
  const { file, places } = props
  const { result } = file
  const isOpen = !isRunning(file) && file.state !== 'done'
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
          title="Go on"
          lead="What was written stays as it is. The import goes on after its last row; you can also undo what it wrote, on the page of all imports."
        >
          <Run file={file} step="import" label="Go on with the import" />
        </Panel>
      )}
      {result?.said && <Said file={file} said={result.said} places={places} />}
      {isOpen &&
        (file.state === 'uploaded' || Object.keys(props.state.errors).length > 0 ? (
          <Reading {...props} />
        ) : (
          <details class="import-again">
            <summary>Change how it is read</summary>
            <Reading {...props} />
          </details>
        ))}
      {!isRunning(file) && (
        <Confirm ask="Remove this file">
          <p>The file and what was said about it go. What was imported from it stays as it is.</p>
          <Form action={`${filePath(file)}/delete`} label="Remove the file" kind="danger" />
        </Confirm>
      )}
    </div>
  )
}

function Reading(props: FrameProps & Seen) {
  return (
    <>
      <Preview look={props.look} choices={props.choices} />
      <Corrections {...props} source={sourceOf(props.file)} />
    </>
  )
}
