/** Results of a check or an import: counts first, then what is new, matched, doubtful and failed. */
import { z } from 'zod'
import { fixFor } from '../../../catalog/import-drafts.schema.ts'
import { type FileSaid, type ImportFile, REPORT_BOUNDS } from '../../../catalog/import-files.schema.ts'
import type { ImportRecord, Written } from '../../../catalog/import-undo.service.ts'
import { categoryPath, productPath } from '../../../catalog/profile.ts'
import { countOf, formatCount, sentence } from '../../format.ts'
import {
  Action,
  DataTable,
  Empty,
  figure,
  LinkButton,
  noted,
  Panel,
  State,
  Stats,
  TablePanel,
} from '../../kit/parts.tsx'
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
        actions={said.lines > 0 && <LinkButton to={`${filePath(file)}/report.csv`} label="Download report" />}
      >
        <Stats
          items={[
            figure('New', created, newCategories > 0 && `with ${countOf(newCategories, 'new category')}`),
            figure('Updated', updated, joined > 0 && `${formatCount(joined)} matched to existing products`),
            figure(
              'Unchanged',
              unchanged,
              further > 0 && `${formatCount(further)} more rows of the same products`,
            ),
            figure('Failed', failed, failed > 0 && 'see why below'),
            ...(deleted > 0 ? [figure('Skipped', deleted, 'you deleted these products')] : []),
            figure(
              'Notes',
              notes,
              notes > 0 && `values we ${dryRun ? 'would skip or shorten' : 'skipped or shortened'}`,
            ),
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
            <LinkButton to={batchPath({ id: file.importId })} label="View or undo this import" />
          </p>
        )}
      </Panel>
      {made.length > 0 && (
        <TablePanel
          title="New categories"
          columns={['Category', { label: 'Rows', kind: 'number' }]}
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
        <TablePanel
          title="Matched products"
          lead="The file names these products of other sources by number or address, so we updated them instead of adding new ones."
          columns={['Product', { label: 'Line', kind: 'number' }, 'Matched by']}
          rows={joinedRows.map(({ slug, line, by }) => [
            link(slug),
            formatCount(line),
            by === 'slug' ? 'address' : by.toUpperCase(),
          ])}
          total={joined}
        />
      )}
      {twins.total > 0 && (
        <TablePanel
          title="Possible duplicates"
          lead="These new products have the same brand and title as another product."
          columns={['New', 'Existing']}
          rows={twins.twins.map(({ slug, other }) => [link(slug), link(other)])}
          total={twins.total}
        />
      )}
    </>
  )
}

function Groups({ said, format }: { said: FileSaid; format: string | null }) {
  const kept = said.linesLeft > 0 ? ` The report lists the first ${formatCount(said.lines)} rows.` : ''
  return (
    <TablePanel
      title="Issues"
      lead={`Grouped by issue, failed rows first. The report holds up to ${formatCount(REPORT_BOUNDS.lines)} rows.${kept}`}
      columns={['Issue', { label: 'Rows', kind: 'number' }, 'First row', 'How to fix it']}
      rows={said.groups
        .slice(0, SHOWN)
        .map(({ isRefusal, field, problem, fix, rows, first }) => [
          noted(
            <State tone={isRefusal ? 'bad' : 'mixed'}>{isRefusal ? 'Failed' : 'Note'}</State>,
            sentence(problem.startsWith('there is ') ? problem : `${field ?? 'the row'} ${problem}`),
          ),
          formatCount(rows),
          noted(
            <span class="whole">Line {formatCount(first.line)}</span>,
            [first.id && `id ${first.id}`, first.value && `“${first.value}”`].filter(Boolean).join(', '),
          ),
          sentence(inPageWords(fix, { field, format })),
        ])}
      total={said.groups.length + said.others}
    />
  )
}

type KeptProps = { kept: Array<{ name: string; why: string }>; total: number; places: Places }

export function Kept({ kept, total, places }: KeptProps) {
  if (kept.length === 0) return null
  return (
    <>
      <DataTable
        caption="What we keep, and why"
        columns={['Kept', 'Why']}
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
