/**
 * SQL of who belongs to which organization or is invited to, and of the two things elsewhere that follow from it: a
 * person's account type and the organization their sessions have selected.
 */
import { sql } from 'kysely'
import { insertRows, type NewRow, type Row, selected } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { all, changed, count, exists, map, one, run, value } from '../db/rows.ts'
import type { OrgRole } from './orgs.schema.ts'

type LockedPerson = { id: string; email: string; emailKey: string; emailVerified: boolean }

/** Before the organization; see lockOrg. "No key": rows that only point to the person need not wait. */
export function lockPerson(db: Db, by: { userId: string } | { emailKey: string }) {
  const which = 'userId' in by ? sql`id = ${by.userId}` : sql`email_key = ${by.emailKey}`
  return one<LockedPerson>(db)`
    select id, email, email_key as "emailKey", email_verified_at is not null as "emailVerified"
    from users where ${which} for no key update`
}

type Membership = { orgId: string; name: string; role: OrgRole; joinedAt: Date }

/** Newest first, as the default is chosen. */
export function membershipsOf(db: Db, userId: string) {
  return all<Membership>(db)`
    select m.org_id as "orgId", o.name, m.role, m.created_at as "joinedAt"
    from org_members m join orgs o on o.id = m.org_id
    where m.user_id = ${userId} order by m.created_at desc, m.org_id desc`
}

export function countOwned(db: Db, userId: string) {
  return count(db)`
    select count(*) as count from org_members where user_id = ${userId} and role = 'owner'`
}

/** False when they belong to it already; their role then stays. */
export function insertMember(
  db: Db,
  { orgId, userId, role, now }: { orgId: string; userId: string; role: OrgRole; now: Date },
) {
  return exists(db)`
    insert into org_members (org_id, user_id, role, created_at) values (${orgId}, ${userId}, ${role}, ${now})
    on conflict (org_id, user_id) do nothing returning 1`
}

export function findRole(db: Db, orgId: string, userId: string) {
  return value<OrgRole>(db)`
    select role from org_members where org_id = ${orgId} and user_id = ${userId}`
}

export function updateRole(db: Db, orgId: string, userId: string, role: OrgRole) {
  return run(db)`
    update org_members set role = ${role} where org_id = ${orgId} and user_id = ${userId}`
}

export async function deleteMember(db: Db, orgId: string, userId: string): Promise<void> {
  await run(db)`delete from org_members where org_id = ${orgId} and user_id = ${userId}`
  await run(db)`
    update sessions set selected_org_id = null
    where user_id = ${userId} and selected_org_id = ${orgId}`
}

/**
 * With the organization locked, or the answer is old at once. Whose account is deactivated counts for nobody: an
 * organization that was left to them would have nobody who can act for it.
 */
export function hasOtherOwner(db: Db, orgId: string, userId: string) {
  return exists(db)`
    select 1 from org_members m join users u on u.id = m.user_id
    where m.org_id = ${orgId} and m.role = 'owner' and m.user_id <> ${userId} and u.deactivated_at is null
    limit 1`
}

export function longestServingAdmin(db: Db, orgId: string) {
  return value<string>(db)`
    select m.user_id as "userId" from org_members m join users u on u.id = m.user_id
    where m.org_id = ${orgId} and m.role = 'admin' and u.deactivated_at is null
    order by m.created_at, m.user_id limit 1`
}

export type Member = { userId: string; email: string; name: string; role: OrgRole; joinedAt: Date }

export function listMembers(db: Db, orgId: string) {
  return all<Member>(db)`
    select u.id as "userId", u.email, u.name, m.role, m.created_at as "joinedAt"
    from org_members m join users u on u.id = m.user_id
    where m.org_id = ${orgId}
    order by array_position(array['owner', 'admin', 'editor', 'viewer'], m.role), m.created_at, u.id`
}

/** A producer is who belongs to an organization (interface 5, decisions "Accounts"). With the person locked. */
export function alignAccountType(db: Db, userId: string, now: Date) {
  return run(db)`
    update users set account_type = wanted.type, updated_at = ${now}
    from (select case when exists (select 1 from org_members where user_id = ${userId})
      then 'producer' else 'consumer' end as type) wanted
    where id = ${userId} and account_type <> wanted.type`
}

