/** The cells of the list of products: each says how one side of the product stands, and leads to what can be done. */
import type { ProductProfile } from '../../../catalog/profile.ts'
import { isVerified } from '../../../producers/facts.ts'
import type { MyProduct } from '../../../producers/my-products.service.ts'
import { Picture } from '../../components/picture.tsx'
import { countOf, formatCount } from '../../format.ts'
import { State } from '../../kit/parts.tsx'
import { SEVERITY_WORDS } from '../issue-words.ts'
import { changePath, claimPath, newOfferFor, ownProductPath } from '../paths.ts'
import { CLAIM_WORDS, PROFILE_WORDS, READY_WORDS } from './words.ts'

type CellProps = { product: MyProduct; mayEdit: boolean }

export function Named({
  product: { facts },
  profile,
}: {
  product: MyProduct
  profile: ProductProfile | undefined
}) {
  return (
    <span class="product-name">
      {profile && <Picture profile={profile} lazy decorative />}
      <span>
        <a href={ownProductPath(facts.slug)}>{facts.title}</a>
        <span class="row-note">
          {facts.brand ?? 'No brand'}
          {facts.discontinued && ' · Discontinued'}
        </span>
      </span>
    </span>
  )
}

export function Claims({ product: { facts }, mayEdit }: CellProps) {
  const unfounded = facts.relationships.some(
    ({ status, hasEvidence }) => status === 'pending' && !hasEvidence,
  )
  return (
    <span>
      {facts.relationships.map(({ type, status }) => (
        <span class="fact-line">
          <State tone={status === 'verified' ? 'good' : 'mixed'}>
            {CLAIM_WORDS[type]}
            {status === 'pending' && ', waits'}
          </State>
        </span>
      ))}
      {unfounded && mayEdit && (
        <a class="row-note" href={claimPath(facts.slug)}>
          Add evidence<span class="hidden"> for {facts.title}</span>
        </a>
      )}
    </span>
  )
}

export function Profile({ product: { facts }, mayEdit }: CellProps) {
  const { tone, words } = PROFILE_WORDS[facts.verificationStatus]
  return (
    <span>
      <State tone={tone}>{words}</State>
      {facts.verificationStatus === 'base' && isVerified(facts) && mayEdit && (
        <a class="row-note" href={changePath(facts.slug)}>
          Add what you know<span class="hidden"> about {facts.title}</span>
        </a>
      )}
    </span>
  )
}

export function Offers({ product: { facts, offersByStatus }, mayEdit }: CellProps) {
  const { active, draft, paused } = offersByStatus
  const words = [
    active > 0 ? `${active} shown or scheduled` : '',
    draft > 0 ? countOf(draft, 'draft') : '',
    paused > 0 ? `${paused} paused` : '',
  ].filter(Boolean)
  return (
    <span>
      {words.length === 0 ? 'None' : words.map((some) => <span class="fact-line">{some}</span>)}
      {active === 0 && isVerified(facts) && mayEdit && !facts.discontinued && (
        <a class="row-note" href={newOfferFor(facts.slug)}>
          Create one<span class="hidden"> for {facts.title}</span>
        </a>
      )}
    </span>
  )
}

export function Issues({ product: { facts, issues, worst } }: { product: MyProduct }) {
  if (worst === null) return <State tone="good">None</State>
  const { tone, one } = SEVERITY_WORDS[worst]
  return (
    <span>
      <State tone={tone}>{one}</State>
      <a class="row-note" href={`${ownProductPath(facts.slug)}#issues`}>
        {issues === 1 ? 'See how to fix it' : `See how to fix ${formatCount(issues)}`}
        <span class="hidden"> for {facts.title}</span>
      </a>
    </span>
  )
}

export function Ready({ product: { facts, rfq }, mayEdit }: CellProps) {
  const { tone, words, fix } = READY_WORDS[rfq]
  return (
    <span>
      <State tone={tone}>{words}</State>
      {fix && mayEdit && (
        <a class="row-note" href={fix.href(facts.slug)}>
          {fix.words}
          <span class="hidden"> for {facts.title}</span>
        </a>
      )}
    </span>
  )
}
