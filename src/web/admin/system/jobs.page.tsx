/** /admin/jobs: what the service does by itself, kind by kind, and what failed for good, with a way to mend it. */
import { z } from 'zod'
import { recordAudit } from '../../../accounts/audit.service.ts'
import {
  dropJob,
  FAILED_SHOWN,
  type FailedJob,
  type JobsView,
  type KindLine,
  type Recorder,
  retryJob,
  runPeriodicNow,
  viewJobs,
} from '../../../jobs/jobs.admin.service.ts'
import { AppError } from '../../../lib/errors.ts'
import { Ago, Moment } from '../../components/moment.tsx'
import { formatCount } from '../../format.ts'
import { type FormState, Hidden, UNTOUCHED } from '../../kit/fields.tsx'
import { Confirm, DataTable, Empty, Panel } from '../../kit/parts.tsx'
import { doneWords, sendPage } from '../../page.http.ts'
import type { AdminDeps } from '../deps.ts'
import type { Admin, Operator } from '../guard.ts'
import { AdminPage } from '../page.tsx'
import { JOBS } from '../paths.ts'

const DONE = {
  retried: 'It waits again, with all its attempts.',
  stands: 'The same work waits already and stands for it.',
  dropped: 'Dropped. It will not run.',
  asked: 'It runs within a moment.',
  waits: 'It waits already, and runs within a moment.',
}

const JobForm = z.object({ job: z.string().max(100) })
const KindForm = z.object({ kind: z.string().max(100) })

export function mountJobs(admin: Admin, { site, ctx, jobs: known = [] }: AdminDeps): void {
  const render = async (operator: Operator, state: FormState, done: string | null = null) =>
    // Jobs run on the database's clock, whatever this node's says.
    renderJobs({ site, operator, view: await viewJobs(ctx, known), state, done, now: new Date() })
  const recorder =
    ({ by: actor, visit }: Operator): Recorder =>
    (tx, action, detail) =>
      recordAudit(tx, { actor, visit, action, at: ctx.clock.now(), detail })

  admin.get(JOBS, async (c, operator) =>
    sendPage(c, await render(operator, UNTOUCHED, doneWords(DONE, c.req.query('done')))),
  )
  admin.post(`${JOBS}/retry`, {
    schema: JobForm,
    render: ({ operator, state }) => render(operator, state),
    async act({ operator, input: { job } }) {
      const { stands } = await asOnPage(retryJob(ctx, job, recorder(operator)))
      return `${JOBS}?done=${stands ? 'stands' : 'retried'}`
    },
  })
  admin.post(`${JOBS}/drop`, {
    schema: JobForm,
    render: ({ operator, state }) => render(operator, state),
    async act({ operator, input: { job } }) {
      await asOnPage(dropJob(ctx, job, recorder(operator)))
      return `${JOBS}?done=dropped`
    },
  })
  admin.post(`${JOBS}/run`, {
    schema: KindForm,
    render: ({ operator, state }) => render(operator, state),
    async act({ operator, input: { kind } }) {
      const asked = await runPeriodicNow(ctx, { kind, known }, recorder(operator))
      return `${JOBS}?done=${asked ? 'asked' : 'waits'}`
    },
  })
}

/** The list is older than the press: somebody else has mended it meanwhile. */
async function asOnPage<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (!(error instanceof AppError) || error.kind !== 'not_found') throw error
    throw new AppError('conflict', 'this job is not among the failed ones any more', { cause: error })
  })
}

type Props = {
  site: AdminDeps['site']
  operator: Operator
  view: JobsView
  state: FormState
  done: string | null
  now: Date
}

function renderJobs({ site, operator, view, state, done, now }: Props): string {
  return String(
    <AdminPage
      site={site}
      waiting={operator.waiting}
      title="Jobs"
      lead="What the service does by itself, over all nodes. Finished jobs are kept for a week."
      at={JOBS}
      done={done}
      errors={state.errors}
    >
      <Panel title="By kind">
        {view.kinds.length === 0 ? (
          <Empty>No job was made yet.</Empty>
        ) : (
          <DataTable
            caption="Jobs by kind"
            columns={[
              { label: 'Kind' },
              { label: 'Waiting', kind: 'number' },
              { label: 'Running', kind: 'number' },
              { label: 'Failed', kind: 'number' },
              { label: 'Last ended' },
              { label: 'Next' },
              { label: 'Run now', kind: 'actions' },
            ]}
            rows={view.kinds.map((kind) => [
              kind.kind,
              formatCount(kind.waiting),
              formatCount(kind.running),
              formatCount(kind.failed),
              kind.lastFinishedAt ? (
                <Ago at={kind.lastFinishedAt} now={now} />
              ) : (
                <span class="soft">never</span>
              ),
              <Next kind={kind} now={now} />,
              kind.everyMs === null ? null : <RunNow kind={kind.kind} />,
            ])}
          />
        )}
      </Panel>
      <Panel
        title="Failed"
        lead={
          view.failed.length === FAILED_SHOWN
            ? `The last ${FAILED_SHOWN}, newest first.`
            : 'Tried as often as they may be, newest first.'
        }
      >
        {view.failed.length === 0 ? (
          <Empty>Nothing failed for good.</Empty>
        ) : (
          <ul class="rows failed-jobs">
            {view.failed.map((job) => (
              <Failed job={job} now={now} />
            ))}
          </ul>
        )}
      </Panel>
    </AdminPage>,
  )
}

function Next({ kind: { nextAt, everyMs }, now }: { kind: KindLine; now: Date }) {
  if (nextAt === null)
    return <span class="soft">{everyMs === null ? 'when needed' : 'at the next look'}</span>
  return nextAt <= now ? <>now</> : <Moment at={nextAt} />
}

function RunNow({ kind }: { kind: string }) {
  return (
    <form method="post" action={`${JOBS}/run`}>
      <Hidden name="kind" value={kind} />
      <button class="button plain" type="submit">
        Run now<span class="hidden">: {kind}</span>
      </button>
    </form>
  )
}

function Failed({ job, now }: { job: FailedJob; now: Date }) {
  const name = `${job.kind} of ${job.failedAt.toISOString()}`
  return (
    <li>
      <div>
        <p>
          <strong>{job.kind}</strong>
          <span class="row-note">
            gave up <Ago at={job.failedAt} now={now} /> after {formatCount(job.attempts)} tries ·{' '}
            <code>{job.id}</code>
          </span>
        </p>
        <p class="failed">{job.error ?? 'No reason was kept.'}</p>
        <p class="row-note">
          <code>{job.payload}</code>
        </p>
      </div>
      <form method="post" action={`${JOBS}/retry`}>
        <Hidden name="job" value={job.id} />
        <button class="button plain" type="submit">
          Try again<span class="hidden">: {name}</span>
        </button>
      </form>
      <Confirm
        ask={
          <>
            Drop<span class="hidden"> {name}</span>
          </>
        }
      >
        <p>It is deleted, and what it was to do is not done.</p>
        <form method="post" action={`${JOBS}/drop`}>
          <Hidden name="job" value={job.id} />
          <button class="button danger" type="submit">
            Drop it
          </button>
        </form>
      </Confirm>
    </li>
  )
}
