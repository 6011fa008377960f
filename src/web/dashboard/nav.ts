/** The ways through the dashboard, and the right that each page asks for: nobody is shown a way they may not go. */
import type { Right } from '../../orgs/producer.ts'
import type { WayGroup } from '../console/frame.tsx'

export const DASHBOARD = '/dashboard'

const GROUPS: Array<{ label: string | null; ways: Array<{ href: string; label: string; right: Right }> }> = [
  {
    label: null,
    ways: [
      { href: DASHBOARD, label: 'Overview', right: 'read' },
      { href: '/dashboard/performance', label: 'Performance', right: 'read' },
    ],
  },
  {
    label: 'Catalog',
    ways: [
      { href: '/dashboard/products', label: 'Products', right: 'read' },
      { href: '/dashboard/import', label: 'Import', right: 'edit' },
    ],
  },
  {
    label: 'Selling',
    ways: [
      { href: '/dashboard/offers', label: 'Offers', right: 'read' },
      { href: '/dashboard/pricing', label: 'Pricing', right: 'read' },
      { href: '/dashboard/rfqs', label: 'Requests for quotes', right: 'read' },
      { href: '/dashboard/agent', label: 'Agent', right: 'read' },
    ],
  },
  {
    label: 'Organization',
    ways: [
      { href: '/dashboard/organization', label: 'Profile and domain', right: 'read' },
      { href: '/dashboard/team', label: 'Team', right: 'read' },
      { href: '/dashboard/tokens', label: 'Link tokens', right: 'oversee' },
      { href: '/dashboard/history', label: 'History', right: 'oversee' },
    ],
  },
]

export function waysFor(may: (right: Right) => boolean): WayGroup[] {
  return GROUPS.map(({ label, ways }) => ({ label, ways: ways.filter(({ right }) => may(right)) }))
}
