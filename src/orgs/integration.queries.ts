/** SQL of how organizations answer requests for quotes, and of the last UCP check of each. */
import { sql } from 'kysely'
import { type Row, selected } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { all, exists, hasChanged, one, run } from '../db/rows.ts'
import {
  type AuthType,
  INTEGRATION_KEYS,
  type Integration,
  type ManagedRules,
  type VolumeDiscount,
} from './integration.schema.ts'

const STORED = [...INTEGRATION_KEYS, 'orgId', 'secretBox', 'failuresInARow', 'skipUntil'] as const
export type StoredIntegration = Integration &
  Pick<Row<'agent_integrations'>, 'orgId' | 'secretBox' | 'failuresInARow' | 'skipUntil'>
const COLUMNS = selected(STORED, 'i')

/** Nothing is known of the health of an agent that is new, or gone. */
const HEALTH_UNKNOWN = sql`
  last_response_ms = null, last_checked_at = null, failures_in_a_row = 0, skip_until = null`

export function findIntegration(db: Db, orgId: string) {
  return one<StoredIntegration>(db)`
    select ${COLUMNS} from agent_integrations i where i.org_id = ${orgId}`
}

/** Of those organizations that are active. */
export function findActiveIntegrations(db: Db, orgIds: readonly string[]) {
  return all<StoredIntegration>(db)`
    select ${COLUMNS} from agent_integrations i join orgs o on o.id = i.org_id
    where i.org_id = any(${orgIds}::uuid[]) and o.deactivated_at is null
    order by i.org_id`
}

/** A new card is a new agent. */
export function saveCard(
  db: Db,
  card: { orgId: string; agentCardUrl: string; authType: AuthType; secretBox: string | null; at: Date },
) {
  return run(db)`
    insert into agent_integrations (org_id, agent_card_url, auth_type, secret_box, created_at, updated_at)
    values (${card.orgId}, ${card.agentCardUrl}, ${card.authType}, ${card.secretBox}, ${card.at}, ${card.at})
    on conflict (org_id) do update set
      is_managed = false, agent_card_url = excluded.agent_card_url, auth_type = excluded.auth_type,
      secret_box = excluded.secret_box, status = 'pending', ${HEALTH_UNKNOWN},
      updated_at = excluded.updated_at`
}

/**
 * Another address for the agent that has this way to authenticate; its secret stays sealed as it is. False when there is
 * no such secret, or the agent is no longer where it was said to be. At a new address it is a new agent, as in saveCard.
 */
export function moveCard(
  db: Db,
  card: { orgId: string; from: string; agentCardUrl: string; authType: AuthType; at: Date },
) {
  return hasChanged(db)`
    update agent_integrations set
      is_managed = false, agent_card_url = ${card.agentCardUrl}, status = 'pending', ${HEALTH_UNKNOWN},
      updated_at = ${card.at}
    where org_id = ${card.orgId} and agent_card_url = ${card.from} and auth_type = ${card.authType}
      and secret_box is not null`
}

export async function saveIntegration(
  db: Db,
  change: { orgId: string; isManaged: boolean; unreachableAfter: number; at: Date },
  managedRules: ManagedRules | null | undefined,
): Promise<void> {
  const rules = managedRules ? JSON.stringify(managedRules) : null
  await run(db)`
    insert into agent_integrations (org_id, is_managed, managed_rules, status, created_at, updated_at)
    values (${change.orgId}, ${change.isManaged}, ${rules}::jsonb,
      ${change.isManaged ? 'active' : 'pending'}, ${change.at}, ${change.at})
    on conflict (org_id) do update set
      is_managed = excluded.is_managed, updated_at = excluded.updated_at,
      status = case when excluded.is_managed then 'active'
        when not agent_integrations.is_managed then agent_integrations.status
        when agent_integrations.failures_in_a_row >= ${change.unreachableAfter} then 'unreachable' else 'pending' end,
      managed_rules = case when ${managedRules === undefined} then agent_integrations.managed_rules
        else excluded.managed_rules end`
}

/**
 * The tiers alone: whatever else is kept stays, also what another call is just writing. Null takes them away. False when
 * they are so already.
 */
