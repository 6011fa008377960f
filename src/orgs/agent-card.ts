/**
 * The card of a producer's own agent. Where it may stand (interface rule 5: under the domain the organization has
 * proved, at a public address) and what it must say (that it answers requests for quotes). Only `skills` is read, which
 * is a list at the top of a card in A2A 0.3 and 1.0 alike, so both are accepted without asking which one it is.
 */
import { isWithinDomain } from '../lib/domains.ts'
import { AppError, forbidden } from '../lib/errors.ts'
import type { Outbound } from '../lib/outbound.ts'
import { checkAddress, type Failure, fetchJson } from './integration-fetch.ts'
import type { Org } from './orgs.schema.ts'

export const RFQ_SKILL = 'respond-to-rfq'

export function requireOwnCardHost(org: Org, agentCardUrl: string): void {
  const { domain, verificationStatus } = org
  if (verificationStatus !== 'verified' || domain === null)
    throw forbidden('the organization has no verified domain yet; verify it first', 'org_unverified')
  const { hostname } = new URL(agentCardUrl)
  if (!isWithinDomain(hostname, domain))
    throw forbidden(
      `the card must be on ${domain} or a subdomain, and ${hostname} is neither`,
      'domain_mismatch',
      { field: 'agent_card_url' },
    )
}

/** Fetches the card once its address has been found public, and holds it to the skill. */
export async function requireRfqCard(outbound: Outbound, agentCardUrl: string): Promise<void> {
  const refused = await checkAddress(outbound, agentCardUrl)
  if (refused) throw unreadable(refused)
  const fetched = await fetchJson(outbound, agentCardUrl)
  if ('problem' in fetched) throw unreadable(fetched)
  const problem = skillProblem(fetched.value)
  if (problem !== null)
    throw new AppError('unprocessable', problem, { code: 'card_lacks_skill', field: 'agent_card_url' })
}

function unreadable({ reason, problem }: Failure): AppError {
  return reason === 'private_address'
    ? new AppError('unprocessable', problem, { code: 'private_address', field: 'agent_card_url' })
    : new AppError('unprocessable', `the card could not be read: ${problem}`, {
        code: 'card_unreachable',
        field: 'agent_card_url',
      })
}

export function declaresSkill(card: unknown, id: string): boolean {
  const skills = fieldOf(card, 'skills')
  return Array.isArray(skills) && skills.some((skill) => fieldOf(skill, 'id') === id)
}

/** What keeps a document from being the card of an agent that answers requests for quotes; null when nothing does. */
export function skillProblem(card: unknown): string | null {
  const skills = fieldOf(card, 'skills')
  if (!Array.isArray(skills)) return `the card has no skills list; it needs a skill with id ${RFQ_SKILL}`
  const found = skills.filter((skill) => fieldOf(skill, 'id') === RFQ_SKILL)
  if (found.length === 0) return `none of the card's skills has the id ${RFQ_SKILL}`
  const described = found.some((skill) => {
    const description = fieldOf(skill, 'description')
    return typeof description === 'string' && description.trim() !== ''
  })
  return described ? null : `the card's skill ${RFQ_SKILL} has no description`
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}
