/**
 * How an organization answers requests for quote: by an agent of its own, whose card it registers, or by rules the
 * service applies for it. A card is checked and fetched outside of any transaction; the change is then made in one that
 * holds the organization and asks everything again that may have changed meanwhile.
 */
import { recordAudit } from '../accounts/audit.service.ts'
import type { Db } from '../db/database.ts'
import { type Resealed, resealColumn, type SealedColumn } from '../db/reseal.ts'
import { invalid } from '../lib/errors.ts'
import { requireOwnCardHost, requireRfqCard } from './agent-card.ts'
import type { OrgsContext } from './context.ts'
import {
  clearCard,
  findIntegration,
  moveCard,
  saveCard,
  saveIntegration,
  saveVolumeDiscounts,
} from './integration.queries.ts'
import {
  type AuthType,
  type CardRegistration,
  INTEGRATION_KEYS,
  type Integration,
  type IntegrationChange,
  NO_INTEGRATION,
  type VolumeDiscount,
  withoutPrivateRules,
} from './integration.schema.ts'
import { openBox, UNREACHABLE_AFTER } from './integration-health.service.ts'
import {
  type Act,
  boundTo,
  type Doing,
  lockManaged,
  type Producer,
  recordAction,
  requireProducer,
} from './producer.ts'

/** Interface 4.5: bearer callers need no role here. */
const BEARER_EXEMPT = { absent: 'not_found', orLinkToken: true } as const

export async function registerAgentCard(
  ctx: OrgsContext,
  act: Act,
  { agentCardUrl, secret }: CardRegistration,
): Promise<void> {
  const asked = await requireProducer(ctx, act.caller, 'manage', BEARER_EXEMPT)
  requireOwnCardHost(asked.org, agentCardUrl)
  await requireRfqCard(ctx.outbound, agentCardUrl)
  await ctx.db.transaction().execute(async (tx) => {
    const caller = boundTo(act.caller, asked.org.id)
    const producer = await requireProducer({ db: tx }, caller, 'manage', BEARER_EXEMPT)
    requireOwnCardHost(producer.org, agentCardUrl)
    const at = ctx.clock.now()
    const authType = secret?.type ?? 'none'
    const secretBox = secret && ctx.integrationSecrets.seal(secret.secret)
    await saveCard(tx, { orgId: producer.org.id, agentCardUrl, authType, secretBox, at })
    await recordCard(tx, { producer, act, at }, { agentCardUrl, authType })
  })
}

/** The host alone: a path or query may be something the producer does not show around. */
async function recordCard(
  tx: Db,
  doing: Doing,
  { agentCardUrl, authType }: { agentCardUrl: string; authType: AuthType },
): Promise<void> {
  const detail = { card_host: new URL(agentCardUrl).host, auth_type: authType }
  await recordAction(tx, doing, 'integration.card_registered', detail)
}

export async function getIntegration(
  ctx: Pick<OrgsContext, 'db'>,
  act: Pick<Act, 'caller'>,
): Promise<Integration> {
  const { org } = await requireProducer(ctx, act.caller, 'read')
  return shownIntegration(ctx.db, org.id)
}

async function shownIntegration(db: Db, orgId: string): Promise<Integration> {
  const found: Integration = (await findIntegration(db, orgId)) ?? NO_INTEGRATION
  const shown = Object.fromEntries(INTEGRATION_KEYS.map((key) => [key, found[key]])) as Integration
  return { ...shown, managedRules: shown.managedRules && withoutPrivateRules(shown.managedRules) }
}

/**
 * Managed is active at once: the service answers. When that ends, what was counted of the organization's own agent
 * holds again: a change is no way to clear its failures, and one that touches only rules leaves its status alone.
 */
export async function changeIntegration(
  ctx: Pick<OrgsContext, 'db' | 'clock'>,
  act: Act,
  change: IntegrationChange,
): Promise<void> {
  const { isManaged, managedRules } = change
  await ctx.db.transaction().execute(async (tx) => {
    const producer = await requireProducer({ db: tx }, act.caller, 'manage', { orLinkToken: true })
    const orgId = producer.org.id
    const at = ctx.clock.now()
    const rules = managedRules && withoutPrivateRules(managedRules)
    await saveIntegration(tx, { orgId, isManaged, unreachableAfter: UNREACHABLE_AFTER, at }, rules)
    if (change.clearCard) await clearCard(tx, orgId)
    await recordAction(tx, { producer, act, at }, 'integration.changed', {
      is_managed: isManaged,
      managed_rules: rules === undefined ? 'kept' : rules === null ? 'cleared' : 'set',
      agent_card: change.clearCard ? 'cleared' : 'kept',
    })
  })
}

/**
 * The tiers of the managed rules alone; null takes them away. Whether the service answers by them stays as it is. False when
 * they are so already. The caller has checked the right, in the same transaction, and records it.
 */
export function keepVolumeDiscounts(
  tx: Db,
  change: { orgId: string; tiers: readonly VolumeDiscount[] | null; at: Date },
): Promise<boolean> {
  return saveVolumeDiscounts(tx, change)
}

/** What is absent stays as it is. */
type IntegrationWish = {
  isManaged?: boolean
  /** Null takes the card away. */
  agentCardUrl?: string | null
  authType?: AuthType
}

