/** /dashboard/import: choose a file, see what it may hold, and find again the files of the last day. */
import { COLUMN_FIELDS } from '../../../catalog/import/csv-columns.ts'
import { DRAFT_SOURCES, type Draft, MOST_DRAFTS } from '../../../catalog/import-drafts.schema.ts'
import { Ago } from '../../components/moment.tsx'
import { formatCount } from '../../format.ts'
import { Field, type FormState, Labelled, Select } from '../../kit/fields.tsx'
import { DataTable, Empty, Panel, State } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import { ActionForm, DashboardPage, type Visitor } from '../page.tsx'
import { IMPORT_PATH } from '../paths.ts'
import { FIELD_WORDS, SAMPLE_PATH, SOURCE_WORDS, STAGE_WORDS, stageOf } from './import.words.ts'

const ACCEPTED = '.csv,.tsv,.txt,.xml,.jsonl,.ndjson,.json,.gz'
const REQUIRED = ['title', 'category']

type StartProps = {
  site: Site
  visitor: Visitor
  drafts: Draft[]
  busy: boolean
  now: Date
  state: FormState
  done?: string | null
}

export function renderStart({ site, visitor, drafts, busy, now, state, done }: StartProps): string {
  return String(
    <DashboardPage
      site={site}
      visitor={visitor}
      title="Import"
      lead="Add many products at once. You see how each row is read and what would happen before anything is changed; what you import is reviewed before anybody sees it."
      at={IMPORT_PATH}
      done={done}
      errors={state.errors}
    >
      <Panel title="Choose a file">
        <ActionForm
          visitor={visitor}
          action={IMPORT_PATH}
          enctype="multipart/form-data"
          label="Look at the file"
        >
          <Labelled
            state={state}
            name="file"
            label="File"
            hint="CSV, TSV, Google product feed, Shopify export or JSONL, packed as .gz or not. At most 20 MB and 2,000 rows."
          >
            {(control) => <input type="file" accept={ACCEPTED} {...control} />}
          </Labelled>
          <Field
            state={state}
            name="url"
            label="Or its address"
            type="url"
            autocomplete="off"
            hint="An https address that anybody can read, such as that of your feed. At most 20 MB and 2,000 rows."
            maxlength={2_000}
          />
          <Select
            state={state}
            name="source"
            label="Format"
            options={[
              ['', 'Tell it from the file'],
              ...DRAFT_SOURCES.map((source) => [source, SOURCE_WORDS[source]] as const),
            ]}
          />
        </ActionForm>
        <p class="soft">
          No file yet? <a href={SAMPLE_PATH}>Download a sample CSV</a> and fill it in.
        </p>
      </Panel>
      <Panel
        title="Your last imports"
        lead={`Files are kept for a day, ${MOST_DRAFTS} at most: a new one takes the place of the oldest.`}
      >
        {drafts.length === 0 ? (
          <Empty>
            <p>No file within the last day. Choose one above.</p>
          </Empty>
        ) : (
          <DataTable
            caption="Files of the last day"
            columns={[
              { label: 'File' },
              { label: 'Rows', kind: 'number' },
              { label: 'State' },
              { label: 'Added' },
            ]}
            rows={drafts.map((draft) => listed(draft, busy, now))}
          />
        )}
      </Panel>
      <Fields />
    </DashboardPage>,
  )
}

function listed(draft: Draft, busy: boolean, now: Date) {
  const stage = stageOf(draft, busy)
  const { words, tone } = STAGE_WORDS[stage]
  const href = stage === 'new' ? draftPath(draft) : `${draftPath(draft)}/result`
  return [
    <a href={href}>{draft.fileName}</a>,
    formatCount(draft.rowCount),
    <State tone={tone}>{words}</State>,
    <Ago at={draft.createdAt} now={now} />,
  ]
}

export function draftPath({ id }: Pick<Draft, 'id'>): string {
  return `${IMPORT_PATH}/${id}`
}

function Fields() {
  const fields = [...COLUMN_FIELDS].sort((a, b) => orderOf(a) - orderOf(b))
  return (
    <Panel
      title="What a file can hold"
      lead="In a CSV file the first line names the columns. These names are known, and the usual other ones; you can also choose yourself what each column is."
    >
      <details>
        <summary>All {fields.length} fields</summary>
        <DataTable
          caption="Fields of a product"
          columns={[{ label: 'Column' }, { label: 'Field' }, { label: 'What goes in it' }]}
          rows={[
            ...fields.map((field) => [
              <code>{field}</code>,
              FIELD_WORDS[field].label,
              FIELD_WORDS[field].about,
            ]),
            [<code>spec:Weight</code>, 'One spec', 'Any name in place of Weight, a column for each.'],
          ]}
        />
      </details>
    </Panel>
  )
}

function orderOf(field: keyof typeof FIELD_WORDS): number {
  const required = REQUIRED.indexOf(field)
  return required === -1 ? REQUIRED.length + Object.keys(FIELD_WORDS).indexOf(field) : required
}
