/** /admin/imports/:id: one import, what it wrote, and the way to undo it; /undo: what that would do. */
import { z } from 'zod'
import {
  type ImportRecord,
  isTooOld,
  type UndoPreview,
  type Written,
} from '../../../catalog/import-undo.service.ts'
import { categoryPath, productPath } from '../../../catalog/profile.ts'
import { Moment } from '../../components/moment.tsx'
import { countOf, formatCount, sentence } from '../../format.ts'
import { Form, type FormState } from '../../kit/fields.tsx'
import { DataTable, Empty, Panel, State, Stats, Waiting } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import { Hole } from '../../stream-page.tsx'
import type { Operator } from '../guard.ts'
import { AdminPage } from '../page.tsx'
import { IMPORTS } from '../paths.ts'
import { BATCH_WORDS, batchPath, filePath } from './imports.words.ts'
import type { Places } from './said.tsx'

export const WRITTEN_SHOWN = 500
const KEPT_SHOWN = 50

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

type Batch = ImportRecord & { written: Written[] }
type Common = { site: Site; operator: Operator; batch: ImportRecord }

function nameOf({ fileName, source }: ImportRecord): string {
  return fileName ?? source
}

export function renderBatch(
  props: Common & {
    batch: Batch
    report: BatchReport
    places: Places
    fileId: string | null
    done: string | null
    now: Date
  },
): string {
  const { site, operator, batch, report, places, fileId, done, now } = props
  const { created = 0, updated = 0, unchanged = 0, failed = 0, joined = 0 } = batch.counts
  const { words, tone } = BATCH_WORDS[batch.state]
  const isOld = isTooOld(batch, now)
  const canUndo = batch.state !== 'undone' && !isOld
  return String(
    <AdminPage
      site={site}
      waiting={operator.waiting}
      title={nameOf(batch)}
      lead={
        <>
          <State tone={tone}>{words}</State> From {batch.source}, <Moment at={batch.startedAt} />
        </>
      }
      at={IMPORTS}
      done={done}
      actions={
        <>
          {canUndo && (
            <a class="button plain" href={`${batchPath(batch)}/undo`}>
              Undo this import
            </a>
          )}
          <a class="button plain" href={IMPORTS}>
            All imports
          </a>
        </>
      }
    >
      {report.undone && <Undone undone={report.undone} places={places} />}
      <Stats
        items={[
          { label: 'New', value: formatCount(created) },
          { label: 'Changed', value: formatCount(updated) },
          {
            label: 'Joined',
            value: formatCount(joined),
            note: joined > 0 ? 'to products from elsewhere' : undefined,
          },
          { label: 'Unchanged', value: formatCount(unchanged) },
          { label: 'Refused', value: formatCount(failed) },
        ]}
      />
      {fileId !== null && (
        <p>
          <a href={filePath({ id: fileId })}>See the report of its rows</a>
        </p>
      )}
      {isOld && batch.state !== 'undone' && (
        <p class="soft">It ended more than 90 days ago and cannot be undone any more.</p>
      )}
      <WrittenList batch={batch} />
      <Pairs report={report} places={places} />
    </AdminPage>,
  )
}

function WrittenList({ batch: { written, counts, state } }: { batch: Batch }) {
  if (written.length === 0)
    return (
      <Empty>
        <p>{state === 'undone' ? 'Nothing of it is left.' : 'It wrote nothing that is still there.'}</p>
      </Empty>
    )
  const parts: Array<[title: string, found: Written[], total: number]> = [
    ['New products', written.filter(({ kind, isNew }) => kind === 'product' && isNew), counts.created ?? 0],
    [
      'Changed products',
      written.filter(({ kind, isNew }) => kind === 'product' && !isNew),
      counts.updated ?? 0,
    ],
    ['New categories', written.filter(({ kind, isNew }) => kind === 'category' && isNew), 0],
  ]
  return (
    <>
      {parts
        .filter(([, found]) => found.length > 0)
        .map(([title, found, total]) => (
          <Panel title={title}>
            <ul class="import-names">
              {found.map((one) => (
                <li>
                  <a href={pathOf(one)}>{one.title}</a>
                </li>
              ))}
            </ul>
            {written.length >= WRITTEN_SHOWN && total > found.length && (
              <p class="soft">
                The first {formatCount(found.length)} of {formatCount(total)}.
              </p>
            )}
          </Panel>
        ))}
    </>
  )
}

function pathOf({ kind, name, under }: Written): string {
  return kind === 'product' && under !== null
    ? productPath({ slug: name, category: { slug: under } })
    : categoryPath({ slug: name })
}

