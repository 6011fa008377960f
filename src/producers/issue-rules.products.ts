/** What can be wrong with one product of an organization. Within a severity, issues come in the order of this table. */
import { counted } from '../lib/words.ts'
import { isLive, isVerified } from './facts.ts'
import { day, daysBetween, type ProductRule } from './issue-rule.ts'
import { limitsLost, managedDecline } from './rfq-readiness.ts'

const LONG_DAYS = 7
const FEW_SPECS = 5

/** Only somebody with a verified claim can do anything about a profile. */
const ofProfile =
  (find: ProductRule['find']): ProductRule['find'] =>
  (product, org, now) =>
    isVerified(product) ? find(product, org, now) : null

export const PRODUCT_RULES: readonly ProductRule[] = [
  {
    id: 'limits_lost',
    severity: 'critical',
    fix: 'An owner or admin: set_pricing_rules with both reserve_price_usd and min_margin_pct again, null for none.',
    find: (product) =>
      limitsLost(product)
        ? 'Its price limits can no longer be read, so every request for quote is declined.'
        : null,
  },
  {
    id: 'claim_without_evidence',
    severity: 'error',
    fix: 'claim_product again with evidence_url, a page that proves it; or verify the domain stated in the catalog.',
    find: ({ relationships }) => {
      const waits = relationships.find(({ status, hasEvidence }) => status === 'pending' && !hasEvidence)
      return waits ? `The claim (${waits.type}) is waiting and has no evidence.` : null
    },
  },
  {
    id: 'discontinued_with_offer',
    severity: 'error',
    fix: 'update_offer with status expired; or, if it is still made, submit_enrichment with fields.discontinued false.',
    find: ({ discontinued, offers }, _, now) => {
      const live = offers.filter((offer) => isLive(offer, now)).length
      return discontinued && live > 0 ? `It is discontinued, but has ${counted(live, 'live offer')}.` : null
    },
  },
  {
    id: 'no_quote_possible',
    severity: 'error',
    fix: 'create_offer with price_usd and an https destination_url, then update_offer with status active; simulate_quote shows the result.',
    find: ofProfile((product, org, now) => {
      const judged = org.integration.isManaged && !limitsLost(product)
      const reason = judged ? managedDecline(product, org, now) : null
      return reason === null ? null : `Managed pricing cannot quote it. ${reason}`
    }),
  },
  {
    id: 'quoted_out_of_stock',
    severity: 'warning',
    fix: 'Once it is back in stock, an owner or admin: PATCH /api/org/pricing/ with in_stock true.',
    find: ({ pricing, discontinued }) =>
      pricing?.inStock === false && !discontinued
        ? 'Your pricing rules say it is out of stock, so its quotes rank below all that have it.'
        : null,
  },
  {
    id: 'claim_waiting',
    severity: 'warning',
    fix: 'Contact the operator of this service, or claim_product again with a better evidence_url.',
    find: ({ relationships }, _, now) => {
      const waits = relationships.find(
        ({ status, hasEvidence, createdAt }) =>
          status === 'pending' && hasEvidence && daysBetween(createdAt, now) >= LONG_DAYS,
      )
      return waits ? `The claim (${waits.type}) has been waiting since ${day(waits.createdAt)}.` : null
    },
  },
  {
    id: 'enrichment_rejected',
    severity: 'warning',
    fix: 'get_enrichment_status for the reason, then submit_enrichment again.',
    find: ({ enrichment: { rejected } }) =>
      rejected && {
        message: `Your profile proposal was rejected on ${day(rejected.at)}.`,
        note: rejected.note,
      },
  },
  {
    id: 'profile_not_yours',
    severity: 'warning',
    fix: 'submit_enrichment with your own description, specs and images.',
    find: (product) =>
      isVerified(product, 'manufactured_by') && product.verificationStatus === 'base'
        ? 'You make it, but its profile has nothing from you.'
        : null,
  },
  {
    id: 'image_missing',
    severity: 'warning',
    fix: 'submit_enrichment with images.',
    find: ofProfile(({ hasImage }) => (hasImage ? null : 'It has no image.')),
  },
  {
    id: 'description_missing',
    severity: 'warning',
    fix: 'submit_enrichment with fields.description.',
    find: ofProfile(({ hasDescription }) => (hasDescription ? null : 'It has no description.')),
  },
  {
    id: 'identifier_missing',
    severity: 'warning',
    fix: 'submit_enrichment with fields.gtin or fields.mpn.',
    find: ofProfile(({ gtin, mpn }) =>
      gtin === null && mpn === null
        ? 'It has no gtin or mpn, so agents cannot tell it from similar products.'
        : null,
    ),
  },
  {
    id: 'price_missing',
    severity: 'warning',
    fix: 'submit_enrichment with fields.price, or create_offer with price_usd.',
    find: ofProfile(({ priceLowCents, offers }, _, now) =>
      priceLowCents === null && !offers.some((offer) => offer.priceCents !== null && isLive(offer, now))
        ? 'It has no known price.'
        : null,
    ),
  },
  {
    id: 'specs_few',
    severity: 'suggestion',
    fix: `submit_enrichment with fields.specs: at least ${FEW_SPECS} names and values that buyers compare.`,
    find: ofProfile(({ specs }) => (specs < FEW_SPECS ? `It has ${counted(specs, 'spec')}.` : null)),
  },
  {
    id: 'brand_domain_missing',
    severity: 'suggestion',
    fix: "Ask the operator of this service to add it; the brand's claims are then verified automatically.",
    find: ofProfile(({ brand, brandDomain }) => {
      if (brand === null) return 'It has no brand in the catalog.'
      return brandDomain === null ? 'Its brand has no domain in the catalog.' : null
    }),
  },
  {
    id: 'enrichment_waiting',
    severity: 'suggestion',
    fix: 'Nothing to do; get_enrichment_status shows what is waiting. Contact the operator if it is urgent.',
    find: ({ enrichment: { waitingSince } }, _, now) =>
      waitingSince !== null && daysBetween(waitingSince, now) >= LONG_DAYS
        ? `A profile proposal has been waiting for review since ${day(waitingSince)}.`
        : null,
  },
  {
    id: 'no_live_offer',
    severity: 'suggestion',
    fix: 'create_offer, then update_offer with status active.',
    find: (product, _, now) =>
      isVerified(product, 'sells') &&
      !product.discontinued &&
      !product.offers.some((offer) => isLive(offer, now))
        ? 'You sell it, but have no live offer for it.'
        : null,
  },
]
