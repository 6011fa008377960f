/** /admin/jobs: background work by kind, and jobs that failed for good, to retry or delete. */
import { z } from 'zod'
import { recordAudit } from '../../../accounts/audit.service.ts'
import {
  dropJob,
  type FailedJob,
  type Recorder,
  retryJob,
  runPeriodicNow,
  viewJobs,
} from '../../../jobs/jobs.admin.service.ts'
import { AppError } from '../../../lib/errors.ts'
import { Ago, Moment } from '../../components/moment.tsx'
import { formatCount } from '../../format.ts'
import { agoColumn, countColumn, type ListSpec, listPage, textColumn, uncounted } from '../../kit/list.tsx'
import { Action, noted, TablePanel } from '../../kit/parts.tsx'
import type { AdminDeps } from '../deps.ts'
import type { Admin, AdminShow, Operator, Who } from '../guard.ts'
import { JOBS } from '../nav.ts'

const LIST = {
  ...{ path: JOBS, noun: 'failed job', filters: { kind: 'text' }, pageSize: 50 },
} as const satisfies ListSpec
const SAID = {
  retried: 'The job is queued again, with all its attempts.',
  stands: 'The same work is already queued, so this job is done.',
  dropped: 'Job deleted. It will not run.',
  asked: 'The job starts in a moment.',
  waits: 'The job is already queued and starts in a moment.',
}
const JobForm = z.object({ job: z.string().max(100) })
const KindForm = z.object({ kind: z.string().max(100) })

export function mountJobs(admin: Admin, { ctx, jobs: known = [] }: AdminDeps): void {
  const page: AdminShow = listPage<Who, FailedJob, typeof LIST.filters>(LIST, async ({ asked }) => {
    const { filters, limit, offset } = asked
    const part = { kind: filters.kind || null, limit: limit + 1, offset }
    const { kinds, failed } = await viewJobs(ctx, known, part)
    // Jobs run on the database's clock, whatever this node's says.
    const now = new Date()
    return {
      page: {
        title: 'Jobs',
        lead: 'Background work on all nodes. Finished jobs are kept for a week.',
        said: SAID,
      },
      above: (
        <>
          <TablePanel
            title="By kind"
            none="No jobs yet."
            columns={[
              'Kind',
              ...(['Waiting', 'Running', 'Failed'] as const).map((label) => ({
                label,
                kind: 'number' as const,
              })),
              ...['Last finished', 'Next run'],
              { label: 'Run now', kind: 'actions' },
            ]}
            rows={kinds.map(({ kind, waiting, running, failed, lastFinishedAt, nextAt, everyMs }) => [
              kind,
              ...[waiting, running, failed].map(formatCount),
              lastFinishedAt ? <Ago at={lastFinishedAt} now={now} /> : <span class="soft">Never</span>,
              nextAt === null ? (
                <span class="soft">{everyMs === null ? 'When needed' : 'Soon'}</span>
              ) : nextAt <= now ? (
                'Now'
              ) : (
                <Moment at={nextAt} />
              ),
              everyMs !== null && (
                <Action to={`${JOBS}/run`} label="Run now" about={kind} fields={{ kind }} />
              ),
            ])}
          />
          <h2>Failed jobs</h2>
        </>
      ),
      ...uncounted(failed, asked),
      order: 'Out of retries, newest first',
      filters: {
        kind: {
          label: 'Kind',
          options: kinds.filter(({ failed }) => failed > 0).map(({ kind }) => [kind, kind] as const),
        },
      },
      columns: [
        textColumn('Kind', 'kind', ({ kind, id }) => noted(kind, <code class="finding">{id}</code>)),
        textColumn('Error', 'error', ({ error, payload }) =>
          noted(
            <span class="failed finding">{error ?? 'No error recorded.'}</span>,
            <code class="finding">{payload}</code>,
          ),
        ),
        countColumn('Attempts', 'attempts'),
        agoColumn('Failed', 'failedAt', now),
        {
          ...{ label: 'Actions', kind: 'actions' },
          cell: ({ id, kind, failedAt }) => {
            const job = { fields: { job: id }, about: `${kind} of ${failedAt.toISOString()}` }
            return (
              <div class="row-actions">
                <Action {...job} to={`${JOBS}/retry`} label="Try again" />
                <Action {...job} to={`${JOBS}/drop`} label="Delete job" kind="danger" ask="Delete">
                  <p>Its work won't be done.</p>
                </Action>
              </div>
            )
          },
        },
      ],
      empty: <p>No failed jobs.</p>,
    }
  })
  const recorder =
    ({ by: actor, visit }: Operator): Recorder =>
    (tx, action, detail) =>
      recordAudit(tx, { actor, visit, action, at: ctx.clock.now(), detail })

  admin.page(JOBS, page)
  admin.action(`${JOBS}/retry`, {
    ...{ schema: JobForm, page },
    async act({ operator, input: { job } }) {
      const { stands } = await whileFailed(retryJob(ctx, job, recorder(operator)))
      return `${JOBS}?done=${stands ? 'stands' : 'retried'}`
    },
  })
  admin.action(`${JOBS}/drop`, {
    ...{ schema: JobForm, page },
    async act({ operator, input: { job } }) {
      await whileFailed(dropJob(ctx, job, recorder(operator)))
      return `${JOBS}?done=dropped`
    },
  })
  admin.action(`${JOBS}/run`, {
    ...{ schema: KindForm, page },
    async act({ operator, input: { kind } }) {
      const asked = await runPeriodicNow(ctx, { kind, known }, recorder(operator))
      return `${JOBS}?done=${asked ? 'asked' : 'waits'}`
    },
  })
}

/** The list is older than the press: another operator may have been faster. */
async function whileFailed<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (!(error instanceof AppError) || error.kind !== 'not_found') throw error
    throw new AppError('conflict', 'This job is no longer in the list of failed jobs.', { cause: error })
  })
}
