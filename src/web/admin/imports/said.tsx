/** What a check or an import said: numbers first, then what is new, joined, doubtful and refused. */

import type { ReportGroup } from '../../../catalog/import-files.schema.ts'
import { type FileSaid, type ImportFile, REPORT_BOUNDS } from '../../../catalog/import-files.schema.ts'
import { countOf, formatCount, sentence } from '../../format.ts'
import { Form, Hidden } from '../../kit/fields.tsx'
import { DataTable, Panel, State, Stats } from '../../kit/parts.tsx'
import { batchPath, filePath, inPageWords } from './imports.words.ts'

/** By slug, the path and title of products that there are. */
export type Places = ReadonlyMap<string, { path: string; title: string }>

type Props = { file: ImportFile; said: FileSaid; places: Places }

const SHOWN = 20

export function Said({ file, said, places }: Props) {
  const { counts, dryRun } = said
  const writes = counts.created + counts.updated
  return (
    <>
      <Panel
        title={dryRun ? 'What would happen' : 'What happened'}
        lead={dryRun ? 'Nothing was written.' : undefined}
        actions={
          said.lines > 0 && (
            <a class="button plain" href={`${filePath(file)}/report.csv`}>
              Download the report
            </a>
          )
        }
      >
        <Stats items={figuresOf(said)} />
        {said.resumedAfterRow > 0 && (
          <p class="soft">
            It was cut off and went on after row {formatCount(said.resumedAfterRow)}. The numbers are of the
            whole file; the lists below are of the rows after that.
          </p>
        )}
        {dryRun && file.state === 'checked' && (
          <div class="import-go">
            {writes > 0 ? (
              <Run file={file} step="import" label={`Import ${countOf(writes, 'product')}`} />
            ) : (
              <p>
                {counts.failed > 0
                  ? 'There is nothing to import yet: see below what to do about the rows that are refused.'
                  : 'There is nothing to import: everything in this file is in the catalog already.'}
              </p>
            )}
            {writes > 0 && counts.failed > 0 && (
              <p class="soft">
                {countOf(counts.failed, 'row')} would be left out. You can correct the file and bring it
                again.
              </p>
            )}
          </div>
        )}
        {!dryRun && file.importId !== null && (
          <p>
            <a class="button plain" href={batchPath({ id: file.importId })}>
              See what came in, or undo it
            </a>
          </p>
        )}
      </Panel>
      <Rest said={said} places={places} />
      {said.groups.length > 0 && <Groups said={said} format={file.look?.format ?? null} />}
    </>
  )
}

function figuresOf({ counts, notes, newCategories, dryRun }: FileSaid) {
  const { created, updated, unchanged, further, deleted, failed, joined } = counts
  const joins = joined > 0 ? `${formatCount(joined)} joined to products from elsewhere` : undefined
  const more = further > 0 ? `${formatCount(further)} further rows of the products above` : undefined
  return [
    {
      label: 'New',
      value: formatCount(created),
      note:
        newCategories > 0
          ? `with ${newCategories === 1 ? '1 new category' : `${formatCount(newCategories)} new categories`}`
          : undefined,
    },
    { label: 'Changed', value: formatCount(updated), note: joins },
    { label: 'Unchanged', value: formatCount(unchanged), note: more },
    { label: 'Refused', value: formatCount(failed), note: failed > 0 ? 'see below why' : undefined },
    ...(deleted > 0 ? [{ label: 'Left out', value: formatCount(deleted), note: 'deleted here before' }] : []),
    {
      label: 'Notes',
      value: formatCount(notes),
      note:
        notes > 0
          ? dryRun
            ? 'values that would be left out or cut'
            : 'values that were left out or cut'
          : undefined,
    },
  ]
}