/** False when the session has ended, or the person does not belong to the organization. */
export function selectOrg(
  db: Db,
  { sessionId, userId, orgId }: { sessionId: string; userId: string; orgId: string },
) {
  return exists(db)`
    update sessions set selected_org_id = ${orgId}
    where id = ${sessionId} and user_id = ${userId}
      and exists (select 1 from org_members where org_id = ${orgId} and user_id = ${userId})
    returning 1`
}

/** Current members only: people who left or deleted their account are just an id. */
export function memberNames(db: Db, orgId: string, ids: string[]) {
  return map<string, string>(db)`
    select u.id, u.name from org_members m join users u on u.id = m.user_id
    where m.org_id = ${orgId} and m.user_id = any(${ids}) and u.name <> ''`
}

export function insertInvitation(db: Db, invitation: NewRow<'org_invitations'>): Promise<void> {
  return insertRows(db, 'org_invitations', [invitation])
}

/** Neither accepted nor revoked; one that has run out stays open until replaced. */
const OPEN = sql`accepted_at is null and revoked_at is null`

export type OpenInvitation = Pick<Row<'org_invitations'>, 'id' | 'email' | 'role' | 'expiresAt'>

export function findOpenInvitation(db: Db, orgId: string, emailKey: string) {
  return one<OpenInvitation>(db)`
    select id, email, role, expires_at as "expiresAt" from org_invitations
    where org_id = ${orgId} and email_key = ${emailKey} and ${OPEN}`
}

export function listLiveInvitations(db: Db, orgId: string, now: Date) {
  return all<OpenInvitation>(db)`
    select id, email, role, expires_at as "expiresAt" from org_invitations
    where org_id = ${orgId} and ${OPEN} and expires_at > ${now}
    order by created_at, id`
}

export function revokeInvitation(db: Db, id: string, now: Date) {
  return run(db)`
    update org_invitations set revoked_at = ${now}
    where id = ${id} and ${OPEN}`
}

/** What somebody may no longer give, they no longer have given. How many were taken back. */
export function revokeInvitationsBy(
  db: Db,
  { orgId, userId, roles, now }: { orgId: string; userId: string; roles: readonly OrgRole[]; now: Date },
) {
  return changed(db)`
    update org_invitations set revoked_at = ${now}
    where org_id = ${orgId} and invited_by = ${userId} and role = any(${roles})
      and ${OPEN}`
}

/** False when it was used, revoked or ran out meanwhile. */
export function acceptOpenInvitation(db: Db, id: string, now: Date) {
  return exists(db)`
    update org_invitations set accepted_at = ${now}
    where id = ${id} and ${OPEN} and expires_at > ${now}
    returning 1`
}

/** Members and those invited. */
export function countTeam(db: Db, orgId: string, now: Date) {
  return count(db)`
    select (select count(*) from org_members where org_id = ${orgId})
      + (select count(*) from org_invitations
         where org_id = ${orgId} and ${OPEN} and expires_at > ${now}) as count`
}

const INVITATION = [
  'id',
  'orgId',
  'email',
  'emailKey',
  'role',
  'expiresAt',
  'acceptedAt',
  'revokedAt',
] as const
export type InvitationRow = Pick<Row<'org_invitations'>, (typeof INVITATION)[number]> & {
  orgName: string
  /** Only when it is proved. */
  orgDomain: string | null
  inviterName: string | null
  inviterEmail: string | null
  inviterDeactivated: boolean
}

export function findInvitationByToken(db: Db, tokenHash: string) {
  return one<InvitationRow>(db)`
    select ${selected(INVITATION, 'i')}, o.name as "orgName",
      case when o.verification_status = 'verified' then o.domain end as "orgDomain",
      u.name as "inviterName", u.email as "inviterEmail",
      u.deactivated_at is not null as "inviterDeactivated"
    from org_invitations i join orgs o on o.id = i.org_id left join users u on u.id = i.invited_by
    where i.token_hash = ${tokenHash}`
}
