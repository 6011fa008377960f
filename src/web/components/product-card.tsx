/** A product in a list: enough to decide whether to open it. The whole card is the link's target. */
import { type ProductProfile, productPath, slugOf } from '../../catalog/profile.ts'
import { OfferMark } from './offer-list.tsx'
import { Picture } from './picture.tsx'
import { PriceTag } from './price-tag.tsx'
import { Rating } from './rating.tsx'

type ProductCardProps = {
  profile: ProductProfile
  lazy: boolean
  /** One under the heading of the list. */
  heading?: 'h2' | 'h3'
  /** Why it was found. */
  reason?: string
  /** The search that found it: a click on the card is reported with it, where there are scripts. */
  queryId?: string
  /** What people should know before they look closer. */
  mark?: string
  /** With a box to tick, for a list that stands in a form that leads to the comparison. */
  comparable?: boolean
}

export function ProductCard({ profile, lazy, heading = 'h2', ...more }: ProductCardProps) {
  const Heading = heading
  const { reason, queryId, mark, comparable = false } = more
  const marks = [...(mark === undefined ? [] : [mark]), ...(profile.discontinued ? ['Discontinued'] : [])]
  return (
    <li class="card">
      <Picture profile={profile} lazy={lazy} decorative />
      <div class="card-body">
        {marks.length > 0 && <p class="badge">{marks.join(' · ')}</p>}
        <OfferMark profile={profile} />
        <Heading class="card-title">
          <a
            href={productPath(profile)}
            data-query-id={queryId}
            data-slug={queryId === undefined ? undefined : profile.slug}
          >
            {profile.title}
          </a>
        </Heading>
        {profile.verdict !== null && <p class="card-text">{profile.verdict}</p>}
        {reason && (
          <p class="reason">
            <span class="hidden">Why: </span>
            {reason}
          </p>
        )}
        <p class="card-facts">
          <PriceTag {...profile} />
          <Rating rating={profile.rating} reviewCount={profile.reviewCount} />
        </p>
        {comparable && <CompareBox profile={profile} />}
      </div>
    </li>
  )
}

function CompareBox({ profile }: { profile: ProductProfile }) {
  return (
    <label class="compare-box">
      <input type="checkbox" name="p" value={slugOf(profile)} />
      Compare<span class="hidden"> {profile.title}</span>
    </label>
  )
}
