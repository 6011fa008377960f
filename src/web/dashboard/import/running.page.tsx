/**
 * While a long check or import runs: how far it is, written into the page as it goes. Each step is whole and takes the
 * place of the one before it; the last one is the way on to the result.
 */
import type { Draft } from '../../../catalog/import-drafts.schema.ts'
import { countOf, formatCount } from '../../format.ts'
import type { Site } from '../../site.ts'
import { Hole } from '../../stream-page.tsx'
import { DashboardPage, type Visitor } from '../page.tsx'
import { IMPORT_PATH } from '../paths.ts'
import { draftPath } from './start.page.tsx'

type RunningProps = { site: Site; visitor: Visitor; draft: Draft; dryRun: boolean }

/** Sent at once; how far it is is written into it as it goes. */
export function renderRunning({ site, visitor, draft, dryRun }: RunningProps): string {
  return String(
    <DashboardPage
      site={site}
      visitor={visitor}
      title={draft.fileName}
      lead={
        dryRun
          ? 'Every row is being checked. Nothing is changed.'
          : 'The rows are being imported. If you leave this page it stops, and you can go on later.'
      }
      at={IMPORT_PATH}
    >
      <div class="import-steps" role="status">
        <Hole />
      </div>
    </DashboardPage>,
  )
}

export function renderStep({
  done,
  total,
  dryRun,
}: {
  done: number
  total: number
  dryRun: boolean
}): string {
  const words = `${formatCount(done)} of ${countOf(total, 'row')}`
  return String(
    <p>
      <progress value={done} max={total} aria-label={dryRun ? 'Checked' : 'Imported'} />
      <span>{done === 0 ? 'The file is being read.' : `${words} ${dryRun ? 'checked' : 'imported'}.`}</span>
    </p>,
  )
}

/** The last of the steps: the way on. */
export function renderEnd({ draft, text }: { draft: Draft; text: string }): string {
  return String(
    <p>
      <span>{text}</span>
      <a class="button" href={`${draftPath(draft)}/result`}>
        See the result
      </a>
    </p>,
  )
}
