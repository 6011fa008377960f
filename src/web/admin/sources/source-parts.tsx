/** What the operator's and the sellers' pages of sources share: the list, the form, and the page of one with its steps. */
import type { Child } from 'hono/jsx'
import { z } from 'zod'
import { isoDay } from '../../../lib/clock.ts'
import type { SourcesContext } from '../../../sources/context.ts'
import {
  AUTH_WORDS,
  GONE_WORDS,
  intervalWords,
  OUTCOME_WORDS,
  SOURCE_STATES,
  type SourceState,
  STATE_WORDS,
  sizeWords,
  stateOf,
} from '../../../sources/source-words.ts'
import {
  AUTHS,
  GONE,
  INTERVALS,
  MAX_NAME,
  MAX_URL,
  type Run,
  SELLER_INTERVALS,
  type SourceView,
} from '../../../sources/sources.schema.ts'
import { askRun, decide, pauseSource } from '../../../sources/sources.service.ts'
import { Ago, Moment } from '../../components/moment.tsx'
import { formatCount } from '../../format.ts'
import { Chart } from '../../kit/chart.tsx'
import type { Page } from '../../kit/console.tsx'
import type { FormState } from '../../kit/fields.tsx'
import { FormPanel, type FormSpec, filledIn } from '../../kit/form.tsx'
import { type Asked, choice, column, type ListColumn, type ListSpec, within } from '../../kit/list.tsx'
import { Action, DataTable, LinkButton, noted, Panel, State, type Tone } from '../../kit/parts.tsx'

const TONES: Record<SourceState, Tone> = {
  running: 'mixed',
  waiting: 'bad',
  stopped: 'bad',
  paused: 'quiet',
  failing: 'bad',
  good: 'good',
  new: 'quiet',
}
const OUTCOME_TONES: Record<NonNullable<Run['outcome']>, Tone> = {
  changed: 'good',
  unchanged: 'quiet',
  checked: 'quiet',
  shrunk: 'bad',
  rejected: 'quiet',
  replaced: 'quiet',
  failed: 'bad',
}

function SourceBadge({ source }: { source: SourceView }) {
  const state = stateOf(source)
  return <State tone={TONES[state]}>{STATE_WORDS[state]}</State>
}

function RunBadge({ run: { outcome } }: { run: Run }) {
  if (outcome === null) return <State tone="mixed">Running</State>
  return <State tone={OUTCOME_TONES[outcome]}>{OUTCOME_WORDS[outcome]}</State>
}

/** When it runs next, or why it does not. */
function NextRun({ source, now }: { source: SourceView; now: Date }) {
  const { nextRunAt, paused, stopped, last } = source
  if (last?.state === 'running') return <span>Now</span>
  if (stopped !== null) return <span>Stopped</span>
  if (paused) return <span>Paused</span>
  if (nextRunAt === null) return <span>When you run it</span>
  return nextRunAt <= now ? <span>Within a minute</span> : <Moment at={nextRunAt} />
}

export const SOURCE_LIST = {
  ...{ noun: 'source', search: 'Name, address or result', pageSize: 50 },
  filters: { state: SOURCE_STATES },
} as const satisfies Omit<ListSpec, 'path'>

type SourcesShown = {
  pathOf: (id: string) => string
  whereWords: (source: SourceView) => string
  now: Date
}

/** The sources that are asked for, as a list shows them. */
export function sourceRows(
  all: readonly SourceView[],
  asked: Asked<typeof SOURCE_LIST.filters>,
  { pathOf, whereWords, now }: SourcesShown,
) {
  const said = (source: SourceView) => (source.waiting ?? source.last)?.message ?? ''
  const columns: ListColumn<SourceView>[] = [
    {
      label: 'Source',
      cell: (source) => noted(<a href={pathOf(source.id)}>{source.name}</a>, whereWords(source)),
      csv: ({ name }) => name,
    },
    { label: 'Where', csv: whereWords },
    {
      label: 'Status',
      csv: (source) => STATE_WORDS[stateOf(source)],
      cell: (source) => <SourceBadge source={source} />,
    },
    column.text('Last result', said, (source) => said(source) || '–'),
    {
      label: 'Next run',
      cell: (source) => <NextRun source={source} now={now} />,
      csv: ({ nextRunAt }) => nextRunAt,
    },
  ]
  const words = (source: SourceView) => `${source.name} ${whereWords(source)} ${said(source)}`
  return {
    ...within(all, asked, { words, by: { state: stateOf } }),
    filters: { state: choice('Status', STATE_WORDS) },
    columns,
  }
}

