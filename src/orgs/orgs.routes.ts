/**
 * The organization's own routes (interface 2.8, 4 and 7; more in decisions "Contact points"). Who calls is decided
 * first, then the body is read, then the service decides what they may: 401, 400, 403 or 404, in this order.
 */
import type { Hono } from 'hono'
import { readJson } from '../http/body.ts'
import type { HttpEnv } from '../http/env.ts'
import { parseInput } from '../lib/validate.ts'
import type { OrgsContext } from './context.ts'
import { AuditQuery } from './history.schema.ts'
import { listHistory } from './history.service.ts'
import { mountLinkTokens } from './link-tokens.routes.ts'
import { editOrg, type OrgView, selectOrganization, viewOrg } from './org.service.ts'
import { EditBody, RegisterBody, SelectBody } from './orgs.input.ts'
import type { Org, OrgRegistered } from './orgs.schema.ts'
import { isStuck, pendingOnWire } from './pending.ts'
import type { ProducerDoor } from './producer.http.ts'
import { registerOrg } from './register.service.ts'
import { mountTeam } from './team.routes.ts'
import { verifyDomain } from './verification.service.ts'

export function mountOrgs(app: Hono<HttpEnv>, ctx: OrgsContext, door: ProducerDoor): void {
  app.post('/api/org/register', async (c) => {
    const deed = await door.sessionOnly(c)
    const registered = await registerOrg(ctx, deed, await readJson(c, RegisterBody))
    const { orgId, verificationStatus, skippedVerification, pending } = registered
    const answer: OrgRegistered = {
      org_id: orgId,
      verification_status: verificationStatus,
      skipped_verification: skippedVerification,
      ...pendingOnWire(pending),
    }
    return c.json(answer, 201)
  })

  app.get('/api/org', async (c) => {
    const { caller } = await door.sessionOrBearer(c)
    return c.json(viewOnWire(await viewOrg(ctx, caller)))
  })

  app.patch('/api/org', async (c) => {
    const deed = await door.sessionOrBearer(c)
    const { org, pendingName, pending } = await editOrg(ctx, deed, await readJson(c, EditBody))
    return c.json({
      ok: true,
      verification_status: org.verificationStatus,
      ...(isStuck(pending) && pendingOnWire(pending)),
      ...(pendingName !== null && { pending_name: pendingName }),
    })
  })

  app.post('/api/org/select', async (c) => {
    const { caller } = await door.sessionOnly(c)
    const { org_id: orgId } = await readJson(c, SelectBody)
    await selectOrganization(ctx, caller, orgId)
    return c.json({ ok: true })
  })

  app.post('/api/org/verify-domain', async (c) => {
    const found = await verifyDomain(ctx, await door.sessionOrBearer(c))
    return c.json({
      verification_status: found.verificationStatus,
      dns_record: found.dnsRecord,
      file_url: found.fileUrl,
      file_body: found.fileBody,
      checked: found.checked,
    })
  })

  app.get('/api/org/audit', async (c) => {
    const { caller } = await door.sessionOrBearer(c)
    const { entries, next } = await listHistory(ctx, caller, parseInput(AuditQuery, c.req.query()))
    return c.json({
      entries: entries.map(({ id, at, actor, name, action, detail }) => ({
        id,
        at: at.toISOString(),
        actor: { ...actor, ...(name !== null && { name }) },
        action,
        detail,
      })),
      ...(next !== null && { next }),
    })
  })

  mountLinkTokens(app, ctx, door)
  mountTeam(app, ctx, door)
}

function viewOnWire({ org, role, rename, pending, organizations }: OrgView) {
  return {
    ...orgOnWire(org),
    ...pendingOnWire(pending),
    ...(rename?.status === 'pending' && { pending_name: rename.name }),
    role,
    organizations: organizations.map(({ orgId, name, role, selected }) => {
      return { org_id: orgId, name, role, selected }
    }),
  }
}

function orgOnWire(org: Org) {
  return {
    org_id: org.id,
    name: org.name,
    org_type: org.orgType,
    domain: org.domain,
    website_url: org.websiteUrl,
    shopify_shop: org.shopifyShop,
    verification_status: org.verificationStatus,
    verified_via: org.verifiedVia,
    verified_at: org.verifiedAt?.toISOString() ?? null,
    active: org.deactivatedAt === null,
    created_at: org.createdAt.toISOString(),
  }
}
