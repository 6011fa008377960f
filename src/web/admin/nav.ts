/** The ways through the operator's pages. */
import type { WayGroup } from '../console/frame.tsx'

export const ADMIN = '/admin'

/** How much waits for a decision, by the page it waits on. */
export type Waiting = Partial<Record<string, number>>

const GROUPS: WayGroup[] = [
  { label: null, ways: [{ href: ADMIN, label: 'Overview' }] },
  {
    label: 'Review',
    ways: [
      { href: '/admin/enrichments', label: 'Enrichments' },
      { href: '/admin/submissions', label: 'New products' },
      { href: '/admin/claims', label: 'Claims' },
    ],
  },
  {
    label: 'People',
    ways: [
      { href: '/admin/users', label: 'Users' },
      { href: '/admin/organizations', label: 'Organizations' },
    ],
  },
  {
    label: 'System',
    ways: [
      { href: '/admin/health', label: 'Health' },
      { href: '/admin/jobs', label: 'Jobs' },
      { href: '/admin/search', label: 'Search quality' },
      { href: '/admin/oauth', label: 'OAuth trace' },
      { href: '/admin/import', label: 'Catalog import' },
    ],
  },
]

export function adminWays(waiting: Waiting): WayGroup[] {
  return GROUPS.map(({ label, ways }) => ({
    label,
    ways: ways.map((way) => ({ ...way, waiting: waiting[way.href] ?? 0 })),
  }))
}
