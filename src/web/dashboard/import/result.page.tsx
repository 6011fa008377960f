/**
 * /dashboard/import/:id/result: what a check says would happen, or what an import did, row by row; and the button that
 * does it, or goes on where it stopped.
 */
import type { Draft, DraftResult, DraftRow } from '../../../catalog/import-drafts.schema.ts'
import { fixFor, problemOf } from '../../../catalog/import-drafts.schema.ts'
import { type ImportOutcome, OUTCOMES } from '../../../catalog/producer-import.schema.ts'
import { countOf, formatCount, sentence } from '../../format.ts'
import { type FormState, Hidden } from '../../kit/fields.tsx'
import { Paging } from '../../kit/paging.tsx'
import { DataTable, Empty, Panel, State, Stats } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import { ActionForm, DashboardPage, type Visitor } from '../page.tsx'
import { IMPORT_PATH, PRODUCTS_PATH } from '../paths.ts'
import { OUTCOME_WORDS, type Stage, stageOf } from './import.words.ts'
import { draftPath } from './start.page.tsx'

const PAGE_ROWS = 50

export type Shown = { outcome: ImportOutcome | null; page: number }

export type ResultProps = {
  site: Site
  visitor: Visitor
  draft: Draft
  busy: boolean
  result: DraftResult | null
  shown: Shown
  errors: FormState['errors']
}

export function renderResult(props: ResultProps): string {
  const { site, visitor, draft, busy, errors } = props
  const stage = stageOf(draft, busy)
  const result = isStill(draft, props.result) ? props.result : null
  return String(
    <DashboardPage
      site={site}
      visitor={visitor}
      title={draft.fileName}
      lead={LEADS[stage]}
      at={IMPORT_PATH}
      errors={errors}
      actions={<Ways draft={draft} />}
    >
      <Next {...props} result={result} stage={stage} />
      {result && <Counts result={result} />}
      {result && <Rows {...props} result={result} />}
    </DashboardPage>,
  )
}

/** What a check said before rows were imported is not so any more. */
function isStill({ checkedAt, runAt }: Draft, result: DraftResult | null): boolean {
  return result?.dry_run === false || runAt === null || (checkedAt !== null && checkedAt > runAt)
}

const LEADS: Record<Stage, string> = {
  new: 'Not checked yet.',
  checked: 'This is what would happen. Nothing was changed.',
  running: 'This file is being imported.',
  stopped: 'The import of this file stopped on the way.',
  done: 'This file is imported. What is new is reviewed before anybody sees it.',
}

function Ways({ draft }: Pick<ResultProps, 'draft'>) {
  return (
    <>
      <a class="button plain" href={draftPath(draft)}>
        {draft.finishedAt ? 'How it was read' : 'Change how it is read'}
      </a>
      <a class="button plain" href={IMPORT_PATH}>
        All imports
      </a>
    </>
  )
}

function Next({ visitor, draft, result, stage }: ResultProps & { stage: Stage }) {
  const doIt = (label: string) => (
    <ActionForm visitor={visitor} action={`${draftPath(draft)}/result`} label={label}>
      <Hidden name="act" value="import" />
    </ActionForm>
  )
  const far = `${formatCount(draft.doneRows ?? 0)} of ${countOf(draft.rowCount, 'row')}`
  if (stage === 'running')
    return (
      <Panel title="Importing" lead={`${far} so far.`}>
        <p>
          <a class="button plain" href={`${draftPath(draft)}/result`}>
            See how far it is
          </a>
        </p>
      </Panel>
    )
  if (stage === 'stopped')
    return (
      <Panel
        title="Go on"
        lead={
          result?.dry_run === false
            ? 'Some rows could not be stored just now. The others are imported and stay as they are; the same button does the rest.'
            : `It came through ${far}. Those are imported and stay as they are; the same button does the rest.`
        }
      >
        {doIt('Go on with the import')}
      </Panel>
    )
  if (stage === 'done')
    return (
      <p class="aside">
        <a href={PRODUCTS_PATH}>See your products</a>
        {result && result.failed > 0 && ' Rows that failed can be fixed and uploaded again.'}
      </p>
    )
  if (!result)
    return (
      <Empty>
        <p>Look at how the file is read, then check every row.</p>
        <a class="button" href={draftPath(draft)}>
          Look at the file
        </a>
      </Empty>
    )
  const todo = result.submitted + result.claimed + result.proposed
  if (todo === 0)
    return (
      <p class="aside">
        {result.failed > 0
          ? 'There is nothing to import yet. Fix the rows that failed and upload the file again, or change how it is read.'
          : 'There is nothing to import: everything in this file is known already.'}
      </p>
    )
  const without =
    result.failed > 0
      ? `${countOf(result.failed, 'row')} failed and would be left out. You can fix what failed and upload it later.`
      : 'All of it is reviewed before anybody sees it.'
  return (
    <Panel title="Import it" lead={without}>
      {doIt(`Import ${countOf(todo, 'row')}`)}
    </Panel>
  )
}

