/** /admin: what waits for a decision, and for how long. */
import { QUEUE_COUNTED_TO, type Queue, type QueueName } from '../../../catalog/review-queues.service.ts'
import { Ago } from '../../components/moment.tsx'
import { formatCount } from '../../format.ts'
import { Panel, Stats } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import type { Operator } from '../guard.ts'
import { AdminPage } from '../page.tsx'
import { ADMIN, HEALTH, IMPORTS, JOBS, SEARCH_QUALITY } from '../paths.ts'

const QUEUES: ReadonlyArray<readonly [QueueName, string]> = [
  ['enrichments', 'Enrichments'],
  ['submissions', 'New products'],
  ['claims', 'Claims'],
  ['renames', 'New names'],
]

type Props = {
  site: Site
  operator: Operator
  queues: Record<QueueName, Queue>
  /** Why the service is not ready; null when it is. */
  notReady: string | null
  now: Date
}

export function renderAdminOverview({ site, operator, queues, notReady, now }: Props): string {
  const waits = Object.values(queues).some(({ waiting }) => waiting > 0)
  return String(
    <AdminPage site={site} waiting={operator.waiting} title="Operator" at={ADMIN}>
      <Panel
        title="Waiting for you"
        lead={waits ? 'Oldest first in each queue.' : 'Nothing waits. Producers see what you decide at once.'}
      >
        <Stats
          items={QUEUES.map(([name, label]) => {
            const { waiting, oldest } = queues[name]
            return {
              label,
              value: <a href={`${ADMIN}/${name}`}>{count(waiting)}</a>,
              note:
                oldest === null ? (
                  'Nothing waits'
                ) : (
                  <>
                    The oldest came <Ago at={oldest} now={now} />
                  </>
                ),
            }
          })}
        />
      </Panel>
      <Panel title="The service">
        <p>
          {notReady === null ? 'It is ready and serves. ' : `It is not ready: ${notReady}. `}
          <a href={HEALTH}>See how it is in detail</a>
        </p>
        <p class="line">
          <a href={JOBS}>Jobs</a>
          <a href={SEARCH_QUALITY}>Search quality</a>
          <a href={IMPORTS}>Import products</a>
        </p>
      </Panel>
    </AdminPage>,
  )
}

function count(waiting: number): string {
  return waiting >= QUEUE_COUNTED_TO ? `${formatCount(QUEUE_COUNTED_TO)} or more` : formatCount(waiting)
}
