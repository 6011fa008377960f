/** Where the operator's pages are, and the menu that leads to them. */
import type { WayGroup } from '../kit/console.tsx'

export const ADMIN = '/admin'
export const ENRICHMENTS = '/admin/enrichments'
export const SUBMISSIONS = '/admin/submissions'
export const CLAIMS = '/admin/claims'
export const RENAMES = '/admin/renames'
export const USERS = '/admin/users'
export const ORGANIZATIONS = '/admin/organizations'
export const HEALTH = '/admin/health'
export const JOBS = '/admin/jobs'
export const SEARCH_QUALITY = '/admin/search'
export const OAUTH_TRACE = '/admin/oauth'
export const IMPORTS = '/admin/imports'

/** How much waits for a decision, by the page it waits on. */
export type Waiting = Partial<Record<string, number>>

const GROUPS: Array<[label: string | null, ways: Record<string, string>]> = [
  [null, { [ADMIN]: 'Overview' }],
  [
    'Review',
    {
      [ENRICHMENTS]: 'Enrichments',
      [SUBMISSIONS]: 'New products',
      [CLAIMS]: 'Claims',
      [RENAMES]: 'Name changes',
    },
  ],
  ['People', { [USERS]: 'Users', [ORGANIZATIONS]: 'Organizations' }],
  [
    'System',
    {
      [HEALTH]: 'Health',
      [JOBS]: 'Jobs',
      [SEARCH_QUALITY]: 'Search quality',
      [OAUTH_TRACE]: 'OAuth trace',
      [IMPORTS]: 'Imports',
    },
  ],
]

export function adminWays(waiting: Waiting): WayGroup[] {
  return GROUPS.map(([label, ways]) => ({
    label,
    ways: Object.entries(ways).map(([href, label]) => ({ href, label, waiting: waiting[href] ?? 0 })),
  }))
}
