/**
 * One try to get an answer: what was sent, how long it took, what came back, what that was judged to be, and what to do
 * about it. Real requests and tests are shown by the same parts, so that the two can be held against each other. Secrets
 * are not shown because they are not kept.
 */
import type { Child } from 'hono/jsx'
import type { OwnAttemptRow } from '../../../rfq/inspector.service.ts'
import { checkSignature, type SignatureCheck } from '../../../rfq/inspector.signature.ts'
import type { TestedAgent } from '../../../rfq/test-rfq.service.ts'
import { VERDICTS } from '../../../rfq/verdicts.ts'
import { Fact } from '../../components/fact.tsx'
import { Moment } from '../../components/moment.tsx'
import { formatCount } from '../../format.ts'
import { State, type Tone } from '../../kit/parts.tsx'
import { Code } from './code.tsx'
import { Fix } from './fix.tsx'
import { formatMs, reasonSentence } from './readable.ts'
import { Proof } from './signature.tsx'

export type ShownAttempt = {
  kind: 'agent' | 'managed'
  endpoint: string | null
  requestHeaders: Record<string, string> | null
  requestBody: string | null
  status: number | null
  responseHeaders: Record<string, string> | null
  responseBody: string | null
  ms: number | null
  /** Null while it is under way. */
  verdict: string | null
  reason: string | null
  startedAt: Date | null
  signature: SignatureCheck | null
}

export function attemptOfRow(row: OwnAttemptRow, signature: SignatureCheck | null): ShownAttempt {
  return {
    kind: row.kind,
    endpoint: row.endpoint,
    requestHeaders: row.request_headers,
    requestBody: row.request_body,
    status: row.response_status,
    responseHeaders: row.response_headers,
    responseBody: row.response_body,
    ms: row.response_ms,
    verdict: row.verdict,
    reason: row.reason,
    startedAt: row.started_at,
    signature,
  }
}

/** Null when nothing could be tested; then the test's reason says why. */
export function attemptOfTest(tested: TestedAgent): ShownAttempt | null {
  const { kind, requestHeaders, requestBody, response, answer } = tested
  if (kind === 'none') return null
  const proof = checkSignature({ headers: requestHeaders, body: requestBody }, null)
  return {
    kind,
    endpoint: tested.endpoint,
    requestHeaders,
    requestBody,
    status: response?.status ?? null,
    responseHeaders: null,
    responseBody: response?.body ?? (answer && JSON.stringify(answer)),
    ms: tested.ms,
    verdict: tested.verdict,
    reason: tested.reason,
    startedAt: null,
    // It was made just now, with the secret of now.
    signature: proof?.kind === 'hmac' ? { ...proof, current: true } : proof,
  }
}

/** Of a verdict as it is stored: one that this version does not know has only ended. */
function wordsOf(verdict: string | null): { label: string; tone: Tone } {
  if (verdict === null) return { label: 'Under way', tone: 'quiet' }
  const known: Record<string, { label: string; tone: Tone }> = VERDICTS
  return known[verdict] ?? { label: 'Ended', tone: 'quiet' }
}

type AttemptProps = {
  attempt: ShownAttempt
  /** Its heading, and what names its parts: "First try", "Test". */
  title: string
  /** How long all tries together may take. */
  deadlineMs: number
  /** How long after the first one it began. */
  afterMs?: number
  children?: Child
}

export function Attempt({ attempt, title, deadlineMs, afterMs = 0, children }: AttemptProps) {
  const { kind, endpoint, verdict, reason, ms, startedAt, status } = attempt
  const { tone, label } = wordsOf(verdict)
  return (
    <article class="attempt">
      <div class="panel-head">
        <h3>{title}</h3>
        <State tone={tone}>{label}</State>
      </div>
      {reason !== null && <p>{reasonSentence(reason)}</p>}
      <Fix kind={kind} verdict={verdict} />
      {kind === 'agent' && ms !== null && (
        <Timeline ms={ms} afterMs={afterMs} deadlineMs={deadlineMs} verdict={verdict} />
      )}
      {(startedAt ?? endpoint ?? status) !== null && (
        <dl class="facts">
          {startedAt !== null && (
            <Fact name={kind === 'agent' ? 'Sent' : 'Answered'}>
              <Moment at={startedAt} />
            </Fact>
          )}
          {endpoint !== null && <Fact name="To">POST {endpoint}</Fact>}
          {status !== null && <Fact name="Status">{status}</Fact>}
        </dl>
      )}
      {children}
      <div class="sides">
        <Sent attempt={attempt} title={title} />
        <Received attempt={attempt} title={title} />
      </div>
    </article>
  )
}

