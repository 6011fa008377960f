/**
 * `/feeds/products.jsonl`: one JSON object a line, by the column names of OpenAI's product feed (file upload, flat form).
 * Every product has a line; what is not known has no key. Nothing can be bought at Souk, so checkout is off, and the
 * invented products of the demo catalog are not for any search either.
 */
import { type ProductProfile, productPath } from '../../../catalog/profile.ts'
import {
  dealOf,
  descriptionOf,
  feedPrice,
  feedText,
  MAX_NAME,
  MAX_TITLE,
  partNumber,
  photosOf,
  stockOf,
} from './feed.values.ts'
import type { Listing, ListingSite } from './listing.ts'

export const OPENAI_FEED: Listing = {
  path: '/feeds/products.jsonl',
  contentType: 'application/jsonl; charset=utf-8',
  head: () => '',
  entry: (site, profile) => `${JSON.stringify(feedItem(site, profile), leaveOutNull)}\n`,
}

function feedItem({ baseUrl, demo }: ListingSite, profile: ProductProfile) {
  const { seller, offerId, priceCents, salePriceCents } = dealOf(profile)
  const photos = photosOf(profile)
  return {
    item_id: profile.slug,
    title: feedText(profile.title, MAX_TITLE) ?? profile.slug,
    description: descriptionOf(profile, demo),
    url: `${baseUrl}${productPath(profile)}`,
    brand: feedText(profile.brand?.name ?? null, MAX_NAME),
    image_url: photos.main,
    price: feedPrice(priceCents),
    sale_price: feedPrice(salePriceCents),
    // The one column for which "unknown" is a value.
    availability: stockOf(profile) ?? 'unknown',
    offer_id: offerId,
    gtin: feedText(profile.gtin, MAX_NAME),
    mpn: partNumber(profile.mpn),
    product_category: feedText(profile.category.label, MAX_TITLE),
    additional_image_urls: photos.more.length > 0 ? photos.more : null,
    seller_name: feedText(seller?.name ?? null, MAX_NAME),
    seller_url: seller?.url ?? null,
    review_count: profile.reviewCount,
    star_rating: profile.rating,
    is_eligible_search: !demo,
    is_eligible_checkout: false,
  }
}

function leaveOutNull(_: string, value: unknown): unknown {
  return value ?? undefined
}
