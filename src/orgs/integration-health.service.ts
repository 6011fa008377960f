/**
 * What the RFQ engine reads about producers' agents, and how their health follows from their answers (interface 3.3): a
 * valid answer makes an agent active, three failures in a row unreachable, and after ten it is left alone for a minute.
 * An unreachable one is still asked. Managed organizations have no agent that could fail. An organization is told by
 * email when its agent becomes unreachable, once a day at most.
 */
import { isoDay } from '../lib/clock.ts'
import { notifyAll } from '../notices/notices.service.ts'
import type { OrgsContext } from './context.ts'
import {
  type CountedAnswer,
  countAnswers,
  findActiveIntegrations,
  type Health,
  type StoredIntegration,
} from './integration.queries.ts'
import { withoutPrivateRules } from './integration.schema.ts'

export const UNREACHABLE_AFTER = 3
const SKIP_AFTER = 10
const SKIP_MS = 60_000

export type RfqAnswer = Pick<CountedAnswer, 'orgId' | 'ok' | 'ms' | 'at'> & {
  /** The card that was asked by: an answer of an agent that was replaced meanwhile says nothing about the new one. */
  cardUrl?: string
}

/** The health after it; null when the organization is managed, has no card, or no longer this one. */
export async function recordAnswer(ctx: Pick<OrgsContext, 'db'>, answer: RfqAnswer): Promise<Health | null> {
  return (await recordAnswers(ctx, [answer])).get(answer.orgId) ?? null
}

/** Many at once, by organization; of several answers of one, each counts, in the order given. */
export async function recordAnswers(
  ctx: Pick<OrgsContext, 'db'>,
  answers: readonly RfqAnswer[],
): Promise<Map<string, Health>> {
  const health = new Map<string, Health>()
  for (const round of inRounds(answers)) {
    const counted = await countAnswers(ctx.db, round.map(asCounted), {
      unreachableAfter: UNREACHABLE_AFTER,
      skipAfter: SKIP_AFTER,
    })
    for (const { orgId, ...after } of counted) health.set(orgId, after)
    await noticeSilent(ctx, counted, round)
  }
  return health
}

/** Failures are counted one by one, so an outage passes this number once. */
async function noticeSilent(
  { db }: Pick<OrgsContext, 'db'>,
  counted: ReadonlyArray<Health & { orgId: string }>,
  answers: readonly RfqAnswer[],
): Promise<void> {
  const at = new Map(answers.map((answer) => [answer.orgId, answer.at]))
  const silent = counted.filter(({ failuresInARow }) => failuresInARow === UNREACHABLE_AFTER)
  await notifyAll(
    db,
    silent.flatMap(({ orgId, failuresInARow: failures }) => {
      const since = at.get(orgId)
      if (!since) return []
      const key = `${orgId} ${isoDay(since)}`
      return [{ kind: 'agent_silent', orgId, key, at: since, payload: { failures } } as const]
    }),
  )
}

/** Each round has one answer of an organization at most: a statement changes a row once. */
function inRounds(answers: readonly RfqAnswer[]): RfqAnswer[][] {
  const rounds: RfqAnswer[][] = []
  const seen = new Map<string, number>()
  for (const answer of answers) {
    const round = seen.get(answer.orgId) ?? 0
    seen.set(answer.orgId, round + 1)
    const members = rounds[round] ?? []
    members.push(answer)
    rounds[round] = members
  }
  return rounds
}

function asCounted({ orgId, ok, ms, at, cardUrl }: RfqAnswer): CountedAnswer {
  const skipUntil = new Date(at.getTime() + SKIP_MS)
  return { orgId, cardUrl: cardUrl ?? null, ok, ms: ms === null ? null : Math.round(ms), at, skipUntil }
}

export type RfqIntegration = Omit<StoredIntegration, 'secretBox' | 'lastResponseMs' | 'lastCheckedAt'> & {
  /** Opened; never to be logged or shown. Null with `authType` none, and when the box cannot be opened. */
  secret: string | null
  /** Sealed with a key that is no longer configured: the agent cannot be asked until its producer sets a new one. */
  secretLost: boolean
}

/** By organization; deactivated ones, and those that have configured nothing, are left out. */
export async function findIntegrations(
  ctx: Pick<OrgsContext, 'db' | 'log' | 'integrationSecrets'>,
  orgIds: readonly string[],
): Promise<Map<string, RfqIntegration>> {
  if (orgIds.length === 0) return new Map()
  const rows = await findActiveIntegrations(ctx.db, orgIds)
  const found = rows.map(({ secretBox, lastResponseMs: _, lastCheckedAt: __, ...row }): RfqIntegration => {
    const secret = secretBox === null ? null : openBox(ctx, secretBox)
    return {
      ...row,
      managedRules: row.managedRules && withoutPrivateRules(row.managedRules),
      secret,
      secretLost: secretBox !== null && secret === null,
    }
  })
  const lost = found.filter((integration) => integration.secretLost).map(({ orgId }) => orgId)
  if (lost.length > 0) ctx.log.warn({ orgs: lost }, 'secrets sealed with a key that is not in SOUK_SECRET')
  return new Map(found.map((integration) => [integration.orgId, integration]))
}

/** Null when it cannot be opened. */
export function openBox(ctx: Pick<OrgsContext, 'integrationSecrets'>, box: string): string | null {
  try {
    return ctx.integrationSecrets.open(box)
  } catch {
    return null
  }
}
