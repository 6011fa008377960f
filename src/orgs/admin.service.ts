/**
 * What the operator does with organizations, on the pages and on the command line. Each action is in the organization's
 * history as theirs.
 */
import type { By } from '../accounts/admin.service.ts'
import { type AuditActor, recordAudit } from '../accounts/audit.service.ts'
import type { Visit } from '../accounts/context.ts'
import type { Db } from '../db/database.ts'
import { withinTime } from '../db/within-time.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError, notFound } from '../lib/errors.ts'
import { idsOf, isUuid } from '../lib/ids.ts'
import type { OrgHooks } from './context.ts'
import { parseDomain } from './domain.ts'
import { listMembers, type Member } from './members.queries.ts'
import {
  countOrgThings,
  findOrgById,
  findOrgs,
  findOrgsByDomain,
  findOrgsOfPeople,
  listOrgs,
  lockOrg,
  type OrgCounts,
  type OrgState,
  type PersonOrg,
  updateOrg,
} from './orgs.queries.ts'
import type { Org } from './orgs.schema.ts'
import { conflictIfTaken, markUnproved, markVerified } from './verification.service.ts'

type OperatorContext = { db: Db; clock: Clock; orgHooks: OrgHooks }

const LISTED = 1_000
const COMMAND_LINE: By = { actor: { kind: 'operator', id: null } }
const ORGS_PAGE = 50
export const ORG_STATES: readonly OrgState[] = ['verified', 'pending', 'deactivated']

export type { OrgState, PersonOrg }

/** The oldest first, a thousand at most. */
export async function listOrganizations(ctx: Pick<OperatorContext, 'db'>): Promise<Org[]> {
  return listOrgs(ctx.db, LISTED)
}

export type OrgLine = Org & OrgCounts

const TOO_LONG = { message: 'the search took too long; enter more of the name' }
const NOTHING: OrgCounts = { members: 0, products: 0, offers: 0 }

/** Newest first; `next` is where the following page begins. */
export async function findOrganizations(
  ctx: Pick<OperatorContext, 'db'>,
  asked: { search: string | null; state: OrgState | null; before: string | null; limit?: number },
): Promise<{ orgs: OrgLine[]; next: string | null }> {
  const { limit = ORGS_PAGE } = asked
  const beforeId = asked.before !== null && isUuid(asked.before) ? asked.before : null
  return withinTime(ctx.db, TOO_LONG, async (tx) => {
    const found = await findOrgs(tx, { ...asked, beforeId, limit: limit + 1 })
    const page = found.slice(0, limit)
    const counts = await countOrgThings(tx, idsOf(page))
    const orgs = page.map((org) => ({ ...org, ...(counts.get(org.id) ?? NOTHING) }))
    return { orgs, next: found.length > limit ? (page.at(-1)?.id ?? null) : null }
  })
}

/** Null for an unknown id. */
export async function findOrganization(
  ctx: Pick<OperatorContext, 'db'>,
  id: string,
): Promise<{ org: OrgLine; team: Member[] } | null> {
  if (!isUuid(id)) return null
  return withinTime(ctx.db, TOO_LONG, async (tx) => {
    const org = await findOrgById(tx, id)
    if (!org) return null
    const counts = (await countOrgThings(tx, [id])).get(id) ?? NOTHING
    return { org: { ...org, ...counts }, team: await listMembers(tx, id) }
  })
}

/** In the organization's own history: it sees who looked at what of it. */
export function recordSupportView(
  ctx: Pick<OperatorContext, 'db' | 'clock'>,
  { by: actor, visit, orgId, page }: { by: AuditActor; visit: Visit; orgId: string; page: string },
): Promise<void> {
  const at = ctx.clock.now()
  return recordAudit(ctx.db, { actor, visit, orgId, at, action: 'org.support_viewed', detail: { page } })
}

/** For a list of people, in one question. */
export async function organizationsOf(
  ctx: Pick<OperatorContext, 'db'>,
  userIds: string[],
): Promise<Map<string, PersonOrg[]>> {
  return Map.groupBy(await findOrgsOfPeople(ctx.db, userIds), ({ userId }) => userId)
}

type Verified = { org: Org; several?: undefined } | { org?: undefined; several: Org[] }

