/** The ways through the dashboard, and the right that each page asks for: nobody is shown a way they may not go. */
import type { Right } from '../../orgs/producer.ts'
import type { WayGroup } from '../kit/console.tsx'
import {
  AGENT_PATH,
  DASHBOARD,
  HISTORY_PATH,
  IMPORT_PATH,
  OFFERS_PATH,
  ORGANIZATION_PATH,
  PERFORMANCE_PATH,
  PRICING_PATH,
  PRODUCTS_PATH,
  RFQS_PATH,
  SOURCES_PATH,
  TEAM_PATH,
  TOKENS_PATH,
} from './paths.ts'

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
