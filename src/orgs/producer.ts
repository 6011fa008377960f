/**
 * Which organization a caller acts for, and whether they may. One rule for REST, tools and pages: who they are comes
 * first (401), what they ask second (400), what they may third (403, 404); so this is called by services, with the
 * transaction of the action, after the input was read. A change of role or a revoked token waits for actions under way.
 */
import type { AccessTokenActor, Actor, LinkTokenActor, SessionActor } from '../accounts/actor.ts'
import { type AuditActor, auditActor, recordAudits } from '../accounts/audit.service.ts'
import type { Visit } from '../accounts/context.ts'
import type { Db } from '../db/database.ts'
import { type AppError, conflict, forbidden, notFound, unauthenticated } from '../lib/errors.ts'
import type { OrgsContext } from './context.ts'
import { lockOrg } from './orgs.queries.ts'
import type { Org, OrgRole } from './orgs.schema.ts'
import {
  type ActingOrg,
  findActingOrg,
  findMemberOrg,
  findTokenOrg,
  type OrgChoice,
} from './producer.queries.ts'

export type { ActingOrg }

/** Anybody who may turn out to act for an organization. */
export type Caller =
  /**
   * `onlyOrgId`: what they do is meant for that organization and no other. `known`: what was read of it for the same
   * answer, so that more is read without looking again. A write looks again.
   */
  (SessionActor & { onlyOrgId?: string; known?: Membership }) | AccessTokenActor | LinkTokenActor

type Membership = { org: Org; role: OrgRole }

/** Who asks for an action, and from where. */
export type Act = { caller: Caller; visit: Visit }

/**
 * `read`: every member, of a deactivated organization too. `oversee`: reading that is for owners and admins. `edit`:
 * offers, relationships and enrichment. `manage`: what is left to owners and admins. A link token has the rights of an
 * editor.
 */
export type Right = 'read' | 'oversee' | 'edit' | 'manage'

export type Producer = {
  org: Org
  /** Null for a link token. */
  role: OrgRole | null
  by: AuditActor
}

const ALLOWED: Record<Right, readonly OrgRole[]> = {
  read: ['owner', 'admin', 'editor', 'viewer'],
  oversee: ['owner', 'admin'],
  edit: ['owner', 'admin', 'editor'],
  manage: ['owner', 'admin'],
}

export function hasRight(role: OrgRole, right: Right): boolean {
  return ALLOWED[right].includes(role)
}

/** What a link token may do. */
export const LINK_TOKEN_ROLE: OrgRole = 'editor'

const WRITES: ReadonlySet<Right> = new Set(['edit', 'manage'])

type RequireOptions = {
  absent?: 'not_a_producer' | 'not_found'
  /** A link token may do this one thing beyond an editor's rights, because the contract says so (interface 4.5, 4.6). */
  orLinkToken?: boolean
}

export async function requireProducer(
  ctx: { db: Db },
  caller: Caller,
  right: Right,
  { absent = 'not_a_producer', orLinkToken = false }: RequireOptions = {},
): Promise<Producer> {
  const found = await findOrg(ctx.db, caller, WRITES.has(right))
  if (!found) throw noOrg(caller, absent)
  const { org, role } = found
  if (WRITES.has(right) && org.deactivatedAt !== null)
    throw forbidden(`${org.name} is deactivated; contact the operator of this service`, 'org_deactivated')
  if (!hasRight(role ?? LINK_TOKEN_ROLE, right) && !(role === null && orLinkToken))
    throw role === null ? notForLinkTokens() : notAllowed(right, role)
  return { org, role, by: auditActor(caller) }
}

async function findOrg(
  db: Db,
  caller: Caller,
  hold: boolean,
): Promise<{ org: Org; role: OrgRole | null } | null> {
  if (caller.kind === 'link_token') {
    const org = await findTokenOrg(db, { tokenId: caller.tokenId, hold })
    return org && { org, role: null }
  }
  if (!hold && caller.kind === 'session' && caller.known && caller.known.org.id === caller.onlyOrgId)
    return caller.known
  return findMemberOrg(db, { userId: caller.user.id, ...chosenOrg(caller), hold })
}

/**
 * A session goes on with another organization when its own is gone: the person sees which. A token does not: an agent
 * was allowed to act for one organization, and would not notice that it writes to another.
 */
export function chosenOrg(caller: Exclude<Caller, LinkTokenActor>): Omit<OrgChoice, 'userId'> {
  if (caller.kind === 'access_token')
    return { orgId: caller.selectedOrgId, elseNewest: caller.selectedOrgId === null }
  const { selectedOrgId, onlyOrgId } = caller
  return { orgId: onlyOrgId ?? selectedOrgId, elseNewest: onlyOrgId === undefined }
}

/**
 * The caller for the rest of what was begun for this organization: when they leave it meanwhile, what they asked for is
 * refused and not done to another one of theirs.
 */
