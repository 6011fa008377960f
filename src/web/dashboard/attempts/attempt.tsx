/**
 * One attempt to get an answer: what was sent, how long it took, what came back, the verdict and how to fix it. Real
 * requests and tests look the same, so that they can be compared. Secrets are not stored, so none is shown.
 */
import type { Child } from 'hono/jsx'
import type { OwnAttemptRow } from '../../../rfq/inspector.service.ts'
import { checkSignature, type SignatureCheck } from '../../../rfq/inspector.signature.ts'
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from '../../../rfq/request.ts'
import type { TestedAgent } from '../../../rfq/test-rfq.service.ts'
import { fixOf, VERDICTS } from '../../../rfq/verdicts.ts'
import { Moment } from '../../components/moment.tsx'
import { formatCount } from '../../format.ts'
import { Facts, LinkLine, State, type Tone } from '../../kit/parts.tsx'
import { AGENT_PATH, PRICING_PATH } from '../paths.ts'
import { formatMs, layOutJson, reasonSentence } from './readable.ts'

export type ShownAttempt = Omit<
  OwnAttemptRow,
  'try' | 'auth_type' | 'started_at' | 'finished_at' | 'verdict'
> & {
  /** Null while the answer is awaited. */
  verdict: string | null
  started_at: Date | null
  signature: SignatureCheck | null
}

/** Null when nothing could be tested; then the test's reason says why. */
export function attemptOfTest(tested: TestedAgent): ShownAttempt | null {
  const { kind, requestHeaders, requestBody, response, answer } = tested
  if (kind === 'none') return null
  const proof = checkSignature({ headers: requestHeaders, body: requestBody }, null)
  return {
    kind,
    endpoint: tested.endpoint,
    request_headers: requestHeaders,
    request_body: requestBody,
    response_status: response?.status ?? null,
    response_headers: null,
    response_body: response?.body ?? (answer && JSON.stringify(answer)),
    response_ms: tested.ms,
    verdict: tested.verdict,
    reason: tested.reason,
    started_at: null,
    // It was signed just now, with the current secret.
    signature: proof?.kind === 'hmac' ? { ...proof, current: true } : proof,
  }
}

/** A stored verdict that this version does not know has only ended. */
function wordsOf(verdict: string | null): { label: string; tone: Tone } {
  if (verdict === null) return { label: 'In progress', tone: 'quiet' }
  const known: Record<string, { label: string; tone: Tone }> = VERDICTS
  return known[verdict] ?? { label: 'Ended', tone: 'quiet' }
}

type AttemptProps = {
  attempt: ShownAttempt
  /** Its heading, which also names its parts: "First try", "Test". */
  title: string
  /** How long all tries together may take. */
  deadlineMs: number
  /** How long after the first try it began. */
  afterMs?: number
  children?: Child
}

export function Attempt({ attempt, title, deadlineMs, afterMs = 0, children }: AttemptProps) {
  const { kind, endpoint, verdict, reason, response_ms: ms, started_at: startedAt } = attempt
  const { tone, label } = wordsOf(verdict)
  const facts: Array<[string, Child]> = []
  if (startedAt !== null) facts.push([kind === 'agent' ? 'Sent' : 'Answered', <Moment at={startedAt} />])
  if (endpoint !== null) facts.push(['To', `POST ${endpoint}`])
  if (attempt.response_status !== null) facts.push(['Status', attempt.response_status])
  return (
    <article class="attempt">
      <div class="panel-head">
        <h3>{title}</h3>
        <State tone={tone}>{label}</State>
      </div>
      {reason !== null && <p>{reasonSentence(reason)}</p>}
      <Fix kind={kind} verdict={verdict} />
      {kind === 'agent' && ms !== null && (
        <TimeBar ms={ms} afterMs={afterMs} deadlineMs={deadlineMs} verdict={verdict} tone={tone} />
      )}
      {facts.length > 0 && <Facts facts={facts} />}
      {children}
      <div class="sides">
        <Sent attempt={attempt} title={title} />
        <Received attempt={attempt} title={title} />
      </div>
    </article>
  )
}

const FIX_LINKS: Record<string, readonly [href: string, words: string]> = {
  invalid: ['/docs/producer-protocol#the-answer', 'See what an answer looks like'],
  bad_status: ['/docs/producer-protocol#know-who-is-asking', 'Learn how to check our requests'],
  skipped: [`${AGENT_PATH}#test`, 'Test your agent'],
}
const VERDICTS_LINK = ['/docs/rfq#verdicts', 'What each verdict means'] as const

function Fix({ kind, verdict }: Pick<ShownAttempt, 'kind' | 'verdict'>) {
  if (verdict === null) return null
  if (kind === 'managed')
    return verdict === 'quoted' || verdict === 'canceled' ? null : (
      <p class="aside">
        Souk answered with your rules. <a href={PRICING_PATH}>Change your rules</a>
      </p>
    )
  const fix = fixOf(verdict, 'pages')
  if (fix === null) return null
  const [href, words] = FIX_LINKS[verdict] ?? VERDICTS_LINK
  return (
    <p class="aside">
      <strong>How to fix it:</strong> {fix} <a href={href}>{words}</a>
    </p>
  )
}

