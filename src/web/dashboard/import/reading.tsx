/**
 * How a file is to be read: its format, and of a CSV file what each column is. Where everything was understood the
 * columns are folded away, and nobody has to look at them.
 */
import { COLUMN_FIELDS } from '../../../catalog/import/csv-columns.ts'
import type { Preview, Sheet, SheetColumn } from '../../../catalog/import-drafts.schema.ts'
import { DRAFT_SOURCES, type Draft } from '../../../catalog/import-drafts.schema.ts'
import { countOf, formatCount } from '../../format.ts'
import { Field, type FormState, Select } from '../../kit/fields.tsx'
import { DataTable, Panel } from '../../kit/parts.tsx'
import { ForOrg, type Visitor } from '../page.tsx'
import { FIELD_WORDS, SOURCE_WORDS } from './import.words.ts'
import { draftPath } from './start.page.tsx'

type ReadingProps = { visitor: Visitor; draft: Draft; preview: Preview; state: FormState }

export function Reading({ visitor, draft, preview, state }: ReadingProps) {
  const { sheet } = preview
  const unused = sheet?.unusedCount ?? 0
  const summary = sheet
    ? `${countOf(sheet.columnCount, 'column')}${unused > 0 ? `, ${formatCount(unused)} not used` : ''}`
    : SOURCE_WORDS[draft.source]
  return (
    <Panel
      title={sheet ? 'What each column is' : 'Format'}
      lead={
        sheet
          ? 'Chosen by the names of your columns. Several columns may be one field: the first that is filled counts, and all of them for images.'
          : 'A feed or export is read by its own names; nothing has to be mapped.'
      }
    >
      <details open={isDoubtful(preview) || Object.keys(state.errors).length > 0}>
        <summary>{summary}</summary>
        <form class="fields import-columns" method="post" action={draftPath(draft)}>
          <ForOrg visitor={visitor} />
          <Select
            state={state}
            name="source"
            label="Format"
            value={draft.source}
            options={DRAFT_SOURCES.map((source) => [source, SOURCE_WORDS[source]] as const)}
          />
          {sheet && <Columns sheet={sheet} state={state} />}
          <p>
            <button class="button plain" type="submit">
              Read it like this
            </button>
          </p>
        </form>
      </details>
    </Panel>
  )
}

function isDoubtful({ problem, rows, sheet }: Preview): boolean {
  return problem !== null || (sheet?.missing.length ?? 0) > 0 || rows.some((row) => 'problem' in row)
}

/** The columns of a table with an example of each, and what each is to be read as. */
export function Columns({ sheet: { columns, columnCount }, state }: { sheet: Sheet; state: FormState }) {
  const left = columnCount - columns.length
  return (
    <>
      <DataTable
        caption="The columns of your file and what each is read as"
        columns={[
          { label: 'Your column' },
          { label: 'Example' },
          { label: 'Read as' },
          { label: 'Name of the spec' },
        ]}
        rows={columns.map((column) => cellsOf(column, state))}
      />
      {left > 0 && <p class="soft">{countOf(left, 'more column')}, read by name.</p>}
    </>
  )
}

const OPTIONS = [
  ['', 'Leave it out'],
  ['spec', 'One spec'],
  ...COLUMN_FIELDS.map((field) => [field, FIELD_WORDS[field].label] as const),
] as const

const SPEC = 'spec:'

function cellsOf({ index, name, sample, reading, mappable }: SheetColumn, state: FormState) {
  const title = name === '' ? `Column ${index + 1}, without a name` : name
  const example = <span class="soft">{sample === '' ? 'Empty in the first rows' : sample}</span>
  if (!mappable) {
    const words = `${wordsOf(reading)}. Give the column a name of its own to change this.`
    return [title, example, <span class="soft">{words}</span>, '–']
  }
  const isSpec = reading.startsWith(SPEC)
  const [field, spec] = [`column_${index}`, `spec_${index}`]
  return [
    title,
    example,
    <Select
      state={state}
      name={field}
      label={`Read ${title} as`}
      labelHidden
      options={OPTIONS}
      value={isSpec ? 'spec' : reading}
    />,
    <Field
      state={state}
      name={spec}
      label={`Name of the spec in ${title}`}
      labelHidden
      autocomplete="off"
      maxlength={80}
      value={isSpec ? reading.slice(SPEC.length) : ''}
    />,
  ]
}

function wordsOf(reading: string): string {
  if (reading === '') return 'Left out'
  if (reading.startsWith(SPEC)) return `The spec ${reading.slice(SPEC.length)}`
  const field = COLUMN_FIELDS.find((name) => name === reading)
  return field ? FIELD_WORDS[field].label : reading
}