/** The least that can be seen of a bar, in hundredths of it. */
const LEAST = 1.5

/** The words beside it say the same, so it is hidden from screen readers. */
function Timeline({
  ms,
  afterMs,
  deadlineMs,
  verdict,
}: {
  ms: number
  afterMs: number
  deadlineMs: number
  verdict: string | null
}) {
  const whole = Math.max(deadlineMs, afterMs + ms)
  const part = (of: number) => Math.round((of / whole) * 1_000) / 10
  const from = Math.min(part(afterMs), 100 - LEAST)
  const width = Math.min(Math.max(part(ms), LEAST), 100 - from)
  const { tone } = wordsOf(verdict)
  return (
    <div class="timeline">
      <svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <rect class="bar-track" width="100" height="1" />
        <rect class={`bar-fill ${tone}`} x={from} width={width} height="1" />
      </svg>
      <p class="hint">
        <span>{afterMs === 0 ? 'Sent' : `Sent after ${formatMs(afterMs)}`}</span>
        <span>{`${verdict === 'timeout' ? 'Given up after' : 'Took'} ${formatMs(ms)}`}</span>
        <span>Deadline {formatMs(deadlineMs)}</span>
      </p>
    </div>
  )
}

type SideProps = { attempt: ShownAttempt; title: string }

function Sent({ attempt, title }: SideProps) {
  const { requestHeaders, requestBody, signature } = attempt
  if (requestBody === null) return null
  return (
    <section aria-label={`Request: ${title}`}>
      <h4>Request</h4>
      <Headers headers={requestHeaders} whose="sent" title={title} />
      <Body
        text={requestBody}
        label={`Request body: ${title}`}
        note={`${formatCount(Buffer.byteLength(requestBody))} bytes, sent without the line breaks shown here`}
      />
      {signature !== null && <Proof check={signature} title={title} />}
    </section>
  )
}

function Received({ attempt, title }: SideProps) {
  const { responseHeaders, responseBody } = attempt
  if (responseBody === null) return null
  const managed = attempt.kind === 'managed'
  return (
    <section aria-label={`Answer: ${title}`}>
      <h4>{managed ? 'Answer in your name' : 'Answer'}</h4>
      <Headers headers={responseHeaders} whose="received" title={title} />
      {responseBody === '' ? (
        <p class="soft">The body was empty.</p>
      ) : (
        <Body
          text={responseBody}
          label={`Answer body: ${title}`}
          note={managed ? null : `${formatCount(Buffer.byteLength(responseBody))} bytes`}
        />
      )}
    </section>
  )
}

function Body({ text, label, note }: { text: string; label: string; note: string | null }) {
  return (
    <>
      <Code label={label} text={text} />
      {note !== null && <p class="hint">{note}</p>}
    </>
  )
}

const HIDDEN = '[hidden]'

function Headers({
  headers,
  whose,
  title,
}: {
  headers: Record<string, string> | null
  whose: 'sent' | 'received'
  title: string
}) {
  const all = Object.entries(headers ?? {})
  const shown = all.flatMap(([name, value]): Array<[string, string]> => {
    if (value !== HIDDEN) return [[name, value]]
    return whose === 'sent' && name.toLowerCase() === 'authorization' ? [[name, 'Bearer ••••']] : []
  })
  const left = all.filter(([name]) => !shown.some(([one]) => one === name)).map(([name]) => name)
  return (
    <>
      {shown.length > 0 && (
        <table class="specs">
          <caption class="hidden">{`Headers ${whose}: ${title}`}</caption>
          <tbody>
            {shown.map(([name, value]) => (
              <tr>
                <th scope="row">{name}</th>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {left.length > 0 && <p class="hint">Came too, values not kept: {left.join(', ')}</p>}
    </>
  )
}
