/**
 * How an organization answers requests for quotes, how that has gone lately, and the forms that change it. Whoever may
 * not change anything sees the same facts and is told who may.
 */
import type { LastUcpCheck } from '../../../orgs/ucp.service.ts'
import {
  type IntegrationReport,
  summarizeAttempts,
  type Trouble,
} from '../../../rfq/integration-report.service.ts'
import { fixOf } from '../../../rfq/verdicts.ts'
import { Moment } from '../../components/moment.tsx'
import type { FormState } from '../../kit/fields.tsx'
import { Panel } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import { DashboardPage, type Visitor, WhoMay } from '../page.tsx'
import { AGENT_PATH, PRICING_PATH } from '../paths.ts'
import { Facts } from './agent.facts.tsx'
import { AnswersPanel, CardPanel } from './agent.forms.tsx'
import { History } from './agent.history.tsx'
import { type TestableProduct, TestNow } from './agent.test-form.tsx'
import { UcpPanel } from './agent.ucp.tsx'

export const DONE_WORDS = {
  card: 'The card was read and saved. Your agent is asked from now on.',
  managed: 'From now on Souk answers for you, by your pricing rules.',
  own: 'From now on your own agent is asked.',
  cleared: 'The card and its secret were removed.',
  ucp: 'Your shop was asked for its UCP profile.',
} as const

type AgentPage = {
  site: Site
  visitor: Visitor
  report: IntegrationReport
  ucp: LastUcpCheck | null
  /** What a test can be asked for; none for whoever may not test. */
  products: TestableProduct[]
  state: FormState
  byLink: boolean
  done: string | null
}

export function renderAgent(page: AgentPage): string {
  const { site, visitor, report, state, done } = page
  const { org } = visitor
  const manages = visitor.may('manage')
  const testable = report.isManaged || report.agentCardUrl !== null
  return String(
    <DashboardPage
      site={site}
      visitor={visitor}
      title="Agent"
      lead={`How ${org.name} answers requests for quotes.`}
      at={AGENT_PATH}
      done={done}
      errors={state.errors}
    >
      <Panel title="Status">
        <Troubles troubles={report.troubles} />
        <Facts integration={report} />
        {report.isManaged && (
          <p>
            <a href={PRICING_PATH}>See and change your pricing rules</a>
          </p>
        )}
        <WhoMay visitor={visitor} right="manage" />
      </Panel>
      {manages && <CardPanel visitor={visitor} integration={report} state={state} byLink={page.byLink} />}
      <History attempts={report.attempts} summary={summarizeAttempts(report.attempts)} />
      {manages && testable && (
        <Panel title="Test" id="test">
          <TestNow visitor={visitor} state={state} products={page.products} isManaged={report.isManaged} />
        </Panel>
      )}
      {manages && <AnswersPanel visitor={visitor} integration={report} />}
      <UcpPanel visitor={visitor} check={page.ucp} />
    </DashboardPage>,
  )
}

function Troubles({ troubles }: { troubles: Trouble[] }) {
  // The frame of the page says it already.
  const told = troubles.filter(({ kind }) => kind !== 'deactivated')
  if (told.length === 0) return null
  return (
    <div class="aside">
      <h3>What to do</h3>
      <ul class="rows">
        {told.map((trouble) => (
          <li>
            <TroubleWords trouble={trouble} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function TroubleWords({ trouble }: { trouble: Trouble }) {
  switch (trouble.kind) {
    case 'deactivated':
      return null
    case 'nobody_answers':
      return (
        <>
          No buyer’s request reaches you. Register your agent below, or let Souk answer by your pricing rules.
        </>
      )
    case 'secret_lost':
      return <>The secret of your agent can no longer be read. Enter it again with the card.</>
    case 'left_alone':
      return (
        <>
          Your agent failed many times in a row and is not asked again before <Moment at={trouble.until} />.
        </>
      )
    case 'failing':
      return <>{fixOf(trouble.verdict, 'pages') ?? trouble.fix}</>
    case 'untried':
      return <>Your agent has not answered a request yet. Test it to see whether it would.</>
  }
}
