/**
 * How an organization answers requests for quotes: by an agent of its own, whose card it registers, or by rules the
 * service applies for it. A card is checked and fetched outside of any transaction; the change is then made in one that
 * holds the organization and asks everything again that may have changed meanwhile.
 */
import { requireOwnCardHost, requireRfqCard } from './agent-card.ts'
import type { OrgsContext } from './context.ts'
import {
  clearCard,
  findIntegration,
  saveCard,
  saveIntegration,
  saveVolumeDiscounts,
} from './integration.queries.ts'
import {
  type CardRegistration,
  type Integration,
  type IntegrationChange,
  NO_INTEGRATION,
  type VolumeDiscount,
  withoutPrivateRules,
} from './integration.schema.ts'
import { UNREACHABLE_AFTER } from './integration-health.service.ts'
import { boundTo, type Deed, recordDeed, requireProducer } from './producer.ts'

/** Interface 4.5: bearer callers need no role here. */
const BEARER_EXEMPT = { absent: 'not_found', orLinkToken: true } as const

export async function registerAgentCard(
  ctx: OrgsContext,
  deed: Deed,
  { agentCardUrl, secret }: CardRegistration,
): Promise<void> {
  const asked = await requireProducer(ctx, deed.caller, 'manage', BEARER_EXEMPT)
  requireOwnCardHost(asked.org, agentCardUrl)
  await requireRfqCard(ctx.outbound, agentCardUrl)
  await ctx.db.transaction().execute(async (tx) => {
    const caller = boundTo(deed.caller, asked.org.id)
    const producer = await requireProducer({ db: tx }, caller, 'manage', BEARER_EXEMPT)
    requireOwnCardHost(producer.org, agentCardUrl)
    const at = ctx.clock.now()
    const authType = secret?.type ?? 'none'
    const secretBox = secret && ctx.integrationSecrets.seal(secret.secret)
    await saveCard(tx, { orgId: producer.org.id, agentCardUrl, authType, secretBox, at })
    // The host alone: a path or query may be something the producer does not show around.
    await recordDeed(tx, { producer, deed, at }, 'integration.card_registered', {
      card_host: new URL(agentCardUrl).host,
      auth_type: authType,
    })
  })
}

export async function getIntegration(
  ctx: Pick<OrgsContext, 'db'>,
  deed: Pick<Deed, 'caller'>,
): Promise<Integration> {
  const { org } = await requireProducer(ctx, deed.caller, 'read')
  const found = (await findIntegration(ctx.db, org.id)) ?? NO_INTEGRATION
  const { isManaged, managedRules, agentCardUrl, authType, status, lastResponseMs, lastCheckedAt } = found
  return {
    isManaged,
    managedRules: managedRules && withoutPrivateRules(managedRules),
    agentCardUrl,
    authType,
    status,
    lastResponseMs,
    lastCheckedAt,
  }
}

/**
 * Managed is active at once: the service answers. When that ends, what was counted of the organization's own agent
 * holds again: a change is no way to clear its failures, and one that touches only rules leaves its status alone.
 */
export async function changeIntegration(
  ctx: Pick<OrgsContext, 'db' | 'clock'>,
  deed: Deed,
  change: IntegrationChange,
): Promise<void> {
  const { isManaged, managedRules } = change
  await ctx.db.transaction().execute(async (tx) => {
    const producer = await requireProducer({ db: tx }, deed.caller, 'manage', { orLinkToken: true })
    const orgId = producer.org.id
    const at = ctx.clock.now()
    const rules = managedRules && withoutPrivateRules(managedRules)
    await saveIntegration(tx, { orgId, isManaged, unreachableAfter: UNREACHABLE_AFTER, at }, rules)
    if (change.clearCard) await clearCard(tx, orgId)
    await recordDeed(tx, { producer, deed, at }, 'integration.changed', {
      is_managed: isManaged,
      managed_rules: rules === undefined ? 'kept' : rules === null ? 'cleared' : 'set',
      agent_card: change.clearCard ? 'cleared' : 'kept',
    })
  })
}

/** The tiers of the managed rules alone; null takes them away. Whether the service answers by them stays as it is. */
export async function changeVolumeDiscounts(
  ctx: Pick<OrgsContext, 'db' | 'clock'>,
  deed: Deed,
  tiers: readonly VolumeDiscount[] | null | undefined,
): Promise<boolean> {
  return ctx.db.transaction().execute(async (tx) => {
    const producer = await requireProducer({ db: tx }, deed.caller, 'manage')
    if (tiers === undefined) return false
    const at = ctx.clock.now()
    if (!(await saveVolumeDiscounts(tx, { orgId: producer.org.id, tiers, at }))) return false
    await recordDeed(tx, { producer, deed, at }, 'pricing.changed', { rules: ['volume_discounts'] })
    return true
  })
}