export function boundTo(caller: Caller, orgId: string): Caller {
  if (caller.kind === 'session') return { ...caller, onlyOrgId: orgId }
  return caller.kind === 'access_token' ? { ...caller, selectedOrgId: orgId } : caller
}

function noOrg(caller: Caller, absent: 'not_a_producer' | 'not_found'): AppError {
  if (caller.kind === 'link_token') return unknownCaller()
  if (caller.kind === 'access_token' && caller.selectedOrgId !== null)
    return forbidden(
      'you no longer belong to the organization that this agent was connected for; reconnect the agent to act for another organization',
      'not_a_producer',
    )
  if (caller.kind === 'session' && caller.onlyOrgId !== undefined)
    return conflict('you no longer belong to this organization; nothing was changed')
  return absent === 'not_found'
    ? notFound('you have no organization; register one first')
    : forbidden('this needs a producer account: register or join an organization', 'not_a_producer')
}

function notAllowed(right: Right, role: OrgRole): AppError {
  return right !== 'edit'
    ? forbidden(
        `only an owner or admin of the organization can do this; you are ${role}`,
        'not_owner_or_admin',
      )
    : forbidden(`your role (${role}) is read-only; ask an owner or admin to make you an editor`)
}

function notForLinkTokens(): AppError {
  return forbidden(
    'link tokens have editor rights; an owner or admin of the organization has to sign in to do this',
    'not_owner_or_admin',
  )
}

export function unknownCaller(): AppError {
  return unauthenticated('sign in, or send a link token: Authorization: Bearer <LINK_TOKEN>')
}

/** The caller if it is anybody; else 401. */
export function requireCaller(actor: Actor): Caller {
  if (actor.kind === 'anonymous') throw unknownCaller()
  return actor
}

/** A action under way: by whom, for which organization, from where and when. */
export type Doing = {
  producer: { org: Pick<Org, 'id'>; by: AuditActor }
  act: Pick<Act, 'visit'>
  at: Date
}

/** The record of a producer's action, in its transaction and in the organization's own history. */
export async function recordAction(
  tx: Db,
  doing: Doing,
  action: string,
  detail: Record<string, unknown> = {},
): Promise<void> {
  await recordActions(tx, doing, [{ action, detail }])
}

/** Many at once, in the order given. */
export async function recordActions(
  tx: Db,
  { producer, act, at }: Doing,
  actions: ReadonlyArray<{ action: string; detail: Record<string, unknown> }>,
): Promise<void> {
  const entry = { actor: producer.by, at, orgId: producer.org.id, visit: act.visit }
  await recordAudits(
    tx,
    actions.map((one) => ({ ...entry, ...one })),
  )
}

/** For what only a person may do: no guard of such a route lets another caller through. */
export function bySession<Context, Input, Result>(
  run: (ctx: Context, act: Act & { caller: SessionActor }, input: Input) => Promise<Result>,
): (ctx: Context, act: Act, input: Input) => Promise<Result> {
  return (ctx, { caller, visit }, input) => {
    if (caller.kind !== 'session') throw unknownCaller()
    return run(ctx, { caller, visit }, input)
  }
}

/** All of it or nothing. */
export function together<T>(ctx: OrgsContext, work: (inTx: OrgsContext) => Promise<T>): Promise<T> {
  return ctx.db.transaction().execute((tx) => work({ ...ctx, db: tx }))
}

/**
 * The organization the caller manages, locked before the right is looked at: what is done to an organization itself
 * happens one after the other, so that two never judge by what the other is about to change (two owners who demote each
 * other leave one). `inTx` is a transaction that holds no organization yet.
 */
export async function lockManaged(
  inTx: OrgsContext,
  caller: Caller,
  options: { orLinkToken?: boolean } = {},
): Promise<Producer> {
  const { org } = await requireProducer(inTx, caller, 'read')
  await lockOrg(inTx.db, org.id)
  const producer = await requireProducer(inTx, caller, 'manage', options)
  if (producer.org.id !== org.id) throw conflict(`you no longer belong to ${org.name}; nothing was changed`)
  return producer
}

/**
 * Which of their organizations a person acts for right now, by the same choice as every action: for a person who is about
 * to let an app act for it, and a model that may believe it works for another one. Null for somebody who acts for none.
 */
export async function actingOrg(
  ctx: { db: Db },
  actor: SessionActor | AccessTokenActor,
): Promise<ActingOrg | null> {
  return findActingOrg(ctx.db, { userId: actor.user.id, ...chosenOrg(actor) })
}

/** Its name, when the person belongs to several; who has one need not be told. */
export async function actingFor(ctx: { db: Db }, actor: AccessTokenActor): Promise<string | null> {
  const acting = await actingOrg(ctx, actor)
  return acting?.several ? acting.name : null
}