function Rest({ said, places }: Pick<Props, 'said' | 'places'>) {
  const made = said.categories.filter(({ isNew }) => isNew)
  const link = (slug: string) => {
    const place = places.get(slug)
    return place ? <a href={place.path}>{place.title}</a> : slug
  }
  return (
    <>
      {made.length > 0 && (
        <Panel title="New categories">
          <DataTable
            caption="New categories"
            columns={[{ label: 'Category' }, { label: 'Rows', kind: 'number' }]}
            rows={made
              .slice(0, SHOWN)
              .map(({ path, label, rows }) => [[...path, label].join(' › '), formatCount(rows)])}
          />
          {said.newCategories > SHOWN && <p class="soft">{formatCount(said.newCategories - SHOWN)} more.</p>}
        </Panel>
      )}
      {said.joinedRows.length > 0 && (
        <Panel
          title="Joined"
          lead="Products that came from elsewhere and that a number or an address of the file names."
        >
          <DataTable
            caption="Rows that were joined to products from elsewhere"
            columns={[{ label: 'Product' }, { label: 'Line', kind: 'number' }, { label: 'By its' }]}
            rows={said.joinedRows
              .slice(0, SHOWN)
              .map(({ slug, line, by }) => [
                link(slug),
                formatCount(line),
                by === 'slug' ? 'address' : by.toUpperCase(),
              ])}
          />
          {said.counts.joined > SHOWN && <p class="soft">{formatCount(said.counts.joined - SHOWN)} more.</p>}
        </Panel>
      )}
      {said.twins.total > 0 && (
        <Panel
          title="Might be the same"
          lead="New products with the brand and title of another. Look whether they are one."
        >
          <DataTable
            caption="Products that might be the same"
            columns={[{ label: 'New' }, { label: 'Known' }]}
            rows={said.twins.twins.slice(0, SHOWN).map(({ slug, other }) => [link(slug), link(other)])}
          />
          {said.twins.total > SHOWN && <p class="soft">{formatCount(said.twins.total - SHOWN)} more.</p>}
        </Panel>
      )}
    </>
  )
}

function Groups({ said, format }: Pick<Props, 'said'> & { format: string | null }) {
  const rest = said.groups.length - SHOWN
  const kept = said.linesLeft > 0 ? ` The report has the first ${formatCount(said.lines)} of them.` : ''
  return (
    <Panel title="What to look at" lead={`The same things together, refused rows first.${kept}`}>
      <DataTable
        caption="What was refused or noted"
        columns={[
          { label: 'What' },
          { label: 'Rows', kind: 'number' },
          { label: 'First at' },
          { label: 'What to do' },
        ]}
        rows={said.groups.slice(0, SHOWN).map((group) => groupCells(group, format))}
      />
      {rest + said.others > 0 && (
        <p class="soft">
          {formatCount(Math.max(rest, 0) + said.others)} more, in the report of up to{' '}
          {formatCount(REPORT_BOUNDS.lines)} rows.
        </p>
      )}
    </Panel>
  )
}

function groupCells({ isRefusal, field, problem, fix, rows, first }: ReportGroup, format: string | null) {
  return [
    <>
      <State tone={isRefusal ? 'bad' : 'mixed'}>{isRefusal ? 'Refused' : 'Noted'}</State>
      <span class="row-note">
        {sentence(problem.startsWith('there is ') ? problem : `${field ?? 'the row'} ${problem}`)}
      </span>
    </>,
    formatCount(rows),
    <>
      <span class="whole">Line {formatCount(first.line)}</span>
      {(first.id ?? first.value) !== null && (
        <span class="row-note">
          {[first.id && `id ${first.id}`, first.value && `“${first.value}”`].filter(Boolean).join(', ')}
        </span>
      )}
    </>,
    sentence(inPageWords(fix, { field, format })),
  ]
}

export function Run({
  file,
  step,
  label,
}: {
  file: Pick<ImportFile, 'id'>
  step: 'check' | 'import'
  label: string
}) {
  return (
    <Form action={`${filePath(file)}/run`} label={label}>
      <Hidden name="step" value={step} />
    </Form>
  )
}
