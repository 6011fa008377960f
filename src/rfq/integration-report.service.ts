/**
 * How an organization answers requests for quotes, how that has gone lately, and what to do about it. Never a secret: of
 * one it is told only that it can no longer be read.
 */
import type { Integration } from '../orgs/integration.schema.ts'
import { getIntegration } from '../orgs/integration.service.ts'
import { findIntegrations } from '../orgs/integration-health.service.ts'
import { type Deed, requireProducer } from '../orgs/producer.ts'
import type { RfqContext } from './context.ts'
import { findLastAttempts, type LastAttempt } from './integration-report.queries.ts'
import { fixOf } from './verdict-fixes.ts'

export type { LastAttempt }

export type IntegrationReport = Integration & {
  failuresInARow: number
  /** Left alone until then. */
  skipUntil: Date | null
  attempts: LastAttempt[]
  /** Sentences, the most urgent first; empty when all is well. */
  advice: string[]
}

const LAST_ATTEMPTS = 5

export async function getIntegrationReport(
  ctx: Pick<RfqContext, 'db' | 'clock' | 'log' | 'integrationSecrets'>,
  deed: Pick<Deed, 'caller'>,
): Promise<IntegrationReport> {
  const { org } = await requireProducer(ctx, deed.caller, 'read')
  const [integration, agents, attempts] = await Promise.all([
    getIntegration(ctx, deed),
    findIntegrations(ctx, [org.id]),
    findLastAttempts(ctx.db, org.id, LAST_ATTEMPTS),
  ])
  const agent = agents.get(org.id)
  const skipUntil = agent?.skipUntil && agent.skipUntil > ctx.clock.now() ? agent.skipUntil : null
  const health = { failuresInARow: agent?.failuresInARow ?? 0, skipUntil }
  const standing = {
    ...integration,
    ...health,
    attempts,
    secretLost: agent?.secretLost ?? false,
    deactivated: org.deactivatedAt !== null,
  }
  return { ...integration, ...health, attempts, advice: adviceFor(standing) }
}

function adviceFor(
  standing: Omit<IntegrationReport, 'advice'> & { secretLost: boolean; deactivated: boolean },
): string[] {
  const { isManaged, agentCardUrl, attempts, failuresInARow, skipUntil, lastCheckedAt } = standing
  if (standing.deactivated)
    return [
      'The organization is deactivated, so it is not asked for quotes: write to the operator of this service.',
    ]
  if (isManaged) return []
  if (agentCardUrl === null)
    return [
      'No buyer’s request reaches this organization: register an agent card, or let the service quote by your rules (set_agent_integration with is_managed: true, then set_pricing_rules).',
    ]
  const [last] = attempts
  const fix = failuresInARow > 0 && last ? fixOf(last.verdict) : null
  return [
    ...(standing.secretLost ? ['Its secret can no longer be read: enter it again on the dashboard.'] : []),
    ...(skipUntil
      ? [`It failed many times in a row and is not asked again before ${skipUntil.toISOString()}.`]
      : []),
    ...(fix === null ? [] : [fix]),
    ...(lastCheckedAt === null ? ['It has not answered a request yet: try it with run_test: true.'] : []),
  ]
}
