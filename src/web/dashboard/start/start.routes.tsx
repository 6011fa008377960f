/**
 * /dashboard/start: the first question to a new seller, because everything after it hangs on the answer: does Souk answer
 * requests by prices, or an agent of their own?
 */
import { getIntegration } from '../../../orgs/integration.service.ts'
import type { Page } from '../../kit/console.tsx'
import { LinkButton, Panel, State } from '../../kit/parts.tsx'
import { AnsweringAction } from '../agent/agent.routes.tsx'
import { type Dashboard, type DashboardDeps, type VisitorSeen, WhoMay } from '../guard.tsx'
import { AGENT_PATH, FOUND_PATH, START_PATH } from '../paths.ts'

export function mountStart(dashboard: Dashboard, { ctx }: DashboardDeps): void {
  dashboard.page(START_PATH, 'read', async ({ visitor }: VisitorSeen): Promise<Page> => {
    const { isManaged, agentCardUrl } = await getIntegration(ctx, visitor)
    const byAgent = !isManaged && agentCardUrl !== null
    const mayChoose = visitor.may('manage')
    return {
      title: 'How do you want to answer requests?',
      lead: 'Agents ask for a quote and expect it within seconds. You can change this at any time.',
      said: { registered: 'Your organization is registered.' },
      body: [
        <Panel
          title="Let Souk answer by your prices"
          id="managed"
          actions={<State tone={isManaged ? 'good' : 'quiet'}>{isManaged ? 'In use' : 'Recommended'}</State>}
        >
          <ul class="plain-list">
            <li>You need no server and no developer.</li>
            <li>You set prices, stock, shipping and regions in a table or from a file.</li>
            <li>Where you set no price, we quote the price that the catalog lists for your shop.</li>
          </ul>
          {isManaged ? (
            <p>
              <LinkButton to={FOUND_PATH} primary label="Continue with your products" />
            </p>
          ) : (
            mayChoose && <AnsweringAction isManaged from="start" label="Let Souk answer" kind="primary" />
          )}
        </Panel>,
        <Panel
          title="Answer with your own agent"
          id="agent"
          actions={byAgent && <State tone="good">In use</State>}
        >
          <ul class="plain-list">
            <li>Your server gets each request and answers it within 25 seconds.</li>
            <li>For prices that depend on more than a table can say. You need a developer.</li>
            <li>Your domain has to be verified, because the agent answers from there.</li>
          </ul>
          <p class="line">
            <LinkButton to={AGENT_PATH} label="Set up your agent" />
            <a href="/docs/producers">Try one on your own computer first</a>
          </p>
        </Panel>,
        <WhoMay visitor={visitor} right="manage" what="choose" />,
      ],
    }
  })
}
