/** How a claim is proved, or what would prove it: in words, before it is made and after. */

import type { ProductProfile } from '../../../catalog/profile.ts'
import { slugOf } from '../../../catalog/profile.ts'
import { type Evidence, proofOf, type RelationshipType } from '../../../catalog/relationships.schema.ts'
import type { Relationship } from '../../../catalog/relationships.service.ts'
import type { Org } from '../../../orgs/orgs.schema.ts'
import { Address } from '../../components/address.tsx'
import { Day } from '../../components/moment.tsx'
import { State } from '../../kit/parts.tsx'
import { claimPath, ORGANIZATION_PATH } from '../paths.ts'
import { CLAIM_WORDS, PROOF_WORDS } from './words.ts'

export function Standing({
  relationship,
  org,
  profile,
  mayEdit,
}: {
  relationship: Relationship
  org: Org
  profile: ProductProfile
  mayEdit: boolean
}) {
  const { type, status, verifiedVia, verifiedAt, createdAt, evidenceUrl } = relationship
  return (
    <div class="claim">
      <h3>{CLAIM_WORDS[type]}</h3>
      <p>
        {status === 'verified' ? (
          <>
            <State tone="good">Proved</State> {verifiedAt && <Day at={verifiedAt} />}
            {verifiedVia !== null && `: ${PROOF_WORDS[verifiedVia]}.`}
          </>
        ) : (
          <>
            <State tone="mixed">Waits for proof</State> since <Day at={createdAt} />
          </>
        )}
      </p>
      {evidenceUrl !== null && (
        <p class="soft">
          Evidence: <Address url={evidenceUrl} />
        </p>
      )}
      {status === 'pending' && (
        <ul class="plain-list">
          <li>
            <ByDomain type={type} org={org} profile={profile} />
          </li>
          <li>
            {evidenceUrl === null
              ? 'Or the operator decides, by a page that shows it. '
              : 'Or the operator decides by your evidence. '}
            {mayEdit && (
              <a href={claimPath(slugOf(profile))}>
                {evidenceUrl === null ? 'Add evidence' : 'Give better evidence'}
              </a>
            )}
          </li>
        </ul>
      )}
    </div>
  )
}

/** Which domain would prove it, and what is missing for that. */
function ByDomain({ type, org, profile }: { type: RelationshipType; org: Org; profile: ProductProfile }) {
  const ways = domainsFor(type, profile)
  if (ways === null) return <>The catalog has no domain for its brand, so a domain cannot prove this.</>
  if (org.domain !== null && org.verificationStatus === 'verified')
    return (
      <>
        Your domain, {org.domain}, is proved, but it is not {ways}.
      </>
    )
  return (
    <>
      {org.domain === null
        ? 'Give your organization a domain and prove it'
        : `Prove your domain, ${org.domain}`}
      : the claim is proved at once if it is {ways}. <a href={ORGANIZATION_PATH}>Prove your domain</a>
    </>
  )
}

/** What will become of each kind of claim, told before it is made. */
export function Outlook({ org, profile }: { org: Org; profile: ProductProfile }) {
  const evidence = evidenceOf(org, profile)
  return (
    <ul class="plain-list">
      {(['sells', 'manufactured_by'] as const).map((type) => {
        const via = proofOf(type, evidence)
        return (
          <li>
            <strong>{CLAIM_WORDS[type]}:</strong>{' '}
            {via === null ? (
              <ByDomain type={type} org={org} profile={profile} />
            ) : (
              `proved at once, because ${PROOF_WORDS[via]}.`
            )}
          </li>
        )
      })}
      <li>What no domain proves, the operator decides by the evidence you give.</li>
    </ul>
  )
}

function evidenceOf(org: Org, profile: ProductProfile): Evidence {
  return {
    orgDomain: org.verificationStatus === 'verified' ? org.domain : null,
    brandDomain: profile.brand?.domain ?? null,
    shopUrls: profile.whereToBuy.map(({ url }) => url),
  }
}

function domainsFor(type: RelationshipType, { brand, whereToBuy }: ProductProfile): string | null {
  const ways = [
    brand?.domain ? `the brand’s, ${brand.domain}` : null,
    type === 'sells' && whereToBuy.length > 0 ? 'that of a shop in its where-to-buy links' : null,
  ].filter((way) => way !== null)
  return ways.length === 0 ? null : ways.join(', or ')
}
