/**
 * Where the pages of the dashboard are, and the menu that leads to them. A page's own forms have their addresses beside
 * it; here are those that other pages lead to, so that none of them writes an address anew.
 */
import type { Right } from '../../orgs/producer.ts'
import type { WayGroup } from '../kit/console.tsx'

export const DASHBOARD = '/dashboard'
export const START_PATH = '/dashboard/start'
export const ATTENTION_PATH = '/dashboard/attention'
export const PERFORMANCE_PATH = '/dashboard/performance'
export const PRODUCTS_PATH = '/dashboard/products'
export const CLAIM_PATH = `${PRODUCTS_PATH}/claim`
export const CLAIMS_FILE_PATH = `${PRODUCTS_PATH}/claims-import`
export const FOUND_PATH = `${PRODUCTS_PATH}/found`
export const NEW_PRODUCT_PATH = `${PRODUCTS_PATH}/new`
export const IMPORT_PATH = '/dashboard/import'
export const SOURCES_PATH = '/dashboard/sources'
export const OFFERS_PATH = '/dashboard/offers'
export const NEW_OFFER_PATH = `${OFFERS_PATH}/new`
export const PRICING_PATH = '/dashboard/pricing'
export const PRICE_TABLE_PATH = `${PRICING_PATH}/table`
export const RFQS_PATH = '/dashboard/rfqs'
export const AGENT_PATH = '/dashboard/agent'
export const SANDBOX_PATH = `${AGENT_PATH}/sandbox`
export const ORGANIZATION_PATH = '/dashboard/organization'
export const REGISTER_PATH = `${ORGANIZATION_PATH}/new`
export const SWITCH_PATH = '/dashboard/switch'
export const TEAM_PATH = '/dashboard/team'
export const TOKENS_PATH = '/dashboard/tokens'
export const HISTORY_PATH = '/dashboard/history'

/** `slug` is `<category>/<slug>`, here and below. */
export const ownProductPath = (slug: string) => `${PRODUCTS_PATH}/${slug}`
export const changePath = (slug: string) => `${ownProductPath(slug)}/change`
export const claimPath = (slug: string) => `${CLAIM_PATH}?product=${slug}`
export const pricingPath = (slug: string) => `${PRICING_PATH}/${slug}`
export const offersOf = (slug: string) => `${OFFERS_PATH}?product=${slug}`
export const newOfferFor = (slug: string) => `${NEW_OFFER_PATH}?product=${slug}`
export const offerPath = (id: string) => `${OFFERS_PATH}/${id}`
export const rfqPath = (id: string) => `${RFQS_PATH}/${id}`

const GROUPS: Array<{ label: string | null; ways: Array<{ href: string; label: string; right: Right }> }> = [
  {
    label: null,
    ways: [
      { href: DASHBOARD, label: 'Overview', right: 'read' },
      { href: PERFORMANCE_PATH, label: 'Performance', right: 'read' },
    ],
  },
  {
    label: 'Catalog',
    ways: [
      { href: PRODUCTS_PATH, label: 'Products', right: 'read' },
      { href: IMPORT_PATH, label: 'Import', right: 'edit' },
      { href: SOURCES_PATH, label: 'Sources', right: 'edit' },
    ],
  },
  {
    label: 'Selling',
    ways: [
      { href: OFFERS_PATH, label: 'Offers', right: 'read' },
      { href: PRICING_PATH, label: 'Pricing', right: 'read' },
      { href: RFQS_PATH, label: 'Requests for quotes', right: 'read' },
      { href: AGENT_PATH, label: 'Agent', right: 'read' },
    ],
  },
  {
    label: 'Organization',
    ways: [
      { href: ORGANIZATION_PATH, label: 'Profile and domain', right: 'read' },
      { href: TEAM_PATH, label: 'Team', right: 'read' },
      { href: TOKENS_PATH, label: 'Link tokens', right: 'oversee' },
      { href: HISTORY_PATH, label: 'History', right: 'oversee' },
    ],
  },
]

export function waysFor(may: (right: Right) => boolean): WayGroup[] {
  return GROUPS.map(({ label, ways }) => ({ label, ways: ways.filter(({ right }) => may(right)) }))
}
