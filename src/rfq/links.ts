/** A quote's attributed link: leads to the producer's claim_url while the offer stands, and to the product after that. */
import { productPath } from '../catalog/profile.ts'
import type { LinkFinder } from '../offers/links.service.ts'
import { findQuoteLinkRow } from './attempts.queries.ts'

export const findQuoteLink: LinkFinder = async ({ db, clock, config }, id) => {
  const row = await findQuoteLinkRow(db, id)
  if (!row) return null
  const page = productPath({ slug: row.productSlug, category: { slug: row.categorySlug } })
  return {
    kind: 'quote',
    orgId: row.orgId,
    productId: row.productId,
    destination: new Date(row.expiresAt) > clock.now() ? row.claimUrl : null,
    otherwise: `${config.baseUrl}${page}`,
  }
}
