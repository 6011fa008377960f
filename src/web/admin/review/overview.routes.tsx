/** /admin: what waits for a decision, and for how long. */
import { countReviewQueues, QUEUE_COUNTED_TO } from '../../../catalog/review-queues.service.ts'
import { Ago } from '../../components/moment.tsx'
import { formatCount } from '../../format.ts'
import { Panel, Stats } from '../../kit/parts.tsx'
import type { AdminDeps } from '../deps.ts'
import type { Admin } from '../guard.ts'
import { ADMIN, HEALTH, IMPORTS, JOBS, SEARCH_QUALITY } from '../nav.ts'

const QUEUES = [
  ['enrichments', 'Enrichments'],
  ['submissions', 'New products'],
  ['claims', 'Claims'],
  ['renames', 'Name changes'],
] as const

export function mountOverview(admin: Admin, { ctx, notReady }: AdminDeps): void {
  admin.page(ADMIN, async () => {
    const [queues, reason] = await Promise.all([countReviewQueues(ctx), notReady()])
    const waits = Object.values(queues).some(({ waiting }) => waiting > 0)
    return {
      title: 'Operator',
      at: ADMIN,
      body: (
        <>
          <Panel
            title="Waiting for review"
            lead={waits ? undefined : 'All caught up. Producers see your decisions right away.'}
          >
            <Stats
              items={QUEUES.map(([name, label]) => {
                const { waiting, oldest } = queues[name]
                const count = `${formatCount(waiting)}${waiting >= QUEUE_COUNTED_TO ? '+' : ''}`
                return {
                  label,
                  value: <a href={`${ADMIN}/${name}`}>{count}</a>,
                  note: oldest && (
                    <>
                      Oldest: <Ago at={oldest} now={ctx.clock.now()} />
                    </>
                  ),
                }
              })}
            />
          </Panel>
          <Panel title="Service">
            <p>
              {reason === null ? 'All systems running. ' : `Not ready: ${reason}. `}
              <a href={HEALTH}>View health</a>
            </p>
            <p class="line">
              <a href={JOBS}>Jobs</a>
              <a href={SEARCH_QUALITY}>Search quality</a>
              <a href={IMPORTS}>Import products</a>
            </p>
          </Panel>
        </>
      ),
    }
  })
}
