/** An integration by the names of the interface, for every face that shows it. Never a secret. */
import type { Integration } from './integration.schema.ts'

export function integrationWire(found: Integration) {
  return {
    is_managed: found.isManaged,
    managed_rules: found.managedRules,
    agent_card_url: found.agentCardUrl,
    auth_type: found.authType,
    status: found.status,
    last_response_ms: found.lastResponseMs,
    last_checked_at: found.lastCheckedAt?.toISOString() ?? null,
  }
}
