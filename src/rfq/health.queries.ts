/** SQL of how requests for quote are doing: what is under way, and which of the agents they go to do not answer. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

export type RfqFacts = {
  inFlight: number
  oldestAt: Date | null
  agents: number
  unreachable: number
  /** Of the key that signs quotes; null before the first quote. */
  keySince: Date | null
}

/** Served by rfqs_in_flight; there is one integration an organization. */
export async function findRfqFacts(db: Db): Promise<RfqFacts> {
  const { rows } = await sql<RfqFacts>`
    select flight.count as "inFlight", flight.oldest as "oldestAt", agents.count as agents, agents.unreachable,
      (select created_at from signing_keys where retired_at is null) as "keySince"
    from (select count(*) as count, min(created_at) as oldest from rfqs where state = 'submitted') flight,
      (select count(*) as count, count(*) filter (where i.status = 'unreachable') as unreachable
       from agent_integrations i join orgs o on o.id = i.org_id
       where not i.is_managed and i.agent_card_url is not null and o.deactivated_at is null) agents`.execute(
    db,
  )
  return rows[0] ?? { inFlight: 0, oldestAt: null, agents: 0, unreachable: 0, keySince: null }
}
