/** /admin/imports: what was imported, what each import did, and files that are on their way. */
import type { ImportFile } from '../../../catalog/import-files.schema.ts'
import type { ImportRecord } from '../../../catalog/import-undo.service.ts'
import { Ago } from '../../components/moment.tsx'
import { formatCount } from '../../format.ts'
import { DataTable, Empty, Panel, State } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import type { Operator } from '../guard.ts'
import { AdminPage } from '../page.tsx'
import { IMPORTS } from '../paths.ts'
import { BATCH_WORDS, batchPath, FILE_WORDS, filePath, NEW_IMPORT, sizeWords } from './imports.words.ts'

type Props = {
  site: Site
  operator: Operator
  imports: ImportRecord[]
  files: ImportFile[]
  done: string | null
  now: Date
}

export const LISTED = 100

export function renderImports({ site, operator, imports, files, done, now }: Props): string {
  const waiting = files.filter(({ state }) => state !== 'done')
  return String(
    <AdminPage
      site={site}
      waiting={operator.waiting}
      title="Imports"
      lead="Products by file. You see what would happen before anything is written, and every import can be undone."
      at={IMPORTS}
      done={done}
      actions={
        <a class="button" href={NEW_IMPORT}>
          Import a file
        </a>
      }
    >
      {waiting.length > 0 && (
        <Panel title="Not imported yet" lead="Files are kept for a day after you last worked on them.">
          <DataTable
            caption="Files that are not imported yet"
            columns={[{ label: 'File' }, { label: 'Size' }, { label: 'State' }, { label: 'Uploaded' }]}
            rows={waiting.map((file) => {
              const { words, tone } = FILE_WORDS[file.state]
              return [
                <a href={filePath(file)}>{file.fileName}</a>,
                sizeWords(file.sizeBytes),
                <State tone={tone}>{words}</State>,
                <Ago at={file.createdAt} now={now} />,
              ]
            })}
          />
        </Panel>
      )}
      <Panel title="History" lead={imports.length >= LISTED ? `The last ${LISTED} imports.` : undefined}>
        {imports.length === 0 ? (
          <Empty>
            <p>Nothing was imported yet. Bring an export of a shop, a feed or a table.</p>
            <a class="button" href={NEW_IMPORT}>
              Import a file
            </a>
          </Empty>
        ) : (
          <DataTable
            caption="Imports, the newest first"
            columns={[
              { label: 'Import' },
              { label: 'New', kind: 'number' },
              { label: 'Changed', kind: 'number' },
              { label: 'Refused', kind: 'number' },
              { label: 'State' },
              { label: 'Started' },
            ]}
            rows={imports.map((batch) => cellsOf(batch, now))}
          />
        )}
      </Panel>
    </AdminPage>,
  )
}

function cellsOf(batch: ImportRecord, now: Date) {
  const { created = 0, updated = 0, failed = 0 } = batch.counts
  const { words, tone } = BATCH_WORDS[batch.state]
  return [
    <>
      <a href={batchPath(batch)}>{batch.fileName ?? batch.source}</a>
      {batch.fileName !== null && <span class="row-note">from {batch.source}</span>}
    </>,
    formatCount(created),
    formatCount(updated),
    formatCount(failed),
    <State tone={tone}>{words}</State>,
    <Ago at={batch.startedAt} now={now} />,
  ]
}
