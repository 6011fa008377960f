/** An integration by the names of the interface (2.8), as zod and as the function that writes it. Never a secret. */
import { z } from 'zod'
import { AUTH_TYPES, INTEGRATION_STATUSES, type Integration } from './integration.schema.ts'
import type { UcpResult } from './ucp.service.ts'

export const AgentIntegration = z
  .object({
    is_managed: z.boolean().describe('Whether the service answers requests for quotes by the managed rules'),
    managed_rules: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('As they were given, without what only the producer may know; null when there are none'),
    agent_card_url: z.string().nullable().describe("Card of the organization's own agent"),
    auth_type: z.enum(AUTH_TYPES).describe('How the service proves itself to that agent'),
    status: z
      .enum(INTEGRATION_STATUSES)
      .describe('`pending` until the first good answer; `unreachable` after three failures in a row'),
    last_response_ms: z.number().nullable().describe('How long the last answer took'),
    last_checked_at: z.iso.datetime().nullable().describe('When the agent was last asked'),
  })
  .meta({ id: 'AgentIntegration', description: 'How an organization answers requests for quotes' })
export type AgentIntegration = z.output<typeof AgentIntegration>

export const CardRegistered = z
  .object({
    ok: z.boolean().describe('True: it is registered'),
    validated: z.boolean().describe('True: the card was fetched and declares the skill'),
  })
  .meta({ id: 'AgentCardRegistered', description: 'The card was read and is registered' })
export type CardRegistered = z.output<typeof CardRegistered>

export const UcpCheck = z
  .object({
    ucp_supported: z.boolean().describe('Whether a UCP profile was found'),
    profile_url: z.string().nullable().describe('Where it was found'),
    checkout_endpoint: z.string().nullable().describe('Where a checkout begins, when the profile names it'),
  })
  .meta({ id: 'UcpCheck', description: "Whether the organization's shop speaks UCP" })
export type UcpCheck = z.output<typeof UcpCheck>

export function integrationWire(found: Integration): AgentIntegration {
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

export function ucpCheckWire({ supported, profileUrl, checkoutEndpoint }: UcpResult): UcpCheck {
  return { ucp_supported: supported, profile_url: profileUrl, checkout_endpoint: checkoutEndpoint }
}
