/**
 * What can be wrong with an organization as a whole, and with what it proposed that is not in the catalog. Within a severity, issues come in the order of these tables.
 */
import { counted } from '../lib/words.ts'
import { day, type OrgRule, type SubmissionRule } from './issue-rule.ts'

const PROVE_DOMAIN =
  'An owner or admin: POST /api/org/verify-domain/ gives you the DNS record or file to publish, and checks it.'

export const ORG_RULES: readonly OrgRule[] = [
  {
    id: 'organization_deactivated',
    severity: 'critical',
    fix: 'Ask the operator of this service to activate the organization.',
    find: ({ deactivated }) =>
      deactivated
        ? 'The organization is deactivated: its offers are hidden and it gets no requests for quote.'
        : null,
  },
  {
    id: 'agent_circuit_open',
    severity: 'critical',
    fix: 'Fix your agent, then get_agent_integration with run_test; or set_agent_integration with is_managed true.',
    find: ({ integration: { isManaged, hasCard, skipUntil, failuresInARow } }, now) =>
      !isManaged && hasCard && skipUntil !== null && skipUntil > now
        ? `Your agent failed ${failuresInARow} times in a row and gets no requests for quote right now.`
        : null,
  },
  {
    id: 'domain_missing',
    severity: 'error',
    fix: `An owner or admin: set a domain with PATCH /api/org/, then verify it. ${PROVE_DOMAIN}`,
    find: ({ domain }) =>
      domain === null ? 'The organization has no domain, so only an operator can verify its claims.' : null,
  },
  {
    id: 'domain_unverified',
    severity: 'error',
    fix: PROVE_DOMAIN,
    find: ({ domain, verified }) =>
      domain !== null && !verified
        ? 'The domain is not verified: claims wait, and buyers see an unverified organization.'
        : null,
  },
  {
    id: 'no_rfq_answer',
    severity: 'error',
    fix: 'set_agent_integration: is_managed true to let Souk quote with your rules, or agent_card_url for your own agent.',
    find: ({ integration: { isManaged, hasCard } }) =>
      isManaged || hasCard
        ? null
        : "You don't answer requests for quote: set up managed pricing or an agent.",
  },
  {
    id: 'agent_unreachable',
    severity: 'error',
    fix: 'get_agent_integration shows the last answers and what was wrong; run_test sends your agent a test request.',
    find: ({ integration: { isManaged, hasCard, status, failuresInARow } }) =>
      !isManaged && hasCard && status === 'unreachable'
        ? `Your agent gave no valid answer ${counted(failuresInARow, 'time')} in a row, which lowers your rank.`
        : null,
  },
  {
    id: 'no_products',
    severity: 'warning',
    fix: 'claim_product for products in the catalog, submit_product or import_products for others.',
    find: ({ products }) => (products === 0 ? 'The organization has not claimed any products.' : null),
  },
  {
    id: 'email_unverified',
    severity: 'warning',
    fix: 'Open the link in your sign-up email, or send it again from your account page.',
    find: ({ emailVerified }) => (emailVerified ? null : 'Your email is not confirmed.'),
  },
  {
    id: 'agent_untested',
    severity: 'suggestion',
    fix: 'get_agent_integration with run_test.',
    find: ({ integration: { isManaged, hasCard, status } }) =>
      !isManaged && hasCard && status === 'pending' ? 'Your agent has not answered a request yet.' : null,
  },
]

export const SUBMISSION_RULES: readonly SubmissionRule[] = [
  {
    id: 'submission_rejected',
    severity: 'warning',
    fix: "submit_product again with the reviewer's changes; or claim_product if the catalog already has it.",
    find: ({ at, note }) => ({ message: `The product you proposed was rejected on ${day(at)}.`, note }),
  },
]
