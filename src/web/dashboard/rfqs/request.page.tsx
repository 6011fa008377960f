/**
 * One request, inspected: what was asked, what came of it and why, then every try from end to end, and a way to have the
 * same sent to one's own agent again. A request that is still running is shown at once and its end is written when it comes.
 */
import type { Child } from 'hono/jsx'
import { productPath } from '../../../catalog/profile.ts'
import type { InspectedRfq, ReceivedRfqRow } from '../../../rfq/inspector.service.ts'
import { Fact } from '../../components/fact.tsx'
import { Day, Moment } from '../../components/moment.tsx'
import { formatCount } from '../../format.ts'
import type { FormState } from '../../kit/fields.tsx'
import { Panel, State, Waiting } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import { Hole } from '../../stream-page.tsx'
import { Attempt, attemptOfRow, type ShownAttempt } from '../attempts/attempt.tsx'
import { formatMs } from '../attempts/readable.ts'
import { ActionForm, DashboardPage, type Visitor, WhoMay } from '../page.tsx'
import { AGENT_PATH, RFQS_PATH, rfqPath } from '../paths.ts'
import { type Calculated, Calculation } from './calculation.tsx'
import { Compared } from './compared.tsx'
import { hrefOf } from './list.page.tsx'
import { Promised } from './promised.tsx'
import { OUTCOME_WORDS, placeOf, tellOutcome } from './why.ts'

type Frame = { site: Site; visitor: Visitor; rfq: ReceivedRfqRow; errors?: FormState['errors'] }

type FramedProps = Frame & { title?: string; actions?: Child; children: Child }

export function Framed({ site, visitor, rfq, errors, title = titleOf(rfq), actions, children }: FramedProps) {
  return (
    <DashboardPage
      site={site}
      visitor={visitor}
      title={title}
      at={RFQS_PATH}
      errors={errors}
      actions={
        actions ?? (
          <a class="button plain" href={RFQS_PATH}>
            All requests
          </a>
        )
      }
    >
      {children}
    </DashboardPage>
  )
}

export function titleOf({ quantity, productTitle }: ReceivedRfqRow): string {
  return `${formatCount(quantity)} × ${productTitle}`
}

export type Inspection = {
  visitor: Visitor
  inspected: InspectedRfq
  /** For those who set the rules, of an answer that was given by them. */
  calculated: Calculated | null
  deadlineMs: number
}

export function renderRequest(page: Inspection & Pick<Frame, 'site' | 'errors'>): string {
  const { rfq } = page.inspected
  return String(
    <Framed {...page} rfq={rfq}>
      <Asked rfq={rfq} />
      <Findings {...page} />
    </Framed>,
  )
}

/** With a hole for what comes of it. */
export function renderRunning(page: Frame & { deadlineMs: number }): string {
  return String(
    <Framed {...page}>
      <Asked rfq={page.rfq} />
      <Waiting label="Waiting for the end of the request">
        <strong>{tellOutcome(page.rfq).headline}</strong> Everybody has {formatMs(page.deadlineMs)} to answer.
        What came of it is shown here when it ends.
      </Waiting>
      <Hole />
    </Framed>,
  )
}

export function writeEnded(inspection: Inspection): string {
  return String(
    <div class="ended">
      <Findings {...inspection} />
    </div>,
  )
}

export function StillRunning({ id }: { id: string }) {
  return (
    <p class="ended">
      It has not ended yet. <a href={rfqPath(id)}>Look again</a>
    </p>
  )
}

function Asked({ rfq }: { rfq: ReceivedRfqRow }) {
  const [category = '', slug = ''] = rfq.productSlug.split('/')
  return (
    <dl class="facts">
      <Fact name="Product">
        <a href={productPath({ slug, category: { slug: category } })}>{rfq.productTitle}</a>
      </Fact>
      <Fact name="Quantity">{formatCount(rfq.quantity)}</Fact>
      <Fact name="Delivered to">{rfq.deliveryRegion ?? 'Not said'}</Fact>
      <Fact name="Latest delivery">
        {rfq.deadlineIso === null ? 'Not said' : <Day at={new Date(rfq.deadlineIso.slice(0, 10))} />}
      </Fact>
      <Fact name="Asked">
        <Moment at={rfq.askedAt} />
      </Fact>
    </dl>
  )
}

