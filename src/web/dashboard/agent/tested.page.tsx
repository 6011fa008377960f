/**
 * What came of a test, shown as every other try is: the request as it went out, the answer as it came back, and what to
 * mend. The page is sent while the agent is still being waited for, and the rest is written when that has ended.
 */
import type { WireAnswer } from '../../../rfq/quote.schema.ts'
import type { TestedAgent } from '../../../rfq/test-rfq.service.ts'
import type { FormState } from '../../kit/fields.tsx'
import { Panel, Waiting } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import { Hole } from '../../stream-page.tsx'
import { Attempt, attemptOfTest } from '../attempts/attempt.tsx'
import { formatMs } from '../attempts/readable.ts'
import { DashboardPage, type Visitor } from '../page.tsx'
import { AGENT_PATH, CLAIM_PATH, pricingPath } from '../paths.ts'
import { type TestableProduct, TestNow } from './agent.test-form.tsx'

type TestPage = {
  site: Site
  visitor: Visitor
  /** What was asked for, for another try. */
  state: FormState
  products: TestableProduct[]
  isManaged: boolean
  /** How long an agent may take. */
  deadlineMs: number
}

/** With a hole where the result comes to stand, or with the result itself. */
export function renderTested(page: TestPage & { tested?: TestedAgent }): string {
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
      {page.tested ? (
        <Tested tested={page.tested} deadlineMs={page.deadlineMs} />
      ) : (
        <>
          <Waiting label="Waiting for the answer">
            Waiting for your agent. It has {formatMs(page.deadlineMs)} to answer.
          </Waiting>
          <Hole />
        </>
      )}
      <Panel title="Test again">
        <TestNow {...page} label="Test again" />
      </Panel>
    </DashboardPage>,
  )
}

type TestedProps = { tested: TestedAgent; deadlineMs: number }

export function Tested({ tested, deadlineMs }: TestedProps) {
  const attempt = attemptOfTest(tested)
  if (attempt === null) return <Nothing tested={tested} />
  const { productSlug, kind, answer } = tested
  return (
    <div class="ended">
      <Panel title="Result">
        <Attempt attempt={attempt} title={productSlug ?? 'Test'} deadlineMs={deadlineMs}>
          {kind === 'managed' && productSlug !== null && (
            <p>
              Souk answers for you, so nothing was sent.{' '}
              <a href={`${pricingPath(productSlug)}#simulator`}>See how this price is worked out</a>
            </p>
          )}
          {kind === 'agent' && answer && <Understood answer={answer} />}
        </Attempt>
      </Panel>
    </div>
  )
}

function Nothing({ tested }: { tested: TestedAgent }) {
  return (
    <div class="ended">
      <Panel title="Nothing was tested">
        {tested.missing === 'product' ? (
          <p>
            There is no product to ask for: a test takes one whose claim is proved.{' '}
            <a href={CLAIM_PATH}>Claim a product</a>
          </p>
        ) : (
          <p>
            There is nothing to test yet.{' '}
            <a href={AGENT_PATH}>Register your agent, or let Souk answer for you</a>
          </p>
        )}
      </Panel>
    </div>
  )
}

function Understood({ answer }: { answer: WireAnswer }) {
  return (
    <details>
      <summary>How the answer was understood</summary>
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
    </details>
  )
}
