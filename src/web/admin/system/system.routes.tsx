/** The operator's pages about the service itself. */
import type { AdminDeps } from '../deps.ts'
import type { Admin } from '../guard.ts'
import { mountHealth } from './health.page.tsx'
import { mountJobs } from './jobs.page.tsx'
import { mountSearchQuality } from './search.page.tsx'
import { mountTrace } from './trace.page.tsx'

export function mountSystem(admin: Admin, deps: AdminDeps): void {
  mountHealth(admin, deps)
  mountJobs(admin, deps)
  mountSearchQuality(admin, deps)
  mountTrace(admin, deps)
}
