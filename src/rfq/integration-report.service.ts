/**
 * How an organization answers requests for quotes, how that has gone lately, and what to do about it. Never a secret: of
 * one it is told only that it can no longer be read.
 */
import type { Integration } from '../orgs/integration.schema.ts'
import { getIntegration } from '../orgs/integration.service.ts'
import { findIntegrations } from '../orgs/integration-health.service.ts'
import { type Act, requireProducer } from '../orgs/producer.ts'
import type { RfqContext } from './context.ts'
import { findLastAttempts, type LastAttempt } from './inspector.queries.ts'
import { type AttemptVerdict, fixOf, isFailure } from './verdicts.ts'

export type { LastAttempt }

export type IntegrationReport = Integration & {
  failuresInARow: number
  /** Left alone until then. */
  skipUntil: Date | null
  attempts: LastAttempt[]
  /** The most urgent first; empty when all is well. */
  troubles: Trouble[]
  /** The same in sentences, for tools. */
  advice: string[]
}

/** What keeps an organization from answering, for each face to say in the words of its readers. */
export type Trouble =
  | { kind: 'deactivated' | 'nobody_answers' | 'secret_lost' | 'untried' }
  | { kind: 'left_alone'; until: Date }
  | { kind: 'failing'; verdict: AttemptVerdict; fix: string }

const LAST_ATTEMPTS = 5
export const MOST_ATTEMPTS = 50

export async function getIntegrationReport(
  ctx: Pick<RfqContext, 'db' | 'clock' | 'log' | 'integrationSecrets'>,
  act: Pick<Act, 'caller'>,
  { attempts: wanted = LAST_ATTEMPTS }: { attempts?: number } = {},
): Promise<IntegrationReport> {
  const { org } = await requireProducer(ctx, act.caller, 'read')
  const [integration, agents, attempts] = await Promise.all([
    getIntegration(ctx, act),
    findIntegrations(ctx, [org.id]),
    findLastAttempts(ctx.db, org.id, Math.min(wanted, MOST_ATTEMPTS)),
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
  const troubles = troublesOf(standing)
  return { ...integration, ...health, attempts, troubles, advice: troubles.map(adviceFor) }
}

function troublesOf(
  standing: Omit<IntegrationReport, 'troubles' | 'advice'> & { secretLost: boolean; deactivated: boolean },
): Trouble[] {
  const { isManaged, agentCardUrl, attempts, failuresInARow, skipUntil, lastCheckedAt } = standing
  if (standing.deactivated) return [{ kind: 'deactivated' }]
  if (isManaged) return []
  if (agentCardUrl === null) return [{ kind: 'nobody_answers' }]
  const [last] = attempts
  const fix = failuresInARow > 0 && last ? fixOf(last.verdict) : null
  return [
    ...(standing.secretLost ? [{ kind: 'secret_lost' } as const] : []),
    ...(skipUntil ? [{ kind: 'left_alone', until: skipUntil } as const] : []),
    ...(fix !== null && last ? [{ kind: 'failing', verdict: last.verdict, fix } as const] : []),
    ...(lastCheckedAt === null ? [{ kind: 'untried' } as const] : []),
  ]
}

function adviceFor(trouble: Trouble): string {
  switch (trouble.kind) {
    case 'deactivated':
      return 'The organization is deactivated, so it gets no requests for quote: contact the operator of this service.'
    case 'nobody_answers':
      return 'You get no requests for quote yet: register an agent card, or let Souk quote with your rules (set_agent_integration with is_managed: true, then set_pricing_rules).'
    case 'secret_lost':
      return 'Its secret can no longer be read: enter it again on the dashboard.'
    case 'left_alone':
      return `It failed many times in a row and gets no requests until ${trouble.until.toISOString()}.`
    case 'failing':
      return trouble.fix
    case 'untried':
      return 'It has not answered a request yet: test it with run_test: true.'
  }
}

export type AttemptSummary = {
  /** Those that ended with an answer or without one: not what was withdrawn, skipped or tried again. */
  asked: number
  answered: number
  /** Of those that answered; null when none did. */
  medianMs: number | null
}

const NOT_COUNTED: ReadonlySet<AttemptVerdict> = new Set(['retry', 'skipped', 'canceled'])

export function summarizeAttempts(
  attempts: ReadonlyArray<Pick<LastAttempt, 'verdict' | 'ms'>>,
): AttemptSummary {
  const asked = attempts.filter(({ verdict }) => !NOT_COUNTED.has(verdict))
  const answered = asked.filter(({ verdict }) => !isFailure(verdict))
  const times = answered.flatMap(({ ms }) => (ms === null ? [] : [ms])).sort((a, b) => a - b)
  const [low, high] = [times[(times.length - 1) >> 1], times[times.length >> 1]]
  const medianMs = low === undefined || high === undefined ? null : Math.round((low + high) / 2)
  return { asked: asked.length, answered: answered.length, medianMs }
}
