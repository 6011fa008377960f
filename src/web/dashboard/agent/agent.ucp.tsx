/** Whether the organization's shop speaks UCP: what the last look found, and a button to look again. */
import type { LastUcpCheck } from '../../../orgs/ucp.service.ts'
import { Moment } from '../../components/moment.tsx'
import { sentence } from '../../format.ts'
import { Panel, State } from '../../kit/parts.tsx'
import { ActionForm, type Visitor } from '../page.tsx'
import { AGENT_PATH, ORGANIZATION_PATH } from '../paths.ts'

export const UCP_PATH = `${AGENT_PATH}/ucp`

export function UcpPanel({ visitor, check }: { visitor: Visitor; check: LastUcpCheck | null }) {
  const { org } = visitor
  const checkable = (org.domain === null || org.verificationStatus === 'verified') && hasSomewhere(visitor)
  return (
    <Panel
      title="Checkout by agents (UCP)"
      id="ucp"
      lead="A shop that publishes a UCP profile can be bought from by agents that speak the protocol. Souk looks for the profile at your domain, then at your Shopify shop."
    >
      {check === null ? (
        <p class="soft">It was not looked for yet.</p>
      ) : (
        <>
          <p class="line">
            <State tone={check.supported ? 'good' : 'quiet'}>
              {check.supported ? 'Profile found' : 'No profile found'}
            </State>
            <span class="soft">
              Looked for on <Moment at={check.checkedAt} />
            </span>
          </p>
          <ul class="rows">
            {check.probes.map(({ url, outcome }) => (
              <li>
                {url ?? 'Your Shopify shop'}
                <span class="row-note">{sentence(outcome)}</span>
              </li>
            ))}
          </ul>
          {check.checkoutEndpoint !== null && <p>Checkout at {check.checkoutEndpoint}</p>}
        </>
      )}
      {visitor.may('edit') && !checkable && (
        <p>
          First prove the domain of your shop. <a href={ORGANIZATION_PATH}>Profile and domain</a>
        </p>
      )}
      {visitor.may('edit') && checkable && (
        <ActionForm
          visitor={visitor}
          action={UCP_PATH}
          label={check === null ? 'Look for it' : 'Look again'}
          kind="plain"
        />
      )}
    </Panel>
  )
}

function hasSomewhere({ org }: Visitor): boolean {
  return org.domain !== null || org.shopifyShop !== null
}
