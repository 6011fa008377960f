/** Where the operator's pages are, and the menu that leads to them. */
import type { WayGroup } from '../kit/console.tsx'

export const ADMIN = '/admin'
export const ENRICHMENTS = '/admin/enrichments'
export const SUBMISSIONS = '/admin/submissions'
export const CLAIMS = '/admin/claims'
export const RENAMES = '/admin/renames'
export const REPORTS = '/admin/reports'
export const USERS = '/admin/users'
export const ORGANIZATIONS = '/admin/organizations'
export const HEALTH = '/admin/health'
export const HEALTH_HISTORY = '/admin/health/history'
export const JOBS = '/admin/jobs'
export const SEARCH_QUALITY = '/admin/search'
export const OAUTH_TRACE = '/admin/oauth'
export const IMPORTS = '/admin/imports'
export const SOURCES = '/admin/sources'
export const PRODUCTS = '/admin/products'
export const CATEGORIES = '/admin/categories'
export const BRANDS = '/admin/brands'
export const UNDO = '/admin/undo'
export const TUNING = '/admin/tuning'
export const JUDGED = '/admin/tuning/judged'
export const AUDIT = '/admin/audit'
export const SETTINGS = '/admin/settings'
export const RATES = '/admin/settings/rates'
export const BACKUPS = '/admin/backups'

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
      [REPORTS]: 'Reported mistakes',
    },
  ],
  [
    'Catalog',
    {
      [PRODUCTS]: 'Products',
      [CATEGORIES]: 'Categories',
      [BRANDS]: 'Brands',
      [IMPORTS]: 'Imports',
      [SOURCES]: 'Sources',
    },
  ],
  ['Search', { [SEARCH_QUALITY]: 'Search quality', [TUNING]: 'Search tuning', [JUDGED]: 'Judged queries' }],
  ['People', { [USERS]: 'Users', [ORGANIZATIONS]: 'Organizations', [AUDIT]: 'Audit log' }],
  [
    'System',
    {
      [HEALTH]: 'Health',
      [JOBS]: 'Jobs',
      [SETTINGS]: 'Settings',
      [RATES]: 'Exchange rates',
      [BACKUPS]: 'Backups',
      [OAUTH_TRACE]: 'OAuth trace',
    },
  ],
]

export function adminWays(waiting: Waiting): WayGroup[] {
  return GROUPS.map(([label, ways]) => ({
    label,
    ways: Object.entries(ways).map(([href, label]) => ({ href, label, waiting: waiting[href] ?? 0 })),
  }))
}