/** `keeps`: the address that the secret belongs to, null when there is no secret. */
type Card = { agentCardUrl: string; authType: AuthType; keeps: string | null }
type Plan = { card: Card | null; clear: boolean; isManaged: boolean | undefined; before: Integration }

/**
 * For who is not to be told a secret (a model). An agent that authenticates with one can be moved within its origin, under
 * the secret that is kept sealed: a model that was talked into it must not have the secret sent elsewhere, be it within
 * the domain. Without a stored secret nothing is changed, and a person enters it on the dashboard.
 */
export async function setIntegration(
  ctx: OrgsContext,
  act: Act,
  wish: IntegrationWish,
): Promise<{ needsSecret: boolean; before: Integration }> {
  const { org } = await requireProducer(ctx, act.caller, 'manage')
  const card = await cardOf(ctx, org.id, wish)
  if (card === 'needs_secret') return { needsSecret: true, before: await shownIntegration(ctx.db, org.id) }
  if (card) {
    requireOwnCardHost(org, card.agentCardUrl)
    await requireRfqCard(ctx.outbound, card.agentCardUrl)
  }
  return ctx.db.transaction().execute(async (tx) => {
    // Locked, because what is changed depends on what was there.
    const producer = await lockManaged({ ...ctx, db: tx }, boundTo(act.caller, org.id))
    const plan = { card, clear: wish.agentCardUrl === null, isManaged: wish.isManaged }
    const before = await shownIntegration(tx, org.id)
    return {
      needsSecret: !(await carryOut({ ...ctx, db: tx }, { producer, act }, { ...plan, before })),
      before,
    }
  })
}

/** The card to be set, null when none is. A way to authenticate that is not named stays the one that was. */
async function cardOf(
  ctx: OrgsContext,
  orgId: string,
  { agentCardUrl, authType }: IntegrationWish,
): Promise<Card | null | 'needs_secret'> {
  if (agentCardUrl === null) {
    if (authType === undefined || authType === 'none') return null
    throw invalid('auth_type', 'auth_type: needs a card, and agent_card_url null removes it')
  }
  if (agentCardUrl === undefined && authType === undefined) return null
  const stored = await findIntegration(ctx.db, orgId)
  const url = agentCardUrl ?? stored?.agentCardUrl
  if (!url) throw invalid('agent_card_url', 'agent_card_url: is required because no card is registered yet')
  const type = authType ?? stored?.authType ?? 'none'
  if (type === 'none') return { agentCardUrl: url, authType: type, keeps: null }
  if (!stored || stored.authType !== type || stored.agentCardUrl === null || stored.secretBox === null)
    return 'needs_secret'
  const kept = sameOrigin(stored.agentCardUrl, url) && openBox(ctx, stored.secretBox)
  return kept ? { agentCardUrl: url, authType: type, keeps: stored.agentCardUrl } : 'needs_secret'
}

function sameOrigin(one: string, other: string): boolean {
  return new URL(one).origin === new URL(other).origin
}

/** False, and nothing done, when the secret that was to be kept has gone or moved meanwhile. */
async function carryOut(
  ctx: OrgsContext,
  { producer, act }: { producer: Producer; act: Act },
  { card, clear: clears, isManaged, before }: Plan,
): Promise<boolean> {
  const [orgId, at] = [producer.org.id, ctx.clock.now()]
  if (card) {
    requireOwnCardHost(producer.org, card.agentCardUrl)
    const { keeps, ...to } = card
    if (keeps === null) await saveCard(ctx.db, { ...to, orgId, secretBox: null, at })
    else if (!(await moveCard(ctx.db, { ...to, from: keeps, orgId, at }))) return false
    await recordCard(ctx.db, { producer, act, at }, card)
  }
  // What is so already is not done again. A card that is set ends being managed by itself.
  const clear = clears && before.agentCardUrl !== null
  const switched = isManaged !== undefined && (card ? isManaged : isManaged !== before.isManaged)
  if (switched)
    await saveIntegration(ctx.db, { orgId, isManaged, unreachableAfter: UNREACHABLE_AFTER, at }, undefined)
  if (clear) await clearCard(ctx.db, orgId)
  if (switched || clear)
    await recordAction(ctx.db, { producer, act, at }, 'integration.changed', {
      is_managed: isManaged ?? 'kept',
      managed_rules: 'kept',
      agent_card: clear ? 'cleared' : 'kept',
    })
  return true
}

/** Where producers' bearer tokens and HMAC secrets are sealed. */
export const INTEGRATION_SECRETS: SealedColumn = {
  table: 'agent_integrations',
  column: 'secret_box',
  key: ['org_id'],
  purpose: 'integration',
}

/**
 * Their rotation (see db/reseal). A box whose key is gone cannot be helped: it is counted in `lost`, which names
 * organizations, and its producer must register the card again.
 */
export async function resealSecrets(
  ctx: Pick<OrgsContext, 'db' | 'clock' | 'integrationSecrets'>,
  options: { batch?: number } = {},
): Promise<Resealed> {
  const done = await resealColumn(ctx.db, INTEGRATION_SECRETS, ctx.integrationSecrets, options)
  await recordAudit(ctx.db, {
    actor: { kind: 'operator', id: null },
    action: 'integration.secrets_resealed',
    at: ctx.clock.now(),
    detail: { resealed: done.resealed, lost: done.lost.length },
  })
  return done
}
