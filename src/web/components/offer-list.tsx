/**
 * What sellers promote now, said to be theirs: the words, the price and the code are the seller's. The link goes through
 * the service, which counts the click, and is marked as paid for.
 */

import { offersPath, type ProductProfile } from '../../catalog/profile.ts'
import {
  isSale,
  offerLink,
  offerTypeWords,
  type PromotedOffer,
  SHOWN_OFFERS,
} from '../../catalog/promoted-offer.ts'
import { formatUsd } from '../../lib/money.ts'
import { shownOrg } from '../../orgs/shown-org.ts'
import { countOf, formatDate, isoDay } from '../format.ts'

type OfferListProps = {
  profile: Pick<ProductProfile, 'slug' | 'offers'>
  /** Where an offer's link leads; null for nowhere yet, as in a preview. */
  href?: (offer: PromotedOffer) => string | null
}

export function OfferList({ profile, href = (offer) => offerLink(offer, '') }: OfferListProps) {
  const { offers = [] } = profile
  const more = offers.length - SHOWN_OFFERS
  return (
    <>
      <p class="soft">Sponsored: sellers' own words. Paying moves nothing up in search.</p>
      <ul class="offers">
        {offers.slice(0, SHOWN_OFFERS).map((offer) => (
          <OfferCard offer={offer} href={href(offer)} />
        ))}
      </ul>
      {more > 0 && (
        <p>
          <a href={offersPath(profile)}>{countOf(more, 'more offer')}, as JSON</a>
        </p>
      )}
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
      {priceCents !== null && (
        <p>
          <span class="price">{formatUsd(priceCents)}</span>
          {lowered && (
            <s>
              <span class="hidden">instead of </span>
              {formatUsd(listPriceCents)}
            </s>
          )}
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
            until <time datetime={expiresAt.toISOString()}>{formatDate(isoDay(expiresAt))}</time>
          </li>
        )}
        <li>from {shownOrg(seller)}</li>
      </ul>
    </li>
  )
}

/** Whether somebody promotes this product now: in a list a word, on its own page the way to the offers. */
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