export function sourceForm({ isSeller, isFile }: { isSeller: boolean; isFile: boolean }): FormSpec {
  const intervals = isSeller ? SELLER_INTERVALS : INTERVALS
  return {
    name: {
      ...{ kind: 'text', label: 'Name', required: true, max: MAX_NAME, empty: 'text' },
      hint: isSeller
        ? 'Such as Product feed.'
        : 'Such as the name of the shop. Product pages show it as the source.',
    },
    ...(!isFile && {
      url: {
        ...{ kind: 'url', label: 'Address of the feed', max: MAX_URL, empty: 'null', required: isSeller },
        hint: isSeller
          ? 'A public https address. Up to 20 MB and 2,000 rows.'
          : 'An https address, or one that SOUK_OUTBOUND_ALLOW opens. Up to 100 MB. Leave it empty to bring files by hand.',
      },
      every_minutes: {
        ...{ kind: 'choice', label: 'Fetch it', empty: 'null' },
        options: [
          ['', intervalWords(null)],
          ...intervals.map((minutes) => [String(minutes), intervalWords(minutes)] as const),
        ],
      },
      auth: {
        ...{ kind: 'choice', label: 'Credentials' },
        options: AUTHS.map((auth) => [auth, AUTH_WORDS[auth]] as const),
      },
      credentials: {
        ...{ kind: 'secret', label: 'User and password, token or header', max: 4_000, empty: 'null' },
        hint: 'user:password, the token, or Name: value. We store it encrypted and never show it. Leave it empty to keep what you entered before.',
      },
    }),
    ...(!isSeller && {
      gone: {
        ...{ kind: 'choice', label: 'Products that are no longer in it' },
        options: GONE.map((gone) => [gone, GONE_WORDS[gone]] as const),
        hint: 'Products that another source has too are left alone. Those that people hold are never hidden.',
      },
    }),
  }
}

const STEPS = ['run', 'full', 'check', 'pause', 'resume', 'approve', 'reject'] as const
type Step = (typeof STEPS)[number]
export const StepForm = z.object({
  step: z.enum(STEPS, 'Choose what to do.'),
  run_id: z.string().max(40).default(''),
})

/** Returns the word that the page says it by. */
export async function takeStep(
  ctx: SourcesContext,
  who: Parameters<typeof askRun>[1],
  id: string,
  { step, run_id: runId }: z.output<typeof StepForm>,
): Promise<string> {
  if (step === 'pause' || step === 'resume') {
    await pauseSource(ctx, who, id, step === 'pause')
    return `${step}d`
  }
  if (step === 'approve' || step === 'reject') {
    await decide(ctx, who, { id, runId, approve: step === 'approve' })
    return step === 'approve' ? 'run' : 'rejected'
  }
  await askRun(ctx, who, id, { dryRun: step === 'check', full: step === 'full' })
  return 'run'
}

type SourcePageProps = {
  source: SourceView
  runs: readonly Run[]
  /** The path of the list. */
  at: string
  where: string
  said: Page['said']
  state: FormState
  isSeller: boolean
  now: Date
  /** How the buttons that check and that read everything again are called. */
  labels: { check: string; full: string }
  /** For a source whose files are brought by hand: the form that takes one. */
  bring?: Child
  /** Beside the buttons. */
  more?: Child
  /** The way to remove it. */
  remove: Child
}

export function sourcePage(props: SourcePageProps): Page {
  const { source, runs, at, where, said, state, isSeller, now, labels, bring, more, remove } = props
  const to = `${at}/${source.id}`
  const of = sourceForm({ isSeller, isFile: source.kind === 'file' })
  const { name, url, everyMinutes, auth, gone } = source
  const isRunning = source.last?.state === 'running'
  const step = (step: Step, label: string, kind: 'plain' | 'primary' = 'plain') => (
    <Action {...{ to: `${to}/run`, label, kind, fields: { step } }} />
  )
  const rest = everyMinutes !== null && (source.paused ? step('resume', 'Resume') : step('pause', 'Pause'))
  return {
    title: name,
    lead: (
      <>
        <SourceBadge source={source} /> {where}
      </>
    ),
    ...{ said, actions: <LinkButton to={at} label="All sources" /> },
    body: [
      source.waiting && <Decision run={source.waiting} to={`${to}/run`} />,
      <LastResult source={source} now={now} />,
      !isRunning && (
        <Panel title="Run it">
          {bring || (
            <div class="line">
              {[step('run', 'Run now', 'primary'), step('check', labels.check), step('full', labels.full)]}
              {!more && rest}
            </div>
          )}
          {more && (
            <div class="line">
              {more}
              {rest}
            </div>
          )}
        </Panel>
      ),
      <Runs runs={runs} isSeller={isSeller} />,
      <FormPanel
        {...{ title: 'Settings', action: to, label: 'Save', of }}
        state={filledIn(state, of, { name, url, every_minutes: everyMinutes, auth, gone })}
      />,
      !isRunning && remove,
    ],
  }
}