function Findings(inspection: Inspection) {
  const { inspected, visitor } = inspection
  return (
    <>
      <OutcomePanel inspected={inspected} />
      {inspected.promised !== null && <Promised promised={inspected.promised} />}
      <Tries {...inspection} />
      <TestPanel visitor={visitor} inspected={inspected} />
    </>
  )
}

function OutcomePanel({ inspected }: { inspected: InspectedRfq }) {
  const { rfq } = inspected
  const { headline, sentences } = tellOutcome(rfq)
  const { label, tone } = OUTCOME_WORDS[rfq.outcome]
  const place = placeOf(rfq)
  return (
    <Panel
      title="What came of it"
      actions={<State tone={tone}>{place ? `${label}, ${place}` : label}</State>}
    >
      <div>
        <p>
          <strong>{headline}</strong>
        </p>
        {sentences.map((text) => (
          <p>{text}</p>
        ))}
      </div>
      <Compared inspected={inspected} />
      <p class="hint">
        <a href={hrefOf({ product: rfq.productSlug }, 1)}>All requests for {rfq.productTitle}</a>
      </p>
    </Panel>
  )
}

const ORDINALS = ['First', 'Second', 'Third', 'Fourth']

function Tries({ inspected, calculated, deadlineMs }: Inspection) {
  const attempts = inspected.attempts.map(({ row, signature }) => attemptOfRow(row, signature))
  const [first] = attempts
  return (
    <Panel
      title={inspected.rfq.kind === 'agent' ? 'Tries' : 'The answer'}
      lead={
        inspected.rfq.kind === 'agent'
          ? 'What was sent and what came back, byte for byte. Secrets are never kept with it.'
          : 'Souk answered in your name, by your rules.'
      }
    >
      {attempts.map((attempt, index) => (
        <Attempt
          attempt={attempt}
          title={tryTitle(attempt.kind, index)}
          deadlineMs={deadlineMs}
          afterMs={msBetween(first, attempt)}
        >
          {attempt.kind === 'managed' && index === attempts.length - 1 && calculated !== null && (
            <Calculation calculated={calculated} />
          )}
        </Attempt>
      ))}
    </Panel>
  )
}

export function tryTitle(kind: ShownAttempt['kind'], index: number): string {
  if (kind === 'managed') return 'By your rules'
  return index < ORDINALS.length ? `${ORDINALS[index]} try` : `Try ${index + 1}`
}

function msBetween(first: ShownAttempt | undefined, { startedAt }: ShownAttempt): number {
  return Math.max(0, (startedAt?.getTime() ?? 0) - (first?.startedAt?.getTime() ?? 0))
}

const TEST_WORDS = {
  agent: {
    lead: 'The same is asked of your agent again, signed and read as a real request. No buyer sees it, and a bad answer is not held against you.',
    label: 'Send a test to your agent',
  },
  managed: {
    lead: 'Souk answers for you now, so nothing is sent: you see what your rules would answer.',
    label: 'Answer it by your rules',
  },
} as const

type TestPanelProps = { visitor: Visitor; inspected: InspectedRfq; title?: string }

export function TestPanel({ visitor, inspected, title = 'Test it now' }: TestPanelProps) {
  const { rfq, answersNow } = inspected
  if (answersNow === null)
    return (
      <Panel title={title}>
        <p>
          Nobody answers for you now. <a href={AGENT_PATH}>Register your agent, or let Souk answer for you</a>
        </p>
      </Panel>
    )
  const { lead, label } = TEST_WORDS[answersNow]
  return (
    <Panel
      title={title}
      lead={rfq.deadlineIso === null ? lead : `${lead} The delivery date that the buyer named is left out.`}
    >
      {visitor.may('manage') ? (
        <ActionForm visitor={visitor} action={testPathOf(rfq.id)} label={label} kind="plain" />
      ) : (
        <WhoMay visitor={visitor} right="manage" what="send a test" />
      )}
    </Panel>
  )
}

function testPathOf(id: string): string {
  return `${rfqPath(id)}/test`
}
