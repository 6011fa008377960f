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
import { ANY } from '../../../lib/news.ts'
import { Ago, Moment } from '../../components/moment.tsx'
import { formatCount } from '../../format.ts'
import { column, defineList, uncounted } from '../../kit/list.tsx'
import { sendLive } from '../../kit/live.ts'
import { Action, noted, TablePanel } from '../../kit/parts.tsx'
import type { Admin, AdminDeps, Operator } from '../guard.ts'
import { JOBS } from '../nav.ts'

const LIST = defineList(JOBS, 'failed job', {
  search: 'Error or id',
  live: `${JOBS}.events`,
  filters: { kind: 'text' },
})
const [BUSY_MS, QUIET_MS] = [2_000, 60_000]
const SAID = {
  retried: 'The job is queued again, with all its attempts.',
  stands: 'The same work is already queued, so this job is done.',
  dropped: 'Job deleted. It will not run.',
  asked: 'The job starts in a moment.',
  waits: 'The job is already queued and starts in a moment.',
}
const JobForm = z.object({ job: z.string().max(100) })
const KindForm = z.object({ kind: z.string().max(100) })

export function mountJobs(admin: Admin, { ctx, jobs: known = [], jobNews, stopping }: AdminDeps): void {
  admin.list<FailedJob, typeof LIST.filters>(LIST, async ({ asked }) => {
    const { q, filters, limit, offset } = asked
    const part = { kind: filters.kind || null, search: q || null, limit: limit + 1, offset }
    const { kinds, failed } = await viewJobs(ctx, known, part)
    // Jobs run on the database's clock, whatever this node's says.
    const now = new Date()
    return {
      title: 'Jobs',
      lead: 'Background work on all nodes. Finished jobs are kept for a week.',
      said: SAID,
      above: [
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
            everyMs !== null && <Action to={`${JOBS}/run`} label="Run now" about={kind} fields={{ kind }} />,
          ])}
        />,
        <h2>Failed jobs</h2>,
      ],
      ...uncounted(failed, asked),
      order: 'Out of retries, newest first',
      filters: {
        kind: {
          label: 'Kind',
          options: kinds.filter(({ failed }) => failed > 0).map(({ kind }) => [kind, kind] as const),
        },
      },
      columns: [
        column.text('Kind', 'kind', ({ kind, id }) => noted(kind, <code class="finding">{id}</code>)),
        column.text('Error', 'error', ({ error, payload }) =>
          noted(
            <span class="failed finding">{error ?? 'No error recorded.'}</span>,
            <code class="finding">{payload}</code>,
          ),
        ),
        column.count('Attempts', 'attempts'),
        column.ago('Failed', 'failedAt', now),
        column.actions('Actions', ({ id, kind, failedAt }) => {
          const job = { fields: { job: id }, about: `${kind} of ${failedAt.toISOString()}` }
          return (
            <div class="row-actions">
              <Action {...job} to={`${JOBS}/retry`} label="Try again" />
              <Action {...job} to={`${JOBS}/drop`} label="Delete job" kind="danger" ask="Delete">
                <p>Its work won't be done.</p>
              </Action>
            </div>
          )
        }),
      ],
      empty: <p>No failed jobs.</p>,
    }
  })
  const recorder =
    ({ by: actor, visit }: Operator): Recorder =>
    (tx, action, detail) =>
      recordAudit(tx, { actor, visit, action, at: ctx.clock.now(), detail })

  admin.page(`${JOBS}.events`, ({ c, operator }) => {
    let checkAfterMs = QUIET_MS
    return sendLive(c, {
      ...{ account: operator.actor.user.id, stopping },
      async look() {
        const { kinds, failed } = await viewJobs(ctx, known)
        checkAfterMs = untilNext(kinds)
        return { kinds, failed }
      },
      wait: (signal) => jobNews.wait(ANY, checkAfterMs, signal),
    })
  })
  admin.action(`${JOBS}/retry`, {
    schema: JobForm,
    async act({ operator, input: { job } }) {
      const { stands } = await whileFailed(retryJob(ctx, job, recorder(operator)))
      return `${JOBS}?done=${stands ? 'stands' : 'retried'}`
    },
  })
  admin.action(`${JOBS}/drop`, {
    ...{ schema: JobForm, done: 'dropped' },
    act: ({ operator, input: { job } }) => whileFailed(dropJob(ctx, job, recorder(operator))),
  })
  admin.action(`${JOBS}/run`, {
    schema: KindForm,
    async act({ operator, input: { kind } }) {
      const asked = await runPeriodicNow(ctx, { kind, known }, recorder(operator))
      return `${JOBS}?done=${asked ? 'asked' : 'waits'}`
    },
  })
}

/** Jobs that are added are told of; what becomes of them is looked at only while one runs or is due. */
function untilNext(kinds: Awaited<ReturnType<typeof viewJobs>>['kinds']): number {
  if (kinds.some(({ running }) => running > 0)) return BUSY_MS
  const due = kinds.flatMap(({ waiting, nextAt }) =>
    waiting > 0 && nextAt ? [nextAt.getTime() - Date.now()] : [],
  )
  return Math.max(BUSY_MS, Math.min(QUIET_MS, ...due))
}

/** The list is older than the press: another operator may have been faster. */
async function whileFailed<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (!(error instanceof AppError) || error.kind !== 'not_found') throw error
    throw new AppError('conflict', 'This job is no longer in the list of failed jobs.', { cause: error })
  })
}
