/** A product in a list, with its price and rating. The whole card is the link's target. */
import { type ProductProfile, productPath, slugOf } from '../../catalog/profile.ts'
import { variantPath } from '../../catalog/profile.variants.ts'
import { formatCount } from '../format.ts'
import { OfferMark } from './offer-list.tsx'
import { Picture } from './picture.tsx'
import { PriceTag } from './price.tsx'
import { SaveButton } from './save-button.tsx'

type ProductCardProps = {
  profile: ProductProfile
  lazy: boolean
  /** One level below the list's heading. */
  heading?: 'h2' | 'h3'
  /** Why it matches the search. */
  reason?: string
  /** The one that was asked for: the card leads to it. */
  variant?: { id: string; name: string }
  /** The search that found it. The script reports clicks with it. */
  queryId?: string
  /** A badge above the title. */
  mark?: string
  /** Adds a checkbox, for lists in a CompareForm. */
  comparable?: boolean
}

export function ProductCard({ profile, lazy, heading = 'h2', ...more }: ProductCardProps) {
  const Heading = heading
  const { reason, variant, queryId, mark, comparable = false } = more
  const marks = [...(mark === undefined ? [] : [mark]), ...(profile.discontinued ? ['Discontinued'] : [])]
  return (
    <li class="card">
      <Picture profile={profile} lazy={lazy} decorative />
      <div class="card-body">
        {marks.length > 0 && <p class="badge">{marks.join(' · ')}</p>}
        <OfferMark profile={profile} />
        <Heading class="card-title">
          <a
            href={variant ? variantPath(profile, variant.id) : productPath(profile)}
            data-query-id={queryId}
            data-slug={queryId === undefined ? undefined : profile.slug}
          >
            {profile.title}
          </a>
        </Heading>
        {profile.verdict !== null && <p class="card-text">{profile.verdict}</p>}
        {variant && <p class="soft">{variant.name}</p>}
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
        <div class="card-tools">
          {comparable && <CompareBox profile={profile} />}
          <SaveButton profile={profile} kind="link" />
        </div>
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

/** The average and the number of reviews; nothing if neither is known. */
export function Rating({ rating, reviewCount }: Pick<ProductProfile, 'rating' | 'reviewCount'>) {
  if (rating === null && reviewCount === null) return null
  return (
    <span class="rating">
      {rating !== null && (
        <>
          <Star />
          <span class="hidden">Rated </span>
          <strong>{rating.toFixed(1)}</strong>
          <span class="hidden"> of 5</span>
        </>
      )}
      {reviewCount !== null && (
        <span class="soft">
          {' '}
          ({formatCount(reviewCount)}
          <span class="hidden"> reviews</span>)
        </span>
      )}
    </span>
  )
}

export function Star() {
  return (
    <svg class="star" viewBox="0 0 20 20" width="16" height="16" aria-hidden="true">
      <path
        d="M10 1.6l2.6 5.3 5.8.8-4.2 4.1 1 5.8-5.2-2.7-5.2 2.7 1-5.8L1.6 7.7l5.8-.8z"
        fill="currentColor"
      />
    </svg>
  )
}
