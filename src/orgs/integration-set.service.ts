/**
 * Setting how an organization answers requests for quotes without ever handling a secret: whoever asks here (a model) is
 * not to be told one. An agent that authenticates with a secret can be moved within its origin, under the secret that
 * is kept sealed: a model that was talked into it must not have the secret sent elsewhere, be it within the domain. When
 * there is none to keep, nothing at all is changed, and a person enters it on the dashboard.
 */
import { AppError } from '../lib/errors.ts'
import { requireOwnCardHost, requireRfqCard } from './agent-card.ts'
import type { OrgsContext } from './context.ts'
import { clearCard, findIntegration, moveCard, saveCard, saveIntegration } from './integration.queries.ts'
import type { AuthType } from './integration.schema.ts'
import { openBox, UNREACHABLE_AFTER } from './integration-health.service.ts'
import { boundTo, type Deed, type Producer, recordDeed, requireProducer } from './producer.ts'

/** What is absent stays as it is. */
export type IntegrationWish = {
  isManaged?: boolean
  /** Null takes the card away. */
  agentCardUrl?: string | null
  authType?: AuthType
}

/** `keeps`: the address that the secret belongs to, null when there is no secret. */
type Card = { agentCardUrl: string; authType: AuthType; keeps: string | null }
type Plan = { card: Card | null; clear: boolean; isManaged: boolean | undefined }

export async function setIntegration(
  ctx: OrgsContext,
  deed: Deed,
  wish: IntegrationWish,
): Promise<{ needsSecret: boolean }> {
  const { org } = await requireProducer(ctx, deed.caller, 'manage')
  const card = await cardOf(ctx, org.id, wish)
  if (card === 'needs_secret') return { needsSecret: true }
  if (card) {
    requireOwnCardHost(org, card.agentCardUrl)
    await requireRfqCard(ctx.outbound, card.agentCardUrl)
  }
  return ctx.db.transaction().execute(async (tx) => {
    const producer = await requireProducer({ db: tx }, boundTo(deed.caller, org.id), 'manage')
    const plan = { card, clear: wish.agentCardUrl === null, isManaged: wish.isManaged }
    return { needsSecret: !(await carryOut({ ...ctx, db: tx }, { producer, deed }, plan)) }
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
    throw new AppError('invalid', 'auth_type: goes with a card, and agent_card_url null takes it away', {
      field: 'auth_type',
    })
  }
  if (agentCardUrl === undefined && authType === undefined) return null
  const stored = await findIntegration(ctx.db, orgId)
  const url = agentCardUrl ?? stored?.agentCardUrl
  if (!url)
    throw new AppError('invalid', 'agent_card_url: is required, because no card is registered yet', {
      field: 'agent_card_url',
    })
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
  { producer, deed }: { producer: Producer; deed: Deed },
  { card, clear, isManaged }: Plan,
): Promise<boolean> {
  const [orgId, at] = [producer.org.id, ctx.clock.now()]
  if (card) {
    requireOwnCardHost(producer.org, card.agentCardUrl)
    const { keeps, ...to } = card
    if (keeps === null) await saveCard(ctx.db, { ...to, orgId, secretBox: null, at })
    else if (!(await moveCard(ctx.db, { ...to, from: keeps, orgId, at }))) return false
    await recordDeed(ctx.db, { producer, deed, at }, 'integration.card_registered', {
      card_host: new URL(card.agentCardUrl).host,
      auth_type: card.authType,
    })
  }
  // A card that is set ends being managed by itself.
  const switched = isManaged !== undefined && !(card && !isManaged)
  if (switched)
    await saveIntegration(ctx.db, { orgId, isManaged, unreachableAfter: UNREACHABLE_AFTER, at }, undefined)
  if (clear) await clearCard(ctx.db, orgId)
  if (switched || clear)
    await recordDeed(ctx.db, { producer, deed, at }, 'integration.changed', {
      is_managed: isManaged ?? 'kept',
      managed_rules: 'kept',
      agent_card: clear ? 'cleared' : 'kept',
    })
  return true
}
