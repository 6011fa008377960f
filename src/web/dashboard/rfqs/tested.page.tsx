/**
 * A test of one's own agent with what a real request asked for. The page is there while the agent is still thinking; its
 * answer is written beside the one that was given then.
 */
import type { InspectedRfq } from '../../../rfq/inspector.service.ts'
import type { TestedAgent } from '../../../rfq/test-rfq.service.ts'
import { Panel, Waiting } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import { Hole } from '../../stream-page.tsx'
import { Attempt, attemptOfRow, attemptOfTest } from '../attempts/attempt.tsx'
import { formatMs } from '../attempts/readable.ts'
import type { Visitor } from '../page.tsx'
import { AGENT_PATH, rfqPath } from '../paths.ts'
import { Framed, TestPanel, titleOf, tryTitle } from './request.page.tsx'

type TestPage = { site: Site; visitor: Visitor; inspected: InspectedRfq; deadlineMs: number }

export function renderTesting({ site, visitor, inspected, deadlineMs }: TestPage): string {
  const { rfq } = inspected
  return String(
    <Framed
      site={site}
      visitor={visitor}
      rfq={rfq}
      title={`Test: ${titleOf(rfq)}`}
      actions={
        <a class="button plain" href={rfqPath(rfq.id)}>
          Back to the request
        </a>
      }
    >
      <Waiting label="Waiting for the answer">
        {inspected.answersNow === 'managed'
          ? 'Your rules are being applied.'
          : `The test is on its way. Your agent has ${formatMs(deadlineMs)} to answer.`}
      </Waiting>
      <Hole />
      <TestPanel visitor={visitor} inspected={inspected} title="Test again" />
    </Framed>,
  )
}

export function writeTested({
  inspected,
  tested,
  deadlineMs,
}: Pick<TestPage, 'inspected' | 'deadlineMs'> & { tested: TestedAgent }): string {
  const attempt = attemptOfTest(tested)
  const before = inspected.attempts.at(-1)
  return String(
    <div class="ended side-by-side">
      <Panel title="Now">
        {attempt === null ? (
          <p>
            There is nothing to test. <a href={AGENT_PATH}>Register your agent, or let Souk answer for you</a>
          </p>
        ) : (
          <Attempt attempt={attempt} title="Test" deadlineMs={deadlineMs} />
        )}
      </Panel>
      {before && (
        <Panel title="Then">
          <Attempt
            attempt={attemptOfRow(before.row, before.signature)}
            title={tryTitle(before.row.kind, inspected.attempts.length - 1)}
            deadlineMs={deadlineMs}
          />
        </Panel>
      )}
    </div>,
  )
}