function Pairs({ report, places }: { report: BatchReport; places: Places }) {
  const link = (slug: string) => <Named name={slug} places={places} />
  return (
    <>
      {report.joinedRows.length > 0 && (
        <Panel title="Joined" lead="Products from elsewhere that a number or an address of the file names.">
          <DataTable
            caption="Rows that were joined to products from elsewhere"
            columns={[{ label: 'Product' }, { label: 'Line', kind: 'number' }, { label: 'By its' }]}
            rows={report.joinedRows.map(({ slug, line, by }) => [
              link(slug),
              formatCount(line),
              by === 'slug' ? 'address' : by.toUpperCase(),
            ])}
          />
        </Panel>
      )}
      {report.twins.total > 0 && (
        <Panel title="Might be the same" lead="New products with the brand and title of another.">
          <DataTable
            caption="Products that might be the same"
            columns={[{ label: 'New' }, { label: 'Known' }]}
            rows={report.twins.twins.map(({ slug, other }) => [link(slug), link(other)])}
          />
        </Panel>
      )}
    </>
  )
}

function Named({ name, places }: { name: string; places: Places }) {
  const place = places.get(name)
  return place ? <a href={place.path}>{place.title}</a> : <span>{name}</span>
}

function Undone({ undone, places }: { undone: NonNullable<BatchReport['undone']>; places: Places }) {
  return (
    <Panel title="What was undone">
      <Stats
        items={[
          { label: 'Products removed', value: formatCount(undone.removed) },
          { label: 'As they were before', value: formatCount(undone.restored) },
          { label: 'Categories removed', value: formatCount(undone.categoriesRemoved) },
          { label: 'Left as they are', value: formatCount(undone.keptTotal) },
        ]}
      />
      {undone.kept.length > 0 && <Kept kept={undone.kept} total={undone.keptTotal} places={places} />}
    </Panel>
  )
}

function Kept({
  kept,
  total,
  places,
}: {
  kept: Array<{ name: string; why: string }>
  total: number
  places: Places
}) {
  const shown = kept.slice(0, KEPT_SHOWN)
  return (
    <>
      <DataTable
        caption="What stays, and why"
        columns={[{ label: 'Stays' }, { label: 'Why' }]}
        rows={shown.map(({ name, why }) => [<Named name={name} places={places} />, sentence(why)])}
      />
      {total > shown.length && <p class="soft">{formatCount(total - shown.length)} more stay.</p>}
    </>
  )
}

export function renderUndo({
  site,
  operator,
  batch,
  preview,
  places,
  state,
}: Common & { preview: UndoPreview; places: Places; state: FormState }): string {
  const { removed, restored, categories, kept } = preview
  const nothing = removed + restored + categories === 0
  return String(
    <AdminPage
      site={site}
      waiting={operator.waiting}
      title={`Undo ${nameOf(batch)}`}
      lead={
        nothing ? 'Nothing of this import would go.' : 'This is what would happen. Nothing is undone yet.'
      }
      at={IMPORTS}
      errors={state.errors}
      actions={
        <a class="button plain" href={batchPath(batch)}>
          Leave it as it is
        </a>
      }
    >
      <Panel title="What would go">
        <Stats
          items={[
            { label: 'Products to remove', value: formatCount(removed), note: 'the import made them' },
            { label: 'Products to put back', value: formatCount(restored), note: 'as they were before it' },
            {
              label: 'Categories to remove',
              value: formatCount(categories),
              note: categories > 0 ? 'where nothing else is in them' : undefined,
            },
            {
              label: 'Stay as they are',
              value: formatCount(kept.length),
              note: kept.length > 0 ? 'see below why' : undefined,
            },
          ]}
        />
        <p class="soft">
          Pages, search and feeds follow at once. An undone import cannot be done again by a button: the file
          would be imported anew.
        </p>
        <Form
          action={`${batchPath(batch)}/undo`}
          label={removed > 0 ? `Undo and remove ${countOf(removed, 'product')}` : 'Undo this import'}
          kind="danger"
        />
      </Panel>
      {kept.length > 0 && (
        <Panel title="What stays" lead="Something newer touched it, or somebody uses it.">
          <Kept kept={kept} total={kept.length} places={places} />
        </Panel>
      )}
    </AdminPage>,
  )
}

/** While a large one is undone. */
export function renderUndoing({ site, operator, batch }: Common): string {
  return String(
    <AdminPage site={site} waiting={operator.waiting} title={`Undo ${nameOf(batch)}`} at={IMPORTS}>
      <Waiting label="Undoing the import">
        The import is being undone. You may close this page; what was begun is finished.
      </Waiting>
      <div class="ended">
        <Hole />
      </div>
    </AdminPage>,
  )
}

export function renderUndoEnd(batch: ImportRecord): string {
  return String(
    <p>
      The import is undone. <a href={batchPath(batch)}>See what came of it</a>
    </p>,
  )
}