/** The shortest bar that can be seen, in percent. */
const LEAST = 1.5

type TimeBarProps = { ms: number; afterMs: number; deadlineMs: number; verdict: string | null; tone: Tone }

/** The words below say the same, so screen readers skip the bar. */
function TimeBar({ ms, afterMs, deadlineMs, verdict, tone }: TimeBarProps) {
  const whole = Math.max(deadlineMs, afterMs + ms)
  const part = (of: number) => Math.round((of / whole) * 1_000) / 10
  const from = Math.min(part(afterMs), 100 - LEAST)
  const width = Math.min(Math.max(part(ms), LEAST), 100 - from)
  return (
    <div class="timeline">
      <svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <rect class="bar-track" width="100" height="1" />
        <rect class={`bar-fill ${tone}`} x={from} width={width} height="1" />
      </svg>
      <p class="hint">
        <span>{afterMs === 0 ? 'Sent' : `Sent after ${formatMs(afterMs)}`}</span>
        <span>{`${verdict === 'timeout' ? 'Stopped waiting after' : 'Took'} ${formatMs(ms)}`}</span>
        <span>Deadline {formatMs(deadlineMs)}</span>
      </p>
    </div>
  )
}

type SideProps = { attempt: ShownAttempt; title: string }

function Sent({ attempt: { request_headers, request_body: body, signature }, title }: SideProps) {
  if (body === null) return null
  return (
    <section aria-label={`Request: ${title}`}>
      <h4>Request</h4>
      <Headers headers={request_headers} sent />
      <Code label={`Request body: ${title}`} text={body} />
      <p class="hint">{bytesOf(body)}, sent without the line breaks shown here</p>
      {signature !== null && (
        <div class="proof">
          <h4>Authentication</h4>
          <Proof check={signature} />
        </div>
      )}
    </section>
  )
}

function Received({ attempt: { kind, response_headers, response_body: body }, title }: SideProps) {
  if (body === null) return null
  return (
    <section aria-label={`Answer: ${title}`}>
      <h4>{kind === 'managed' ? 'Answer we gave for you' : 'Answer'}</h4>
      <Headers headers={response_headers} sent={false} />
      {body === '' ? (
        <p class="soft">The body was empty.</p>
      ) : (
        <Code label={`Answer body: ${title}`} text={body} />
      )}
      {kind === 'agent' && body !== '' && <p class="hint">{bytesOf(body)}</p>}
    </section>
  )
}

function bytesOf(text: string): string {
  return `${formatCount(Buffer.byteLength(text))} bytes`
}

const HIDDEN = '[hidden]'

function Headers({ headers, sent }: { headers: Record<string, string> | null; sent: boolean }) {
  const all = Object.entries(headers ?? {})
  const isToken = (name: string) => sent && name.toLowerCase() === 'authorization'
  const shown = all.filter(([name, value]) => value !== HIDDEN || isToken(name))
  const left = all.filter((entry) => !shown.includes(entry)).map(([name]) => name)
  return (
    <>
      {shown.length > 0 && (
        <Facts facts={shown.map(([name, value]) => [name, value === HIDDEN ? 'Bearer ••••' : value])} />
      )}
      {left.length > 0 && <p class="hint">Also received, values not stored: {left.join(', ')}</p>}
    </>
  )
}

/** Text as it is, in a box that scrolls. */
function Code({ label, text }: { label: string; text: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: it is preformatted, and a region because the keyboard must reach what scrolls
    <pre class="code" role="region" aria-label={label} tabindex={0}>
      {/* Browsers drop a line break at the beginning: this one is for them to drop. */}
      {`\n${layOutJson(text)}`}
    </pre>
  )
}

function Proof({ check }: { check: SignatureCheck }) {
  if (check.kind === 'none')
    return (
      <p>
        None. Anyone could have sent this request. <a href={AGENT_PATH}>Add a secret for your agent</a>
      </p>
    )
  if (check.kind === 'bearer')
    return (
      <p>
        Your bearer token, in the <code>Authorization</code> header. We don’t store it with the request, so we
        can’t compare it with your current token.
      </p>
    )
  const { current, bytes, timestamp, begins } = check
  return (
    <>
      <p>
        {current === null ? (
          <State tone="quiet">Can’t be compared with your current secret</State>
        ) : current ? (
          <State tone="good">Matches your current secret</State>
        ) : (
          <State tone="mixed">Signed with a secret you have since replaced</State>
        )}
      </p>
      <p>
        <code>{SIGNATURE_HEADER}</code> is the HMAC-SHA256, in hex, of {formatCount(bytes)} bytes: the value
        of <code>{TIMESTAMP_HEADER}</code> (<code>{timestamp}</code>), a dot, and the body as sent.
        {begins !== null && (
          <>
            {' '}
            It started with <code>{begins}</code>; we don’t store the rest.
          </>
        )}
      </p>
      <LinkLine to="/docs/producer-protocol#know-who-is-asking">Check it in your own code</LinkLine>
    </>
  )
}
