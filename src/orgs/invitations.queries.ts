/** SQL of invitations. An open one is neither accepted nor revoked; one that has run out stays open until replaced. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { OrgRole } from './orgs.schema.ts'

export type NewInvitation = {
  id: string
  orgId: string
  email: string
  emailKey: string
  role: OrgRole
  tokenHash: string
  invitedBy: string | null
  now: Date
  expiresAt: Date
}

export async function insertInvitation(db: Db, invitation: NewInvitation): Promise<void> {
  await db
    .insertInto('org_invitations')
    .values({
      id: invitation.id,
      org_id: invitation.orgId,
      email: invitation.email,
      email_key: invitation.emailKey,
      role: invitation.role,
      token_hash: invitation.tokenHash,
      invited_by: invitation.invitedBy,
      created_at: invitation.now,
      expires_at: invitation.expiresAt,
      accepted_at: null,
      revoked_at: null,
    })
    .execute()
}

export type OpenInvitation = { id: string; email: string; role: OrgRole; expiresAt: Date }

export async function findOpenInvitation(
  db: Db,
  orgId: string,
  emailKey: string,
): Promise<OpenInvitation | null> {
  const { rows } = await sql<OpenInvitation>`
    select id, email, role, expires_at as "expiresAt" from org_invitations
    where org_id = ${orgId} and email_key = ${emailKey} and accepted_at is null and revoked_at is null`.execute(
    db,
  )
  return rows[0] ?? null
}

export async function listLiveInvitations(db: Db, orgId: string, now: Date): Promise<OpenInvitation[]> {
  const { rows } = await sql<OpenInvitation>`
    select id, email, role, expires_at as "expiresAt" from org_invitations
    where org_id = ${orgId} and accepted_at is null and revoked_at is null and expires_at > ${now}
    order by created_at, id`.execute(db)
  return rows
}

export async function revokeInvitation(db: Db, id: string, now: Date): Promise<void> {
  await sql`
    update org_invitations set revoked_at = ${now}
    where id = ${id} and accepted_at is null and revoked_at is null`.execute(db)
}

/** What somebody may no longer give, they no longer have given. How many were taken back. */
export async function revokeInvitationsBy(
  db: Db,
  { orgId, userId, roles, now }: { orgId: string; userId: string; roles: readonly OrgRole[]; now: Date },
): Promise<number> {
  const { numAffectedRows } = await sql`
    update org_invitations set revoked_at = ${now}
    where org_id = ${orgId} and invited_by = ${userId} and role = any(${roles})
      and accepted_at is null and revoked_at is null`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** False when it was used, revoked or ran out meanwhile. */
export async function acceptOpenInvitation(db: Db, id: string, now: Date): Promise<boolean> {
  const { rows } = await sql`
    update org_invitations set accepted_at = ${now}
    where id = ${id} and accepted_at is null and revoked_at is null and expires_at > ${now}
    returning 1`.execute(db)
  return rows.length === 1
}

/** Members and those invited. */
export async function countTeam(db: Db, orgId: string, now: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from org_members where org_id = ${orgId})
      + (select count(*) from org_invitations
         where org_id = ${orgId} and accepted_at is null and revoked_at is null and expires_at > ${now}) as count`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

export type InvitationRow = {
  id: string
  orgId: string
  email: string
  emailKey: string
  role: OrgRole
  expiresAt: Date
  acceptedAt: Date | null
  revokedAt: Date | null
  orgName: string
  /** Only when it is proved. */
  orgDomain: string | null
  inviterName: string | null
  inviterEmail: string | null
  inviterDeactivated: boolean
}

export async function findInvitationByToken(db: Db, tokenHash: string): Promise<InvitationRow | null> {
  const { rows } = await sql<InvitationRow>`
    select i.id, i.org_id as "orgId", i.email, i.email_key as "emailKey", i.role, i.expires_at as "expiresAt",
      i.accepted_at as "acceptedAt", i.revoked_at as "revokedAt", o.name as "orgName",
      case when o.verification_status = 'verified' then o.domain end as "orgDomain",
      u.name as "inviterName", u.email as "inviterEmail",
      u.deactivated_at is not null as "inviterDeactivated"
    from org_invitations i join orgs o on o.id = i.org_id left join users u on u.id = i.invited_by
    where i.token_hash = ${tokenHash}`.execute(db)
  return rows[0] ?? null
}