export async function saveVolumeDiscounts(
  db: Db,
  { orgId, tiers, at }: { orgId: string; tiers: readonly VolumeDiscount[] | null; at: Date },
): Promise<boolean> {
  if (tiers === null) {
    const { rows } = await sql`
      update agent_integrations set managed_rules = managed_rules - 'volume_discounts', updated_at = ${at}
      where org_id = ${orgId} and jsonb_exists(managed_rules, 'volume_discounts') returning 1`.execute(db)
    return rows.length === 1
  }
  return exists(db)`
    insert into agent_integrations (org_id, managed_rules, created_at, updated_at)
    values (${orgId}, ${JSON.stringify({ volume_discounts: tiers })}::jsonb, ${at}, ${at})
    on conflict (org_id) do update set
      managed_rules = coalesce(agent_integrations.managed_rules, '{}') || excluded.managed_rules,
      updated_at = excluded.updated_at
    where agent_integrations.managed_rules->'volume_discounts'
      is distinct from excluded.managed_rules->'volume_discounts'
    returning 1`
}

export function clearCard(db: Db, orgId: string) {
  return run(db)`
    update agent_integrations
    set agent_card_url = null, auth_type = 'none', secret_box = null, ${HEALTH_UNKNOWN},
      status = case when is_managed then status else 'pending' end
    where org_id = ${orgId}`
}

export type Health = Pick<StoredIntegration, 'status' | 'failuresInARow' | 'skipUntil'>

export type CountedAnswer = {
  orgId: string
  /** Null: whichever card it has. */
  cardUrl: string | null
  /** Valid and in time. */
  ok: boolean
  /** Null when there was no answer to time. */
  ms: number | null
  at: Date
  /** Until when it is left alone, if this makes its failures that many. */
  skipUntil: Date
}

/**
 * One statement, so that answers that come together are each counted; at most one of each organization. Rows are locked
 * in one order, or two batches of the same organizations would wait for each other. When answers come out of order, the
 * newest one's time stays.
 */
export function countAnswers(
  db: Db,
  answers: readonly CountedAnswer[],
  { unreachableAfter, skipAfter }: { unreachableAfter: number; skipAfter: number },
) {
  return all<Health & { orgId: string }>(db)`
    with answers as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(answers)}::jsonb)
        as a("orgId" uuid, "cardUrl" text, ok boolean, ms int, at timestamptz, "skipUntil" timestamptz)
    ), locked as (
      -- With what was answered, so that the update finds it by itself: joined once more, a thousand answers would be
      -- looked through a thousand times.
      select i.org_id, a.* from agent_integrations i join answers a on a."orgId" = i.org_id
      order by i.org_id for update of i
    )
    update agent_integrations i set
      status = case when a.ok then 'active'
        when i.failures_in_a_row + 1 >= ${unreachableAfter} then 'unreachable' else i.status end,
      failures_in_a_row = case when a.ok then 0 else i.failures_in_a_row + 1 end,
      skip_until = case when a.ok then null
        when i.failures_in_a_row + 1 >= ${skipAfter} then greatest(i.skip_until, a."skipUntil")
        else i.skip_until end,
      last_response_ms = case when i.last_checked_at > a.at then i.last_response_ms
        else coalesce(a.ms, i.last_response_ms) end,
      last_checked_at = greatest(i.last_checked_at, a.at)
    from locked a
    where i.org_id = a.org_id and not i.is_managed
      and i.agent_card_url = coalesce(a."cardUrl", i.agent_card_url)
    returning ${selected(['orgId', 'status', 'failuresInARow', 'skipUntil'], 'i')}`
}

type UcpCheckRow = {
  orgId: string
  supported: boolean
  profileUrl: string | null
  checkoutEndpoint: string | null
  details: Record<string, unknown>
  at: Date
}

/** When two checks end together, the later one stays. */
export function saveUcpCheck(db: Db, check: UcpCheckRow) {
  return run(db)`
    insert into ucp_checks (org_id, ucp_supported, profile_url, checkout_endpoint, details, checked_at)
    values (${check.orgId}, ${check.supported}, ${check.profileUrl}, ${check.checkoutEndpoint},
      ${JSON.stringify(check.details)}::jsonb, ${check.at})
    on conflict (org_id) do update set
      ucp_supported = excluded.ucp_supported, profile_url = excluded.profile_url,
      checkout_endpoint = excluded.checkout_endpoint, details = excluded.details,
      checked_at = excluded.checked_at
    where ucp_checks.checked_at <= excluded.checked_at`
}

export function findUcpCheck(db: Db, orgId: string) {
  return one<Omit<UcpCheckRow, 'orgId'>>(db)`
    select ucp_supported as supported, profile_url as "profileUrl", checkout_endpoint as "checkoutEndpoint", details,
      checked_at as at
    from ucp_checks where org_id = ${orgId}`
}
