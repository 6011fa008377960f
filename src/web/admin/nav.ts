/** The ways through the operator's pages. */
import type { WayGroup } from '../kit/console.tsx'
import {
  ADMIN,
  CLAIMS,
  ENRICHMENTS,
  HEALTH,
  IMPORTS,
  JOBS,
  OAUTH_TRACE,
  ORGANIZATIONS,
  RENAMES,
  SEARCH_QUALITY,
  SUBMISSIONS,
  USERS,
} from './paths.ts'

/** How much waits for a decision, by the page it waits on. */
export type Waiting = Partial<Record<string, number>>

const GROUPS: WayGroup[] = [
  { label: null, ways: [{ href: ADMIN, label: 'Overview' }] },
  {
    label: 'Review',
    ways: [
      { href: ENRICHMENTS, label: 'Enrichments' },
      { href: SUBMISSIONS, label: 'New products' },
      { href: CLAIMS, label: 'Claims' },
      { href: RENAMES, label: 'New names' },
    ],
  },
  {
    label: 'People',
    ways: [
      { href: USERS, label: 'Users' },
      { href: ORGANIZATIONS, label: 'Organizations' },
    ],
  },
  {
    label: 'System',
    ways: [
      { href: HEALTH, label: 'Health' },
      { href: JOBS, label: 'Jobs' },
      { href: SEARCH_QUALITY, label: 'Search quality' },
      { href: OAUTH_TRACE, label: 'OAuth trace' },
      { href: IMPORTS, label: 'Imports' },
    ],
  },
]

export function adminWays(waiting: Waiting): WayGroup[] {
  return GROUPS.map(({ label, ways }) => ({
    label,
    ways: ways.map((way) => ({ ...way, waiting: waiting[way.href] ?? 0 })),
  }))
}
