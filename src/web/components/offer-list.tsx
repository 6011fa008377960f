/**
 * A product's live offers, labeled as sponsored: text, price and code come from the seller. Links go through the
 * service, which counts clicks.
 */

import { offersPath, type ProductProfile } from '../../catalog/profile.ts'
import {
  isSale,
  offerLink,
  offerTypeWords,
  offerVariantWords,
  type PromotedOffer,
  SHOWN_OFFERS,
} from '../../catalog/promoted-offer.ts'
import { formatUsd } from '../../lib/money.ts'
import { shownOrg } from '../../orgs/shown-org.ts'
import { countOf } from '../format.ts'
import { LinkLine } from '../kit/parts.tsx'
import { Day } from './moment.tsx'
import { Was } from './price.tsx'

type OfferListProps = {
  profile: Pick<ProductProfile, 'slug' | 'offers'>
  /** Where an offer's link leads. Null renders no link, as in a preview. */
  href?: (offer: PromotedOffer) => string | null
}

export function OfferList({ profile, href = (offer) => offerLink(offer, '') }: OfferListProps) {
  const { offers = [] } = profile
  const more = offers.length - SHOWN_OFFERS
  return (
    <>
      <p class="soft">Sponsored, in the sellers’ own words. Offers don’t affect search ranking.</p>
      <ul class="offers">
        {offers.slice(0, SHOWN_OFFERS).map((offer) => (
          <OfferCard offer={offer} href={href(offer)} />
        ))}
      </ul>
      {more > 0 && <LinkLine to={offersPath(profile)}>See {countOf(more, 'more offer')} (JSON)</LinkLine>}
    </>
  )
}

function OfferCard({ offer, href }: { offer: PromotedOffer; href: string | null }) {
  const { headline, detail, priceCents, listPriceCents, promoCode, offerTypes, expiresAt, seller } = offer
  const lowered = priceCents !== null && listPriceCents !== null && priceCents < listPriceCents
  return (
    <li>
      <h3>
        {href === null ? (
          headline
        ) : (
          <a href={href} rel="sponsored nofollow noopener">
            {headline}
          </a>
        )}
      </h3>
      {offer.variant && <p>For {offerVariantWords(offer.variant)}</p>}
      {priceCents !== null && (
        <p>
          <span class="price">{formatUsd(priceCents)}</span>
          {lowered && <Was>{formatUsd(listPriceCents)}</Was>}
        </p>
      )}
      {detail !== null && <p>{detail}</p>}
      {promoCode !== null && (
        <p>
          Code <code>{promoCode}</code>
        </p>
      )}
      <ul class="line">
        {offerTypes.map((type) => (
          <li>{offerTypeWords(type)}</li>
        ))}
        {expiresAt !== null && (
          <li>
            until <Day at={expiresAt} />
          </li>
        )}
        <li>from {shownOrg(seller)}</li>
      </ul>
    </li>
  )
}

/** A badge on products with live offers. With `href` it links to them. */
export function OfferMark({ profile: { offers = [] }, href }: { profile: ProductProfile; href?: string }) {
  if (offers.length === 0) return null
  const word = offers.some(isSale) ? 'On sale' : 'Offer'
  if (href === undefined) return <p class="badge sale">{word}</p>
  return (
    <a class="badge sale" href={href}>
      {word}
    </a>
  )
}
