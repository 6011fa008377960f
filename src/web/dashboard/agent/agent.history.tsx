/**
 * How the last requests to an organization went: a bar for each, oldest first, as high as the time it took. Failures are
 * hollow with a cross above, so that color is not needed to tell them apart. The table below has the same data.
 */
import {
  type LastAttempt,
  MOST_ATTEMPTS,
  summarizeAttempts,
} from '../../../rfq/integration-report.service.ts'
import { fixOf, isFailure, VERDICTS } from '../../../rfq/verdicts.ts'
import { Moment } from '../../components/moment.tsx'
import { countOf, formatCount, formatShare } from '../../format.ts'
import { DataTable, Empty, Panel, State, Stats } from '../../kit/parts.tsx'
import { formatMs } from '../attempts/readable.ts'
import { rfqPath } from '../paths.ts'

const [STEP, BAR, HIGH, TOP] = [12, 8, 64, 12]

export function History({ attempts }: { attempts: LastAttempt[] }) {
  const { asked, answered, medianMs } = summarizeAttempts(attempts)
  return (
    <Panel title="Health" lead={`Your last ${MOST_ATTEMPTS} requests from buyers. Tests don’t count.`}>
      {attempts.length === 0 ? (
        <Empty>
          <p>No requests yet. When a buyer asks you for a quote, you’ll see the answer and its time here.</p>
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
                label: 'Median time',
                value: medianMs === null ? '–' : formatMs(medianMs),
                note: 'Half of your answers were faster',
              },
            ]}
          />
          <Strip attempts={attempts} />
          <details>
            <summary>Data</summary>
            <DataTable
              caption="Last attempts, newest first"
              columns={[
                { label: 'When' },
                { label: 'Product' },
                { label: 'Result' },
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
          </details>
        </>
      )}
    </Panel>
  )
}

function Strip({ attempts }: { attempts: LastAttempt[] }) {
  const slowest = Math.max(1, ...attempts.map(({ ms }) => ms ?? 0))
  const width = Math.max(attempts.length, 20) * STEP
  const failed = attempts.filter(({ verdict }) => isFailure(verdict)).length
  return (
    <figure class="strip">
      <svg
        viewBox={`0 0 ${width} ${TOP + HIGH + 1}`}
        role="img"
        aria-label={`${countOf(attempts.length, 'attempt')}, ${failed} failed, slowest ${formatMs(slowest)}`}
      >
        <path class="strip-line" d={`M0 ${TOP + HIGH + 0.5}H${width}`} />
        {attempts.toReversed().map(({ ms, verdict }, index) => {
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
        Oldest on the left. Taller bars took longer; hollow bars with a cross failed.
      </figcaption>
    </figure>
  )
}
