/** What an organization's people see and change of it, and which of their organizations a session acts for. */
import type { SessionActor } from '../accounts/actor.ts'
import { wireOf } from '../lib/entity.ts'
import { conflict, notFound } from '../lib/errors.ts'
import { isUuid } from '../lib/ids.ts'
import type { OrgsContext } from './context.ts'
import { membershipsOf, selectOrg } from './members.queries.ts'
import { type OrgChange, updateOrg } from './orgs.queries.ts'
import type { EditBody, Org, OrgRole } from './orgs.schema.ts'
import { type Pending, whyPending } from './pending.ts'
import {
  type Act,
  type Caller,
  type Doing,
  lockManaged,
  recordAction,
  requireProducer,
  together,
} from './producer.ts'
import { lastRename, type Rename, requestRename, withdrawRename } from './renames.service.ts'
import { markUnproved } from './verification.service.ts'

export type OrgView = {
  org: Org
  /** Null for a link token. */
  role: OrgRole | null
  /** A new name that waits for the operator, or was declined; null without one. */
  rename: Rename | null
  /** Why it is not verified; null when it is. */
  pending: Pending | null
  organizations: Array<{ orgId: string; name: string; role: OrgRole | null; selected: boolean }>
}

export async function viewOrg(ctx: OrgsContext, caller: Caller): Promise<OrgView> {
  const { org, role } = await requireProducer(ctx, caller, 'read')
  const rename = await lastRename(ctx, org.id)
  const pending = await whyPending(ctx.db, org)
  const memberships =
    caller.kind === 'link_token'
      ? [{ orgId: org.id, name: org.name, role }]
      : await membershipsOf(ctx.db, caller.user.id)
  const organizations = memberships.map((one) => ({ ...one, selected: one.orgId === org.id }))
  return { org, role, rename, pending, organizations }
}

/** `pendingName`: what it asked to be called and waits for the operator's approval. */
type EditedOrg = { org: Org; pendingName: string | null; pending: Pending | null }

/**
 * A new domain is a new claim: what was proved for the old one is no longer, and an agent that lived there is not asked.
 * While the organization is verified, a new name waits for the operator; asking for the name it has withdraws that.
 */
export async function editOrg(ctx: OrgsContext, act: Act, input: EditBody): Promise<EditedOrg> {
  return together(ctx, async (inTx) => {
    const producer = await lockManaged(inTx, act.caller)
    const { org } = producer
    const at = ctx.clock.now()
    const asked = changesOf(org, input)
    const { name, ...rest } = asked
    const doing = { producer, act, at }
    const waits = org.verificationStatus === 'verified' && rest.domain === undefined
    if (name !== undefined && waits) await requestRename(inTx.db, doing, name)
    const change = waits ? rest : asked
    const changed = Object.keys(change)
    if (changed.length > 0) await applyChange(ctx, inTx, doing, org, change)
    if (input.name !== undefined && (name === undefined || !waits)) await withdrawRename(inTx.db, doing)
    const rename = await lastRename(inTx, org.id)
    const pendingName = rename?.status === 'pending' ? rename.name : null
    const { org: edited } = await requireProducer(inTx, act.caller, 'manage')
    return { org: edited, pendingName, pending: await whyPending(inTx.db, edited) }
  })
}

async function applyChange(
  ctx: OrgsContext,
  inTx: OrgsContext,
  doing: Doing,
  org: Org,
  change: OrgChange,
): Promise<void> {
  const { at } = doing
  if (change.orgType !== undefined && org.verificationStatus === 'verified')
    throw conflict('org_type cannot be changed once the organization is verified', { field: 'org_type' })
  // Before it is changed: a verified domain belongs to one organization, at every moment.
  if (change.domain !== undefined) await markUnproved(inTx.db, ctx.orgHooks, { orgId: org.id, at })
  await updateOrg(inTx.db, org.id, change, at)
  const named = wireOf(change, Object.keys(change) as Array<keyof OrgChange>)
  await recordAction(inTx.db, doing, 'org.edited', { changed: Object.keys(named), ...named })
  await ctx.orgHooks.changed(inTx.db, org.id, at)
}

/** Only what is given and differs. */
function changesOf(org: Org, input: EditBody): OrgChange {
  const { name, org_type: orgType, domain, website_url: websiteUrl, shopify_shop: shopifyShop } = input
  const asked = Object.entries({ name, orgType, domain, websiteUrl, shopifyShop })
  return Object.fromEntries(
    asked.filter(([key, value]) => value !== undefined && value !== org[key as keyof Org]),
  )
}

export async function selectOrganization(
  ctx: OrgsContext,
  caller: SessionActor,
  orgId: string,
): Promise<void> {
  const { sessionId, user } = caller
  if (isUuid(orgId) && (await selectOrg(ctx.db, { sessionId, userId: user.id, orgId }))) return
  throw notFound('you belong to no organization with this org_id')
}
