/** Results of a check or an import: counts first, then what is new, matched, doubtful and failed. */
import { z } from 'zod'
import { fixFor } from '../../../catalog/import-drafts.schema.ts'
import { type FileSaid, type ImportFile, REPORT_BOUNDS } from '../../../catalog/import-files.schema.ts'
import type { ImportRecord, Written } from '../../../catalog/import-undo.service.ts'
import { categoryPath, productPath } from '../../../catalog/profile.ts'
import { countOf, formatCount, sentence } from '../../format.ts'
import { Action, type Column, DataTable, Empty, Panel, State, Stats } from '../../kit/parts.tsx'
import { IMPORTS } from '../nav.ts'

export const NEW_IMPORT = `${IMPORTS}/new`
export const filePath = ({ id }: Pick<ImportFile, 'id'>) => `${NEW_IMPORT}/${id}`
export const batchPath = ({ id }: Pick<ImportRecord, 'id'>) => `${IMPORTS}/${id}`

/** By slug, the path and title of products that exist. */
export type Places = ReadonlyMap<string, { path: string; title: string }>

const SHOWN = 20

/** What is read of an import's own report; anything else in it is passed over. */
export const BatchReport = z.object({
  joinedRows: z.array(z.object({ line: z.number(), slug: z.string(), by: z.string() })).catch([]),
  twins: z
    .object({ total: z.number(), twins: z.array(z.object({ slug: z.string(), other: z.string() })) })
    .catch({ total: 0, twins: [] }),
  undone: z
    .object({
      removed: z.number(),
      restored: z.number(),
      categoriesRemoved: z.number(),
      keptTotal: z.number(),
      kept: z.array(z.object({ name: z.string(), why: z.string() })),
    })
    .nullable()
    .catch(null),
})
export type BatchReport = z.output<typeof BatchReport>

/** Services write for the command and for tools too; options and JSON mean nothing on a page. */
export function inPageWords(
  fix: string,
  about: { field: string | null; format: string | null } | null = null,
): string {
  const rate = /--rate ([A-Z]{3})/.exec(fix)?.[1]
  if (rate) return `enter a rate for ${rate} under “Prices”`
  if (fix.includes('--currency')) return 'choose the currency under “Prices”'
  if (fix.includes('--categories FILE')) return 'choose one of your categories under “Categories”'
  if (about && about.format !== 'jsonl') return fixFor({ field: about.field, fix }, 'csv')
  return fix
    .replace(/import the same file again to continue after this row/, 'continue')
    .replace('check again when', 'check it again when')
}

export function Run({ file, label }: { file: Pick<ImportFile, 'id'>; label: string }) {
  return <Action to={`${filePath(file)}/run`} label={label} kind="primary" fields={{ step: 'import' }} />
}

export function Said({ file, said, places }: { file: ImportFile; said: FileSaid; places: Places }) {
  const { counts, dryRun, notes, newCategories } = said
  const { created, updated, unchanged, further, deleted, failed, joined } = counts
  const writes = created + updated
  const made = said.categories.filter(({ isNew }) => isNew)
  return (
    <>
      <Panel
        title={dryRun ? 'Check results' : 'Import results'}
        lead={dryRun ? 'Nothing has been saved yet.' : undefined}
        actions={
          said.lines > 0 && (
            <a class="button plain" href={`${filePath(file)}/report.csv`}>
              Download report
            </a>
          )
        }
      >
        <Stats
          items={[
            {
              ...{ label: 'New', value: formatCount(created) },
              note:
                newCategories > 0 &&
                `with ${formatCount(newCategories)} new ${newCategories === 1 ? 'category' : 'categories'}`,
            },
            {
              ...{ label: 'Updated', value: formatCount(updated) },
              note: joined > 0 && `${formatCount(joined)} matched to existing products`,
            },
            {
              ...{ label: 'Unchanged', value: formatCount(unchanged) },
              note: further > 0 && `${formatCount(further)} more rows of the same products`,
            },
            { label: 'Failed', value: formatCount(failed), note: failed > 0 && 'see why below' },
            ...(deleted > 0
              ? [{ label: 'Skipped', value: formatCount(deleted), note: 'you deleted these products' }]
              : []),
            {
              ...{ label: 'Notes', value: formatCount(notes) },
              note:
                notes > 0 && (dryRun ? 'values we would skip or shorten' : 'values we skipped or shortened'),
            },
          ]}
        />
        {said.resumedAfterRow > 0 && (
          <p class="soft">
            The import was interrupted and continued after row {formatCount(said.resumedAfterRow)}. Counts
            cover the whole file; the lists below only the rows after that.
          </p>
        )}
        {dryRun && file.state === 'checked' && (
          <div class="import-go">
            {writes > 0 ? (
              <Run file={file} label={`Import ${countOf(writes, 'product')}`} />
            ) : (
              <p>
                {failed > 0
                  ? 'Nothing to import yet. See below how to fix the failed rows.'
                  : 'Nothing to import. The catalog already has everything in this file.'}
              </p>
            )}
            {writes > 0 && failed > 0 && (
              <p class="soft">
                We'll skip {countOf(failed, 'row')}. You can fix the file and upload it again.
              </p>
            )}
          </div>
        )}
        {!dryRun && file.importId !== null && (
          <p>
            <a class="button plain" href={batchPath({ id: file.importId })}>
              View or undo this import
            </a>
          </p>
        )}
      </Panel>
      {made.length > 0 && (
        <Some
          title="New categories"
          columns={[{ label: 'Category' }, { label: 'Rows', kind: 'number' }]}
          rows={made
            .slice(0, SHOWN)
            .map(({ path, label, rows }) => [[...path, label].join(' › '), formatCount(rows)])}
          total={newCategories}
        />
      )}
      <Pairs
        report={{
          joinedRows: said.joinedRows.slice(0, SHOWN),
          twins: { total: said.twins.total, twins: said.twins.twins.slice(0, SHOWN) },
        }}
        joined={joined}
        places={places}
      />
      {said.groups.length > 0 && <Groups said={said} format={file.look?.format ?? null} />}
    </>
  )
}

