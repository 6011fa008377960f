/** /admin/import: a file into the catalog, checked first, with what is wrong row by row. */
import type { Category } from '../../../catalog/catalog.schema.ts'
import type { ImportFormat, RowProblem } from '../../../catalog/import/rows.ts'
import type { ImportSummary } from '../../../catalog/import.service.ts'
import { DataTable, Figures, Panel } from '../../console/parts.tsx'
import { countOf, formatCount, sentence } from '../../format.ts'
import { Form, type FormState, Hidden, Labelled, Select, UNTOUCHED } from '../../forms/fields.tsx'
import type { Site } from '../../site.ts'
import { Hole } from '../../stream-page.tsx'
import type { Operator } from '../door.ts'
import { AdminPage } from '../page.tsx'
import { IMPORT } from '../paths.ts'

export const PROBLEMS_SHOWN = 100

export type ImportRun = {
  source: string
  format: ImportFormat
  dryRun: boolean
  fingerprint: string
  problems: RowProblem[]
}

const FORMATS = [
  ['', 'Found out from the file'],
  ['jsonl', 'JSONL'],
  ['csv', 'CSV'],
  ['google', 'Google Merchant feed'],
  ['shopify', 'Shopify product CSV'],
] as const

const LEAD = 'Products by file: JSONL, CSV, a Google Merchant feed or a Shopify export, also gzipped.'

type Props = { site: Site; operator: Operator; state: FormState; categories: Category[] }

export function renderImport({ site, operator, state, categories }: Props): string {
  return String(
    <AdminPage
      site={site}
      waiting={operator.waiting}
      title="Catalog import"
      lead={LEAD}
      at={IMPORT}
      errors={state.errors}
    >
      <Panel
        title="Check a file"
        lead="Nothing is written. You see what would happen; to do it, you send the file once more. No copy is kept here in between."
      >
        <ImportFields step="check" state={state} categories={categories} label="Check the file" />
      </Panel>
      <p class="soft">
        Up to 200 MB. For larger files, or to say which column is what, use the command{' '}
        <code>npm run souk -- import FILE</code>.
      </p>
    </AdminPage>,
  )
}

type FieldsProps = {
  step: 'check' | 'import'
  state: FormState
  categories: Category[]
  label: string
  checked?: string
}

function ImportFields({ step, state, categories, label, checked }: FieldsProps) {
  return (
    <Form action={IMPORT} enctype="multipart/form-data" label={label}>
      <Hidden name="step" value={step} />
      <Hidden name="checked" value={checked} />
      <Labelled state={state} name="file" label="File">
        {(control) => (
          <input
            type="file"
            accept=".jsonl,.ndjson,.csv,.tsv,.txt,.xml,.gz"
            required
            autocomplete="off"
            {...control}
          />
        )}
      </Labelled>
      <Select state={state} name="format" label="Kind of file" options={FORMATS} />
      <Select
        state={state}
        name="category"
        label="Category"
        hint="For rows that name none."
        options={[['', 'None'], ...categories.map((one) => [one.slug, one.label] as const)]}
      />
    </Form>
  )
}

export function renderImporting({
  site,
  operator,
  run,
}: {
  site: Site
  operator: Operator
  run: Omit<ImportRun, 'problems'>
}): string {
  return String(
    <AdminPage site={site} waiting={operator.waiting} title="Catalog import" lead={LEAD} at={IMPORT}>
      <p role="status">
        {run.dryRun ? 'Checking' : 'Importing'} <strong>{run.source}</strong>.{' '}
        {run.dryRun ? 'Nothing is written.' : 'You may close this page: what was begun is finished.'}
      </p>
      {Hole()}
    </AdminPage>,
  )
}

export function renderProgress(text: string): string {
  return String(<p class="soft">{text}</p>)
}

type ResultProps = {
  run: ImportRun
  summary: ImportSummary
  input: { format: string; category: string }
  categories: Category[]
}

export function renderResult({ run, summary, input, categories }: ResultProps): string {
  const { created, updated, unchanged, failed } = summary
  const nothingNew = created + updated === 0
  return String(
    <>
      <Panel title={run.dryRun ? 'What would happen' : 'What happened'}>
        <Figures
          items={[
            { label: 'New', value: formatCount(created) },
            { label: 'Changed', value: formatCount(updated) },
            { label: 'Unchanged', value: formatCount(unchanged) },
            { label: 'Refused', value: formatCount(failed) },
          ]}
        />
        {summary.notes > 0 && <p>{countOf(summary.notes, 'text')} too long, and cut.</p>}
        {summary.resumedAfterRow > 0 && (
          <p>
            An earlier import of this file was cut off; this one went on after row {summary.resumedAfterRow}.
          </p>
        )}
        {!run.dryRun && (
          <p>
            <a href={IMPORT}>Import another file</a>
          </p>
        )}
      </Panel>
      {run.problems.length > 0 && <Problems problems={run.problems} failed={failed} />}
      {run.dryRun && (
        <Panel
          title={nothingNew ? 'Check another file' : 'Import it'}
          lead={
            nothingNew
              ? 'There is nothing in this file that would be written.'
              : 'Choose the same file again: no copy was kept. Another one, or one that was changed since, is refused.'
          }
        >
          {nothingNew ? (
            <ImportFields step="check" state={UNTOUCHED} categories={categories} label="Check the file" />
          ) : (
            <ImportFields
              step="import"
              state={{ values: { ...input }, errors: {} }}
              categories={categories}
              label="Import"
              checked={run.fingerprint}
            />
          )}
        </Panel>
      )}
    </>,
  )
}

/** Services write for the command too: its options mean nothing here. */
function Problems({ problems, failed }: { problems: RowProblem[]; failed: number }) {
  return (
    <Panel
      title="Rows that are refused"
      lead={
        failed > problems.length
          ? `The first ${problems.length} of ${formatCount(failed)}; the command writes all of them with --report FILE.`
          : 'The others are not held up by them.'
      }
    >
      <DataTable
        caption="Rows that are refused"
        columns={[{ label: 'Line' }, { label: 'Field' }, { label: 'Problem' }, { label: 'What to do' }]}
        rows={problems.map(({ line, field, problem, fix }) => [
          formatCount(line),
          field ?? 'row',
          sentence(problem),
          sentence(fix.replace('--categories FILE', 'the import command')),
        ])}
      />
    </Panel>
  )
}