/** `which` is a domain or an organization's id. When several claim the domain it takes the id: they are returned. */
export async function verifyOrg(
  ctx: OperatorContext,
  which: string,
  by: By = COMMAND_LINE,
): Promise<Verified> {
  const candidates = isUuid(which) ? [await requireOrg(ctx, which)] : await claimants(ctx, which)
  const [org] = candidates
  if (!org || candidates.length > 1) return { several: candidates }
  const { domain } = org
  if (domain === null) throw new AppError('conflict', `${org.name} has no domain to verify`)
  await conflictIfTaken(domain, () =>
    ctx.db.transaction().execute(async (tx) => {
      const now = await lockOrg(tx, org.id)
      if (now?.domain !== domain) throw new AppError('conflict', 'its domain was just changed')
      if (now.verificationStatus === 'verified')
        throw new AppError('conflict', `${org.name} is already verified for ${domain}`)
      const at = ctx.clock.now()
      await markVerified(tx, ctx.orgHooks, { org, via: 'operator', at })
      await record(tx, by, org.id, 'org.verified', at, { domain, via: 'operator' })
    }),
  )
  return { org }
}

/** For a domain that changed hands, or that somebody proved who had no business to: then its owner can prove it. */
export async function unverifyOrg(ctx: OperatorContext, id: string, by: By = COMMAND_LINE): Promise<Org> {
  await requireOrg(ctx, id)
  return ctx.db.transaction().execute(async (tx) => {
    const org = await lockOrg(tx, id)
    if (!org) throw noSuchOrg(id)
    if (org.verificationStatus !== 'verified') throw new AppError('conflict', `${org.name} is not verified`)
    const at = ctx.clock.now()
    await markUnproved(tx, ctx.orgHooks, { orgId: id, at })
    await ctx.orgHooks.changed(tx, id, at)
    await record(tx, by, id, 'org.unverified', at, { domain: org.domain })
    return org
  })
}

async function claimants(ctx: OperatorContext, given: string): Promise<Org[]> {
  const { domain, problem } = parseDomain(given)
  if (domain === undefined) throw new AppError('invalid', `"${given}" ${problem}, or an organization's id`)
  const claiming = await findOrgsByDomain(ctx.db, domain)
  const verified = claiming.find(({ verificationStatus }) => verificationStatus === 'verified')
  if (verified)
    throw new AppError('conflict', `${domain} is already verified for ${verified.name} (${verified.id})`)
  if (claiming.length === 0) throw new AppError('not_found', `no organization claims ${domain}`)
  return claiming
}

/** Its people read on and write nothing; link tokens are not revoked, so that all works again when it is reactivated. */
export async function deactivateOrg(
  ctx: OperatorContext,
  id: string,
  by: By = COMMAND_LINE,
): Promise<{ org: Org; changed: boolean }> {
  return setActive(ctx, id, by, false)
}

export async function reactivateOrg(
  ctx: OperatorContext,
  id: string,
  by: By = COMMAND_LINE,
): Promise<{ org: Org; changed: boolean }> {
  return setActive(ctx, id, by, true)
}

async function setActive(ctx: OperatorContext, id: string, by: By, active: boolean) {
  await requireOrg(ctx, id)
  return ctx.db.transaction().execute(async (tx) => {
    const org = await lockOrg(tx, id)
    if (!org) throw noSuchOrg(id)
    if ((org.deactivatedAt === null) === active) return { org, changed: false }
    const at = ctx.clock.now()
    await updateOrg(tx, id, { deactivatedAt: active ? null : at }, at)
    await record(tx, by, id, active ? 'org.reactivated' : 'org.deactivated', at)
    await ctx.orgHooks.changed(tx, id, at)
    return { org, changed: true }
  })
}

async function record(tx: Db, by: By, orgId: string, action: string, at: Date, detail = {}): Promise<void> {
  await recordAudit(tx, { ...by, action, at, orgId, detail })
}

async function requireOrg(ctx: Pick<OperatorContext, 'db'>, id: string): Promise<Org> {
  const org = isUuid(id) ? await findOrgById(ctx.db, id) : null
  if (!org) throw noSuchOrg(id)
  return org
}

function noSuchOrg(id: string): AppError {
  return notFound(`no organization has the id ${id}`)
}
