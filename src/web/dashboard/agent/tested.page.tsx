/**
 * What came of a test: the request as it went out, the answer as it came back, and what to mend. The page is sent while
 * the agent is still being waited for, and the rest is written into it when that has ended.
 */
import type { WireAnswer } from '../../../rfq/answer.ts'
import type { TestedAgent } from '../../../rfq/test-rfq.service.ts'
import { Panel, State } from '../../console/parts.tsx'
import { formatCount } from '../../format.ts'
import type { FormState } from '../../forms/fields.tsx'
import type { Site } from '../../site.ts'
import { Hole } from '../../stream-page.tsx'
import { DashboardPage, type Visitor } from '../page.tsx'
import { AGENT_PATH } from './agent.forms.tsx'
import { type TestableProduct, TestNow } from './agent.test-form.tsx'
import { fixWords, VERDICT_WORDS } from './verdict-words.ts'

type TestPage = {
  site: Site
  visitor: Visitor
  /** What was asked for, for another try. */
  state: FormState
  products: TestableProduct[]
  isManaged: boolean
}

/** With a hole where the result comes to stand, or with the result itself. */
export function renderTested(page: TestPage & ({ tested: TestedAgent } | { withinMs: number })): string {
  return String(
    <DashboardPage
      {...page}
      title="Test of your agent"
      at={AGENT_PATH}
      actions={
        <a class="button plain" href={AGENT_PATH}>
          Back to the agent
        </a>
      }
    >
      {'tested' in page ? (
        <Tested tested={page.tested} />
      ) : (
        <>
          <div class="testing panel" role="status">
            <p id="testing-title">
              Waiting for your agent. It has {formatCount(Math.ceil(page.withinMs / 1000))} seconds to answer.
            </p>
            <progress aria-labelledby="testing-title" />
          </div>
          <Hole />
        </>
      )}
      <Panel title="Test again">
        <TestNow {...page} label="Test again" />
      </Panel>
    </DashboardPage>,
  )
}

export function Tested({ tested }: { tested: TestedAgent }) {
  if (tested.kind === 'none') return <Nothing tested={tested} />
  const { verdict, reason, ms, productSlug, kind } = tested
  const fix = kind === 'agent' && verdict !== null ? fixWords(verdict) : null
  return (
    <>
      <Panel title="Result">
        <p class="line">
          {verdict !== null && (
            <State tone={VERDICT_WORDS[verdict].tone}>{VERDICT_WORDS[verdict].label}</State>
          )}
          {ms !== null && <span class="soft">{formatCount(ms)} ms</span>}
          {productSlug !== null && <span class="soft">{productSlug}</span>}
        </p>
        <p>{reason}</p>
        {fix !== null && (
          <p class="aside">
            <strong>What to do:</strong> {fix}
          </p>
        )}
        {kind === 'managed' && productSlug !== null && (
          <p>
            Souk answers for you, so nothing was sent.{' '}
            <a href={`/dashboard/pricing/${productSlug}#simulator`}>See how this price is worked out</a>
          </p>
        )}
        {tested.answer && <Understood answer={tested.answer} />}
      </Panel>
      {kind === 'agent' && (
        <>
          <Sent tested={tested} />
          <CameBack response={tested.response} />
        </>
      )}
    </>
  )
}

function Nothing({ tested }: { tested: TestedAgent }) {
  return (
    <Panel title="Nothing was tested">
      {tested.missing === 'product' ? (
        <p>
          There is no product to ask for: a test takes one whose claim is verified.{' '}
          <a href="/dashboard/products">Claim a product</a>
        </p>
      ) : (
        <p>
          There is nothing to test yet.{' '}
          <a href={AGENT_PATH}>Register your agent, or let Souk answer for you</a>
        </p>
      )}
    </Panel>
  )
}

function Understood({ answer }: { answer: WireAnswer }) {
  return (
    <table class="specs">
      <caption class="hidden">The answer as it was understood</caption>
      <tbody>
        {Object.entries(answer)
          .filter(([, value]) => value !== null && value !== undefined && value !== '')
          .map(([name, value]) => (
            <tr>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td>{String(value)}</td>
            </tr>
          ))}
      </tbody>
    </table>
  )
}

function Sent({ tested }: { tested: TestedAgent }) {
  const { endpoint, requestHeaders, requestBody } = tested
  const headers = Object.entries(requestHeaders ?? {}).map(([name, value]) => `${name}: ${value}`)
  return (
    <Panel title="What was sent" lead="As your agent received it. Secrets are left out.">
      <Code label="Request" text={[`POST ${endpoint ?? ''}`, ...headers].join('\n')} />
      {requestBody !== null && <Code label="Body of the request" text={pretty(requestBody)} />}
    </Panel>
  )
}

function CameBack({ response }: Pick<TestedAgent, 'response'>) {
  return (
    <Panel title="What came back">
      {response === null ? (
        <p>No answer was received.</p>
      ) : (
        <>
          <p>
            Status <strong>{response.status}</strong>
          </p>
          {response.body === '' ? (
            <p class="soft">The body was empty.</p>
          ) : (
            <Code label="Body of the answer" text={pretty(response.body)} />
          )}
        </>
      )}
    </Panel>
  )
}

function Code({ label, text }: { label: string; text: string }) {
  return (
    <section class="code" aria-label={label} tabindex={0}>
      {text}
    </section>
  )
}

/** JSON on lines of its own; anything else as it is. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
