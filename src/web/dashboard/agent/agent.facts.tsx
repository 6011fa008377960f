/**
 * An organization's integration in words. What is kept of an agent's health outlives a switch to managed answering and
 * back, so each fact is said of whom it is true: of the card, or of who answers now.
 */
import type { AuthType, Integration } from '../../../orgs/integration.schema.ts'
import { Moment } from '../../components/moment.tsx'
import { formatMs } from '../attempts/readable.ts'

export const AUTH_WORDS: Record<AuthType, string> = {
  none: 'Not at all: requests carry no proof',
  bearer: 'A bearer token, sent with each request',
  hmac: 'An HMAC signature over each request',
}

export function Facts({ integration }: { integration: Integration }) {
  const { isManaged, agentCardUrl, authType, lastCheckedAt, lastResponseMs } = integration
  return (
    <table class="specs">
      <caption class="hidden">The integration as it is</caption>
      <tbody>
        <tr>
          <th scope="row">Who answers</th>
          <td>{whoAnswers(integration)}</td>
        </tr>
        <tr>
          <th scope="row">Status</th>
          <td>{statusWords(integration)}</td>
        </tr>
        <tr>
          <th scope="row">Agent card</th>
          <td>
            {agentCardUrl ?? 'None'}
            {agentCardUrl !== null && isManaged && ' (kept, but not asked)'}
          </td>
        </tr>
        {agentCardUrl !== null && (
          <>
            <tr>
              <th scope="row">Proof that it is us</th>
              <td>{AUTH_WORDS[authType]}</td>
            </tr>
            <tr>
              <th scope="row">Last request to it</th>
              <td>
                {lastCheckedAt === null ? 'None yet' : <Moment at={lastCheckedAt} />}
                {lastResponseMs !== null && `; its last answer took ${formatMs(lastResponseMs)}`}
              </td>
            </tr>
          </>
        )}
      </tbody>
    </table>
  )
}

function whoAnswers({ isManaged, agentCardUrl }: Integration): string {
  if (isManaged) return 'Souk, by your pricing rules (managed)'
  return agentCardUrl === null ? 'Nobody' : 'Your own agent'
}

function statusWords({ isManaged, agentCardUrl, status }: Integration): string {
  if (!isManaged && agentCardUrl === null)
    return 'Not set up: you are not asked until you register a card or let Souk answer'
  if (status === 'active') return 'Active'
  if (status === 'pending') return 'Pending: your agent becomes active with its first valid answer'
  return 'Unreachable: the last requests failed. Your agent is still asked, but ranks lower until it answers again'
}