/** What happened, what to do, and when it runs next. */
function LastResult({ source, now }: { source: SourceView; now: Date }) {
  const { last, waiting, lastGood, stopped } = source
  const told = waiting ?? last
  return (
    <Panel title="Last result">
      {stopped !== null && (
        <p class="aside" role="alert">
          {stopped} Run the source again when that is solved.
        </p>
      )}
      {told ? (
        <>
          <p>
            <RunBadge run={told} /> <Ago at={told.startedAt} now={now} />
          </p>
          <p>{told.message ?? 'It is being fetched and read. Reload this page to see the result.'}</p>
          {told.fix !== null && <p class="aside">{told.fix}</p>}
          {told.report.length > 0 && (
            <details>
              <summary>What is wrong with rows</summary>
              <ul class="import-notices">
                {told.report.map((line) => (
                  <li>{line}</li>
                ))}
              </ul>
            </details>
          )}
        </>
      ) : (
        <p>It has not run yet.</p>
      )}
      {waiting && last?.outcome === 'failed' && (
        <p>
          The run after it: <RunBadge run={last} /> <Ago at={last.startedAt} now={now} /> {last.message}{' '}
          {last.fix}
        </p>
      )}
      {lastGood && lastGood.id !== told?.id && (
        <p class="soft">
          Last import: {lastGood.message} <Ago at={lastGood.startedAt} now={now} />
        </p>
      )}
      <p>
        Next run: <NextRun source={source} now={now} />
      </p>
    </Panel>
  )
}

/** The decision on a run that waits, for the very file that was seen. */
function Decision({ run, to }: { run: Run; to: string }) {
  const fields = { run_id: run.id }
  return (
    <Panel title="Is so much really gone?" lead={run.message ?? ''}>
      <p>
        Approving imports the file as we saw it, and treats what is missing as the settings say. We keep the
        file until you decide, or until a newer one is complete again.
      </p>
      <div class="line">
        <Action
          {...{ to, label: 'Approve and import', kind: 'primary', fields: { ...fields, step: 'approve' } }}
        />
        <Action {...{ to, label: 'Reject this file', fields: { ...fields, step: 'reject' } }} />
      </div>
    </Panel>
  )
}

const CHART_RUNS = 30

/** A bar for each run that read rows, the newest last. */
function Runs({ runs, isSeller }: { runs: readonly Run[]; isSeller: boolean }) {
  const read = runs
    .filter(({ rows, dryRun }) => rows !== null && !dryRun)
    .slice(0, CHART_RUNS)
    .toReversed()
  // The chart is by day: of several runs of a day the last one stands.
  const byDay = new Map(read.map((run) => [isoDay(run.startedAt), run.rows ?? 0]))
  const days = daysBetween([...byDay.keys()])
  let carried = 0
  const values = days.map((day) => {
    carried = byDay.get(day) ?? carried
    return carried
  })
  return (
    <Panel title="Runs" lead="The last 50.">
      {days.length > 1 && (
        <Chart
          id="rows"
          title="Rows in the file"
          days={days}
          series={[{ label: 'Rows', values }]}
          empty="No rows were read yet."
        />
      )}
      {runs.length === 0 ? (
        <p>It has not run yet.</p>
      ) : (
        <DataTable
          caption="Runs of this source"
          columns={[
            'Started',
            'Result',
            { label: 'Rows', kind: 'number' },
            { label: isSeller ? 'Proposed' : 'New', kind: 'number' },
            { label: isSeller ? 'Claimed' : 'Updated', kind: 'number' },
            { label: isSeller ? 'Failed' : 'Gone', kind: 'number' },
            'What happened',
          ]}
          rows={runs.map((run) => {
            const { counts, rows, message, importId, bytes } = run
            const size = bytes === null ? null : sizeWords(bytes)
            return [
              <Moment at={run.startedAt} />,
              <RunBadge run={run} />,
              rows === null ? '–' : formatCount(rows),
              formatCount(isSeller ? counts.submitted + counts.proposed : counts.created),
              formatCount(isSeller ? counts.claimed : counts.updated),
              formatCount(isSeller ? counts.failed : counts.gone),
              <>
                {message ?? 'Running'}
                {importId !== null && !isSeller ? (
                  <span class="row-note">
                    <a href={`/admin/imports/${importId}`}>See the import</a>
                    {size && `, ${size}`}
                  </span>
                ) : (
                  size && <span class="row-note">{size}</span>
                )}
              </>,
            ]
          })}
        />
      )}
    </Panel>
  )
}

const DAY = 86_400_000
const MOST_DAYS = 62

function daysBetween(days: readonly string[]): string[] {
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return []
  const from = Math.max(Date.parse(first), Date.parse(last) - (MOST_DAYS - 1) * DAY)
  const count = Math.round((Date.parse(last) - from) / DAY) + 1
  return Array.from({ length: count }, (_, at) => isoDay(new Date(from + at * DAY)))
}
