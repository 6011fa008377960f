/** /dashboard/import/:id: how the file is read, and, of a CSV file, what each of its columns is. */
import type { Draft, Preview, PreviewRow } from '../../../catalog/import-drafts.schema.ts'
import { fixFor, problemOf } from '../../../catalog/import-drafts.schema.ts'
import { formatPriceRange } from '../../../lib/money.ts'
import { Ago } from '../../components/moment.tsx'
import { countOf, sentence } from '../../format.ts'
import { type FormState, Hidden } from '../../kit/fields.tsx'
import { Confirm, DataTable, Panel, State } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import { ActionForm, DashboardPage, type Visitor } from '../page.tsx'
import { IMPORT_PATH } from '../paths.ts'
import { SOURCE_WORDS, stageOf } from './import.words.ts'
import { Reading } from './reading.tsx'
import { draftPath } from './start.page.tsx'

type DraftProps = {
  site: Site
  visitor: Visitor
  draft: Draft
  busy: boolean
  preview: Preview
  now: Date
  state: FormState
  done: string | null
}

export function renderDraft(props: DraftProps): string {
  const { site, visitor, draft, preview, state, done, busy } = props
  const isDone = stageOf(draft, busy) === 'done'
  return String(
    <DashboardPage
      site={site}
      visitor={visitor}
      title={draft.fileName}
      lead={<About {...props} />}
      at={IMPORT_PATH}
      done={done}
      errors={state.errors}
      actions={
        <a class="button plain" href={IMPORT_PATH}>
          All imports
        </a>
      }
    >
      <Panel title="How it is read" lead={firstWords(preview.rows.length)}>
        {preview.problem !== null && (
          <p class="aside">
            Nothing can be read yet. {sentence(preview.problem)} Say below what each column is.
          </p>
        )}
        {preview.notices.length > 0 && (
          <ul class="import-notices">
            {preview.notices.map((notice) => (
              <li>{notice}</li>
            ))}
          </ul>
        )}
        {preview.rows.length > 0 && (
          <div class="import-preview">
            <DataTable
              caption="The first rows as they are read"
              columns={[
                { label: 'Product' },
                { label: 'Brand' },
                { label: 'Category' },
                { label: 'Price' },
                { label: 'State' },
              ]}
              rows={preview.rows.map((row) => previewCells(row, draft))}
            />
          </div>
        )}
      </Panel>
      {isDone ? (
        <p class="aside">
          This file is imported. <a href={`${draftPath(draft)}/result`}>See what came of it</a>
        </p>
      ) : (
        <Steps {...props} />
      )}
      <Confirm ask="Remove this file">
        <p>The file and what was said about it go. What was imported from it stays as it is.</p>
        <ActionForm
          visitor={visitor}
          action={`${draftPath(draft)}/delete`}
          label="Remove the file"
          kind="danger"
        />
      </Confirm>
    </DashboardPage>,
  )
}

function firstWords(count: number): string | undefined {
  if (count === 0) return undefined
  return count === 1 ? 'The first row.' : `The first ${count} rows.`
}

function About({ draft, now }: DraftProps) {
  return (
    <>
      {countOf(draft.rowCount, 'row')}, {SOURCE_WORDS[draft.source]},{' '}
      {draft.url === null ? 'uploaded' : `read from ${URL.parse(draft.url)?.host}`}{' '}
      <Ago at={draft.createdAt} now={now} />
    </>
  )
}

/** What comes next: how it is read, if that has to be changed, and then the trial. */
function Steps({ visitor, draft, preview, state }: DraftProps) {
  return (
    <>
      <Reading visitor={visitor} draft={draft} preview={preview} state={state} />
      <Panel
        title="Check every row"
        lead="A trial: it says for each row what would happen, and changes nothing."
      >
        <ActionForm
          visitor={visitor}
          action={`${draftPath(draft)}/result`}
          label={`Check ${countOf(draft.rowCount, 'row')}`}
        >
          <Hidden name="act" value="check" />
        </ActionForm>
      </Panel>
    </>
  )
}

function previewCells(row: PreviewRow, { source }: Draft) {
  if ('problem' in row) {
    return [
      row.title || `Row ${row.row}`,
      '–',
      '–',
      '–',
      <>
        <State tone="bad">Would fail</State>
        <span class="row-note">
          {sentence(problemOf(row))} {sentence(fixFor(row, source))}
        </span>
      </>,
    ]
  }
  return [
    <>
      {row.title}
      {row.numbers.length > 0 && <span class="row-note">{row.numbers.join(', ')}</span>}
    </>,
    row.brand ?? '–',
    row.category,
    formatPriceRange(row.lowCents, row.highCents) ?? '–',
    <State tone="good">Can be read</State>,
  ]
}