type SomeProps = {
  title: string
  lead?: string
  columns: Column[]
  rows: Parameters<typeof DataTable>[0]['rows']
  total?: number
}

/** A table of the first rows, and how many more there are. */
function Some({ title, lead, columns, rows, total = 0 }: SomeProps) {
  return (
    <Panel title={title} lead={lead}>
      <DataTable caption={title} columns={columns} rows={rows} />
      {total > rows.length && <p class="soft">{formatCount(total - rows.length)} more.</p>}
    </Panel>
  )
}

function Named({ name, places }: { name: string; places: Places }) {
  const place = places.get(name)
  return place ? <a href={place.path}>{place.title}</a> : <span>{name}</span>
}

type PairsProps = { report: Pick<BatchReport, 'joinedRows' | 'twins'>; joined?: number; places: Places }

/** Rows matched to products of other sources, and products that might be the same. */
export function Pairs({ report: { joinedRows, twins }, joined, places }: PairsProps) {
  const link = (slug: string) => <Named name={slug} places={places} />
  return (
    <>
      {joinedRows.length > 0 && (
        <Some
          title="Matched products"
          lead="The file names these products of other sources by number or address, so we updated them instead of adding new ones."
          columns={[{ label: 'Product' }, { label: 'Line', kind: 'number' }, { label: 'Matched by' }]}
          rows={joinedRows.map(({ slug, line, by }) => [
            link(slug),
            formatCount(line),
            by === 'slug' ? 'address' : by.toUpperCase(),
          ])}
          total={joined}
        />
      )}
      {twins.total > 0 && (
        <Some
          title="Possible duplicates"
          lead="These new products have the same brand and title as another product."
          columns={[{ label: 'New' }, { label: 'Existing' }]}
          rows={twins.twins.map(({ slug, other }) => [link(slug), link(other)])}
          total={twins.total}
        />
      )}
    </>
  )
}

function Groups({ said, format }: { said: FileSaid; format: string | null }) {
  const more = Math.max(said.groups.length - SHOWN, 0) + said.others
  const kept = said.linesLeft > 0 ? ` The report lists the first ${formatCount(said.lines)} rows.` : ''
  return (
    <Panel title="Issues" lead={`Grouped by issue, failed rows first.${kept}`}>
      <DataTable
        caption="Issues"
        columns={[
          { label: 'Issue' },
          { label: 'Rows', kind: 'number' },
          { label: 'First row' },
          { label: 'How to fix it' },
        ]}
        rows={said.groups.slice(0, SHOWN).map(({ isRefusal, field, problem, fix, rows, first }) => [
          <>
            <State tone={isRefusal ? 'bad' : 'mixed'}>{isRefusal ? 'Failed' : 'Note'}</State>
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
        ])}
      />
      {more > 0 && (
        <p class="soft">
          {formatCount(more)} more in the report, which holds up to {formatCount(REPORT_BOUNDS.lines)} rows.
        </p>
      )}
    </Panel>
  )
}

type KeptProps = { kept: Array<{ name: string; why: string }>; total: number; places: Places }

export function Kept({ kept, total, places }: KeptProps) {
  if (kept.length === 0) return null
  return (
    <>
      <DataTable
        caption="What we keep, and why"
        columns={[{ label: 'Kept' }, { label: 'Why' }]}
        rows={kept.map(({ name, why }) => [<Named name={name} places={places} />, sentence(why)])}
      />
      {total > kept.length && <p class="soft">{formatCount(total - kept.length)} more.</p>}
    </>
  )
}

type WrittenListProps = { batch: ImportRecord & { written: Written[] }; isCut: boolean }

export function WrittenList({ batch: { written, counts, state }, isCut }: WrittenListProps) {
  if (written.length === 0)
    return (
      <Empty>
        <p>{state === 'undone' ? 'Nothing is left of this import.' : 'Nothing from this import is left.'}</p>
      </Empty>
    )
  const parts = [
    { title: 'New products', kind: 'product', isNew: true, total: counts.created ?? 0 },
    { title: 'Updated products', kind: 'product', isNew: false, total: counts.updated ?? 0 },
    { title: 'New categories', kind: 'category', isNew: true, total: 0 },
  ]
  return (
    <>
      {parts.map(({ title, total, ...of }) => {
        const found = written.filter(({ kind, isNew }) => kind === of.kind && isNew === of.isNew)
        if (found.length === 0) return null
        return (
          <Panel title={title}>
            <ul class="import-names">
              {found.map(({ kind, name, under, title }) => (
                <li>
                  <a
                    href={
                      kind === 'product' && under !== null
                        ? productPath({ slug: name, category: { slug: under } })
                        : categoryPath({ slug: name })
                    }
                  >
                    {title}
                  </a>
                </li>
              ))}
            </ul>
            {isCut && total > found.length && (
              <p class="soft">
                Showing {formatCount(found.length)} of {formatCount(total)}.
              </p>
            )}
          </Panel>
        )
      })}
    </>
  )
}
