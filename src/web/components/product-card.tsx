/** A product in a list: enough to decide whether to open it. The whole card is the link's target. */
import { type ProductProfile, productPath } from '../../catalog/profile.ts'
import { OfferMark } from './offer-list.tsx'
import { Picture } from './picture.tsx'
import { PriceTag } from './price-tag.tsx'
import { Rating } from './rating.tsx'

export function ProductCard({ profile, lazy }: { profile: ProductProfile; lazy: boolean }) {
  return (
    <li class="card">
      <Picture profile={profile} lazy={lazy} decorative />
      <div class="card-body">
        {profile.discontinued && <p class="badge">Discontinued</p>}
        <OfferMark profile={profile} />
        <h2 class="card-title">
          <a href={productPath(profile)}>{profile.title}</a>
        </h2>
        {profile.verdict !== null && <p class="card-text">{profile.verdict}</p>}
        <p class="card-facts">
          <PriceTag {...profile} />
          <Rating rating={profile.rating} reviewCount={profile.reviewCount} />
        </p>
      </div>
    </li>
  )
}
