/**
 * How the last requests to an organization went: one bar for each, the oldest first, its height the time it took. What
 * failed is hollow with a mark above it, so that it is told apart without colour. All of it is in the table as well.
 */
import {
  type AttemptSummary,
  type LastAttempt,
  MOST_ATTEMPTS,
} from '../../../rfq/integration-report.service.ts'
import { fixOf, isFailure, VERDICTS } from '../../../rfq/verdicts.ts'
import { Moment } from '../../components/moment.tsx'
import { countOf, formatCount, formatShare } from '../../format.ts'
import { DataTable, Empty, Panel, State, Stats } from '../../kit/parts.tsx'
import { formatMs } from '../attempts/readable.ts'
import { rfqPath } from '../paths.ts'

const [STEP, BAR, HIGH, TOP] = [12, 8, 64, 12]

type HistoryProps = { attempts: LastAttempt[]; summary: AttemptSummary }

export function History({ attempts, summary }: HistoryProps) {
  const { asked, answered, medianMs } = summary
  return (
    <Panel
      title="Health"
      lead={`The last ${MOST_ATTEMPTS} requests of buyers that came to you. Tests are not counted.`}
    >
      {attempts.length === 0 ? (
        <Empty>
          <p>
            No buyer’s request has come to you yet. Each one is shown here, with how long its answer took.
          </p>
        </Empty>
      ) : (
        <>
          <Stats
            items={[
              {
                label: 'Answered',
                value: asked === 0 ? '–' : formatShare(answered / asked),
                note: `${formatCount(answered)} of ${countOf(asked, 'request')}`,
              },
              {
                label: 'Usual time',
                value: medianMs === null ? '–' : formatMs(medianMs),
                note: 'Half of the answers were faster',
              },
            ]}
          />
          <Strip attempts={attempts} />
          <details>
            <summary>Data</summary>
            <AttemptTable attempts={attempts} />
          </details>
        </>
      )}
    </Panel>
  )
}

function Strip({ attempts }: Pick<HistoryProps, 'attempts'>) {
  const slowest = Math.max(1, ...attempts.map(({ ms }) => ms ?? 0))
  const oldestFirst = attempts.toReversed()
  const width = Math.max(oldestFirst.length, 20) * STEP
  const failed = attempts.filter(({ verdict }) => isFailure(verdict)).length
  return (
    <figure class="strip">
      <svg
        viewBox={`0 0 ${width} ${TOP + HIGH + 1}`}
        role="img"
        aria-label={`${countOf(attempts.length, 'attempt')}, ${failed} of them failed; the slowest took ${formatMs(slowest)}`}
      >
        <path class="strip-line" d={`M0 ${TOP + HIGH + 0.5}H${width}`} />
        {oldestFirst.map(({ ms, verdict }, index) => {
          const height = Math.max(3, Math.round(((ms ?? 0) / slowest) * HIGH))
          const [x, y] = [index * STEP + 2, TOP + HIGH - height]
          return (
            <g class={isFailure(verdict) ? 'strip-bad' : `strip-${VERDICTS[verdict].tone}`}>
              <rect x={x} y={y} width={BAR} height={height} rx="1.5" />
              {isFailure(verdict) && <path d={`M${x + 1} ${y - 9}l6 6m0-6l-6 6`} />}
            </g>
          )
        })}
      </svg>
      <figcaption class="hint">
        Oldest at the left. A bar is as high as the answer took; a hollow one with a cross failed.
      </figcaption>
    </figure>
  )
}

function AttemptTable({ attempts }: Pick<HistoryProps, 'attempts'>) {
  return (
    <DataTable
      caption="The last attempts, newest first"
      columns={[
        { label: 'When' },
        { label: 'Product' },
        { label: 'What came of it' },
        { label: 'Status', kind: 'number' },
        { label: 'Time', kind: 'number' },
      ]}
      rows={attempts.map(({ rfqId, productSlug, askedAt, verdict, ms, status, reason }) => [
        <a href={rfqPath(rfqId)}>
          <Moment at={askedAt} />
        </a>,
        productSlug,
        <span>
          <State tone={VERDICTS[verdict].tone}>{VERDICTS[verdict].label}</State>
          {isFailure(verdict) && <span class="row-note">{reason ?? fixOf(verdict, 'pages')}</span>}
        </span>,
        status ?? '–',
        ms === null ? '–' : formatMs(ms),
      ])}
    />
  )
}