function Counts({ result }: { result: DraftResult }) {
  const labels: Record<ImportOutcome, string> = {
    submitted: 'New products',
    claimed: 'Claims',
    proposed: 'Changes',
    unchanged: 'Unchanged',
    failed: 'Failed',
  }
  return (
    <>
      <Stats
        items={OUTCOMES.map((outcome) => ({
          label: labels[outcome],
          value: formatCount(result[outcome]),
          note: OUTCOME_WORDS[outcome].note,
        }))}
      />
      {result.notices.length > 0 && (
        <ul class="import-notices">
          {result.notices.map((notice) => (
            <li>{notice}</li>
          ))}
        </ul>
      )}
    </>
  )
}

function Rows({ draft, result, shown }: ResultProps & { result: DraftResult }) {
  const rows = result.rows.filter(({ outcome }) => shown.outcome === null || outcome === shown.outcome)
  const pages = Math.max(1, Math.ceil(rows.length / PAGE_ROWS))
  const page = Math.min(shown.page, pages)
  const href = (outcome: ImportOutcome | null, at = 1) => {
    const query = new URLSearchParams({
      ...(outcome !== null && { rows: outcome }),
      ...(at > 1 && { page: String(at) }),
    })
    return `${draftPath(draft)}/result${query.size > 0 ? `?${query}` : ''}#rows`
  }
  const kept = result.rows_read - result.rows.length
  return (
    <Panel
      title="Row by row"
      id="rows"
      actions={result.failed > 0 && <a href={`${draftPath(draft)}/bad-rows.csv`}>Download the failed rows</a>}
    >
      <ul class="chips">
        <li>
          <Filter href={href(null)} here={shown.outcome === null}>
            All {formatCount(result.rows_read)}
          </Filter>
        </li>
        {OUTCOMES.filter((outcome) => result[outcome] > 0).map((outcome) => (
          <li>
            <Filter href={href(outcome)} here={shown.outcome === outcome}>
              {OUTCOME_WORDS[outcome].one} {formatCount(result[outcome])}
            </Filter>
          </li>
        ))}
      </ul>
      {rows.length === 0 ? (
        <Empty>
          <p>No row came to this.</p>
        </Empty>
      ) : (
        <DataTable
          caption="Result of each row"
          columns={[{ label: 'Product' }, { label: 'Row' }, { label: 'Outcome' }, { label: 'What about it' }]}
          rows={rows.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS).map((row) => rowCells(row, draft))}
        />
      )}
      {kept > 0 && <p class="soft">{countOf(kept, 'row')} more, of which only the count was kept.</p>}
      <Paging page={page} pages={pages} href={(at) => href(shown.outcome, at)} label="Pages of rows" />
    </Panel>
  )
}

function Filter({ href, here, children }: { href: string; here: boolean; children: unknown }) {
  return (
    <a class="chip" href={href} aria-current={here ? 'true' : undefined}>
      {children as string}
    </a>
  )
}

function rowCells(row: DraftRow, { source }: Draft) {
  const { one, tone } = OUTCOME_WORDS[row.outcome]
  const title = row.title || `Row ${row.row}`
  return [
    row.product_slug === null ? title : <a href={`/p/${row.product_slug}`}>{title}</a>,
    <span class="whole">
      {formatCount(row.row)}, line {formatCount(row.line)}
    </span>,
    <State tone={tone}>{one}</State>,
    row.outcome === 'failed' ? (
      <>
        {sentence(problemOf(row))}
        <span class="row-note">{sentence(fixFor(row, source))}</span>
      </>
    ) : row.note ? (
      sentence(row.note)
    ) : (
      '–'
    ),
  ]
}
